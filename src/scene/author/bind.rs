//! Meshes in model space, bound to the bind pose.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{Affine3A, Mat3, Mat3A, Vec3};

use super::super::{Delta, Influence, Joint, Lost, Mesh, Morph, Primitive, Skeleton, Skin, Weights};
use super::{Author, Points};

/// The tolerance for rounding errors of matrices, relative to the size of a mesh and its skeleton.
const SAME: f32 = 1e-5;

/// The tolerance for matrices and sums of weights with which vertices surely stay within that of their places.
const STILL: f32 = SAME / 16.0;

impl Author<'_> {
    /// Returns the meshes in model space, with a joint for every bone of `skeleton`, and reports vertices that move
    /// differently. `skeleton` has the bones of the scene.
    ///
    /// A mesh that is attached to a bone is skinned to it. A mesh whose inverse bind matrices are not those of the bind
    /// pose is deformed to the bind pose.
    pub fn bound(&mut self, skeleton: &Skeleton) -> Vec<Mesh> {
        let own = &self.scene().skeleton;
        self.bound_at(&own.model_space(&own.bind_pose()), skeleton)
    }

    /// As [`bound`](Self::bound), in the bind pose of `skeleton` instead of that of the scene.
    pub(crate) fn bound_in(&mut self, skeleton: &Skeleton) -> Vec<Mesh> {
        self.bound_at(&skeleton.model_space(&skeleton.bind_pose()), skeleton)
    }

    fn bound_at(&mut self, placed: &[Affine3A], skeleton: &Skeleton) -> Vec<Mesh> {
        let joints: Arc<[Joint]> = joints(skeleton);
        let unbound = self.take_meshes().into_owned();
        let mut meshes = Vec::with_capacity(unbound.len());
        for mut mesh in unbound {
            let (mut bound, mixed) = match (mesh.skin.take(), mesh.bone.take()) {
                (None, Some(bone)) if bone < placed.len() => (attached(mesh, bone, placed, &joints), 0),
                (Some(skin), _) => skinned(mesh, skin, placed, &joints),
                _ => (unattached(mesh, &joints), 0),
            };
            self.report_losses(mixed, Lost::MixedBinding.of("mesh", &bound.name));
            // The product of large numbers may not be finite.
            self.finite(&mut bound);
            meshes.push(bound);
        }
        meshes
    }

    /// Adds normals to meshes without, and gives all of them unit length.
    pub fn unit_normals(&mut self, meshes: &mut [Mesh]) {
        for mesh in meshes {
            if mesh.normals.len() != mesh.positions.len() {
                let points = Points::of_positions(mesh);
                mesh.smooth(points.of_vertices());
                continue;
            }
            let mended = mesh.replace_invalid_normals();
            self.report_losses(mended, Lost::NormalsWithoutDirection.of("mesh", &mesh.name));
            let mut changed = 0;
            for normal in &mut mesh.normals {
                let length = normal.length_squared();
                if (length - 1.0).abs() > UNIT {
                    *normal = normal.normalize_or(Vec3::Y);
                    changed += 1;
                }
            }
            self.report_losses(changed, Lost::NormalsNotUnit.of("mesh", &mesh.name));
        }
    }

    /// Removes triangles with two corners at the same point, which formats with shared points do not store.
    pub fn remove_degenerate(&mut self, mesh: &mut Mesh, points: &Points) {
        let before = mesh.num_triangles();
        let point = |vertex: u32| points.of_vertices().get(vertex as usize);
        for primitive in &mut mesh.primitives {
            primitive.triangles.retain(|triangle| {
                let [a, b, c] = triangle.map(point);
                a != b && b != c && c != a
            });
        }
        self.report_losses(before - mesh.num_triangles(), Lost::DegenerateTriangles.of("mesh", &mesh.name));
        let is_single = mesh.primitives.len() == 1;
        for own in mesh.primitives.iter().filter(|own| own.triangles.is_empty()) {
            let (kind, name) = if is_single { ("mesh", &mesh.name) } else { ("group", &own.name) };
            self.report_loss(Lost::MeshWithoutTriangles.of(kind, name));
        }
    }
}

/// The tolerance for the squared length of normals.
const UNIT: f32 = 1e-3;

/// A joint for every bone, bound in the bind pose.
fn joints(skeleton: &Skeleton) -> Arc<[Joint]> {
    let placed = skeleton.model_space(&skeleton.bind_pose());
    let joint = |(bone, placed): (usize, &Affine3A)| Joint { bone, inverse_bind: placed.inverse() };
    placed.iter().enumerate().map(joint).collect()
}

