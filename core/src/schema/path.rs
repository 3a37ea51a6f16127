//! The path of a value in a file: `joints[3].name`.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::{NameTable, PathError, unpadded};
use crate::wire::allocated;
use crate::{Error, ErrorKind};

/// One step of a [`FieldPath`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// A field of a record: `.name`, or `."name"` if the name is empty or has a character of this grammar.
    Field(Cow<'static, str>),
    /// An element of a list, counted from 0: `[3]`.
    Index(usize),
    /// An element of a list, counted from the end: `[-1]` is the last one.
    FromEnd(usize),
    /// The elements of a range: `[0..3]` are the first three, `[3..]` all others.
    Range(usize, Option<usize>),
    /// Every element of a list: `[*]`.
    Every,
    /// An element by its name, `["Bip01"]`, or the second of that name, `["Bip01"#2]`; counted from 1. The blanks at the end
    /// of a name can be left out: see [`NameTable`].
    Named(String, usize),
    /// The elements whose names match a pattern, in which `*` is any text: `["Bip01 L*"]`.
    Matching(Pattern),
    /// The content of a packed leaf: `!`.
    Inside,
}

impl Step {
    /// Returns whether this step can select several elements.
    #[must_use]
    pub const fn is_pattern(&self) -> bool {
        matches!(self, Self::Every | Self::Range(..) | Self::Matching(_))
    }

    /// Returns whether this step selects elements of a list.
    #[must_use]
    pub const fn is_selector(&self) -> bool {
        matches!(self, Self::Index(_) | Self::FromEnd(_) | Self::Named(..)) || self.is_pattern()
    }

    /// Returns the elements that this step selects from a list of `len` elements, which is asked for their names where
    /// the step needs them.
    ///
    /// # Errors
    /// When the list does not have the elements, or the step is not a selector.
    pub fn select(
        &self,
        len: usize,
        names: impl FnOnce() -> Vec<Option<String>>,
    ) -> Result<Selection, PathError> {
        self.select_in(len, &ElementNames::default(), names)
    }

    /// As [`select`](Self::select), for one of many steps into a list, whose names are read once.
    ///
    /// # Errors
    /// As there.
    #[doc(hidden)]
    pub fn select_in(
        &self,
        len: usize,
        known: &ElementNames,
        names: impl FnOnce() -> Vec<Option<String>>,
    ) -> Result<Selection, PathError> {
        let out_of_range = || Err(PathError::OutOfRange { step: Box::new(self.clone()), len });
        match self {
            Self::Every => Ok(Selection::Run(0..len)),
            Self::Index(index) if *index < len => Ok(Selection::Run(*index..index + 1)),
            Self::FromEnd(back @ 1..) if *back <= len => Ok(Selection::Run(len - back..len - back + 1)),
            Self::Range(start, end) if *start < len && end.is_none_or(|end| *start < end) => {
                Ok(Selection::Run(*start..end.map_or(len, |end| end.min(len))))
            }
            Self::Index(_) | Self::FromEnd(_) | Self::Range(..) => out_of_range(),
            Self::Named(name, nth) => {
                let (names, table) = known.read(names);
                let found = table.find(name.as_bytes());
                let found = found.map_err(|why| PathError::ambiguous(name, &why))?;
                match found.get(nth.saturating_sub(1)) {
                    Some(index) => Ok(Selection::Run(*index..index + 1)),
                    None if *nth > 1 => Err(PathError::Fewer { name: name.clone(), nth: *nth }),
                    None => Err(PathError::no_element(name, names)),
                }
            }
            Self::Matching(pattern) => {
                let (names, _) = known.read(names);
                let matches = |at: &usize| names[*at].as_ref().is_some_and(|name| pattern.matches(name));
                let found: Vec<_> = (0..names.len()).filter(matches).collect();
                if found.is_empty() {
                    Err(PathError::no_element(&pattern.0, names))
                } else {
                    Ok(Selection::Set(found))
                }
            }
            Self::Field(name) => Err(PathError::FieldOfList(name.to_string())),
            Self::Inside => Err(PathError::NotPacked),
        }
    }

