//! `bindpose view`: the viewer with files, in a browser.

use std::env;
use std::ffi::OsString;
use std::process::{Command as Process, Stdio};

use clap::{Command, FromArgMatches};

use super::preview::Preview;
use crate::prelude::*;

/// Open files in the viewer, in the browser
///
/// Writes a page with the viewer, the files and the images of their textures into the directory for temporary files, prints its path, and
/// opens it. The page needs no network. The variable BROWSER names another program than the browser of the system.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose view hero.psk walk.psa
  bindpose view assets --no-open")]
pub(super) struct View {
    /// Files, directories and `@list.txt`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The viewer: viewer.html as built in `bindings/web` [default: the one of this program, if it was built with one]
    #[arg(long, value_name = "PAGE", help_heading = "Output options")]
    viewer: Option<PathBuf>,
    /// Print the path of the page without opening it
    #[arg(long, help_heading = "Output options")]
    no_open: bool,
    /// Print what was written as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

impl Verb for View {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        // Others can guess a name that is not random, and write there before.
        let page = tempfile::Builder::new().prefix("bindpose-").suffix(".html").tempfile()?;
        let page = page.into_temp_path();
        let exit = self.preview(&page)?.run(output)?;
        let page = page.keep().map_err(|error| error.error)?;
        if self.format == Format::Human {
            writeln!(output, "{}", shown(&page))?;
        }
        output.flush()?;
        if !self.no_open && !open(&page) {
            note!("bindpose: no browser was found; open the page, or set BROWSER");
        }
        Ok(exit)
    }
}

impl View {
    /// The command that writes the page.
    fn preview(&self, page: &Path) -> Result<Preview> {
        let mut args: Vec<OsString> = vec!["preview".into(), "-o".into(), page.into(), "--force".into()];
        if let Some(viewer) = &self.viewer {
            args.extend(["--viewer".into(), viewer.into()]);
        }
        if self.format == Format::Json {
            args.extend(["--format".into(), "json".into()]);
        }
        args.push("--".into());
        args.extend(self.files.iter().map(Into::into));
        let matches = Preview::augment_args(Command::new("preview")).try_get_matches_from(args);
        let parsed = matches.and_then(|matches| Preview::from_arg_matches(&matches));
        parsed.map_err(|error| Failure::usage(error.to_string()))
    }
}

/// Opens a page in the browser, and returns whether there is one.
fn open(page: &Path) -> bool {
    let named = env::var_os("BROWSER").filter(|own| !own.is_empty());
    let system: &[&str] = match env::consts::OS {
        "windows" => &["explorer"],
        "macos" => &["open"],
        _ => &["xdg-open", "sensible-browser"],
    };
    let programs = named.into_iter().chain(system.iter().map(OsString::from));
    let mut started = programs.filter_map(|program| {
        let mut process = Process::new(program);
        process.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        process.spawn().ok()
    });
    started.next().is_some()
}
