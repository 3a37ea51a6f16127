//! The formats, one room each.

pub mod cal3d;
mod detect;
pub mod directx;
mod family;
mod json;
pub mod max;
pub mod ms3d;
pub mod psk;
pub mod unigine;

pub use detect::FormatSpec;
pub use family::check_set;

use std::io::{Read, Seek};
use std::ops::ControlFlow;

use crate::check::{self, Check, Findings, Repair, Report};
use crate::codec::{About, Format, Info, Outcome, Proposal, StreamVerifier};
use crate::scene::ToScene;
use crate::schema::{self, FieldPath, Leaf, Location, Place, Shape, Value};
use crate::{Error, ErrorKind, Options, Result};
use family::Family;

/// Lists every format once.
macro_rules! formats {
    ($($family:ident { $($variant:ident($type:ident)),+ $(,)? })+) => {
        /// Every family, in the order of the documentation.
        pub(crate) const FAMILIES: &[&Family] = &[$(&$family::FAMILY),+];

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
                #[doc = concat!("See [`", stringify!($family::$type), "`].")]
                $variant(Box<$family::$type>),
            )+)+
        }

        /// The formats there are.
        ///
        /// ```
        /// use bindpose::FileKind;
        /// assert_eq!(FileKind::detect(b"MS3D000000\x04\0\0\0"), Some(FileKind::Ms3d));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FileKind {
            $($(
                #[doc = concat!("See [`", stringify!($family::$type), "`].")]
                $variant,
            )+)+
        }

        impl FileKind {
            /// Every format, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$($(Self::$variant),+),+];

            /// What is known of the format beside its layout.
            #[must_use]
            pub const fn info(self) -> &'static Info {
                match self {
                    $($(Self::$variant => &$family::$type::INFO,)+)+
                }
            }

            /// Whether a file that starts with these bytes is of this format.
            #[must_use]
            pub fn recognizes(self, head: &[u8]) -> bool {
                match self {
                    $($(Self::$variant => $family::$type::detect(head),)+)+
                }
            }

            /// Whether a file of these bytes could be one of this format, cut inside the magic.
            #[must_use]
            pub fn is_cut(self, bytes: &[u8]) -> bool {
                match self {
                    $($(Self::$variant => $family::$type::is_cut(bytes),)+)+
                }
            }

            /// The published description of the format.
            #[must_use]
            pub fn shape(self) -> Shape {
                match self {
                    $($(Self::$variant => <$family::$type as schema::Schema>::shape(),)+)+
                }
            }

            /// What a file of a dialect consists of; the published description where there is one layout.
            #[must_use]
            pub fn shape_in(self, dialect: Option<&str>) -> Shape {
                match self {
                    $($(Self::$variant => <$family::$type as Format>::shape_in(dialect),)+)+
                }
            }

            /// Decodes a file of this format.
            ///
            /// # Errors
            /// When the bytes are not of this format, end before its optional parts, or exceed a limit.
            pub fn decode(self, bytes: &[u8], options: &Options) -> Result<File> {
                match self {
                    $($(Self::$variant => $family::$type::decode_with(bytes, options).map(|file| File::$variant(Box::new(file))),)+)+
                }
            }

            /// The module of [`formats`](crate::formats) that defines the format: `cal3d`. Formats of a family share rules.
            #[must_use]
            pub const fn family(self) -> &'static str {
                match self {
                    $($(Self::$variant => stringify!($family),)+)+
                }
            }

            /// The type in that module that files of the format decode to: `CalMesh`.
            #[must_use]
            pub const fn type_name(self) -> &'static str {
                match self {
                    $($(Self::$variant => stringify!($type),)+)+
                }
            }

            /// Returns whether files of this format have references to other files that [`check_set`] checks.
            #[must_use]
            pub const fn has_set_rules(self) -> bool {
                match self {
                    $($(Self::$variant => $family::FAMILY.check_set.is_some(),)+)+
                }
            }

            /// What may be behind it that a file makes no sense.
            fn suspect(self, bytes: &[u8], findings: &mut Findings) {
                check::filter::check(bytes, findings);
                match self {
                    $($(Self::$variant => <$family::$type as Check>::suspect(bytes, findings),)+)+
                }
            }

            /// Changes that are certain to mend a file, even one that cannot be decoded.
            #[must_use]
            pub fn repairs(self, bytes: &[u8], options: &Options) -> Vec<Repair> {
                let is_sound =
                    |bytes: &[u8]| self.decode(bytes, options).is_ok_and(|file| file.damage().is_none());
                if is_sound(bytes) {
                    return Vec::new();
                }
                let own = match self {
                    $($(Self::$variant => <$family::$type as Check>::repairs(bytes),)+)+
                };
                own.into_iter().chain(check::filter::repair(bytes, is_sound)).collect()
            }

            /// The smallest sound file of this format.
            #[must_use]
            pub fn blank(self) -> File {
                match self {
                    $($(Self::$variant => File::$variant(Box::new($family::$type::blank_file())),)+)+
                }
            }

            /// A file made from entropy: see [`Generate`](crate::codec::Generate).
            #[cfg(feature = "harness")]
            #[must_use]
            pub fn generate(self, entropy: &[u8]) -> File {
                match self {
                    $($(Self::$variant => {
                        File::$variant(Box::new(<$family::$type as crate::codec::Generate>::generate(entropy)))
                    })+)+
                }
            }

            /// Proves in little memory that a file is sound and comes back; none where only the whole file can tell.
            #[must_use]
            pub fn prove<R: Read + Seek>(self, pieces: &mut StreamVerifier<R>, options: &Options) -> Option<Outcome> {
                match self {
                    $($(Self::$variant => $family::$type::prove(pieces, options),)+)+
                }
            }

            /// Decodes, encodes and compares.
            #[must_use]
            pub fn roundtrip(self, bytes: &[u8], options: &Options) -> Outcome {
                match self {
                    $($(Self::$variant => crate::codec::roundtrip::<$family::$type>(bytes, options),)+)+
                }
            }

            /// The dialect that a file of this format is best read in, and why; none where there is one layout.
            #[must_use]
            pub fn propose(self, bytes: &[u8]) -> Option<Proposal> {
                match self {
                    $($(Self::$variant => <$family::$type as Format>::propose(bytes),)+)+
                }
            }

            /// Asserts what must hold for any bytes: see [`law`](crate::codec::law).
            ///
            /// # Panics
            /// When a law is broken.
            pub fn law(self, bytes: &[u8], options: &Options) {
                match self {
                    $($(Self::$variant => crate::codec::law_with::<$family::$type>(bytes, options),)+)+
                }
            }
        }

        impl File {
            /// The format of the file.
            #[must_use]
            pub const fn kind(&self) -> FileKind {
                match self {
                    $($(Self::$variant(_) => FileKind::$variant,)+)+
                }
            }

            /// The dialect the file is in, where the format has several.
            #[must_use]
            pub fn dialect(&self) -> Option<&'static str> {
                match self {
                    $($(Self::$variant(file) => file.dialect(),)+)+
                }
            }

            /// How to decode this file again: in its own dialect, under the default limits.
            #[must_use]
            pub fn options(&self) -> Options {
                match self {
                    $($(Self::$variant(file) => file.options(),)+)+
                }
            }

            /// The program that wrote the file, where its marks can be told.
            #[must_use]
            pub fn writer(&self) -> Option<&'static str> {
                match self {
                    $($(Self::$variant(file) => file.writer(),)+)+
                }
            }

            /// What the file holds, at a glance.
            #[must_use]
            pub fn about(&self) -> About {
                match self {
                    $($(Self::$variant(file) => file.about(),)+)+
                }
            }

            /// What breaks the rules of the format, of each rule the first so many places. The bytes are those that the
            /// file was decoded from, or [encodes](Self::encode) to.
            #[must_use]
            pub fn check(&self, bytes: &[u8], most: usize) -> Report {
                let mut findings = Findings::new(most);
                check::check_any(self.value(), bytes, &mut findings);
                if self.damage().is_some() {
                    self.kind().suspect(bytes, &mut findings);
                }
                match self {
                    $($(Self::$variant(file) => file.check(&mut findings),)+)+
                }
                findings.report(self.value())
            }

            /// Encodes the file and compares it with the bytes that it was decoded from.
            #[must_use]
            pub fn verify(&self, bytes: &[u8]) -> Outcome {
                match self {
                    $($(Self::$variant(file) => crate::codec::verify(&**file, bytes),)+)+
                }
            }

            /// The file as something with a meaning: see [`Scene::of`](crate::scene::Scene::of).
            #[must_use]
            pub fn meaning(&self) -> &dyn ToScene {
                match self {
                    $($(Self::$variant(file) => &**file,)+)+
                }
            }

            /// The bytes of the file.
            ///
            /// # Errors
            /// When a list is longer than its count can say, or lists that share a count are of unequal length.
            pub fn encode(&self) -> Result<Vec<u8>> {
                match self {
                    $($(Self::$variant(file) => file.encode(),)+)+
                }
            }

            /// Appends the bytes of the file to a buffer.
            ///
            /// # Errors
            /// As [`encode`](Self::encode); the buffer is then as long as before.
            pub fn encode_into(&self, buffer: &mut Vec<u8>) -> Result<()> {
                match self {
                    $($(Self::$variant(file) => file.encode_into(buffer),)+)+
                }
            }

            /// The file as a tree of values.
            #[must_use]
            pub fn value(&self) -> &dyn Value {
                match self {
                    $($(Self::$variant(file) => &**file,)+)+
                }
            }

            /// The file as a tree of values, for changing it.
            pub fn value_mut(&mut self) -> &mut dyn Value {
                match self {
                    $($(Self::$variant(file) => &mut **file,)+)+
                }
            }
        }
    };
}

