//! What results cannot represent.

use std::collections::BTreeMap;

use super::convert::name_of_family;
use super::json::Lines;
use crate::prelude::*;
use bindpose::scene::{Avoid, Loss, LossKind, Measure};

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    loss: &'a Loss,
    avoid: Option<String>,
}

/// The losses of a result. The options of the input have a prefix.
pub(super) struct Losses<'a> {
    pub losses: &'a [Loss],
    pub input: &'static str,
}

impl Losses<'_> {
    pub fn list(&self, format: Format, output: &mut Output) -> Result<()> {
        let mut lines = Lines::default();
        for loss in self.losses {
            let avoid = self.option(loss);
            if format == Format::Json {
                lines.write(output, &Line { loss, avoid })?;
            } else {
                let avoid = avoid.map_or_else(String::new, |option| format!(" ({option})"));
                writeln!(output, "{}: {}: {loss}{avoid}", loss.file, loss.kind().name())?;
            }
        }
        Ok(())
    }

    /// Prints how many there are, and a line for each kind with how far results are off and how many losses an option avoids.
    pub fn summarise(&self, shown: &str) {
        if self.losses.is_empty() {
            return;
        }
        note!("bindpose: {shown}: {}; --loss-report lists them", total(self.losses));
        for (kind, losses) in by_kind(self.losses) {
            let measures = losses.iter().filter_map(|loss| loss.measure);
            let most = measures.reduce(Measure::max);
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
            note!("  {kind}: {}{most}{}", losses.len(), options.collect::<String>());
        }
    }

    /// Returns the option that avoids a loss.
    fn option(&self, loss: &Loss) -> Option<String> {
        match loss.avoid? {
            Avoid::ReadRate => Some(format!("--{}rate", self.input)),
            Avoid::ReadUp => Some(format!("--{}up", self.input)),
            Avoid::KeepNodes => Some("--keep-nodes".to_owned()),
            Avoid::PairBones => Some("--bones".to_owned()),
            Avoid::Rate(rate) => Some(format!("--rate {rate}")),
            Avoid::Family(family) => Some(format!("--to {}", name_of_family(family))),
            _ => None,
        }
    }
}

/// The losses of each kind that occurs, the most severe first.
fn by_kind(losses: &[Loss]) -> Vec<(LossKind, Vec<&Loss>)> {
    let of = |kind| losses.iter().filter(|loss| loss.kind() == kind).collect();
    LossKind::ALL
        .into_iter()
        .map(|kind| (kind, of(kind)))
        .filter(|(_, own): &(_, Vec<_>)| !own.is_empty())
        .collect()
}

fn total(losses: &[Loss]) -> String {
    let noun = if losses.len() == 1 { "loss" } else { "losses" };
    format!("{} {noun}", losses.len())
}

/// The number of losses in words, and that of each kind.
pub(super) fn sums(losses: &[Loss]) -> String {
    let kinds: Vec<_> =
        by_kind(losses).into_iter().map(|(kind, own)| format!("{} {kind}", own.len())).collect();
    format!("{} ({})", total(losses), kinds.join(", "))
}
