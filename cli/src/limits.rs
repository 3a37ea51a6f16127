//! What reading may cost.

use clap::Args;

use bindpose::Limits;

/// The arguments that bound what a file may cost.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitArgs {
    /// Refuse files, and packed parts, of more bytes; 512M, 2Gi
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,
    /// Refuse objects that stand deeper inside one another
    #[arg(long, value_name = "N")]
    max_depth: Option<usize>,
}

impl LimitArgs {
    /// The limits for the decoder.
    pub fn limits(self) -> Limits {
        let mut limits = Limits::default();
        limits.max_unpacked = self.max_memory.unwrap_or(limits.max_unpacked);
        limits.max_depth = self.max_depth.unwrap_or(limits.max_depth);
        limits
    }

    /// Whether a file of this length may be read at all; otherwise why not.
    pub fn admit(self, len: u64) -> Result<(), String> {
        match self.max_memory {
            Some(most) if len > most => Err(format!("has {len} bytes, more than --max-memory {most} allows")),
            _ => Ok(()),
        }
    }
}

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
        _ => return Err("a size is a number of bytes, or of k, M, G, T, or of Ki, Mi, Gi, Ti".into()),
    };
    let number: u64 = number.parse().map_err(|_| "a size starts with a whole number")?;
    number.checked_mul(base.pow(power)).ok_or_else(|| "more than any file can have".into())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_read_as_people_write_them() {
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
