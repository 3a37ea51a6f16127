//! Writes meshes: a surface for each primitive.

use glam::{Mat3A, Quat, Vec3, Vec3A, Vec4};

use super::super::super::conventions::SPACE;
use super::super::super::{
    Bounds, CInt, Corners, Geometry, Geometry15, Influence, Lightmap, MS10, Mesh, Mesh14, Mesh15, Name,
    OffsetErrors, PackedGeometry, PackedGeometry15, PackedTree, Reference, SkinnedMesh, SkinnedSurface,
    Surface, Surface14, Surface15, Tangent, Tangent10, Tangents, Target, Target14, TargetName, Transform,
    UnigineMesh, VertexWeights, version,
};
use super::tree::{LEAF, tree};
use super::{MS14, MS15, Rig, SK10, VERSIONS, Versions, names, skeleton_of, stores_bind_pose, transforms};
use crate::scene::author::{
    Attributes, Author, AuthorError, Authored, Authoring, FromScene, Points, SceneContent, compact,
    complete_tangents, split, write_shares,
};
use crate::scene::{self, Morph, Skin, Space};
use crate::schema::Schema;
use crate::wire::{Counted, FixedStr, List, Packed, Rest, SmallList};

const ATTRIBUTES: Attributes = Attributes { uv_sets: 2, colors: true, tangents: true, morphs: true };

const REDUCE: &str = "reduce the mesh, or split it";

/// The largest list whose count fits.
const MOST: usize = i32::MAX as usize;

/// The sum of the weights of a vertex.
const FULL: u32 = 65535;

impl FromScene for UnigineMesh {
    const HOLDS: &'static [SceneContent] = &[SceneContent::Skeleton, SceneContent::Meshes];
    const VERSIONS: &'static [&'static str] = &MESHES;
    // Of the files called `.mesh`, those of ms14 are the newest that can have bones.
    const EXTENSIONS: &'static [(&'static str, &'static str)] = &[("mesh_skinned", SK10), ("mesh", MS14)];

    fn stores_bind_pose(settings: &Authoring) -> bool {
        stores_bind_pose(settings)
    }

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let scene = author.scene();
        let id = version_of(author)?;
        if author.meshes().is_empty() && scene.skeleton.bones().is_empty() {
            return Err(AuthorError::empty("meshes or bones"));
        }
        let rig = Rig::new(&scene.skeleton, author)?;
        let bound = if id == SK10 { author.bind_pose().into_owned() } else { scene.skeleton.clone() };
        let binds = transforms(&bound, author);
        author.report_mesh_names(|mesh, own, name| surface_name(mesh, own, scene) == name);
        let mut meshes = author.bound_in(&bound);
        author.report_unused_vertices(&meshes);
        author.unit_normals(&mut meshes);
        author.keep(&mut meshes, Attributes { morphs: id != MS15, ..ATTRIBUTES });
        let mut parts = Vec::new();
        for mut mesh in meshes {
            author.limit_influences(&mut mesh, &scene.skeleton, 4);
            parts.extend(named_parts(mesh, scene));
        }
        let mut built = Vec::with_capacity(parts.len());
        for mesh in parts {
            built.extend(geometry(mesh, id.as_bytes(), &rig, author)?);
        }
        let fitted = author.fit_names(names("surface"), built.iter().map(|own| &*own.name));
        let bounds = if let [only] = &*built {
            only.bounds.clone()
        } else {
            let base = built.iter().filter_map(|own| own.geometry.targets.first());
            bounds(base.flat_map(|own| &*own.vertices).copied())
        };
        let parts = Parts { rig, bounds, built, names: fitted };
        let file = if id == MS14 {
            parts.packed().map(Self::Mesh14)
        } else if id == MS15 {
            parts.packed_static().map(Self::Mesh15)
        } else if id == SK10 {
            parts.skinned(binds, skeleton_of(author)).map(Self::SkinnedMesh)
        } else {
            Ok(Self::Mesh(parts.plain(id.as_bytes())))
        };
        let file = file.map_err(|_| AuthorError::Unsupported)?;
        Ok(vec![Authored { name: author.name().to_owned(), file }])
    }
}

