//! Another encoding of the same `.x` file.

use std::path::Path;

use clap::ValueEnum;

use crate::destination::Destination;
use crate::load;
use crate::prelude::*;
use crate::write::Results;
use bindpose::File;
use bindpose::codec::Format as _;
use bindpose::files::Place;
use bindpose::formats::directx::{self, X};

/// The encodings of `.x`, by the names in its header.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Encoding {
    /// Text
    Txt,
    /// Binary
    Bin,
    /// Compressed text
    Tzip,
    /// Compressed binary
    Bzip,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FloatSize {
    #[value(name = "32")]
    Single,
    #[value(name = "64")]
    Double,
}

/// What to encode, and how.
pub(super) struct Job<'a> {
    pub path: &'a Path,
    pub file: &'a File,
    pub to: Encoding,
    pub float_size: Option<FloatSize>,
}

impl Job<'_> {
    pub fn run(&self, to: Destination<'_>, format: Format, output: &mut Output) -> Result<Exit, Failure> {
        let to = to.free_for(format)?;
        let (file, bytes) = self.encoded()?;
        to.write_and_say(&bytes, Some(load::spec_of(self.file)), format, output)?;
        if !output.common.quiet {
            self.say(file, self.encoding(file));
        }
        Ok(Exit::Well)
    }

    /// Writes the result to a file, and returns its size.
    pub fn publish(&self, out: &Place, force: bool) -> Result<u64, Failure> {
        let (_, bytes) = self.encoded()?;
        let mut results = Results::default();
        results.write_below(out, &bytes, Some(load::spec_of(self.file)), force)?;
        results.publish()?;
        Ok(bytes.len() as u64)
    }

    /// Returns the file and its bytes in the other encoding.
    fn encoded(&self) -> Result<(&X, Vec<u8>), Failure> {
        let File::X(file) = self.file else {
            let name = self.file.kind().name();
            let why = format!("{name} has a single encoding; only x files have several");
            return Err(Failure { cause: Cause::UnknownFormat, ..Failure::usage(why).in_file(self.path) });
        };
        let bytes = file.convert(self.encoding(file)).and_then(|file| file.encode());
        Ok((file, bytes.blame(self.path)?))
    }

    fn encoding(&self, file: &X) -> directx::Encoding {
        let double = match self.float_size {
            Some(size) => matches!(size, FloatSize::Double),
            // Text specifies the size of floats by its templates only, and few readers support 64 bits.
            None => directx::Encoding::of(file)
                .is_some_and(|own| if own.binary { own.double } else { file.has_doubles() }),
        };
        directx::Encoding {
            binary: matches!(self.to, Encoding::Bin | Encoding::Bzip),
            packed: matches!(self.to, Encoding::Tzip | Encoding::Bzip),
            double,
        }
    }

    fn say(&self, file: &X, to: directx::Encoding) {
        let kept = directx::Encoding::of(file).is_some_and(|own| own.binary == to.binary);
        let what = if kept {
            "compression changed, content unchanged"
        } else {
            "white space, comments and number notation are not preserved"
        };
        note!("bindpose: {}: {what}", shown(self.path));
    }
}
