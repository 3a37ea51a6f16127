//! Reports as JSON: the objects of the schema `bindpose/1`, as the command prints them.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::check::Finding;
use crate::scene::{Loss, Measure, Subject};

/// The object has the code of the rule, the severity, the path of the field (`null` for the file as a whole), the range of its
/// bytes, and the message.
impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let field = Some(self.path.to_string()).filter(|field| !field.is_empty());
        let mut out = serializer.serialize_struct("Finding", 6)?;
        out.serialize_field("rule", self.rule.code)?;
        out.serialize_field("severity", self.rule.severity.name())?;
        out.serialize_field("field", &field)?;
        out.serialize_field("start", &self.range.start)?;
        out.serialize_field("end", &self.range.end)?;
        out.serialize_field("message", &self.message)?;
        out.end()
    }
}

/// The object has the name of the file, the kind and the code of the loss, what is lost and why, the objects that have it, how
/// many are lost (`null` if they are not counted), and how far the result is off.
impl Serialize for Loss {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Loss", 8)?;
        out.serialize_field("file", &self.file)?;
        out.serialize_field("kind", self.kind().name())?;
        out.serialize_field("loss", &self.lost.name())?;
        out.serialize_field("what", &self.what())?;
        out.serialize_field("why", &self.why())?;
        out.serialize_field("subjects", &self.subjects)?;
        out.serialize_field("count", &(self.count > 0).then_some(self.count))?;
        out.serialize_field("measure", &self.measure)?;
        out.end()
    }
}

impl Serialize for Subject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Subject", 2)?;
        out.serialize_field("kind", self.kind)?;
        out.serialize_field("name", &self.name)?;
        out.end()
    }
}

impl Serialize for Measure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Measure", 4)?;
        out.serialize_field("metres", &self.metres)?;
        out.serialize_field("degrees", &self.degrees)?;
        out.serialize_field("scale", &self.scale)?;
        out.serialize_field("seconds", &self.seconds)?;
        out.end()
    }
}