fn unattached(mesh: Mesh, joints: &Arc<[Joint]>) -> Mesh {
    let weights = Weights::from_influences(mesh.positions.iter().map(|_| []));
    let skin = (!joints.is_empty()).then(|| Skin { joints: Arc::clone(joints), weights });
    Mesh { skin, ..mesh }
}

fn attached(mut mesh: Mesh, bone: usize, placed: &[Affine3A], joints: &Arc<[Joint]>) -> Mesh {
    let joint = u32::try_from(bone).unwrap_or(u32::MAX);
    let weights = mesh.positions.iter().map(|_| [Influence { joint, weight: 1.0 }]);
    mesh.skin = Some(Skin { joints: Arc::clone(joints), weights: Weights::from_influences(weights) });
    let place = placed[bone];
    if place == Affine3A::IDENTITY {
        return mesh;
    }
    transform(&mut mesh, |_| Some(place));
    // Mirroring reverses the order of corners.
    if place.matrix3.determinant() < 0.0 {
        mesh.flip();
        mesh.tangents.iter_mut().for_each(|tangent| tangent.w = -tangent.w);
    }
    mesh
}

/// Returns a mesh in the bind pose, and the number of vertices whose joints move them to different places there.
fn skinned(mut mesh: Mesh, mut skin: Skin, placed: &[Affine3A], joints: &Arc<[Joint]>) -> (Mesh, usize) {
    let palette = skin.palette(placed);
    let bones = placed.iter().map(|placed| placed.translation.abs().max_element());
    let size = mesh.positions.iter().map(|own| own.abs().max_element()).chain(bones).fold(0.0, f32::max);
    let near = |a: Vec3, b: Vec3| a.abs_diff_eq(b, SAME * size.max(f32::MIN_POSITIVE));
    // Joints that surely move no vertex.
    let is_still = |own: &Affine3A| {
        own.matrix3.abs_diff_eq(Mat3A::IDENTITY, STILL) && own.translation.abs().max_element() < STILL * size
    };
    let still: Vec<bool> = palette.iter().map(is_still).collect();
    // The matrix of a vertex that moves, and whether its joints move it to different places.
    let matrix = |vertex: usize| {
        let own = skin.weights.of(vertex);
        let weight: f32 = own.iter().map(|own| own.weight).sum();
        let is_still = |own: &Influence| still.get(own.joint as usize).is_some_and(|still| *still);
        if own.is_empty() || (weight - 1.0).abs() < STILL && own.iter().all(is_still) {
            return (None, false);
        }
        let position = mesh.positions[vertex];
        let mut sum = Affine3A::from_mat3(Mat3::ZERO);
        for influence in own {
            let Some(matrix) = palette.get(influence.joint as usize) else { return (None, false) };
            sum.matrix3 += matrix.matrix3 * influence.weight;
            sum.translation += matrix.translation * influence.weight;
        }
        let moved = sum.transform_point3(position);
        let there = |own: &Influence| near(palette[own.joint as usize].transform_point3(position), moved);
        let is_mixed = !own.iter().all(there);
        let turned = !sum.matrix3.abs_diff_eq(Mat3A::IDENTITY, 1e-4);
        ((turned || !near(position, moved)).then_some(sum), is_mixed)
    };
    let (mut mixed, mut is_moved) = (0, false);
    for (matrix, is_mixed) in (0..mesh.positions.len()).map(matrix) {
        mixed += usize::from(is_mixed);
        is_moved |= matrix.is_some();
    }
    if is_moved {
        let matrices: Vec<_> = (0..mesh.positions.len()).map(|vertex| matrix(vertex).0).collect();
        transform(&mut mesh, |vertex| matrices[vertex]);
    }
    let bone = |joint: u32| {
        let bone = skin.joints.get(joint as usize)?.bone;
        u32::try_from(bone).ok().filter(|_| bone < joints.len())
    };
    skin.weights.map_joints(bone);
    skin.joints = Arc::clone(joints);
    mesh.skin = Some(skin);
    (mesh, mixed)
}

/// Transforms all vertex data of a mesh.
fn transform(mesh: &mut Mesh, matrix: impl Fn(usize) -> Option<Affine3A>) {
    let direction = |matrix: Affine3A, own: Vec3| (matrix.matrix3 * own).normalize_or(own);
    for (vertex, own) in mesh.positions.iter_mut().enumerate() {
        *own = matrix(vertex).map_or(*own, |matrix| matrix.transform_point3(*own));
    }
    for (vertex, own) in mesh.normals.iter_mut().enumerate() {
        let Some(matrix) = matrix(vertex) else { continue };
        let across = Affine3A { matrix3: matrix.matrix3.inverse().transpose(), ..matrix };
        *own = if across.is_finite() { direction(across, *own) } else { *own };
    }
    for (vertex, own) in mesh.tangents.iter_mut().enumerate() {
        let along = matrix(vertex).map(|matrix| direction(matrix, own.truncate()));
        *own = along.map_or(*own, |along| along.extend(own.w));
    }
    for delta in mesh.morphs.iter_mut().flat_map(|morph| &mut morph.deltas) {
        if let Some(matrix) = matrix(delta.vertex as usize) {
            delta.position = matrix.matrix3 * delta.position;
            delta.normal = matrix.matrix3 * delta.normal;
        }
    }
}

