//! Skeletons, meshes and materials as named tuples of arrays.

use bindpose::scene::{
    Attachment, Material, Mesh, Morph, PosedMesh, Primitive, Scene, Skin, Source, Target, Transform,
};
use glam::{Affine3A, Mat4};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{array, array_or_none, tuple};
use crate::records;

/// Returns the rows of a matrix.
pub fn rows(matrix: &Affine3A) -> [[f32; 4]; 4] {
    Mat4::from(*matrix).transpose().to_cols_array_2d()
}

/// Returns a pose of all bones at each of some times; `times` is `None` for a single pose without that dimension.
pub fn pose<'py>(
    py: Python<'py>,
    scene: &Scene,
    times: Option<usize>,
    poses: &[Vec<Transform>],
) -> PyResult<Bound<'py, PyAny>> {
    let bones = scene.skeleton.bones().len();
    let all = || poses.iter().flatten();
    let translations: Vec<_> = all().map(|own| own.translation).collect();
    let rotations: Vec<_> = all().map(|own| own.rotation.to_array()).collect();
    let scales: Vec<_> = all().map(|own| own.scale).collect();
    let local: Vec<_> = all().map(|own| rows(&own.matrix())).collect();
    let model: Vec<_> =
        poses.iter().flat_map(|pose| scene.skeleton.model_space(pose)).map(|own| rows(&own)).collect();
    let shape = |own: &[usize]| [times.as_slice(), &[bones], own].concat();
    let arrays = (
        array::<f32>(py, &translations, &shape(&[3]))?,
        array::<f32>(py, &rotations, &shape(&[4]))?,
        array::<f32>(py, &scales, &shape(&[3]))?,
        array::<f32>(py, &local, &shape(&[4, 4]))?,
        array::<f32>(py, &model, &shape(&[4, 4]))?,
    );
    records::make(py, "Pose", arrays)
}

/// Returns a named transform relative to a bone.
fn place<'py>(
    py: Python<'py>,
    record: &str,
    name: &str,
    bone: Option<usize>,
    place: Transform,
) -> PyResult<Bound<'py, PyAny>> {
    let Transform { translation, rotation, scale } = place;
    let ([x, y, z], [sx, sy, sz]) = (translation.to_array(), scale.to_array());
    let [qx, qy, qz, qw] = rotation.to_array();
    records::make(py, record, (name, bone, (x, y, z), (qx, qy, qz, qw), (sx, sy, sz)))
}

pub fn attachment<'py>(py: Python<'py>, own: &Attachment) -> PyResult<Bound<'py, PyAny>> {
    place(py, "Attachment", &own.name, own.bone, own.place)
}

pub fn skeleton<'py>(py: Python<'py>, scene: &Scene) -> PyResult<Bound<'py, PyAny>> {
    let bones =
        tuple(py, scene.skeleton.bones(), |bone| place(py, "Bone", &bone.name, bone.parent, bone.bind))?;
    let parent = |parent: Option<usize>| parent.and_then(|own| i32::try_from(own).ok()).unwrap_or(-1);
    let parents: Vec<_> = scene.skeleton.bones().iter().map(|bone| parent(bone.parent)).collect();
    let parents = array::<i32>(py, &parents, &[parents.len()])?;
    let bind = pose(py, scene, None, &[scene.skeleton.bind_pose()])?;
    records::make(py, "Skeleton", (bones, parents, bind))
}

pub fn mesh<'py>(py: Python<'py>, mesh: &Mesh) -> PyResult<Bound<'py, PyAny>> {
    let count = mesh.positions.len();
    let triangles: Vec<_> = mesh.primitives.iter().flat_map(|own| own.triangles.iter().copied()).collect();
    let fields = (
        &mesh.name,
        mesh.bone,
        array::<f32>(py, &mesh.positions, &[count, 3])?,
        array_or_none::<f32>(py, &mesh.normals, &[mesh.normals.len(), 3])?,
        array_or_none::<f32>(py, &mesh.tangents, &[mesh.tangents.len(), 4])?,
        tuple(py, &mesh.uvs, |own| array::<f32>(py, own, &[own.len(), 2]))?,
        array_or_none::<f32>(py, &mesh.colors, &[mesh.colors.len(), 4])?,
        array::<u32>(py, &triangles, &[triangles.len(), 3])?,
        tuple(py, &mesh.primitives, |own| primitive(py, own))?,
    );
    let (joints, weights, bones, inverse_binds) = skin(py, mesh.skin.as_ref(), count)?;
    let morphs = tuple(py, &mesh.morphs, |own| morph(py, own))?;
    let (name, bone, positions, normals, tangents, uvs, colors, triangles, primitives) = fields;
    // More fields than a tuple of Rust translates.
    let all: [Bound<'_, PyAny>; 14] = [
        name.into_pyobject(py)?.into_any(),
        bone.into_pyobject(py)?,
        positions,
        normals.into_pyobject(py)?,
        tangents.into_pyobject(py)?,
        uvs.into_any(),
        colors.into_pyobject(py)?,
        triangles,
        primitives.into_any(),
        joints.into_pyobject(py)?,
        weights.into_pyobject(py)?,
        bones.into_pyobject(py)?,
        inverse_binds.into_pyobject(py)?,
        morphs.into_any(),
    ];
    records::make(py, "Mesh", PyTuple::new(py, all)?)
}

