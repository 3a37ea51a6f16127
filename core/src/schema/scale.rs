//! Scales the lengths of a file.

use super::pass::{Change, Meaning, Spot, change_all};
use super::{EditError, FieldValue, Leaf, QuantityKind, Step, Value};
use crate::Result;

/// Multiplies the floats that the definition states to be lengths, also those in packed content.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::ms3d::{Ms3d, Vertex};
/// use bindpose::schema;
/// let mut file = Ms3d::blank_file();
/// file.vertices.push(Vertex { position: [1.0, 2.0, 3.0], ..Vertex::default() });
/// schema::scale(&mut file, 100.0)?;
/// assert_eq!(file.vertices[0].position, [100.0, 200.0, 300.0]);
/// # Ok::<(), bindpose::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for packed content that cannot be packed again. Some values may have changed by
/// then: work on a copy where that matters.
pub fn scale(root: &mut dyn Value, factor: f32) -> Result<()> {
    change_all(root, &mut Scale(factor))
}

struct Scale(f32);

impl Change for Scale {
    fn wants(&self, own: Meaning) -> bool {
        own.quantity.is_some()
    }

    fn number(&mut self, spot: &Spot, own: Meaning, leaf: &mut dyn Leaf) -> Result<(), EditError> {
        let (Some(own), FieldValue::F32(length)) = (own.quantity, leaf.field_value()) else { return Ok(()) };
        let is_length = match (own.kind, spot.path.steps()) {
            (QuantityKind::Point, [.., Step::Index(at)]) => *at < 3,
            (QuantityKind::Matrix, [.., Step::Index(row), Step::Index(at)]) => *row == 3 && *at < 3,
            _ => true,
        };
        if !is_length || own.none == Some(length.to_bits()) {
            return Ok(());
        }
        leaf.assign_value(&FieldValue::F32(length * self.0))
    }
}
