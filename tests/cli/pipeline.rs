//! What other people's pipelines use: the action and the hook.

use std::path::PathBuf;

use crate::sandbox::workspace;

fn root(name: &str) -> PathBuf {
    workspace().join(name)
}

#[cfg(unix)]
mod action {
    use std::process::{Command, Output};

    use super::root;
    use crate::sandbox::{Sandbox, damaged, valid};

    /// Runs the action's script as the service would, with these inputs; the others are empty.
    fn run(sandbox: &Sandbox, inputs: &[(&str, &str)]) -> Output {
        let mut command = Command::new("bash");
        command.arg(root(".github/roundtrip.sh")).current_dir(sandbox.path("."));
        command.env("BINDPOSE", env!("CARGO_BIN_EXE_bindpose"));
        command.env("GITHUB_STEP_SUMMARY", sandbox.path("step.md"));
        for input in ["PATHS", "ARGS", "BASELINE", "CACHE", "SARIF", "JSON"] {
            let value = inputs.iter().find(|(name, _)| *name == input).map_or("", |(_, value)| value);
            command.env(format!("INPUT_{input}"), value);
        }
        command.output().unwrap()
    }

    #[test]
    fn it_annotates_reports_and_fails() {
        let sandbox = Sandbox::new();
        sandbox.write("assets/a.ms3d", damaged());
        sandbox.write("more/b.ms3d", valid());
        let inputs = [("PATHS", "assets more"), ("SARIF", "out.sarif"), ("JSON", "out.jsonl")];
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
    fn it_passes_every_declared_input() {
        let action = std::fs::read_to_string(root("action.yml")).unwrap();
        let declared = action.split("inputs:\n").nth(1).unwrap().split("\nruns:").next().unwrap();
        let names = declared.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
        let names: Vec<_> = names.filter(|name| !name.starts_with(' ')).collect();
        assert_eq!(names.len(), 6);
        for name in names {
            let handed = format!("INPUT_{}: ${{{{ inputs.{name} }}}}", name.to_uppercase());
            assert!(action.contains(&handed), "{handed}");
        }
    }
}
