//! What results cannot represent.

use std::collections::BTreeMap;
use std::io::Write;

use serde::Serialize;

use super::Format;
use super::exit::Failure;
use super::json::Lines;
use super::output::Output;
use bindpose::scene::{Avoid, Loss, LossKind, Measure};

/// A line of the loss report.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    kind: &'static str,
    loss: String,
    what: String,
    why: String,
    subjects: Vec<Subject<'a>>,
    count: Option<usize>,
    measure: Option<Measured>,
    avoid: Option<String>,
}

#[derive(Serialize)]
struct Subject<'a> {
    kind: &'static str,
    name: &'a str,
}

#[derive(Serialize)]
struct Measured {
    metres: f32,
    degrees: f32,
    scale: f32,
    seconds: Option<f32>,
}

impl From<Measure> for Measured {
    fn from(own: Measure) -> Self {
        Self { metres: own.metres, degrees: own.degrees, scale: own.scale, seconds: own.seconds }
    }
}

/// The losses of a result. The options of the input have a prefix.
pub(super) struct Losses<'a> {
    pub losses: &'a [&'a Loss],
    pub input: &'static str,
}

impl Losses<'_> {
    /// Prints a line for each loss.
    pub fn list(&self, format: Format, output: &mut Output) -> Result<(), Failure> {
        let mut lines = Lines::default();
        for loss in self.losses {
            let (file, kind, avoid) = (&*loss.file, loss.kind().name(), self.option(loss));
            if format == Format::Json {
                let subjects = loss.subjects.iter();
                let line = Line {
                    file,
                    kind,
                    loss: loss.lost.name(),
                    what: loss.what(),
                    why: loss.why(),
                    subjects: subjects.map(|own| Subject { kind: own.kind, name: &own.name }).collect(),
                    count: (loss.count > 0).then_some(loss.count),
                    measure: loss.measure.map(Measured::from),
                    avoid,
                };
                lines.write(output, &line)?;
            } else {
                let avoid = avoid.map_or_else(String::new, |option| format!(" ({option})"));
                writeln!(output, "{file}: {kind}: {loss}{avoid}")?;
            }
        }
        Ok(())
    }

    /// Prints how many there are, and a line for each kind with how far results are off and how many losses an option avoids.
    pub fn summarise(&self, shown: &str) {
        if self.losses.is_empty() {
            return;
        }
        eprintln!("bindpose: {shown}: {}; --loss-report lists them", total(self.losses));
        for (kind, losses) in by_kind(self.losses) {
            let measures = losses.iter().filter_map(|loss| loss.measure);
            let key = |own: &Measure| (own.metres, own.degrees, own.scale);
            let most = measures.reduce(|one, other| if key(&other) > key(&one) { other } else { one });
            let mut avoided = BTreeMap::<_, usize>::new();
            for option in losses.iter().filter_map(|loss| self.option(loss)) {
                *avoided.entry(option).or_default() += 1;
            }
            let most = most.map_or_else(String::new, |most| format!(", {most}"));
            let options = avoided.iter().map(|(option, count)| match losses.len() {
                1 => format!("; {option} avoids it"),
                all if *count == all => format!("; {option} avoids them"),
                _ => format!("; {option} avoids {count} of them"),
            });
            eprintln!("  {kind}: {}{most}{}", losses.len(), options.collect::<String>());
        }
    }

    /// Returns the option that avoids a loss.
    fn option(&self, loss: &Loss) -> Option<String> {
        match loss.avoid? {
            Avoid::ReadRate => Some(format!("--{}rate", self.input)),
            Avoid::ReadUp => Some(format!("--{}up", self.input)),
            Avoid::KeepNodes => Some("--keep-nodes".to_owned()),
            Avoid::Rate(rate) => Some(format!("--rate {rate}")),
            _ => None,
        }
    }
}

/// The losses of each kind that occurs, the gravest first.
fn by_kind<'a>(losses: &[&'a Loss]) -> Vec<(LossKind, Vec<&'a Loss>)> {
    let of = |kind| losses.iter().copied().filter(|loss| loss.kind() == kind).collect();
    LossKind::ALL
        .into_iter()
        .map(|kind| (kind, of(kind)))
        .filter(|(_, own): &(_, Vec<_>)| !own.is_empty())
        .collect()
}

/// The number of losses in words.
fn total(losses: &[&Loss]) -> String {
    let noun = if losses.len() == 1 { "loss" } else { "losses" };
    format!("{} {noun}", losses.len())
}

/// The number of losses in words, and that of each kind.
pub(super) fn sums(losses: &[&Loss]) -> String {
    let kinds: Vec<_> =
        by_kind(losses).into_iter().map(|(kind, own)| format!("{} {kind}", own.len())).collect();
    format!("{} ({})", total(losses), kinds.join(", "))
}