/// The versions of meshes.
const MESHES: [&str; VERSIONS.len()] = {
    let mut all = [""; VERSIONS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = VERSIONS[at].mesh;
        at += 1;
    }
    all
};

/// Returns the version of the mesh. One without bones is static, unless its version is specified.
fn version_of(author: &mut Author<'_>) -> Result<&'static str, AuthorError> {
    let id = Versions::of(author)?.mesh;
    let bones = author.scene().skeleton.bones().len();
    let is_specified = author.settings().version.as_deref() == Some(SK10);
    let id = if id == SK10 && bones == 0 && !is_specified { MS15 } else { id };
    if id == MS15 {
        author.limit("bones", bones, 0, "remove bones, or write the version sk10")?;
    }
    Ok(id)
}

/// What a mesh consists of.
struct Parts {
    rig: Rig,
    bounds: Bounds,
    built: Vec<Built>,
    /// The names of the surfaces.
    names: Vec<Vec<u8>>,
}

impl Parts {
    /// Returns a mesh of version ms10 to ms13.
    fn plain(self, id: &[u8]) -> Mesh {
        let id: FixedStr<4> = Schema::get(id);
        let version = version(u32::from_le_bytes(id.0));
        let target = |name: &Vec<u8>| TargetName { name: Name::new(name) };
        let surface = |(own, name): (&Built, &Vec<u8>)| Surface {
            name: Name::new(name),
            lightmap: (version >= 12).then(Lightmap::default),
            bounds: own.bounds.clone(),
            targets: own.targets.iter().map(target).collect::<Vec<_>>().into(),
        };
        Mesh {
            id,
            bounds: self.bounds,
            bones: self.rig.bones.into(),
            animation_names: (version < 13).then(Default::default),
            surfaces: self.built.iter().zip(&self.names).map(surface).collect::<Vec<_>>().into(),
            middle_id: id,
            transforms: self.rig.transforms.into(),
            animations: Vec::new().into(),
            geometry: self.built.into_iter().map(|own| own.geometry).collect(),
            tail_id: id,
            rest: Rest::default(),
        }
    }

    /// Returns a mesh of version ms14.
    fn packed(self) -> crate::Result<Mesh14> {
        let id: FixedStr<4> = Schema::get(Mesh14::MAGIC);
        let surface = |(own, name): (&Built, &Vec<u8>)| Surface14 {
            name: Name::new(name),
            lightmap: Lightmap::default(),
            num_coordinate_indices: CInt::default(),
            num_triangle_indices: CInt::default(),
            bounds: own.bounds.clone(),
            targets: own.packed_targets(),
        };
        let mut mesh = Mesh14 {
            id,
            leaf_triangles: CInt::try_from(LEAF).unwrap_or_default(),
            surfaces: self.built.iter().zip(&self.names).map(surface).collect::<Vec<_>>().into(),
            memory: 0,
            middle_id: id,
            geometry: self.built.iter().map(|_| PackedGeometry::blank(None)).collect(),
            trees_id: id,
            trees: self.trees()?,
            offsets_id: id,
            offset_errors: OffsetErrors::default(),
            tail_id: id,
            rest: Rest::default(),
            bounds: self.bounds,
            bones: self.rig.bones.into(),
            transforms: self.rig.transforms.into(),
        };
        for (surface, own) in self.built.into_iter().enumerate() {
            mesh.set_geometry(surface, own.geometry)?;
        }
        let geometry = mesh.geometry.iter().map(|own| own.data.len_unpacked());
        mesh.memory = geometry.chain(mesh.trees.iter().map(|own| own.data.len_unpacked())).sum();
        Ok(mesh)
    }

    /// Returns a mesh of version ms15.
    fn packed_static(self) -> crate::Result<Mesh15> {
        let id: FixedStr<4> = Schema::get(Mesh15::MAGIC);
        let surface = |(own, name): (&Built, &Vec<u8>)| Surface15 {
            name: Name::new(name),
            lightmap: Lightmap::default(),
            num_coordinate_indices: CInt::default(),
            num_triangle_indices: CInt::default(),
            bounds: own.bounds.clone(),
            num_vertices: CInt::default(),
        };
        let mut mesh = Mesh15 {
            id,
            leaf_triangles: CInt::try_from(LEAF).unwrap_or_default(),
            surfaces: self.built.iter().zip(&self.names).map(surface).collect::<Vec<_>>().into(),
            memory: 0,
            middle_id: id,
            geometry: self.built.iter().map(|_| PackedGeometry15::blank(None)).collect(),
            trees_id: id,
            trees: self.trees()?,
            offsets_id: id,
            offset_errors: OffsetErrors::default(),
            tail_id: id,
            rest: Rest::default(),
            bounds: self.bounds,
        };
        for (surface, own) in self.built.into_iter().enumerate() {
            let Geometry { targets, uv0, uv1, colors, coordinate_indices, triangle_indices, .. } =
                own.geometry;
            let geometry = Geometry15 { targets, uv0, uv1, colors, coordinate_indices, triangle_indices };
            mesh.set_geometry(surface, geometry)?;
        }
        let geometry = mesh.geometry.iter().map(|own| own.data.len_unpacked());
        mesh.memory = geometry.chain(mesh.trees.iter().map(|own| own.data.len_unpacked())).sum();
        Ok(mesh)
    }

    /// Returns a mesh of version sk10.
    fn skinned(self, binds: Vec<Transform>, skeleton: Reference) -> crate::Result<SkinnedMesh> {
        let id: FixedStr<4> = Schema::get(SkinnedMesh::MAGIC);
        let surface = |(own, name): (&Built, &Vec<u8>)| SkinnedSurface {
            name: Name::new(name),
            num_coordinate_indices: CInt::default(),
            num_triangle_indices: CInt::default(),
            bounds: own.bounds.clone(),
            targets: own.packed_targets(),
        };
        let mut mesh = SkinnedMesh {
            id,
            leaf_triangles: CInt::try_from(LEAF).unwrap_or_default(),
            bounds: self.bounds,
            bones: self.rig.bones.into(),
            binds: binds.into(),
            rests: self.rig.transforms.into(),
            skeleton,
            surfaces: self.built.iter().zip(&self.names).map(surface).collect::<Vec<_>>().into(),
            memory: 0,
            middle_id: id,
            geometry: self.built.iter().map(|_| PackedGeometry::blank(None)).collect(),
            offsets_id: id,
            offset_errors: OffsetErrors::default(),
            tail_id: id,
            rest: Rest::default(),
        };
        for (surface, own) in self.built.into_iter().enumerate() {
            mesh.set_geometry(surface, own.geometry)?;
        }
        mesh.memory = mesh.geometry.iter().map(|own| own.data.len_unpacked()).sum();
        Ok(mesh)
    }

    fn trees(&self) -> crate::Result<List<PackedTree>> {
        let tree = |own: &Built| {
            let tree = tree(&own.geometry.targets[0].vertices, own.geometry.coordinate_indices.iter());
            Ok(PackedTree { data: Packed::new(&tree, ())? })
        };
        self.built.iter().map(tree).collect()
    }
}

/// Returns a mesh for each primitive, with the name of its surface.
fn named_parts(mesh: scene::Mesh, scene: &scene::Scene) -> Vec<scene::Mesh> {
    let name = |own| surface_name(&mesh, own, scene).to_owned();
    let names: Vec<String> = mesh.primitives.iter().map(name).collect();
    split(mesh).into_iter().zip(names).map(|(part, name)| scene::Mesh { name, ..part }).collect()
}

/// Returns the name of the surface of a primitive: that of its mesh if it is the only one, otherwise its own, or that of its material.
fn surface_name<'m>(
    mesh: &'m scene::Mesh,
    primitive: &'m scene::Primitive,
    scene: &'m scene::Scene,
) -> &'m str {
    let is_single = mesh.primitives.len() == 1;
    let material = primitive.material.and_then(|material| scene.materials.get(material));
    let named = [Some(&primitive.name), material.map(|own| &own.name)].into_iter().flatten();
    let named = named.filter(|name| !is_single && !name.is_empty());
    named.chain([&mesh.name]).next().map_or("", String::as_str)
}

