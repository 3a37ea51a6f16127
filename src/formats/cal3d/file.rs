//! A Cal3D file in either form, and how its dialect is detected.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use binrw::io::{Read, Seek, SeekFrom, Write};
use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::check::Content;
use super::xml::{
    ENOUGH, Nesting, is_form, looks_like_xml, read, read_while, reshape, resolve, respell, write, write_to,
};
use super::{Dialect, Document, Form, XmlText};
use crate::check::Findings;
use crate::codec::{
    CommentInfo, FileSummary, Format, Info, Outcome, Outline, Proposal, StreamVerifier, Verdict,
    encode_forward, no_magic, no_room, prove_values,
};
use crate::schema::{Alias, FieldPath, Node, NodeMut, Schema, Shape, Value};
use crate::text::deepest_in_pieces;
use crate::wire::{Source, charge, escape};
use crate::{Budget, Error, ErrorKind, Options, Result};

/// A Cal3D file: binary in one of four dialects, or XML.
#[derive(Clone, Debug)]
pub enum Cal3d<B> {
    /// The binary form.
    Binary {
        /// The dialect that interprets its version number.
        dialect: Dialect,
        /// The content.
        file: B,
    },
    /// The XML form.
    Xml(Xml<B>),
}

/// The document of an XML form. [`Cal3d::view`] reads its content once, and again after a change. The document of a new
/// file is written from its content when it is first used.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::cal3d::{Cal3d, CalMaterial};
/// let file = CalMaterial::decode(br#"<MATERIAL MAGIC="XRF" VERSION="1000" NUMMAPS="0"></MATERIAL>"#)?;
/// let Cal3d::Xml(document) = &file else { panic!("not XML") };
/// assert_eq!(document.root().expect("an element").name(), b"MATERIAL");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Xml<B> {
    /// At least one is present.
    document: OnceLock<Document>,
    content: OnceLock<B>,
}

impl<B> From<Document> for Xml<B> {
    fn from(document: Document) -> Self {
        Self { document: document.into(), content: OnceLock::new() }
    }
}

impl<B: Binary> Deref for Xml<B> {
    type Target = Document;

    fn deref(&self) -> &Document {
        self.document.get_or_init(|| self.written())
    }
}

/// The content is read again after a change.
impl<B: Binary> DerefMut for Xml<B> {
    fn deref_mut(&mut self) -> &mut Document {
        let document = self.document.take().unwrap_or_else(|| self.written());
        *self = document.into();
        self.document.get_mut().expect("the document")
    }
}

/// The content of an XML form follows from its document.
impl<B: Binary + PartialEq> PartialEq for Cal3d<B> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Binary { dialect, file }, Self::Binary { dialect: other, file: own }) => {
                dialect == other && file == own
            }
            (Self::Xml(xml), Self::Xml(other)) => **xml == **other,
            _ => false,
        }
    }
}

impl<B: Binary> Xml<B> {
    /// A new file with a content.
    pub(super) fn of(content: B) -> Self {
        Self { document: OnceLock::new(), content: content.into() }
    }

    /// The document of a new file.
    fn written(&self) -> Document {
        write(self.content.get().expect("a document or its content"))
    }

    /// The content.
    fn content(&self) -> Result<&B> {
        match self.content.get() {
            Some(content) => Ok(content),
            None => self.read().map(|content| self.content.get_or_init(|| content)),
        }
    }

    /// The content, without keeping it beside the document.
    fn take_content(&mut self) -> Result<B> {
        self.document.get_or_init(|| self.written());
        self.content.take().map_or_else(|| self.read(), Ok)
    }

    fn read(&self) -> Result<B> {
        if self.root().is_none() {
            return Err(Error::new(0, ErrorKind::Syntax(format!("{} has no main element", B::INFO.name))));
        }
        let mut content = B::default();
        read(self, B::form(), &mut content)?;
        Ok(content)
    }
}

/// The binary form of a kind of Cal3D file, and how its XML form spells it. Only this crate implements it.
pub trait Binary:
    crate::sealed::Sealed
    + Schema
    + Clone
    + Default
    + for<'a> BinRead<Args<'a> = (Dialect,)>
    + for<'a> BinWrite<Args<'a> = ()>
    + Content
{
    /// The description of the format apart from its layout.
    const INFO: Info;
    /// The name of the main element of the XML form.
    const XML_ROOT: &'static str;

    /// Returns how the XML form spells the fields.
    fn form() -> &'static Form;

    /// Returns the version number.
    fn version(&self) -> i32;

    /// Returns a summary of the file.
    fn summary(&self) -> FileSummary;
}

