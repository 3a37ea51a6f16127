//! `bindpose convert`: the same content in another encoding.

use clap::{Args, ValueEnum};

use super::Common;
use super::exit::{Exit, Failure};
use super::load::{self, Input, Loaded};
use super::output::Output;
use super::write::Out;
use bindpose::formats::directx::{self, X};
use bindpose::{File, Limits};

/// Convert a DirectX .x file to another encoding
///
/// Converting between text and binary loses white space, comments and the notation of numbers; floats are written with the fewest
/// digits that preserve their value. Compressing and decompressing is lossless.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Convert {
    #[command(flatten)]
    input: Input,
    /// Encode the result as ENCODING
    #[arg(long, value_name = "ENCODING", value_enum)]
    to: Encoding,
    /// Size of floats in binary files [default: unchanged]
    #[arg(long, value_name = "BITS", value_enum)]
    float_size: Option<FloatSize>,
    #[command(flatten)]
    out: Out,
}

const EXAMPLES: &str = "\
Examples:
  bindpose convert hero.x --to bin -o hero_binary.x
  bindpose convert packed.x --to txt -o - | less";

/// The encodings of `.x`, by the names in its header.
#[derive(Clone, Copy, ValueEnum)]
enum Encoding {
    /// Text
    Txt,
    /// Binary
    Bin,
    /// Compressed text
    Tzip,
    /// Compressed binary
    Bzip,
}

#[derive(Clone, Copy, ValueEnum)]
enum FloatSize {
    #[value(name = "32")]
    Single,
    #[value(name = "64")]
    Double,
}

impl Convert {
    pub fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let Loaded { spec, file, .. } = self.input.load()?;
        let File::X(file) = &file else {
            let why = format!("{} has a single encoding; only x files can be converted", spec.kind.name());
            return Err(self.input.blame(Failure::new(Exit::Usage, why)));
        };
        let to = self.encoding(file);
        let bytes = file.convert(to).and_then(|file| {
            use bindpose::codec::Format;
            file.encode()
        });
        let bytes = bytes.map_err(|error| self.input.blame(error))?;
        let verify = |written: &[u8]| {
            let valid = written == bytes && load::decode(written, spec, Limits::none())?.encode()? == bytes;
            if valid {
                Ok(())
            } else {
                Err(Failure::new(Exit::Bug, "internal error: the result does not read back identically"))
            }
        };
        self.out.write(&bytes, output, verify)?;
        if !common.quiet {
            self.say(file, to);
        }
        Ok(Exit::Well)
    }

    fn encoding(&self, file: &X) -> directx::Encoding {
        let double = match self.float_size {
            Some(size) => matches!(size, FloatSize::Double),
            // Text does not specify the size of floats, and few readers support 64 bits.
            None => directx::Encoding::of(file).is_some_and(|own| own.binary && own.double),
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
        eprintln!("bindpose: {}: {what}", self.input.file.display());
    }
}
