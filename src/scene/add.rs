//! Adds a scene to another one.

use std::collections::HashMap;
use std::sync::Arc;

use super::{
    Attachment, Builder, Clip, Joint, LoadPhase, Lost, Mesh, MorphTrack, Primitive, Scene, Skin, Targets,
    ToScene, Track,
};

/// A scene can be a part of another one: its bones are matched by name.
impl ToScene for Scene {
    fn phase(&self) -> LoadPhase {
        if !self.meshes.is_empty() {
            LoadPhase::Mesh
        } else if !self.clips.is_empty() {
            LoadPhase::Clip
        } else if self.skeleton.bones().is_empty() {
            LoadPhase::Material
        } else {
            LoadPhase::Skeleton
        }
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        if let Err(error) = self.validate() {
            scene.report_loss(Lost::Unreadable.with(&error));
            return scene.refuse(error);
        }
        for loss in &self.losses {
            scene.report_loss(loss.clone());
        }
        let Some(added) = scene.add_bones(self.skeleton.bones().iter().cloned()) else { return };
        let bones = added.bones;
        scene.add_playback(self.skeleton.playback(), &bones);
        for own in &self.attachments {
            let bone = own.bone.and_then(|bone| bones.get(bone).copied());
            scene.add_attachment(Attachment { bone, ..own.clone() });
        }
        let first = scene.scene().materials.len();
        for material in &self.materials {
            scene.add_material(material.clone());
        }
        let mut meshes = Vec::with_capacity(self.meshes.len());
        let mut known = HashMap::new();
        for mesh in &self.meshes {
            let place = scene.scene().meshes.len();
            let skin = mesh.skin.as_ref().map(|skin| Skin {
                joints: Arc::clone(
                    known.entry(Arc::as_ptr(&skin.joints)).or_insert_with(|| moved_joints(skin, &bones)),
                ),
                weights: skin.weights.clone(),
            });
            scene.add_mesh(Mesh { skin, ..moved_mesh(mesh, &bones, first) });
            meshes.push((scene.scene().meshes.len() > place).then_some(place));
        }
        for clip in &self.clips {
            scene.add_clip(moved_clip(clip, &bones, &meshes));
        }
    }
}

/// Returns a mesh with the bones and materials of another scene, and its own joints.
fn moved_mesh(mesh: &Mesh, bones: &[usize], first_material: usize) -> Mesh {
    let bone = |own: usize| bones.get(own).copied();
    let primitive = |own: &Primitive| Primitive {
        material: own.material.map(|material| material + first_material),
        ..own.clone()
    };
    Mesh {
        bone: mesh.bone.and_then(bone),
        primitives: mesh.primitives.iter().map(primitive).collect(),
        ..mesh.clone()
    }
}

/// Returns joints with the bones of another scene; meshes that share their joints share these.
fn moved_joints(skin: &Skin, bones: &[usize]) -> Arc<[Joint]> {
    let bone = |own: usize| bones.get(own).copied().unwrap_or(usize::MAX);
    skin.joints.iter().map(|own| Joint { bone: bone(own.bone), ..*own }).collect()
}

/// Returns a clip with the bones and meshes of another scene.
fn moved_clip(clip: &Clip, bones: &[usize], meshes: &[Option<usize>]) -> Clip {
    let track = |own: &Track| Some(Track { bone: bones.get(own.bone).copied()?, ..own.clone() });
    let target = |(mesh, target): &(usize, usize)| Some((meshes.get(*mesh).copied()??, *target));
    let morph = |own: &MorphTrack| MorphTrack {
        targets: match &own.targets {
            Targets::These(targets) => Targets::These(targets.iter().filter_map(target).collect()),
            named @ Targets::Named(_) => named.clone(),
        },
        weight: own.weight.clone(),
    };
    Clip {
        name: clip.name.clone(),
        tracks: clip.tracks.iter().filter_map(track).collect(),
        morphs: clip.morphs.iter().map(morph).collect(),
        has_root_motion: clip.has_root_motion,
    }
}