impl<B: Binary> Cal3d<B> {
    fn branch(&self) -> Dialect {
        match self {
            Self::Binary { dialect, .. } => *dialect,
            Self::Xml(_) => Dialect::Xml,
        }
    }

    /// Returns the content in the structs of the binary form, whichever form the file has.
    ///
    /// Parts that the XML form leaves out are absent here too: no colour, no weight, -1 for no collapse. A key without a
    /// translation has that of the key before it, or [`KEEPS_BIND_POSE`](super::KEEPS_BIND_POSE).
    ///
    /// ```
    /// use bindpose::codec::Format;
    /// use bindpose::formats::cal3d::CalMorph;
    /// let text = br#"<ANIMATION MAGIC="XPF" VERSION="1100" DURATION="1" NUMTRACKS="1">
    ///   <TRACK MORPHNAME="smile" NUMKEYFRAMES="1"><KEYFRAME TIME="0.5"><WEIGHT>1.0</WEIGHT></KEYFRAME></TRACK>
    /// </ANIMATION>"#;
    /// let file = CalMorph::decode(text)?;
    /// assert_eq!(file.view()?.tracks[0].keys[0].weight, 1.0);
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] where a value of the XML form is missing or is not a number.
    pub fn view(&self) -> Result<Cow<'_, B>> {
        match self {
            Self::Binary { file, .. } => Ok(Cow::Borrowed(file)),
            Self::Xml(xml) => xml.content().map(Cow::Borrowed),
        }
    }

    /// Changes the numbers and the lists of the content, in either form. `change` gets the content and its dialect.
    pub(super) fn change<T>(&mut self, change: impl FnOnce(&mut B, Dialect) -> Result<T>) -> Result<T> {
        let old = match self {
            Self::Binary { dialect, file } => return change(file, *dialect),
            Self::Xml(xml) => xml.take_content()?,
        };
        let mut new = old.clone();
        let changed = change(&mut new, Dialect::Xml)?;
        if let Self::Xml(document) = self {
            reshape(document, B::form(), &old, &new)?;
            respell(document, B::form(), &mut new)?;
        }
        Ok(changed)
    }

    /// The value that both forms consist of.
    fn value(&self) -> &dyn Value {
        match self {
            Self::Binary { file, .. } => file,
            Self::Xml(xml) => &**xml,
        }
    }
}

const IS_TEXT: &str = "the file is text";

const DEFAULT_FITS: &str = "the default of the version, and the file ends where this layout does";

/// The dialect of a file that starts with these bytes, unless another one fits better.
fn usual(head: &[u8]) -> Dialect {
    if looks_like_xml(head) { Dialect::Xml } else { Dialect::of_version(number(head)) }
}

/// The version number of a binary file; 0 if it is truncated.
fn number(head: &[u8]) -> i32 {
    head.get(4..8).and_then(|bytes| bytes.try_into().ok()).map_or(0, i32::from_le_bytes)
}

/// The dialect of a file, the reason, and the file where it had to be decoded for that.
///
/// Decodes it up to five times, one after the other.
fn choose<B: Binary>(bytes: &[u8], options: &Options) -> (Dialect, &'static str, Option<Result<Cal3d<B>>>) {
    let (own, number) = (usual(bytes), number(bytes));
    if own == Dialect::Xml {
        return (own, IS_TEXT, None);
    }
    let budget = options.budget_for(bytes.len() as u64);
    let attempt = |dialect: Dialect, scope: &Budget| {
        Cal3d::<B>::decode_as(bytes, (dialect,), &options.clone().with_budget(scope.clone()))
    };
    let scope = budget.scope();
    let read = attempt(own, &scope);
    if is_whole(&read) || read.as_ref().is_err_and(|error| matches!(error.kind(), ErrorKind::Limit(_))) {
        scope.keep();
        return (own, DEFAULT_FITS, Some(read));
    }
    let own_errors = num_errors(&read);
    drop((read, scope));
    let fits = |dialect: &Dialect| is_whole(&attempt(*dialect, &budget.scope()));
    let errors = |dialect: Dialect| num_errors(&attempt(dialect, &budget.scope()));
    let other = Dialect::other_of_version(number);
    if let Some(other) = other.filter(fits) {
        return (other, "the other layout of the version, which ends where the file does", None);
    }
    let others = Dialect::BINARY.into_iter().filter(|dialect| *dialect != own && dialect.is_possible(number));
    let mut fitting = others.filter(fits);
    let (dialect, why) = match (fitting.next(), fitting.next()) {
        (Some(dialect), None) => (
            dialect,
            "the only layout that ends where the file does, although not the default of the version",
        ),
        (None, _) if other.is_some_and(|other| errors(other) < own_errors) => (
            other.unwrap_or(own),
            "the other layout of the version; the file is damaged, and has more errors in the default one",
        ),
        (None, _) => (own, "the default of the version; no layout ends where the file does"),
        _ => (own, "the default of the version; several other layouts end where the file does"),
    };
    (dialect, why, None)
}

