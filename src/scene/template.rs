//! Names of files from a template.

use std::str::FromStr;

use super::SafeName;

/// A value in a [`NameTemplate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Placeholder {
    /// The name of the input.
    Input,
    /// The name of the mesh.
    Mesh,
    /// The name of the clip in a file with one clip.
    Clip,
    /// The name of the material in a file with one material.
    Material,
}

impl Placeholder {
    /// All placeholders.
    pub const ALL: &[Self] = &[Self::Input, Self::Mesh, Self::Clip, Self::Material];

    /// Returns the name: `input`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Mesh => "mesh",
            Self::Clip => "clip",
            Self::Material => "material",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Value(Placeholder),
}

/// A template for the names of files, with placeholders in braces: `{mesh}_{clip}`.
///
/// A placeholder without a value is left out, with the separators that would then start or end the name or follow another one: `_`, `-`,
/// full stops and blanks. Values lose what is not permitted in a [`SafeName`]; the text of the template does not.
///
/// ```
/// use bindpose::scene::{NameTemplate, Placeholder};
/// let template: NameTemplate = "{mesh}_{clip}".parse()?;
/// let template = template.with(Placeholder::Mesh, "hero");
/// assert_eq!(template.name(), "hero");
/// assert_eq!(template.with(Placeholder::Clip, "../run").name(), "hero_run");
/// assert!("{bone}".parse::<NameTemplate>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameTemplate(Vec<Piece>);

impl NameTemplate {
    /// Returns the template with a value for a placeholder; an empty one is none.
    #[must_use]
    pub fn with(mut self, placeholder: Placeholder, value: &str) -> Self {
        for piece in self.0.iter_mut().filter(|own| **own == Piece::Value(placeholder) && !value.is_empty()) {
            *piece = Piece::Text(SafeName::whole(value).as_str().to_owned());
        }
        self
    }

    /// Returns the name without extension; empty if the template has neither text nor a value.
    #[must_use]
    pub fn name(&self) -> String {
        const SEPARATORS: [char; 4] = ['_', '-', '.', ' '];
        let (mut name, mut has_gap) = (String::new(), false);
        for piece in &self.0 {
            match piece {
                Piece::Value(_) => has_gap = true,
                Piece::Text(text) if text.is_empty() => {}
                Piece::Text(text) => {
                    let is_separated = name.is_empty() || name.ends_with(SEPARATORS);
                    let text =
                        if has_gap && is_separated { text.trim_start_matches(SEPARATORS) } else { text };
                    name.push_str(text);
                    has_gap = false;
                }
            }
        }
        if has_gap {
            name.truncate(name.trim_end_matches(SEPARATORS).len());
        }
        name
    }
}

impl FromStr for NameTemplate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains(['/', '\\']) {
            return Err("expected the name of a file without a folder".into());
        }
        let (mut pieces, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').ok_or("expected `}` after a placeholder")?;
            let known = Placeholder::ALL.iter().copied().find(|own| own.name() == name);
            let known = known.ok_or_else(|| {
                let all: Vec<_> = Placeholder::ALL.iter().map(|own| format!("{{{}}}", own.name())).collect();
                format!("unknown placeholder {{{name}}}; placeholders: {}", all.join(", "))
            })?;
            pieces.extend([Piece::Text(before.to_owned()), Piece::Value(known)]);
            rest = after;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(Self(pieces))
    }
}