    /// Appends the step to a text: what formatting it does, in less time.
    pub fn push_to(&self, text: &mut String) {
        // A text takes everything.
        let _ = self.write(text);
    }

    fn write(&self, out: &mut impl fmt::Write) -> fmt::Result {
        match self {
            Self::Field(name) if name.is_empty() || name.contains(ENDS_FIELD) => {
                write!(out, "\"{}\"", quoted(name))
            }
            Self::Field(name) => out.write_str(name),
            Self::Index(index) => {
                out.write_char('[')?;
                out.write_str(itoa::Buffer::new().format(*index))?;
                out.write_char(']')
            }
            Self::FromEnd(back) => write!(out, "[-{back}]"),
            Self::Range(start, Some(end)) => write!(out, "[{start}..{end}]"),
            Self::Range(start, None) => write!(out, "[{start}..]"),
            Self::Every => out.write_str("[*]"),
            Self::Named(name, 1) => write!(out, "[\"{}\"]", quoted(name)),
            Self::Named(name, nth) => write!(out, "[\"{}\"#{nth}]", quoted(name)),
            Self::Matching(Pattern(pattern)) => write!(out, "[\"{}\"]", pattern.replace('"', "\\\"")),
            Self::Inside => out.write_str("!"),
        }
    }
}

/// The names of the elements of a list, as far as they have been needed.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct ElementNames(OnceCell<(Vec<Option<String>>, NameTable)>);

impl ElementNames {
    fn read(&self, names: impl FnOnce() -> Vec<Option<String>>) -> (&[Option<String>], &NameTable) {
        let (names, table) = self.0.get_or_init(|| {
            let names = names();
            let table =
                NameTable::at(names.iter().enumerate().filter_map(|(at, own)| Some((at, own.as_ref()?))));
            (names, table)
        });
        (names, table)
    }
}

/// The elements of a list that a step selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Consecutive elements.
    Run(Range<usize>),
    /// Single elements, in ascending order.
    Set(Vec<usize>),
}

impl IntoIterator for Selection {
    type Item = Range<usize>;
    type IntoIter = std::vec::IntoIter<Range<usize>>;

    /// Returns the runs of elements in ascending order.
    fn into_iter(self) -> Self::IntoIter {
        match self {
            Self::Run(run) => vec![run].into_iter(),
            Self::Set(set) => set.into_iter().map(|index| index..index + 1).collect::<Vec<_>>().into_iter(),
        }
    }
}

/// A pattern for names: `*` is any text, `\\*` an asterisk and `\\\\` a backslash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern(String);

impl Pattern {
    /// Returns whether a whole name matches, with or without the blanks at its end. The time is at most the product of both
    /// lengths.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        // Blanks are whole characters.
        self.matches_exactly(name) || self.matches_exactly(&name[..unpadded(name.as_bytes()).len()])
    }

    fn matches_exactly(&self, name: &str) -> bool {
        let parts = self.parts();
        let [first, middle @ .., last] = &parts[..] else {
            // A pattern has an asterisk, and so at least two parts.
            return false;
        };
        let Some(inner) = name.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()))
        else {
            return false;
        };
        let mut rest = inner;
        middle.iter().all(|part| match rest.find(part.as_str()) {
            Some(at) => {
                rest = &rest[at + part.len()..];
                true
            }
            None => false,
        })
    }

    /// Returns the texts between the asterisks.
    fn parts(&self) -> Vec<String> {
        let mut parts = vec![String::new()];
        let mut chars = self.0.chars();
        while let Some(c) = chars.next() {
            match c {
                '*' => parts.push(String::new()),
                '\\' => parts.last_mut().into_iter().for_each(|part| part.extend(chars.next())),
                c => parts.last_mut().into_iter().for_each(|part| part.push(c)),
            }
        }
        parts
    }
}

impl From<&'static str> for Step {
    fn from(field: &'static str) -> Self {
        Self::Field(field.into())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// The path from the root of a file to one of its parts.
///
/// ```
/// use bindpose::FieldPath;
/// let path: FieldPath = "joints[3].rotation_keys[0].time".parse()?;
/// assert_eq!(path.to_string(), "joints[3].rotation_keys[0].time");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath {
    steps: Vec<Step>,
}

