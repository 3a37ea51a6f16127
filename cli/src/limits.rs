//! Limits on the cost of reading a file.

use clap::Args;

use super::exit::guarded;
use bindpose::{Budget, Document, Error, FormatSpec, LimitError, Limits, Options};

#[derive(Args, Clone, Copy, Debug)]
pub(super) struct LimitArgs {
    /// Fail if a file, or files that form one result, take more than SIZE of memory [default: 256 MiB and 8 times the files]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Limits")]
    max_memory: Option<u64>,
    /// Reject files with objects nested more than N deep
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<usize>,
}

impl LimitArgs {
    pub fn limits(self) -> Limits {
        let mut limits = Limits::default();
        if let Some(bytes) = self.max_memory {
            limits = limits.with_max_memory(bytes).with_max_memory_per_byte(0);
        }
        self.max_depth.map_or(limits, |levels| limits.with_max_depth(levels))
    }

    /// The memory of a file, or of files that are in memory together.
    pub fn memory(self) -> Memory {
        let budget = Budget::of(&self.limits(), 0);
        if self.max_memory.is_none() {
            budget.charge(PROGRAM).ok();
        }
        Memory { args: self, budget }
    }

    /// The longest input that may be read. One of unknown length may not end.
    pub fn longest(self, len: Option<u64>) -> u64 {
        let default = len.map_or(Limits::default().max_memory, |_| u64::MAX);
        self.max_memory.unwrap_or(default)
    }
}

/// The memory of the program itself.
const PROGRAM: u64 = 32 << 20;

/// The memory of a file, or of files that are in memory together: from reading them to writing the result.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    args: LimitArgs,
    budget: Budget,
}

impl Memory {
    /// The account that all steps draw from.
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Permits memory that arguments ask for, unless a limit was specified.
    pub fn permit(&self, bytes: u64) {
        self.budget.admit(bytes.div_ceil(Limits::default().max_memory_per_byte));
    }

    /// The longest input that may be read.
    pub fn longest(&self, len: Option<u64>) -> u64 {
        self.args.longest(len)
    }

    /// The options for decoding a file of a length.
    pub fn options(&self, spec: FormatSpec, len: usize) -> Options {
        self.budget.admit(len as u64);
        spec.options(self.args.limits()).with_budget(self.budget.clone())
    }

    /// Decodes a file of a length in one of several ways. What it takes is charged only if it succeeds; a panic is a failure.
    pub fn attempt<T>(
        &self,
        spec: FormatSpec,
        len: u64,
        decode: impl FnOnce(&Options) -> Option<T>,
    ) -> Option<T> {
        let limits = self.args.limits();
        let own = Budget::of(&limits.with_max_memory(self.budget.left()), len);
        let decoded = guarded(|| Ok(decode(&spec.options(limits).with_budget(own.clone())))).ok()??;
        self.budget.admit(len);
        self.budget.charge(own.used()).ok()?;
        Some(decoded)
    }

    /// Charges copies of decoded files: one that is edited, and one that the edit makes.
    pub fn copies<'a>(&self, files: impl IntoIterator<Item = &'a Document>) -> Result<Budget, Error> {
        let bytes: usize = files.into_iter().map(|file| file.bytes().len()).sum();
        let decoded = self.budget.used().saturating_sub(bytes as u64);
        self.grant(decoded.saturating_mul(2))
    }

    /// Charges temporary memory, such as a copy of what a file is decoded to, until the returned account is dropped.
    pub fn grant(&self, bytes: u64) -> Result<Budget, Error> {
        Ok(self.budget.grant(bytes)?)
    }
}

/// How to permit what a limit refuses.
pub(super) const fn help(why: &LimitError) -> Option<&'static str> {
    match why {
        LimitError::Memory { .. } => Some(MORE_MEMORY),
        LimitError::Depth { .. } => Some("permit deeper nesting with `--max-depth N`"),
        _ => None,
    }
}

pub(super) const MORE_MEMORY: &str = "permit more memory with `--max-memory SIZE`";

/// A number of bytes: `1000`, `512M`, `2Gi`, `2GiB`.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start().to_ascii_lowercase();
    let unit = unit.strip_suffix('b').unwrap_or(&unit);
    let (letter, base) = unit.strip_suffix('i').map_or((unit, 1000_u64), |letter| (letter, 1024));
    let power = match letter {
        "" if base == 1000 => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err("expected a number of bytes, with a unit of k, M, G, T, Ki, Mi, Gi or Ti".into()),
    };
    let number: u64 = number.parse().map_err(|_| "expected a whole number, such as 512M")?;
    number.checked_mul(base.pow(power)).ok_or_else(|| "exceeds 64 bits".into())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn a_size_may_have_a_unit() {
        let texts = ["0", "1000", "512M", "2Gi", "2GiB", "3 kB"];
        assert_eq!(
            texts.map(|text| size(text).ok()),
            [0, 1000, 512_000_000, 2 << 30, 2 << 30, 3000].map(Some)
        );
        for text in ["", "M", "1X", "1i", "-1", "99999999T"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
