//! Scenes of several files.

use std::cell::RefCell;
use std::rc::Rc;

use crate::convert::Lost;
use bindpose::codec::Bounds;
use bindpose::scene::gltf::{Gltf, Imported};
use bindpose::scene::{
    self, Attachment, Attribute, Clip, ClipRange, Look, Material, Mesh, Part, Settings, Source, Target,
    Texture, Up,
};
use bindpose::schema::Step;
use bindpose::{Document, FieldPath, FormatSpec};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::error::{js_error, to_js};
use crate::file::BindposeFile;
use crate::gltf::GltfFile;

/// Collects the files of a scene: a mesh, its skeleton, clips and materials, in any order.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct SceneBuilder {
    parts: Vec<(String, Rc<RefCell<Document>>)>,
    imported: Vec<(String, Rc<Imported>)>,
    settings: Settings,
    ranges: Vec<ClipRange>,
}

#[wasm_bindgen]
impl SceneBuilder {
    /// Creates a builder without files.
    #[must_use]
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    pub fn add(&mut self, file: &BindposeFile) {
        self.parts.push(file.shared());
    }

    /// Adds the scene of a glTF file; `name` is the name of the file.
    #[wasm_bindgen(js_name = addGltf)]
    pub fn add_gltf(&mut self, name: String, file: &GltfFile) {
        self.imported.push((name, file.shared()));
    }

    /// Specifies conventions that the files do not: metres per unit, the up axis (`y` or `z`), and frames per second of clips.
    pub fn conventions(&mut self, unit: Option<f32>, up: Option<String>, rate: Option<f32>) {
        let up = up.map(|up| if up == "z" { Up::Z } else { Up::Y });
        self.settings = Settings::default().with_unit(unit).with_up(up).with_rate(rate);
    }

    /// Cuts the only clip into ranges: a line `NAME=FROM-TO` for each, in seconds. They are ignored in scenes that they do not fit.
    pub fn ranges(&mut self, lines: &str) {
        self.ranges = lines.lines().filter_map(|line| line.parse().ok()).collect();
    }

    /// Builds the scene from the current state of the files.
    #[must_use]
    pub fn build(&self) -> Scene {
        let stem = |name: &String| FormatSpec::stem(name.as_ref());
        let files: Vec<_> =
            self.parts.iter().map(|(name, document)| (stem(name), document.borrow())).collect();
        let imported: Vec<_> = self.imported.iter().map(|(name, own)| (stem(name), own)).collect();
        let parts =
            files.iter().map(|(name, document)| Part { name, file: document.file().as_scene_source() });
        let parts = parts.chain(imported.iter().map(|(name, own)| Part { name, file: &own.scene }));
        let mut scene = scene::Scene::of(&parts.collect::<Vec<_>>(), &self.settings);
        // The page may show other files than those that the ranges were given for.
        let _ = scene.cut_clip(&self.ranges);
        let gltf = Gltf::new(&scene);
        Scene { scene, gltf }
    }
}

/// A skeleton, its meshes, materials and clips, in metres, right-handed with Y up.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Scene {
    pub(crate) scene: scene::Scene,
    gltf: Gltf,
}

#[wasm_bindgen]
impl Scene {
    /// Returns the bytes of a `.glb` file without images. Its first nodes are the bones, in their order.
    ///
    /// # Errors
    /// If the file exceeds the limit of the container.
    pub fn glb(&self) -> Result<Vec<u8>, JsValue> {
        self.gltf.to_glb().map_err(|error| js_error(&error))
    }

    /// Returns bones, meshes, materials, clips, bounds and losses.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "SceneSummary")]
    pub fn summary(&self) -> Result<JsValue, JsValue> {
        let scene = &self.scene;
        let bones = scene.skeleton.bones().iter();
        to_js(&Summary {
            bones: bones.map(|bone| Bone { name: &bone.name, parent: bone.parent }).collect(),
            attachments: scene.attachments.iter().map(AttachmentLine::from).collect(),
            meshes: scene.meshes.iter().map(MeshLine::from).collect(),
            materials: scene.materials.iter().map(MaterialLine::from).collect(),
            clips: scene.clips.iter().map(ClipLine::from).collect(),
            bounds: scene.bounds(),
            plain: Look::of(None, false).into(),
            losses: scene.losses.iter().chain(self.gltf.losses()).map(Lost::from).collect(),
        })
    }
}

#[wasm_bindgen]
impl Scene {
    /// Returns the file and the path of the value that a vertex comes from; null if it comes from no record.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "VertexSource | null")]
    pub fn vertex(&self, mesh: usize, vertex: usize) -> Result<JsValue, JsValue> {
        let target = Target::Vertices { mesh, attribute: Attribute::Position };
        let source = self.scene.sources.iter().find(|source| source.target == target);
        let place = source.and_then(|source| Some((source.part, source.path(vertex)?.to_string())));
        to_js(&place.map(|(file, path)| VertexSource { file, path }))
    }
}

