//! `bindpose to-json`: a whole file as readable, editable text.

use clap::Args;

use super::Common;
use super::exit::{Exit, Failure};
use super::files::shown;
use super::load::{Input, warn_of_damage};
use super::output::Output;
use super::verb::Verb;
use super::write::Out;
use bindpose::schema::EditError;
use bindpose::{ErrorKind, File};

/// Print a whole file as JSON, which `from-json` turns back into the same bytes
///
/// Derived fields are omitted: counts, lengths, offsets and tags. Text has `\xNN` for bytes that are not UTF-8. Floats are written
/// with the fewest digits that preserve their bits.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct ToJson {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    out: Out,
    /// Print the objects of a .x file, or the structs of a Cal3D XML file, with the names of the documentation
    ///
    /// from-json writes the same content from it, but not the same white space, comments and notation of numbers.
    #[arg(long, help_heading = "Output options")]
    objects: bool,
}

const EXAMPLES: &str = "\
Examples:
  bindpose to-json hero.ms3d -o hero.json
  bindpose to-json hero.ms3d | jq '.file.joints[].name'
  bindpose to-json hero.x --objects | jq '.. | objects | select(.template == \"Frame\").name'";

impl Verb for ToJson {
    fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let loaded = self.input.load()?;
        let file = loaded.file();
        if self.objects {
            return self.print_objects(file, common, output);
        }
        warn_of_damage(file, &self.input.file);
        self.out.stream(output, |out| file.to_json(out))?;
        Ok(Exit::Well)
    }
}

impl ToJson {
    fn print_objects(&self, file: &File, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let mut json = Vec::new();
        file.to_objects_json(&mut json).map_err(|error| self.no_objects(file, error))?;
        self.out.stream(output, |out| out.write_all(&json))?;
        if !common.quiet {
            note!(
                "bindpose: {}: white space, comments and number notation are not preserved",
                shown(&self.input.file)
            );
        }
        Ok(Exit::Well)
    }

    fn no_objects(&self, file: &File, error: bindpose::Error) -> Failure {
        let is_other = matches!(error.kind(), ErrorKind::Value(EditError::Unsupported(_)));
        let help = match file.damage() {
            _ if is_other => "to-json without --objects has the names of the documentation",
            Some(_) => "to-json without --objects prints damaged files; rescue repairs them",
            None => "to-json without --objects prints the file by its tokens",
        };
        Failure { help: Some(help.into()), ..Failure::from(error).of(shown(&self.input.file)) }
    }
}