impl FieldPath {
    /// Returns the path of the root.
    #[must_use]
    pub const fn root() -> Self {
        Self { steps: Vec::new() }
    }

    /// Returns the steps from the root down.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns whether the path can select several values: it has a step such as `[*]`, `[0..3]` or `["Bip01*"]`.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        self.steps.iter().any(Step::is_pattern)
    }

    /// Appends a step.
    pub fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Removes the last step.
    pub fn pop(&mut self) -> Option<Step> {
        self.steps.pop()
    }

    /// Replaces the last step by another field of the same record.
    pub(super) fn rename(&mut self, name: &'static str) {
        if let Some(Step::Field(Cow::Borrowed(last))) = self.steps.last_mut() {
            *last = name;
        }
    }

    /// Replaces the last step by another element of the same list.
    pub(super) fn renumber(&mut self, index: usize) {
        if let Some(Step::Index(last)) = self.steps.last_mut() {
            *last = index;
        }
    }

    /// Returns this path followed by the steps of `inner`.
    #[must_use]
    pub fn join(&self, inner: &Self) -> Self {
        Self { steps: [&self.steps[..], &inner.steps].concat() }
    }

    /// Returns the memory in bytes that the path takes beside itself.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let texts = self.steps.iter().map(|step| match step {
            Step::Field(Cow::Owned(text)) | Step::Named(text, _) | Step::Matching(Pattern(text)) => {
                allocated(text.capacity())
            }
            _ => 0,
        });
        (allocated(self.steps.len() * size_of::<Step>()) + texts.sum::<usize>()) as u64
    }

    /// Returns this path followed by a step.
    #[must_use]
    pub fn with(&self, step: impl Into<Step>) -> Self {
        Self { steps: [&self.steps[..], &[step.into()]].concat() }
    }

    /// Returns the path of the first steps.
    #[must_use]
    pub fn prefix(&self, len: usize) -> Self {
        Self { steps: self.steps[..len.min(self.steps.len())].to_vec() }
    }

    /// Returns whether the value is at the other path, or part of what is there.
    #[must_use]
    pub fn is_within(&self, outer: &Self) -> bool {
        self.steps.starts_with(&outer.steps)
    }

    /// Returns the path of the enclosing record or list, and the last step.
    #[must_use]
    pub fn split_last(&self) -> Option<(Self, &Step)> {
        let (last, front) = self.steps.split_last()?;
        Some((Self { steps: front.to_vec() }, last))
    }

    /// Appends the path to a text: what formatting it does, in less time.
    pub fn push_to(&self, text: &mut String) {
        // A text takes everything.
        let _ = self.write(text);
    }

    fn write(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let mut first = true;
        for step in &self.steps {
            if !first && matches!(step, Step::Field(_)) {
                out.write_char('.')?;
            }
            step.write(out)?;
            first = matches!(step, Step::Inside);
        }
        Ok(())
    }
}

impl From<Vec<Step>> for FieldPath {
    fn from(steps: Vec<Step>) -> Self {
        Self { steps }
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(out)
    }
}

/// A field without the dot before it; other steps as in a path.
impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(out)
    }
}

/// The characters that end the name of a field, unless it is between quotes. `>` belongs to the arrow after a reference.
const ENDS_FIELD: [char; 6] = ['.', '[', ']', '!', '"', '>'];

/// Returns a name as it is written between quotes.
fn quoted(name: &str) -> Cow<'_, str> {
    if !name.contains(['\\', '"', '*']) {
        return name.into();
    }
    name.replace('\\', "\\\\").replace('"', "\\\"").replace('*', "\\*").into()
}

