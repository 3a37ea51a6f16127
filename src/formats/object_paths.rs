//! The paths of values as people read them.

use std::fmt;

use crate::schema::{FieldPath, NamedPaths, Value};

/// Translates canonical paths to those by the names of objects: `bones["hip"].name` for `chunks[5].records[6].name`. `get` and `set`
/// accept both. It is fast for ascending paths.
///
/// ```
/// let file = bindpose::decode(b"xof 0303txt 0032\nAnimTicksPerSecond { 4800; }\n")?;
/// let (token, _) = &file.get_text("AnimTicksPerSecond.AnimTicksPerSecond")?[0];
/// file.with_object_paths(|paths| {
///     let path = paths.path(token).expect("the path of a value");
///     assert_eq!(path.to_string(), "AnimTicksPerSecond[0].AnimTicksPerSecond");
///     assert_eq!(paths.text(token), Some(["AnimTicksPerSecond[0]", ".AnimTicksPerSecond"]));
/// });
/// # Ok::<(), bindpose::Error>(())
/// ```
pub struct ObjectPaths<'a>(Paths<'a>);

enum Paths<'a> {
    /// By the names that the definitions of the format state.
    Names(Box<NamedPaths<'a>>),
    /// By what the format itself knows of its tokens.
    Own(&'a mut dyn Translate),
}

/// Translates the paths of a format whose values are tokens.
pub(in crate::formats) trait Translate {
    /// See [`ObjectPaths::path`].
    fn path(&mut self, path: &FieldPath) -> Option<FieldPath>;

    /// See [`ObjectPaths::text`].
    fn text(&mut self, path: &FieldPath) -> Option<[&str; 2]>;
}

impl fmt::Debug for ObjectPaths<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ObjectPaths").finish_non_exhaustive()
    }
}

impl<'a> ObjectPaths<'a> {
    /// Translates paths by the names of elements.
    pub(crate) fn names(root: &'a dyn Value) -> Self {
        Self(Paths::Names(Box::new(NamedPaths::new(root))))
    }

    pub(in crate::formats) const fn own(paths: &'a mut dyn Translate) -> Self {
        Self(Paths::Own(paths))
    }
}

impl ObjectPaths<'_> {
    /// Returns the path by its object of the value at a canonical path: `Mesh[0].vertices[1].x` for `tokens[21][3].value`. Other
    /// paths, such as those of braces, have none.
    pub fn path(&mut self, path: &FieldPath) -> Option<FieldPath> {
        match &mut self.0 {
            Paths::Names(names) => names.path(path),
            Paths::Own(paths) => paths.path(path),
        }
    }

    /// Returns the text of the same path: that of the object, and the rest.
    pub fn text(&mut self, path: &FieldPath) -> Option<[&str; 2]> {
        match &mut self.0 {
            Paths::Names(names) => names.text(path),
            Paths::Own(paths) => paths.text(path),
        }
    }
}
