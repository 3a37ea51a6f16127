//! The picture of the README: a terminal with what the command really prints.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use super::sandbox::workspace;

const COMMANDS: [&str; 3] = [
    "info tests/corpus/ms3d/full.ms3d",
    "get tests/corpus/ms3d/full.ms3d joints[*].name animation.fps",
    "set tests/corpus/ms3d/full.ms3d animation.fps=30 --dry-run",
];

const LINE: usize = 18;

#[test]
fn the_picture_of_the_readme_is_fresh() {
    let path = workspace().join("docs/capture.svg");
    let fresh = picture();
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &fresh).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
    assert!(
        there == fresh,
        "docs/capture.svg is stale: run BLESS=1 cargo test -p bindpose-cli --test cli picture"
    );
}

fn picture() -> String {
    let mut screen = String::new();
    for command in COMMANDS {
        _ = writeln!(screen, "$ bindpose {command}\n{}", output(command));
    }
    let lines: Vec<_> = screen.trim_end().lines().collect();
    let width = 9 * lines.iter().map(|line| line.chars().count()).max().unwrap_or_default() + 40;
    let height = LINE * lines.len() + 40;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"monospace\" \
         font-size=\"14\">\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#1d1f27\"/>\n"
    );
    for (at, line) in lines.iter().enumerate() {
        let colour = if line.starts_with("$ ") { "#8bd49c" } else { "#e4e6eb" };
        _ = writeln!(
            svg,
            "<text x=\"20\" y=\"{}\" fill=\"{colour}\" xml:space=\"preserve\">{}</text>",
            LINE * (at + 1) + 16,
            escaped(line)
        );
    }
    svg + "</svg>\n"
}

fn output(command: &str) -> String {
    let mut process = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    let output = process.args(command.split(' ')).current_dir(workspace()).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn escaped(line: &str) -> String {
    line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