/// Returns all meshes as one, and for each mesh the index of its morph targets in the result. Targets of the same name
/// in different meshes are one. All meshes have the same joints, as those of [`Author::bound`].
#[must_use]
pub fn merge(mut meshes: Vec<Mesh>) -> (Mesh, Vec<Vec<usize>>) {
    if let [mesh] = &mut *meshes
        && mesh.morphs.is_empty()
    {
        let mut mesh = std::mem::take(mesh);
        for primitive in mesh.primitives.iter_mut().filter(|own| own.name.is_empty()) {
            primitive.name.clone_from(&mesh.name);
        }
        return (mesh, vec![Vec::new()]);
    }
    let mut merged =
        Mesh { name: meshes.first().map_or_else(String::new, |mesh| mesh.name.clone()), ..Mesh::default() };
    let uv_sets = meshes.iter().map(|mesh| mesh.uvs.len()).max().unwrap_or(0);
    merged.uvs = vec![Vec::new(); uv_sets];
    let has_colors = meshes.iter().any(|mesh| !mesh.colors.is_empty());
    let has_tangents = meshes.iter().any(|mesh| !mesh.tangents.is_empty());
    let mut targets: HashMap<(String, usize), usize> = HashMap::new();
    let mut places = Vec::new();
    for mesh in &meshes {
        let len = mesh.positions.len();
        let first = u32::try_from(merged.positions.len()).unwrap_or(u32::MAX);
        merged.positions.extend_from_slice(&mesh.positions);
        merged.normals.extend_from_slice(&mesh.normals);
        for (set, all) in merged.uvs.iter_mut().enumerate() {
            fill(all, mesh.uvs.get(set).map_or(&[], Vec::as_slice), len, glam::Vec2::ZERO);
        }
        if has_colors {
            fill(&mut merged.colors, &mesh.colors, len, [1.0; 4]);
        }
        if has_tangents {
            fill(&mut merged.tangents, &mesh.tangents, len, Vec3::X.extend(1.0));
        }
        merged.primitives.extend(mesh.primitives.iter().map(|own| Primitive {
            name: if own.name.is_empty() { mesh.name.clone() } else { own.name.clone() },
            triangles:
                own.triangles.iter().map(|corners| corners.map(|own| own.saturating_add(first))).collect(),
            ..own.clone()
        }));
        let mut own = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for morph in &mesh.morphs {
            let next = merged.morphs.len();
            // A mesh can have several targets of one name.
            let number = known.entry(&morph.name).or_default();
            let index = *targets.entry((morph.name.clone(), *number)).or_insert(next);
            *number += 1;
            if index == next {
                merged.morphs.push(Morph { name: morph.name.clone(), deltas: Vec::new() });
            }
            let deltas =
                morph.deltas.iter().map(|own| Delta { vertex: own.vertex.saturating_add(first), ..*own });
            merged.morphs[index].deltas.extend(deltas);
            own.push(index);
        }
        places.push(own);
    }
    for morph in &mut merged.morphs {
        *morph = Morph::new(std::mem::take(&mut morph.name), std::mem::take(&mut morph.deltas));
    }
    if let Some(skin) = meshes.iter().find_map(|mesh| mesh.skin.as_ref()) {
        let weights = meshes.iter().flat_map(|mesh| {
            let of = |vertex| mesh.skin.as_ref().map_or(&[][..], |skin| skin.weights.of(vertex));
            (0..mesh.positions.len()).map(move |vertex| of(vertex).iter().copied())
        });
        merged.skin =
            Some(Skin { joints: Arc::clone(&skin.joints), weights: Weights::from_influences(weights) });
    }
    (merged, places)
}

/// Appends a list of vertex data, or defaults if the mesh has none.
fn fill<T: Copy>(all: &mut Vec<T>, own: &[T], len: usize, default: T) {
    if own.len() == len {
        all.extend_from_slice(own);
    } else {
        all.resize(all.len() + len, default);
    }
}

