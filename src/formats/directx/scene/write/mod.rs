//! Writes scenes as `.x` files.
//!
//! Positions, normals, texture coordinates, colours, weights and matrices are exact up to the rounding of floats. Keys are
//! interpolated linearly; their times are whole ticks.

mod animation;
mod mesh;
mod text;

use glam::Affine3A;

use super::super::{Encoding, SINGLE, TEXT, Tokens, X};
use super::SPACE;
use crate::codec::Format;
use crate::scene::author::{
    Attributes, Author, AuthorError, Authored, FromScene, MaterialFields, NameRules, name_bytes,
};
use crate::scene::{Material, Scene, Space};
use crate::wire::{Part, TokenText};
use text::Text;

const ATTRIBUTES: Attributes = Attributes { uv_sets: 1, colors: true, tangents: false, morphs: false };

const FIELDS: MaterialFields = MaterialFields {
    color: true,
    emissive: true,
    textures: 1,
    mask: false,
    blend: false,
    double_sided: false,
    unlit: false,
};

/// Templates that not every program knows.
const TEMPLATES: &str = "\
template XSkinMeshHeader {
 <3CF169CE-FF7C-44AB-93C0-F78F62D172E2>
 WORD nMaxSkinWeightsPerVertex;
 WORD nMaxSkinWeightsPerFace;
 WORD nBones;
}
template SkinWeights {
 <6F0D123B-BAD2-4167-A0D0-80224F25FABB>
 STRING transformNodeName;
 DWORD nWeights;
 array DWORD vertexIndices[nWeights];
 array FLOAT weights[nWeights];
 Matrix4x4 matrixOffset;
}
template AnimTicksPerSecond {
 <9E415A43-7BA6-4A73-8743-B73D47E88476>
 DWORD AnimTicksPerSecond;
}
";

/// The unique names of all objects in a file.
struct ObjectNames {
    bones: Vec<Vec<u8>>,
    materials: Vec<Vec<u8>>,
    meshes: Vec<Vec<u8>>,
    clips: Vec<Vec<u8>>,
}

impl FromScene for X {
    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let encoding = encoding(author)?;
        let scene = author.scene();
        if scene.meshes.is_empty() && scene.skeleton.bones().is_empty() {
            return Err(AuthorError::Empty { what: "meshes and bones" });
        }
        let mut meshes = scene.meshes.clone();
        author.finite(&mut meshes);
        author.keep(&mut meshes, ATTRIBUTES);
        author.lose_fields(FIELDS);
        let names = ObjectNames::new(scene, author);
        let mut file = File { out: Text::new(), scene, names: &names, space: author.space(SPACE) };
        file.out.raw(TEMPLATES);
        let ticks = file.ticks(author);
        file.materials();
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
        file.clips(ticks, author);
        let text = X {
            encoding: TEXT,
            float_size: SINGLE,
            tokens: Part::Present(Tokens::Text(TokenText::new(file.out.finish()))),
            ..Self::blank_file()
        };
        // The text has no integers of more than 32 bits, and is not damaged.
        let file = text.convert(encoding).map_err(|_| AuthorError::Unsupported)?;
        Ok(vec![Authored { name: author.name().to_owned(), file }])
    }
}

/// The encoding in the settings: by default, text.
fn encoding(author: &Author<'_>) -> Result<Encoding, AuthorError> {
    let (binary, packed) = match author.settings().version.as_deref() {
        None | Some("txt") => (false, false),
        Some("bin") => (true, false),
        Some("tzip") => (false, true),
        Some("bzip") => (true, true),
        Some(_) => return Err(AuthorError::Unsupported),
    };
    Ok(Encoding { binary, packed, double: false })
}

/// Names of objects are words: letters, digits, underscores, dots and dashes, and everything that is not ASCII.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-') || !byte.is_ascii()
}

impl ObjectNames {
    /// References find an object by its name only, so all names are unique.
    fn new(scene: &Scene, author: &mut Author<'_>) -> Self {
        let bones = scene.skeleton.bones().iter().map(|own| &own.name);
        let materials = scene.materials.iter().map(|own| &own.name);
        let meshes = scene.meshes.iter().map(|own| &own.name);
        let clips = scene.clips.iter().map(|own| &own.name);
        let all: Vec<&String> = bones.chain(materials).chain(meshes).chain(clips).collect();
        let words: Vec<String> = all.iter().map(|own| word(own)).collect();
        let changed = all.iter().zip(&words).filter(|(own, word)| ***own != **word).count();
        author.lose_some(changed, "names of objects", "they are not words; blanks become underscores");
        let rules = NameRules { what: "object", most: 255, unique: true, ignore_case: true, allows: is_word };
        let mut fitted = author.fit_names(rules, words.iter().map(String::as_str)).into_iter();
        let mut take = |len: usize| fitted.by_ref().take(len).collect();
        Self {
            bones: take(scene.skeleton.bones().len()),
            materials: take(scene.materials.len()),
            meshes: take(scene.meshes.len()),
            clips: take(scene.clips.len()),
        }
    }
}

/// Returns a name that is not taken for a number or a keyword.
fn word(name: &str) -> String {
    let name = name.replace(' ', "_");
    let is_safe =
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_' || !first.is_ascii());
    let is_keyword =
        super::super::symbols::KEYWORDS.iter().any(|(_, own)| own.eq_ignore_ascii_case(name.as_bytes()));
    if is_safe && !is_keyword || name.is_empty() { name } else { format!("_{name}") }
}

/// A file that is being written as text.
struct File<'a> {
    out: Text,
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

impl File<'_> {
    fn materials(&mut self) {
        for (own, name) in self.scene.materials.iter().zip(&self.names.materials) {
            self.out.open("Material", name);
            let Material { color, emissive, textures, .. } = own;
            self.out.line(&format!("{};", Text::members(color)));
            self.out.line("0.0;");
            self.out.line("0.0;0.0;0.0;;");
            self.out.line(&format!("{};", Text::members(emissive)));
            if let Some(texture) = textures.first() {
                self.out.open("TextureFilename", b"");
                self.out.string(&name_bytes(texture));
                self.out.close();
            }
            self.out.close();
        }
    }

    /// Writes the bones as nested frames, with the meshes attached to them.
    fn frames(
        &mut self,
        meshes: &[crate::scene::Mesh],
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
            self.out.open("Frame", &self.names.bones[bone]);
            self.out.open("FrameTransformMatrix", b"");
            let matrix = self.matrix(&bones[bone].bind.matrix());
            self.out.line(&matrix);
            self.out.close();
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
    fn matrix(&self, matrix: &Affine3A) -> String {
        let own = self.space.matrix(matrix);
        let columns = [own.matrix3.x_axis, own.matrix3.y_axis, own.matrix3.z_axis, own.translation];
        let rows = columns.iter().zip([0.0, 0.0, 0.0, 1.0]);
        let rows: Vec<f32> = rows.flat_map(|(own, last)| [own.x, own.y, own.z, last]).collect();
        format!("{};;", Text::list(&rows))
    }
}
