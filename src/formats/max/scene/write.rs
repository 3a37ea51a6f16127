//! Writes a scene as 3ds Max streams: a skeleton, a mesh, and an animation for each clip.
//!
//! All values are exact up to the rounding of floats. An animation has a matrix for every bone in every frame and does not
//! store its rate: it has 30 frames per second, which readers assume.

use glam::{Affine3A, Mat3A, Vec3A};

use super::super::conventions::SPACE;
use super::super::types::{
    Animation, Bone, Bones, Corner, Face, Faces, Frames, Influence, Matrix48, Matrix52, Matrix64,
    MatrixFlags, Mesh, Skeleton,
};
use super::super::{Matrices, Points};
use super::{flipped, group_name};
use crate::Options;
use crate::codec::Format;
use crate::scene::author::{
    Attributes, Author, AuthorError, Authored, FromScene, NameRules, SceneContent, merge, number,
};
use crate::scene::{self, Lost, Placeholder, Pose, SafeNames, Space};
use crate::wire::{FixedStr, Rest, Wire};

const ATTRIBUTES: Attributes = Attributes { uv_sets: 1, colors: false, tangents: false, morphs: false };

const NAMES: NameRules =
    NameRules { what: "bone", most: 31, unique: true, ignore_case: false, allows: |byte| byte != 0 };

const REDUCE: &str = "reduce the mesh";
const SHORTEN: &str = "choose a lower rate, or shorten the clip";

/// The options with the dialect that is written.
fn options(author: &Author<'_>) -> Options {
    author.dialect().map_or_else(Options::default, |dialect| Options::default().with_dialect(dialect))
}

fn matrices(author: &Author<'_>) -> Result<Matrices, AuthorError> {
    Matrices::chosen(&options(author)).map_err(|_| AuthorError::Unsupported)
}

/// The rows of a matrix in the file: its columns.
fn rows(matrix: &Affine3A, space: Space) -> [[f32; 3]; 4] {
    let own = space.matrix(matrix);
    [own.x_axis, own.y_axis, own.z_axis, own.translation].map(|column| column.to_array())
}

/// A matrix with its flags, as 3ds Max caches them.
fn flagged(rows: [[f32; 3]; 4]) -> Matrix52 {
    let [x, y, z, translation] = rows.map(Vec3A::from);
    let is_identity = Mat3A::from_cols(x, y, z) == Mat3A::IDENTITY;
    let flags = MatrixFlags::new()
        .with_position_identity(translation == Vec3A::ZERO)
        .with_rotation_identity(is_identity)
        .with_scale_identity(is_identity);
    Matrix52 { rows, flags }
}

fn wide(rows: [[f32; 3]; 4]) -> Matrix64 {
    let [x, y, z, w] = rows;
    let row = |[a, b, c]: [f32; 3], last| [a, b, c, last];
    Matrix64 { rows: [row(x, 0.0), row(y, 0.0), row(z, 0.0), row(w, 1.0)] }
}

impl FromScene for Skeleton {
    const HOLDS: &'static [SceneContent] = &[SceneContent::Skeleton];

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let matrices = matrices(author)?;
        let skeleton = &author.scene().skeleton;
        let bones = skeleton.bones();
        if bones.is_empty() {
            return Err(AuthorError::empty("bones"));
        }
        let space = author.space(SPACE);
        let fitted = author.fit_names(NAMES, bones.iter().map(|bone| &*bone.name));
        let placed = skeleton.model_space(&skeleton.bind_pose());
        let fixed = |name: &[u8]| FixedStr::new(name).unwrap_or_default();
        let bone = |index: &usize| {
            let parent = bones[*index].parent.map(|parent| fixed(&fitted[parent])).unwrap_or_default();
            (rows(&placed[*index], space), fixed(&fitted[*index]), parent)
        };
        let all = skeleton.order().iter().map(bone);
        let bones = match matrices {
            Matrices::M52 => Bones::M52(
                all.map(|(own, name, parent_name)| Bone { matrix: flagged(own), name, parent_name })
                    .collect::<Vec<_>>()
                    .into(),
            ),
            Matrices::M48 => Bones::M48(
                all.map(|(rows, name, parent_name)| Bone { matrix: Matrix48 { rows }, name, parent_name })
                    .collect::<Vec<_>>()
                    .into(),
            ),
            Matrices::M64 => Bones::M64(
                all.map(|(own, name, parent_name)| Bone { matrix: wide(own), name, parent_name })
                    .collect::<Vec<_>>()
                    .into(),
            ),
        };
        let file = Self { bones, rest: Rest::default() };
        Ok(vec![Authored { name: author.name().to_owned(), file }])
    }
}

