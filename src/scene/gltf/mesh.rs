//! Converts meshes, skins, morph targets and materials.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use glam::{Vec2, Vec3, Vec4};
use gltf_json::material::{
    AlphaMode, EmissiveFactor, PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor,
};
use gltf_json::mesh::{Mode, MorphTarget, Primitive, Semantic};
use gltf_json::validation::Checked::{self, Valid};
use gltf_json::{self as json, Accessor, Index, Node};

use super::buffer::VERTICES;
use super::{
    AMBIENT, BLENDING, Draft, ImageSource, MAX_TARGETS, ROLES, SHININESS, SPECULAR, TEXTURES, extra, extras,
    named,
};
use crate::scene::mesh::is_black;
use crate::scene::{
    Alpha, Lost, Material, Mesh, Scene, TextureRole, Transform, Weights, color, color_bytes, color8,
};

/// The attributes of vertices.
type Attributes = BTreeMap<Checked<Semantic>, Index<Accessor>>;

/// The maximum number of joints that vertices can refer to.
const MAX_JOINTS: usize = 1 << 16;

/// The attribute of colours that are not those of the surface, without the underscore of its name.
pub(super) const HIDDEN_COLORS: &str = "COLOR_0";

/// The tolerance for the length of a direction, for the rounding in files.
const UNIT: f32 = 0.01;

/// Whether glTF lacks a way of blending.
const fn is_special(alpha: Alpha) -> bool {
    matches!(alpha, Alpha::Additive | Alpha::Modulate)
}

/// The roles of textures that glTF has a place for.
const PLACED: [TextureRole; 5] = [
    TextureRole::Color,
    TextureRole::Normal,
    TextureRole::Emission,
    TextureRole::Occlusion,
    TextureRole::MetallicRoughness,
];

/// Puts the textures of these roles in their places.
fn place(material: &mut json::Material, placed: [Option<Index<json::Texture>>; 5]) {
    let info = |index| json::texture::Info { index, tex_coord: 0, extensions: None, extras: None };
    let [color, normal, emission, occlusion, metallic] = placed;
    let is_emissive = Vec3::from(material.emissive_factor.0) != Vec3::ZERO;
    if emission.is_some() && !is_emissive {
        material.emissive_factor = EmissiveFactor([1.0; 3]);
    }
    // glTF does not multiply the emissive colour with the texture of the base colour.
    material.emissive_texture = emission.or(color.filter(|_| is_emissive)).map(info);
    material.normal_texture = normal.map(|index| json::material::NormalTexture {
        index,
        scale: 1.0,
        tex_coord: 0,
        extensions: None,
        extras: None,
    });
    material.occlusion_texture = occlusion.map(|index| json::material::OcclusionTexture {
        index,
        strength: StrengthFactor(1.0),
        tex_coord: 0,
        extensions: None,
        extras: None,
    });
    let surface = &mut material.pbr_metallic_roughness;
    surface.base_color_texture = color.map(info);
    if metallic.is_some() {
        surface.metallic_factor = StrengthFactor(1.0);
    }
    surface.metallic_roughness_texture = metallic.map(info);
}

impl Draft {
    /// Adds the materials, with the images of their textures that glTF has a place for.
    pub fn materials<K: Eq + Hash>(
        &mut self,
        scene: &Scene,
        find: impl Fn(&str) -> Option<K>,
        load: impl Fn(&K) -> Option<ImageSource>,
    ) {
        // A texture requires texture coordinates.
        let full = |mesh: &Mesh| mesh.uvs.iter().any(|uvs| uvs.len() == mesh.positions.len());
        let bare = scene.meshes.iter().filter(|mesh| !full(mesh));
        let bare: HashSet<_> = bare.flat_map(|mesh| &mesh.primitives).map(|own| own.material).collect();
        let mut known = HashMap::new();
        let mut lost = 0;
        for (index, own) in scene.materials.iter().enumerate() {
            let placed = PLACED.map(|role| {
                let first = own.texture(role).filter(|_| !bare.contains(&Some(index)))?;
                let texture = |key: &K| load(key).map(|source| self.texture(source));
                *known.entry(find(&first.path)?).or_insert_with_key(texture)
            });
            lost += own.textures.len() - placed.iter().flatten().count();
            let text = own.name.len() + own.textures.iter().map(|own| own.path.len()).sum::<usize>();
            if !self.admit(1, 2 * text, "materials", &own.name) {
                return;
            }
            let mut material = self.material(own);
            place(&mut material, placed);
            self.root.materials.push(material);
        }
        if scene.materials.iter().any(|own| own.unlit) {
            self.root.extensions_used.push("KHR_materials_unlit".into());
        }
        self.report_losses(lost, Lost::TexturePaths);
        self.report_losses(
            scene.materials.iter().filter(|own| is_special(own.alpha)).count(),
            Lost::Blending,
        );
        self.report_losses(scene.materials.iter().filter(|own| own.is_lit()).count(), Lost::LightColors);
    }

