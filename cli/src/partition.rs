//! One run split over several machines.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use super::files::slashed;

/// The part of the files that this run processes: `slice:2/4`, `hash:2/4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(super) struct Partition {
    by: By,
    /// Counted from 1.
    part: u64,
    parts: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// Every n-th file of the list, for parts of equal size.
    Slice,
    /// By a hash of the path: stable as files are added or removed.
    Hash,
}

impl Partition {
    /// The number of this part, counted from 1, and the number of all parts.
    pub const fn numbers(self) -> (u64, u64) {
        (self.part, self.parts)
    }

    /// Whether both are parts of a whole that is divided in the same way.
    pub fn is_like(self, other: Self) -> bool {
        (self.by, self.parts) == (other.by, other.parts)
    }

    /// Whether the file at `index` of the whole list belongs to this part.
    pub fn holds(self, index: usize, path: &Path) -> bool {
        let number = match self.by {
            By::Slice => index as u128,
            By::Hash => hash(path),
        };
        number % u128::from(self.parts) == u128::from(self.part - 1)
    }
}

/// A hash that is the same on every platform.
fn hash(path: &Path) -> u128 {
    let path = slashed(path);
    XxHash3_128::oneshot(path.strip_prefix("./").unwrap_or(&path).as_bytes())
}

impl fmt::Display for Partition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = match self.by {
            By::Slice => "slice",
            By::Hash => "hash",
        };
        write!(out, "{by}:{}/{}", self.part, self.parts)
    }
}

impl From<Partition> for String {
    fn from(partition: Partition) -> Self {
        partition.to_string()
    }
}

impl TryFrom<String> for Partition {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (by, share) = text.split_once(':')?;
            let by = match by {
                "slice" => By::Slice,
                "hash" => By::Hash,
                _ => return None,
            };
            let (part, parts) = share.split_once('/')?;
            let (part, parts) = (part.parse().ok()?, parts.parse().ok()?);
            (1..=parts).contains(&part).then_some(Self { by, part, parts })
        };
        parse().ok_or_else(|| "expected slice:M/N or hash:M/N, with M from 1 to N".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str) -> Partition {
        text.parse().unwrap()
    }

    #[test]
    fn each_file_is_in_exactly_one_part() {
        for by in ["slice", "hash"] {
            for index in 0..1000 {
                let path = format!("assets/{index}.psk");
                let parts = (1..=4).filter(|m| part(&format!("{by}:{m}/4")).holds(index, Path::new(&path)));
                assert_eq!(parts.count(), 1, "{by} {path}");
            }
        }
    }

    #[test]
    fn a_hash_part_does_not_depend_on_the_list_and_never_changes() {
        let part = part("hash:1/4");
        assert_eq!(
            part.holds(0, Path::new("assets/hero.psk")),
            part.holds(9, Path::new("./assets/hero.psk"))
        );
        let first: Vec<_> = (0..12).filter(|i| part.holds(0, Path::new(&format!("{i}.psk")))).collect();
        assert_eq!(first, [2, 7, 9], "other numbers would break running pipelines");
    }

    #[test]
    fn a_part_outside_of_the_whole_is_refused() {
        for text in ["slice:0/4", "slice:5/4", "slice:1/0", "count:1/2", "slice:1", "hash:a/b"] {
            assert!(text.parse::<Partition>().is_err(), "{text}");
        }
    }
}
