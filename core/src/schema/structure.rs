//! The decisions that a reader makes about a value, for comparing a value with what is read back.

use super::{
    Count, EditError, FieldPath, FieldShape, Length, Node, Origin, Record, RecordShape, Role, Shape, Step,
    Value, find_field, find_item,
};
use crate::error::counted;
use crate::{Error, ErrorKind, Result};

/// The structure of a value: the length of each list and text, the form of each choice, and which optional values are
/// present.
///
/// Two values with the same bytes and the same structure have the same leaves.
///
/// ```
/// use bindpose::schema::{Schema, Structure, Value};
/// use bindpose::formats::ms3d::Ms3d;
/// use bindpose::codec::Format;
/// let mut file = Ms3d::blank_file();
/// let before = Structure::of(&file, &Ms3d::shape());
/// file.joints.push(Default::default());
/// let error = before.compare(&file, &Ms3d::shape()).unwrap_err();
/// assert!(error.to_string().contains("joints: is written as 0 elements but read back as 1 element"), "{error}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure(pub(crate) Vec<u32>);

impl Structure {
    /// Returns the structure of a value of a shape.
    #[must_use]
    pub fn of(value: &dyn Value, shape: &Shape) -> Self {
        let mut numbers = Vec::new();
        let mut see = |_: &[Step], decision: Decision<'_>| {
            numbers.push(decision.number());
            Ok(())
        };
        let _ = Walk { path: Vec::new(), see: &mut see }.value(value, shape);
        Self(numbers)
    }

    /// Compares the structure of what was written with a value that was read back.
    ///
    /// # Errors
    /// [`EditError::Misread`] at the first difference.
    pub fn compare(&self, value: &dyn Value, shape: &Shape) -> Result<()> {
        let mut numbers = self.0.iter().copied();
        let mut see = |path: &[Step], decision: Decision<'_>| {
            // The fields after the end of a truncated file have no decisions.
            let written = numbers.next().unwrap_or(0);
            if written == decision.number() {
                return Ok(());
            }
            let [written, read] = [written, decision.number()].map(|number| decision.describe(number));
            Err(misread(path.to_vec().into(), written, read))
        };
        Walk { path: Vec::new(), see: &mut see }.value(value, shape)?;
        let surplus = numbers.filter(|number| *number > 0).count();
        if surplus == 0 {
            return Ok(());
        }
        Err(misread(FieldPath::root(), "more fields".into(), "a file that ends before them".into()))
    }

    /// Adds the decisions for a field that is left out.
    pub(crate) fn leave_out(&mut self, field: &FieldShape) {
        self.0.resize(self.0.len() + empty(field), 0);
    }

    /// Adds the decisions for the elements that a truncated array lacks.
    pub(crate) fn leave_out_elements(&mut self, item: &Shape, count: usize) {
        self.0.resize(self.0.len() + count * empty_decisions(item), 0);
    }
}

fn misread(path: FieldPath, written: String, read: String) -> Error {
    Error::new(0, ErrorKind::Value(EditError::Misread { written, read })).at(path)
}

/// A decision of a reader.
#[derive(Clone, Copy)]
enum Decision<'a> {
    Present(bool),
    Elements(usize),
    Bytes(u64),
    /// The index of a form.
    Form(usize, &'a RecordShape),
}

impl Decision<'_> {
    /// Returns the number of the decision; that of long lists is reduced to 32 bits.
    #[expect(clippy::cast_possible_truncation, reason = "as documented")]
    fn number(self) -> u32 {
        match self {
            Self::Present(present) => present.into(),
            Self::Elements(len) | Self::Form(len, _) => len as u32,
            Self::Bytes(len) => len as u32,
        }
    }

    /// Describes the decision of this kind with a number.
    fn describe(self, number: u32) -> String {
        match self {
            Self::Present(_) => if number == 0 { "absent" } else { "present" }.into(),
            Self::Elements(_) => counted(u64::from(number), "element"),
            Self::Bytes(_) => counted(u64::from(number), "byte"),
            Self::Form(_, choice) => {
                let form = choice.fields.get(number as usize);
                form.map_or_else(|| "no form".into(), |form| format!("`{}`", form.name))
            }
        }
    }
}

/// Visits the decisions about a value in the order of the file, each with its path.
struct Walk<'a> {
    path: Vec<Step>,
    see: &'a mut dyn FnMut(&[Step], Decision<'_>) -> Result<()>,
}

