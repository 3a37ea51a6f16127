//! The texts in which UE Viewer lists the textures of a material: `NAME.mat` and `NAME.props.txt`.

use std::collections::HashSet;
use std::fmt;

/// What a texture is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TextureRole {
    /// The colour of the surface.
    Color,
    /// The directions of normals.
    Normal,
    /// The colour or strength of reflections.
    Specular,
    /// The sharpness of reflections.
    SpecularPower,
    /// The opacity.
    Opacity,
    /// The emitted light.
    Emission,
    /// The surroundings that are reflected.
    Cube,
    /// Several properties, one in each channel.
    Mask,
    /// Not known.
    Other,
}

impl TextureRole {
    /// The names in `.mat` files.
    const KEYS: [(&str, Self); 8] = [
        ("Diffuse", Self::Color),
        ("Normal", Self::Normal),
        ("Specular", Self::Specular),
        ("SpecPower", Self::SpecularPower),
        ("Opacity", Self::Opacity),
        ("Emissive", Self::Emission),
        ("Cube", Self::Cube),
        ("Mask", Self::Mask),
    ];

    /// Parts of the names of parameters, which each game chooses: the first that a name has determines the role.
    const WORDS: [(&str, Self); 19] = [
        ("norm", Self::Normal),
        ("nomal", Self::Normal),
        ("bump", Self::Normal),
        ("emis", Self::Emission),
        ("glow", Self::Emission),
        ("specpow", Self::SpecularPower),
        ("gloss", Self::SpecularPower),
        ("rough", Self::SpecularPower),
        ("spec", Self::Specular),
        ("metal", Self::Specular),
        ("mask", Self::Mask),
        ("opac", Self::Opacity),
        ("alpha", Self::Opacity),
        ("cube", Self::Cube),
        ("refl", Self::Cube),
        ("dif", Self::Color),
        ("albedo", Self::Color),
        ("colo", Self::Color),
        ("base", Self::Color),
    ];

    /// Returns the role of a parameter, as far as its name determines it.
    fn of_parameter(name: &str) -> Self {
        let name = name.to_lowercase();
        Self::WORDS.iter().find(|(word, _)| name.contains(word)).map_or(Self::Other, |(_, role)| *role)
    }

