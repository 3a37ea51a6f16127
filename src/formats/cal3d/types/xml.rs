//! The XML forms: `.xsf`, `.xaf`, `.xmf`, `.xrf`, `.xpf`.

use binrw::binrw;

use crate::formats::cal3d::xml::{Nesting, XmlText};
use crate::schema::Schema;
use crate::text::{TokenText, scanned_with};
use crate::wire::Rest;

/// The raw text of an XML form.
///
/// Often it has two root elements: a `<HEADER .. />` precedes the main one.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::cal3d::{Cal3d, CalMaterial};
/// let text = b"<MATERIAL VERSION=\"1100\" NUMMAPS=\"0\"><AMBIENT>0 0 200 0</AMBIENT></MATERIAL>\n";
/// let Cal3d::Xml(document) = CalMaterial::decode(text)? else { unreachable!() };
/// assert_eq!(document.root().unwrap().child(b"AMBIENT").unwrap().words().nth(2), Some(&b"200"[..]));
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[binrw]
#[br(import(root: &'static str))]
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Markup, values and everything between them, in the order of the text.
    #[br(parse_with = scanned_with, args(Nesting::new(root)))]
    #[schema(args(0))]
    pub tokens: TokenText<XmlText>,
    /// Bytes after the place where the text is damaged.
    pub rest: Rest,
}