/// A surface and its geometry.
struct Built {
    name: String,
    bounds: Bounds,
    /// The names of the morph targets, that of the base shape first.
    targets: Vec<Vec<u8>>,
    geometry: Geometry,
}

impl Built {
    /// Returns the targets without their counts, which follow from the geometry.
    fn packed_targets(&self) -> Counted<CInt, Target14> {
        let target = |name: &Vec<u8>| Target14 { name: Name::new(name), num_vertices: CInt::default() };
        self.targets.iter().map(target).collect::<Vec<_>>().into()
    }
}

/// Returns a mesh with tangents and without degenerate triangles, and its points.
fn completed(mut mesh: scene::Mesh, author: &mut Author<'_>) -> (scene::Mesh, Points) {
    let num_triangles = mesh.num_triangles();
    let mut places = Points::of_positions(&mesh);
    let mut moving_alike = places.divided_by_movement(&mesh, false);
    author.remove_degenerate(&mut mesh, moving_alike.as_ref().unwrap_or(&places));
    if mesh.num_triangles() < num_triangles {
        mesh = compact(mesh);
        places = Points::of_positions(&mesh);
        moving_alike = places.divided_by_movement(&mesh, false);
    }
    let (mesh, copies) = complete_tangents(mesh, &places);
    let points = moving_alike.unwrap_or(places);
    let points = if let Some(copies) = copies { points.of_copies(&copies) } else { points };
    (mesh, points)
}

