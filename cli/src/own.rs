//! The command of a format in another crate: the verbs that follow from its definition.

mod formats;
mod judged;

use std::collections::BTreeMap;
use std::ops::ControlFlow::{self, Break, Continue};

use clap::{Parser, Subcommand};

use super::assign::{settable, split};
use super::diff::summary::Human;
use super::editing::refuse;
use super::generate::{self, Series};
use super::map::Printer;
use super::merge::print_conflicts;
use super::mutate::Mutants;
use super::read::{Buffer, Source};
use super::refs::{self, Wanted};
use super::rescue::print_losses;
use super::shrink::Predicate;
use super::write::{Out, Results};
use crate::prelude::*;
use bindpose::codec::{self, Format, Generate};
use bindpose::diff::diff;
use bindpose::edit::{Merge3, References, merge3_format};
use bindpose::schema::{self, Items, Leaf, NamedPaths, Node, Place, Value, Visitor};
use bindpose::{Error, ErrorKind, Options, Rescued, harness, imhex, json, ksy};

use judged::Judged;

pub use formats::{Formats, run_format, run_formats};

#[derive(Parser)]
#[command(subcommand_required = true, arg_required_else_help = true, max_term_width = 100)]
struct Own {
    #[command(subcommand)]
    verb: Verb,
    /// Read files as this format instead of detecting it
    #[arg(long = "as", global = true, value_name = "FORMAT")]
    kind: Option<String>,
    /// Read files in this dialect instead of detecting it
    #[arg(long, global = true, value_name = "DIALECT")]
    dialect: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Verb {
    /// Decode and re-encode files, and compare every byte
    Roundtrip(Judged),
    /// Report damage, values that no file should have, and references to nothing
    Check(Judged),
    /// Summarise a file: its lists, and the bytes without known meaning
    Info { file: PathBuf },
    /// Print every field of a file with its byte range, path, type and value
    Map {
        file: PathBuf,
        /// Print the fields as FORMAT
        #[arg(long, value_name = "FORMAT", value_enum, default_value_t = super::Format::Human)]
        format: super::Format,
    },
    /// Print the values at paths, in the notation that `set` accepts
    Get {
        file: PathBuf,
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<FieldPath>,
    },
    /// Print what values refer to, and what refers to them
    Refs {
        file: PathBuf,
        #[arg(value_name = "PATH")]
        paths: Vec<Wanted>,
        /// Print every reference instead of the first of each field
        #[arg(long, requires = "paths")]
        all: bool,
        /// Print the references as FORMAT
        #[arg(long, value_name = "FORMAT", value_enum, default_value_t = super::Format::Human)]
        format: super::Format,
    },
    /// Change values in a file without touching any other byte
    ///
    /// Order of edits: --create, --append, assignments, --delete.
    Set {
        file: PathBuf,
        #[arg(value_name = "PATH=VALUE")]
        assignments: Vec<String>,
        /// Create a missing part and its parents
        #[arg(long, value_name = "PATH[=VALUE]")]
        create: Vec<String>,
        /// Append an element of zeros to the list at PATH
        #[arg(long, value_name = "PATH")]
        append: Vec<FieldPath>,
        /// Delete the list element at PATH
        #[arg(long, value_name = "PATH")]
        delete: Vec<FieldPath>,
        /// Change the file itself and keep the original as FILE.orig
        #[arg(short, long, conflicts_with = "output")]
        in_place: bool,
        #[command(flatten)]
        out: Out,
    },
    /// Remove objects with what cannot be without them; the indices of others follow
    Remove {
        file: PathBuf,
        #[arg(required = true, value_name = "PATH")]
        objects: Vec<FieldPath>,
        /// Change the file itself and keep the original as FILE.orig
        #[arg(short, long, conflicts_with = "output")]
        in_place: bool,
        #[command(flatten)]
        out: Out,
    },
    /// Merge two edits of one file
    ///
    /// Values that both have changed are conflicts, and nothing is written.
    Merge {
        /// The first edit
        ours: PathBuf,
        /// The second edit
        theirs: PathBuf,
        /// The file before the edits
        #[arg(long, value_name = "BASE")]
        base: PathBuf,
        #[command(flatten)]
        out: Out,
    },
    /// Print a whole file as JSON, which `from-json` turns back into the same bytes
    ToJson {
        file: PathBuf,
        #[command(flatten)]
        out: Out,
    },
    /// Rebuild a file from JSON
    FromJson {
        file: PathBuf,
        #[command(flatten)]
        out: Out,
    },
    /// Print the Kaitai Struct schema of the format
    Schema {
        /// Print the JSON Schema for the output of `to-json` instead
        #[arg(long)]
        json: bool,
        /// Print a pattern for the hex editor ImHex instead
        #[arg(long, conflicts_with = "json")]
        imhex: bool,
    },
    /// Write a valid file with what can be read of a damaged one
    Rescue {
        file: PathBuf,
        #[command(flatten)]
        out: Out,
    },
    /// Generate files from a seed, for testing readers
    Gen {
        /// Seed of the file; with --count, the first seed
        #[arg(long, value_name = "N")]
        seed: u64,
        /// Bytes of random input; more give larger files
        #[arg(long, value_name = "BYTES", default_value_t = 1000, value_parser = generate::size())]
        size: usize,
        #[command(flatten)]
        to: Series,
    },
    /// Introduce one error into a file, for testing readers
    Mutate {
        file: PathBuf,
        #[command(flatten)]
        mutants: Mutants,
    },
    /// Reduce a file while a command still accepts it
    ///
    /// Runs the command with the path of a smaller file in place of {}, or as its last argument; exit code 0 accepts the file.
    Shrink {
        file: PathBuf,
        #[command(flatten)]
        predicate: Predicate,
        #[command(flatten)]
        out: Out,
    },
    /// Print the fields that differ between two files
    Diff {
        a: PathBuf,
        b: PathBuf,
        /// Print every changed number and element instead of summaries
        #[arg(long)]
        full: bool,
    },
}

impl Verb {
    /// The file whose format decides.
    fn file(&self) -> Option<&Path> {
        match self {
            Self::Info { file }
            | Self::Map { file, .. }
            | Self::Get { file, .. }
            | Self::Refs { file, .. }
            | Self::Set { file, .. }
            | Self::Remove { file, .. }
            | Self::Merge { ours: file, .. }
            | Self::ToJson { file, .. }
            | Self::FromJson { file, .. }
            | Self::Rescue { file, .. }
            | Self::Mutate { file, .. }
            | Self::Shrink { file, .. }
            | Self::Diff { a: file, .. } => Some(file),
            Self::Roundtrip(_) | Self::Check(_) | Self::Schema { .. } | Self::Gen { .. } => None,
        }
    }
}

impl Own {
    fn run<F: Generate + Clone>(&self, output: &mut Output) -> Result<Exit> {
        match &self.verb {
            Verb::Info { file } => self.info::<F>(file, output),
            Verb::Map { file, format } => {
                let (value, bytes) = self.load::<F>(file)?;
                let mut printer = Printer::new(*format, &bytes, output);
                let _ = schema::leaves(&value, &mut |place, leaf| printer.print(place, leaf));
                printer.finish().map(|()| Exit::Success)
            }
            Verb::Get { file, paths } => self.get::<F>(file, paths, output),
            Verb::Refs { file, paths, all, format } => {
                let (value, bytes) = self.load::<F>(file)?;
                let budget = &Budget::of(&Limits::default(), bytes.len() as u64);
                let mut names = NamedPaths::new(&value);
                let translate = &mut |path: &FieldPath| names.path(path);
                let raw = output.common.raw_paths;
                let names = refs::Names { references: &References::of_value(&value), translate, raw, budget };
                let printed = refs::print(names, &value, paths, (*all, false), *format, output);
                printed.in_file(file).map(|()| Exit::Success)
            }
            Verb::Set { file, in_place, out, .. } | Verb::Remove { file, in_place, out, .. } => {
                let (value, before) = self.load::<F>(file)?;
                let edited = self.edited(value).in_file(file)?;
                let after = edited.encode()?;
                if *in_place {
                    let mut results = Results::default();
                    results.change(file, (&before, &after), true, None)?;
                    results.publish()?;
                } else {
                    out.write(&after, output, None)?;
                }
                Ok(Exit::Success)
            }
            Verb::Merge { ours, theirs, base, out } => {
                let [before, own, other] = [base, ours, theirs].map(|path| self.load::<F>(path));
                let merged = merge3_format(&before?.0, &own?.0, &other?.0);
                let Merge3 { file, conflicts, caused, .. } = merged.in_file(ours)?;
                if print_conflicts(&shown(ours), &conflicts, output)? {
                    return Ok(Exit::Findings);
                }
                refuse(&caused).in_file(ours)?;
                let merged = codec::reread(&file).in_file(ours)?;
                out.write(&merged.encode()?, output, None).map(|()| Exit::Success)
            }
            Verb::ToJson { file, out } => {
                let (value, _) = self.load::<F>(file)?;
                out.stream(output, |out| value.write_json(out)).map(|()| Exit::Success)
            }
            Verb::FromJson { file, out } => {
                let mut source = Source::open(file).in_file(file)?;
                let value = F::read_json(&mut source).in_file(file)?;
                warn_of_damage(&value, file);
                out.write(&value.encode()?, output, None).map(|()| Exit::Success)
            }
            // Reported together.
            Verb::Roundtrip(_) | Verb::Check(_) => Ok(Exit::Success),
            Verb::Schema { json: true, .. } => {
                let shape = F::shape_in(self.dialect.as_deref());
                write!(output, "{}", json::describe(F::INFO.name, &shape, None))?;
                Ok(Exit::Success)
            }
            Verb::Schema { imhex, .. } => {
                let codec::Info { name: id, title, extensions, schema_note: note, .. } = F::INFO;
                let write = if *imhex { imhex::write } else { ksy::write };
                write!(output, "{}", write(&ksy::Meta { id, title, extensions, note }, &F::shape()))?;
                Ok(Exit::Success)
            }
            Verb::Rescue { file, out } => {
                let rescued = bindpose::rescue_format::<F>(&self.read(file)?, &self.options());
                let Rescued { bytes, losses, .. } = rescued.in_file(file)?;
                out.write(&bytes, output, None)?;
                if !output.common.quiet {
                    print_losses(file, &losses);
                }
                Ok(Exit::Success)
            }
            Verb::Gen { seed, size, to } => self.generate::<F>(*seed, *size, to, output),
            Verb::Mutate { file, mutants } => {
                let (value, bytes) = self.load::<F>(file)?;
                mutants.write((file, &value, &bytes), false, output)
            }
            Verb::Shrink { file, predicate, out } => {
                let options = self.options();
                let small = predicate.reduce(file, self.read(file)?, &|bytes, tries, accepts| {
                    harness::shrink_format::<F>(&options, bytes, tries, accepts)
                })?;
                out.write(&small, output, None).map(|()| Exit::Success)
            }
            Verb::Diff { a, b, full } => self.diff::<F>(a, b, *full, output),
        }
    }