/// The number of errors in a file that is not whole: a layout that is not its own reads numbers as others.
fn num_errors<B: Binary>(read: &Result<Cal3d<B>>) -> usize {
    let Ok(Cal3d::Binary { file, .. }) = read else { return usize::MAX };
    let mut findings = Findings::new(0);
    file.check(&mut findings);
    findings.num_errors()
}

fn is_whole<B: Binary>(read: &Result<Cal3d<B>>) -> bool {
    read.as_ref().is_ok_and(|file| crate::codec::damage(file).is_none())
}

/// Refuses bytes that are not XML.
fn known_text<B: Binary>(bytes: &[u8]) -> Result<()> {
    if looks_like_xml(bytes) {
        return Ok(());
    }
    let blank = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count() as u64;
    Err(match bytes.len() as u64 - blank {
        0 => no_room(bytes, bytes.len() + 1),
        _ => Error::new(blank, ErrorKind::Magic(format!("the XML form of {} starts with `<`", B::INFO.name))),
    })
}

/// Returns a reader of a file, if it is an XML form.
fn text_of<'p, B: Binary, R: Read + Seek>(
    pieces: &'p mut StreamVerifier<R>,
    options: &Options,
) -> Option<Source<'p>> {
    let mut source = pieces.whole(options)?;
    let mut head = Vec::new();
    source.by_ref().take(ENOUGH as u64).read_to_end(&mut head).ok()?;
    Cal3d::<B>::check_magic(&head, options).ok()?;
    let is_asked = options.dialect.as_ref().is_none_or(|name| name == Dialect::Xml.name());
    source.rewind().ok()?;
    (is_asked && looks_like_xml(&head)).then_some(source)
}

impl<B: Binary> From<B> for Cal3d<B> {
    /// A binary file in the default dialect of its version.
    fn from(file: B) -> Self {
        Self::Binary { dialect: Dialect::of_version(file.version()), file }
    }
}

impl<B: Binary> Format for Cal3d<B> {
    const INFO: Info = B::INFO;

    fn args(bytes: &[u8], options: &Options) -> Result<(Dialect,)> {
        match &options.dialect {
            Some(name) => Ok((name.parse()?,)),
            None => Ok((usual(bytes),)),
        }
    }

    fn encode_to<W: Write>(&self, out: W) -> Result<()> {
        let Self::Xml(Xml { document, content }) = self else { return encode_forward(self, out) };
        match (document.get(), content.get()) {
            (None, Some(content)) => match write_to(content, out) {
                Ok(_) => Ok(()),
                Err(error) => Err(Error::new(0, ErrorKind::Io(error.into()))),
            },
            _ => encode_forward(self, out),
        }
    }

    /// An XML form is the text that it consists of, so only its tokens are checked.
    fn verify_stream<R: Read + Seek>(pieces: &mut StreamVerifier<R>, options: &Options) -> Option<Outcome> {
        let piece = pieces.fit(1);
        let Some(mut text) = text_of::<B, R>(pieces, options) else {
            return prove_values::<Self, R>(pieces, options);
        };
        let deepest = deepest_in_pieces::<XmlText>(&mut text, Nesting::new(B::XML_ROOT), piece).ok()??;
        let mut outcome = Outcome::new(Verdict::Lossless);
        outcome.dialect = Some(Dialect::Xml.name());
        (deepest <= options.limits.max_depth).then_some(outcome)
    }

