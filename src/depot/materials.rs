//! The texts in which UE Viewer lists the textures of a material: `NAME.mat` and `NAME.props.txt`.

use std::collections::HashSet;

use crate::scene::{Alpha, TextureRole};

/// The roles by their names in `.mat` files.
const KEYS: [(&str, TextureRole); 8] = [
    ("Diffuse", TextureRole::Color),
    ("Normal", TextureRole::Normal),
    ("Specular", TextureRole::Specular),
    ("SpecPower", TextureRole::SpecularPower),
    ("Opacity", TextureRole::Opacity),
    ("Emissive", TextureRole::Emission),
    ("Cube", TextureRole::Environment),
    ("Mask", TextureRole::Mask),
];

/// Parts of the names of parameters, which each game chooses: the first that a name has determines the role.
const WORDS: [(&str, TextureRole); 19] = [
    ("norm", TextureRole::Normal),
    ("nomal", TextureRole::Normal),
    ("bump", TextureRole::Normal),
    ("emis", TextureRole::Emission),
    ("glow", TextureRole::Emission),
    ("specpow", TextureRole::SpecularPower),
    ("gloss", TextureRole::SpecularPower),
    ("rough", TextureRole::Roughness),
    ("spec", TextureRole::Specular),
    ("metal", TextureRole::Metalness),
    ("mask", TextureRole::Mask),
    ("opac", TextureRole::Opacity),
    ("alpha", TextureRole::Opacity),
    ("cube", TextureRole::Environment),
    ("refl", TextureRole::Environment),
    ("dif", TextureRole::Color),
    ("albedo", TextureRole::Color),
    ("colo", TextureRole::Color),
    ("base", TextureRole::Color),
];

/// Returns the role of a parameter, as far as its name determines it.
fn role_of_parameter(name: &str) -> TextureRole {
    let name = name.to_lowercase();
    WORDS.iter().find(|(word, _)| name.contains(word)).map_or(TextureRole::Other, |(_, role)| *role)
}

/// The textures of a material, by the names of their images without folder and extension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaterialText {
    /// The textures with their roles, in the order of the text.
    pub textures: Vec<(TextureRole, String)>,
    /// The material whose properties an instance has where it states none of its own.
    pub parent: Option<String>,
    /// How the material is blended.
    pub alpha: Option<Alpha>,
    /// Whether back faces are visible.
    pub double_sided: Option<bool>,
}

impl MaterialText {
    /// Parses a `.mat`: a line `ROLE=TEXTURE` for each texture. Lines of other forms are ignored.
    ///
    /// ```
    /// use bindpose::depot::MaterialText;
    /// use bindpose::scene::TextureRole;
    /// let text = MaterialText::of_mat("Diffuse=T_Coat_BC\nNormal=T_Coat_N\n");
    /// assert_eq!(text.textures[0], (TextureRole::Color, "T_Coat_BC".into()));
    /// ```
    #[must_use]
    pub fn of_mat(text: &str) -> Self {
        let line = |line: &str| {
            let (key, texture) = line.split_once('=')?;
            let known = KEYS.iter().find(|(own, _)| *own == key.trim());
            let role = known.map_or(TextureRole::Other, |(_, role)| *role);
            Some((role, texture.trim().to_owned())).filter(|(_, texture)| !texture.is_empty())
        };
        Self { textures: text.lines().filter_map(line).collect(), ..Self::default() }
    }

