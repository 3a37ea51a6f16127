//! Another encoding of the same `.x` file.

use clap::ValueEnum;

use super::Conversion;
use crate::load::{Content, spec_of};
use crate::prelude::*;
use bindpose::codec::Format as _;
use bindpose::formats::directx::{self, X};
use bindpose::scene::{Loss, Lost};
use bindpose::{Error, File};

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

impl Conversion<'_> {
    /// Returns a `.x` file in another encoding, with its format and what is lost.
    pub(super) fn encoded(
        &self,
        to: Encoding,
        path: &Path,
        content: &Content,
    ) -> Result<(Vec<u8>, FormatSpec, Vec<Loss>)> {
        let refuse =
            |why: String| Err(Failure { cause: Cause::UnknownFormat, ..Failure::usage(why).in_file(path) });
        let (spec, file) = match content {
            Content::File(own @ File::X(file)) => (spec_of(own), file),
            Content::File(other) => {
                let name = other.kind().name();
                return refuse(format!("{name} has a single encoding; only x files have several"));
            }
            Content::Gltf(_) => return refuse("only x files have several encodings".into()),
        };
        let (file, loses_spelling) = encoded(file, to, self.float_size).in_file(path)?;
        let losses = loses_spelling.then(|| loss_of_spelling(FormatSpec::stem(path)));
        Ok((file.encode().in_file(path)?, spec, losses.into_iter().collect()))
    }
}

/// Returns a `.x` file in another encoding, and whether the spelling of text is lost.
pub(super) fn encoded(file: &X, to: Encoding, float_size: Option<FloatSize>) -> Result<(X, bool), Error> {
    let own = directx::Encoding::of(file);
    let double = match float_size {
        Some(size) => matches!(size, FloatSize::Double),
        // Text specifies the size of floats by its templates only, and few readers support 64 bits.
        None => own.is_some_and(|own| if own.binary { own.double } else { file.has_doubles() }),
    };
    let encoding = directx::Encoding {
        binary: matches!(to, Encoding::Bin | Encoding::Bzip),
        packed: matches!(to, Encoding::Tzip | Encoding::Bzip),
        double,
    };
    let is_packed_only = own.is_some_and(|own| own.binary == encoding.binary);
    Ok((file.convert(encoding)?, !is_packed_only))
}

/// What a conversion between text and binary loses of a file.
pub(super) fn loss_of_spelling(file: String) -> Loss {
    let mut loss = Loss::from(Lost::Spelling);
    loss.file = file;
    loss
}