impl FromScene for Animation {
    const HOLDS: &'static [SceneContent] = &[SceneContent::Clips];

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let matrices = matrices(author)?;
        let scene = author.scene();
        if scene.skeleton.bones().is_empty() {
            return Err(AuthorError::empty("bones"));
        }
        let clips = author.clips();
        if clips.is_empty() {
            return Err(AuthorError::empty("clips"));
        }
        let space = author.space(SPACE);
        let bind = scene.skeleton.model_space(&scene.skeleton.bind_pose());
        let (mut files, mut taken) = (Vec::new(), SafeNames::default());
        for clip in clips {
            let memory = 2 * size_of::<Matrix64>() * scene.skeleton.bones().len();
            let frames = author.frames_without_rate(clip, memory)?;
            author.limit("frames", frames.len, i32::MAX as usize, SHORTEN)?;
            let mut overflowed = 0;
            let frame = |pose: Pose| {
                let mut placed = scene.skeleton.model_space(&pose);
                for (own, bind) in placed.iter_mut().zip(&bind).filter(|(own, _)| !own.is_finite()) {
                    overflowed += 1;
                    *own = *bind;
                }
                scene.skeleton.order().iter().map(move |bone| rows(&placed[*bone], space))
            };
            let all = author.sample(clip, &scene.skeleton, frames).flat_map(frame);
            let matrices = match matrices {
                Matrices::M52 => Frames::M52(all.map(flagged).collect::<Vec<_>>().into()),
                Matrices::M48 => Frames::M48(all.map(|rows| Matrix48 { rows }).collect::<Vec<_>>().into()),
                Matrices::M64 => Frames::M64(all.map(wide).collect::<Vec<_>>().into()),
            };
            author.report_losses(overflowed, Lost::TooLargePoses.of("clip", &clip.name));
            let file = Self { num_frames: number(frames.len), matrices, rest: Rest::default() };
            files.push(Authored { name: author.part_file(Placeholder::Clip, &clip.name, &mut taken), file });
        }
        Ok(files)
    }
}

impl FromScene for Mesh {
    const HOLDS: &'static [SceneContent] = &[SceneContent::Meshes];

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let points = Points::chosen(&options(author)).map_err(|_| AuthorError::Unsupported)?;
        let scene = author.scene();
        if author.meshes().is_empty() {
            return Err(AuthorError::empty("meshes"));
        }
        let space = author.space(SPACE);
        let bare = scene.materials.len();
        author.report_mesh_names(|_, own, name| group_name(number(own.material.unwrap_or(bare))) == name);
        let mut meshes = author.bound(&scene.skeleton);
        author.report_unused_vertices(&meshes);
        let with_normals = meshes.iter().filter(|mesh| !mesh.normals.is_empty()).count();
        author.report_losses(with_normals, Lost::NormalsComputed);
        author.unit_normals(&mut meshes);
        author.keep(&mut meshes, ATTRIBUTES);
        let (mut mesh, _) = merge(meshes);
        author.limit_influences(&mut mesh, &scene.skeleton, 4);
        author.limit("triangles", mesh.num_triangles(), i32::MAX as usize, REDUCE)?;
        let places: Vec<i32> = scene.skeleton.places().into_iter().map(number).collect();
        let record = match points {
            Points::P12 => size_of::<Face<[f32; 3]>>(),
            Points::P16 => size_of::<Face<[f32; 4]>>(),
        };
        author.charge(mesh.num_triangles().saturating_mul(record), || "the triangles".into())?;
        let faces = match points {
            Points::P12 => Faces::P12(faces(&mesh, bare, &places, space, |own| own).into()),
            Points::P16 => Faces::P16(faces(&mesh, bare, &places, space, |[x, y, z]| [x, y, z, 0.0]).into()),
        };
        let file = Self { faces, ..Self::blank_file() };
        Ok(vec![Authored { name: author.name().to_owned(), file }])
    }
}

fn faces<P>(
    mesh: &scene::Mesh,
    bare: usize,
    places: &[i32],
    space: Space,
    point: impl Fn([f32; 3]) -> P,
) -> Vec<Face<P>>
where
    P: Wire + Clone + std::fmt::Debug + Default + PartialEq + 'static,
{
    let corner = |vertex: u32, material: usize| {
        let vertex = vertex as usize;
        let uv = mesh.uvs.first().map(|set| flipped(set[vertex].into())).unwrap_or_default();
        let own = mesh.skin.as_ref().map_or(&[][..], |skin| skin.weights.of(vertex));
        let mut influences = [Influence::default(); 4];
        for (influence, own) in influences.iter_mut().zip(own) {
            *influence = Influence { bone_index: places[own.joint as usize], weight: own.weight };
        }
        Corner {
            position: point(space.point(mesh.positions[vertex].into()).into()),
            normal: point(space.direction(mesh.normals[vertex].into()).into()),
            tex_coord: point([uv[0], uv[1], 0.0]),
            material_id: number(material),
            num_effective: number(own.len().min(4)),
            influences,
        }
    };
    let mut faces = Vec::with_capacity(mesh.num_triangles());
    for primitive in &mesh.primitives {
        let material = primitive.material.unwrap_or(bare);
        let face = |corners: &[u32; 3]| Face { corners: corners.map(|own| corner(own, material)) };
        faces.extend(primitive.triangles.iter().map(face));
    }
    faces
}
