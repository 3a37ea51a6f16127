//! The textures of materials.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The extensions of images, in the order in which they are tried for names without one.
pub(crate) const IMAGE_EXTENSIONS: [&str; 10] =
    ["png", "tga", "jpg", "jpeg", "bmp", "dds", "pcx", "webp", "tif", "tiff"];
/// The extensions of sphere maps: BMP images of `MikuMikuDance`.
const SPHERES: [&str; 2] = ["spa", "sph"];

/// A texture of a material.
///
/// ```
/// use bindpose::scene::{Texture, TextureRole};
/// assert_eq!(Texture::from("skin.png"), Texture::new("skin.png", TextureRole::Color));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texture {
    /// The path as in the file.
    pub path: String,
    /// What it is for.
    pub role: TextureRole,
}

impl Texture {
    /// Returns a texture with a role.
    pub fn new(path: impl Into<String>, role: TextureRole) -> Self {
        Self { path: path.into(), role }
    }

    /// Returns the textures of a format that does not state their roles: the first one is the colour.
    pub(crate) fn list(paths: impl IntoIterator<Item = String>) -> Vec<Self> {
        paths
            .into_iter()
            .enumerate()
            .map(|(index, path)| Self { path, role: TextureRole::usual(index) })
            .collect()
    }
}

/// The path, and the role if that is neither the colour nor unknown.
impl fmt::Display for Texture {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, role } = self;
        if role.is_special() { write!(out, "{path} ({role})") } else { out.write_str(path) }
    }
}

impl From<&str> for Texture {
    fn from(path: &str) -> Self {
        Self::new(path, TextureRole::Color)
    }
}

impl From<String> for Texture {
    fn from(path: String) -> Self {
        Self::new(path, TextureRole::Color)
    }
}

macro_rules! roles {
    ($($(#[$meta:meta])* $role:ident = $name:literal,)+) => {
        /// What a texture is for.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum TextureRole {$($(#[$meta])* $role,)+}

        impl TextureRole {
            /// All roles.
            pub const ALL: &[Self] = &[$(Self::$role),+];

            /// Returns the name of the role, such as `color`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {$(Self::$role => $name,)+}
            }
        }
    };
}

roles! {
    /// The colour of the surface.
    #[default]
    Color = "color",
    /// The directions of normals.
    Normal = "normal",
    /// The height of the surface.
    Height = "height",
    /// The colour or strength of reflections.
    Specular = "specular",
    /// The sharpness of reflections.
    SpecularPower = "specular-power",
    /// The opposite of the sharpness of reflections.
    Roughness = "roughness",
    /// Where the surface is metal.
    Metalness = "metalness",
    /// The opacity.
    Opacity = "opacity",
    /// The emitted light.
    Emission = "emission",
    /// The surroundings that are reflected.
    Environment = "environment",
    /// The surroundings that are reflected, as seen in a sphere.
    Sphere = "sphere",
    /// How much of the surroundings reaches the surface.
    Occlusion = "occlusion",
    /// Metalness and roughness, as in glTF.
    MetallicRoughness = "metallic-roughness",
    /// Several properties, one in each channel.
    Mask = "mask",
    /// Not known.
    Other = "other",
}

impl TextureRole {
    /// Returns whether the role is neither the colour nor unknown.
    #[must_use]
    pub const fn is_special(self) -> bool {
        !matches!(self, Self::Color | Self::Other)
    }

    /// Returns the role by the position in a list without roles.
    pub(crate) const fn usual(index: usize) -> Self {
        if index == 0 { Self::Color } else { Self::Other }
    }
}

impl fmt::Display for TextureRole {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for TextureRole {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|own| own.name() == text);
        found.copied().ok_or_else(|| format!("unknown role of a texture `{text}`"))
    }
}

/// Returns whether a file is an image by its name.
#[must_use]
pub fn is_image(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let extension = &*extension.to_ascii_lowercase();
    IMAGE_EXTENSIONS.contains(&extension) || SPHERES.contains(&extension)
}
