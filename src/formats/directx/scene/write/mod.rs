//! Writes scenes as `.x` files.
//!
//! Positions, normals, texture coordinates, colours, weights and matrices are exact up to the rounding of floats. Keys are
//! interpolated linearly; their times are whole ticks.

mod animation;
mod mesh;
mod vertex_data;

use std::borrow::Cow;

use glam::Affine3A;

use super::super::conventions::SPACE;
use super::super::syntax::object_writer::ObjectWriter as _;
use super::super::syntax::symbols::KEYWORDS;
use super::super::syntax::template::STANDARD_TEMPLATES;
use super::super::syntax::writer::{SymbolWriter, TextWriter, TokenWriter};
use super::super::{
    self as directx, AnimTicksPerSecond, DeclData, Encoding, Frame, FrameTransformMatrix, SINGLE,
    SkinWeights, TextureFilename, Tokens, View as _, X, XSkinMeshHeader,
};
use super::rows;
use super::vertex::MAX_SETS;
use crate::codec::Format;
use crate::scene::author::{
    Attributes, Author, AuthorError, Authored, Authoring, FromScene, MaterialFields, NameRules, SceneContent,
    TextureSlots, name_bytes, with_tangents,
};
use crate::scene::{Lost, Material, Mesh, Scene, Space, TextureRole, Track};

const ATTRIBUTES: Attributes = Attributes { uv_sets: MAX_SETS, colors: true, tangents: true, morphs: false };

const FIELDS: MaterialFields = MaterialFields {
    color: true,
    emissive: true,
    specular: true,
    textures: TextureSlots::Each(&[TextureRole::Color]),
    ..MaterialFields::NONE
};

/// Templates that not every program knows.
const TEMPLATES: [&str; 3] = [XSkinMeshHeader::TEMPLATE, SkinWeights::TEMPLATE, AnimTicksPerSecond::TEMPLATE];

/// Those of further vertex data.
const VERTEX_TEMPLATES: [&str; 2] = ["VertexElement", DeclData::TEMPLATE];

/// Returns the definition of a standard template.
fn template(name: &str) -> &'static str {
    let start = STANDARD_TEMPLATES.find(&format!("template {name} {{")).unwrap_or(STANDARD_TEMPLATES.len());
    STANDARD_TEMPLATES[start..].split_inclusive("}\n").next().unwrap_or_default()
}

/// The unique names of all objects in a file.
struct ObjectNames {
    bones: Vec<Vec<u8>>,
    materials: Vec<Vec<u8>>,
    meshes: Vec<Vec<u8>>,
    clips: Vec<Vec<u8>>,
}

impl FromScene for X {
    const HOLDS: &'static [SceneContent] = &[
        SceneContent::Skeleton,
        SceneContent::Meshes,
        SceneContent::Materials,
        SceneContent::Textures,
        SceneContent::Clips,
    ];
    const ENCODINGS: &'static [&'static str] = &Encoding::NAMES;

    fn stores_bind_pose(_: &Authoring) -> bool {
        true
    }

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let encoding = encoding(author)?;
        let content = if encoding.binary {
            content(author, TokenWriter::finite())?
        } else {
            content(author, TextWriter::finite())?
        };
        let blank = Self { float_size: SINGLE, ..Self::blank_file() };
        let file = blank.with_content(content, encoding).map_err(|_| AuthorError::Unsupported)?;
        Ok(vec![Authored { name: author.name().to_owned(), file }])
    }
}

