//! The verbs of the command.

use std::ops::Deref;

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};

use super::exit::{Exit, Failure};
use super::output::Output;
use super::{
    Common, check, completions, convert, diff, export, from_json, generate, get, git_setup, info, man, map,
    merge, mutate, preview, remove, rename, report_merge, rescue, roundtrip, schema, set, shrink, to_json,
    transform, tree,
};

/// What the command does; the first line of each comment is the summary in `bindpose --help`.
#[derive(Subcommand)]
pub(super) enum Verb {
    /// Decode and re-encode files, and compare every byte
    ///
    /// Files of unsupported formats in directories are skipped and counted. A file that re-encodes identically but cannot be decoded to
    /// its end is damaged: the report has the offset, and the exit code is 1.
    Roundtrip(Deferred<roundtrip::Roundtrip>),
    /// Report violations of format rules
    ///
    /// Each finding has a rule code, a severity, an offset and a path. Files named on the command line are checked as a set: a mesh, its
    /// skeleton and its animations must match. Exits with 1 if a rule of severity error is violated.
    Check(Deferred<check::Check>),
    /// Summarise files: format, counts, skeleton, clips, bounds, damage
    Info(Deferred<info::Info>),
    /// Print the objects of a file as a tree, with their sizes and paths
    ///
    /// Bones are below their parents, followed by meshes, materials with their textures, and clips; in .x files, objects are below the objects
    /// that contain them. `get` and `set` accept the paths.
    Tree(Deferred<tree::Tree>),
    /// Print every field of a file with its byte range, path, type and value
    ///
    /// In `.x` files, values have a second path, by their objects.
    Map(Deferred<map::Map>),
    /// Print the values at paths, in the notation that `set` accepts
    ///
    /// The value of a path to a single field is printed alone, all others as PATH=VALUE. The values of several files, of a directory or of a
    /// list are printed as a table.
    Get(Deferred<get::Get>),
    /// Change values in a file without touching any other byte
    ///
    /// Order of edits: --create, --append, assignments, --delete. Indices refer to the original file, so that deleting an element does not
    /// shift the others.
    Set(Deferred<set::Set>),
    /// Rename bones, materials, clips and textures, and every reference to them
    ///
    /// References in the same file follow: parent names, skins, tracks, sockets. Give all files of a set, such as a mesh and its
    /// animations, so that the references between them follow too. Names are compared exactly. All other bytes stay as they are.
    Rename(Deferred<rename::Rename>),
    /// Remove bones, materials, clips and textures, and let keys, indices and counts follow
    ///
    /// The children and the weights of a bone go to its parent; the children keep their place in model space. Give all files of a set,
    /// such as a skeleton and its animations: files that refer to a bone by index follow. What something else needs is not removed.
    Remove(Deferred<remove::Remove>),
    /// Merge the clips or the meshes of files of one format
    ///
    /// Everything in the first file stays as it is; the clips or meshes of the others follow in the order of the arguments. Bones are
    /// matched by name, and have the same bind pose; Cal3D and 3ds Max meshes refer to the bones of one skeleton by index. Supported:
    /// MilkShape 3D, PSK, PSA, UNIGINE meshes and animations, DirectX .x, Cal3D meshes, 3ds Max meshes.
    Merge(Deferred<merge::Merge>),
    /// Scale, rotate, move and re-time meshes, skeletons and clips
    ///
    /// Bind poses, clips, normals, morph targets and bounds follow. The operations are applied in this order: scale, up, rotate,
    /// translate. Give all files of a set, and transform all of them in the same way: animations of Cal3D and DirectX can only be
    /// rotated and moved together with the file that has their bones. MilkShape 3D and PSA files have a frame rate.
    Transform(Deferred<transform::Transform>),
    /// Print the fields that differ between two files
    ///
    /// Bones, materials and other named elements are matched by name, so that an added, removed or renamed one is one difference.
    /// Equal fields are not printed, and many changes in a list are summarised. Exits with 1 if the files differ.
    Diff(Deferred<diff::Diff>),
    /// Print a whole file as JSON, which `from-json` turns back into the same bytes
    ///
    /// Derived fields are omitted: counts, lengths, offsets and tags. Text has `\xNN` for bytes that are not UTF-8. Floats are written
    /// with the fewest digits that preserve their bits.
    ToJson(Deferred<to_json::ToJson>),
    /// Rebuild a file from JSON
    ///
    /// Elements may be added and removed: counts follow. Packed parts are packed again only if their content has changed.
    FromJson(Deferred<from_json::FromJson>),
    /// Write a valid file with what can be read of a damaged one
    ///
    /// A conversion that treated the file as text is reversed if that gives a valid file. Otherwise lists are cut to their complete
    /// elements, references to lost elements are removed, and bytes that cannot be decoded are dropped. Each loss is printed to standard
    /// error. A file that is not damaged is written unchanged.
    Rescue(Deferred<rescue::Rescue>),
    /// Convert files to another format or encoding
    ///
    /// With `-o`, all files form one scene: a mesh with its skeleton, clips and materials; glTF files can be among them. Each OUT is
    /// written from that scene. With `--out-dir`, each file is converted alone.
    ///
    /// Contents that a format cannot represent are losses; `--loss-report` lists them. If the scene exceeds a limit of a format, nothing
    /// is written.
    ///
    /// A DirectX .x file can also be converted to another encoding of .x. Converting between text and binary loses white space, comments
    /// and the notation of numbers; compressing and decompressing is lossless.
    Convert(Deferred<convert::Convert>),
    /// Export files as glTF 2.0: skeleton, meshes, skins, morph targets and clips
    ///
    /// All files form one scene: a mesh with its skeleton, clips and materials; glTF files can be among them. Bones of different files
    /// are matched by name. The result is right-handed with Y up, in metres. A .glb file contains the images of its textures; a .gltf file
    /// refers to PNG and JPEG images in its directory and below, and contains the others. Images are converted to PNG where glTF requires
    /// it. Use `--loss-report` to list what glTF cannot represent.
    Export(Deferred<export::Export>),
    /// Draw a picture of a model, or write a page that shows it with its bytes
    ///
    /// All files form one scene: a mesh with its skeleton, clips and materials, as in `export`. A picture (.png) is drawn in software, with
    /// a transparent background; the same files give the same picture. A page (.html) opens in any browser without a network: it contains
    /// the viewer, the files and the images of their textures. It shows the animated model, findings and losses, and every byte.
    Preview(Deferred<preview::Preview>),
    /// Print the Kaitai Struct schema of a format, or list all formats
    ///
    /// Without FORMAT, lists the formats with their titles, extensions and dialects.
    Schema(Deferred<schema::Schema>),
    /// Generate files of a format, for testing readers
    ///
    /// Generated files decode without damage, but their values are random: any bit pattern, text with junk, lists of any small length,
    /// optional parts present or missing. Use `mutate` for damaged files. The dialect is the first one unless specified. The same seed
    /// gives the same file.
    Gen(Deferred<generate::Gen>),
    /// Introduce one error into a file, for testing readers
    ///
    /// Errors follow the structure of the file: a wrong count, an extreme value, a flipped bit, a truncation, a missing or repeated
    /// field. The same seed gives the same mutant.
    Mutate(Deferred<mutate::Mutate>),
    /// Reduce a file while a command still accepts it
    ///
    /// Runs the command with the path of a smaller file in place of {}, or as its last argument; exit code 0 accepts the file. Removes
    /// list elements first (counts follow), then bytes, then sets the remaining bytes to zero where possible.
    Shrink(Deferred<shrink::Shrink>),
    #[command(subcommand)]
    Report(ReportVerb),
    /// Print the git configuration for readable diffs of these files
    ///
    /// git then compares the output of `to-json`. Files in the repository are not changed.
    GitSetup(Deferred<git_setup::GitSetup>),
    /// Print a completion script for a shell
    Completions(Deferred<completions::Completions>),
    /// Print the manual page of the command or of a verb
    Man(Deferred<man::Man>),
}

