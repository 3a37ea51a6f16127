//! The pages of the manual and the README show what the commands print.
//!
//! A block of the language `console` contains commands, each after `$ `, and their outputs. The commands of a page run in its order in
//! a copy of the repository's root that has only [`NAMED`]: a file that a command reads is in the repository, or a command before it has
//! written it. All commands of a block have one exit code: 0, or the one beside the language (`console exit=2`). A line `...` replaces
//! any number of lines.
//!
//! `BLESS=1 cargo test -p bindpose-cli --test cli manual` rewrites the outputs.

use std::io::{Read as _, pipe};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, iter, thread};

use super::sandbox::{Sandbox, sample, workspace};

/// The folders and files of the repository that the pages name. Commands run in its root.
const NAMED: [&str; 6] =
    ["docs/models", "tests/character", "tests/corpus", "tests/damaged", "schemas", "LICENSE-MIT"];

/// The files in `docs/models` that are copies of samples.
const COPIES: [(&str, &str); 12] = [
    ("hero.ms3d", "corpus/ms3d/full.ms3d"),
    ("truncated.ms3d", "damaged/ms3d/cut_in_keys.ms3d"),
    ("body.psk", "corpus/psk/set.psk"),
    ("run.psa", "corpus/psk/set.psa"),
    ("set.psk", "corpus/psk/set.psk"),
    ("set.psa", "corpus/psk/set.psa"),
    ("hero.x", "corpus/directx/skinned.x"),
    ("hero.max-skeleton.skel", "corpus/max/two.max-skeleton.skel"),
    ("walk.max-animation.anim", "corpus/max/walk.max-animation.anim"),
    ("assets/hero.ms3d", "corpus/ms3d/full.ms3d"),
    ("assets/truncated.ms3d", "damaged/ms3d/cut_in_keys.ms3d"),
    ("assets/plane.psk", "corpus/psk/plane.psk"),
];

/// The start of a block of commands.
const START: &str = "```console";

/// What the manual shows for the directory that a command runs in.
const DIRECTORY: &str = "/bindpose";

#[test]
fn the_manual_shows_the_output_of_its_commands() {
    let folders = ["docs", "docs/guide", "docs/formats"].map(|folder| workspace().join(folder));
    let files =
        folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let files = files.chain([workspace().join("README.md")]);
    let pages: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|own| own == "md")).collect();
    let stale: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = pages.iter().map(|page| scope.spawn(|| stale(page))).collect();
        threads.into_iter().filter_map(|thread| thread.join().expect("a page")).collect()
    });
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

/// Returns what differs between a page and the outputs of its commands.
fn stale(path: &Path) -> Option<String> {
    let page = fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    let fresh = rerun(&page);
    if fresh == page {
        return None;
    }
    if env::var_os("BLESS").is_some() {
        fs::write(path, fresh).unwrap();
        return None;
    }
    let lines = iter::zip(page.lines().chain(iter::repeat("")), fresh.lines()).zip(1..);
    let differs =
        lines.filter(|((old, new), _)| old != new).map(|((old, new), line)| (line, old, new)).next();
    let (line, old, new) = differs.unwrap_or((page.lines().count(), "more lines", ""));
    let name = path.file_name().unwrap().to_str().unwrap();
    Some(format!("{name}:{line}: the page says\n  {old}\nthe command prints\n  {new}"))
}

#[test]
fn models_are_copies_of_samples() {
    for (name, copied) in COPIES {
        let path = workspace().join("docs/models").join(name);
        let is_same = || fs::read(&path).is_ok_and(|bytes| bytes == sample(copied));
        // The other test reads the files at the same time.
        if env::var_os("BLESS").is_some() && !is_same() {
            fs::write(&path, sample(copied)).unwrap();
        }
        assert!(is_same(), "{name} is not {copied}");
    }
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in NAMED {
        sandbox.copy(name);
    }
    sandbox
}

/// Returns a page with what its commands print now.
fn rerun(page: &str) -> String {
    if !page.contains(START) {
        return page.to_owned();
    }
    let sandbox = sandbox();
    let mut fresh = String::new();
    let mut rest = page;
    while let Some((before, block)) = rest.split_once(START) {
        let (head, block) = block.split_once('\n').expect("a block");
        let (block, after) = block.split_once("```\n").expect("the end of a block");
        let (transcript, code) = transcript(block, &sandbox);
        // An input that does not exist must not become part of a page.
        let own = if code == 0 { String::new() } else { format!(" exit={code}") };
        assert_eq!(own, head, "the exit code of the commands\n{transcript}");
        fresh.extend([before, START, head, "\n", &transcript, "```\n"]);
        rest = after;
    }
    fresh + rest
}

/// Runs the commands of a block; returns it with their outputs, and their exit code.
fn transcript(block: &str, sandbox: &Sandbox) -> (String, i32) {
    let commands = block.strip_prefix("$ ").expect("a command").split("\n$ ");
    let ran: Vec<(String, i32)> = commands
        .map(|own| {
            let (command, shown) = own.split_once('\n').unwrap_or((own, ""));
            let (printed, code) = run(command, sandbox);
            let printed = if is_shown(shown.trim_end(), &printed) { shown.trim_end() } else { &printed };
            (format!("$ {command}\n{printed}").trim_end().to_owned() + "\n", code)
        })
        .collect();
    let code = ran[0].1;
    assert!(
        ran.iter().all(|(_, own)| *own == code),
        "commands with different exit codes in one block:\n{block}"
    );
    (ran.into_iter().map(|(text, _)| text).collect::<Vec<_>>().join("\n"), code)
}

/// Returns whether text is an output, with `...` for some of its lines.
fn is_shown(shown: &str, printed: &str) -> bool {
    let mut rest = printed;
    let mut parts = shown.split("...\n").map(|part| part.trim_end_matches("...")).peekable();
    let first = parts.next().unwrap_or_default();
    let Some(after) = rest.strip_prefix(first) else { return false };
    rest = after;
    while let Some(part) = parts.next() {
        let at = if parts.peek().is_none() { rest.rfind(part) } else { rest.find(part) };
        let Some(at) = at else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || shown.ends_with("...")
}

/// Runs a command; returns what it prints, errors included, and its exit code.
fn run(line: &str, sandbox: &Sandbox) -> (String, i32) {
    let words = shlex::split(line).unwrap_or_else(|| panic!("unbalanced quotes: {line}"));
    assert_eq!(words.first().map(String::as_str), Some("bindpose"), "{line}");
    let (mut reader, writer) = pipe().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    command.args(&words[1..]).current_dir(sandbox.path("")).env_remove("NO_COLOR").stdin(Stdio::null());
    command.stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = command.spawn().unwrap();
    // It keeps the ends that the command writes to open.
    drop(command);
    let mut printed = String::new();
    reader.read_to_string(&mut printed).unwrap();
    let code = child.wait().unwrap().code().expect("an exit code");
    let directory = sandbox.path("").canonicalize().unwrap();
    (printed.trim_end().replace(directory.to_str().unwrap(), DIRECTORY), code)
}
