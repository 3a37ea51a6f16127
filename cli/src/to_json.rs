//! `bindpose to-json`: a whole file as readable, editable text.

use super::load;
use super::write::{OutEach, below, only};
use crate::prelude::*;
use bindpose::schema::EditError;
use bindpose::{ErrorKind, File};

/// Print a whole file as JSON, which `from-json` turns back into the same bytes
///
/// Derived fields are omitted: counts, lengths, offsets and tags. Text has `\xNN` for bytes that are not UTF-8. Floats are written
/// with the fewest digits that preserve their bits.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose to-json hero.ms3d -o hero.json
  bindpose to-json models --out-dir json
  bindpose to-json hero.ms3d | jq '.file.joints[].name'
  bindpose to-json hero.x --objects | jq '.. | objects | select(.template == \"Frame\").name'")]
pub(super) struct ToJson {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    out: OutEach,
    /// Print the objects of a .x file, or the structs of a Cal3D XML file, with the names of the documentation
    ///
    /// from-json writes the same content from it, but not the same white space, comments and notation of numbers.
    #[arg(long, help_heading = "Output options")]
    objects: bool,
}

impl Verb for ToJson {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let common = output.common;
        let Some(directory) = &self.out.out_dir else {
            let items = self.inputs.list()?;
            let json = self.json(only(&items, self.inputs.paths(), "to-json")?, common)?;
            return self.out.one.stream(output, |out| json.write(out)).map(|()| Exit::Success);
        };
        let items = self.inputs.list_for(directory)?;
        self.out.each((&items, self.inputs.paths()), output, |item, results| {
            let json = self.json(item, common)?;
            let mut name = self.inputs.relative(&item.path).as_os_str().to_owned();
            name.push(".json");
            let place = below(directory, Path::new(&name))?;
            results.stream_below(&place, self.out.one.force, |out| json.write(out))
        })
    }
}

/// What is printed of a file: itself, or its objects.
enum Json {
    File(Document),
    Objects(Vec<u8>),
}

impl Json {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::File(loaded) => loaded.file().to_json(out),
            Self::Objects(json) => out.write_all(json),
        }
    }
}

impl ToJson {
    /// Reads a file; if its objects are not wanted, its damage is reported.
    fn json(&self, item: &Item, common: Common) -> Result<Json> {
        let memory = self.limits.memory();
        let loaded = load::load(&item.path, item.spec, &memory)?;
        let file = loaded.file();
        if !self.objects {
            load::warn_of_damage(file, &item.path);
            return Ok(Json::File(loaded));
        }
        let mut json = Vec::new();
        let printed = file.to_objects_json_within(&mut json, memory.budget());
        printed.map_err(|error| no_objects(file, error).in_file(&item.path))?;
        if !common.quiet {
            let path = shown(&item.path);
            note!("bindpose: {path}: white space, comments and number notation are not preserved");
        }
        Ok(Json::Objects(json))
    }
}

fn no_objects(file: &File, error: bindpose::Error) -> Failure {
    let is_other = matches!(error.kind(), ErrorKind::Value(EditError::Unsupported(_)));
    let help = match file.damage() {
        _ if matches!(error.kind(), ErrorKind::Limit(_)) => return error.into(),
        _ if is_other => "to-json without --objects has the names of the documentation",
        Some(_) => "to-json without --objects prints damaged files; rescue repairs them",
        None => "to-json without --objects prints the file by its tokens",
    };
    Failure::from(error).with_help(help)
}