/// Process JSON reports of `roundtrip` and `check`
#[derive(Subcommand)]
pub(super) enum ReportVerb {
    Merge(report_merge::Merge),
}

impl Verb {
    pub fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        match self {
            Self::Roundtrip(verb) => verb.run(common, output),
            Self::Check(verb) => verb.run(common, output),
            Self::Info(verb) => verb.run(common, output),
            Self::Tree(verb) => verb.run(common, output),
            Self::Map(verb) => verb.run(common, output),
            Self::Get(verb) => verb.run(common, output),
            Self::Set(verb) => verb.run(common, output),
            Self::Rename(verb) => verb.run(common, output),
            Self::Remove(verb) => verb.run(common, output),
            Self::Merge(verb) => verb.run(output),
            Self::Transform(verb) => verb.run(common, output),
            Self::Diff(verb) => verb.run(common, output),
            Self::ToJson(verb) => verb.run(output),
            Self::FromJson(verb) => verb.run(output),
            Self::Rescue(verb) => verb.run(common, output),
            Self::Convert(verb) => verb.run(common, output),
            Self::Export(verb) => verb.run(common, output),
            Self::Preview(verb) => verb.run(common, output),
            Self::Schema(verb) => verb.run(common, output),
            Self::Gen(verb) => verb.run(common, output),
            Self::Mutate(verb) => verb.run(common, output),
            Self::Shrink(verb) => verb.run(common, output),
            Self::Report(ReportVerb::Merge(verb)) => verb.run(common, output),
            Self::GitSetup(verb) => verb.run(output),
            Self::Completions(verb) => verb.run(output),
            Self::Man(verb) => verb.run(output),
        }
    }
}

/// The arguments of a verb, which are defined when the verb is used: all of them would take most of the time of a short run.
pub(super) struct Deferred<T>(T);

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args))
    }
    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args_for_update))
    }
}

/// Defines arguments, and keeps the description: groups of arguments that are flattened would replace it by theirs.
fn described(command: Command, define: fn(Command) -> Command) -> Command {
    let about = Resettable::from(command.get_about().cloned());
    let long_about = Resettable::from(command.get_long_about().cloned());
    define(command).about(about).long_about(long_about)
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches(matches).map(Self)
    }
    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
