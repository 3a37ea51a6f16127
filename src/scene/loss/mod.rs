//! What files and scenes cannot represent.

use std::collections::HashMap;
use std::fmt;

mod table;

pub use table::Lost;

/// Contents that the scene or a file cannot represent, or that are invalid.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Loss {
    /// The name of the file.
    pub file: String,
    /// What is lost, and why.
    pub lost: Lost,
    /// The objects that have the loss. Objects of one kind are a list; one of another kind contains those before.
    pub subjects: Vec<Subject>,
    /// Whether other objects have it, too.
    pub has_others: bool,
    /// How many are lost; 0 if they are not counted.
    pub count: usize,
    /// Names or numbers that belong to the text.
    pub detail: String,
    /// How far the result is off.
    pub measure: Option<Measure>,
    /// The setting that avoids the loss.
    pub avoid: Option<Avoid>,
}

/// The name of the file in losses of glTF, which is read and written in memory.
pub(crate) const GLTF: &str = "glTF";

/// An object with a loss.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Subject {
    /// Its kind: `bone`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
}

/// How far a result is off, at most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Measure {
    /// The distance in metres.
    pub metres: f32,
    /// The angle in degrees.
    pub degrees: f32,
    /// The difference of scale.
    pub scale: f32,
    /// The time in seconds at which it is off most, if it is known.
    pub seconds: Option<f32>,
}

/// A setting that avoids a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Avoid {
    /// [`Settings::rate`](super::Settings::rate) specifies the rate of clips, which the file does not.
    ReadRate,
    /// [`Settings::up`](super::Settings::up) specifies the up axis, which the bones show and no field states.
    ReadUp,
    /// The bones remain without [`Scene::remove_unused_bones`](super::Scene::remove_unused_bones).
    KeepNodes,
    /// [`Settings::full_weight`](super::Settings::full_weight) specifies the weight that means 1.
    FullWeight,
    /// [`Authoring::rate`](super::author::Authoring::rate) with this value is exact.
    Rate(f32),
    /// [`Retarget`](super::Retarget) states the pairs of bones.
    PairBones,
    /// Another format of this family represents it.
    Family(&'static str),
}

impl Loss {
    /// Returns the loss as one of a file with this name.
    #[must_use]
    pub fn in_file(self, name: &str) -> Self {
        Self { file: name.to_owned(), ..self }
    }

    /// Returns the kind of what is lost.
    ///
    /// ```
    /// use bindpose::FileKind;
    /// use bindpose::formats::lost_without;
    /// use bindpose::scene::{Clip, LossKind, Scene};
    /// let scene = Scene { clips: vec![Clip { name: "walk".into(), ..Clip::default() }], ..Scene::default() };
    /// let losses = lost_without(&scene, "hero", &[FileKind::Psk]);
    /// assert_eq!(losses[0].kind(), LossKind::Motion);
    /// assert_eq!(losses[0].to_string(), r#"clip "walk": none of the written files stores it"#);
    /// ```
    #[must_use]
    pub const fn kind(&self) -> LossKind {
        self.lost.row().kind
    }

    /// Returns what is lost: `vertices (3) of mesh "Body"`.
    #[must_use]
    pub fn what(&self) -> String {
        let mut text = self.lost.row().what.replace("{}", &self.detail);
        if self.count > 0 {
            text = format!("{text} ({})", self.count);
        }
        let mut last = None;
        for Subject { kind, name } in &self.subjects {
            let link = match last {
                Some(last) if last == kind => ", ",
                _ if text.is_empty() => "",
                _ => " of ",
            };
            text = format!("{text}{link}{kind} {name:?}");
            last = Some(kind);
        }
        if self.has_others { text + " and others" } else { text }
    }

    /// Returns the reason.
    #[must_use]
    pub fn why(&self) -> String {
        let mut text = self.lost.row().why.replace("{}", &self.detail);
        if let Some(measure) = self.measure {
            text = format!("{text}; {measure}");
        }
        if let Some(Avoid::Rate(rate)) = self.avoid {
            text = format!("{text}; {rate} per second are exact");
        }
        text
    }

    /// Adds an object that has the loss, or that contains the one before.
    pub(crate) fn of(mut self, kind: &'static str, name: &str) -> Self {
        self.subjects.push(Subject { kind, name: name.to_owned() });
        self
    }

    /// Sets names or numbers that belong to the text.
    pub(crate) fn with(self, detail: impl fmt::Display) -> Self {
        Self { detail: detail.to_string(), ..self }
    }

    /// Adds a loss of the same kind. The first few objects are listed.
    pub(super) fn merge(&mut self, other: Self) {
        const LISTED: usize = 3;
        self.count += other.count;
        self.measure = self.measure.into_iter().chain(other.measure).reduce(Measure::max);
        for subject in other.subjects {
            let is_known = self.subjects.contains(&subject);
            if !is_known && self.subjects.len() < LISTED {
                self.subjects.push(subject);
            } else {
                self.has_others |= !is_known;
            }
        }
    }

    /// Adds up the counts of losses that differ in nothing else but how far results are off: those of objects of one name.
    pub(crate) fn summed(losses: Vec<Self>) -> Vec<Self> {
        let mut sums: Vec<Self> = Vec::with_capacity(losses.len());
        let mut places = HashMap::new();
        for loss in losses {
            let kind = (loss.lost, loss.subjects.clone(), loss.has_others, loss.detail.clone());
            let place = if loss.count > 0 { *places.entry(kind).or_insert(sums.len()) } else { sums.len() };
            match sums.get_mut(place).filter(|known| known.avoid == loss.avoid) {
                Some(known) => known.merge(loss),
                None => sums.push(loss),
            }
        }
        sums
    }

    /// Returns the memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let subjects = self.subjects.iter().map(|own| size_of::<Subject>() + own.name.len());
        size_of::<Self>() + self.file.len() + self.detail.len() + subjects.sum::<usize>()
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.what(), self.why())
    }
}

impl From<Lost> for Loss {
    fn from(lost: Lost) -> Self {
        Self {
            file: String::new(),
            lost,
            subjects: Vec::new(),
            has_others: false,
            count: 0,
            detail: String::new(),
            measure: None,
            avoid: lost.row().avoid,
        }
    }
}

impl Measure {
    /// Returns the greater distance, angle and scale of two measures, at the time of the one that is off farther.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        let key = |own: &Self| (own.metres, own.degrees, own.scale);
        let seconds = if key(&other) > key(&self) { other.seconds } else { self.seconds };
        let metres = self.metres.max(other.metres);
        Self { metres, degrees: self.degrees.max(other.degrees), scale: self.scale.max(other.scale), seconds }
    }

    /// Returns this measure at a time.
    pub(crate) const fn at(self, seconds: f32) -> Self {
        Self { seconds: Some(seconds), ..self }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [(self.metres, " m"), (self.degrees, " degrees"), (self.scale, " of the scale")];
        let parts = parts.into_iter().filter(|(own, _)| *own > 0.0);
        let parts: Vec<_> = parts.map(|(own, unit)| format!("{}{unit}", rounded(own))).collect();
        write!(out, "up to {} off", parts.join(" and "))?;
        self.seconds.map_or(Ok(()), |seconds| write!(out, " at {} s", rounded(seconds)))
    }
}

/// Returns a number with three significant digits.
fn rounded(number: f32) -> f32 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

/// What is lost, the most severe first.
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