/// Writes the scene as the content of a file.
fn content<S: SymbolWriter>(author: &mut Author<'_>, out: S) -> Result<Tokens, AuthorError> {
    let scene = author.scene();
    if author.meshes().is_empty() && scene.skeleton.bones().is_empty() {
        return Err(AuthorError::empty("meshes or bones"));
    }
    author.report_mesh_names(|mesh, _, name| mesh.name == name);
    let mut meshes: Vec<Cow<'_, Mesh>> = match author.take_meshes() {
        Cow::Borrowed(own) => own.iter().map(Cow::Borrowed).collect(),
        Cow::Owned(own) => own.into_iter().map(Cow::Owned).collect(),
    };
    for mesh in &mut meshes {
        if !ATTRIBUTES.include_all_of(mesh) {
            author.keep(std::slice::from_mut(mesh.to_mut()), ATTRIBUTES);
        }
        if author.settings().max_influences.is_some() {
            author.limit_influences(mesh.to_mut(), &scene.skeleton, usize::MAX);
        }
        if author.settings().tangents && mesh.tangents.is_empty() {
            *mesh = Cow::Owned(with_tangents(mesh));
        }
    }
    author.report_fields(FIELDS);
    let names = ObjectNames::new(scene, &meshes, author);
    let has_data = meshes.iter().any(|mesh| vertex_data::is_needed(mesh));
    let further = VERTEX_TEMPLATES.iter().filter(|_| has_data);
    let templates: String = TEMPLATES.iter().chain(further).map(|own| template(own)).collect();
    let out = out.with_templates(&templates).map_err(|_| AuthorError::Unsupported)?;
    let mut file = File { out, scene, names: &names, space: author.space(SPACE) };
    let tracks = scene.clips.iter().flat_map(|clip| &clip.tracks);
    let in_meshes: usize = meshes.iter().map(|mesh| num_numbers(mesh)).sum();
    file.out.reserve(in_meshes + tracks.map(num_numbers_of_keys).sum::<usize>());
    let ticks = file.ticks(author).map_err(failed)?;
    file.materials().map_err(failed)?;
    let mut attached = vec![Vec::new(); scene.skeleton.bones().len()];
    let mut free = Vec::new();
    for (index, mesh) in meshes.iter().enumerate() {
        let bone = mesh.bone.filter(|_| mesh.skin.is_none());
        bone.and_then(|bone| attached.get_mut(bone)).unwrap_or(&mut free).push(index);
    }
    file.frames(&meshes, &attached, author)?;
    for index in free {
        file.mesh(index, &meshes[index], false, author)?;
    }
    file.clips(ticks, author)?;
    Ok(file.out.content())
}

/// About the number of numbers in a mesh.
fn num_numbers(mesh: &Mesh) -> usize {
    let of_vertices = 3 * mesh.positions.len() + 3 * mesh.normals.len() + 5 * mesh.colors.len();
    let of_uvs = 2 * mesh.uvs.first().map_or(0, Vec::len);
    // Four for the mesh, four for its normals, and a material.
    of_vertices + of_uvs + 9 * mesh.num_triangles()
}

/// About the number of numbers in the keys of a track: a time, a count and the values of each.
fn num_numbers_of_keys(track: &Track) -> usize {
    let of_vectors =
        [&track.translation, &track.scale].map(|own| own.as_ref().map_or(0, |own| own.times().len()));
    5 * of_vectors.iter().sum::<usize>() + 6 * track.rotation.as_ref().map_or(0, |own| own.times().len())
}

/// The encoding in the settings: by default, text.
fn encoding(author: &Author<'_>) -> Result<Encoding, AuthorError> {
    let Some(name) = author.settings().version.as_deref() else { return Ok(Encoding::ALL[0]) };
    Encoding::named(name).ok_or_else(|| AuthorError::Version { known: Encoding::NAMES.join(", ") })
}

/// Names of objects are words: letters, digits, underscores, dots and dashes, and everything that is not ASCII.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-') || !byte.is_ascii()
}

