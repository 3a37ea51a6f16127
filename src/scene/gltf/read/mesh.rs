//! Meshes with their vertices and morph targets.

use std::collections::{BTreeMap, HashMap};

use glam::{Affine2, Vec2, Vec3, Vec4};
use gltf_json::mesh::{Mode, Semantic};
use gltf_json::validation::Checked::{self, Valid};
use gltf_json::{self as json, Accessor, Index};

use super::super::mesh::HIDDEN_COLORS;
use super::node::Nodes;
use super::skin::Joints;
use super::{Reader, extra, field, missing, texts};
use crate::scene::{Delta, Lost, Mesh, Morph, Primitive, Skin};
use crate::{Error, ErrorKind, LimitError, Result};

/// The bytes that a primitive or a morph target counts for, in addition to its data.
const OVERHEAD: u64 = 256;

/// The memory of a corner: its index, and the triangle of a strip that starts there.
const CORNER: u64 = 4 + 12;

/// The meshes of the scene.
pub(super) struct Meshes {
    /// For each node and each morph target of its mesh: the meshes of the scene with that target, and its index there.
    pub targets: Vec<Vec<Vec<(usize, usize)>>>,
    /// For each node the default weights of the morph targets of its mesh, which are applied to it.
    pub applied: Vec<Vec<f32>>,
}

/// The kinds of data of vertices; a mesh of a scene has the same for all vertices.
#[derive(Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is there or not")]
struct Layout {
    normals: bool,
    tangents: bool,
    uvs: u32,
    colors: bool,
    /// Whether the colours can be masks.
    mask_colors: bool,
    morphs: usize,
}

/// The accessors of vertices, and the set of texture coordinates that comes first and the bits of what transforms it.
/// Primitives with the same ones share their vertices.
type Source = (BTreeMap<u8, Vec<usize>>, Vec<[Option<usize>; 2]>, usize, [u32; 6]);

/// Vertices of the same layout.
struct Group {
    layout: Layout,
    mesh: Mesh,
    deltas: Vec<Vec<Delta>>,
    rows: Vec<Row>,
}

/// The index of a vertex and of its joint, and the weight.
type Row = (u32, u32, f32);

/// The index of a joint that does not exist.
const NONE: u32 = u32::MAX;

/// A mesh of a file that is being converted for a node.
struct Draft {
    groups: Vec<Group>,
    /// The group and the first vertex of each list of vertices.
    known: HashMap<Source, (usize, u32)>,
}

impl Reader<'_, '_> {
    /// Adds the meshes of all nodes.
    pub fn meshes(&mut self, nodes: &Nodes) -> Result<Meshes> {
        let skins = self.skins(nodes)?;
        let mut targets = vec![Vec::new(); nodes.len()];
        let mut applied = vec![Vec::new(); nodes.len()];
        for (node, own) in targets.iter_mut().enumerate() {
            if self.root.nodes[node].mesh.is_some() && nodes.is_in_scene(node) {
                (*own, applied[node]) = self.mesh(node, nodes, &skins)?;
            }
            if self.builder.is_full() {
                break;
            }
        }
        Ok(Meshes { targets, applied })
    }