/// Returns a mesh without the vertices that no triangle uses.
#[must_use]
pub fn compact(mut mesh: Mesh) -> Mesh {
    let is_used = mesh.used_vertices();
    if is_used.iter().all(|is_used| *is_used) {
        return mesh;
    }
    let used: Vec<u32> =
        (0..).zip(is_used).filter_map(|(vertex, is_used)| is_used.then_some(vertex)).collect();
    let mut places = vec![u32::MAX; mesh.positions.len()];
    for (place, vertex) in (0..).zip(&used) {
        places[*vertex as usize] = place;
    }
    for vertex in mesh.primitives.iter_mut().flat_map(|own| own.triangles.as_flattened_mut()) {
        *vertex = places.get(*vertex as usize).copied().unwrap_or(u32::MAX);
    }
    spread(&mut mesh, &used);
    mesh
}

/// Returns a mesh for each primitive, with the vertices that its triangles use, in the same order.
#[must_use]
pub fn split(mesh: Mesh) -> Vec<Mesh> {
    if mesh.primitives.len() == 1 {
        return vec![compact(mesh)];
    }
    let mut places = vec![u32::MAX; mesh.positions.len()];
    mesh.primitives.iter().map(|primitive| part(&mesh, primitive, &mut places)).collect()
}

/// Returns the part of a mesh that consists of a primitive. `places` has [`u32::MAX`] for each vertex, before and after.
fn part(mesh: &Mesh, primitive: &Primitive, places: &mut [u32]) -> Mesh {
    let mut used = Vec::new();
    for vertex in primitive.triangles.as_flattened() {
        if let Some(place @ &mut u32::MAX) = places.get_mut(*vertex as usize) {
            *place = 0;
            used.push(*vertex);
        }
    }
    used.sort_unstable();
    for (place, vertex) in (0..).zip(&used) {
        places[*vertex as usize] = place;
    }
    let place = |vertex: &u32| places.get(*vertex as usize).copied().filter(|place| *place != u32::MAX);
    let triangle = |corners: &[u32; 3]| Some([place(&corners[0])?, place(&corners[1])?, place(&corners[2])?]);
    let triangles = primitive.triangles.iter().filter_map(triangle).collect();
    let delta = |own: &Delta| Some(Delta { vertex: place(&own.vertex)?, ..*own });
    let morph =
        |own: &Morph| Morph { name: own.name.clone(), deltas: own.deltas.iter().filter_map(delta).collect() };
    let morphs = mesh.morphs.iter().map(morph).collect();
    for vertex in &used {
        places[*vertex as usize] = u32::MAX;
    }
    let spread = |skin: &Skin| Skin { joints: Arc::clone(&skin.joints), weights: skin.weights.spread(&used) };
    Mesh {
        name: mesh.name.clone(),
        bone: mesh.bone,
        positions: pick(&mesh.positions, &used),
        normals: pick(&mesh.normals, &used),
        tangents: pick(&mesh.tangents, &used),
        uvs: mesh.uvs.iter().map(|set| pick(set, &used)).collect(),
        colors: pick(&mesh.colors, &used),
        mask_colors: mesh.mask_colors,
        primitives: vec![Primitive { name: primitive.name.clone(), material: primitive.material, triangles }],
        skin: mesh.skin.as_ref().map(spread),
        morphs,
    }
}

/// Replaces the vertices of a mesh by copies of them. Its triangles have the copies already.
pub(crate) fn spread(mesh: &mut Mesh, vertices: &[u32]) {
    if !mesh.morphs.is_empty() {
        // The last copy of each vertex, and for each copy the one before.
        let mut last = vec![None; mesh.positions.len()];
        let mut before = Vec::with_capacity(vertices.len());
        for (copy, vertex) in (0_u32..).zip(vertices) {
            before.push(last[*vertex as usize].replace(copy));
        }
        let delta = |own: &Delta| {
            let (last, own) = (last.get(own.vertex as usize).copied().flatten(), *own);
            let copies = std::iter::successors(last, |copy| before[*copy as usize]);
            copies.map(move |vertex| Delta { vertex, ..own })
        };
        for own in &mut mesh.morphs {
            *own = Morph::new(std::mem::take(&mut own.name), own.deltas.iter().flat_map(delta).collect());
        }
    }
    mesh.positions = pick(&mesh.positions, vertices);
    mesh.normals = pick(&mesh.normals, vertices);
    mesh.tangents = pick(&mesh.tangents, vertices);
    mesh.uvs.iter_mut().for_each(|set| *set = pick(set, vertices));
    mesh.colors = pick(&mesh.colors, vertices);
    if let Some(skin) = &mut mesh.skin {
        skin.weights = skin.weights.spread(vertices);
    }
}

fn pick<T: Copy>(list: &[T], vertices: &[u32]) -> Vec<T> {
    vertices.iter().filter_map(|vertex| list.get(*vertex as usize).copied()).collect()
}