impl ObjectNames {
    /// References find an object by its name only, so all names are unique.
    fn new(scene: &Scene, meshes: &[Cow<'_, Mesh>], author: &mut Author<'_>) -> Self {
        let bones = scene.skeleton.bones().iter().map(|own| &own.name);
        let materials = scene.materials.iter().map(|own| &own.name);
        let of_meshes = meshes.iter().map(|own| &own.name);
        let clips = scene.clips.iter().map(|own| &own.name);
        let all: Vec<&String> = bones.chain(materials).chain(of_meshes).chain(clips).collect();
        let words: Vec<String> = all.iter().map(|own| word(own)).collect();
        let changed = all.iter().zip(&words).filter(|(own, word)| ***own != **word).count();
        author.report_losses(changed, Lost::ObjectNames);
        let rules = NameRules { what: "object", most: 255, unique: true, ignore_case: true, allows: is_word };
        let mut fitted = author.fit_names(rules, words.iter().map(String::as_str)).into_iter();
        let mut take = |len: usize| fitted.by_ref().take(len).collect();
        Self {
            bones: take(scene.skeleton.bones().len()),
            materials: take(scene.materials.len()),
            meshes: take(meshes.len()),
            clips: take(scene.clips.len()),
        }
    }
}

/// Returns a name that is not taken for a number or a keyword.
fn word(name: &str) -> String {
    let name = name.replace(' ', "_");
    let is_safe =
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_' || !first.is_ascii());
    let is_keyword = KEYWORDS.iter().any(|(_, own)| own.eq_ignore_ascii_case(name.as_bytes()));
    if is_safe && !is_keyword || name.is_empty() { name } else { format!("_{name}") }
}

/// A file that is being written.
struct File<'a, S> {
    out: S,
    scene: &'a Scene,
    names: &'a ObjectNames,
    space: Space,
}

/// A step of writing nested frames.
#[derive(Clone)]
enum Step {
    Open(usize),
    Close,
}

/// Returns a string without quotation marks and line breaks, which text cannot store.
fn string(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| !matches!(byte, b'"' | b'\n' | b'\r' | 0)).collect()
}

/// Returns the error for an object that the content cannot store; names and strings are such that none occurs.
fn failed(_: String) -> AuthorError {
    AuthorError::Unsupported
}

impl<S: SymbolWriter> File<'_, S> {
    fn materials(&mut self) -> Result<(), String> {
        for (own, name) in self.scene.materials.iter().zip(&self.names.materials) {
            let Material { color, emissive, specular, shininess, .. } = own;
            let material = directx::Material {
                face_color: *color,
                power: *shininess,
                specular_color: *specular,
                emissive_color: *emissive,
            };
            self.out.open(name, &material)?;
            if let Some(texture) = own.color_texture() {
                self.out.object(&TextureFilename { filename: string(&name_bytes(texture)) })?;
            }
            self.out.close();
        }
        Ok(())
    }

    /// Writes the bones as nested frames, with the meshes attached to them.
    fn frames(
        &mut self,
        meshes: &[Cow<'_, Mesh>],
        attached: &[Vec<usize>],
        author: &mut Author<'_>,
    ) -> Result<(), AuthorError> {
        let skeleton = &self.scene.skeleton;
        let bones = skeleton.bones();
        let placed = skeleton.model_space(&skeleton.bind_pose());
        let mut children = vec![Vec::new(); bones.len()];
        for (index, bone) in bones.iter().enumerate().rev() {
            if let Some(parent) = bone.parent {
                children[parent].push(Step::Open(index));
            }
        }
        let roots = (0..bones.len()).rev().filter(|index| bones[*index].parent.is_none());
        let mut stack: Vec<Step> = roots.map(Step::Open).collect();
        while let Some(step) = stack.pop() {
            let Step::Open(bone) = step else {
                self.out.close();
                continue;
            };
            self.out.open(&self.names.bones[bone], &Frame {}).map_err(failed)?;
            let matrix = self.matrix(&bones[bone].bind.matrix());
            self.out.object(&FrameTransformMatrix { matrix }).map_err(failed)?;
            let is_mirrored = placed[bone].matrix3.determinant() < 0.0;
            for index in &attached[bone] {
                self.mesh(*index, &meshes[*index], is_mirrored, author)?;
            }
            stack.push(Step::Close);
            stack.append(&mut children[bone]);
        }
        Ok(())
    }

    /// Returns a matrix for row vectors.
    fn matrix(&self, matrix: &Affine3A) -> [f32; 16] {
        rows(&self.space.matrix(matrix))
    }
}
