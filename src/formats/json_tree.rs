//! A JSON text in memory, for content whose layout is not known from its format alone.

use crate::Result;
use crate::json::Cursor;

/// A value of a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// `null`.
    Null,
    /// A number as it is written.
    Number(Box<str>),
    /// A string.
    Text(Box<str>),
    /// A list.
    List(Vec<Self>),
    /// An object, with its members in their order.
    Object(Vec<(Box<str>, Self)>),
}

/// The maximum nesting of lists and objects: more than any layout has.
const DEEPEST: usize = 100;

impl Tree {
    /// Reads a value.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if the text is not JSON, is nested more than 100 levels deep or has a
    /// boolean, which no layout has.
    pub fn read(json: &mut Cursor<'_>) -> Result<Self> {
        Self::read_at(json, 0)
    }

    fn read_at(json: &mut Cursor<'_>, depth: usize) -> Result<Self> {
        if depth > DEEPEST {
            return Err(json.wrong("values are nested more than 100 levels deep"));
        }
        let mut first = true;
        Ok(match json.peek() {
            b'"' => Self::Text(json.string()?.into()),
            b'[' => {
                json.expect(b'[')?;
                let mut items = Vec::new();
                while json.goes_on(&mut first, b']')? {
                    items.push(Self::read_at(json, depth + 1)?);
                }
                Self::List(items)
            }
            b'{' => {
                json.expect(b'{')?;
                let mut members = Vec::new();
                while json.goes_on(&mut first, b'}')? {
                    members.push((json.key()?.into(), Self::read_at(json, depth + 1)?));
                }
                Self::Object(members)
            }
            _ if json.null() => Self::Null,
            _ => Self::Number(json.number()?.into()),
        })
    }

    /// Returns the member of an object with a name.
    pub fn member(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(own, _)| **own == *name).map(|(_, value)| value)
    }

    /// Returns the elements of a list.
    pub fn items(&self) -> Option<&[Self]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// Returns a string.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Returns a number as it is written; the bits of a float are a string: `"0x7f800001"`.
    pub fn number(&self) -> Option<&str> {
        match self {
            Self::Number(text) => Some(text),
            Self::Text(text) => Some(text).filter(|text| text.starts_with("0x")).map(|text| &**text),
            _ => None,
        }
    }
}
