//! What other people's pipelines use: the action and the hook.

#![cfg(unix)]

use std::path::PathBuf;

use crate::sandbox::workspace;

fn root(name: &str) -> PathBuf {
    workspace().join(name)
}

mod action {
    use std::process::{Command, Output};

    use super::root;
    use crate::sandbox::{Sandbox, damaged, valid};

    /// Runs the action's script as the service would, with these inputs; the others are empty.
    fn run(sandbox: &Sandbox, inputs: &[(&str, &str)]) -> Output {
        let mut command = Command::new("bash");
        command.arg(root(".github/run.sh")).current_dir(sandbox.path("."));
        command.env("BINDPOSE", env!("CARGO_BIN_EXE_bindpose"));
        command.env("GITHUB_STEP_SUMMARY", sandbox.path("step.md"));
        for input in ["MODE", "PATHS", "ARGS", "BASELINE", "CACHE", "SARIF", "JSON"] {
            let value = inputs
                .iter()
                .find(|(name, _)| *name == input)
                .map_or(if input == "MODE" { "roundtrip" } else { "" }, |(_, value)| value);
            command.env(format!("INPUT_{input}"), value);
        }
        command.output().unwrap()
    }

    #[test]
    fn it_annotates_reports_and_fails() {
        let sandbox = Sandbox::new();
        sandbox.write("assets/a.ms3d", damaged());
        sandbox.write("more models/b.ms3d", valid());
        let inputs = [("PATHS", "assets\nmore models"), ("SARIF", "out.sarif"), ("JSON", "out.jsonl")];
        let output = run(&sandbox, &inputs);
        let log = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{log}");
        assert!(log.starts_with("::error file=assets/a.ms3d,"), "{log}");
        assert!(sandbox.read("step.md").contains("1 is damaged"));
        assert!(sandbox.read("out.sarif").contains("roundtrip/damaged"));
        assert_eq!(sandbox.read("out.jsonl").lines().count(), 2);
    }

    #[test]
    fn its_inputs_are_options_of_the_command() {
        let sandbox = Sandbox::new();
        sandbox.write("assets/a.ms3d", damaged());
        let code = |inputs: &[(&str, &str)]| run(&sandbox, inputs).status.code();
        assert_eq!(code(&[("PATHS", "assets"), ("ARGS", "--allow-damaged --jobs 1")]), Some(0));
        assert_eq!(code(&[("PATHS", "assets"), ("JSON", "known.jsonl")]), Some(1));
        assert_eq!(code(&[("PATHS", "assets"), ("BASELINE", "known.jsonl"), ("CACHE", "cache")]), Some(0));
        assert!(sandbox.read("cache").contains("a.ms3d"));
        assert_eq!(code(&[("PATHS", "nowhere")]), Some(3));
    }

    #[test]
    fn globs_in_its_options_reach_the_command() {
        let sandbox = Sandbox::new();
        // Names that the shell would expand the glob to, and that hide the damaged file.
        sandbox.write("a.ms3d", valid());
        sandbox.write("b.ms3d", valid());
        sandbox.write("models/broken.ms3d", damaged());
        for options in ["-g *.ms3d", "-g\n*.ms3d\n--jobs 1"] {
            let output = run(&sandbox, &[("PATHS", "."), ("ARGS", options)]);
            let log = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(1), "{options}: {log}");
            assert!(log.contains("models/broken.ms3d"), "{log}");
        }
    }

    #[test]
    fn it_passes_every_declared_input() {
        let action = std::fs::read_to_string(root("action.yml")).unwrap();
        let declared = action.split("inputs:\n").nth(1).unwrap().split("\nruns:").next().unwrap();
        let names = declared.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
        let names: Vec<_> = names.filter(|name| !name.starts_with(' ')).collect();
        let install = ["version", "base-url"];
        assert_eq!(names.len(), 9);
        for name in names.into_iter().filter(|name| !install.contains(name)) {
            let handed = format!("INPUT_{}: ${{{{ inputs.{name} }}}}", name.to_uppercase());
            assert!(action.contains(&handed), "{handed}");
        }
    }

    #[test]
    fn its_modes_are_verbs() {
        let sandbox = Sandbox::new();
        sandbox.write("a.ms3d", valid());
        sandbox.write("b.ms3d", damaged());
        let code = |inputs: &[(&str, &str)]| run(&sandbox, inputs).status.code();
        assert_eq!(code(&[("MODE", "check"), ("PATHS", "b.ms3d")]), Some(1));
        assert_eq!(code(&[("MODE", "diff"), ("PATHS", "a.ms3d\nb.ms3d")]), Some(1));
        assert_eq!(code(&[("MODE", "diff"), ("PATHS", "a.ms3d\na.ms3d")]), Some(0));
        assert_eq!(code(&[("MODE", "export"), ("PATHS", "a.ms3d")]), Some(2));
    }

    /// Packs this build as a release and installs it.
    #[test]
    fn it_installs_an_archive_only_if_the_checksum_matches() {
        let sandbox = Sandbox::new();
        let target = if cfg!(target_os = "linux") && cfg!(target_arch = "x86_64") {
            "x86_64-unknown-linux-musl"
        } else {
            return;
        };
        let archives = sandbox.path("archives");
        let packed = Command::new("bash")
            .arg(root("packaging/archive"))
            .args([target, env!("CARGO_BIN_EXE_bindpose")])
            .arg(&archives)
            .env("SOURCE_DATE_EPOCH", "0")
            .output()
            .unwrap();
        assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));
        let install = |place: &str| {
            let mut command = Command::new("bash");
            command.arg(root(".github/install.sh")).env("VERSION", env!("CARGO_PKG_VERSION"));
            command.env("BASE_URL", format!("file://{}", archives.to_str().expect("a UTF-8 path")));
            command.env("DESTINATION", sandbox.path(place)).output().unwrap()
        };
        let installed = install("tools");
        assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
        let command = String::from_utf8(installed.stdout).unwrap();
        let version = Command::new(command.trim()).arg("--version").output().unwrap();
        assert!(version.status.success());
        let archive = archives.join(format!("bindpose-{}-{target}.tar.gz", env!("CARGO_PKG_VERSION")));
        let mut bytes = std::fs::read(&archive).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&archive, bytes).unwrap();
        assert!(!install("others").status.success(), "a changed archive");
    }
}