formats! {
    ms3d { Ms3d(Ms3d) }
    cal3d {
        Cal3dSkeleton(CalSkeleton),
        Cal3dAnimation(CalAnimation),
        Cal3dMesh(CalMesh),
        Cal3dMaterial(CalMaterial),
        Cal3dMorph(CalMorph),
    }
    psk { Psk(Psk), Psa(Psa), PsaConfig(PsaConfig) }
    directx { X(X) }
    unigine { UnigineMesh(UnigineMesh), UnigineAnim(UnigineAnim) }
    max { MaxSkeleton(Skeleton), MaxAnimation(Animation), MaxMesh(Mesh) }
}

/// Decodes a file whose format its content tells.
///
/// # Errors
/// When no format starts like these bytes, or they cannot be decoded.
pub fn decode(bytes: &[u8]) -> Result<File> {
    decode_with(bytes, &Options::default())
}

/// As [`decode`], with limits and a dialect.
///
/// # Errors
/// As [`decode`], and when a limit is exceeded.
pub fn decode_with(bytes: &[u8], options: &Options) -> Result<File> {
    let kind = FileKind::detect(bytes).ok_or_else(|| Error::new(0, ErrorKind::UnknownFormat))?;
    kind.decode(bytes, options)
}

impl FileKind {
    /// What can be told of a file that cannot be decoded: what became of its bytes.
    #[must_use]
    pub fn diagnose(self, bytes: &[u8], most: usize) -> Report {
        let mut findings = Findings::new(most);
        self.suspect(bytes, &mut findings);
        findings.report_undecoded(bytes.len() as u64)
    }