impl Walk<'_> {
    fn see(&mut self, decision: Decision<'_>) -> Result<()> {
        (self.see)(&self.path, decision)
    }

    fn at(&mut self, step: Step, value: &dyn Value, shape: &Shape) -> Result<()> {
        self.path.push(step);
        self.value(value, shape)?;
        self.path.pop();
        Ok(())
    }

    fn value(&mut self, value: &dyn Value, shape: &Shape) -> Result<()> {
        match shape {
            Shape::Scalar(_)
            | Shape::Flags(_)
            | Shape::Spelled(_)
            | Shape::Nothing
            | Shape::Bytes(Length::Text(_) | Length::Padding(_)) => Ok(()),
            Shape::Bytes(_) => self.see(Decision::Bytes(value.size())),
            Shape::List(item, count) => self.list(value, item, count),
            Shape::Record(record) => match value.node() {
                Node::Record(value) => self.record(value, record),
                _ => self.empty(empty_decisions(shape)),
            },
            Shape::Choice(choice) => self.choice(value, choice),
            Shape::Optional(inner) | Shape::Part(inner) | Shape::Placed(inner) | Shape::Region(inner) => {
                let is_present =
                    value.choice().is_some() || !matches!(value.node(), Node::Absent | Node::Broken(_));
                self.see(Decision::Present(is_present))?;
                if is_present { self.value(value, inner) } else { Ok(()) }
            }
            Shape::Written { of, .. } => self.value(value, of),
            Shape::Recursive(own) => self.value(value, own.shape()),
            Shape::Packed { stored, content } => {
                let inside = value.inside();
                self.see(Decision::Present(inside.is_some()))?;
                match inside {
                    Some(inside) => self.at(Step::Inside, inside, content),
                    None => self.value(value, stored),
                }
            }
        }
    }

    /// Visits the decisions about what is left out.
    fn empty(&mut self, decisions: usize) -> Result<()> {
        (0..decisions).try_for_each(|_| self.see(Decision::Present(false)))
    }

    fn list(&mut self, value: &dyn Value, item: &Shape, count: &Count) -> Result<()> {
        let Node::Items(items) = value.node() else { return self.see(Decision::Elements(0)) };
        if !matches!(count, Count::Fixed(_)) {
            self.see(Decision::Elements(items.len()))?;
        }
        if is_fixed(item) {
            return Ok(());
        }
        let failed = find_item(items, 0, |index, value| self.at(Step::Index(index), value, item).err());
        failed.map_or(Ok(()), Err)?;
        let missing = if let Count::Fixed(len) = count { len.saturating_sub(items.len()) } else { 0 };
        self.empty(missing * empty_decisions(item))
    }

    fn choice(&mut self, value: &dyn Value, choice: &RecordShape) -> Result<()> {
        let held = value.choice();
        let index = held.and_then(|held| choice.fields.iter().position(|form| form.name == held.name));
        self.see(Decision::Form(index.unwrap_or(0), choice))?;
        match (index, held.and_then(|held| held.body)) {
            (Some(index), Some(body)) => self.value(body, &choice.fields[index].shape),
            _ => Ok(()),
        }
    }

    fn record(&mut self, record: &dyn Record, shape: &RecordShape) -> Result<()> {
        if is_layout(shape) {
            return shape.fields.iter().try_for_each(|field| self.placed(record, field));
        }
        let mut fields = shape.fields.iter();
        let failed = find_field(record, |info, value| {
            if info.origin == Origin::Prefix {
                return None;
            }
            for field in fields.by_ref() {
                let is_it = field.name == info.name;
                let visited = if is_it { self.field(value, field) } else { self.empty(empty(field)) };
                if is_it || visited.is_err() {
                    return visited.err();
                }
            }
            None
        });
        failed.map_or(Ok(()), Err)?;
        fields.try_for_each(|field| self.empty(empty(field)))
    }

    fn field(&mut self, value: &dyn Value, field: &FieldShape) -> Result<()> {
        if is_derived(field) { Ok(()) } else { self.at(Step::Field(field.name.into()), value, &field.shape) }
    }

    /// A layout has its parts in the order of the file.
    fn placed(&mut self, record: &dyn Record, field: &FieldShape) -> Result<()> {
        let result =
            find_field(record, |info, value| (info.name == field.name).then(|| self.field(value, field)));
        result.unwrap_or_else(|| self.empty(empty(field)))
    }
}

/// Returns whether the parts of a record have offsets.
pub(crate) fn is_layout(record: &RecordShape) -> bool {
    record.fields.iter().any(|field| matches!(field.shape, Shape::Placed(_)))
}

/// Returns whether a field follows from others, so that nothing about it is decided.
pub(crate) const fn is_derived(field: &FieldShape) -> bool {
    matches!(field.role, Role::Places(_) | Role::Counts(_) | Role::Sizes(..))
}

/// Returns whether all values of a shape have the same structure.
fn is_fixed(shape: &Shape) -> bool {
    match shape {
        Shape::Scalar(_) | Shape::Flags(_) | Shape::Spelled(_) | Shape::Nothing => true,
        Shape::Bytes(length) => matches!(length, Length::Text(_) | Length::Padding(_)),
        Shape::List(item, count) => matches!(count, Count::Fixed(_)) && is_fixed(item),
        Shape::Record(record) => {
            record.fields.iter().all(|field| is_derived(field) || is_fixed(&field.shape))
        }
        Shape::Written { of, .. } => is_fixed(of),
        _ => false,
    }
}

/// Returns the number of decisions about a field that is left out. All are zero.
fn empty(field: &FieldShape) -> usize {
    if is_derived(field) { 0 } else { empty_decisions(&field.shape) }
}

fn empty_decisions(shape: &Shape) -> usize {
    match shape {
        Shape::List(item, Count::Fixed(len)) => len * empty_decisions(item),
        Shape::Record(record) => record.fields.iter().map(empty).sum(),
        Shape::Choice(choice) => 1 + choice.fields.first().map_or(0, |form| empty_decisions(&form.shape)),
        Shape::Packed { stored, .. } => 1 + empty_decisions(stored),
        Shape::Written { of, .. } => empty_decisions(of),
        Shape::Recursive(own) => empty_decisions(own.shape()),
        shape => usize::from(!is_fixed(shape)),
    }
}
