//! The formats: one module per family, and the closed enums [`File`] and [`FileKind`].
//!
//! Each module contains the on-disk structs of its formats in the order of the file. A [`File`] contains the decoded root
//! struct of any format; a [`FileKind`] names a format and [lists](FileKind::ALL) all of them. [`FormatSpec`] detects a
//! format by the content and the name of a file.
//!
//! ```
//! use bindpose::{File, FileKind};
//! use bindpose::formats::ms3d::Joint;
//! let mut file = bindpose::decode(&FileKind::Ms3d.blank().encode()?)?;
//! if let File::Ms3d(model) = &mut file {
//!     model.joints.push(Joint::default());
//! }
//! assert_eq!(file.get("joints[0].position.x")?.as_f64(), Some(0.0));
//! # Ok::<(), bindpose::Error>(())
//! ```

#[cfg(any(feature = "iqm", feature = "psk"))]
mod aliases;
pub(crate) mod any_file;
mod author;
#[cfg(feature = "cal3d")]
pub mod cal3d;
mod detect;
#[cfg(feature = "directx")]
pub mod directx;
mod family;
mod file;
pub(crate) mod foreign;
#[cfg(feature = "iqm")]
pub mod iqm;
mod json;
mod json_tree;
#[cfg(feature = "max")]
pub mod max;
#[cfg(feature = "ms3d")]
pub mod ms3d;
mod object_paths;
#[cfg(feature = "psk")]
pub mod psk;
#[cfg(feature = "unigine")]
pub mod unigine;
mod writers;

pub use author::{Written, lost_without};
pub use detect::FormatSpec;
pub use family::{check_named_set, check_set};
pub use object_paths::ObjectPaths;
pub use writers::Writer;

use std::io::{Read, Seek, Write};

use crate::check::{self, Check, Findings, Repair, Report};
use crate::codec::{FileSummary, Format, Info, Outcome, Outline, Proposal, StreamVerifier, Verdict};
use crate::edit::{self, Named};
use crate::json::{Cursor, Objects};
use crate::rescue::{self, Rescued};
use crate::scene::author::{Author, AuthorError, Authored, Authoring, FromScene, Program, SceneContent};
use crate::scene::{Space, ToScene};
use crate::schema::{self, FieldPath, Location, Shape, Value};
use crate::{Budget, ErrorKind, Options, Result};
pub(crate) use family::Family;