    fn texture(&mut self, source: ImageSource) -> Index<json::Texture> {
        let mut image = json::Image {
            buffer_view: None,
            mime_type: None,
            name: None,
            uri: None,
            extensions: None,
            extras: None,
        };
        match source {
            ImageSource::Uri(uri) => image.uri = Some(uri),
            ImageSource::Embedded(own) if !self.admit(1, own.bytes.len(), "images", &own.path) => {}
            ImageSource::Embedded(own) => {
                image.buffer_view = Some(self.buffer.raw(&own.bytes));
                image.mime_type = Some(json::image::MimeType(own.mime));
                image.name = named(&own.path);
            }
        }
        let source = self.root.push(image);
        self.root.push(json::Texture { name: None, sampler: None, source, extensions: None, extras: None })
    }

    fn material(&mut self, own: &Material) -> json::Material {
        let share = |value: f32| if value.is_nan() { 1.0 } else { value.clamp(0.0, 1.0) };
        let (color, emissive) = (own.color.map(share), own.emissive.map(share));
        let inside = own.color.iter().chain(&own.emissive).all(|share| (0.0..=1.0).contains(share));
        self.replaced.colors += usize::from(!inside);
        json::Material {
            name: named(&own.name),
            alpha_mode: Valid(match own.alpha {
                Alpha::Opaque => AlphaMode::Opaque,
                Alpha::Mask => AlphaMode::Mask,
                Alpha::Blend | Alpha::Additive | Alpha::Modulate => AlphaMode::Blend,
            }),
            double_sided: own.double_sided,
            extensions: own.unlit.then_some(json::extensions::material::Material {
                unlit: Some(json::extensions::material::Unlit {}),
                ..json::extensions::material::Material::default()
            }),
            pbr_metallic_roughness: PbrMetallicRoughness {
                base_color_factor: PbrBaseColorFactor(color),
                metallic_factor: StrengthFactor(0.0),
                ..PbrMetallicRoughness::default()
            },
            emissive_factor: EmissiveFactor(emissive),
            // Paths are unchanged: most refer to image formats that glTF does not support, on the author's disk.
            extras: self.material_extras(own),
            ..json::Material::default()
        }
    }

    /// The properties of a material that glTF has no field for.
    fn material_extras(&mut self, own: &Material) -> json::Extras {
        let paths: Vec<_> = own.textures.iter().map(|texture| texture.path.clone()).collect();
        let roles: Vec<_> = own.textures.iter().map(|texture| texture.role.name()).collect();
        let are_usual =
            own.textures.iter().enumerate().all(|(index, texture)| texture.role == TextureRole::usual(index));
        let textures = (!paths.is_empty()).then(|| (TEXTURES, paths.into()));
        let roles = (!are_usual).then(|| (ROLES, roles.into()));
        let numbers = [(AMBIENT, own.ambient), (SPECULAR, own.specular)]
            .map(|(key, color)| (!is_black(color)).then(|| (key, self.buffer.mend(color).to_vec().into())));
        let shininess =
            (own.shininess != 0.0).then(|| (SHININESS, self.buffer.mend([own.shininess])[0].into()));
        let blending = is_special(own.alpha).then(|| (BLENDING, own.alpha.name().into()));
        extras(
            textures
                .into_iter()
                .chain(roles)
                .chain(blending)
                .chain(numbers.into_iter().flatten())
                .chain(shininess),
        )
    }

    pub fn meshes(&mut self, scene: &Scene) {
        for mesh in &scene.meshes {
            let targets = mesh.morphs.len().saturating_mul(mesh.primitives.len() + 2);
            let objects = (16 + mesh.primitives.len()).saturating_add(targets);
            let deltas: usize = mesh.morphs.iter().map(|morph| morph.deltas.len()).sum();
            let size = expected_size(mesh);
            if !self.admit(objects, size + 32 * deltas, "meshes", &mesh.name) {
                return;
            }
        }
        // Growing a buffer copies it, which needs memory for both.
        self.buffer.bytes.reserve(scene.meshes.iter().map(expected_size).sum());
        for mesh in &scene.meshes {
            let node = self.mesh(mesh, scene.materials.len());
            self.morphed.push(node);
        }
    }

