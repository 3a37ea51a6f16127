//! What every format can do, without a file of it in memory.

use std::io::{Read, Seek};

use super::{Family, File, FileKind, foreign, with_type};
use crate::check::{self, Check, Findings, Repair, Report};
use crate::codec::{self, Format, Info, Outcome, Outline, Proposal, StreamVerifier, Verdict};
use crate::edit::Named;
use crate::json::{Cursor, Objects};
use crate::rescue::{self, Rescued};
use crate::scene::author::{Author, AuthorError, Authored, Authoring, FromScene, Program, SceneContent};
use crate::schema::{Schema, Shape};
use crate::{ErrorKind, Options, Result};

/// Where a format is defined.
pub(super) struct Definition {
    /// The module.
    pub family: &'static str,
    /// The type in it.
    pub type_name: &'static str,
    /// What the formats of the module share.
    pub shared: &'static Family,
}

impl FileKind {
    /// Returns name, extensions, dialects and other properties of the format.
    #[must_use]
    pub const fn info(self) -> &'static Info {
        with_type!(self, Root => &Root::INFO)
    }

    /// Returns whether a file that starts with these bytes is of this format.
    #[must_use]
    pub fn recognizes(self, head: &[u8]) -> bool {
        with_type!(self, Root => Root::detect(head))
    }

    /// Rejects a file that starts with these bytes, where no file of this format does.
    /// [`FormatSpec::HEAD`](super::FormatSpec::HEAD) bytes suffice.
    ///
    /// # Errors
    /// [`ErrorKind::Magic`], or [`ErrorKind::Foreign`] if the file is of another known format: the error of decoding such
    /// a file.
    pub fn check_magic(self, head: &[u8], options: &Options) -> Result<()> {
        let known = with_type!(self, Root => Root::check_magic(head, options));
        match known {
            Err(error) if matches!(error.kind(), ErrorKind::Magic(_)) => Err(foreign::named(error, head)),
            _ => Ok(()),
        }
    }

    /// Returns whether these bytes are a beginning of the magic: a file of this format, truncated there.
    #[must_use]
    pub fn is_truncated_magic(self, bytes: &[u8]) -> bool {
        with_type!(self, Root => Root::is_truncated_magic(bytes))
    }

    /// Returns the static description of the format.
    #[must_use]
    pub fn shape(self) -> Shape {
        with_type!(self, Root => <Root as Schema>::shape())
    }

    /// Returns the static description of a dialect.
    #[must_use]
    pub fn shape_in(self, dialect: Option<&str>) -> Shape {
        with_type!(self, Root => <Root as Format>::shape_in(dialect))
    }

    /// Decodes a file of this format.
    ///
    /// # Errors
    /// If the bytes are not of this format, end before its optional parts, or exceed a limit.
    pub fn decode(self, bytes: &[u8], options: &Options) -> Result<File> {
        with_type!(self, Root => Root::decode_with(bytes, options).map(File::from))
            .map_err(|error| foreign::named(error, bytes))
    }

    /// Returns the bytes of a file that is described by its objects; none if the format has no objects.
    pub(super) fn read_objects(
        self,
        dialect: Option<&str>,
        json: &mut Cursor<'_>,
    ) -> Option<Result<Vec<u8>>> {
        with_type!(self, Root => Root::read_objects(dialect, json))
    }

    /// Returns the JSON Schema of objects, of which `structs` is the shape.
    fn objects_schema<'s>(self, dialect: Option<&str>, structs: &'s Shape) -> Option<Objects<'s>> {
        with_type!(self, Root => Root::objects_schema(dialect, structs))
    }

    /// Returns the module of [`formats`](crate::formats) that defines the format: `cal3d`.
    #[must_use]
    pub const fn family(self) -> &'static str {
        self.definition().family
    }

    /// Returns the type in that module that files of the format decode to: `CalMesh`.
    #[must_use]
    pub const fn type_name(self) -> &'static str {
        self.definition().type_name
    }

    /// Returns whether files of this format have references to other files that [`check_set`](super::check_set) checks.
    #[must_use]
    pub const fn has_set_rules(self) -> bool {
        self.definition().shared.check_set.is_some()
    }

    /// Returns the contents of a scene that can be written in this format; none if scenes cannot be written in it.
    #[must_use]
    pub const fn scene_contents(self) -> &'static [SceneContent] {
        with_type!(self, Root => <Root as FromScene>::HOLDS)
    }

    /// Returns whether files store the bind pose of skins beside the pose of the skeleton.
    pub(super) fn stores_bind_pose(self, settings: &Authoring) -> bool {
        with_type!(self, Root => <Root as FromScene>::stores_bind_pose(settings))
    }

    /// Returns whether a dialect, or the default one, stores morph targets.
    pub(super) fn stores_morphs(self, dialect: Option<&str>) -> bool {
        with_type!(self, Root => <Root as FromScene>::stores_morphs(dialect))
    }

    /// Returns whether readers support only one root, the first bone.
    pub(super) const fn has_one_root(self) -> bool {
        with_type!(self, Root => <Root as FromScene>::HAS_ONE_ROOT)
    }

    /// Returns the versions that can be written, the usual one first, if their names are those of no other format.
    #[must_use]
    pub const fn versions(self) -> &'static [&'static str] {
        with_type!(self, Root => <Root as FromScene>::VERSIONS)
    }

    /// Returns the versions and encodings that can be written, the usual one first: those of [`Authoring::version`].
    #[must_use]
    pub const fn encodings(self) -> &'static [&'static str] {
        with_type!(self, Root => <Root as FromScene>::ENCODINGS)
    }

    /// Returns the forms that files with the same content can have, the usual one first: the encodings of `.x`, binary and XML of
    /// Cal3D; empty if there is one. See [`File::in_form`].
    #[must_use]
    pub const fn forms(self) -> &'static [&'static str] {
        with_type!(self, Root => <Root as Named>::FORMS)
    }

    /// Returns the one of the forms in which files of different forms are compared, if they can be.
    #[must_use]
    pub const fn compared_form(self) -> Option<&'static str> {
        with_type!(self, Root => <Root as Named>::COMPARED_FORM)
    }

    /// Returns the extensions that state a version, each with its version.
    #[must_use]
    pub const fn extensions_of_versions(self) -> &'static [(&'static str, &'static str)] {
        with_type!(self, Root => <Root as FromScene>::EXTENSIONS)
    }

    /// Returns the programs that files of this format can be written for.
    #[must_use]
    pub const fn programs(self) -> &'static [Program] {
        with_type!(self, Root => <Root as FromScene>::PROGRAMS)
    }

    /// Returns the files of this format that represent a scene.
    pub(super) fn author(
        self,
        author: &mut Author<'_>,
    ) -> std::result::Result<Vec<Authored<File>>, AuthorError> {
        author.is_for(self.programs())?;
        with_type!(self, Root => {
            let files = <Root as FromScene>::from_scene(author)?.into_iter();
            Ok(files.map(|own| own.map(File::from)).collect())
        })
    }

    /// Adds possible causes of damage.
    pub(super) fn suspect(self, bytes: &[u8], findings: &mut Findings) {
        check::filter::check(bytes, findings);
        with_type!(self, Root => <Root as Check>::suspect(bytes, findings));
    }

    /// Returns repairs of a file, even of one that cannot be decoded.
    #[must_use]
    pub fn repairs(self, bytes: &[u8], options: &Options) -> Vec<Repair> {
        match self.decode(bytes, options) {
            Ok(file) => file.repairs(bytes),
            Err(_) => self.repairs_of_damaged(bytes, options),
        }
    }

    /// Repairs a file where a repair is wanted, one by one, because each can change the places of others; at most a hundred
    /// times. Returns its bytes, and what was repaired.
    #[must_use]
    pub fn fix(
        self,
        bytes: &[u8],
        options: &Options,
        wanted: impl Fn(&Repair) -> bool,
    ) -> (Vec<u8>, Vec<Repair>) {
        let (mut bytes, mut repairs) = (bytes.to_vec(), Vec::new());
        while repairs.len() < 100
            && let Some(repair) = self.repairs(&bytes, options).into_iter().find(&wanted)
        {
            bytes = repair.apply(&bytes);
            repairs.push(repair);
        }
        (bytes, repairs)
    }

    /// Returns repairs of a file that is known to be damaged.
    pub(crate) fn repairs_of_damaged(self, bytes: &[u8], options: &Options) -> Vec<Repair> {
        let is_valid = |bytes: &[u8]| self.decode(bytes, options).is_ok_and(|file| file.damage().is_none());
        let own = match self.check_magic(bytes, options) {
            Ok(()) => with_type!(self, Root => <Root as Check>::repairs(bytes)),
            Err(_) => Vec::new(),
        };
        own.into_iter().chain(check::filter::repair(bytes, is_valid)).collect()
    }

    /// Returns a valid file with what can be read of a damaged one, and what is lost.
    ///
    /// # Errors
    /// Errors of decoding when nothing can be read; [`ErrorKind::Encode`] when what can be read is not a valid file.
    pub fn rescue(self, bytes: &[u8], options: &Options) -> Result<Rescued> {
        let (repaired, mut losses) = rescue::repaired(self, bytes, options);
        let bytes = &*repaired;
        with_type!(self, Root => rescue::trimmed::<Root>(bytes, options, &mut losses))
            .map_err(|error| foreign::named(error, bytes))
            .map(|bytes| Rescued { bytes, losses: losses.into() })
    }

    /// Returns the smallest valid file of this format.
    #[must_use]
    pub fn blank(self) -> File {
        with_type!(self, Root => File::from(Root::blank_file()))
    }

    /// Generates a file from entropy: see [`Generate`](crate::codec::Generate).
    #[cfg(feature = "harness")]
    #[must_use]
    pub fn generate(self, entropy: &[u8]) -> File {
        with_type!(self, Root => {
            File::from(<Root as crate::codec::Generate>::generate(entropy))
        })
    }

    /// Verifies that a file re-encodes identically, without its bytes in memory; none if the format needs the whole
    /// file, or the file is damaged.
    #[must_use]
    pub fn verify_stream<R: Read + Seek>(
        self,
        pieces: &mut StreamVerifier<R>,
        options: &Options,
    ) -> Option<Outcome> {
        with_type!(self, Root => Root::verify_stream(pieces, options))
    }

    /// Summarises a valid file faster than by decoding it first, or in less memory: of PSK and PSA files only one
    /// piece and the records with names; none if the format does not support that, or the file is damaged.
    #[must_use]
    pub fn summarize_stream<R: Read + Seek>(
        self,
        pieces: &mut StreamVerifier<R>,
        options: &Options,
    ) -> Option<Outline<File>> {
        with_type!(self, Root => {
            let outline = Root::summarize_stream(pieces, options)?;
            Some(outline.map(File::from))
        })
    }

    /// Decodes a valid file of which only the values are in memory, not the bytes; none if the format needs all
    /// bytes at once, decoding fails, or the file is damaged.
    #[must_use]
    pub fn decode_valid<R: Read + Seek>(self, reader: R, options: &Options) -> Option<File> {
        with_type!(self, Root => Root::decode_valid(reader, options).map(File::from))
    }

    /// Decodes and re-encodes a file, and compares the bytes.
    #[must_use]
    pub fn roundtrip(self, bytes: &[u8], options: &Options) -> Outcome {
        let outcome = with_type!(self, Root => codec::roundtrip::<Root>(bytes, options));
        match outcome.verdict {
            Verdict::Undecodable(error) => foreign::named(error, bytes).into(),
            _ => outcome,
        }
    }

    /// Proposes the dialect that fits a file best, with the reason; none if the format has one layout.
    #[must_use]
    pub fn propose(self, bytes: &[u8]) -> Option<Proposal> {
        with_type!(self, Root => <Root as Format>::propose(bytes))
    }

    /// Asserts the laws that hold for any bytes: see [`law`](crate::codec::law).
    ///
    /// # Panics
    /// If a law is violated.
    pub fn law(self, bytes: &[u8], options: &Options) {
        with_type!(self, Root => codec::law_with::<Root>(bytes, options));
    }

    /// Reports possible causes of damage in a file that cannot be decoded.
    #[must_use]
    pub fn diagnose(self, bytes: &[u8], most: usize) -> Report {
        let mut findings = Findings::new(most);
        self.suspect(bytes, &mut findings);
        findings.report_undecoded(bytes.len() as u64)
    }

    /// Returns the name: `ms3d`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns the Kaitai Struct schema of the format, as the text of a `.ksy` file.
    #[must_use]
    pub fn ksy(self) -> String {
        crate::ksy::write(&self.meta(), &self.shape())
    }

    /// Returns a pattern for the hex editor ImHex, as the text of a `.hexpat` file.
    #[must_use]
    pub fn imhex(self) -> String {
        crate::imhex::write(&self.meta(), &self.shape())
    }

    fn meta(self) -> crate::ksy::Meta {
        let Info { name, title, extensions, schema_note, .. } = *self.info();
        crate::ksy::Meta { id: name, title, extensions, note: schema_note }
    }

    /// Returns a JSON Schema for the output of [`File::to_json`] and [`File::to_objects_json`].
    #[must_use]
    pub fn json_schema(self, dialect: Option<&str>) -> String {
        let (shape, structs) = (self.shape_in(dialect), self.shape());
        crate::json::describe(self.name(), &shape, self.objects_schema(dialect, &structs))
    }

    /// Returns the format with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}