/// Lists every family with its formats: module, feature, variant and type.
macro_rules! formats {
    ($($family:ident $feature:literal { $($variant:ident($type:ident)),+ $(,)? })+) => {
        /// Every family, in the order of the documentation.
        pub(crate) const FAMILIES: &[&Family] = &[$(#[cfg(feature = $feature)] &$family::FAMILY),+];

        /// Returns the name of every family with the programs that write its formats.
        pub(crate) fn families() -> impl Iterator<Item = (&'static str, &'static [&'static Writer])> {
            [$(#[cfg(feature = $feature)] (stringify!($family), $family::FAMILY.writers)),+].into_iter()
        }

        /// A decoded file of any format.
        ///
        /// ```
        /// use bindpose::codec::Format;
        /// # let bytes = bindpose::formats::ms3d::Ms3d::blank_file().encode()?;
        /// let file = bindpose::decode(&bytes)?;
        /// assert_eq!(file.kind().name(), "ms3d");
        /// assert_eq!(file.encode()?, bytes);
        /// # Ok::<(), bindpose::Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum File {
            $($(
                #[cfg(feature = $feature)]
                #[doc = concat!("See [`", stringify!($family::$type), "`].")]
                $variant(Box<$family::$type>),
            )+)+
        }

        /// A supported format.
        ///
        /// ```
        /// use bindpose::FileKind;
        /// assert_eq!(FileKind::detect(b"MS3D000000\x04\0\0\0"), Some(FileKind::Ms3d));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FileKind {
            $($(
                #[cfg(feature = $feature)]
                #[doc = concat!("See [`", stringify!($family::$type), "`].")]
                $variant,
            )+)+
        }

        impl FileKind {
            /// Every format, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$($(#[cfg(feature = $feature)] Self::$variant),+),+];

            /// Returns name, extensions, dialects and other properties of the format.
            #[must_use]
            pub const fn info(self) -> &'static Info {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => &$family::$type::INFO,)+)+
                }
            }

            /// Returns whether a file that starts with these bytes is of this format.
            #[must_use]
            pub fn recognizes(self, head: &[u8]) -> bool {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => $family::$type::detect(head),)+)+
                }
            }

            /// Rejects a file that starts with these bytes, where no file of this format does. [`FormatSpec::HEAD`] bytes suffice.
            ///
            /// # Errors
            /// [`ErrorKind::Magic`], or [`ErrorKind::Foreign`] if the file is of another known format: the error of decoding such
            /// a file.
            pub fn check_magic(self, head: &[u8], options: &Options) -> Result<()> {
                let known = match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => $family::$type::check_magic(head, options),)+)+
                };
                known.or_else(|error| if matches!(error.kind(), ErrorKind::Magic(_)) { Err(foreign::named(error, head)) } else { Ok(()) })
            }

            /// Returns whether these bytes are a beginning of the magic: a file of this format, truncated there.
            #[must_use]
            pub fn is_truncated_magic(self, bytes: &[u8]) -> bool {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => $family::$type::is_truncated_magic(bytes),)+)+
                }
            }

            /// Returns the static description of the format.
            #[must_use]
            pub fn shape(self) -> Shape {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as schema::Schema>::shape(),)+)+
                }
            }

            /// Returns the static description of a dialect.
            #[must_use]
            pub fn shape_in(self, dialect: Option<&str>) -> Shape {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as Format>::shape_in(dialect),)+)+
                }
            }

            /// Decodes a file of this format.
            ///
            /// # Errors
            /// If the bytes are not of this format, end before its optional parts, or exceed a limit.
            pub fn decode(self, bytes: &[u8], options: &Options) -> Result<File> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => $family::$type::decode_with(bytes, options).map(|file| File::$variant(Box::new(file))),)+)+
                }
                .map_err(|error| foreign::named(error, bytes))
            }

            /// Returns the bytes of a file that is described by its objects; none if the format has no objects.
            fn read_objects(self, dialect: Option<&str>, json: &mut Cursor<'_>) -> Option<Result<Vec<u8>>> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => $family::$type::read_objects(dialect, json),)+)+
                }
            }

            /// Returns the JSON Schema of objects, of which `structs` is the shape.
            fn objects_schema<'s>(self, dialect: Option<&str>, structs: &'s Shape) -> Option<Objects<'s>> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => $family::$type::objects_schema(dialect, structs),)+)+
                }
            }

            /// Returns the module of [`formats`](crate::formats) that defines the format: `cal3d`.
            #[must_use]
            pub const fn family(self) -> &'static str {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => stringify!($family),)+)+
                }
            }

            /// Returns the type in that module that files of the format decode to: `CalMesh`.
            #[must_use]
            pub const fn type_name(self) -> &'static str {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => stringify!($type),)+)+
                }
            }

            /// Returns whether files of this format have references to other files that [`check_set`] checks.
            #[must_use]
            pub const fn has_set_rules(self) -> bool {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => $family::FAMILY.check_set.is_some(),)+)+
                }
            }

            /// Returns the contents of a scene that can be written in this format; none if scenes cannot be written in it.
            #[must_use]
            pub const fn scene_contents(self) -> &'static [SceneContent] {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as FromScene>::HOLDS,)+)+
                }
            }

            /// Returns whether files store the bind pose of skins beside the pose of the skeleton.
            fn stores_bind_pose(self, settings: &Authoring) -> bool {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as FromScene>::stores_bind_pose(settings),)+)+
                }
            }

            /// Returns whether a dialect, or the default one, stores morph targets.
            fn stores_morphs(self, dialect: Option<&str>) -> bool {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as FromScene>::stores_morphs(dialect),)+)+
                }
            }

            /// Returns whether readers support only one root, the first bone.
            const fn has_one_root(self) -> bool {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as FromScene>::HAS_ONE_ROOT,)+)+
                }
            }

            /// Returns the versions that can be written, the usual one first, if their names are those of no other format.
            #[must_use]
            pub const fn versions(self) -> &'static [&'static str] {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as FromScene>::VERSIONS,)+)+
                }
            }

            /// Returns the versions and encodings that can be written, the usual one first: those of [`Authoring::version`].
            #[must_use]
            pub const fn encodings(self) -> &'static [&'static str] {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as FromScene>::ENCODINGS,)+)+
                }
            }

            /// Returns the extensions that state a version, each with its version.
            #[must_use]
            pub const fn extensions_of_versions(self) -> &'static [(&'static str, &'static str)] {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as FromScene>::EXTENSIONS,)+)+
                }
            }

            /// Returns the programs that files of this format can be written for.
            #[must_use]
            pub const fn programs(self) -> &'static [Program] {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as FromScene>::PROGRAMS,)+)+
                }
            }

            /// Returns the files of this format that represent a scene.
            fn author(self, author: &mut Author<'_>) -> std::result::Result<Vec<Authored<File>>, AuthorError> {
                author.is_for(self.programs())?;
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => {
                        let files = <$family::$type as FromScene>::from_scene(author)?.into_iter();
                        Ok(files.map(|own| own.map(|file| File::$variant(Box::new(file)))).collect())
                    })+)+
                }
            }

            /// Adds possible causes of damage.
            fn suspect(self, bytes: &[u8], findings: &mut Findings) {
                check::filter::check(bytes, findings);
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as Check>::suspect(bytes, findings),)+)+
                }
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
                let is_valid =
                    |bytes: &[u8]| self.decode(bytes, options).is_ok_and(|file| file.damage().is_none());
                let own = match self {
                    _ if self.check_magic(bytes, options).is_err() => Vec::new(),
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as Check>::repairs(bytes),)+)+
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
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => rescue::trimmed::<$family::$type>(bytes, options, &mut losses),)+)+
                }
                .map_err(|error| foreign::named(error, bytes))
                .map(|bytes| Rescued { bytes, losses: losses.into() })
            }

            /// Returns the smallest valid file of this format.
            #[must_use]
            pub fn blank(self) -> File {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => File::$variant(Box::new($family::$type::blank_file())),)+)+
                }
            }

            /// Generates a file from entropy: see [`Generate`](crate::codec::Generate).
            #[cfg(feature = "harness")]
            #[must_use]
            pub fn generate(self, entropy: &[u8]) -> File {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => {
                        File::$variant(Box::new(<$family::$type as crate::codec::Generate>::generate(entropy)))
                    })+)+
                }
            }

            /// Verifies that a file re-encodes identically, without its bytes in memory; none if the format needs the whole
            /// file, or the file is damaged.
            #[must_use]
            pub fn verify_stream<R: Read + Seek>(self, pieces: &mut StreamVerifier<R>, options: &Options) -> Option<Outcome> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => $family::$type::verify_stream(pieces, options),)+)+
                }
            }

            /// Summarises a valid file faster than by decoding it first, or in less memory: of PSK and PSA files only one
            /// piece and the records with names; none if the format does not support that, or the file is damaged.
            #[must_use]
            pub fn summarize_stream<R: Read + Seek>(self, pieces: &mut StreamVerifier<R>, options: &Options) -> Option<Outline<File>> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => {
                        let outline = $family::$type::summarize_stream(pieces, options)?;
                        Some(outline.map(|file| File::$variant(Box::new(file))))
                    })+)+
                }
            }

            /// Decodes a valid file of which only the values are in memory, not the bytes; none if the format needs all
            /// bytes at once, decoding fails, or the file is damaged.
            #[must_use]
            pub fn decode_valid<R: Read + Seek>(self, reader: R, options: &Options) -> Option<File> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => $family::$type::decode_valid(reader, options).map(|file| File::$variant(Box::new(file))),)+)+
                }
            }

            /// Decodes and re-encodes a file, and compares the bytes.
            #[must_use]
            pub fn roundtrip(self, bytes: &[u8], options: &Options) -> Outcome {
                let outcome = match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => crate::codec::roundtrip::<$family::$type>(bytes, options),)+)+
                };
                match outcome.verdict {
                    Verdict::Undecodable(error) => foreign::named(error, bytes).into(),
                    _ => outcome,
                }
            }

            /// Proposes the dialect that fits a file best, with the reason; none if the format has one layout.
            #[must_use]
            pub fn propose(self, bytes: &[u8]) -> Option<Proposal> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => <$family::$type as Format>::propose(bytes),)+)+
                }
            }

            /// Asserts the laws that hold for any bytes: see [`law`](crate::codec::law).
            ///
            /// # Panics
            /// If a law is violated.
            pub fn law(self, bytes: &[u8], options: &Options) {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => crate::codec::law_with::<$family::$type>(bytes, options),)+)+
                }
            }
        }

        impl File {
            /// Returns the format of the file.
            #[must_use]
            pub const fn kind(&self) -> FileKind {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(_) => FileKind::$variant,)+)+
                }
            }

            /// Returns the dialect of the file; none if the format has one layout.
            #[must_use]
            pub fn dialect(&self) -> Option<&'static str> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.dialect(),)+)+
                }
            }

            /// Returns the options to decode this file again: its dialect and the default limits.
            #[must_use]
            pub fn options(&self) -> Options {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.options(),)+)+
                }
            }

            /// Proposes the dialect that fits the file best, with the reason; none if the format has one layout. `bytes` is
            /// the file as it was decoded.
            #[must_use]
            pub fn proposal(&self, bytes: &[u8]) -> Option<Proposal> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.proposal(bytes),)+)+
                }
            }

            /// Returns the program that wrote the file, if it can be determined.
            #[must_use]
            pub fn writer(&self) -> Option<&'static str> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.writer(),)+)+
                }
            }

            /// Returns a summary of the file.
            #[must_use]
            pub fn summary(&self) -> FileSummary {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.summary(),)+)+
                }
            }

            /// Checks the rules of the format, and reports at most `most` findings per rule. `bytes` is the file as it
            /// was decoded or as it [encodes](Self::encode).
            #[must_use]
            pub fn check(&self, bytes: &[u8], most: usize) -> Report {
                let mut findings = Findings::new(most);
                check::check_any(self.value(), Some(bytes), &mut findings);
                let damage = self.damage();
                if damage.is_some() {
                    self.kind().suspect(bytes, &mut findings);
                }
                if damage.is_some_and(|damage| matches!(damage.kind(), ErrorKind::Truncated { .. })) {
                    let mut rules = Findings::new(usize::MAX);
                    self.check_rules(&mut rules);
                    findings.append_existing(rules, self.value());
                } else {
                    self.check_rules(&mut findings);
                }
                findings.report(self.value())
            }

            /// As [`check`](Self::check) for a file that is not damaged, whose bytes are not needed.
            #[must_use]
            pub fn check_valid(&self, most: usize) -> Report {
                let mut findings = Findings::new(most);
                check::check_any(self.value(), None, &mut findings);
                self.check_rules(&mut findings);
                findings.report(self.value())
            }

            /// Checks the rules of the format only.
            fn check_rules(&self, findings: &mut Findings) {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.check(findings),)+)+
                }
            }

            /// Returns repairs of violations in a file without damage.
            fn corrections(&self, bytes: &[u8]) -> Vec<Repair> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.corrections(bytes),)+)+
                }
            }

            /// Returns the bones of the file: see [`BoneList`](crate::check::BoneList).
            pub(crate) fn bones(&self) -> Result<Option<check::ListedBones>> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.bone_list(),)+)+
                }
            }

            /// Returns what readers compare of the names of bones if none is equal; none if they find equal names only.
            pub(crate) fn name_key(&self) -> Option<crate::edit::NameKey> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.name_key(),)+)+
                }
            }

            /// Returns why a clip cannot be removed.
            pub(crate) fn why_kept(&self) -> &'static str {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.why_kept(),)+)+
                }
            }

            /// Passes on the paths of values by the names of their objects: see [`ObjectPaths`].
            pub fn with_object_paths<T>(&self, run: impl FnOnce(&mut ObjectPaths<'_>) -> T) -> T {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => Named::with_object_paths(&**file, run),)+)+
                }
            }

            /// Appends objects: see [`append_objects`](Self::append_objects).
            fn append_objects_at(&mut self, path: &FieldPath, text: &[u8]) -> Result<Vec<Location>> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => Named::append_objects(&mut **file, path, text),)+)+
                }
            }

            /// Returns a Cal3D file in its other form: binary as XML, XML as binary; see
            /// `formats::cal3d::Cal3d::in_other_form`.
            ///
            /// # Errors
            /// [`EditError::Unsupported`](crate::schema::EditError::Unsupported) for other formats, and where the other form cannot
            /// represent the content.
            pub fn in_other_form(&self) -> Result<Self> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => {
                        Named::in_other_form(&**file).map(|file| Self::$variant(Box::new(file)))
                    })+)+
                }
            }

            /// Prints the objects of the file as JSON.
            fn objects_json(&self, budget: &Budget) -> Result<String> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.objects_json(budget),)+)+
                }
            }

            /// Encodes the file and compares it with the bytes that it was decoded from.
            #[must_use]
            pub fn verify(&self, bytes: &[u8]) -> Outcome {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => crate::codec::verify(&**file, bytes),)+)+
                }
            }

            /// Returns the file of its format as a part of a scene.
            pub(crate) fn root(&self) -> &dyn ToScene {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => &**file,)+)+
                }
            }

            /// Returns the names in the file: see [`edit::names`](crate::edit::names).
            pub(crate) fn named(&self) -> Result<Vec<edit::Name>> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.names(),)+)+
                }
            }

            /// Sets the fields that contain names.
            pub(crate) fn set_names(&mut self, edits: &[(FieldPath, String)]) -> Result<()> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.set_names(edits),)+)+
                }
            }

            /// Encodes the file.
            ///
            /// # Errors
            /// If a list is too long for its count, or lists that share a count have different lengths.
            pub fn encode(&self) -> Result<Vec<u8>> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.encode(),)+)+
                }
            }

            /// Appends the bytes of the file to a buffer.
            ///
            /// # Errors
            /// As [`encode`](Self::encode); the buffer is then as long as before.
            pub fn encode_into(&self, buffer: &mut Vec<u8>) -> Result<()> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.encode_into(buffer),)+)+
                }
            }

            /// Writes the bytes of the file, front to back and in small pieces, without holding them in memory.
            ///
            /// # Errors
            /// As [`encode`](Self::encode), and if `out` fails.
            pub fn encode_to<W: Write>(&self, out: W) -> Result<()> {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => file.encode_to(out),)+)+
                }
            }

            /// Returns the file as a tree of values.
            #[must_use]
            pub fn value(&self) -> &dyn Value {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => &**file,)+)+
                }
            }

            /// Returns what the formats of its module share.
            pub(crate) fn family(&self) -> &'static Family {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(_) => &$family::FAMILY,)+)+
                }
            }

            /// Returns the axes and the unit of the format, as scenes are read where settings do not state others.
            #[must_use]
            pub fn space(&self) -> Space {
                self.family().space
            }

            /// Returns the file as a mutable tree of values.
            pub fn value_mut(&mut self) -> &mut dyn Value {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(file) => &mut **file,)+)+
                }
            }
        }
    };
}

