//! The same objects in another encoding.

use super::{Objects, place};
use crate::formats::directx::syntax::template::Template;
use crate::{ErrorKind, Result};

impl Objects<'_> {
    /// Interprets the values of these objects by the templates of another file.
    pub(in crate::formats::directx) fn with_templates(mut self, other: &Objects<'_>) -> Self {
        self.templates = other.templates.clone();
        self
    }

    /// Checks that other content has the same templates, objects and references in the same order.
    pub(in crate::formats::directx) fn same_as(&self, other: &Objects<'_>) -> Result<()> {
        let wrong = |at: u32, what: &str| {
            let why = format!("{what} would be read differently in the other encoding; rename it first");
            Err(self.error(at as usize, ErrorKind::Value(why.into())))
        };
        if !self.templates.own().map(Template::lowercased).eq(other.templates.own().map(Template::lowercased))
        {
            return wrong(0, "a template");
        }
        match (0..self.nodes.len()).find(|index| self.outline(*index) != other.outline(*index)) {
            Some(index) => wrong(self.nodes[index].template, "this object"),
            None if self.nodes.len() < other.nodes.len() => wrong(0, "an object"),
            None => Ok(()),
        }
    }

    /// Returns the encoding-independent properties of an object or reference.
    fn outline(&self, index: usize) -> Option<impl PartialEq> {
        let node = self.nodes.get(index)?;
        let object = self.object(place(index));
        let reference = node.is_reference.then(|| self.reference(node));
        let named = reference.is_none().then(|| (object.template_name(), object.name(), object.guid()));
        Some((node.parent, node.next, reference, named))
    }
}
