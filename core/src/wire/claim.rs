//! Numbers that follow from the content of a file, unless the file states others.

use std::io::{Read, Seek, Write};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::macros::{bin_read, bin_write};
use crate::schema::{Node, NodeMut, Schema, Shape, Value};

/// The number that a file states in place of the one that follows from its content, such as a checksum that is wrong; nothing
/// if it is right.
///
/// It has no bytes of its own: those are a computed field before it, with the key `follows`. An edit of the content changes a
/// right number, and preserves a wrong one.
///
/// ```
/// use bindpose::schema::on_disk;
/// use bindpose::wire::{Claim, LenStr};
/// use binrw::BinRead;
/// use std::io::Cursor;
/// #[on_disk]
/// #[brw(little)]
/// struct Named {
///     #[follows(sum_claim = sum_of(name.text()))]
///     sum: u8,
///     /// The name.
///     pub name: LenStr<u8>,
///     /// The sum of the name, where it is wrong.
///     pub sum_claim: Claim<u8>,
/// }
/// fn sum_of(text: &[u8]) -> u8 {
///     text.iter().fold(0, |sum, byte| sum.wrapping_add(*byte))
/// }
/// let right = Named::read(&mut Cursor::new([195, 2, b'a', b'b'])).unwrap();
/// assert_eq!(right.sum_claim.stated(), None);
/// let wrong = Named::read(&mut Cursor::new([7, 2, b'a', b'b'])).unwrap();
/// assert_eq!(wrong.sum_claim.stated(), Some(7));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claim<T>(Option<T>);

impl<T: Copy> Claim<T> {
    /// Returns the number that the file states, if it is another one than follows.
    #[must_use]
    pub const fn stated(&self) -> Option<T> {
        self.0
    }

    /// Returns the number that is written, given the one that follows.
    #[must_use]
    pub fn or(&self, follows: T) -> T {
        self.0.unwrap_or(follows)
    }
}

bin_read!(
    /// The arguments are the number in the file, and the one that follows.
    [T: PartialEq] Claim<T>, (T, T), |_, _, (stated, follows)| Ok(Self((stated != follows).then_some(stated)))
);

bin_write!([T] Claim<T>, |_, _, _| Ok(()));

impl<T: Send + Sync> Value for Claim<T> {
    fn size(&self) -> u64 {
        0
    }
    fn node(&self) -> Node<'_> {
        Node::Absent
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Absent
    }
    fn contradicts(&self) -> bool {
        self.0.is_some()
    }
    fn settle(&mut self) {
        self.0 = None;
    }
}

impl<T: Send + Sync> Schema for Claim<T> {
    fn shape() -> Shape {
        Shape::Nothing
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self(None)
    }
}
