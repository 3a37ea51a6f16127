//! Converts the streams of the 3ds Max tutorial to a scene.
//!
//! Right-handed, Z up, as in 3ds Max; the unit is the author's. Matrices are bone-to-world transforms for row vectors:
//! their rows are the columns of scene matrices.

mod write;

use glam::{Affine3A, Vec2};

use super::conventions::SPACE;
use super::{Animation, Mesh, Skeleton};
use crate::scene::{
    self, Bone, Builder, Clip, Curve, FRAME_RATE, Inexact, Joint, LoadPhase, Lost, Primitive, Skin, Space,
    ToScene, Track,
};
use crate::wire::Rest;

/// Converts texture coordinates: v points up in 3ds Max.
fn flipped([u, v]: [f32; 2]) -> [f32; 2] {
    [u, 1.0 - v]
}

fn matrix([x, y, z, translation]: [[f32; 3]; 4], space: Space) -> Affine3A {
    space.matrix(&Affine3A::from_cols(x.into(), y.into(), z.into(), translation.into()))
}

impl Skeleton {
    /// Returns the world transforms of the bones at time 0, without a repeated last bone.
    fn placed(&self, space: Space) -> Vec<Affine3A> {
        self.bones.iter().take(self.num_bones()).map(|bone| matrix(bone.rows, space)).collect()
    }
}

/// Returns a world matrix relative to its parent.
fn relative(matrix: &Affine3A, parent: Option<&Affine3A>) -> Affine3A {
    parent.map_or(*matrix, |parent| parent.inverse() * *matrix)
}

impl ToScene for Skeleton {
    fn phase(&self) -> LoadPhase {
        LoadPhase::Skeleton
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        let placed = self.placed(scene.space(SPACE));
        scene.report_losses(self.bones.len() - placed.len(), Lost::LastBone);
        let parents = self.parents(placed.len());
        let mut inexact = Inexact::default();
        let bone = |(index, bone): (usize, super::BoneRef<'_>)| {
            let parent = parents[index];
            let local = relative(&placed[index], parent.map(|parent| &placed[parent]));
            let bind = inexact.nearest(&local).unwrap_or_default();
            Bone { name: scene::name(bone.name.text()), parent, bind }
        };
        let bones: Vec<_> = self.bones.iter().enumerate().take(placed.len()).map(bone).collect();
        scene.report_inexact(&inexact, Lost::ShearedBones, Lost::NonFiniteBones);
        scene.add_bones(bones.into_iter());
    }
}

impl ToScene for Animation {
    fn phase(&self) -> LoadPhase {
        LoadPhase::Clip
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        let space = scene.space(SPACE);
        // Of a truncated file, only the skeleton states how many bones a frame has.
        let known = Some(scene.scene().skeleton.bones().len());
        let bones = if self.rest == Rest::new() { self.num_bones() } else { known };
        let Some(bones) = bones.filter(|bones| *bones > 0) else {
            return scene.report_loss(Lost::IncompleteFrames);
        };
        if scene.scene().skeleton.bones().is_empty() {
            // Without a skeleton only the order of bones is known.
            let named = |index| Bone { name: format!("bone {index}"), ..Bone::default() };
            scene.add_bones((0..bones).map(named));
            scene.report_loss(Lost::MissingSkeleton);
        }
        let skeleton = &scene.scene().skeleton;
        let moved = bones.min(skeleton.bones().len());
        let frames = self.matrices.len() / bones;
        let mut keys = vec![Vec::with_capacity(frames); moved];
        let mut inexact = Inexact::default();
        for frame in 0..frames {
            let placed = (0..moved).filter_map(|bone| self.matrices.get(frame * bones + bone));
            let placed: Vec<_> = placed.map(|rows| matrix(rows, space)).collect();
            for (index, own) in placed.iter().enumerate() {
                let parent = skeleton.bones()[index].parent.and_then(|parent| placed.get(parent));
                keys[index].push(inexact.nearest(&relative(own, parent)).unwrap_or_default());
            }
        }
        let rate = scene.rate(FRAME_RATE);
        let tracks = keys.into_iter().enumerate().map(|(bone, keys)| Track {
            bone,
            translation: Curve::at_rate(keys.iter().map(|own| own.translation).collect(), rate),
            rotation: Curve::at_rate(keys.iter().map(|own| own.rotation).collect(), rate),
            scale: Curve::at_rate(keys.iter().map(|own| own.scale).collect(), rate),
        });
        let clip = Clip { name: scene.own_name().to_owned(), tracks: tracks.collect(), ..Clip::default() };
        scene.report_losses(bones - moved, Lost::Tracks);
        scene.report_inexact(&inexact, Lost::ShearedKeys, Lost::NonFiniteKeys);
        scene.add_clip(clip);
    }
}

impl ToScene for Mesh {
    fn phase(&self) -> LoadPhase {
        LoadPhase::Mesh
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        let space = scene.space(SPACE);
        let indexed = self.indexed();
        let vertices = &indexed.vertices;
        let narrow = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let primitives = indexed.groups.iter().map(|group| Primitive {
            name: group_name(group.material_id),
            material: None,
            triangles: group.faces.iter().map(|face| face.map(narrow)).collect(),
        });
        let mut mesh = scene::Mesh {
            name: scene.file().to_owned(),
            positions: vertices.iter().map(|own| space.point(own.position)).collect(),
            uvs: vec![
                vertices
                    .iter()
                    .map(|own| Vec2::from(flipped([own.tex_coord[0], own.tex_coord[1]])))
                    .collect(),
            ],
            primitives: primitives.collect(),
            skin: skin(vertices, space, scene),
            ..scene::Mesh::default()
        };
        // The exporter never sets normals.
        mesh.smooth(&(0..narrow(vertices.len())).collect::<Vec<_>>());
        scene.add_mesh(mesh);
    }
}

/// Returns the name in the scene of the triangles with a material.
fn group_name(material_id: i32) -> String {
    format!("material {material_id}")
}

/// Returns the skin of a mesh, bound to the skeleton's pose at time 0.
fn skin(vertices: &[super::Vertex], space: Space, scene: &mut Builder<'_>) -> Option<Skin> {
    let skeleton = scene.beside::<Skeleton>().next();
    let placed = skeleton.map_or_else(Vec::new, |(_, skeleton)| skeleton.placed(space));
    let joints = placed.iter().enumerate().take(scene.scene().skeleton.bones().len());
    let joints: Vec<_> = joints.map(|(bone, own)| Joint { bone, inverse_bind: own.inverse() }).collect();
    let index = |index: i32| usize::try_from(index).unwrap_or(usize::MAX);
    let rows = vertices.iter().enumerate().flat_map(|(vertex, own)| {
        own.influences.iter().map(move |own| (vertex, index(own.bone_index), own.weight))
    });
    let weights = scene.weigh(vertices.len(), joints.len(), rows);
    (!joints.is_empty() && weights.most() > 0).then(|| Skin { joints: joints.into(), weights })
}
