//! `git-setup` in a repository.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::sandbox::{Sandbox, valid};

/// A repository with the configuration of `git-setup`; none if git is not installed.
struct Repository(Sandbox);

impl Repository {
    fn new() -> Option<Self> {
        Command::new("git").arg("--version").output().ok()?;
        let own = Self(Sandbox::new());
        own.git(&["init", "-q", "-b", "main"]);
        own.0.write(".gitattributes", own.0.run(&["git-setup", "--attributes"]).out);
        let mut config = own.0.read(".git/config");
        config.push_str(&own.0.run(&["git-setup", "--config"]).out);
        own.0.write(".git/config", config + "[user]\n\tname = test\n\temail = test@localhost\n");
        own.0.write("a hero.ms3d", valid());
        own.commit();
        Some(own)
    }

    /// Runs git; returns its exit code and what it printed.
    fn git(&self, args: &[&str]) -> (i32, String) {
        let directory = Path::new(env!("CARGO_BIN_EXE_bindpose")).parent().unwrap();
        let paths = env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(directory.to_owned()).chain(env::split_paths(&paths));
        let mut command = Command::new("git");
        command.args(args).current_dir(self.0.path("")).env("PATH", env::join_paths(paths).unwrap());
        let ran =
            command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
        let text = [ran.stdout, ran.stderr].concat();
        (ran.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
    }

    fn set(&self, value: &str) {
        let ran = self.0.run(&["set", "a hero.ms3d", value, "--in-place", "--no-backup"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        assert_eq!(self.git(&["commit", "-q", "-m", "edit"]).0, 0);
    }

    /// Sets a value on a branch, another one on the main branch, and merges the branch.
    fn merge(&self, branch: &str, own: &str, theirs: &str) -> (i32, String) {
        self.git(&["checkout", "-q", "-b", branch]);
        self.set(theirs);
        self.commit();
        self.git(&["checkout", "-q", "main"]);
        self.set(own);
        self.commit();
        self.git(&["merge", "-q", "-m", "both", branch])
    }
}

#[test]
fn git_prints_the_values_that_differ() {
    let Some(repository) = Repository::new() else { return };
    repository.set("animation.fps=30");
    let (code, text) = repository.git(&["diff"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("a hero.ms3d") && text.contains("animation.fps: 24.0 -> 30.0"), "{text}");
    assert!(text.lines().count() < 4, "{text}");
    repository.commit();
    let (code, text) = repository.git(&["log", "-p", "-1"]);
    assert!(code == 0 && text.contains("\"fps\": 30"), "{text}");
    // A new file has nothing to be compared with.
    repository.0.write("new.ms3d", valid());
    repository.git(&["add", "-N", "new.ms3d"]);
    let (code, text) = repository.git(&["diff"]);
    assert_eq!((code, &*text), (0, "bindpose diff new.ms3d\nadded\n"));
    repository.commit();
    repository.git(&["mv", "new.ms3d", "old.ms3d"]);
    let (code, text) = repository.git(&["diff", "-M", "HEAD"]);
    assert_eq!((code, &*text), (0, "bindpose diff new.ms3d old.ms3d\n"));
    repository.git(&["rm", "-q", "-f", "old.ms3d"]);
    let (code, text) = repository.git(&["diff", "HEAD"]);
    assert_eq!((code, &*text), (0, "bindpose diff new.ms3d\ndeleted\n"));
}

#[test]
fn git_merges_edits_of_different_values() {
    let Some(repository) = Repository::new() else { return };
    let (code, text) = repository.merge("name", "animation.fps=30", "joints[1].name=head");
    assert_eq!(code, 0, "{text}");
    let ran = repository.0.run(&["get", "a hero.ms3d", "animation.fps", "joints[1].name"]);
    assert_eq!(ran.out, "animation.fps=30.0\njoints[\"head\"].name=head\n");
}

#[test]
fn git_reports_edits_of_one_value_as_a_conflict() {
    let Some(repository) = Repository::new() else { return };
    let (code, text) = repository.merge("slow", "animation.fps=30", "animation.fps=12");
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("a hero.ms3d: animation.fps: 30.0 in the first edit, 12.0 in the second"),
        "{text}"
    );
    assert!(repository.git(&["status", "--short"]).1.starts_with("UU"), "{text}");
    // git gives only the name of such a file.
    let (code, text) = repository.git(&["diff", "--ours"]);
    assert!(code == 0 && text.contains("bindpose diff a hero.ms3d\nunmerged\n"), "{text}");
}

/// git merges several common ancestors first, and goes on with what the driver leaves of a conflict.
#[test]
fn git_reports_a_conflict_of_branches_with_several_ancestors() {
    let Some(repository) = Repository::new() else { return };
    let on = |branch: &[&str], value: &str| {
        assert_eq!(repository.git(&[&["checkout", "-q"], branch].concat()).0, 0);
        if !value.is_empty() {
            repository.set(value);
            repository.commit();
        }
    };
    on(&["-b", "ours"], "joints[0].name=A");
    on(&["-b", "theirs", "main"], "joints[0].name=B");
    on(&["-b", "both", "ours"], "");
    assert_eq!(repository.git(&["merge", "-q", "-s", "ours", "-m", "x", "theirs"]).0, 0);
    on(&["theirs"], "");
    assert_eq!(repository.git(&["merge", "-q", "-s", "ours", "-m", "y", "ours"]).0, 0);
    repository.set("animation.fps=30");
    repository.commit();
    on(&["both"], "");
    let (code, text) = repository.git(&["merge", "-q", "-m", "z", "theirs"]);
    assert_eq!(code, 1, "{text}");
    assert!(repository.git(&["status", "--short"]).1.starts_with("UU"), "{text}");
}

#[test]
fn git_takes_a_name_that_starts_with_a_hyphen() {
    let Some(repository) = Repository::new() else { return };
    repository.git(&["mv", "--", "a hero.ms3d", "-x.ms3d"]);
    repository.commit();
    let set = |value: &str| repository.0.run(&["set", "./-x.ms3d", value, "--in-place", "--no-backup"]);
    assert_eq!(set("animation.fps=30").code, 0);
    let (code, text) = repository.git(&["diff"]);
    assert!(code == 0 && text.contains("animation.fps: 24.0 -> 30.0"), "{text}");
    repository.git(&["checkout", "-q", "-b", "other"]);
    repository.commit();
    repository.git(&["checkout", "-q", "main"]);
    assert_eq!(set("joints[1].name=head").code, 0);
    repository.commit();
    let (code, text) = repository.git(&["merge", "-q", "-m", "both", "other"]);
    assert_eq!(code, 0, "{text}");
}

#[test]
fn git_keeps_the_line_ends_of_files() {
    let Some(repository) = Repository::new() else { return };
    repository.git(&["config", "core.autocrlf", "true"]);
    let text = "<HEADER MAGIC=\"XSF\" VERSION=\"919\" />\n<SKELETON NUMBONES=\"0\" />\n";
    repository.0.write("empty.xsf", text);
    repository.commit();
    repository.git(&["rm", "-q", "--cached", "empty.xsf"]);
    repository.git(&["reset", "-q", "--hard"]);
    assert_eq!(repository.0.read("empty.xsf"), text);
}

#[test]
fn a_file_that_both_sides_add_is_named() {
    let Some(repository) = Repository::new() else { return };
    let add = |content: &[u8]| {
        repository.0.write("new.ms3d", content);
        repository.commit();
    };
    repository.git(&["checkout", "-q", "-b", "theirs"]);
    add(&valid());
    repository.git(&["checkout", "-q", "main"]);
    add(&crate::sandbox::sample("corpus/ms3d/tent.ms3d"));
    let (code, text) = repository.git(&["merge", "-q", "-m", "both", "theirs"]);
    assert_eq!(code, 1);
    assert!(text.contains("new.ms3d: both sides add the file"), "{text}");
    assert!(text.contains("git checkout --ours FILE"), "{text}");
}
