//! Files with the same content in another form: encodings of `.x`, binary and XML of Cal3D.

use clap::ValueEnum;

use super::Conversion;
use super::drafts::Draft;
use crate::load::{Content, spec_of};
use crate::prelude::*;
use bindpose::File;
use bindpose::scene::Loss;

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FloatSize {
    #[value(name = "32")]
    Single,
    #[value(name = "64")]
    Double,
}

/// The form of any format with this name.
pub(super) fn named(name: &str) -> Option<&'static str> {
    FileKind::ALL.iter().flat_map(|kind| kind.forms()).copied().find(|form| *form == name)
}

/// A file in another form.
pub(super) struct Reformed {
    pub bytes: Vec<u8>,
    pub spec: FormatSpec,
    /// The extension, if it is another one than that of the former form.
    pub extension: Option<&'static str>,
    pub losses: Vec<Loss>,
}

impl Conversion<'_> {
    /// Returns a file in another form.
    pub(super) fn in_form(&self, form: &str, path: &Path, content: &Content) -> Result<Reformed> {
        let has_form = |kind: &FileKind| kind.forms().contains(&form);
        let file = match content {
            Content::File(file) if has_form(&file.kind()) => file,
            _ => {
                let names: Vec<_> =
                    FileKind::ALL.iter().filter(|own| has_form(own)).map(|own| own.name()).collect();
                let why = format!("has no form `{form}`: only files of {} do", names.join(", "));
                let failure = Failure::usage(why).in_file(path);
                return Err(Failure { cause: Cause::UnknownFormat, ..failure });
            }
        };
        let sized = match self.float_size {
            None => form.to_owned(),
            Some(FloatSize::Single) => format!("{form}32"),
            Some(FloatSize::Double) => format!("{form}64"),
        };
        let (other, lost) = file.in_form(&sized).in_file(path)?;
        let extension = Some(other.extension()).filter(|own| *own != file.extension());
        let losses = lost.map(|lost| Loss::from(lost).in_file(&FormatSpec::stem(path)));
        let (bytes, spec) = (other.encode().in_file(path)?, spec_of(&other));
        Ok(Reformed { bytes, spec, extension, losses: losses.into_iter().collect() })
    }
}

/// The form of a file that the result states, by its dialect or extension or as a version of `--to`, if it is to be written.
pub(super) fn stated(file: &File, draft: &Draft, version: Option<&str>) -> Option<&'static str> {
    let spec = draft.kind.filter(|spec| spec.kind == file.kind())?;
    let named = |name: Option<&str>| spec.kind.forms().iter().copied().find(|form| Some(*form) == name);
    let of_draft = || named(spec.dialect).or_else(|| file.kind().compared_form());
    named(version).or_else(|| of_draft().filter(|form| file.form() != Some(form)))
}
