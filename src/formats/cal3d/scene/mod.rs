//! The conversion of Cal3D files to a scene, as the library computes it.

pub(super) mod animation;
mod mesh;
mod write;

use std::sync::Arc;

use super::conventions::{SPACE, conjugated};
use super::{Binary, Bone, Cal3d, Map, Material, Skeleton, Text};
use crate::FieldPath;
use crate::check::common::field_path;
use crate::scene::{
    self, Builder, Joint, LoadPhase, Lost, Property, Space, Texture, TextureRole, ToScene, Transform, color8,
};

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
            Err(error) => scene.report_loss(Lost::Unreadable.with(error)),
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
        scene.report_losses(lights.count(), Lost::Lights);
        scene.report_losses(self.scene_ambient.is_some().into(), Lost::AmbientLight);
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

/// The roles of textures by the types of maps: the names of the slots in materials of 3ds Max. The first one of a role is written.
const ROLES: [(&str, TextureRole); 10] = [
    ("Diffuse Color", TextureRole::Color),
    ("Specular Color", TextureRole::Specular),
    ("Specular Level", TextureRole::Specular),
    ("Glossiness", TextureRole::SpecularPower),
    ("Self-Illumination", TextureRole::Emission),
    ("Opacity", TextureRole::Opacity),
    ("Bump", TextureRole::Height),
    ("Displacement", TextureRole::Height),
    ("Reflection", TextureRole::Environment),
    ("Reflection Color", TextureRole::Environment),
];

fn role_of(kind: &[u8]) -> Option<TextureRole> {
    ROLES.iter().find(|(own, _)| own.as_bytes().eq_ignore_ascii_case(kind)).map(|(_, role)| *role)
}

impl Map {
    /// Returns the role by the type, or else by the position.
    fn role(&self, index: usize) -> TextureRole {
        let kind = self.kind.as_ref().map(Text::text).filter(|kind| !kind.is_empty());
        kind.map_or_else(|| TextureRole::usual(index), |kind| role_of(kind).unwrap_or(TextureRole::Other))
    }
}

impl Meaning for Material {
    const PHASE: LoadPhase = LoadPhase::Material;

    fn add(&self, _source: &Cal3d<Self>, scene: &mut Builder<'_>) {
        let opaque = |[red, green, blue, _]: [f32; 4]| [red, green, blue];
        let name = scene.own_name().to_owned();
        let unknown = self.maps.iter().filter_map(|map| map.kind.as_ref());
        let unknown =
            unknown.filter(|kind| !kind.text().is_empty() && role_of(kind.text()).is_none()).count();
        scene.report_losses(unknown, Lost::TextureTypes);
        let textures = self
            .maps
            .iter()
            .enumerate()
            .map(|(index, map)| Texture { path: scene::name(map.file.text()), role: map.role(index) });
        let added = scene.add_material(scene::Material {
            name,
            color: color8(self.diffuse),
            ambient: opaque(color8(self.ambient)),
            specular: opaque(color8(self.specular)),
            shininess: self.shininess,
            textures: textures.collect(),
            ..scene::Material::default()
        });
        scene.trace_material(added, Property::Color, FieldPath::root(), field_path!["diffuse"]);
    }
}
