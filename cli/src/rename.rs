//! `bindpose rename`: rename bones, materials, clips and textures with all references.

use std::collections::BTreeMap;

use regex::bytes::{Regex, RegexBuilder};

use super::advice::argument;
use super::editing::{Editing, Scope};
use super::names_table::{self, Pair};
use super::scene::unnamed;
use crate::prelude::*;
use bindpose::edit::{self, Entity, Name, Renames};
use bindpose::schema::{EditError, padded_like, unescape, unpadded};
use bindpose::{Error, ErrorKind, File};

/// Rename bones, materials, clips and textures, and every reference to them
///
/// References in the same file follow: parent names, skins, tracks, sockets. Give all files of a set, such as a mesh and its
/// animations, so that the references between them follow too. Names are compared exactly, or else without the blanks at their
/// end, which ActorX writes; such names keep their length. In the other files of an Unreal set a bone is found as by readers,
/// without regard to case. All other bytes stay as they are.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose rename hero.ms3d --bone Bip01=hips -o renamed.ms3d
  bindpose rename hero.psk run.psa --map bones.csv --out-dir renamed
  bindpose rename assets --regex --bone '^mixamorig:(.*)=$1' --in-place
  bindpose rename hero.x --regex --texture '(?i)^(.*)[.]tga$=$1.png' --dry-run")]
#[group(id = "names", required = true, multiple = true, args = ["bone", "material", "clip", "texture", "map"])]
pub(super) struct Rename {
    #[command(flatten)]
    editing: Editing,
    /// Rename a bone; \xNN for a byte, \\ for a backslash
    #[arg(long, value_name = "OLD=NEW", value_parser = Pair::parse, help_heading = "Names")]
    bone: Vec<Pair>,
    /// Rename a material
    #[arg(long, value_name = "OLD=NEW", value_parser = Pair::parse, help_heading = "Names")]
    material: Vec<Pair>,
    /// Rename a clip
    #[arg(long, value_name = "OLD=NEW", value_parser = Pair::parse, help_heading = "Names")]
    clip: Vec<Pair>,
    /// Replace the path of a texture
    #[arg(long, value_name = "OLD=NEW", value_parser = Pair::parse, help_heading = "Names")]
    texture: Vec<Pair>,
    /// Read names from a table of lines OLD,NEW for bones, or KIND,OLD,NEW
    ///
    /// KIND is bone, material, clip or texture. Names that no file has are ignored.
    #[arg(long, value_name = "TABLE.csv", help_heading = "Names")]
    map: Option<PathBuf>,
    /// Treat each OLD as a regular expression, and $1 in NEW as its first group
    #[arg(long, help_heading = "Names")]
    regex: bool,
}

/// A regular expression over names, and what replaces a match.
struct Pattern {
    entity: Entity,
    old: Regex,
    new: Vec<u8>,
}

impl Verb for Rename {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let mut exact = Renames::new();
        let mut table = Renames::new();
        let mut patterns = Vec::new();
        let of_table = self.map.as_deref().map_or_else(|| Ok(Vec::new()), names_table::read)?;
        let named = self.pairs().map(|(entity, pair)| (entity, pair, false));
        for (entity, pair, is_of_table) in named.chain(of_table.iter().map(|(own, pair)| (*own, pair, true)))
        {
            if self.regex {
                patterns.push(pattern(entity, pair)?);
                continue;
            }
            exact.add(entity, bytes(&pair.old)?, bytes(&pair.new)?)?;
            if is_of_table {
                table.add(entity, bytes(&pair.old)?, bytes(&pair.new)?)?;
            }
        }
        let items = self.editing.list()?;
        let exact = self.matching(&items, (&exact, &table), &patterns).map_err(|failure| match &*items {
            [item] => failure.in_file(&item.path),
            _ => failure,
        })?;
        self.editing.each(&Scope::RENAMED, items, output, |files, _, _| {
            for file in files {
                edit::rename(file, &for_file(file, &exact, &patterns)?)?;
            }
            Ok(())
        })
    }
}

impl Rename {
    fn pairs(&self) -> impl Iterator<Item = (Entity, &Pair)> {
        let lists = Entity::ALL.into_iter().zip([&self.bone, &self.material, &self.clip, &self.texture]);
        lists.flat_map(|(entity, pairs)| pairs.iter().map(move |pair| (entity, pair)))
    }

