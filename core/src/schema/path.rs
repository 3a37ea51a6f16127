//! Where a value stands in a file: `joints[3].name`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::{Error, ErrorKind};

/// One step of a [`FieldPath`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A field of a record: `.name`.
    Field(Cow<'static, str>),
    /// An element of a list, counted from 0: `[3]`.
    Index(usize),
    /// Every element of a list: `[*]`.
    Every,
    /// An element by its name, `["Bip01"]`, or the second of that name, `["Bip01"#2]`; counted from 1.
    Named(String, usize),
    /// The content of a packed leaf: `!`.
    Inside,
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

/// The way from a file's root to one of its parts.
///
/// ```
/// use bindpose::FieldPath;
/// let path: FieldPath = "joints[3].rotation_keys[0].time".parse()?;
/// assert_eq!(path.to_string(), "joints[3].rotation_keys[0].time");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FieldPath {
    steps: Vec<Step>,
}

impl FieldPath {
    /// The root itself.
    #[must_use]
    pub const fn root() -> Self {
        Self { steps: Vec::new() }
    }

    /// The steps from the root down.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Goes one step down.
    pub fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Goes one step up.
    pub fn pop(&mut self) -> Option<Step> {
        self.steps.pop()
    }

    /// Goes to another field of the same record.
    pub(super) fn rename(&mut self, name: &'static str) {
        if let Some(Step::Field(Cow::Borrowed(last))) = self.steps.last_mut() {
            *last = name;
        }
    }

    /// Goes to another element of the same list.
    pub(super) fn renumber(&mut self, index: usize) {
        if let Some(Step::Index(last)) = self.steps.last_mut() {
            *last = index;
        }
    }

    /// This path with the steps of `inner` behind it.
    #[must_use]
    pub fn join(&self, inner: &Self) -> Self {
        Self { steps: [&self.steps[..], &inner.steps].concat() }
    }

    /// The path of the record or list that holds this place, and the last step to it.
    #[must_use]
    pub fn split_last(&self) -> Option<(Self, &Step)> {
        let (last, front) = self.steps.split_last()?;
        Some((Self { steps: front.to_vec() }, last))
    }
}

impl From<Vec<Step>> for FieldPath {
    fn from(steps: Vec<Step>) -> Self {
        Self { steps }
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for step in &self.steps {
            match step {
                Step::Field(name) if first => out.write_str(name)?,
                Step::Field(name) => write!(out, ".{name}")?,
                Step::Index(index) => write!(out, "[{index}]")?,
                Step::Every => out.write_str("[*]")?,
                Step::Named(name, nth) => write_named(out, name, *nth)?,
                Step::Inside => out.write_str("!")?,
            }
            first = *step == Step::Inside;
        }
        Ok(())
    }
}

fn write_named(out: &mut fmt::Formatter<'_>, name: &str, nth: usize) -> fmt::Result {
    let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
    if nth == 1 { write!(out, "[\"{quoted}\"]") } else { write!(out, "[\"{quoted}\"#{nth}]") }
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

    fn step(&mut self, first: bool) -> Result<Step, Error> {
        if self.rest().starts_with('[') {
            self.at += 1;
            return self.subscript();
        }
        if self.rest().starts_with('!') {
            self.at += 1;
            return Ok(Step::Inside);
        }
        if !first {
            if !self.rest().starts_with('.') {
                return Err(self.wrong("a path goes on with `.field`, `[index]` or `!`"));
            }
            self.at += 1;
        }
        let end = self.rest().find(['.', '[', ']', '!']).unwrap_or(self.rest().len());
        if end == 0 {
            return Err(self.wrong("a field name is missing"));
        }
        let name = self.rest()[..end].to_owned();
        self.at += end;
        Ok(Step::Field(name.into()))
    }

    fn subscript(&mut self) -> Result<Step, Error> {
        let step = if self.rest().starts_with('"') {
            self.at += 1;
            let name = self.quoted()?;
            let nth = if self.rest().starts_with('#') {
                self.at += 1;
                self.nth()?
            } else {
                1
            };
            Step::Named(name, nth)
        } else if self.rest().starts_with('*') {
            self.at += 1;
            Step::Every
        } else if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            Step::Index(self.number()?)
        } else {
            let end = self.rest().find(']').unwrap_or(self.rest().len());
            let name = self.rest()[..end].to_owned();
            self.at += end;
            Step::Named(name, 1)
        };
        if !self.rest().starts_with(']') {
            return Err(self.wrong("`]` is missing"));
        }
        self.at += 1;
        Ok(step)
    }

    fn number(&mut self) -> Result<usize, Error> {
        let end = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
        let number =
            self.rest()[..end].parse().map_err(|_| self.wrong("a number is missing or too large"))?;
        self.at += end;
        Ok(number)
    }

    /// Which of several, counted from 1.
    fn nth(&mut self) -> Result<usize, Error> {
        let start = self.at;
        let nth = self.number()?;
        if nth == 0 {
            self.at = start;
            return Err(self.wrong("names are counted from 1"));
        }
        Ok(nth)
    }

    fn quoted(&mut self) -> Result<String, Error> {
        let mut name = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(name);
                }
                '\\' => name.extend(chars.next().map(|(_, escaped)| escaped)),
                _ => name.push(c),
            }
        }
        Err(self.wrong("the closing quote of a name is missing"))
    }

    fn wrong(&self, why: &str) -> Error {
        Error::new(0, ErrorKind::Path(format!("`{}` at character {}: {why}", self.text, self.at + 1)))
    }
}