    fn check_magic(bytes: &[u8], options: &Options) -> Result<()> {
        match options.dialect.as_deref() {
            // The caller chooses which of the XML forms it is.
            Some(name) if name == Dialect::Xml.name() => known_text::<B>(bytes),
            _ if Self::detect(bytes) => Ok(()),
            _ => Err(no_magic::<Self>(bytes)),
        }
    }

    fn decode_in(bytes: &[u8], options: &Options) -> Result<Self> {
        let (dialect, read) = match &options.dialect {
            Some(name) => (name.parse()?, None),
            None => {
                let (dialect, _, read) = choose(bytes, options);
                (dialect, read)
            }
        };
        read.unwrap_or_else(|| Self::decode_as(bytes, (dialect,), options))
    }

    fn writer(&self) -> Option<&'static str> {
        self.branch().writer()
    }

    fn summary(&self) -> FileSummary {
        let summary = self.view().map(|file| file.summary()).unwrap_or_default();
        let comments = match self {
            Self::Binary { .. } => Vec::new(),
            Self::Xml(document) => {
                let words = document.comments().map(<[u8]>::trim_ascii).filter(|words| !words.is_empty());
                words.map(|words| CommentInfo { about: String::new(), text: escape(words) }).collect()
            }
        };
        FileSummary { comments, ..summary }
    }

    /// Of the XML form. Reads the content while the text is split.
    fn summarize_stream<R: Read + Seek>(
        pieces: &mut StreamVerifier<R>,
        options: &Options,
    ) -> Option<Outline<Self>> {
        let mut source = text_of::<B, R>(pieces, options)?;
        let len = source.seek(SeekFrom::End(0)).ok()?;
        // The content needs memory, too.
        charge(&mut source, usize::try_from(len).ok()?).ok()?;
        source.rewind().ok()?;
        let (document, content) = read_while::<B>(&mut source).ok()?;
        let file = Self::Xml(Xml { document: document.into(), content: content.ok()?.into() });
        let is_valid =
            crate::codec::damage(&file).is_none() && file.first_too_deep(options.limits.max_depth).is_none();
        is_valid.then(|| Outline { summary: file.summary(), file, opaque: 0 })
    }

    fn shape_in(dialect: Option<&str>) -> Shape {
        if dialect == Some(Dialect::Xml.name()) { Document::shape() } else { Self::shape() }
    }

    fn propose(bytes: &[u8]) -> Option<Proposal> {
        let (dialect, why, _) = choose::<B>(bytes, &Options::default());
        Some(Proposal { dialect: dialect.name(), why: why.into() })
    }

    fn proposal(&self, bytes: &[u8]) -> Option<Proposal> {
        match self {
            Self::Binary { dialect, file }
                if *dialect == Dialect::of_version(file.version())
                    && crate::codec::damage(self).is_none() =>
            {
                Some(Proposal { dialect: dialect.name(), why: DEFAULT_FITS.into() })
            }
            Self::Xml(_) => Some(Proposal { dialect: Dialect::Xml.name(), why: IS_TEXT.into() }),
            Self::Binary { .. } => Self::propose(bytes),
        }
    }

    fn detect(head: &[u8]) -> bool {
        head.starts_with(Self::INFO.magic) || is_form::<B>(head)
    }

    fn first_too_deep(&self, most: usize) -> Option<u64> {
        match self {
            Self::Binary { .. } => None,
            Self::Xml(document) => document.tokens.first_too_deep(most).map(|start| start as u64),
        }
    }

    fn dialect(&self) -> Option<&'static str> {
        Some(self.branch().name())
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
            Dialect::Xml => Document::read_options(reader, endian, (B::XML_ROOT,))
                .map(|document| Self::Xml(document.into())),
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
    fn aliases(&self, paths: &[FieldPath]) -> Vec<Alias> {
        match self {
            Self::Binary { .. } => paths.iter().map(|_| None).collect(),
            Self::Xml(document) => resolve(document, B::form(), paths),
        }
    }
}

impl<B: Binary> Schema for Cal3d<B> {
    /// The binary form, in the default dialect of the version.
    fn shape() -> Shape {
        match B::shape() {
            Shape::Record(mut record) => {
                record.params = &[];
                Shape::Record(record)
            }
            other => other,
        }
    }
    fn blank(_like: Option<&Self>) -> Self {
        B::blank(None).into()
    }
}
