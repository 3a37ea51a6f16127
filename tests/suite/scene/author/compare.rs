//! Compares a scene with what was written and read again.

use bindpose::scene::{Attachment, Clip, Curve, Loss, Lost, Material, Mesh, Scene, Transform};
use glam::{Affine3A, Vec2, Vec3, Vec4};

/// How exact a format is.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// Of positions, relative to the size of the scene.
    pub position: f32,
    /// Of posed positions, relative to the size of the scene: the quantisation of weights and keys.
    pub posed: f32,
    /// Of normals.
    pub normal: f32,
    /// Of texture coordinates.
    pub uv: f32,
}

impl Tolerance {
    /// The rounding of floats.
    pub const FLOATS: Self = Self { position: 1e-5, posed: 1e-4, normal: 1e-3, uv: 1e-6 };

    /// For a scene whose skins state another bind pose.
    pub const fn without_bind_pose(self) -> Self {
        Self { position: f32::INFINITY, normal: f32::INFINITY, ..self }
    }
}

/// A corner of a triangle.
#[derive(Clone, Debug)]
pub struct Corner {
    /// In the bind pose, then at each time.
    pub positions: Vec<Vec3>,
    pub normal: Option<Vec3>,
    pub uvs: Vec<Vec2>,
    pub color: Option<Vec4>,
    /// In the bind pose, with all of the first morph target.
    pub shape: Option<Vec3>,
}

/// Triangles by material, in their order.
type Soup = Vec<(Option<usize>, [Corner; 3])>;

/// Returns the corners of a mesh in several poses in model space.
fn posed(mesh: &Mesh, poses: &[Vec<Affine3A>]) -> Vec<Vec<Vec3>> {
    let move_to = |placed: &Vec<Affine3A>| match (&mesh.skin, mesh.bone) {
        (Some(skin), _) => skin.deform(placed, &mesh.positions),
        (None, Some(bone)) => mesh.positions.iter().map(|own| placed[bone].transform_point3(*own)).collect(),
        (None, None) => mesh.positions.clone(),
    };
    poses.iter().map(move_to).collect()
}

fn normals(mesh: &Mesh, rest: &[Affine3A]) -> Vec<Vec3> {
    match (&mesh.skin, mesh.bone) {
        (Some(skin), _) => skin.deform_normals(rest, &mesh.normals),
        (None, Some(bone)) => {
            let across = rest[bone].matrix3.inverse().transpose();
            mesh.normals.iter().map(|own| (across * *own).normalize_or(*own)).collect()
        }
        (None, None) => mesh.normals.clone(),
    }
}

/// Returns all triangles that are not degenerate, ordered by material.
fn soup(scene: &Scene, poses: &[Vec<Affine3A>]) -> Soup {
    let mut soup = Soup::new();
    for mesh in &scene.meshes {
        let (places, normals) = (posed(mesh, poses), normals(mesh, &poses[0]));
        let shapes = mesh.morphs.first().map(|morph| {
            let mut moved = Mesh { skin: mesh.skin.clone(), bone: mesh.bone, ..Mesh::default() };
            moved.positions.clone_from(&mesh.positions);
            for delta in &morph.deltas {
                moved.positions[delta.vertex as usize] += delta.position;
            }
            posed(&moved, &poses[..1]).remove(0)
        });
        let mirrored =
            mesh.skin.is_none() && mesh.bone.is_some_and(|bone| poses[0][bone].matrix3.determinant() < 0.0);
        let corner = |vertex: u32| {
            let vertex = vertex as usize;
            Corner {
                positions: places.iter().map(|positions| positions[vertex]).collect(),
                normal: normals.get(vertex).copied(),
                uvs: mesh.uvs.iter().map(|set| set[vertex]).collect(),
                color: mesh.colors.get(vertex).copied().map(Vec4::from),
                shape: shapes.as_ref().map(|own| own[vertex]),
            }
        };
        for primitive in &mesh.primitives {
            for &[a, b, c] in &primitive.triangles {
                let corners = if mirrored { [a, c, b] } else { [a, b, c] };
                let same =
                    |one: u32, other: u32| mesh.positions[one as usize] == mesh.positions[other as usize];
                if !(same(a, b) || same(b, c) || same(c, a)) {
                    soup.push((primitive.material, corners.map(corner)));
                }
            }
        }
    }
    // Some formats need a material for every triangle.
    soup.sort_by_key(|(material, _)| material.unwrap_or(usize::MAX));
    soup
}

