//! A directory of its own for each test, and the command run in it.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A directory of its own, and one for the states of programs.
pub struct Sandbox(TempDir, TempDir);

/// What the command printed, and how it ended.
pub struct Ran {
    pub out: String,
    pub err: String,
    pub code: i32,
}

impl Ran {
    /// The objects of JSON Lines.
    pub fn json(&self) -> Vec<serde_json::Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    /// One field of every object.
    pub fn field(&self, name: &str) -> Vec<String> {
        self.json().iter().map(|line| line[name].as_str().unwrap_or("null").to_owned()).collect()
    }
}

impl Sandbox {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The directory for the states of programs.
    pub fn state(&self) -> &Path {
        self.1.path()
    }

    /// Writes a file, with its directories.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Copies a file or a folder of the repository to the same path.
    pub fn copy(&self, name: &str) {
        self.copy_as(&workspace().join(name), name);
    }

    /// Copies a file or a folder.
    pub fn copy_as(&self, source: &Path, name: &str) {
        if source.is_file() {
            self.write(name, fs::read(source).unwrap());
        } else {
            for entry in fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path()) {
                let inner = entry.file_name().unwrap().to_str().unwrap();
                self.copy_as(&entry, &format!("{name}/{inner}"));
            }
        }
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The command in this directory.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
        command.args(args).current_dir(self.0.path()).env_remove("NO_COLOR");
        command.env("XDG_STATE_HOME", self.1.path());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args).stdin(Stdio::null()).output().unwrap())
    }

    /// Runs a script in which `bindpose` is the command.
    #[cfg(unix)]
    pub fn shell(&self, script: &str) -> Ran {
        let script = script.replace("bindpose", env!("CARGO_BIN_EXE_bindpose"));
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(self.0.path()).env("XDG_STATE_HOME", self.1.path());
        ran(command.stdin(Stdio::null()).output().unwrap())
    }

    pub fn run_with_input(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A wrong argument ends the command before it has read all.
        match child.stdin.take().unwrap().write_all(input) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            written => written.unwrap(),
        }
        ran(child.wait_with_output().unwrap())
    }
}

fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { out: text(output.stdout), err: text(output.stderr), code: output.status.code().unwrap_or(-1) }
}

/// A valid file.
pub fn valid() -> Vec<u8> {
    sample("corpus/ms3d/full.ms3d")
}

/// A damaged file.
pub fn damaged() -> Vec<u8> {
    sample("damaged/ms3d/cut_in_comment.ms3d")
}

/// A sample: `corpus/ms3d/full.ms3d`.
pub fn sample(name: &str) -> Vec<u8> {
    fs::read(workspace().join("tests").join(name)).unwrap()
}

/// The folder that the packages are in.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