    /// Adds a mesh, and returns its node if it has morph targets.
    fn mesh(&mut self, mesh: &Mesh, num_materials: usize) -> Option<Index<Node>> {
        let num_vertices = mesh.positions.len();
        let there = |corner: &u32| (*corner as usize) < num_vertices;
        let mut attributes = Attributes::new();
        let mut primitives = Vec::new();
        for primitive in &mesh.primitives {
            let valid = primitive.triangles.iter().filter(|triangle| triangle.iter().all(there));
            let triangles: Vec<_> = valid.copied().collect();
            if triangles.is_empty() {
                continue;
            }
            primitives.push(Primitive {
                attributes: Attributes::new(),
                extensions: None,
                extras: named(&primitive.name).and_then(|name| extra("name", name)),
                indices: Some(self.buffer.triangles(&triangles, num_vertices)),
                material: primitive.material.filter(|own| *own < num_materials).map(material_index),
                mode: Valid(Mode::Triangles),
                targets: None,
            });
        }
        if primitives.is_empty() {
            self.report_loss(Lost::MeshWithoutTriangles.of("mesh", &mesh.name));
            return None;
        }
        let has_image = |primitive: &Primitive| {
            let material = primitive.material.and_then(|index| self.root.materials.get(index.value()));
            material.is_some_and(|own| own.pbr_metallic_roughness.base_color_texture.is_some())
        };
        let shows_colors = mesh.shows_colors(primitives.iter().any(has_image));
        self.vertices(mesh, shows_colors, &mut attributes);
        let skin = self.influences(mesh, &mut attributes);
        let targets = self.targets(mesh, primitives.len());
        let morphs = &mesh.morphs[..targets.len()];
        for primitive in &mut primitives {
            primitive.attributes.clone_from(&attributes);
            primitive.targets = (!targets.is_empty()).then(|| targets.clone());
        }
        let names: Vec<_> = morphs.iter().map(|morph| morph.name.clone()).collect();
        let index = self.root.push(json::Mesh {
            extensions: None,
            extras: if names.is_empty() { None } else { extra("targetNames", names) },
            name: named(&mesh.name),
            primitives,
            weights: (!morphs.is_empty()).then(|| vec![0.0; morphs.len()]),
        });
        let node = self.node(&mesh.name, &Transform::IDENTITY);
        let node = self.root.push(Node { mesh: Some(index), skin, ..node });
        match mesh.bone.filter(|bone| skin.is_none() && *bone < self.num_bones) {
            Some(bone) => self.adopt(super::node::node_index(bone), node),
            None => self.tops.push(node),
        }
        Some(node).filter(|_| !targets.is_empty())
    }

    /// Adds the attributes of vertices. Colours that are not those of the surface have a name that viewers ignore.
    fn vertices(&mut self, mesh: &Mesh, shows_colors: bool, attributes: &mut Attributes) {
        let num_vertices = mesh.positions.len();
        let full = |len: usize| len == num_vertices;
        let positions = mesh.positions.iter().map(Vec3::to_array);
        attributes.insert(Valid(Semantic::Positions), self.buffer.floats(positions, VERTICES, true));
        if full(mesh.normals.len()) {
            let normals: Vec<_> =
                mesh.normals.iter().map(|normal| self.direction(*normal).to_array()).collect();
            attributes.insert(Valid(Semantic::Normals), self.buffer.floats(normals, VERTICES, false));
            if full(mesh.tangents.len()) {
                let tangents: Vec<_> =
                    mesh.tangents.iter().map(|own| self.tangent(*own).to_array()).collect();
                attributes.insert(Valid(Semantic::Tangents), self.buffer.floats(tangents, VERTICES, false));
            }
        }
        for (set, uvs) in (0..).zip(mesh.uvs.iter().filter(|uvs| full(uvs.len()))) {
            let uvs = self.buffer.floats(uvs.iter().map(Vec2::to_array), VERTICES, false);
            attributes.insert(Valid(Semantic::TexCoords(set)), uvs);
        }
        if full(mesh.colors.len()) {
            let colors = self.colors(&mesh.colors);
            let shown = || Semantic::Colors(0);
            let hidden = || Semantic::Extras(HIDDEN_COLORS.to_owned());
            attributes.insert(Valid(if shows_colors { shown() } else { hidden() }), colors);
        }
    }

    /// Adds colours, with 8 bits per component if that is exact.
    fn colors(&mut self, colors: &[[f32; 4]]) -> Index<Accessor> {
        let narrow = |color: &[f32; 4]| color_bytes(*color);
        let bits = |color: [f32; 4]| color.map(f32::to_bits);
        if colors.iter().all(|color| bits(color8(narrow(color))) == bits(*color)) {
            return self.buffer.bytes4(colors.iter().map(narrow), true);
        }
        self.buffer.floats(colors.iter().map(|own| color(*own).0), VERTICES, false)
    }

    /// Normalises a direction; one without a length points up.
    fn direction(&mut self, own: Vec3) -> Vec3 {
        let size = own.abs().max_element();
        let unit = Some(own / size).filter(|_| size.is_finite()).and_then(Vec3::try_normalize);
        self.replaced.directions += usize::from(unit.is_none());
        self.replaced.lengths += usize::from(unit.is_some() && (own.length() - 1.0).abs() > UNIT);
        unit.unwrap_or(Vec3::Y)
    }

