//! The materials, textures, morph targets and comments of a file.

use std::collections::BTreeSet;

use crate::files::slashed;
use crate::load::Content;
use crate::prelude::*;
use crate::textures::Textures;
use bindpose::codec::CommentInfo;
use bindpose::scene::{Scene, Targets, TextureRole};

/// The parts of a file that have names but no size.
#[derive(Default, Serialize)]
pub(super) struct Contents {
    materials: Vec<Material>,
    morphs: Vec<String>,
    comments: Vec<CommentInfo>,
    /// The named places on bones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<Attachment>,
}

#[derive(Serialize)]
struct Attachment {
    name: String,
    bone: Option<String>,
}

#[derive(Serialize)]
struct Material {
    name: String,
    textures: Vec<Texture>,
}

#[derive(Serialize)]
struct Texture {
    /// The path in the file; of a material without textures, its name.
    name: String,
    /// The image; none if it is not found.
    image: Option<String>,
    /// Whether the image is in the file itself.
    embedded: bool,
    /// What the texture is for, as far as it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    /// The text about the material that names the texture.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

/// The maximum number of lines of a kind.
const MOST: usize = 12;

impl Contents {
    pub fn of_comments(comments: Vec<CommentInfo>) -> Self {
        Self { comments, ..Self::default() }
    }

    /// Adds the attachments, materials and morph targets of a scene.
    pub fn add(&mut self, scene: &Scene, content: Option<&Content>, textures: &Textures) {
        let look_up = |name: &str, role: TextureRole| {
            let image = textures.finder.find(name);
            Texture {
                name: name.to_owned(),
                image: image.map(|path| slashed(&path).into_owned()),
                embedded: content.is_some_and(|own| own.image(name).is_some()),
                role: role.is_special().then(|| role.name()),
                source: None,
            }
        };
        let materials = scene.materials.iter().map(|material| {
            let named = material.textures.iter().filter(|own| !own.path.is_empty());
            let mut known: Vec<_> = named.map(|own| look_up(&own.path, own.role)).collect();
            if known.is_empty() {
                // In PSK files, materials are named like their textures.
                let own = look_up(&material.name, TextureRole::Color);
                known.extend(Some(own).filter(|texture| texture.image.is_some()));
            }
            if known.is_empty() {
                let listed = textures.finder.of_material(&material.name).textures.into_iter();
                known.extend(listed.map(|own| Texture {
                    role: Some(own.role.name()),
                    source: Some(slashed(Path::new(&own.source)).into_owned()),
                    ..look_up(&own.name, own.role)
                }));
            }
            Material { name: material.name.clone(), textures: known }
        });
        let targets = scene.meshes.iter().flat_map(|mesh| &mesh.morphs).map(|morph| &morph.name);
        let tracks =
            scene.clips.iter().flat_map(|clip| &clip.morphs).filter_map(|track| match &track.targets {
                Targets::Named(name) => Some(name),
                Targets::These(_) => None,
            });
        let mut seen = BTreeSet::new();
        self.morphs = targets.chain(tracks).filter(|name| seen.insert(*name)).cloned().collect();
        self.materials = materials.collect();
        let bones = scene.skeleton.bones();
        let bone = |own: Option<usize>| Some(bones.get(own?)?.name.clone());
        let attachments = scene.attachments.iter();
        self.attachments =
            attachments.map(|own| Attachment { name: own.name.clone(), bone: bone(own.bone) }).collect();
    }

    /// The lines for people, each with its label.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        let mut add = |label, texts: Vec<String>| {
            let more = texts.len().saturating_sub(MOST);
            lines.extend(texts.into_iter().take(MOST).map(|text| (label, text)));
            lines.extend((more > 0).then(|| (label, format!("and {more} more"))));
        };
        let materials = self.materials.iter();
        let materials =
            materials.filter(|material| !material.name.is_empty() || !material.textures.is_empty());
        add("material", materials.map(Material::describe).collect());
        add("attachment", self.attachments.iter().map(Attachment::describe).collect());
        add("morph", self.morphs.iter().map(|name| quoted(name)).collect());
        let comments = self.comments.iter().filter(|comment| !comment.text.trim().is_empty());
        add("comment", comments.map(describe).collect());
        lines
    }
}

impl Attachment {
    fn describe(&self) -> String {
        let name = quoted(&self.name);
        self.bone.as_deref().map_or_else(|| name.clone(), |bone| format!("{name} on {}", quoted(bone)))
    }
}

impl Material {
    fn describe(&self) -> String {
        let textures: Vec<_> = self.textures.iter().map(Texture::describe).collect();
        let name = quoted(&self.name);
        if textures.is_empty() { name } else { format!("{name}, texture {}", textures.join(", ")) }
    }
}

impl Texture {
    fn describe(&self) -> String {
        let found = self.image.as_deref().and_then(|image| image.rsplit('/').next());
        let state = match found {
            _ if self.embedded => "embedded".into(),
            None => "not found".into(),
            Some(found) if self.name.rsplit(['/', '\\']).next() == Some(found) => "found".into(),
            Some(found) => format!("found as {found}"),
        };
        let role = self.role.map(|role| format!("{role} ")).unwrap_or_default();
        format!("{role}{} ({state}{})", self.name, self.named_by())
    }

    fn named_by(&self) -> String {
        let text = self.source.as_deref().and_then(|path| path.rsplit('/').next());
        text.map(|name| format!(", named by {name}")).unwrap_or_default()
    }
}

fn describe(comment: &CommentInfo) -> String {
    let text = comment.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if comment.about.is_empty() { text } else { format!("{}: {text}", comment.about) }
}

fn quoted(name: &str) -> String {
    if name.is_empty() { "without a name".into() } else { name.to_owned() }
}
