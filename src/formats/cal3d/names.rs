//! The names in Cal3D files. Tracks, weights and submeshes refer to bones and materials by index.

use super::xml::{Piece, Place, Visitor, Words, plain, walk};
use super::{Binary, Cal3d, Dialect, json};
use crate::edit::{Name, Named, Stored, defined_name, defined_names, no_form};
use crate::formats::ObjectPaths;
use crate::json::{Cursor, Objects};
use crate::scene::Lost;
use crate::schema::{Shape, Value};
use crate::{Budget, Result};

const XML: &str = Dialect::Xml.name();
const BINARY: &str = "binary";

impl<B: Binary> Named for Cal3d<B> {
    const FORMS: &'static [&'static str] = &[BINARY, XML];
    const COMPARED_FORM: Option<&'static str> = Some(BINARY);

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

    fn form(&self) -> Option<&'static str> {
        Some(if matches!(self, Self::Xml(_)) { XML } else { BINARY })
    }

    fn in_form(&self, form: &str) -> Result<(Self, Option<Lost>)> {
        match form {
            _ if self.form() == Some(form) => Ok((self.clone(), None)),
            XML => Ok((self.in_other_form()?, None)),
            BINARY => Ok((self.in_other_form()?, Some(Lost::Spelling))),
            _ => Err(no_form::<Self>(form)),
        }
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
    dialect == Some(XML)
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
