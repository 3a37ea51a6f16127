//! Rows of numbers, the common content of lists of records of fixed size.

use std::ops::ControlFlow::{Break, Continue};

use super::cursor::is_blank;
use super::read::plain;
use crate::schema::{
    Class, Count, FlagsShape, Items, Node, Origin, Plain, Record, RecordShape, Role, Scalar, Shape, Value,
    at_index,
};

/// The maximum number of numbers in a row; longer records are easier to read as objects.
const MOST: usize = 64;

/// The maximum number of bytes of a number in text, including separators.
pub(super) const WIDEST: usize = 40;

/// The numbers of a record or an array, and the brackets and commas between them: `[7, [0.5, 1.0], 3]`.
#[derive(Default)]
pub(super) struct Cells {
    cells: Vec<Cell>,
    /// The names of the fields, if it is a record.
    pub names: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Open,
    Comma,
    Close,
    Number(Scalar),
}

impl Cells {
    /// Returns the cells of a shape that is a number, an array of numbers, or a record of both.
    pub fn of_shape(shape: &Shape) -> Option<Self> {
        let mut cells = Self::default();
        let all = match plain(shape) {
            Shape::Record(record) => cells.add_fields(record),
            shape => cells.add_shape(shape),
        };
        (all && cells.are_few()).then_some(cells)
    }

    /// Collects the cells of the elements of a list from the first one; returns `false` if they are not rows of
    /// numbers.
    pub fn set_to(&mut self, items: &dyn Items) -> bool {
        self.cells.clear();
        self.names.clear();
        let all = items.item_size().and_then(|_| {
            at_index(items, 0, |item| match item.node() {
                Node::Record(record) => self.add_record(record),
                _ => self.add(item),
            })
        });
        all == Some(true) && self.are_few()
    }

    fn are_few(&self) -> bool {
        (1..=MOST).contains(&self.numbers())
    }

    /// Returns the number of numbers in a row.
    pub fn numbers(&self) -> usize {
        self.cells.iter().filter(|cell| matches!(cell, Cell::Number(_))).count()
    }

    /// Returns the type of a row that is a single number.
    pub fn alone(&self) -> Option<Scalar> {
        if let [Cell::Number(number)] = self.cells[..] { Some(number) } else { None }
    }

    fn add_shape(&mut self, shape: &Shape) -> bool {
        match plain(shape) {
            Shape::Scalar(number) | Shape::Flags(FlagsShape { word: number, .. }) => {
                self.cells.push(Cell::Number(*number));
                true
            }
            Shape::List(item, Count::Fixed(len)) if *len <= MOST => {
                self.bracket((0..*len).map(|_| &**item), Self::add_shape)
            }
            _ => false,
        }
    }

    fn add_fields(&mut self, record: &RecordShape) -> bool {
        self.names.extend(record.fields.iter().map(|field| field.name));
        record.fields.iter().all(|field| field.role == Role::Free && field.condition.is_none())
            && self.bracket(record.fields.iter().map(|field| &field.shape), Self::add_shape)
    }

    fn add(&mut self, value: &dyn Value) -> bool {
        if value.choice().is_some() || value.inside().is_some() {
            return false;
        }
        match value.node() {
            Node::Leaf(leaf)
                if matches!(leaf.class(), Class::Integer | Class::Float) && leaf.plain() == Plain::Shown =>
            {
                leaf.scalar().map(|number| self.cells.push(Cell::Number(number))).is_some()
            }
            Node::Items(items) if items.is_array() && items.len() <= MOST => {
                self.bracket((0..items.len()).map_while(|index| items.item(index)), Self::add)
            }
            _ => false,
        }
    }

    fn add_record(&mut self, record: &dyn Record) -> bool {
        self.cells.push(Cell::Open);
        let all = record.fields(&mut |field, value| {
            self.separate();
            self.names.push(field.name);
            let is_free = field.role == Role::Free && field.origin == Origin::Stored;
            if is_free && self.add(value) { Continue(()) } else { Break(()) }
        });
        self.cells.push(Cell::Close);
        all.is_continue()
    }

    fn bracket<T>(&mut self, parts: impl Iterator<Item = T>, add: impl Fn(&mut Self, T) -> bool) -> bool {
        self.cells.push(Cell::Open);
        for part in parts {
            self.separate();
            // An array of arrays has more numbers than each of them.
            if self.cells.len() > 4 * MOST || !add(self, part) {
                return false;
            }
        }
        self.cells.push(Cell::Close);
        true
    }

    fn separate(&mut self) {
        if self.cells.last().is_some_and(|last| *last != Cell::Open) {
            self.cells.push(Cell::Comma);
        }
    }

    /// Appends the row for some bytes.
    pub fn print(&self, mut bytes: &[u8], text: &mut String) {
        for cell in &self.cells {
            match cell {
                Cell::Open => text.push('['),
                Cell::Comma => text.push_str(", "),
                Cell::Close => text.push(']'),
                Cell::Number(number) => {
                    number.print(bytes, text);
                    bytes = &bytes[number.size()..];
                }
            }
        }
    }

    /// Appends the bytes of the row at the start of a text, and returns the size of the text. If the notation is
    /// unusual, appends nothing and returns `None`.
    pub fn take(&self, text: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        let start = out.len();
        let taken = self.try_take(text, out);
        if taken.is_none() {
            out.truncate(start);
        }
        taken
    }

    #[inline]
    fn try_take(&self, text: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        let mut at = 0;
        for cell in &self.cells {
            while is_blank(*text.get(at)?) {
                at += 1;
            }
            at += match cell {
                Cell::Open => (text[at] == b'[').then_some(1)?,
                Cell::Comma => (text[at] == b',').then_some(1)?,
                Cell::Close => (text[at] == b']').then_some(1)?,
                Cell::Number(number) => number.take(&text[at..], out)?,
            };
        }
        // The number must end here: `1.5` is not `1`.
        text.get(at).filter(|next| matches!(next, b',' | b']') || is_blank(**next)).map(|_| at)
    }
}
