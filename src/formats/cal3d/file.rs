//! A Cal3D file in either form, and how its dialect is found.

use binrw::io::{Read, Seek, Write};
use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::xml::{is_form, looks_like_xml};
use super::{Dialect, Document};
use crate::codec::{Format, Info, known_start};
use crate::schema::{Edit, Node, NodeMut, Path, Schema, Shape, Value};
use crate::{Options, Result};

/// A Cal3D file: binary in one of four dialects, or XML.
#[derive(Clone, Debug, PartialEq)]
pub enum Cal3d<B> {
    /// The binary form.
    Binary {
        /// Who understands its version number.
        dialect: Dialect,
        /// The content.
        file: B,
    },
    /// The XML form.
    Xml(Document),
}

/// The binary form of a kind of Cal3D file, and what its XML form is known by.
pub trait Binary:
    Schema + Default + for<'a> BinRead<Args<'a> = (Dialect,)> + for<'a> BinWrite<Args<'a> = ()>
{
    /// What is known of the format beside its layout.
    const INFO: Info;
    /// The magic of the XML form.
    const XML_MAGIC: &'static [u8];
    /// The main element of the XML form.
    const XML_ROOT: &'static [u8];

    /// The version number.
    fn version(&self) -> i32;
}

/// A dialect that was chosen for a file, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The dialect.
    pub dialect: Dialect,
    /// Why it was chosen.
    pub reason: Reason,
}

/// Why a dialect was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The file is text.
    IsText,
    /// It is at home with the version, and in it the file ends where it should.
    Version,
    /// Of all dialects, this alone makes the file end where it should.
    OnlyFit,
    /// It is at home with the version; in no dialect, or in several others, the file ends where it should.
    NoneFits,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::IsText => "the file is text",
            Self::Version => "the version's own, and the file ends where it should",
            Self::OnlyFit => {
                "the only one in which the file ends where it should, though not the version's own"
            }
            Self::NoneFits => "the version's own, although the file does not end where it should",
        })
    }
}

impl<B: Binary> Cal3d<B> {
    /// The dialect in which [`decode`](Format::decode) reads a file, and why.
    ///
    /// Decodes it up to three times.
    ///
    /// ```
    /// use bindpose::codec::Format;
    /// use bindpose::formats::cal3d::{CalMesh, Dialect, Reason};
    /// let proposal = CalMesh::propose(&CalMesh::blank_file().encode()?);
    /// assert_eq!((proposal.dialect, proposal.reason), (Dialect::Classic, Reason::Version));
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    #[must_use]
    pub fn propose(bytes: &[u8]) -> Proposal {
        choose::<B>(bytes).0
    }

    /// The value that both forms consist of.
    fn value(&self) -> &dyn Value {
        match self {
            Self::Binary { file, .. } => file,
            Self::Xml(document) => document,
        }
    }
}

/// The dialect for a file, and the file where it was decoded on the way.
fn choose<B: Binary>(bytes: &[u8]) -> (Proposal, Option<Result<Cal3d<B>>>) {
    if looks_like_xml(bytes) {
        return (Proposal { dialect: Dialect::Xml, reason: Reason::IsText }, None);
    }
    let number = bytes.get(4..8).and_then(|bytes| bytes.try_into().ok()).map_or(0, i32::from_le_bytes);
    let own = Dialect::of_version(number);
    let read = Cal3d::<B>::decode_as(bytes, (own,));
    if is_whole(&read) {
        return (Proposal { dialect: own, reason: Reason::Version }, Some(read));
    }
    let others = Dialect::BINARY.into_iter().filter(|dialect| *dialect != own && dialect.is_possible(number));
    let mut fitting = others
        .map(|dialect| (dialect, Cal3d::decode_as(bytes, (dialect,))))
        .filter(|(_, read)| is_whole(read));
    match (fitting.next(), fitting.next()) {
        (Some((dialect, read)), None) => (Proposal { dialect, reason: Reason::OnlyFit }, Some(read)),
        _ => (Proposal { dialect: own, reason: Reason::NoneFits }, Some(read)),
    }
}

fn is_whole<B: Binary>(read: &Result<Cal3d<B>>) -> bool {
    read.as_ref().is_ok_and(|file| crate::codec::damage(file).is_none())
}

impl<B: Binary> From<B> for Cal3d<B> {
    /// A binary file in the dialect that is at home with its version.
    fn from(file: B) -> Self {
        Self::Binary { dialect: Dialect::of_version(file.version()), file }
    }
}

impl<B: Binary> Format for Cal3d<B> {
    const INFO: Info = B::INFO;

    fn args(bytes: &[u8], options: &Options) -> Result<(Dialect,)> {
        match &options.dialect {
            Some(name) => Ok((name.parse()?,)),
            None => Ok((choose::<B>(bytes).0.dialect,)),
        }
    }

    fn decode_with(bytes: &[u8], options: &Options) -> Result<Self> {
        known_start::<Self>(bytes)?;
        let chosen = options.dialect.is_none().then(|| choose(bytes).1).flatten();
        match chosen {
            Some(read) => read,
            None => Self::decode_as(bytes, Self::args(bytes, options)?),
        }
    }

    fn blank_file() -> Self {
        B::default().into()
    }

    fn detect(head: &[u8]) -> bool {
        head.starts_with(Self::INFO.magic) || is_form(head, B::XML_MAGIC, B::XML_ROOT)
    }

    fn dialect(&self) -> Option<&'static str> {
        Some(match self {
            Self::Binary { dialect, .. } => dialect.name(),
            Self::Xml(_) => Dialect::Xml.name(),
        })
    }
}

impl<B: Binary> BinRead for Cal3d<B> {
    type Args<'a> = (Dialect,);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        (dialect,): (Dialect,),
    ) -> BinResult<Self> {
        match dialect {
            Dialect::Xml => Document::read_options(reader, endian, (B::XML_ROOT,)).map(Self::Xml),
            _ => B::read_options(reader, endian, (dialect,)).map(|file| Self::Binary { dialect, file }),
        }
    }
}

impl<B: Binary> BinWrite for Cal3d<B> {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        match self {
            Self::Binary { file, .. } => file.write_options(writer, endian, ()),
            Self::Xml(document) => document.write_options(writer, endian, ()),
        }
    }
}

impl<B: Binary> Value for Cal3d<B> {
    fn size(&self) -> u64 {
        self.value().size()
    }
    fn node(&self) -> Node<'_> {
        self.value().node()
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        match self {
            Self::Binary { file, .. } => file.node_mut(),
            Self::Xml(document) => document.node_mut(),
        }
    }
    fn alias(&self, path: &Path) -> Option<Result<Vec<Edit>>> {
        self.value().alias(path)
    }
}

impl<B: Binary> Schema for Cal3d<B> {
    /// The binary form, in the dialect that is at home with the version.
    fn shape() -> Shape {
        match B::shape() {
            Shape::Record(mut record) => {
                record.params.clear();
                Shape::Record(record)
            }
            other => other,
        }
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::blank_file()
    }
}
