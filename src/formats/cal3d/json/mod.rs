//! The content of an XML form as JSON, with the names of the structs of the binary form.

mod fill;

use std::io::{self, Write};

use self::fill::fill;
use super::xml::{Content, Element, Field, Form, is_same};
use super::{Binary, Cal3d, Xml};
use crate::codec::Format as _;
use crate::edit::unsupported;
use crate::formats::json_tree::Tree;
use crate::json::{self, Cursor};
use crate::schema::{Value as _, escape};
use crate::{Budget, Error, ErrorKind, LimitError, Result};

/// Returns the content of a file as JSON, indented by one blank.
///
/// # Errors
/// Of a binary file, which JSON shows by these structs in any case; as [`Cal3d::view`].
pub(in crate::formats) fn print<B: Binary>(file: &Cal3d<B>, budget: &Budget) -> Result<String> {
    let Cal3d::Xml(document) = file else {
        return Err(unsupported("the file is binary, and has no other form in JSON"));
    };
    if let Some(name) = document.root().and_then(|root| surplus(root, B::form())) {
        let why = format!("the file has `{name}`, which the fields of the binary form do not represent");
        return Err(Error::new(0, ErrorKind::Value(why.into())));
    }
    if let Some(error) = crate::codec::damage(file) {
        return Err(error);
    }
    // The structs.
    budget.charge(document.size())?;
    let mut out = Charged { text: Vec::new(), budget, result: Ok(()) };
    let printed = json::print(file.view()?.as_ref(), 1, &mut out);
    out.result?;
    printed.map_err(|error| Error::new(0, ErrorKind::Io(error.into())))?;
    Ok(String::from_utf8(out.text)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// A text that is charged as it grows.
struct Charged<'a> {
    text: Vec<u8>,
    budget: &'a Budget,
    result: std::result::Result<(), LimitError>,
}

impl Write for Charged<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.result = self.budget.reserve(&mut self.text, bytes.len());
        if self.result.is_err() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the name of an element that no field represents, or of an attribute that means something else than its field. Other
/// attributes are indices, counts and hints for the compression of keys, which follow from the lists.
pub(super) fn surplus(element: Element<'_>, form: &Form) -> Option<String> {
    let own = |name: &[u8]| escape(name);
    let attribute = element.attributes().map(|(name, _)| name).find(|name| {
        let field = form.attribute(name).map(|index| &form.fields[index]);
        let is_usual = |field: &Field| field.attributes().next().is_some_and(|usual| is_same(usual, name));
        field.is_some_and(|field| field.is_stored() && !is_usual(field))
    });
    let inside = || {
        element.children().find_map(|child| {
            match form.element(child.name()).map(|index| &form.fields[index].content) {
                None => Some(own(child.name())),
                Some(Content::Records(inner)) => surplus(child, inner),
                Some(_) => None,
            }
        })
    };
    attribute.map(own).or_else(inside)
}

/// Reads what [`print`] prints, and returns the bytes of the XML form.
///
/// # Errors
/// [`ErrorKind::Syntax`] if the text is not JSON, [`ErrorKind::Value`] if it is not the content of such a file.
pub(in crate::formats) fn read<B: Binary>(json: &mut Cursor<'_>) -> Result<Vec<u8>> {
    let offset = json.offset();
    let tree = Tree::read(json)?;
    let mut file = B::default();
    fill(&mut file, &tree, offset)?;
    Cal3d::Xml(Xml::of(file)).encode()
}