    /// Adds the mesh of a node; returns its morph targets and their default weights.
    #[expect(clippy::type_complexity, reason = "the fields of `Meshes`")]
    fn mesh(
        &mut self,
        node: usize,
        nodes: &Nodes,
        skins: &[Joints],
    ) -> Result<(Vec<Vec<(usize, usize)>>, Vec<f32>)> {
        let own = &self.root.nodes[node];
        let index = own.mesh.map_or(0, |mesh| mesh.value());
        let error = || missing(field("nodes", Some(node), "mesh"), "mesh", index);
        let mesh = self.root.meshes.get(index).ok_or_else(error)?;
        let skin = self.skin_of(skins, node)?;
        let mut draft = Draft { groups: Vec::new(), known: HashMap::new() };
        let mut refused = 0;
        for primitive in &mesh.primitives {
            let read = self.primitive(&mut draft, primitive, skin);
            let taken = read.map_err(|error| {
                if error.path().steps().is_empty() {
                    error.at(field("meshes", Some(index), "primitives"))
                } else {
                    error
                }
            })?;
            refused += usize::from(!taken);
        }
        self.builder.report_losses(refused, Lost::Primitives);
        let name = own.name.as_ref().filter(|name| !name.is_empty()).or(mesh.name.as_ref());
        let weights: &[f32] = own.weights.as_deref().or(mesh.weights.as_deref()).unwrap_or_default();
        let is_shown = weights.iter().any(|weight| *weight != 0.0);
        self.builder.report_losses(usize::from(is_shown), Lost::DefaultWeights);
        self.charge_extras(&mesh.extras)?;
        let names = texts(&mesh.extras, "targetNames").unwrap_or_default();
        let text = name.map_or(0, String::len) + names.iter().map(String::len).sum::<usize>();
        self.data.charge((text as u64).saturating_mul(draft.groups.len() as u64))?;
        let mut targets: Vec<Vec<(usize, usize)>> = Vec::new();
        for group in draft.groups {
            if group.mesh.num_triangles() == 0 {
                self.builder
                    .report_loss(Lost::MeshWithoutTriangles.of("mesh", name.map_or("", String::as_str)));
                continue;
            }
            let place = self.builder.scene().meshes.len();
            targets.resize(targets.len().max(group.layout.morphs), Vec::new());
            for (target, meshes) in targets.iter_mut().enumerate().take(group.layout.morphs) {
                meshes.push((place, target));
            }
            let bone = if skin.is_some() { None } else { nodes.bone(node) };
            let mut finished = self.finish(group, &names, skin);
            finished.apply(weights);
            if finished.normals.is_empty() && !self.is_own() {
                self.data.charge(finished.memory_of_facets())?;
                let corners = finished.primitives.iter().flat_map(Primitive::indices).copied();
                self.builder.report_unused(finished.positions.len(), corners);
                finished.facet();
            }
            self.builder.add_mesh(Mesh { name: name.cloned().unwrap_or_default(), bone, ..finished });
        }
        Ok((targets, weights.to_vec()))
    }

    /// Charges the extras of an object, which are read for each node that uses it.
    fn charge_extras(&self, extras: &json::Extras) -> Result<()> {
        self.data.charge(extras.as_ref().map_or(0, |own| own.get().len()) as u64)
    }

    /// Adds a primitive; returns whether it has triangles.
    fn primitive(
        &mut self,
        draft: &mut Draft,
        own: &json::mesh::Primitive,
        skin: Option<&Joints>,
    ) -> Result<bool> {
        self.data.charge(OVERHEAD)?;
        let Valid(mode @ (Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)) = own.mode else {
            return Ok(false);
        };
        let attribute = |semantic: Semantic| own.attributes.get(&Valid(semantic)).copied();
        let Some(positions) = attribute(Semantic::Positions) else { return Ok(false) };
        let (group, first) = self.vertices(draft, own, positions, skin)?;
        let num_vertices = self.data.count(positions)?;
        let num_corners = own.indices.map_or(Ok(num_vertices), |indices| self.data.count(indices))?;
        self.data.charge(num_corners.saturating_mul(CORNER))?;
        let corners: Vec<u32> = match own.indices {
            Some(indices) => self.data.integers::<1>(indices)?.into_flattened(),
            None => (0..u32::try_from(num_vertices).unwrap_or(u32::MAX)).collect(),
        };
        let mut triangles = triangles(mode, &corners);
        drop(corners);
        let len = triangles.len();
        triangles.retain(|own| own.iter().all(|vertex| u64::from(*vertex) < num_vertices));
        self.builder.report_losses(len - triangles.len(), Lost::Faces);
        triangles.as_flattened_mut().iter_mut().for_each(|vertex| *vertex += first);
        let num_materials = self.root.materials.len();
        let material = own.material.map(|material| material.value());
        self.builder.report_losses(
            usize::from(material.is_some_and(|own| own >= num_materials)),
            Lost::MaterialReferences,
        );
        self.charge_extras(&own.extras)?;
        let name = extra(&own.extras, "name").and_then(|name| Some(name.as_str()?.to_owned()));
        if !triangles.is_empty() {
            draft.groups[group].mesh.primitives.push(Primitive {
                name: name.unwrap_or_default(),
                material: material.filter(|own| *own < num_materials),
                triangles,
            });
        }
        Ok(true)
    }

