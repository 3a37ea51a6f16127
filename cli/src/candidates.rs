//! What can follow on the command line: rules, formats, and the names and paths in the files that it names.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use super::convert::targets;
use bindpose::check::{Rule, Severity};
use bindpose::edit::{self, Entity};
use bindpose::schema::{self, Node, Selected, Step, Value, escape};
use bindpose::{Document, FieldPath, FileKind};

/// Larger files are not read while someone types.
const LARGEST: u64 = 16 << 20;

/// The elements of a list that are candidates.
const MOST: usize = 200;

#[derive(Clone, Copy)]
enum Values {
    Rules,
    Severities,
    Formats,
    /// The formats that scenes are written in.
    Targets,
    Names(Entity),
    Paths,
}

impl Values {
    /// The placeholder in the help says what an argument expects.
    fn of(arg: &Arg) -> Option<Self> {
        let id = arg.get_id().as_str();
        Some(match arg.get_value_names()?.first()?.as_str() {
            "RULE" => Self::Rules,
            "RULE=LEVEL" => Self::Severities,
            "FORMAT[:DIALECT]" if id == "to" => Self::Targets,
            "FORMAT[:DIALECT]" => Self::Formats,
            "PATH=VALUE" | "PATH[=VALUE]" | "PATH[=OBJECT]" | "PATH=GLOB" => Self::Paths,
            // Those of files are completed by the shell.
            "PATH" if arg.get_value_parser().type_id() != TypeId::of::<PathBuf>() => Self::Paths,
            "NAME" | "OLD=NEW" | "GLOB" | "CLIP" => {
                Self::Names(Entity::ALL.into_iter().find(|own| own.name() == id)?)
            }
            _ => return None,
        })
    }

    /// The texts that a value can begin with, given the beginning of it and the words of the command line.
    fn texts(self, typed: &str, words: &[OsString]) -> BTreeSet<String> {
        match self {
            Self::Rules => rules(),
            Self::Severities => {
                let levels = |rule: String| Severity::ALL.map(|level| format!("{rule}={level}"));
                rules().into_iter().flat_map(levels).collect()
            }
            Self::Formats => formats(),
            Self::Targets => targets().map(str::to_owned).chain(formats()).collect(),
            Self::Names(entity) => documents(words).flat_map(|own| names(&own, entity)).collect(),
            Self::Paths => documents(words).flat_map(|own| paths(&own, typed)).collect(),
        }
    }
}

/// Adds candidates to the arguments of all verbs, given the words of the command line.
pub(super) fn complete(command: Command, words: &[OsString]) -> Command {
    let words: Arc<[OsString]> = words.into();
    command.mut_subcommands(|verb| {
        verb.mut_args(|arg| {
            let Some(values) = Values::of(&arg) else { return arg };
            let words = words.clone();
            arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
                let typed = typed.to_string_lossy();
                let texts = values.texts(&typed, &words).into_iter();
                texts.filter(|own| own.starts_with(&*typed)).map(CompletionCandidate::new).collect()
            }))
        })
    })
}

fn rules() -> BTreeSet<String> {
    Rule::all().flat_map(|rule| [rule.code, rule.family()]).map(str::to_owned).collect()
}

/// The names of all formats, alone and with their dialects.
fn formats() -> BTreeSet<String> {
    let with_dialects = |kind: &FileKind| {
        let name = kind.name();
        let dialects = kind.info().dialects.iter().map(move |dialect| format!("{name}:{dialect}"));
        dialects.chain([name.to_owned()])
    };
    FileKind::ALL.iter().flat_map(with_dialects).collect()
}

fn documents(words: &[OsString]) -> impl Iterator<Item = Document> {
    let is_small =
        |word: &&OsString| fs::metadata(word).is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
    words.iter().filter(is_small).filter_map(|word| bindpose::open(Path::new(word)).ok())
}

fn names(document: &Document, entity: Entity) -> Vec<String> {
    let names = edit::names(document.file()).unwrap_or_default();
    names.into_iter().filter(|name| name.entity == entity).map(|name| escape(&name.text)).collect()
}

/// The paths that begin as the typed one does, up to its next step.
fn paths(document: &Document, typed: &str) -> Vec<String> {
    let file = document.file();
    let whole = &typed[..start_of_step(typed)];
    let outer = whole.trim_end_matches('.');
    let mut paths = Vec::new();
    if let Ok(path) = outer.parse() {
        let _ = schema::select(file.value(), &path, &mut |_, selected| {
            if let Selected::Value(value) = selected {
                paths.extend(steps(value).into_iter().map(|step| joined(outer, &step)));
            }
        });
    }
    // Objects have shorter paths than the records of their bytes.
    file.with_object_paths(|objects| {
        for name in edit::names(file).unwrap_or_default() {
            let path = objects.path(&name.path).map(|path| spelled(&path)).unwrap_or_default();
            if path.starts_with(typed) {
                let rest = &path[whole.len()..];
                let end = if rest.starts_with('[') {
                    rest.find(']').map(|at| at + 1)
                } else {
                    rest.find(['.', '['])
                };
                paths.push(path[..whole.len() + end.unwrap_or(rest.len())].to_owned());
            }
        }
    });
    paths
}

fn start_of_step(typed: &str) -> usize {
    match typed.rfind('[') {
        Some(open) if !typed[open..].contains(']') => open,
        _ => typed.rfind('.').map_or(0, |dot| dot + 1),
    }
}

fn steps(value: &dyn Value) -> Vec<Step> {
    let mut steps = Vec::new();
    let _ = match value.node() {
        Node::Record(record) => record.fields(&mut |field, value| {
            if !matches!(value.node(), Node::Absent) {
                steps.push(Step::from(field.name));
            }
            Continue(())
        }),
        Node::Items(items) => items.each(0, &mut |index, _| {
            steps.push(Step::Index(index));
            if index < MOST { Continue(()) } else { Break(()) }
        }),
        _ => Continue(()),
    };
    steps
}

fn joined(outer: &str, step: &Step) -> String {
    let step = spelled(&FieldPath::from(vec![step.clone()]));
    if outer.is_empty() || step.starts_with('[') {
        outer.to_owned() + &step
    } else {
        format!("{outer}.{step}")
    }
}

/// A path without quotes around names that need none: shells would remove them.
fn spelled(path: &FieldPath) -> String {
    let is_plain = |name: &str| name.chars().all(|own| own.is_ascii_alphanumeric() || "_- ".contains(own));
    let mut text = String::new();
    for step in path.steps() {
        match step {
            Step::Named(name, 1) if is_plain(name) => text = text + "[" + name + "]",
            Step::Field(_) if !text.is_empty() => text = format!("{text}.{step}"),
            step => text += &step.to_string(),
        }
    }
    text
}