    fn generate<F: Generate>(
        &self,
        seed: u64,
        size: usize,
        to: &Series,
        output: &mut Output,
    ) -> Result<Exit> {
        let extension = F::INFO.extensions.first().copied().unwrap_or("bin");
        let name = |seed: &str| format!("{seed}.{extension}").into();
        to.write(seed, &name, output, &mut |seed, path| {
            let bytes = harness::generate_format::<F>(self.dialect.as_deref(), seed, size);
            let bytes = bytes.ok_or_else(|| Failure::usage("cannot generate a file from this seed"))?;
            let line = generate::Line { seed, path: PathName::of(path), bytes: bytes.len() };
            Ok(Some((bytes, line)))
        })
    }

    fn options(&self) -> Options {
        let options = Options::default().with_limits(self.limits.limits());
        self.dialect.as_ref().map_or(options.clone(), |dialect| options.with_dialect(dialect))
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        self.bytes(path).in_file(path)
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>> {
        let mut buffer = Buffer::default();
        let opened = buffer.open(path)?;
        let longest = self.limits.longest(opened.len());
        buffer.into_whole(opened, longest)
    }

    fn load<F: Format>(&self, path: &Path) -> Result<(F, Vec<u8>)> {
        let bytes = self.read(path)?;
        let file = F::decode_with(&bytes, &self.options()).in_file(path)?;
        warn_of_damage(&file, path);
        Ok((file, bytes))
    }

    fn info<F: Format>(&self, path: &Path, output: &mut Output) -> Result<Exit> {
        let (file, bytes) = self.load::<F>(path)?;
        let outcome = codec::verify(&file, &bytes);
        let dialect = outcome.dialect.map_or_else(String::new, |dialect| format!(", {dialect}"));
        writeln!(output, "{}: {}{dialect}", shown(path), F::INFO.title)?;
        writeln!(output, "  size      {}", counted(bytes.len() as u64, "byte"))?;
        if outcome.opaque > 0 {
            writeln!(output, "  opaque    {}", counted(outcome.opaque, "byte"))?;
        }
        let mut lists = Lists::default();
        let _ = schema::walk(&file, &mut lists);
        for (list, len) in lists.0.iter().filter(|(_, len)| **len > 0) {
            writeln!(output, "  {list:<30} {}", counted(*len as u64, "element"))?;
        }
        Ok(Exit::Success)
    }

    fn get<F: Format>(&self, path: &Path, paths: &[FieldPath], output: &mut Output) -> Result<Exit> {
        let (file, _) = self.load::<F>(path)?;
        let mut values = Vec::new();
        for asked in paths {
            values.extend(schema::get_text(&file, asked).in_file(path)?);
        }
        match (paths, &values[..]) {
            ([asked], [(found, value)]) if asked == found => writeln!(output, "{}", settable(value))?,
            _ => {
                values.iter().try_for_each(|(path, value)| writeln!(output, "{path}={}", settable(value)))?;
            }
        }
        Ok(Exit::Success)
    }

    /// Makes the edits of `set` and `remove`, and refuses what would be read back as another file.
    fn edited<F: Generate + Clone>(&self, before: F) -> Result<F, Error> {
        let mut file = before;
        if let Verb::Remove { objects, .. } = &self.verb {
            let mut paths = Vec::new();
            for path in objects {
                paths.extend(schema::locate(&file, path)?.into_iter().map(|place| place.path));
            }
            schema::remove(&mut file, &paths)?;
            return codec::reread(&file);
        }
        let Verb::Set { assignments, create, append, delete, .. } = &self.verb else { return Ok(file) };
        for part in create {
            let (path, value) = split(part).map_or((&**part, None), |(path, value)| (path, Some(value)));
            file = created(&file, &path.parse()?, value)?;
        }
        for list in append {
            schema::append(&mut file, list)?;
        }
        for assignment in assignments {
            let (path, value) = split(assignment).unwrap_or((assignment, ""));
            schema::set_text(&mut file, &path.parse()?, value)?;
        }
        let mut elements = Vec::new();
        for path in delete {
            elements.extend(schema::locate(&file, path)?);
        }
        schema::delete_all(&mut file, &elements)?;
        codec::reread(&file)
    }

    fn diff<F: Format>(&self, a: &Path, b: &Path, full: bool, output: &mut Output) -> Result<Exit> {
        let ((first, a), (second, b)) = (self.load::<F>(a)?, self.load::<F>(b)?);
        let mut human = Human::new(full);
        let (mut found, mut result) = (false, Ok(()));
        let _: ControlFlow<()> = diff((&first, &a), (&second, &b), &mut |difference| {
            found = true;
            result = human.add(difference, output);
            if result.is_ok() { Continue(()) } else { Break(()) }
        });
        result.and_then(|()| human.finish(output))?;
        Ok(if found { Exit::Findings } else { Exit::Success })
    }
}

/// Creates a part, and those before it where the file needs them.
fn created<F: Generate + Clone>(file: &F, path: &FieldPath, value: Option<&str>) -> Result<F, Error> {
    let shape = F::shape_in(file.dialect());
    for before in [false, true] {
        let mut with = file.clone();
        schema::create(&mut with, &shape, path, value, before)?;
        if let Ok(again) = codec::reread(&with) {
            return Ok(again);
        }
    }
    Err(Error::new(0, ErrorKind::Value(schema::not_alone(&shape, path))).at(path.clone()))
}

fn warn_of_damage(file: &dyn Value, path: &Path) {
    if let Some(damage) = codec::damage(file) {
        super::load::print_damage(&damage, path);
    }
}

/// The number of elements in the lists of each field.
#[derive(Default)]
struct Lists(BTreeMap<String, usize>);

impl Visitor for Lists {
    fn leaf(&mut self, _: &Place, _: &dyn Leaf) -> ControlFlow<()> {
        Continue(())
    }