    /// Reads vertices, unless another primitive has them; returns their group and the first one's index.
    fn vertices(
        &mut self,
        draft: &mut Draft,
        own: &json::mesh::Primitive,
        positions: Index<Accessor>,
        skin: Option<&Joints>,
    ) -> Result<(usize, u32)> {
        let (first_set, matrix) = self.mapping(own.material.map(|material| material.value()));
        let source = source(own, first_set, matrix);
        if let Some(known) = draft.known.get(&source) {
            return Ok(*known);
        }
        let attribute = |semantic: Semantic| own.attributes.get(&Valid(semantic)).copied();
        let sets = |semantic: fn(u32) -> Semantic| (0..).map_while(move |set| attribute(semantic(set)));
        let targets = own.targets.as_deref().unwrap_or_default();
        let uvs: Vec<_> = sets(Semantic::TexCoords).collect();
        let shown = attribute(Semantic::Colors(0));
        let colors = shown.or_else(|| attribute(Semantic::Extras(HIDDEN_COLORS.to_owned())));
        let layout = Layout {
            normals: attribute(Semantic::Normals).is_some(),
            tangents: attribute(Semantic::Tangents).is_some(),
            uvs: u32::try_from(uvs.len()).unwrap_or(u32::MAX),
            colors: colors.is_some(),
            mask_colors: shown.is_none() && colors.is_some(),
            morphs: targets.len(),
        };
        let others = own.attributes.keys().filter(|key| !is_read(key, layout.uvs)).count();
        self.builder.report_losses(others, Lost::OtherAttributes);
        let positions: Vec<Vec3> = self.data.floats::<3>(positions)?.into_iter().map(Vec3::from).collect();
        let count = positions.len();
        let whole = |len: usize, name: &str| {
            let why = format!("{len} values of {name} for {count} vertices");
            if len == count { Ok(()) } else { Err(Error::new(0, ErrorKind::Count(why))) }
        };
        let mut mesh = Mesh { positions, ..Mesh::default() };
        if let Some(normals) = attribute(Semantic::Normals) {
            mesh.normals = self.data.floats::<3>(normals)?.into_iter().map(Vec3::from).collect();
            whole(mesh.normals.len(), "NORMAL")?;
        }
        if let Some(tangents) = attribute(Semantic::Tangents) {
            // The bitangents of glTF point to the top of the image.
            let tangent = |[x, y, z, w]: [f32; 4]| Vec4::new(x, y, z, if w < 0.0 { 1.0 } else { -1.0 });
            mesh.tangents = self.data.floats::<4>(tangents)?.into_iter().map(tangent).collect();
            whole(mesh.tangents.len(), "TANGENT")?;
        }
        for uvs in uvs {
            let uvs: Vec<Vec2> = self.data.floats::<2>(uvs)?.into_iter().map(Vec2::from).collect();
            whole(uvs.len(), "TEXCOORD")?;
            mesh.uvs.push(uvs);
        }
        if let Some(sets) = mesh.uvs.get_mut(..=first_set) {
            sets.rotate_right(1);
            if matrix != Affine2::IDENTITY {
                sets[0].iter_mut().for_each(|uv| *uv = matrix.transform_point2(*uv));
            }
        }
        if let Some(colors) = colors {
            mesh.colors = self.colors(colors)?;
            mesh.mask_colors = layout.mask_colors;
            whole(mesh.colors.len(), "COLOR_0")?;
        }
        let mut rows = Vec::new();
        for (joints, weights) in sets(Semantic::Joints).zip(sets(Semantic::Weights)) {
            let Some(skin) = skin else { break };
            let (joints, weights) = (self.data.integers::<4>(joints)?, self.data.floats::<4>(weights)?);
            whole(joints.len(), "JOINTS")?;
            whole(weights.len(), "WEIGHTS")?;
            self.data.charge(count as u64 * 4 * 24)?;
            rows.extend(influences(skin, &joints, &weights));
        }
        let mut deltas = Vec::with_capacity(targets.len());
        for target in targets {
            self.data.charge(OVERHEAD)?;
            deltas.push(self.target(target, count)?);
        }
        let group = draft.group(layout);
        let first = draft.groups[group].append(mesh, rows, deltas)?;
        draft.known.insert(source, (group, first));
        Ok((group, first))
    }