    /// Returns the names in a file; none if its format is unknown and it was found in a directory.
    fn names_in(&self, item: &Item) -> Result<Option<Vec<Name>>> {
        let Some(loaded) = self.editing.load(item)? else { return Ok(None) };
        Ok(Some(edit::names(loaded.file())?))
    }

    /// Returns the failure for a clip that no field of the files names, if `info` names it nevertheless.
    fn unnamed_clip(&self, name: &str, items: &[Item]) -> Option<Failure> {
        let loaded =
            items.iter().filter_map(|item| Some((self.editing.load(item).ok()??.into_file(), &*item.path)));
        let (files, paths): (Vec<_>, Vec<_>) = loaded.unzip();
        let failure = unnamed(&files, &paths, (Entity::Clip, name), &Budget::default())?;
        let help = format!(
            "`bindpose convert FILE --clip {} -o OUT` writes it alone, and names it after OUT",
            argument(name)
        );
        Some(failure.with_help(help))
    }

    /// Returns the new names of those in the files. Each name that was given, apart from a table, and at least one name in all
    /// must be in some file.
    fn matching(
        &self,
        items: &[Item],
        (exact, table): (&Renames, &Renames),
        patterns: &[Pattern],
    ) -> Result<Renames> {
        let mut known: BTreeMap<(Entity, Vec<u8>), Name> = BTreeMap::new();
        let (mut read, mut failed) = (0, 0);
        for item in items {
            match self.names_in(item) {
                Ok(Some(names)) => {
                    read += 1;
                    known.extend(names.into_iter().map(|name| ((name.entity, name.text.clone()), name)));
                }
                Ok(None) => {}
                Err(_) => failed += 1,
            }
        }
        // Files that cannot be read are reported when they are edited.
        if known.is_empty() && (read == 0 || failed > 0) {
            return Ok(exact.clone());
        }
        if known.is_empty() {
            let unnamed = self.clip.iter().find_map(|pair| self.unnamed_clip(&pair.old, items));
            let why = "no bone, material, clip or texture in the files has a name";
            return Err(unnamed.unwrap_or_else(|| Failure::usage(why)));
        }
        let known: Vec<_> = known.into_values().collect();
        exact.clone().without(table).all_among(&known).map_err(|error| match error.kind() {
            ErrorKind::Value(EditError::NoObject { kind: "clip", name, .. }) => {
                self.unnamed_clip(name, items).unwrap_or_else(|| error.into())
            }
            _ => error.into(),
        })?;
        let matches = |name: &Name| patterns.iter().any(|pattern| pattern.apply(name).is_some());
        if !exact.any_among(&known) && !known.iter().any(matches) {
            return Err(Failure::usage("no name in the files matches"));
        }
        Ok(exact.clone().among(&known))
    }
}

fn for_file(file: &File, exact: &Renames, patterns: &[Pattern]) -> Result<Renames, Error> {
    let mut renames = exact.clone();
    if patterns.is_empty() {
        return Ok(renames);
    }
    let names = edit::names(file)?;
    let known = exact.new_names(&names)?;
    for (name, known) in names.into_iter().zip(known) {
        if known.is_none()
            && let Some(new) = patterns.iter().find_map(|pattern| pattern.apply(&name))
        {
            renames.add(name.entity, name.text, new)?;
        }
    }
    Ok(renames)
}

fn bytes(text: &str) -> Result<Vec<u8>> {
    unescape(text).map_err(|why| Failure::usage(format!("`{text}`: {why}")))
}

/// Names are bytes of any code page, so expressions match bytes.
fn pattern(entity: Entity, Pair { old, new }: &Pair) -> Result<Pattern> {
    let built = RegexBuilder::new(old).unicode(false).build();
    let old = built.map_err(|error| Failure::usage(format!("`{old}`: {error}")))?;
    Ok(Pattern { entity, old, new: new.clone().into_bytes() })
}

impl Pattern {
    /// Replaces the first match in a name without the blanks at its end, which it then keeps, or else in the whole name.
    fn apply(&self, name: &Name) -> Option<Vec<u8>> {
        let replaced =
            |text: &[u8]| self.old.is_match(text).then(|| self.old.replace(text, &self.new[..]).into_owned());
        let whole = &name.text;
        let own = (name.entity == self.entity).then(|| unpadded(whole))?;
        let new = replaced(own).map(|new| if own == whole { new } else { padded_like(&new, whole) });
        new.or_else(|| replaced(whole))
    }
}