fn primitive<'py>(py: Python<'py>, own: &Primitive) -> PyResult<Bound<'py, PyAny>> {
    let triangles = array::<u32>(py, &own.triangles, &[own.triangles.len(), 3])?;
    records::make(py, "Primitive", (&own.name, own.material, triangles))
}

fn morph<'py>(py: Python<'py>, own: &Morph) -> PyResult<Bound<'py, PyAny>> {
    let vertices: Vec<_> = own.deltas.iter().map(|delta| delta.vertex).collect();
    let positions: Vec<_> = own.deltas.iter().map(|delta| delta.position).collect();
    let normals: Vec<_> = own.deltas.iter().map(|delta| delta.normal).collect();
    let count = vertices.len();
    let fields = (
        &own.name,
        array::<u32>(py, &vertices, &[count])?,
        array::<f32>(py, &positions, &[count, 3])?,
        array::<f32>(py, &normals, &[count, 3])?,
    );
    records::make(py, "Morph", fields)
}

type Array<'py> = Option<Bound<'py, PyAny>>;

/// Returns joints and weights of each vertex, and bone and inverse bind matrix of each joint.
fn skin<'py>(
    py: Python<'py>,
    skin: Option<&Skin>,
    vertices: usize,
) -> PyResult<(Array<'py>, Array<'py>, Array<'py>, Array<'py>)> {
    let Some(skin) = skin else { return Ok((None, None, None, None)) };
    let width = skin.weights.most();
    let (mut joints, mut weights) = (vec![0_u32; vertices * width], vec![0_f32; vertices * width]);
    for vertex in 0..vertices {
        for (slot, influence) in skin.weights.of(vertex).iter().enumerate() {
            joints[vertex * width + slot] = influence.joint;
            weights[vertex * width + slot] = influence.weight;
        }
    }
    let bones = skin.joints.iter().map(|joint| u32::try_from(joint.bone).unwrap_or(u32::MAX));
    let bones: Vec<_> = bones.collect();
    let inverse: Vec<_> = skin.joints.iter().map(|joint| rows(&joint.inverse_bind)).collect();
    Ok((
        Some(array::<u32>(py, &joints, &[vertices, width])?),
        Some(array::<f32>(py, &weights, &[vertices, width])?),
        Some(array::<u32>(py, &bones, &[bones.len()])?),
        Some(array::<f32>(py, &inverse, &[inverse.len(), 4, 4])?),
    ))
}

pub fn material<'py>(py: Python<'py>, own: &Material) -> PyResult<Bound<'py, PyAny>> {
    let ([r, g, b, a], [er, eg, eb]) = (own.color, own.emissive);
    let lit: [(f32, f32, f32); 2] = [own.ambient, own.specular].map(Into::into);
    let fields = (
        &own.name,
        (r, g, b, a),
        (er, eg, eb),
        PyTuple::new(py, own.textures.iter().map(|own| &*own.path))?,
        own.alpha.name(),
        own.double_sided,
        own.unlit,
        lit[0],
        lit[1],
        own.shininess,
        PyTuple::new(py, own.textures.iter().map(|own| own.role.name()))?,
    );
    records::make(py, "Material", fields)
}

pub fn source<'py>(py: Python<'py>, own: &Source) -> PyResult<Bound<'py, PyAny>> {
    let records = array::<u32>(py, &own.records, &[own.records.len()])?;
    let (mut attribute, mut uv_set, mut corner) = (None, None, None);
    let (mut mesh, mut morph, mut clip, mut bone, mut material) = (None, None, None, None, None);
    match own.target {
        Target::Vertices { mesh: of, attribute: what } => {
            (mesh, attribute, uv_set) = (Some(of), Some(what.name()), what.uv_set());
        }
        Target::Corners { mesh: of, corner: at, attribute: what } => {
            (mesh, corner, attribute, uv_set) = (Some(of), Some(at), Some(what.name()), what.uv_set());
        }
        Target::Morph { mesh: of, morph: which } => {
            (mesh, morph, attribute) = (Some(of), Some(which), Some("displacement"));
        }
        Target::Keys { clip: of, bone: which, channel } => {
            (clip, bone, attribute) = (Some(of), Some(which), Some(channel.name()));
        }
        Target::Material { material: of, property } => {
            (material, attribute) = (Some(of), Some(property.name()));
        }
        _ => {}
    }
    let (list, field) = (own.list.to_string(), own.field.to_string());
    let fields =
        (own.part, list, field, records, attribute, mesh, uv_set, corner, morph, clip, bone, material);
    records::make(py, "Source", fields)
}

pub fn posed<'py>(py: Python<'py>, own: &PosedMesh) -> PyResult<Bound<'py, PyAny>> {
    let positions = array::<f32>(py, &own.positions, &[own.positions.len(), 3])?;
    let normals = array_or_none::<f32>(py, &own.normals, &[own.normals.len(), 3])?;
    records::make(py, "PosedMesh", (positions, normals))
}
