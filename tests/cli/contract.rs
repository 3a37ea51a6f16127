//! The fields of the machine output, which scripts depend on.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use crate::sandbox::{Sandbox, workspace};

/// Commands whose output together has every field.
const COMMANDS: &[&[&str]] = &[
    &["roundtrip", "tests/corpus/ms3d", "tests/damaged/ms3d", "LICENSE-MIT"],
    &["check", "tests/corpus/psk", "tests/damaged/ms3d"],
    &["check", "tests/corpus/psk", "--partition", "hash:1/2"],
    &["check", "tests/corpus/psk", "--statistics"],
    &["check", "--explain", "psk"],
    &["check", "--match", "tests/corpus/psk"],
    &["info", "tests/corpus/ms3d/full.ms3d", "tests/corpus/unigine", "tests/damaged/ms3d/cut_in_keys.ms3d"],
    &["map", "tests/corpus/directx/skinned.x"],
    &["tree", "tests/corpus/directx/skinned.x"],
    &["get", "tests/corpus/ms3d", "joints[*].name"],
    &["set", "tests/corpus/directx/skinned.x", "Mesh.vertices[0].x=1", "--dry-run"],
    &["rename", "tests/corpus/ms3d/full.ms3d", "--bone", "root=hip", "--dry-run"],
    &["diff", "tests/corpus/psk/set.psk", "tests/corpus/psk/rules.psk"],
    &["diff", "tests/corpus/psk/set.psk", "tests/corpus/psk/rules.psk", "--summary"],
    &["export", "tests/corpus/ms3d/full.ms3d", "-o", "contract.glb", "--loss-report"],
    &["schema"],
];

#[test]
fn the_fields_of_the_json_output_are_listed() {
    let sandbox = Sandbox::new();
    for name in ["tests/corpus", "tests/damaged", "LICENSE-MIT"] {
        sandbox.copy(name);
    }
    let mut fresh = String::new();
    for args in COMMANDS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
        let output =
            command.current_dir(sandbox.path(".")).args(*args).args(["--format", "json"]).output().unwrap();
        let mut fields = BTreeSet::new();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            collect("", &serde_json::from_str(line).expect("a line of JSON"), &mut fields);
        }
        assert!(!fields.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        let verb = args[0];
        fresh.extend(fields.iter().map(|field| format!("{verb} {field}\n")));
    }
    let path = workspace().join("tests/api/json.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
    assert!(there == fresh, "tests/api/json.txt is stale: run BLESS=1 cargo test -p bindpose-cli contract");
}

/// Collects the fields of a value with their types.
fn collect(path: &str, value: &Value, fields: &mut BTreeSet<String>) {
    let kind = match value {
        Value::Null => return,
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(items) => {
            for item in items {
                collect(&format!("{path}[]"), item, fields);
            }
            return;
        }
        Value::Object(object) => {
            for (name, value) in object {
                let dot = if path.is_empty() { "" } else { "." };
                collect(&format!("{path}{dot}{name}"), value, fields);
            }
            return;
        }
    };
    fields.insert(format!("{path}: {kind}"));
}

#[test]
fn the_version_is_the_same_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, line) in [
        ("action.yml", format!("    default: {version}")),
        ("bindings/blender/blender_manifest.toml", format!("version = \"{version}\"")),
        ("docs/python.md", format!("    rev: v{version}")),
        ("packaging/gitlab.yml", format!("    BINDPOSE_VERSION: {version}")),
        ("pyproject.toml", format!("dependencies = [\"bindpose=={version}\"]")),
        ("docs/guide/validate.md", format!("  rev: v{version}")),
    ] {
        let text = std::fs::read_to_string(workspace().join(file)).unwrap();
        assert!(text.lines().any(|own| own == line), "{file}: expected the line {line:?}");
    }
}
