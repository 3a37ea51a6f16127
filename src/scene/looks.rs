//! How surfaces look where files leave it open: the same in pictures, in glTF and in the viewer.
//!
//! Both sides of surfaces are drawn, and the one that faces the viewer is lit: many files have turned-over triangles. glTF keeps
//! what the file says of sides, light and colours.

use super::{Material, Mesh};

/// The colour of surfaces without a material, and of those whose image is missing: linear red, green and blue.
pub const PLAIN: [f32; 3] = [0.502_886_5, 0.502_886_5, 0.527_115_1];

/// Colours whose components are all below this are not seen as colours: they hide the shape.
const BLACK: f32 = 0.02;

/// What a material contributes to a picture.
///
/// ```
/// use bindpose::scene::{Look, Material, PLAIN};
/// let mut material = Material::new("coat");
/// (material.unlit, material.emissive) = (true, [1.0; 3]);
/// material.textures.push("coat.png".into());
/// let missing = Look::of(Some(&material), false);
/// assert_eq!((&missing.color[..3], missing.emissive, missing.is_lit), (&PLAIN[..], [0.0; 3], true));
/// let found = Look::of(Some(&material), true);
/// assert_eq!((found.color, found.emissive, found.is_lit), ([1.0; 4], [1.0; 3], false));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Look {
    /// The linear colour and the opacity, which the texture is multiplied with.
    pub color: [f32; 4],
    /// The linear emissive colour, which is added to the lit colour before the texture is multiplied with the sum.
    pub emissive: [f32; 3],
    /// Whether light falls on the surface.
    pub is_lit: bool,
}

impl Look {
    /// Returns the look of a material, whose image is there or not; `None` is a surface without a material.
    #[must_use]
    pub fn of(material: Option<&Material>, has_image: bool) -> Self {
        let [red, green, blue] = PLAIN;
        let plain = |opacity| Self { color: [red, green, blue, opacity], emissive: [0.0; 3], is_lit: true };
        let Some(material) = material else { return plain(1.0) };
        // The colours of a material whose texture is missing are often white, which hides the shape, or black.
        if material.color_texture().is_some() && !has_image {
            return plain(material.color[3]);
        }
        let is_white = material.color[..3].iter().all(|share| *share >= 1.0);
        Self {
            color: material.color,
            emissive: material.emissive,
            // Without light, only an image or a colour shows the shape.
            is_lit: !material.unlit || is_white && !has_image,
        }
    }
}

impl Mesh {
    /// Returns whether the colours of the vertices are colours of the surface, whose material has an image or not.
    ///
    /// They are not if all are black, which hides the shape, and if they can be masks for shaders: a surface with an image has its
    /// colour from that.
    #[must_use]
    pub fn shows_colors(&self, has_image: bool) -> bool {
        let is_seen = |color: &[f32; 4]| color[..3].iter().any(|share| *share >= BLACK);
        !(self.mask_colors && has_image) && self.colors.iter().any(is_seen)
    }
}
