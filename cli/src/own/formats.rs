//! The formats of a command, and how that of a file is detected.

use std::ffi::OsString;
use std::io::Read as _;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use super::super::exit;
use super::super::files::check_stdin;
use super::super::finish;
use super::super::report::Subject;
use super::super::verdict::Row;
use super::judged::judge;
use super::{Own, Verb};
use crate::prelude::*;
use bindpose::Options;
use bindpose::codec::{self, Generate};

/// Runs the command of one format, whose name it has: the verbs that follow from its definition.
///
/// ```no_run
/// # use bindpose::formats::ms3d::Ms3d;
/// fn main() -> std::process::ExitCode {
///     bindpose_cli::run_format::<Ms3d>(std::env::args_os())
/// }
/// ```
#[must_use]
pub fn run_format<F: Generate + Clone>(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    execute::<(F,)>((F::INFO.name, F::INFO.title), args).into()
}

/// As [`run_format`], for several formats, which are detected; the command has a name and a title of its own.
///
/// ```no_run
/// # use bindpose::formats::{ms3d::Ms3d, psk::Psa};
/// fn main() -> std::process::ExitCode {
///     bindpose_cli::run_formats::<(Ms3d, Psa)>("meshes", "Two formats of meshes", std::env::args_os())
/// }
/// ```
#[must_use]
pub fn run_formats<F: Formats>(
    name: &'static str,
    title: &'static str,
    args: impl IntoIterator<Item = OsString>,
) -> ExitCode {
    execute::<F>((name, title), args).into()
}

/// Formats in the order in which they are detected: a tuple of up to eight types.
#[expect(private_interfaces, reason = "nobody else implements or calls it")]
pub trait Formats {
    #[doc(hidden)]
    fn all() -> Vec<Known>;
}

pub(super) struct Known {
    info: &'static codec::Info,
    detect: fn(&[u8]) -> bool,
    pub judge: fn(Subject, &[u8], &Options) -> Row,
    /// Runs a verb for its file.
    run: fn(&Own, &mut Output) -> Result<Exit>,
}

macro_rules! formats {
    ($($format:ident)+) => {
        #[expect(private_interfaces, reason = "as for the trait")]
        impl<$($format: Generate + Clone),+> Formats for ($($format,)+) {
            fn all() -> Vec<Known> {
                vec![$(Known {
                    info: &$format::INFO,
                    detect: $format::detect,
                    judge: judge::<$format>,
                    run: Own::run::<$format>,
                }),+]
            }
        }
    };
}

formats!(A);
formats!(A B);
formats!(A B C);
formats!(A B C D);
formats!(A B C D E);
formats!(A B C D E F);
formats!(A B C D E F G);
formats!(A B C D E F G H);

pub(super) fn execute<F: Formats>(
    (name, title): (&'static str, &'static str),
    args: impl IntoIterator<Item = OsString>,
) -> Exit {
    let command = Own::command().name(name).about(title);
    let parsed = command.try_get_matches_from(args).and_then(|matches| {
        check_stdin(&matches)?;
        Own::from_arg_matches(&matches)
    });
    let own = match parsed {
        Ok(own) => own,
        Err(error) => error.exit(),
    };
    exit::set_program(name);
    exit::quiet_panics();
    let mut output = Output::new(own.common);
    let result = exit::guarded(|| own.run_in(&F::all(), &mut output));
    finish(result, output)
}

impl Own {
    /// Runs the verb in the format of its file.
    fn run_in(&self, formats: &[Known], output: &mut Output) -> Result<Exit> {
        match &self.verb {
            Verb::Roundtrip(judged) => self.report((Subject::Roundtrip, judged), formats, output),
            Verb::Check(judged) => self.report((Subject::Check, judged), formats, output),
            verb => {
                let path = verb.file();
                let known = self.format_of(formats, path).map_err(|failure| match path {
                    Some(path) if failure.exit != Exit::Usage => failure.in_file(path),
                    _ => failure,
                })?;
                (known.run)(self, output)
            }
        }
    }

    /// Returns the format that an option states, or that the file has.
    pub(super) fn format_of<'a>(&self, formats: &'a [Known], path: Option<&Path>) -> Result<&'a Known> {
        let names = || formats.iter().map(|known| known.info.name).collect::<Vec<_>>().join(", ");
        if let Some(name) = &self.kind {
            let found = formats.iter().find(|known| known.info.name == name);
            return found.ok_or_else(|| Failure::usage(format!("unknown format `{name}`: use {}", names())));
        }
        let path = match (formats, path) {
            ([only], _) => return Ok(only),
            (_, Some(path)) if !is_stdio(path) => path,
            _ => return Err(Failure::usage(format!("specify the format: --as {}", names()))),
        };
        self.detected(formats, path)?
            .ok_or_else(|| Failure::new(Exit::Undecodable, format!("is of no known format: {}", names())))
    }

    /// Returns the format that the content or the name of a file states.
    pub(super) fn detected<'a>(&self, formats: &'a [Known], path: &Path) -> Result<Option<&'a Known>> {
        let mut head = Vec::new();
        let opened = bindpose::files::open_regular(path)?;
        opened.take(FormatSpec::HEAD as u64).read_to_end(&mut head)?;
        if let Verb::FromJson { .. } = self.verb {
            let text = String::from_utf8_lossy(&head);
            let is_named = |known: &&Known| text.contains(&format!("\"format\": \"{}\"", known.info.name));
            return Ok(formats.iter().find(is_named));
        }
        let has_extension = |known: &&Known| {
            let mut own = known.info.extensions.iter();
            own.any(|own| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(own)))
        };
        let of_content = formats.iter().find(|known| (known.detect)(&head));
        Ok(of_content.or_else(|| formats.iter().find(has_extension)))
    }
}