    /// Parses a `.props.txt`: the properties of the material as the game stores them. The roles follow from the names of parameters,
    /// which each game chooses.
    ///
    /// ```
    /// use bindpose::depot::MaterialText;
    /// use bindpose::scene::TextureRole;
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
            Part::Open(key) => blocks.push(Block { key, ..Block::default() }),
            Part::Close if blocks.len() > 1 => {
                let block = blocks.pop().unwrap_or_default();
                if block.key == Some("BasePropertyOverrides") {
                    (found.alpha, found.double_sided) = block.overrides();
                }
                match (block.texture, blocks.last_mut()) {
                    (Some(texture), _) => {
                        let role = role_of_parameter(block.name.unwrap_or_default());
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
            Part::Field("BlendMode", value) if blocks.len() == 1 => found.alpha = alpha_of(value),
            Part::Field("TwoSided", value) if blocks.len() == 1 => found.double_sided = Some(value == "true"),
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

/// What texts about a material state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DescribedMaterial {
    /// The textures whose images are found.
    pub textures: Vec<MaterialTexture>,
    /// How the material is blended.
    pub alpha: Option<Alpha>,
    /// Whether back faces are visible.
    pub double_sided: Option<bool>,
}

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

/// Returns what the texts about a material and those that it is an instance of state: the textures whose images are found, the first
/// of each role, and how the material is blended.
///
/// `read` returns what a text is called in results, and its content, for the name of its file.
///
/// ```
/// use bindpose::depot::described_material;
/// use bindpose::scene::TextureRole;
/// let read = |name: &str| (name == "MI_Coat.mat").then(|| (name.to_owned(), "Diffuse=T_Coat\nNormal=T_Lost\n".to_owned()));
/// let textures = described_material("MI_Coat", read, |texture| texture == "T_Coat").textures;
/// assert_eq!((textures.len(), textures[0].role, &*textures[0].name), (1, TextureRole::Color, "T_Coat"));
/// ```
pub fn described_material(
    material: &str,
    mut read: impl FnMut(&str) -> Option<(String, String)>,
    mut has_image: impl FnMut(&str) -> bool,
) -> DescribedMaterial {
    let mut described = DescribedMaterial::default();
    let textures = &mut described.textures;
    let mut seen = HashSet::new();
    let mut next = Some(material.to_owned());
    while let Some(name) = next.take().filter(|name| seen.len() < MAX_PARENTS && seen.insert(name.clone())) {
        for (extension, parse) in TEXTS {
            let Some((source, text)) = read(&format!("{name}.{extension}")) else { continue };
            let MaterialText { textures: named, parent, alpha, double_sided } = parse(&text);
            described.alpha = described.alpha.or(alpha);
            described.double_sided = described.double_sided.or(double_sided);
            next = next.or(parent);
            for (role, name) in named {
                if textures.iter().all(|own| own.role != role) && has_image(&name) {
                    textures.push(MaterialTexture { role, name, source: source.clone() });
                }
            }
        }
    }
    described
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
    key: Option<&'a str>,
    name: Option<&'a str>,
    texture: Option<&'a str>,
    /// What an instance states of blending and back faces, and whether it replaces what its parent states.
    alpha: Option<Alpha>,
    double_sided: bool,
    replaces: [bool; 2],
}

impl<'a> Block<'a> {
    /// Returns the blending and the visibility of back faces, where they replace those of the parent.
    fn overrides(&self) -> (Option<Alpha>, Option<bool>) {
        let [alpha, double_sided] = self.replaces;
        (self.alpha.filter(|_| alpha), double_sided.then_some(self.double_sided))
    }

    fn add(&mut self, key: &str, value: &'a str) {
        match key {
            "ParameterName" | "Name" if value != "None" => self.name = Some(value),
            "ParameterValue" | "Texture" => {
                let texture = object(value).filter(|(class, _)| class.starts_with("Texture"));
                self.texture = texture.map(|(_, name)| name);
            }
            "BlendMode" => self.alpha = alpha_of(value),
            "TwoSided" => self.double_sided = value == "true",
            "bOverride_BlendMode" => self.replaces[0] = value == "true",
            "bOverride_TwoSided" => self.replaces[1] = value == "true",
            _ => {}
        }
    }
}

/// Returns the alpha mode of a blend mode of Unreal Engine, such as `BLEND_Masked (1)`.
fn alpha_of(value: &str) -> Option<Alpha> {
    match value.split(' ').next()? {
        "BLEND_Opaque" => Some(Alpha::Opaque),
        "BLEND_Masked" | "BLEND_SoftMasked" | "BLEND_DitheredTranslucent" => Some(Alpha::Mask),
        "BLEND_Translucent" | "BLEND_AlphaComposite" => Some(Alpha::Blend),
        "BLEND_Additive" => Some(Alpha::Additive),
        "BLEND_Modulate" => Some(Alpha::Modulate),
        _ => None,
    }
}

/// Splits `CLASS'PATH.NAME'` into class and name.
fn object(value: &str) -> Option<(&str, &str)> {
    let (class, path) = value.strip_suffix('\'')?.split_once('\'')?;
    let name = path.rsplit(['/', '.']).next()?;
    (!name.is_empty()).then_some((class, name))
}

enum Part<'a> {
    /// With the name of the block.
    Open(Option<&'a str>),
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
            b'{' => found(Part::Open(key.take())),
            b'}' => found(Part::Close),
            _ => {}
        }
    }
    if let Some(key) = key.filter(|_| start < text.len()) {
        found(Part::Field(key, text[start..].trim()));
    }
}
