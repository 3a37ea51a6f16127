//! Meshes in model space, bound to the bind pose.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{Affine3A, Vec3};

use super::super::{Delta, Influence, Joint, Mesh, Morph, Primitive, Skeleton, Skin, Weights};
use super::{Author, Points};

/// The tolerance for rounding errors of matrices, relative to the size of a mesh and its skeleton.
const SAME: f32 = 1e-5;

impl Author<'_> {
    /// Returns the meshes in model space, with a joint for every bone of `skeleton`, and reports vertices that move
    /// differently. `skeleton` has the bones of the scene.
    ///
    /// A mesh that is attached to a bone is skinned to it. A mesh whose inverse bind matrices are not those of the bind
    /// pose is deformed to the bind pose.
    pub fn bound(&mut self, skeleton: &Skeleton) -> Vec<Mesh> {
        let own = &self.scene().skeleton;
        let placed = own.model_space(&own.bind_pose());
        let joints: Arc<[Joint]> = joints(skeleton);
        let unbound = self.take_meshes().into_owned();
        let mut meshes = Vec::with_capacity(unbound.len());
        for mut mesh in unbound {
            let what = format!("vertices of mesh {:?}", mesh.name);
            let (mut bound, mixed) = match (mesh.skin.take(), mesh.bone.take()) {
                (None, Some(bone)) if bone < placed.len() => (attached(mesh, bone, &placed, &joints), 0),
                (Some(skin), _) => skinned(mesh, &skin, &placed, &joints),
                _ => (unattached(mesh, &joints), 0),
            };
            let why = "their bones are not in one pose when the mesh is bound; they move differently";
            self.lose_some(mixed, &what, why);
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
            let mut changed = 0;
            for normal in &mut mesh.normals {
                let length = normal.length_squared();
                if (length - 1.0).abs() > UNIT {
                    *normal = normal.normalize_or(Vec3::Y);
                    changed += 1;
                }
            }
            let what = format!("normals of mesh {:?}", mesh.name);
            self.lose_some(changed, &what, "not of unit length; they are normalised");
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
        let what = format!("triangles of mesh {:?}", mesh.name);
        self.lose_some(before - mesh.num_triangles(), &what, "two corners are the same point");
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
fn skinned(mut mesh: Mesh, skin: &Skin, placed: &[Affine3A], joints: &Arc<[Joint]>) -> (Mesh, usize) {
    let palette = skin.palette(placed);
    let bones = placed.iter().map(|placed| placed.translation.abs().max_element());
    let size = mesh.positions.iter().map(|own| own.abs().max_element()).chain(bones).fold(0.0, f32::max);
    let near = |a: Vec3, b: Vec3| a.abs_diff_eq(b, SAME * size.max(f32::MIN_POSITIVE));
    // The matrix of a vertex that moves, and whether its joints move it to different places.
    let matrix = |vertex: usize| {
        let own = skin.weights.of(vertex);
        let position = mesh.positions[vertex];
        let mut sum = Affine3A::from_mat3(glam::Mat3::ZERO);
        for influence in own {
            let Some(matrix) = palette.get(influence.joint as usize) else { return (None, false) };
            sum.matrix3 += matrix.matrix3 * influence.weight;
            sum.translation += matrix.translation * influence.weight;
        }
        let moved = sum.transform_point3(position);
        let there = |own: &Influence| near(palette[own.joint as usize].transform_point3(position), moved);
        let is_mixed = !own.iter().all(there);
        let turned = !sum.matrix3.abs_diff_eq(glam::Mat3A::IDENTITY, 1e-4);
        ((!own.is_empty() && (turned || !near(position, moved))).then_some(sum), is_mixed)
    };
    let (mut mixed, mut is_moved) = (0, false);
    for (matrix, is_mixed) in (0..mesh.positions.len()).map(matrix) {
        mixed += usize::from(is_mixed);
        is_moved |= matrix.is_some();
    }
    let bones = |vertex: usize| {
        let bone = |own: &Influence| {
            let joint = u32::try_from(skin.joints.get(own.joint as usize)?.bone).ok()?;
            ((joint as usize) < joints.len()).then_some(Influence { joint, ..*own })
        };
        skin.weights.of(vertex).iter().filter_map(bone)
    };
    let weights = Weights::from_influences((0..mesh.positions.len()).map(bones));
    if is_moved {
        let matrices: Vec<_> = (0..mesh.positions.len()).map(|vertex| matrix(vertex).0).collect();
        transform(&mut mesh, |vertex| matrices[vertex]);
    }
    mesh.skin = Some(Skin { joints: Arc::clone(joints), weights });
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
/// are one. All meshes have the same joints, as those of [`Author::bound`].
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
    let mut targets: HashMap<String, usize> = HashMap::new();
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
            triangles: own.triangles.iter().map(|corners| corners.map(|corner| corner + first)).collect(),
            ..own.clone()
        }));
        let mut own = Vec::new();
        for morph in &mesh.morphs {
            let next = merged.morphs.len();
            let index = *targets.entry(morph.name.clone()).or_insert(next);
            if index == next {
                merged.morphs.push(Morph { name: morph.name.clone(), deltas: Vec::new() });
            }
            let deltas = morph.deltas.iter().map(|own| Delta { vertex: own.vertex + first, ..*own });
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
pub fn compact(mesh: Mesh) -> Mesh {
    let mut is_used = vec![false; mesh.positions.len()];
    for vertex in mesh.primitives.iter().flat_map(|own| own.triangles.iter().flatten()) {
        if let Some(is_used) = is_used.get_mut(*vertex as usize) {
            *is_used = true;
        }
    }
    if is_used.iter().all(|is_used| *is_used) {
        return mesh;
    }
    let all = Primitive {
        triangles: mesh.primitives.iter().flat_map(|own| own.triangles.iter().copied()).collect(),
        ..Primitive::default()
    };
    let mut whole = part(&mesh, &all);
    let mut triangles = std::mem::take(&mut whole.primitives[0].triangles).into_iter();
    let primitive = |own: &Primitive| Primitive {
        triangles: triangles.by_ref().take(own.triangles.len()).collect(),
        ..own.clone()
    };
    whole.primitives = mesh.primitives.iter().map(primitive).collect();
    whole
}

/// Returns a mesh for each primitive, with the vertices that its triangles use, in the same order.
#[must_use]
pub fn split(mesh: Mesh) -> Vec<Mesh> {
    if mesh.primitives.len() == 1 {
        return vec![compact(mesh)];
    }
    mesh.primitives.iter().map(|primitive| part(&mesh, primitive)).collect()
}

fn part(mesh: &Mesh, primitive: &Primitive) -> Mesh {
    let mut used: Vec<u32> = primitive.triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let place = |vertex: &u32| used.binary_search(vertex).ok().and_then(|at| u32::try_from(at).ok());
    let triangle = |corners: &[u32; 3]| Some([place(&corners[0])?, place(&corners[1])?, place(&corners[2])?]);
    let triangles = primitive.triangles.iter().filter_map(triangle).collect();
    let delta = |own: &Delta| Some(Delta { vertex: place(&own.vertex)?, ..*own });
    let morph =
        |own: &Morph| Morph { name: own.name.clone(), deltas: own.deltas.iter().filter_map(delta).collect() };
    Mesh {
        name: mesh.name.clone(),
        bone: mesh.bone,
        positions: pick(&mesh.positions, &used),
        normals: pick(&mesh.normals, &used),
        tangents: pick(&mesh.tangents, &used),
        uvs: mesh.uvs.iter().map(|set| pick(set, &used)).collect(),
        colors: pick(&mesh.colors, &used),
        primitives: vec![Primitive { triangles, ..primitive.clone() }],
        skin: mesh
            .skin
            .as_ref()
            .map(|skin| Skin { joints: Arc::clone(&skin.joints), weights: skin.weights.spread(&used) }),
        morphs: mesh.morphs.iter().map(morph).collect(),
    }
}

pub(super) fn pick<T: Copy>(list: &[T], vertices: &[u32]) -> Vec<T> {
    vertices.iter().filter_map(|vertex| list.get(*vertex as usize).copied()).collect()
}
