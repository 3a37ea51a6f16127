//! What files and scenes cannot represent.

use std::fmt;

use super::UP;
use super::build::RATES;

/// Contents that the scene cannot represent, or that are invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The name of the file.
    pub file: String,
    /// The lost contents.
    pub what: String,
    /// The reason.
    pub why: String,
}

impl Loss {
    /// Returns what is lost.
    ///
    /// ```
    /// use bindpose::FileKind;
    /// use bindpose::formats::lost_without;
    /// use bindpose::scene::{Clip, LossKind, Scene};
    /// let scene = Scene { clips: vec![Clip { name: "walk".into(), ..Clip::default() }], ..Scene::default() };
    /// assert_eq!(lost_without(&scene, "hero", &[FileKind::Psk])[0].kind(), LossKind::Motion);
    /// ```
    #[must_use]
    pub fn kind(&self) -> LossKind {
        let (what, why) = (&*self.what, &*self.why);
        let starts = |words: &[&str]| words.iter().any(|word| what.starts_with(word));
        if why.starts_with("renamed") || why.contains("name of the clip") || starts(NAMES) {
            LossKind::Names
        } else if starts(MOTION) || what.contains(" clip ") {
            LossKind::Motion
        } else if why.contains("vertex colours") || starts(MATERIAL) && !starts(&["texture coordinates"]) {
            LossKind::Material
        } else if starts(METADATA) {
            LossKind::Metadata
        } else {
            LossKind::Geometry
        }
    }

    /// Returns whether [`Settings::rate`](super::Settings::rate) supplies the lost contents: a clip has no rate, or an invalid one.
    #[must_use]
    pub fn is_rate(&self) -> bool {
        self.what.starts_with(RATES)
    }

    /// Returns whether [`Settings::up`](super::Settings::up) determines what was assumed: the up axis, which the bones show and no field states.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.what == UP
    }
}

/// What is lost, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LossKind {
    /// Vertices, triangles, skins, morph targets and bones.
    Geometry,
    /// Clips, their tracks and keys.
    Motion,
    /// Materials, textures and colours.
    Material,
    /// Names.
    Names,
    /// Anything else: comments, cameras, lights.
    Metadata,
}

impl LossKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Geometry, Self::Motion, Self::Material, Self::Names, Self::Metadata];

    /// Returns the name: `geometry`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Geometry => "geometry",
            Self::Motion => "motion",
            Self::Material => "material",
            Self::Names => "names",
            Self::Metadata => "metadata",
        }
    }
}

impl fmt::Display for LossKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The beginnings of lost contents of each kind; those of all others are geometry.
const NAMES: &[&str] = &["names ", "blanks around names"];
const MOTION: &[&str] = &[
    "clip",
    "tracks",
    "keys",
    "lists of keys",
    "times of keys",
    "morph track",
    "rates",
    "animat",
    "compressed animation",
    "channels of animations",
    "frames",
    "first frames",
    "ranges of frames",
    "sheared matrix keys",
    "scale keys",
];
const MATERIAL: &[&str] = &[
    "material",
    "texture",
    "colour",
    "sphere maps",
    "alpha maps",
    "lightmaps",
    "opacities",
    "modulated",
    "drawing flags",
    "ambient and specular",
    "references to materials",
];
const METADATA: &[&str] = &[
    "comments",
    "cameras",
    "lights",
    "ambient light",
    "extension",
    "groups",
    "chunks",
    "records",
    "extra words",
    "springs",
    "smoothing groups",
    "steps of less detail",
    "scale of weights",
    "poses of bones",
    "nodes",
    "objects ",
    "lines about",
    UP,
    "default weights",
    "orders of faces",
    "roots",
];