formats! {
    ms3d "ms3d" { Ms3d(Ms3d) }
    cal3d "cal3d" {
        Cal3dSkeleton(CalSkeleton),
        Cal3dAnimation(CalAnimation),
        Cal3dMesh(CalMesh),
        Cal3dMaterial(CalMaterial),
        Cal3dMorph(CalMorph),
    }
    psk "psk" { Psk(Psk), Psa(Psa), PsaConfig(PsaConfig) }
    directx "directx" { X(X) }
    unigine "unigine" { UnigineMesh(UnigineMesh), UnigineAnim(UnigineAnim), UnigineSkeleton(UnigineSkeleton) }
    iqm "iqm" { Iqm(Iqm) }
    max "max" { MaxSkeleton(Skeleton), MaxAnimation(Animation), MaxMesh(Mesh) }
}

/// Decodes a file, and detects its format by its content.
///
/// # Errors
/// If the format is not supported, or the bytes cannot be decoded.
pub fn decode(bytes: &[u8]) -> Result<File> {
    decode_with(bytes, &Options::default())
}

/// As [`decode`], with limits and a dialect.
///
/// # Errors
/// As [`decode`], and if a limit is exceeded.
pub fn decode_with(bytes: &[u8], options: &Options) -> Result<File> {
    let kind = FileKind::require(bytes)?;
    kind.decode(bytes, options)
}

impl FileKind {
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
