//! The names in Cal3D files. Tracks, weights and submeshes refer to bones and materials by index.

use super::xml::{Piece, Place, Visitor, plain, walk};
use super::{Binary, Cal3d};
use crate::Result;
use crate::edit::{Name, Named, Stored, defined_name, defined_names};
use crate::schema::Value;

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