    /// The name, as on the command line: `ms3d`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// The published schema of the format, as the text of a `.ksy` file.
    #[must_use]
    pub fn ksy(self) -> String {
        let Info { name, title, extensions, schema_note, .. } = *self.info();
        crate::ksy::write(&crate::ksy::Meta { id: name, title, extensions, note: schema_note }, &self.shape())
    }

    /// A JSON Schema of what [`File::to_json`] writes.
    #[must_use]
    pub fn json_schema(self, dialect: Option<&str>) -> String {
        crate::json::describe(self.name(), &self.shape_in(dialect))
    }

    /// The format of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

impl File {
    /// Changes that are certain to mend the file. The bytes are those that it was decoded from.
    #[must_use]
    pub fn repairs(&self, bytes: &[u8]) -> Vec<Repair> {
        self.kind().repairs(bytes, &self.options())
    }

    /// The values at a path, in the spelling that [`set`](Self::set) takes back.
    ///
    /// # Errors
    /// [`ErrorKind::Path`] when the path is misspelt or leads nowhere.
    pub fn get(&self, path: &str) -> Result<Vec<(FieldPath, String)>> {
        schema::get(self.value(), &path.parse()?)
    }

    /// Sets every leaf a path leads to; nothing else changes but the lengths that count a text.
    ///
    /// # Errors
    /// [`ErrorKind::Path`] when the path leads nowhere or not to a leaf; [`ErrorKind::Value`] when the text does not fit or the
    /// leaf decides what follows.
    pub fn set(&mut self, path: &str, text: &str) -> Result<Vec<Location>> {
        schema::set(self.value_mut(), &path.parse()?, text)
    }