impl FromStr for FieldPath {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut parser = Parser { text, at: 0 };
        let mut steps = Vec::new();
        while parser.at < text.len() {
            let first = steps.last().is_none_or(|last| *last == Step::Inside);
            steps.push(parser.step(first)?);
        }
        Ok(Self { steps })
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Continues after a text, if that is next.
    fn takes(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    fn step(&mut self, first: bool) -> Result<Step, Error> {
        if self.takes("[") {
            return self.subscript();
        }
        if self.takes("!") {
            return Ok(Step::Inside);
        }
        if !first && !self.takes(".") {
            return Err(self.wrong("expected `.field`, `[index]` or `!`"));
        }
        if self.takes("\"") {
            let (name, _) = self.literal()?;
            return Ok(Step::Field(name.into()));
        }
        let end = self.rest().find(ENDS_FIELD).unwrap_or(self.rest().len());
        if end == 0 {
            return Err(self.wrong("a field name is missing"));
        }
        let name = self.rest()[..end].to_owned();
        self.at += end;
        Ok(Step::Field(name.into()))
    }

    fn subscript(&mut self) -> Result<Step, Error> {
        let step = match self.rest().as_bytes() {
            [b'"', ..] => {
                self.at += 1;
                self.quoted()?
            }
            [b'*', b']', ..] => {
                self.at += 1;
                Step::Every
            }
            [b'0'..=b'9', ..] => self.index_or_range()?,
            [b'-', b'0'..=b'9', ..] => {
                self.at += 1;
                Step::FromEnd(self.positive_number("the last element is [-1]")?)
            }
            _ => {
                let end = self.rest().find(']').unwrap_or(self.rest().len());
                let name = self.rest()[..end].to_owned();
                self.at += end;
                if name.contains('*') {
                    Step::Matching(Pattern(name.replace('\\', "\\\\")))
                } else {
                    Step::Named(name, 1)
                }
            }
        };
        if self.takes("]") { Ok(step) } else { Err(self.wrong("`]` is missing")) }
    }

    fn index_or_range(&mut self) -> Result<Step, Error> {
        let start = self.number()?;
        if !self.takes("..") {
            return Ok(Step::Index(start));
        }
        let end = if self.rest().starts_with(']') { None } else { Some(self.number()?) };
        Ok(Step::Range(start, end))
    }

    fn number(&mut self) -> Result<usize, Error> {
        let end = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
        let number =
            self.rest()[..end].parse().map_err(|_| self.wrong("a number is missing or too large"))?;
        self.at += end;
        Ok(number)
    }

    /// A number that is not 0.
    fn positive_number(&mut self, why: &str) -> Result<usize, Error> {
        let start = self.at;
        let number = self.number()?;
        if number == 0 {
            self.at = start;
            return Err(self.wrong(why));
        }
        Ok(number)
    }

    /// A name, or a pattern, up to the closing quote.
    fn quoted(&mut self) -> Result<Step, Error> {
        match self.literal()? {
            (_, Some(pattern)) => Ok(Step::Matching(pattern)),
            (name, None) => self.named(name),
        }
    }

    /// The text up to the closing quote, and the pattern that it is if it has asterisks.
    fn literal(&mut self) -> Result<(String, Option<Pattern>), Error> {
        let (mut name, mut pattern, mut is_pattern) = (String::new(), String::new(), false);
        let mut chars = self.rest().char_indices();
        while let Some((at, c)) = chars.next() {
            let literal = match c {
                '"' => {
                    self.at += at + 1;
                    return Ok((name, is_pattern.then_some(Pattern(pattern))));
                }
                '*' => {
                    is_pattern = true;
                    pattern.push(c);
                    continue;
                }
                '\\' => chars.next().map(|(_, escaped)| escaped),
                c => Some(c),
            };
            if matches!(literal, Some('*' | '\\')) {
                pattern.push('\\');
            }
            pattern.extend(literal);
            name.extend(literal);
        }
        Err(self.wrong("the closing quote of a name is missing"))
    }

    /// A name, and which of several.
    fn named(&mut self, name: String) -> Result<Step, Error> {
        let nth = if self.takes("#") {
            self.positive_number("#N is the Nth element of that name, from #1")?
        } else {
            1
        };
        Ok(Step::Named(name, nth))
    }

    fn wrong(&self, why: &str) -> Error {
        let why = format!("`{}` at character {}: {why}", self.text, self.at + 1);
        Error::new(0, ErrorKind::Path(PathError::Syntax(why)))
    }
}