#[wasm_bindgen]
impl Scene {
    /// Returns the vertices whose position comes from the record of a path, at most `most`.
    ///
    /// # Errors
    /// If the path is malformed.
    #[wasm_bindgen(unchecked_return_type = "Vertex[]")]
    pub fn vertices(&self, file: usize, path: &str, most: usize) -> Result<JsValue, JsValue> {
        let path: FieldPath = path.parse().map_err(|error| js_error(&error))?;
        let mut found = Vec::new();
        for Source { target, part, list, records, .. } in &self.scene.sources {
            let Target::Vertices { mesh, attribute: Attribute::Position } = *target else { continue };
            let Some([Step::Index(index), ..]) = path.steps().strip_prefix(list.steps()) else { continue };
            if *part == file {
                let own = records.iter().enumerate().filter(|(_, record)| **record as usize == *index);
                found.extend(own.map(|(vertex, _)| Vertex { mesh, vertex }));
            }
        }
        found.truncate(most);
        to_js(&found)
    }
}

#[derive(Serialize)]
struct Vertex {
    mesh: usize,
    vertex: usize,
}

#[derive(Serialize)]
struct VertexSource {
    /// The index of the file among those that were added.
    file: usize,
    path: String,
}

#[derive(Serialize)]
struct Summary<'a> {
    bones: Vec<Bone<'a>>,
    attachments: Vec<AttachmentLine<'a>>,
    meshes: Vec<MeshLine<'a>>,
    materials: Vec<MaterialLine<'a>>,
    clips: Vec<ClipLine<'a>>,
    bounds: Option<Bounds>,
    /// The look of surfaces without a material.
    plain: LookLine,
    losses: Vec<Lost>,
}

/// How a surface looks: linear colours.
#[derive(Serialize)]
struct LookLine {
    color: [f32; 4],
    emissive: [f32; 3],
    lit: bool,
}

impl From<Look> for LookLine {
    fn from(look: Look) -> Self {
        Self { color: look.color, emissive: look.emissive, lit: look.is_lit }
    }
}

#[derive(Serialize)]
struct Bone<'a> {
    name: &'a str,
    parent: Option<usize>,
}

#[derive(Serialize)]
struct AttachmentLine<'a> {
    name: &'a str,
    bone: Option<usize>,
}

impl<'a> From<&'a Attachment> for AttachmentLine<'a> {
    fn from(Attachment { name, bone, .. }: &'a Attachment) -> Self {
        Self { name, bone: *bone }
    }
}

#[derive(Serialize)]
struct MeshLine<'a> {
    name: &'a str,
    vertices: usize,
    triangles: usize,
    /// The maximum number of influences on a vertex.
    influences: usize,
    morphs: Vec<&'a str>,
    /// Whether the colours of vertices are shown if the image of the material is missing, and if it is there.
    shows_colors: [bool; 2],
}

impl<'a> From<&'a Mesh> for MeshLine<'a> {
    fn from(mesh: &'a Mesh) -> Self {
        Self {
            name: &mesh.name,
            vertices: mesh.positions.len(),
            triangles: mesh.num_triangles(),
            influences: mesh.skin.as_ref().map_or(0, |skin| skin.weights.most()),
            morphs: mesh.morphs.iter().map(|morph| &*morph.name).collect(),
            shows_colors: [false, true].map(|has_image| mesh.shows_colors(has_image)),
        }
    }
}

#[derive(Serialize)]
struct MaterialLine<'a> {
    name: &'a str,
    color: [f32; 4],
    textures: Vec<TextureLine<'a>>,
    alpha: &'static str,
    double_sided: bool,
    unlit: bool,
    /// How it looks if its image is missing, and if it is there.
    looks: [LookLine; 2],
}

impl<'a> From<&'a Material> for MaterialLine<'a> {
    fn from(material: &'a Material) -> Self {
        Self {
            name: &material.name,
            color: material.color,
            textures: material.textures.iter().map(TextureLine::from).collect(),
            alpha: material.alpha.name(),
            double_sided: material.double_sided,
            unlit: material.unlit,
            looks: [false, true].map(|has_image| Look::of(Some(material), has_image).into()),
        }
    }
}

#[derive(Serialize)]
struct TextureLine<'a> {
    path: &'a str,
    role: &'static str,
}

impl<'a> From<&'a Texture> for TextureLine<'a> {
    fn from(own: &'a Texture) -> Self {
        Self { path: &own.path, role: own.role.name() }
    }
}

#[derive(Serialize)]
struct ClipLine<'a> {
    name: &'a str,
    start: f32,
    end: f32,
    tracks: usize,
    morphs: usize,
}

impl<'a> From<&'a Clip> for ClipLine<'a> {
    fn from(clip: &'a Clip) -> Self {
        let (start, end) = clip.span().unwrap_or_default();
        Self { name: &clip.name, start, end, tracks: clip.tracks.len(), morphs: clip.morphs.len() }
    }
}
