//! The conversion of Cal3D files to a scene, as the library computes it.

pub(super) mod animation;
mod mesh;
mod write;

use std::sync::Arc;

use super::conventions::{SPACE, conjugated};
use super::{Binary, Bone, Cal3d, Material, Skeleton};
use crate::FieldPath;
use crate::check::common::field_path;
use crate::scene::{self, Builder, Joint, LoadPhase, Lost, Property, Space, ToScene, Transform, color8};

fn place(translation: [f32; 3], rotation: [f32; 4], space: Space) -> Transform {
    space.transform(translation, conjugated(rotation), [1.0; 3])
}

/// Files of one kind, in the structs of the binary form.
trait Meaning: Binary {
    const PHASE: LoadPhase;
    /// Adds a file to the scene. The source has the dialect.
    fn add(&self, source: &Cal3d<Self>, scene: &mut Builder<'_>);
}

impl<B: Meaning + 'static> ToScene for Cal3d<B> {
    fn phase(&self) -> LoadPhase {
        B::PHASE
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        match self.view() {
            Ok(file) => file.add(self, scene),
            Err(error) => scene.lose(Lost::Unreadable.with(error)),
        }
    }
}

impl Meaning for Skeleton {
    const PHASE: LoadPhase = LoadPhase::Skeleton;

    fn add(&self, _source: &Cal3d<Self>, scene: &mut Builder<'_>) {
        let space = scene.space(SPACE);
        let bone = |bone: &Bone| scene::Bone {
            name: scene::name(bone.name.text()),
            parent: usize::try_from(bone.parent_id).ok(),
            bind: place(bone.translation, bone.rotation, space),
        };
        scene.add_bones(self.bones.iter().map(bone));
        let lights =
            self.bones.iter().filter(|bone| bone.light.as_ref().is_some_and(|light| light.kind != 0));
        scene.lose_some(lights.count(), Lost::Lights);
        scene.lose_some(self.scene_ambient.is_some().into(), Lost::AmbientLight);
    }
}

impl Skeleton {
    /// The inverse bind matrices that the file stores: from the mesh into bone space.
    fn joints(&self, space: Space, num_bones: usize) -> Arc<[Joint]> {
        let into = |bone: &Bone| place(bone.local_translation, bone.local_rotation, space).matrix();
        let joints = self.bones.iter().map(into).enumerate().take(num_bones);
        joints.map(|(bone, inverse_bind)| Joint { bone, inverse_bind }).collect()
    }
}

impl Meaning for Material {
    const PHASE: LoadPhase = LoadPhase::Material;

    fn add(&self, _source: &Cal3d<Self>, scene: &mut Builder<'_>) {
        let opaque = |[red, green, blue, _]: [f32; 4]| [red, green, blue];
        let name = scene.file().to_owned();
        let textures = self.maps.iter().map(|map| scene::name(map.file.text())).collect();
        let added = scene.add_material(scene::Material {
            name,
            color: color8(self.diffuse),
            ambient: opaque(color8(self.ambient)),
            specular: opaque(color8(self.specular)),
            shininess: self.shininess,
            textures,
            ..scene::Material::default()
        });
        scene.trace_material(added, Property::Color, FieldPath::root(), field_path!["diffuse"]);
    }
}