    fn enter(&mut self, place: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        if let (Node::Items(items), Some(field)) = (node, place.field)
            && !items.is_array()
        {
            *self.0.entry(field.name.into()).or_default() += Items::len(*items);
        }
        Continue(true)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Exit;
    use super::formats::execute;
    use bindpose::codec::Format;
    use bindpose::formats::{ms3d::Ms3d, psk::Psa};

    #[test]
    fn a_format_has_the_verbs_that_follow_from_its_definition() {
        let folder = std::env::temp_dir().join(format!("bindpose-own-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = |name: &str| folder.join(name).into_os_string().into_string().expect("UTF-8");
        let run = |command: &str| {
            let is_path =
                |arg: &String| arg.contains('.') && !arg.contains(['=', '[']) && arg != "animation.fps";
            let args = shlex::split(command).expect("balanced quotes").into_iter();
            let args = args.map(|arg| if is_path(&arg) { path(&arg) } else { arg });
            let args = std::iter::once("own".to_owned()).chain(args).map(Into::into);
            execute::<(Ms3d, Psa)>(("own", "Two"), args)
        };
        let read = |name: &str| fs::read(path(name)).expect("a file");
        let decoded = |name: &str| Ms3d::decode(&read(name)).expect("a file");
        let bytes = Ms3d::blank_file().encode().expect("a file");
        fs::write(path("a.ms3d"), &bytes).expect("a file");
        fs::write(path("damaged.ms3d"), &bytes[..bytes.len() - 1]).expect("a file");
        fs::write(path("u.psa"), Psa::blank_file().encode().expect("a file")).expect("a file");
        let commands = [
            ("roundtrip a.ms3d", Exit::Success),
            ("check a.ms3d", Exit::Success),
            ("info a.ms3d", Exit::Success),
            ("map a.ms3d", Exit::Success),
            ("refs a.ms3d", Exit::Success),
            ("roundtrip damaged.ms3d", Exit::Findings),
            ("rescue damaged.ms3d -o rescued.ms3d", Exit::Success),
            ("roundtrip rescued.ms3d", Exit::Success),
            ("gen --as ms3d --seed 7 -o seven.ms3d", Exit::Success),
            ("roundtrip seven.ms3d", Exit::Success),
            ("mutate seven.ms3d --seed 1 -o mutant.ms3d", Exit::Success),
            ("shrink seven.ms3d --predicate 'grep -q MS3D' -o small.ms3d", Exit::Success),
            ("get a.ms3d version", Exit::Success),
            ("get a.ms3d joint", Exit::Usage),
            // Of which format?
            ("schema", Exit::Usage),
            ("schema --as ms3d", Exit::Success),
            ("roundtrip a.ms3d u.psa", Exit::Success),
            ("roundtrip a.ms3d none.psa", Exit::Io),
            ("set a.ms3d --append vertices vertices[0].bone_id=3 -o v.ms3d", Exit::Success),
            // There is no bone 3.
            ("check v.ms3d --format json", Exit::Findings),
            ("roundtrip v.ms3d --format junit", Exit::Success),
            // One file of the folder is truncated.
            ("roundtrip .", Exit::Undecodable),
            ("roundtrip . --exclude small* --exclude damaged*", Exit::Success),
            // A record is not a leaf.
            ("set a.ms3d --append joints joints[0]=hip -o b.ms3d", Exit::Usage),
            ("set a.ms3d --append joints animation.fps=30 -o b.ms3d", Exit::Success),
            ("remove b.ms3d joints[0] -o d.ms3d", Exit::Success),
            // It is not an element.
            ("remove b.ms3d animation.fps -o e.ms3d", Exit::Usage),
            ("set b.ms3d joints[0].name=hip -o f.ms3d", Exit::Success),
            ("set b.ms3d animation.fps=12 -o g.ms3d", Exit::Success),
            ("merge --base b.ms3d f.ms3d g.ms3d -o h.ms3d", Exit::Success),
            ("set b.ms3d joints[0].name=root -o i.ms3d", Exit::Success),
            // Both name the joint.
            ("merge --base b.ms3d f.ms3d i.ms3d -o none.ms3d", Exit::Findings),
            ("diff a.ms3d a.ms3d", Exit::Success),
            ("diff a.ms3d b.ms3d", Exit::Findings),
            ("to-json b.ms3d -o b.json", Exit::Success),
            ("from-json b.json -o c.ms3d", Exit::Success),
        ];
        for (command, exit) in commands {
            assert_eq!(run(command), exit, "{command}");
        }
        assert_ne!(read("mutant.ms3d"), read("seven.ms3d"));
        assert_eq!(read("small.ms3d"), b"MS3D");
        assert_eq!(decoded("b.ms3d").joints.len(), 1);
        assert_eq!(decoded("d.ms3d").joints.len(), 0);
        let merged = decoded("h.ms3d");
        assert_eq!((merged.animation.fps, merged.joints[0].name.to_string()), (12.0, "hip".into()));
        assert_eq!(read("b.ms3d"), read("c.ms3d"));
        fs::remove_dir_all(folder).expect("a folder");
    }
}