/// The size of a scene in the bind pose.
pub fn size(scene: &Scene) -> f32 {
    let placed = scene.skeleton.model_space(&scene.skeleton.bind_pose());
    let bones = placed.iter().map(|own| own.translation.abs().max_element());
    let corners = scene.bounds().into_iter().flat_map(|bounds| [bounds.min, bounds.max]).flatten();
    bones.chain(corners.map(f32::abs)).fold(1e-3, f32::max)
}

/// Returns up to eight times of keys of a clip.
pub fn key_times(clip: &Clip) -> Vec<f32> {
    let mut times: Vec<f32> = Vec::new();
    for track in &clip.tracks {
        times.extend(track.translation.iter().flat_map(Curve::times));
        times.extend(track.rotation.iter().flat_map(Curve::times));
        times.extend(track.scale.iter().flat_map(Curve::times));
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    let step = times.len().div_ceil(8).max(1);
    let mut few: Vec<f32> = times.iter().copied().step_by(step).collect();
    few.extend(times.last());
    few
}

/// Compares two scenes in the bind pose and at some times of a clip of each. `bones` has the index in `source` of each bone
/// of `result`.
pub fn compare(
    source: &Scene,
    result: &Scene,
    bones: &[usize],
    clips: Option<(&Clip, &Clip)>,
    tolerance: Tolerance,
) -> Result<(), String> {
    let (num, expected) = (result.skeleton.bones().len(), bones.len());
    if num != expected {
        return Err(format!("{num} bones instead of {expected}"));
    }
    let times = clips.map_or_else(Vec::new, |(source, _)| key_times(source));
    let poses = |scene: &Scene, clip: Option<&Clip>| {
        let rest = scene.skeleton.model_space(&scene.skeleton.bind_pose());
        let posed = times.iter().filter_map(|time| Some(clip?.sample(&scene.skeleton, *time)));
        let posed: Vec<_> = posed.map(|pose| scene.skeleton.model_space(&pose)).collect();
        std::iter::once(rest).chain(posed).collect::<Vec<_>>()
    };
    let (from, to) = (poses(source, clips.map(|(own, _)| own)), poses(result, clips.map(|(_, own)| own)));
    let placed = from.iter().flatten().map(|own| own.translation.abs().max_element());
    let keys = clips.iter().flat_map(|(source, _)| &source.tracks).flat_map(|own| &own.translation);
    let keys = keys.flat_map(Curve::values).map(|own| own.abs().max_element());
    let size = placed.chain(keys).fold(size(source), f32::max);
    let allowed = |pose: usize| size * if pose == 0 { tolerance.position } else { tolerance.posed };
    let at = |pose: usize| if pose == 0 { "bind pose".to_owned() } else { format!("{} s", times[pose - 1]) };
    for (pose, (from, to)) in from.iter().zip(&to).enumerate() {
        for (bone, own) in bones.iter().enumerate() {
            let (a, b) = (Transform::nearest(&from[*own]).0, Transform::nearest(&to[bone]).0);
            let name = &result.skeleton.bones()[bone].name;
            if !a.translation.abs_diff_eq(b.translation, allowed(pose)) {
                return Err(format!(
                    "{}: bone {name:?} at {} instead of {}",
                    at(pose),
                    b.translation,
                    a.translation
                ));
            }
            // A mirrored transform is not unique.
            let is_mirrored = from[*own].matrix3.determinant() <= 0.0;
            if pose == 0
                && tolerance.position.is_finite()
                && !is_mirrored
                && a.rotation.dot(b.rotation).abs() < 1.0 - 1e-4
            {
                return Err(format!(
                    "{}: bone {name:?} turned {} instead of {}",
                    at(pose),
                    b.rotation,
                    a.rotation
                ));
            }
        }
    }
    let (from, to) = (soup(source, &from), soup(result, &to));
    if from.len() != to.len() {
        return Err(format!("{} triangles instead of {}", to.len(), from.len()));
    }
    for (triangle, ((_, from), (_, to))) in from.iter().zip(&to).enumerate() {
        for (from, to) in from.iter().zip(to) {
            for (pose, (from, to)) in from.positions.iter().zip(&to.positions).enumerate() {
                if !from.abs_diff_eq(*to, allowed(pose)) {
                    return Err(format!(
                        "{}: triangle {triangle}: corner at {to} instead of {from}",
                        at(pose)
                    ));
                }
            }
            if let Some((from, to)) =
                from.uvs.iter().zip(&to.uvs).find(|(from, to)| !from.abs_diff_eq(**to, tolerance.uv))
            {
                return Err(format!("triangle {triangle}: UV {to} instead of {from}"));
            }
            if let (Some(from), Some(to)) = (from.normal, to.normal)
                && from != Vec3::ZERO
                && !from.normalize_or(from).abs_diff_eq(to.normalize_or(to), tolerance.normal)
            {
                return Err(format!("triangle {triangle}: normal {to} instead of {from}"));
            }
        }
    }
    Ok(())
}

/// Asserts that what triangles have beside positions is there, unless it is among the losses.
pub fn compare_attributes(
    source: &Scene,
    result: &Scene,
    losses: &[&Loss],
    tolerance: Tolerance,
) -> Result<(), String> {
    let rest = |scene: &Scene| soup(scene, &[scene.skeleton.model_space(&scene.skeleton.bind_pose())]);
    let (from, to) = (rest(source), rest(result));
    let is_lost = |row: Lost| losses.iter().any(|loss| loss.lost == row);
    let longest = from.iter().flat_map(|(_, corners)| corners).filter_map(|own| own.shape);
    let near = tolerance.position * longest.map(|own| own.abs().max_element()).fold(size(source), f32::max);
    for (triangle, ((own, from), (other, to))) in from.iter().zip(&to).enumerate() {
        for (from, to) in from.iter().zip(to) {
            if to.uvs.len() < from.uvs.len() && !is_lost(Lost::TexCoordSets) {
                return Err(format!("triangle {triangle}: UV sets {:?} instead of {:?}", to.uvs, from.uvs));
            }
            let opacity = if is_lost(Lost::VertexOpacities) { Vec4::ONE - Vec4::W } else { Vec4::ONE };
            let same_color =
                |own: Vec4| to.color.is_some_and(|to| (opacity * own).abs_diff_eq(opacity * to, 2e-3));
            if from.color.is_some_and(|own| !same_color(own)) && !is_lost(Lost::VertexColors) {
                return Err(format!(
                    "triangle {triangle}: colour {:?} instead of {:?}",
                    to.color, from.color
                ));
            }
            // A target without a shape is none.
            let same_shape = |own: Vec3| to.shape.unwrap_or(to.positions[0]).abs_diff_eq(own, near);
            if from.shape.is_some_and(|own| !same_shape(own)) && !is_lost(Lost::Morphs) {
                return Err(format!("triangle {triangle}: shape {:?} instead of {:?}", to.shape, from.shape));
            }
        }
        if let (Some(own), Some(other)) = (own, other) {
            compare_materials(&source.materials[*own], &result.materials[*other], losses)?;
        }
    }
    Ok(())
}

/// Compares materials, unless a loss is about them.
fn compare_materials(own: &Material, other: &Material, losses: &[&Loss]) -> Result<(), String> {
    let is_subject = |loss: &&Loss| {
        loss.subjects.iter().any(|subject| subject.kind == "material" && subject.name == own.name)
    };
    if losses.iter().any(is_subject) {
        return Ok(());
    }
    let numbers =
        |of: &Material| [&of.color[..], &of.emissive, &of.ambient, &of.specular, &[of.shininess]].concat();
    let near = |(a, b): (&f32, &f32)| (a - b).abs() < 2e-3;
    let kinds = |of: &Material| (of.alpha, of.double_sided, of.unlit, of.textures.len());
    if numbers(own).iter().zip(&numbers(other)).all(near) && kinds(own) == kinds(other) {
        return Ok(());
    }
    Err(format!("material {other:?} instead of {own:?}"))
}

/// Compares where attachments are in the bind pose, and their rotations if nothing is scaled.
pub fn compare_attachments(source: &Scene, result: &Scene, tolerance: Tolerance) -> Result<(), String> {
    let placed = |scene: &Scene| -> Vec<Transform> {
        let bones = scene.skeleton.model_space(&scene.skeleton.bind_pose());
        let place = |own: &Attachment| {
            let above = own.bone.map_or(Affine3A::IDENTITY, |bone| bones[bone]);
            Transform::nearest(&(above * own.place.matrix())).0
        };
        scene.attachments.iter().map(place).collect()
    };
    let (from, to) = (placed(source), placed(result));
    if from.len() != to.len() {
        return Err(format!("{} attachments instead of {}", to.len(), from.len()));
    }
    let scaled = source.skeleton.bones().iter().any(|bone| bone.bind.scale != Vec3::ONE);
    let near =
        tolerance.position * from.iter().map(|own| own.translation.length()).fold(size(source), f32::max);
    for (a, b) in from.iter().zip(&to) {
        let is_turned = !scaled && a.rotation.dot(b.rotation).abs() < 1.0 - 1e-4;
        if is_turned || !a.translation.abs_diff_eq(b.translation, near) {
            return Err(format!("attachment at {b:?} instead of {a:?}"));
        }
    }
    Ok(())
}
