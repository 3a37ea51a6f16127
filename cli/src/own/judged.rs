//! The verbs that report on several files.

use indicatif::ProgressBar;

use super::super::check::MOST;
use super::super::exit::guarded;
use super::super::files::{Filter, list};
use super::super::report::{Accepted, Note, ReportArgs, Subject};
use super::super::verdict::{FormatName, Found, Row, Verdict};
use super::Own;
use super::formats::Known;
use crate::prelude::*;
use bindpose::codec::{self, Format};
use bindpose::{Options, check_format};

#[derive(Args)]
pub(super) struct Judged {
    /// Files or directories; `@list.txt` for a list of them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    report: ReportArgs,
}

impl Own {
    pub(super) fn report(
        &self,
        (subject, judged): (Subject, &Judged),
        formats: &[Known],
        output: &mut Output,
    ) -> Result<Exit> {
        let allows_damage = judged.report.allow_damaged;
        let mut reports = judged.report.open((subject, false), output, ProgressBar::hidden())?;
        for item in list(&judged.paths, &[], &judged.filter)? {
            let Some(mut row) = self.judge(subject, &item, formats)? else {
                reports.run.foreign += 1;
                continue;
            };
            if allows_damage {
                row.accept_damage();
            }
            let accepted = Accepted { known: false, damage: allows_damage };
            if reports.file(&PathName::of(&item.path), &row, accepted).is_break() {
                break;
            }
        }
        if !reports.matched() {
            reports.run.note = Some(Note::Nothing);
        }
        Ok(reports.end())
    }

    /// The result for a file; none for one of another format that was found in a directory.
    fn judge(&self, subject: Subject, item: &Item, formats: &[Known]) -> Result<Option<Row>> {
        let judged = item.is_listed().and_then(|()| {
            if !item.named && self.detected(formats, &item.path)?.is_none() {
                return Ok(None);
            }
            let known = self.format_of(formats, Some(&item.path))?;
            let bytes = self.bytes(&item.path)?;
            guarded(|| Ok(Some((known.judge)(subject, &bytes, &self.options()))))
        });
        match judged {
            Err(failure) if failure.exit != Exit::Usage => Ok(Some(failed(failure))),
            judged => judged,
        }
    }
}

pub(super) fn judge<F: Format>(subject: Subject, bytes: &[u8], options: &Options) -> Row {
    let format = FormatName { name: F::INFO.name.into(), dialect: None };
    let len = bytes.len() as u64;
    if subject == Subject::Roundtrip {
        return Row::judged(format, len, codec::roundtrip::<F>(bytes, options));
    }
    let file = match F::decode_with(bytes, options) {
        Ok(file) => file,
        Err(error) => return Row::judged(format, len, error.into()),
    };
    let findings = Found::of_value(check_format(&file, bytes, MOST), &file);
    let row = Row { findings, ..Row::judged(format, len, codec::verify(&file, bytes)) };
    match row.verdict {
        // A finding reports it.
        Verdict::Damaged => Row { verdict: Verdict::Lossless, trouble: None, ..row },
        _ => row,
    }
}

/// The result for a file that could not be judged.
fn failed(failure: Failure) -> Row {
    // The last of a code: a file of unknown format is not decoded.
    let verdict = Verdict::ALL.into_iter().rev().find(|own| own.exit() == failure.exit);
    Row::failed(verdict.unwrap_or(Verdict::UnknownFormat), 0, failure.message)
}

#[cfg(test)]
mod tests {
    use super::judge;
    use crate::report::Subject;
    use bindpose::codec::Format;
    use bindpose::formats::ms3d::{Group, Ms3d};
    use bindpose::wire::FixedStr;

    #[test]
    fn a_finding_has_the_name_of_its_object() {
        let mut file = Ms3d::blank_file();
        file.groups.push(Group {
            name: FixedStr::new(b"body").expect("short"),
            material_index: 3,
            ..Group::default()
        });
        let bytes = file.encode().expect("a file");
        let row = judge::<Ms3d>(Subject::Check, &bytes, &file.options());
        let objects: Vec<_> = row.findings.iter().map(|found| found.object.as_deref()).collect();
        assert_eq!(objects, [Some(r#"groups["body"].material_index"#)]);
    }
}
