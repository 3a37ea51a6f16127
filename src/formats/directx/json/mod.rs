//! The objects of a file as JSON, with the names of templates and members.
//!
//! White space, comments, the notation of numbers and the splitting of lists are not part of it. Counts follow from their
//! arrays.

mod lines;
mod print;
mod read;

pub(in crate::formats) use print::print;
pub(in crate::formats) use read::read;

use super::syntax::template::{Member, Size, Template, Templates};
use crate::json::Objects as Notation;
use crate::wire::escape;

/// The notation of the objects as JSON Schema.
pub(in crate::formats) const SCHEMA: Notation<'static> = Notation::Schema(ROOT, DEFINITIONS);

const ROOT: &str = r##"{
  "type": "object",
  "properties": {
   "version": {"type": "string"}, "encoding": {"type": "string"}, "float_size": {"type": "string"},
   "templates": {"type": "array", "items": {"type": "string"}},
   "roots": {"type": "array", "items": {"$ref": "#/$defs/object"}}
  },
  "required": ["roots"], "additionalProperties": false
 }"##;

const DEFINITIONS: &str = r##",
  "object": {
   "description": "An object: its values by the names of members, or as a list if its template is unknown; or a reference to one.",
   "type": "object",
   "properties": {
    "template": {"type": "string"}, "name": {"type": "string"}, "guid": {"type": "string"},
    "values": {"type": ["object", "array"]},
    "children": {"type": "array", "items": {"$ref": "#/$defs/object"}},
    "reference": {"type": "string"}
   },
   "anyOf": [{"required": ["template"]}, {"required": ["reference"]}],
   "additionalProperties": false
  }"##;

/// Returns the name of a member: that in the file, or its position.
fn member_name(index: usize, member: &Member) -> String {
    if member.name.is_empty() { format!("member{index}") } else { escape(&member.name) }
}

/// Iterates over the arrays whose length is a member; each of their elements has values for certain.
fn counted<'a>(
    templates: &'a Templates,
    template: &'a Template,
    index: usize,
) -> impl Iterator<Item = (usize, &'a Member)> {
    let is_counted = move |member: &Member| {
        member.sizes == [Size::Member(index)] && templates.flat_kind(&member.kind) != Some(0)
    };
    template.members.iter().enumerate().filter(move |(_, member)| is_counted(member))
}
