//! Merges meshes of one skeleton.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::super::conventions::rotation;
use super::super::edit::parents;
use super::super::{
    AuxFlags, Bone, Chunk, ChunkKind, ColorOrder, Corner, Face, Face32, Faces, Material, MorphDelta,
    MorphInfo, PackedWedge, Psk, Records, ShortMaterial, VertexColor, Wedge, Wedges,
};
use super::{only_known, pair, place};
use crate::Result;
use crate::edit::{Entity, Places, Rigid, duplicate, unmatched, unsupported};
use crate::hierarchy::by_name;
use crate::schema::Moves;

/// Appends to the first records of a kind; a file without them gets a chunk.
macro_rules! append {
    ($mesh:expr, $kind:ident, $variant:ident, $added:expr) => {{
        let mut added = $added.into_iter().peekable();
        // A missing chunk stays missing if it would be empty.
        if added.peek().is_some() {
            let blank = Chunk::new(ChunkKind::$kind.id_text(), Records::$variant(Vec::new().into()));
            let at = place(&mut $mesh.chunks, |records| matches!(records, Records::$variant(_)), blank);
            if let Records::$variant(own) = &mut $mesh.chunks[at].records {
                own.extend(added);
            }
        }
    }};
}

impl Psk {
    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        only_known(&other.chunks, Records::is_of_mesh, |records| matches!(records, Records::ExtraUvs(_)))?;
        let bones = self.same_bones(other)?;
        let [points, wedges] = [self.points().len(), self.wedges().len()];
        let all = [points + other.points().len(), wedges + other.wedges().len()];
        if all.iter().any(|len| i32::try_from(*len).is_err()) {
            return Err(unsupported("the result has too many points or wedges"));
        }
        let materials = self.add_materials(other)?;
        let mut other = other.clone();
        let is_wide = matches!(self.faces(), Faces::Wide(_)) || all[1] > Wedge::REACH;
        if is_wide {
            [&mut *self, &mut other].into_iter().for_each(Self::widen);
        }
        Moves::new()
            .followed("point", other.points().len())
            .followed("wedge", other.wedges().len())
            .apply(self)?;
        Moves::new()
            .placed("bone", bones, self.bones().len())
            .placed("material", &materials[..], self.materials().len())
            .appended("point", points)
            .appended("wedge", wedges)
            .apply(&mut other)?;
        self.add_attributes(&other)?;
        self.add_morphs(&other);
        self.add_sockets(&other)?;
        append!(self, WEIGHTS, Weights, other.weights().iter().cloned());
        match other.faces() {
            faces if is_wide => append!(self, FACES_32, Faces32, faces.iter()),
            faces => append!(self, FACES, Faces, faces.iter().map(|face| narrow(&face))),
        }
        self.add_wedges(&other, all[0], &materials);
        append!(self, POINTS, Points, other.points().iter().copied());
        Ok(())
    }

    /// Returns the index of each bone of the other mesh.
    fn same_bones(&self, other: &Self) -> Result<Vec<usize>> {
        let pairs = pair(other.bones(), self.bones());
        let lone = || other.bones().iter().zip(&pairs).filter(|(_, pair)| pair.is_none());
        if lone().next().is_some() {
            return Err(unmatched(Entity::Bone, lone().map(|(bone, _)| bone.name.text())));
        }
        let pairs: Vec<_> = pairs.into_iter().flatten().collect();
        let [own, new] = [places(self.bones())?, places(other.bones())?];
        for (index, pair) in pairs.iter().enumerate() {
            if !own.has_same(*pair, &new, index) {
                let name = crate::wire::escape(self.bones()[*pair].name.text());
                return Err(unsupported(&format!("the bone `{name}` has another bind pose in each file")));
            }
        }
        Ok(pairs)
    }

    /// Adds the materials whose names are new, and returns the index of each material of the other mesh.
    fn add_materials(&mut self, other: &Self) -> Result<Vec<usize>> {
        let count = self.materials().len();
        let (mut new, mut indices) = (Vec::new(), Vec::new());
        let mut named = HashMap::new();
        for (index, name) in (0..count).filter_map(|own| Some((own, self.materials().named(own)?.0))) {
            named.entry(name.text().to_vec()).or_insert(index);
        }
        for at in 0..other.materials().len() {
            let material = other.materials().get(at).unwrap_or_default();
            let index = *named.entry(material.name.text().to_vec()).or_insert_with(|| {
                let index = count + new.len();
                let is_own = usize::try_from(material.texture_index) == Ok(at);
                let slot = i32::try_from(index).ok().filter(|_| is_own).unwrap_or(material.texture_index);
                new.push(Material { texture_index: slot, ..material });
                index
            });
            if u8::try_from(index).is_err() {
                return Err(unsupported("faces can refer to 256 materials, and the result has more"));
            }
            indices.push(index);
        }
        if !new.is_empty()
            && self.chunks.iter().any(|chunk| matches!(chunk.records, Records::ShortMaterials(_)))
        {
            append!(self, MATERIALS, ShortMaterials, new.into_iter().map(|full| short(&full)));
        } else {
            append!(self, MATERIALS, Materials, new);
        }
        Ok(indices)
    }

    /// Adds wedges whose indices are those in a mesh of `points` points. The definition states no index of the material, because
    /// that of the faces decides.
    fn add_wedges(&mut self, other: &Self, points: usize, materials: &[usize]) {
        let wedges = match other.wedges() {
            Wedges::Padded { records, .. } => Wedges::Padded { records, num_points: points },
            packed @ Wedges::Packed(_) => packed,
        };
        let wedges = wedges.iter().map(|own| {
            let material = materials.get(usize::from(own.material_index));
            let material = material.and_then(|index| u8::try_from(*index).ok());
            Corner { material_index: material.unwrap_or(own.material_index), ..own }
        });
        if self.chunks.iter().any(|chunk| matches!(chunk.records, Records::PackedWedges(_))) {
            let packed = wedges.map(|Corner { point_index, uv: [u, v], material_index }| PackedWedge {
                point_index,
                u,
                v,
                material_index,
            });
            append!(self, WEDGES, PackedWedges, packed);
            return;
        }
        append!(self, WEDGES, Wedges, wedges.map(|corner| padded(&corner)));
    }

    /// Gives faces the records with wide indices.
    fn widen(&mut self) {
        let Faces::Narrow(_) = self.faces() else { return };
        let all: Vec<_> = self.faces().iter().collect();
        let is_narrow = |chunk: &&mut Chunk| matches!(chunk.records, Records::Faces(_));
        if let Some(chunk) = self.chunks.iter_mut().find(is_narrow) {
            let wide = Chunk::new(ChunkKind::FACES_32.id_text(), Records::Faces32(all.into()));
            *chunk = Chunk { type_flag: chunk.type_flag, ..wide };
        }
    }

    /// Adds what points and wedges have: colours, normals and texture coordinates.
    fn add_attributes(&mut self, other: &Self) -> Result<()> {
        let [own_wedges, wedges] = [self, other].map(|mesh| mesh.wedges().len());
        let fits = |len: usize, all: usize| len == 0 || len == all;
        let whole = |mesh: &Self| {
            let (points, wedges) = (mesh.points().len(), mesh.wedges().len());
            fits(mesh.vertex_colors().len(), wedges)
                && fits(mesh.normals().len(), points)
                && mesh.extra_uvs().all(|uvs| fits(uvs.len(), wedges))
        };
        if !whole(self) || !whole(other) {
            return Err(unsupported(
                "a mesh has another number of colours, normals or coordinates than of wedges or points",
            ));
        }
        let lacks_normals = |mesh: &Self| mesh.normals().is_empty() && !mesh.points().is_empty();
        let has_normals = |mesh: &Self| !mesh.normals().is_empty();
        if has_normals(self) && lacks_normals(other) || has_normals(other) && lacks_normals(self) {
            return Err(unsupported("only one of the files has normals"));
        }
        append!(self, NORMALS, Normals, other.normals().iter().copied());
        if !(self.vertex_colors().is_empty() && other.vertex_colors().is_empty()) {
            let white = VertexColor { bytes: [0xff; 4] };
            let missing = if self.vertex_colors().is_empty() { own_wedges } else { 0 };
            let mut added = vec![white; missing];
            let order = |mesh: &Self| mesh.color_order().unwrap_or_default();
            let turned = if order(self) == order(other) { ColorOrder::Rgba } else { ColorOrder::Bgra };
            added.extend(other.vertex_colors().iter().map(|color| VertexColor { bytes: color.rgba(turned) }));
            added.resize(missing + wedges, white);
            append!(self, VERTEX_COLORS, VertexColors, added);
        }
        let channels: Vec<Vec<_>> = other.extra_uvs().map(<[_]>::to_vec).collect();
        let own = self.extra_uvs().count();
        for channel in own..channels.len() {
            let id = format!("{}{channel}", ChunkKind::EXTRA_UVS.id_text());
            self.chunks.push(Chunk::new(&id, Records::ExtraUvs(vec![[0.0; 2]; own_wedges].into())));
        }
        let mut channels = channels.into_iter();
        for chunk in self.chunks.iter_mut() {
            let Records::ExtraUvs(own) = &mut chunk.records else { continue };
            own.resize(own_wedges, [0.0; 2]);
            own.extend(channels.next().unwrap_or_default());
            own.resize(own_wedges + wedges, [0.0; 2]);
        }
        Ok(())
    }

    /// Adds morph targets; those of the same name become one.
    fn add_morphs(&mut self, other: &Self) {
        if other.morphs().next().is_none() {
            return;
        }
        let mut targets: Vec<(MorphInfo, Vec<MorphDelta>)> =
            self.morphs().map(|(info, deltas)| (info.clone(), deltas.to_vec())).collect();
        let mut named: HashMap<_, _> = HashMap::new();
        for (at, (info, _)) in targets.iter().enumerate() {
            named.entry(info.name.text().to_vec()).or_insert(at);
        }
        for (info, deltas) in other.morphs() {
            let added = deltas.iter().cloned();
            match named.entry(info.name.text().to_vec()) {
                Entry::Occupied(at) => {
                    let (own, all) = &mut targets[*at.get()];
                    all.extend(added);
                    own.num_vertices = own.num_vertices.saturating_add(info.num_vertices);
                }
                Entry::Vacant(at) => {
                    at.insert(targets.len());
                    targets.push((info.clone(), added.collect()));
                }
            }
        }
        let (infos, deltas): (Vec<_>, Vec<_>) = targets.into_iter().unzip();
        for chunk in self.chunks.iter_mut() {
            match &mut chunk.records {
                Records::MorphInfos(own) => own.clear(),
                Records::MorphDeltas(own) => own.clear(),
                _ => {}
            }
        }
        append!(self, MORPH_INFOS, MorphInfos, infos);
        append!(self, MORPH_DELTAS, MorphDeltas, deltas.into_iter().flatten());
    }

    fn add_sockets(&mut self, other: &Self) -> Result<()> {
        let named = by_name(self.sockets().iter().map(|own| own.name.text()));
        let mut new = Vec::new();
        for socket in other.sockets() {
            match named.get(socket.name.text()).map(|at| &self.sockets()[*at]) {
                None => new.push(socket.clone()),
                Some(own) if own == socket => {}
                Some(own) => return Err(duplicate("socket", own.name.text())),
            }
        }
        append!(self, SOCKETS, Sockets, new);
        Ok(())
    }
}