    fn colors(&mut self, colors: Index<Accessor>) -> Result<Vec<[f32; 4]>> {
        let colors: Vec<[f32; 4]> = if self.data.width(colors)? == 3 {
            let opaque = |[red, green, blue]: [f32; 3]| [red, green, blue, 1.0];
            self.data.floats::<3>(colors)?.into_iter().map(opaque).collect()
        } else {
            self.data.floats::<4>(colors)?
        };
        let clamped: Vec<_> = colors.into_iter().map(super::super::super::color).collect();
        self.builder
            .report_losses(clamped.iter().filter(|(_, inside)| !inside).count(), Lost::ClampedVertexColors);
        Ok(clamped.into_iter().map(|(color, _)| color).collect())
    }

    /// Reads the displacements of a morph target.
    fn target(&mut self, target: &json::mesh::MorphTarget, num_vertices: usize) -> Result<Vec<Delta>> {
        self.builder.report_losses(usize::from(target.tangents.is_some()), Lost::MorphTangents);
        let mut deltas: BTreeMap<u32, Delta> = BTreeMap::new();
        let mut read = |accessor: Option<Index<Accessor>>, set: fn(&mut Delta, Vec3)| {
            let Some(accessor) = accessor else { return Ok(()) };
            if self.data.count(accessor)? != num_vertices as u64 {
                let why = format!("a morph target does not have {num_vertices} vertices");
                return Err(Error::new(0, ErrorKind::Count(why)));
            }
            for (vertex, value) in self.data.deltas(accessor)? {
                set(deltas.entry(vertex).or_insert(Delta { vertex, ..Delta::default() }), value.into());
            }
            Ok(())
        };
        read(target.positions, |delta, value| delta.position = value)?;
        read(target.normals, |delta, value| delta.normal = value)?;
        Ok(deltas.into_values().collect())
    }

    /// Returns the mesh of a group.
    fn finish(&mut self, group: Group, names: &[String], skin: Option<&Joints>) -> Mesh {
        let Group { mut mesh, deltas, rows, .. } = group;
        let name = |index: usize| names.get(index).cloned().unwrap_or_else(|| format!("target_{index}"));
        mesh.morphs =
            deltas.into_iter().enumerate().map(|(index, own)| Morph::new(name(index), own)).collect();
        mesh.skin = skin.map(|skin| {
            let rows =
                rows.into_iter().map(|(vertex, joint, weight)| (vertex as usize, joint as usize, weight));
            let weights = self.builder.weigh(mesh.positions.len(), skin.joints.len(), rows);
            Skin { joints: skin.joints.clone(), weights }
        });
        mesh
    }
}

impl Draft {
    /// Returns the group for vertices of a layout.
    fn group(&mut self, layout: Layout) -> usize {
        self.groups.iter().position(|group| group.layout == layout).unwrap_or_else(|| {
            let deltas = vec![Vec::new(); layout.morphs];
            let uvs = vec![Vec::new(); layout.uvs as usize];
            let mesh = Mesh { uvs, ..Mesh::default() };
            self.groups.push(Group { layout, mesh, deltas, rows: Vec::new() });
            self.groups.len() - 1
        })
    }
}

