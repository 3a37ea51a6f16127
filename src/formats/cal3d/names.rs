//! The names in Cal3D files. Tracks, weights and submeshes refer to bones and materials by index.

use super::xml::{Piece, Place, Visitor, Words, plain, walk};
use super::{Binary, Cal3d, Dialect, json};
use crate::edit::{Name, Named, Stored, defined_name, defined_names};
use crate::formats::ObjectPaths;
use crate::json::{Cursor, Objects};
use crate::schema::{Shape, Value};
use crate::{Budget, Result};

impl<B: Binary> Named for Cal3d<B> {
    fn names(&self) -> Result<Vec<Name>> {
        match self {
            Self::Binary { file, .. } => Ok(defined_names(file)),
            Self::Xml(document) => {
                let mut names = Names::default();
                walk(document, B::form(), None, &mut names)?;
                Ok(names.0)
            }
        }
    }

    fn with_object_paths<T>(&self, run: impl FnOnce(&mut ObjectPaths<'_>) -> T) -> T {
        match self {
            Self::Binary { file, .. } => run(&mut ObjectPaths::names(file)),
            Self::Xml(document) => run(&mut ObjectPaths::own(&mut Words::of(document, B::form()))),
        }
    }

    fn in_other_form(&self) -> Result<Self> {
        self.in_other_form()
    }

    fn objects_json(&self, budget: &Budget) -> Result<String> {
        json::print(self, budget)
    }

    fn read_objects(dialect: Option<&str>, json: &mut Cursor<'_>) -> Option<Result<Vec<u8>>> {
        is_xml(dialect).then(|| json::read::<B>(json))
    }

    fn objects_schema<'s>(dialect: Option<&str>, structs: &'s Shape) -> Option<Objects<'s>> {
        is_xml(dialect).then_some(Objects::Structs(structs))
    }
}

fn is_xml(dialect: Option<&str>) -> bool {
    dialect == Some(Dialect::Xml.name())
}

/// Collects the names of the XML form.
#[derive(Default)]
struct Names(Vec<Name>);

impl<'a> Visitor<'a> for Names {
    fn field(
        &mut self,
        place: &Place<'_, 'a>,
        _: Option<&mut dyn Value>,
        index: usize,
        words: &[Piece<'a>],
    ) -> Result<()> {
        if let (Some(identity), [word]) = (place.form.fields[index].identity, words) {
            let name = defined_name(identity, word.path(), &plain(word.token.bytes));
            self.0.extend(
                name.map(|name| Name { stored: Stored { is_xml: true, ..Stored::default() }, ..name }),
            );
        }
        Ok(())
    }
}
