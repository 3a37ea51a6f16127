//! Files of every format that grow with a number, to compare what a verb costs for one and for twice as many.

use bindpose::glam::{Vec2, Vec3};
use bindpose::scene::author::Authoring;
use bindpose::scene::{
    Bone, Clip, Curve, Delta, Joint, Material, Mesh, Morph, Primitive, Scene, Skeleton, Skin, Track,
    Transform, Weights,
};
use bindpose::{File, FileKind, FormatSpec};

/// What a file has many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Many {
    /// Bones, of which each has two children.
    Bones,
    /// Bones, of which each has one child.
    Chain,
    Triangles,
    Materials,
    Morphs,
    Clips,
    Keys,
}

impl Many {
    pub const ALL: [Self; 7] =
        [Self::Bones, Self::Chain, Self::Triangles, Self::Materials, Self::Morphs, Self::Clips, Self::Keys];

    /// Returns a scene with this many, and few of anything else. The names of all but bones start with `prefix`.
    pub fn scene(self, number: usize, prefix: &str) -> Scene {
        let count = |others: &[Self], few: usize| if others.contains(&self) { number } else { few };
        let num_bones = count(&[Self::Bones, Self::Chain], 3);
        let num_materials = count(&[Self::Materials], 2);
        let num_triangles = count(&[Self::Triangles, Self::Materials], 4);
        let (num_clips, num_keys) = (count(&[Self::Clips], 1), count(&[Self::Keys], 3));
        let parent = |index: usize| if self == Self::Chain { index } else { index / 2 };
        let bones = (0..num_bones).map(|index| Bone {
            name: format!("bone{index}"),
            parent: index.checked_sub(1).map(parent),
            bind: Transform { translation: Vec3::new(0.0, 0.1, 0.0), ..Transform::IDENTITY },
        });
        let skeleton = Skeleton::new(bones.collect()).0;
        let materials = (0..num_materials).map(|index| {
            let mut material = Material::new(format!("{prefix}material{index}"));
            material.textures = vec![format!("{prefix}texture{index}.png").into()];
            material
        });
        let mesh = self.mesh(number, &skeleton, num_triangles, num_materials);
        let clips = (0..num_clips).map(|index| clip(format!("{prefix}clip{index}"), num_keys));
        Scene {
            meshes: vec![Mesh { name: format!("{prefix}mesh"), ..mesh }],
            materials: materials.collect(),
            clips: clips.collect(),
            skeleton,
            ..Scene::default()
        }
    }

    fn mesh(self, number: usize, skeleton: &Skeleton, num_triangles: usize, num_materials: usize) -> Mesh {
        let num_vertices = num_triangles + 2;
        let at = |vertex: usize| Vec3::new(real(vertex), real(vertex % 2), real(vertex % 3));
        let triangles: Vec<[u32; 3]> = (0..num_triangles)
            .map(|first| [0, 1, 2].map(|corner| u32::try_from(first + corner).expect("few vertices")))
            .collect();
        let of = |material: usize| triangles.iter().skip(material).step_by(num_materials).copied().collect();
        let primitives = (0..num_materials).map(|material| Primitive {
            material: Some(material),
            triangles: of(material),
            ..Primitive::default()
        });
        let num_morphs = if self == Self::Morphs { number } else { 1 };
        let deltas = vec![Delta { vertex: 0, position: Vec3::Y, ..Delta::default() }];
        let morphs = (0..num_morphs).map(|index| Morph::new(format!("morph{index}"), deltas.clone()));
        let placed = skeleton.model_space(&skeleton.bind_pose());
        let joints = placed.iter().enumerate();
        let joints = joints.map(|(bone, own)| Joint { bone, inverse_bind: own.inverse() });
        let num_joints = placed.len();
        let rows = (0..num_vertices).flat_map(|vertex| (0..2).map(move |own| (vertex, own)));
        let rows = rows.map(|(vertex, own)| (vertex, (vertex * 7 + own) % num_joints, 0.5));
        let weights = Weights::gather(num_vertices, num_joints, rows).0;
        Mesh {
            positions: (0..num_vertices).map(at).collect(),
            normals: vec![Vec3::Z; num_vertices],
            uvs: vec![(0..num_vertices).map(|vertex| Vec2::new(real(vertex) / 1e4, 0.5)).collect()],
            primitives: primitives.collect(),
            skin: Some(Skin { joints: joints.collect(), weights }),
            morphs: morphs.collect(),
            ..Mesh::default()
        }
    }

    /// Returns the largest file of a format with this many; none if the format cannot represent them.
    pub fn file(self, kind: FileKind, number: usize, prefix: &str) -> Option<File> {
        let scene = self.scene(number, prefix);
        let written = FormatSpec::from(kind).author(&scene, prefix, &Authoring::default()).ok()?;
        let files = written.files.into_iter().map(|own| own.file);
        files.max_by_key(|file| file.value().size())
    }

    /// Returns the files of a format with a number and with twice as many, and the number, which is smaller if the format cannot
    /// represent that number; none if its files do not grow with it.
    pub fn pair(self, kind: FileKind, number: usize) -> Option<([File; 2], usize)> {
        let mut numbers =
            std::iter::successors(Some(number), |number| Some(number / 4).filter(|own| *own > 0)).take(4);
        let file = |number: usize| self.file(kind, number, "a");
        let (pair, number) = numbers.find_map(|number| Some(([file(number)?, file(2 * number)?], number)))?;
        let [len, twice] = [0, 1].map(|own: usize| pair[own].value().size());
        (2 * twice > 3 * len).then_some((pair, number))
    }
}

/// A clip that moves the first bones.
fn clip(name: String, num_keys: usize) -> Clip {
    let keys = (0..num_keys).map(|key| (real(key) / 30.0, Vec3::new(real(key % 5), 0.0, 0.0)));
    let track = |bone| Track { bone, translation: Curve::straight(keys.clone()), ..Track::default() };
    Clip { name, tracks: (0..2).map(track).collect(), ..Clip::default() }
}

fn real(index: usize) -> f32 {
    u16::try_from(index % 60_000).map_or(0.0, f32::from)
}