/// Returns the surface of a mesh with one primitive; none if it has no triangles. Parts of the mesh are dropped when they are
/// no longer needed.
fn geometry(
    mesh: scene::Mesh,
    id: &[u8],
    rig: &Rig,
    author: &mut Author<'_>,
) -> Result<Option<Built>, AuthorError> {
    let (mut mesh, points) = completed(mesh, author);
    if mesh.num_triangles() == 0 {
        return Ok(None);
    }
    author.limit("vertices", mesh.positions.len(), MOST, REDUCE)?;
    author.limit("corners of triangles", mesh.num_triangles().saturating_mul(3), MOST, REDUCE)?;
    let num_vertices = mesh.positions.len();
    let weights = weights(mesh.skin.take(), &points, rig);
    let space = author.space(SPACE);
    let base = [None].into_iter().chain(mesh.morphs.iter().map(Some));
    let targets: Vec<Target> = base.map(|morph| target(&mesh, morph, &points, id, space)).collect();
    let bounds = bounds(targets[0].vertices.iter().copied());
    let morphs = author.fit_names(names("morph target"), mesh.morphs.iter().map(|own| &*own.name));
    let scene::Mesh { name, mut uvs, colors, mut primitives, .. } = mesh;
    let corners = primitives.pop().map_or_else(Vec::new, |own| own.triangles.into_flattened());
    let points_of_corners = corners.iter().map(|corner| points.of_vertices()[*corner as usize]);
    let coordinate_indices = Corners::collect(points_of_corners, points.first().len()).unwrap_or_default();
    let mut uv = |set: usize| {
        let own = uvs.get_mut(set).map_or_else(Vec::new, std::mem::take);
        own.into_iter().map(|own| own.to_array()).collect::<Vec<_>>().into()
    };
    let geometry = Geometry {
        weights: weights.into(),
        uv0: uv(0),
        uv1: uv(1),
        colors: colors.into_iter().map(scene::color_bytes).collect::<Vec<_>>().into(),
        coordinate_indices,
        triangle_indices: Corners::collect(corners, num_vertices).unwrap_or_default(),
        targets: targets.into(),
    };
    let targets = std::iter::once(Vec::new()).chain(morphs).collect();
    Ok(Some(Built { name, bounds, targets, geometry }))
}

