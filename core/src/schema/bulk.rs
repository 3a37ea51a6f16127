//! Reading in blocks of records that take arguments.

use super::Schema;

/// The fast path of a record that takes arguments, as [`Schema::decode_prefix`] is of one that takes none. `A` are the
/// arguments of its definition.
///
/// ```
/// use bindpose::schema::BulkWith;
/// use bindpose::wire::FixedLenList;
/// let row = FixedLenList::<u16>::decode_prefix_with(&[1, 0, 2, 0, 3], (2,));
/// assert_eq!(row, Some((vec![1, 2].into(), 4)));
/// ```
#[diagnostic::on_unimplemented(
    note = "types that are read with arguments implement `BulkWith`, with an empty body if they have no fast path"
)]
pub trait BulkWith<A>: Schema {
    /// Whether [`decode_prefix_with`](Self::decode_prefix_with) reads the same as the definition, only faster.
    const BULK: bool = false;

    /// Reads a value from the start of some bytes, and returns its size; nothing where it does not end within them, or
    /// the type has no fast path.
    #[must_use]
    fn decode_prefix_with(_bytes: &[u8], _args: A) -> Option<(Self, usize)> {
        None
    }
}
