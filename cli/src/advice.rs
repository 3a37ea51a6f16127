//! The `help:` line of an error: what the library refuses, in terms of verbs and options.

use std::borrow::Cow;

use super::files::printable;
use super::limits;
use bindpose::schema::{EditError, FieldPath, PathError, Step};
use bindpose::{Error, ErrorKind, Foreign};

/// Returns the command that does what was refused, if there is one.
pub(super) fn advice(error: &Error) -> Option<String> {
    match error.kind() {
        ErrorKind::Value(why) => edit(why, error.path()),
        ErrorKind::Path(PathError::Absent(path)) => {
            Some(format!("create it with `set --create {}`", quoted(path)))
        }
        kind => of_file(kind).map(Into::into),
    }
}

/// Returns how to avoid an error of decoding.
pub(super) const fn of_file(kind: &ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::Limit(why) => limits::help(why),
        ErrorKind::UnknownFormat => Some("specify the format with `--as FORMAT`"),
        ErrorKind::Foreign(Foreign::Gltf) => {
            Some("use `info`, `preview` or `export`, or write a supported format with `convert`")
        }
        ErrorKind::Foreign(Foreign::Marked) => Some("remove the mark with `bindpose rescue FILE -o OUT`"),
        ErrorKind::Foreign(foreign) => Some(foreign.advice()),
        _ => None,
    }
}

fn edit(why: &EditError, path: &FieldPath) -> Option<String> {
    Some(match why {
        EditError::Resize { list } => {
            let first = format!("{list}[0]");
            format!("use `--append {}` or `--delete '{first}'`; the count follows", quoted(list))
        }
        EditError::SetValue { value } => format!("set {}; the length follows", quoted(value)),
        EditError::SetContent { packed } => {
            format!("set the packed content, '{packed}!...'; the packed bytes follow")
        }
        EditError::Create { choice } => format!("use `--create '{choice}=FORM'`, which sets both"),
        EditError::EditAsJson { .. } | EditError::Conditional { .. } => {
            "print the file with `to-json`, change both fields, and rebuild it with `from-json`".into()
        }
        EditError::Convert { .. } => {
            let option = match path.steps().last() {
                Some(Step::Field(name)) if name != "encoding" => name.replace('_', "-"),
                _ => "to".into(),
            };
            format!("use `convert --{option}`, which writes the whole file again")
        }
        EditError::Damaged => "edit the file that `bindpose rescue FILE -o OUT` writes".into(),
        EditError::NotALeaf => format!("print its values with `get FILE '{path}'`, and set one of them"),
        EditError::Absent => format!("create it with `--create {}`", quoted(path)),
        EditError::Present => {
            format!("set its values without `--create`; `get FILE {}` prints them", quoted(path))
        }
        EditError::Several { leaves } if !leaves.is_empty() => {
            let named: Vec<_> =
                leaves.iter().take(MOST_LEAVES).map(|leaf| format!("'{leaf}=VALUE'")).collect();
            format!("use `--create` without a value, and {}", named.join(" "))
        }
        EditError::Duplicate { kind: kind @ "clip", name } => {
            format!("give it another name with `rename --{kind} '{name}=NEW'`")
        }
        EditError::NeedsBones { found: 0 } => {
            "give the file with the bones, too: `bindpose transform BONES ANIMATION... --out-dir DIR`".into()
        }
        EditError::NeedsBones { .. } => "give each skeleton with its own meshes and animations only".into(),
        _ => return None,
    })
}

/// The command that makes a valid file of a damaged one.
pub(super) fn rescue(path: &str) -> String {
    format!("bindpose rescue {} -o OUT", argument(path))
}

pub(super) fn argument(path: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/\\._-+:@".contains(c);
    // `-` alone is standard input.
    let text =
        if path.starts_with('-') && path != "-" { format!("./{path}").into() } else { Cow::Borrowed(path) };
    if text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", printable(&text).replace('\'', r"'\''")).into()
}

const MOST_LEAVES: usize = 4;

/// A path as a shell takes it.
fn quoted(path: &FieldPath) -> String {
    let text = path.to_string();
    if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte)) {
        text
    } else {
        format!("'{text}'")
    }
}