/// Returns the base shape, or a morph target.
fn target(mesh: &scene::Mesh, morph: Option<&Morph>, points: &Points, id: &[u8], space: Space) -> Target {
    // The displacements of all vertices; none of the base shape.
    let mut moved = vec![(Vec3::ZERO, Vec3::ZERO); morph.map_or(0, |_| mesh.positions.len())];
    for own in morph.iter().flat_map(|own| &own.deltas) {
        if let Some(moved) = moved.get_mut(own.vertex as usize) {
            *moved = (own.position, own.normal);
        }
    }
    let delta = |vertex: usize| moved.get(vertex).copied().unwrap_or_default();
    let vertex = |own: &u32| {
        let position = mesh.positions[*own as usize] + delta(*own as usize).0;
        space.point(position.into()).into()
    };
    let axes = Mat3A::from_cols_array_2d(
        &[Vec3::X, Vec3::Y, Vec3::Z].map(|axis| space.direction(axis.into()).into()),
    );
    let bases = mesh.normals.iter().zip(&mesh.tangents).enumerate().map(|(vertex, (normal, tangent))| {
        let normal = (*normal + delta(vertex).1).normalize_or(*normal);
        basis(normal, *tangent, axes)
    });
    let tangents = if id == MS10.to_le_bytes() {
        Tangents::Short(bases.map(Tangent10::from_quaternion).collect::<Vec<_>>().into())
    } else {
        Tangents::Long(bases.map(Tangent::from_quaternion).collect::<Vec<_>>().into())
    };
    Target { vertices: points.first().iter().map(vertex).collect::<Vec<_>>().into(), tangents }
}

/// Returns the quaternion that rotates x to the tangent and z to the normal. The sign of its w is the handedness.
fn basis(normal: Vec3, tangent: Vec4, axes: Mat3A) -> [f32; 4] {
    let normal = (axes * Vec3A::from(normal)).normalize_or(Vec3A::Z);
    let across = (axes * Vec3A::from_vec4(tangent)).reject_from_normalized(normal);
    let across = across.try_normalize().unwrap_or_else(|| normal.any_orthonormal_vector());
    let rotation = Quat::from_mat3a(&Mat3A::from_cols(across, normal.cross(across), normal)).normalize();
    let is_same = rotation.w.is_sign_negative() == (tangent.w < 0.0);
    if is_same { rotation } else { -rotation }.to_array()
}

/// Returns the influences on each point; an empty list if no bone moves any.
fn weights(skin: Option<Skin>, points: &Points, rig: &Rig) -> Vec<VertexWeights> {
    let Some(skin) = skin.filter(|skin| skin.weights.most() > 0) else { return Vec::new() };
    let mut shares = Vec::new();
    let weights = |vertex: &u32| {
        let own = skin.weights.of(*vertex as usize);
        write_shares(own, FULL, &mut shares);
        let shares = own.iter().zip(&shares).filter(|(_, share)| **share > 0);
        let influence = |(own, share): (&scene::Influence, &u32)| Influence {
            bone: rig.place(own.joint as usize),
            weight: u16::try_from(*share).unwrap_or(u16::MAX),
        };
        VertexWeights { influences: SmallList::new(shares.map(influence)).unwrap_or_default() }
    };
    points.first().iter().map(weights).collect()
}

/// Returns the box around points, and the sphere around its centre.
fn bounds(points: impl Iterator<Item = [f32; 3]> + Clone) -> Bounds {
    let Some(around) = crate::codec::Bounds::around(points.clone()) else { return Bounds::EMPTY };
    let (min, max) = (Vec3::from(around.min), Vec3::from(around.max));
    let center = min.midpoint(max);
    let radius =
        points.map(|own| center.distance(own.into())).filter(|own| own.is_finite()).fold(0.0, f32::max);
    Bounds { min: around.min, max: around.max, center: center.into(), radius }
}
