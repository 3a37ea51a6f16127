//! What the command reads beside its inputs, for the fuzz targets: no text panics, and what is written is read as it was.

use std::path::Path;

use clap::ValueEnum;

use super::Common;
use super::assign;
use super::baseline::Baseline;
use super::check::Settings;
use super::config;
use super::names_table;
use super::output::Paint;
use super::report::json::{self, Recorded};
use super::report::{Accepted, Checked, Run, Style, Subject};
use bindpose::{Budget, File};

/// Reads a report of files, and baselines, which are reports as well.
///
/// # Panics
///
/// If a law is violated, as do the others.
pub fn report(bytes: &[u8]) {
    let known = [Subject::Roundtrip, Subject::Check]
        .map(|subject| Baseline::of_lines(bytes, Path::new("known.jsonl"), subject).ok());
    let Ok(run) = json::read(bytes) else { return };
    let text = written(&run.files, Style::Json);
    let again = json::read(&*text).expect("a written report is one");
    assert_eq!(
        text.escape_ascii().to_string(),
        written(&again.files, Style::Json).escape_ascii().to_string()
    );
    for style in Style::value_variants() {
        _ = written(&run.files, *style);
    }
    for mut baseline in known.into_iter().flatten() {
        for file in &run.files {
            baseline.holds(Path::new(&file.path.text), &mut file.row.clone(), &|_| true);
        }
    }
}

/// The report of files that were read from another one.
fn written(files: &[Recorded], style: Style) -> Vec<u8> {
    let subject = files.first().map_or(Subject::Check, |first| first.subject);
    let common = Common { verbose: true, ..Common::default() };
    let mut reports = vec![style.report(subject, common, Paint::NONE)];
    reports.extend(style.statistics(common, Paint::NONE).ok().filter(|_| style != Style::Json));
    let mut text = Vec::new();
    for mut report in reports {
        for file in files {
            let accepted = Accepted { known: file.known, damage: false };
            let file = Checked { subject: file.subject, path: &file.path, row: &file.row, accepted };
            report.file(file, &mut text).expect("memory");
        }
        report.end(&Run::default(), &mut text).expect("memory");
    }
    text
}

/// Reads the settings of a project.
pub fn configuration(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(sections) = config::parse(text, "bindpose.toml", Path::new("/assets")) else { return };
    for section in &sections {
        _ = Settings::new(section);
        _ = section.scope.contains(Path::new("/assets/heroes/hero.psk"));
    }
}

/// Reads a table of names.
pub fn names(bytes: &[u8]) {
    let Ok(rows) = names_table::parse(bytes) else { return };
    assert!(!rows.is_empty() && rows.iter().all(|(_, pair)| !pair.old.is_empty()));
}

/// Reads assignments, and applies them to a file.
pub fn assignments(bytes: &[u8], file: Option<File>) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(all) = assign::of_lines(text) else { return };
    let Some(mut file) = file else { return };
    if assign::apply_all(&all, &mut file, &mut Vec::new(), &Budget::default()).is_ok()
        && file.encode().is_ok()
    {
        _ = file.reread();
    }
}