    /// The bitangents of glTF point to the top of the image, where v is smaller.
    fn tangent(&mut self, own: Vec4) -> Vec4 {
        self.direction(own.truncate()).extend(if own.w < 0.0 { 1.0 } else { -1.0 })
    }

    /// Adds joints and weights in sets of four, as many sets as the vertex with the most influences needs.
    fn influences(&mut self, mesh: &Mesh, attributes: &mut Attributes) -> Option<Index<json::Skin>> {
        let skin = mesh.skin.as_ref().filter(|skin| !skin.joints.is_empty())?;
        if skin.joints.len() >= MAX_JOINTS {
            self.report_loss(Lost::SkinJoints.of("mesh", &mesh.name));
            return None;
        }
        let vertices = 0..mesh.positions.len();
        let still = vertices.clone().any(|vertex| skin.weights.of(vertex).is_empty());
        let last = u16::try_from(skin.joints.len()).unwrap_or(u16::MAX);
        for set in 0..u32::try_from(skin.weights.most().div_ceil(4).max(1)).unwrap_or(1) {
            let four = |vertex| four(&skin.weights, vertex, set as usize, last);
            let joints = vertices.clone().map(|vertex| four(vertex).map(|(joint, _)| joint));
            let joints = if skin.joints.len() < 256 {
                let narrow = |joint: u16| u8::try_from(joint).unwrap_or(0);
                self.buffer.bytes4(joints.map(|joints| joints.map(narrow)), false)
            } else {
                self.buffer.shorts4(joints)
            };
            let weights = vertices.clone().map(|vertex| four(vertex).map(|(_, weight)| weight));
            let weights = self.buffer.floats(weights, VERTICES, false);
            attributes.insert(Valid(Semantic::Joints(set)), joints);
            attributes.insert(Valid(Semantic::Weights(set)), weights);
        }
        Some(self.skin(&skin.joints, still))
    }

    /// Adds all morph targets of a mesh, or none if they are too many.
    fn targets(&mut self, mesh: &Mesh, num_primitives: usize) -> Vec<MorphTarget> {
        let all = self.num_targets.saturating_add(mesh.morphs.len().saturating_mul(num_primitives));
        if all > MAX_TARGETS {
            self.report_loss(Lost::TooManyMorphs.of("mesh", &mesh.name));
            return Vec::new();
        }
        self.num_targets = all;
        self.targets.extend(mesh.morphs.iter().map(|morph| morph.name.clone()));
        let mut targets = Vec::with_capacity(mesh.morphs.len());
        let num_vertices = mesh.positions.len();
        let with_normals = mesh.normals.len() == num_vertices;
        for morph in &mesh.morphs {
            let deltas = || morph.deltas.iter().filter(|delta| (delta.vertex as usize) < num_vertices);
            let positions: Vec<_> = deltas().map(|own| (own.vertex, own.position.to_array())).collect();
            let normals: Vec<_> = deltas().map(|own| (own.vertex, own.normal.to_array())).collect();
            let bent = with_normals && deltas().any(|own| own.normal != Vec3::ZERO);
            targets.push(MorphTarget {
                positions: Some(self.buffer.sparse(num_vertices, &positions)),
                normals: bent.then(|| self.buffer.sparse(num_vertices, &normals)),
                tangents: None,
            });
        }
        targets
    }
}

/// Returns four joints of a vertex with their weights; a vertex without influences uses the extra joint after the last
/// one.
fn four(weights: &Weights, vertex: usize, set: usize, last: u16) -> [(u16, f32); 4] {
    let influences = weights.of(vertex);
    if influences.is_empty() && set == 0 {
        return [(last, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)];
    }
    [0, 1, 2, 3].map(|index| match influences.get(set * 4 + index) {
        Some(influence) => (u16::try_from(influence.joint).unwrap_or(0), influence.weight),
        None => (0, 0.0),
    })
}

fn material_index(index: usize) -> Index<json::Material> {
    Index::new(u32::try_from(index).unwrap_or(u32::MAX))
}

/// About the number of bytes of a mesh without its morph targets: joints have at most 16 bits, everything else 32.
fn expected_size(mesh: &Mesh) -> usize {
    let influences = mesh.skin.as_ref().map_or(0, |skin| skin.weights.most().next_multiple_of(4));
    let of_vertices = mesh.positions.len() * (12 + 12 + 8 * mesh.uvs.len() + 6 * influences);
    of_vertices + 16 * (mesh.tangents.len() + mesh.colors.len()) + 12 * mesh.num_triangles()
}