impl Group {
    /// Adds vertices; returns the index of the first one.
    fn append(&mut self, mesh: Mesh, rows: Vec<Row>, deltas: Vec<Vec<Delta>>) -> Result<u32> {
        let first = self.mesh.positions.len();
        let all = first + mesh.positions.len();
        let limit = |_| {
            let why = LimitError::Length { actual: all as u64, permitted: u32::MAX.into() };
            Error::new(0, ErrorKind::Limit(why))
        };
        u32::try_from(all).map_err(limit)?;
        let start = u32::try_from(first).map_err(limit)?;
        join(&mut self.mesh.positions, mesh.positions);
        join(&mut self.mesh.normals, mesh.normals);
        join(&mut self.mesh.tangents, mesh.tangents);
        join(&mut self.mesh.colors, mesh.colors);
        self.mesh.mask_colors = mesh.mask_colors;
        for (all, own) in self.mesh.uvs.iter_mut().zip(mesh.uvs) {
            join(all, own);
        }
        let rows = rows.into_iter().map(|(vertex, joint, weight)| (vertex + start, joint, weight));
        join(&mut self.rows, rows.collect());
        for (all, own) in self.deltas.iter_mut().zip(deltas) {
            all.extend(own.into_iter().map(|delta| Delta { vertex: delta.vertex + start, ..delta }));
        }
        Ok(start)
    }
}

/// Appends a list, without a copy if it is the first one.
fn join<T>(all: &mut Vec<T>, own: Vec<T>) {
    if all.is_empty() {
        *all = own;
    } else {
        all.extend(own);
    }
}

/// Returns the influences of one set, without empty slots and those of the joint for vertices without influences.
fn influences<'s>(
    skin: &'s Joints,
    joints: &'s [[u32; 4]],
    weights: &'s [[f32; 4]],
) -> impl Iterator<Item = Row> + 's {
    let vertices = (0..).zip(joints.iter().zip(weights));
    vertices.flat_map(move |(vertex, (joints, weights))| {
        let of = move |(joint, weight): (&u32, &f32)| match skin.indices.get(*joint as usize) {
            Some(Some(joint)) => Some((vertex, u32::try_from(*joint).unwrap_or(NONE), *weight)),
            Some(None) => None,
            None => Some((vertex, NONE, *weight)),
        };
        joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0).filter_map(of)
    })
}

/// Returns what determines the vertices of a primitive.
fn source(own: &json::mesh::Primitive, first_set: usize, matrix: Affine2) -> Source {
    let mut attributes: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
    for (semantic, accessor) in &own.attributes {
        let kind = match semantic {
            Valid(Semantic::Positions) => 0,
            Valid(Semantic::Normals) => 1,
            Valid(Semantic::Tangents) => 2,
            Valid(Semantic::Colors(_)) => 3,
            Valid(Semantic::Extras(name)) if name == HIDDEN_COLORS => 7,
            Valid(Semantic::TexCoords(_)) => 4,
            Valid(Semantic::Joints(_)) => 5,
            Valid(Semantic::Weights(_)) => 6,
            _ => continue,
        };
        attributes.entry(kind).or_default().push(accessor.value());
    }
    let targets = own.targets.iter().flatten();
    let targets = targets.map(|own| [own.positions, own.normals].map(|own| own.map(|own| own.value())));
    (attributes, targets.collect(), first_set, matrix.to_cols_array().map(f32::to_bits))
}

fn is_read(semantic: &Checked<Semantic>, uvs: u32) -> bool {
    match semantic {
        Valid(Semantic::TexCoords(set)) => *set < uvs,
        Valid(Semantic::Colors(set)) => *set == 0,
        Valid(Semantic::Extras(name)) => name == HIDDEN_COLORS,
        Checked::Invalid => false,
        Valid(_) => true,
    }
}

/// Returns the triangles of a list of corners.
fn triangles(mode: Mode, corners: &[u32]) -> Vec<[u32; 3]> {
    match mode {
        Mode::TriangleStrip => {
            let turned = |(at, own): (usize, &[u32])| match at % 2 {
                0 => [own[0], own[1], own[2]],
                _ => [own[1], own[0], own[2]],
            };
            corners.windows(3).enumerate().map(turned).collect()
        }
        Mode::TriangleFan => {
            let Some((first, others)) = corners.split_first() else { return Vec::new() };
            others.windows(2).map(|pair| [*first, pair[0], pair[1]]).collect()
        }
        _ => corners.chunks_exact(3).map(|own| [own[0], own[1], own[2]]).collect(),
    }
}