/// Returns the places of bones in model space.
fn places(bones: &[Bone]) -> Result<Places> {
    let parents = parents(bones);
    let local = |(bone, parent): (&Bone, &Option<usize>)| {
        Rigid::new(bone.position, rotation(bone.orientation, parent.is_none()))
    };
    let locals: Vec<_> = bones.iter().zip(&parents).map(local).collect();
    Places::in_model_space(parents, &locals)
}

fn short(full: &Material) -> ShortMaterial {
    let &Material {
        name,
        texture_index,
        poly_flags,
        aux_material,
        lod_bias,
        lod_style,
        aux_flags: AuxFlags { .. },
    } = full;
    ShortMaterial { name, texture_index, poly_flags, aux_material, lod_bias, lod_style }
}

fn padded(&Corner { point_index, uv: [u, v], material_index }: &Corner) -> Wedge {
    #[expect(clippy::cast_possible_truncation, reason = "the halves of the index")]
    let (low, high) = (point_index as u16, (point_index >> 16) as u16);
    Wedge { point_index_low: low, point_index_high: high, u, v, material_index, ..Wedge::default() }
}

/// All wedges of the mesh have indices of 16 bits.
fn narrow(face: &Face32) -> Face {
    let &Face32 { wedge_indices, material_index, aux_material_index, smoothing_groups } = face;
    let wedge_indices = wedge_indices.map(|index| u16::try_from(index).unwrap_or(u16::MAX));
    Face { wedge_indices, material_index, aux_material_index, smoothing_groups }
}