    /// Returns the name of the role, such as `color`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Color => "color",
            Self::Normal => "normal",
            Self::Specular => "specular",
            Self::SpecularPower => "specular-power",
            Self::Opacity => "opacity",
            Self::Emission => "emission",
            Self::Cube => "cube",
            Self::Mask => "mask",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for TextureRole {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The textures of a material, by the names of their images without folder and extension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaterialText {
    /// The textures with their roles, in the order of the text.
    pub textures: Vec<(TextureRole, String)>,
    /// The material whose textures an instance uses where it has none of its own.
    pub parent: Option<String>,
}

impl MaterialText {
    /// Parses a `.mat`: a line `ROLE=TEXTURE` for each texture. Lines of other forms are ignored.
    ///
    /// ```
    /// use bindpose::depot::{MaterialText, TextureRole};
    /// let text = MaterialText::of_mat("Diffuse=T_Coat_BC\nNormal=T_Coat_N\n");
    /// assert_eq!(text.textures[0], (TextureRole::Color, "T_Coat_BC".into()));
    /// ```
    #[must_use]
    pub fn of_mat(text: &str) -> Self {
        let line = |line: &str| {
            let (key, texture) = line.split_once('=')?;
            let known = TextureRole::KEYS.iter().find(|(own, _)| *own == key.trim());
            let role = known.map_or(TextureRole::Other, |(_, role)| *role);
            Some((role, texture.trim().to_owned())).filter(|(_, texture)| !texture.is_empty())
        };
        Self { textures: text.lines().filter_map(line).collect(), parent: None }
    }

    /// Parses a `.props.txt`: the properties of the material as the game stores them. The roles follow from the names of parameters,
    /// which each game chooses.
    ///
    /// ```
    /// use bindpose::depot::{MaterialText, TextureRole};
    /// let text = "Parent = Material3'/Game/M_Cloth.M_Cloth'
    /// TextureParameterValues[1] =
    /// {
    ///     TextureParameterValues[0] =
    ///     {
    ///         ParameterInfo = { Name=ColorTexture }
    ///         ParameterValue = Texture2D'/Game/T_Coat_BC.T_Coat_BC'
    ///     }
    /// }";
    /// let text = MaterialText::of_properties(text);
    /// assert_eq!(text.textures, [(TextureRole::Color, "T_Coat_BC".into())]);
    /// assert_eq!(text.parent.as_deref(), Some("M_Cloth"));
    /// ```
    #[must_use]
    pub fn of_properties(text: &str) -> Self {
        let mut found = Self::default();
        // The innermost block is the last.
        let mut blocks = vec![Block::default()];
        read(text, |part| match part {
            Part::Open => blocks.push(Block::default()),
            Part::Close if blocks.len() > 1 => {
                let block = blocks.pop().unwrap_or_default();
                match (block.texture, blocks.last_mut()) {
                    (Some(texture), _) => {
                        let role = TextureRole::of_parameter(block.name.unwrap_or_default());
                        found.textures.push((role, texture.to_owned()));
                    }
                    // The name of a parameter may be in a block of its own.
                    (None, Some(outer)) => outer.name = outer.name.or(block.name),
                    (None, None) => {}
                }
            }
            Part::Close => {}
            Part::Field("Parent", value) if blocks.len() == 1 => {
                found.parent = object(value).map(|(_, name)| name.to_owned());
            }
            Part::Field(key, value) => {
                if let Some(block) = blocks.last_mut() {
                    block.add(key, value);
                }
            }
        });
        found
    }
}

type Parser = fn(&str) -> MaterialText;

/// The extensions of the texts, with their readers, in the order in which they are read.
const TEXTS: [(&str, Parser); 2] =
    [("mat", MaterialText::of_mat), ("props.txt", MaterialText::of_properties)];

/// The most materials from an instance to its master.
const MAX_PARENTS: usize = 8;

/// A texture that a text about a material names, and whose image is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialTexture {
    /// What it is for.
    pub role: TextureRole,
    /// The name of the image, without folder and extension.
    pub name: String,
    /// The text that names it.
    pub source: String,
}

/// Returns the textures that the texts about a material and those that it is an instance of name, and whose images are found: the
/// first of each role.
///
/// `read` returns what a text is called in results, and its content, for the name of its file.
///
/// ```
/// use bindpose::depot::{TextureRole, material_textures};
/// let read = |name: &str| (name == "MI_Coat.mat").then(|| (name.to_owned(), "Diffuse=T_Coat\nNormal=T_Lost\n".to_owned()));
/// let textures = material_textures("MI_Coat", read, |texture| texture == "T_Coat");
/// assert_eq!((textures.len(), textures[0].role, &*textures[0].name), (1, TextureRole::Color, "T_Coat"));
/// ```
pub fn material_textures(
    material: &str,
    mut read: impl FnMut(&str) -> Option<(String, String)>,
    mut has_image: impl FnMut(&str) -> bool,
) -> Vec<MaterialTexture> {
    let mut textures: Vec<MaterialTexture> = Vec::new();
    let mut seen = HashSet::new();
    let mut next = Some(material.to_owned());
    while let Some(name) = next.take().filter(|name| seen.len() < MAX_PARENTS && seen.insert(name.clone())) {
        for (extension, parse) in TEXTS {
            let Some((source, text)) = read(&format!("{name}.{extension}")) else { continue };
            let MaterialText { textures: named, parent } = parse(&text);
            next = next.or(parent);
            for (role, name) in named {
                if textures.iter().all(|own| own.role != role) && has_image(&name) {
                    textures.push(MaterialTexture { role, name, source: source.clone() });
                }
            }
        }
    }
    textures
}

/// Returns whether a file is a text about a material by its name.
#[must_use]
pub fn is_material_text(name: &str) -> bool {
    let name = name.to_lowercase();
    TEXTS.iter().any(|(extension, _)| name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.')))
}

/// A block of properties: a texture and the name of its parameter.
#[derive(Clone, Copy, Default)]
struct Block<'a> {
    name: Option<&'a str>,
    texture: Option<&'a str>,
}

impl<'a> Block<'a> {
    fn add(&mut self, key: &str, value: &'a str) {
        match key {
            "ParameterName" | "Name" if value != "None" => self.name = Some(value),
            "ParameterValue" | "Texture" => {
                let texture = object(value).filter(|(class, _)| class.starts_with("Texture"));
                self.texture = texture.map(|(_, name)| name);
            }
            _ => {}
        }
    }
}

/// Splits `CLASS'PATH.NAME'` into class and name.
fn object(value: &str) -> Option<(&str, &str)> {
    let (class, path) = value.strip_suffix('\'')?.split_once('\'')?;
    let name = path.rsplit(['/', '.']).next()?;
    (!name.is_empty()).then_some((class, name))
}

enum Part<'a> {
    Open,
    Close,
    Field(&'a str, &'a str),
}

/// Reads `KEY = VALUE` and blocks in braces, on lines of their own or separated by commas.
fn read<'a>(text: &'a str, mut found: impl FnMut(Part<'a>)) {
    let mut key = None;
    let mut start = 0;
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (byte, quote) {
            // A quotation ends with its line at the latest.
            (b'\n', _) => quote = None,
            (_, Some(end)) if byte != end => continue,
            (_, Some(_)) => {
                quote = None;
                continue;
            }
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                continue;
            }
            (b'=' | b',' | b'{' | b'}', None) => {}
            _ => continue,
        }
        let piece = text[start..at].trim();
        start = at + 1;
        match (byte, key) {
            (b'=', _) => key = Some(piece),
            (_, Some(own)) if !piece.is_empty() => {
                found(Part::Field(own, piece));
                key = None;
            }
            _ => {}
        }
        match byte {
            b'{' => {
                key = None;
                found(Part::Open);
            }
            b'}' => found(Part::Close),
            _ => {}
        }
    }
    if let Some(key) = key.filter(|_| start < text.len()) {
        found(Part::Field(key, text[start..].trim()));
    }
}