    /// Appends an element of zeros to the list a path leads to, and to those that must keep its length.
    ///
    /// # Errors
    /// [`ErrorKind::Path`] when the path leads nowhere or not to a list; [`ErrorKind::Value`] when its length is fixed.
    pub fn append(&mut self, path: &str) -> Result<Vec<FieldPath>> {
        schema::append(self.value_mut(), &path.parse()?)
    }

    /// Makes what a path leads to present, with all that it stands in, and says what was made.
    ///
    /// A choice takes the form that is named, a list another element; what holds one value takes the one that is given,
    /// otherwise zeros.
    ///
    /// ```
    /// use bindpose::FileKind;
    /// let mut file = FileKind::Ms3d.blank();
    /// file.create("comments.model", Some("a hip"))?;
    /// assert_eq!(file.get("comments.lists.model[0].text")?[0].1, "a hip");
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Path`] when the path leads nowhere; [`ErrorKind::Value`] when the value is there already, or cannot be there
    /// alone: other fields say what the file holds.
    pub fn create(&mut self, path: &str, value: Option<&str>) -> Result<Vec<FieldPath>> {
        let path: FieldPath = path.parse()?;
        let shape = self.kind().shape_in(self.dialect());
        for before in [false, true] {
            let mut with = self.clone();
            let created = schema::create(with.value_mut(), &shape, &path, value, before)?;
            let again = self.kind().decode(&with.encode()?, &self.options());
            if again.is_ok_and(|again| same_places(again.value(), with.value())) {
                *self = with;
                return Ok(created);
            }
        }
        Err(Error::new(0, ErrorKind::Value(schema::not_alone(&shape, &path))).at(path))
    }

    /// Deletes the element a path leads to, and those of the lists that must keep its length.
    ///
    /// # Errors
    /// [`ErrorKind::Path`] when the path leads nowhere or not to an element; [`ErrorKind::Value`] when the length is fixed.
    pub fn delete(&mut self, path: &str) -> Result<Vec<FieldPath>> {
        schema::delete(self.value_mut(), &path.parse()?)
    }

    /// Zeroes what stands behind the end of every text of a fixed field, often memory of the program that wrote the file.
    /// Says what it was.
    ///
    /// # Errors
    /// None that a decoded file could cause.
    pub fn scrub(&mut self) -> Result<Vec<(FieldPath, Vec<u8>)>> {
        let junk = schema::junk(self.value());
        junk.iter().try_for_each(|(path, _)| schema::scrub(self.value_mut(), path))?;
        Ok(junk)
    }

    /// Visits every leaf in the order of the file.
    ///
    /// # Errors
    /// Breaks when the visitor does.
    pub fn walk(&self, visit: &mut dyn FnMut(&Place, &dyn Leaf) -> ControlFlow<()>) -> ControlFlow<(), u64> {
        schema::leaves(self.value(), visit)
    }

    /// Visits every leaf that ends after an offset, without visiting those before it.
    ///
    /// # Errors
    /// Breaks when the visitor does.
    pub fn walk_from(
        &self,
        offset: u64,
        visit: &mut dyn FnMut(&Place, &dyn Leaf) -> ControlFlow<()>,
    ) -> ControlFlow<(), u64> {
        schema::leaves_from(self.value(), offset, visit)
    }

    /// Where the file stopped making sense and why, if it did.
    #[must_use]
    pub fn damage(&self) -> Option<Error> {
        crate::codec::damage(self.value())
    }
}

/// Whether two files have leaves of the same names at the same places.
fn same_places(a: &dyn Value, b: &dyn Value) -> bool {
    let places = |value| {
        let mut places = Vec::new();
        let _ = schema::leaves(value, &mut |place, leaf| {
            places.push((place.path.clone(), leaf.size()));
            ControlFlow::Continue(())
        });
        places
    };
    places(a) == places(b)
}
