//! Any Cal3D file.

use super::{Binary, Cal3d, Dialect, Version};
use crate::codec::{Format, Generate, Limits, Options, generate_as};

/// Returns the magic of a file and a version at which layouts change, or the one before it.
fn start(magic: &[u8], choice: u8) -> Vec<u8> {
    let versions = Version::BOUNDARIES.iter().chain(&[0, i32::MAX]);
    let mut versions = versions.flat_map(|&version| [version, version.wrapping_sub(1)]);
    let count = 2 * (Version::BOUNDARIES.len() + 2);
    let version = versions.nth(usize::from(choice) % count).unwrap_or_default();
    [magic, &version.to_le_bytes()].concat()
}

impl<B: Binary> Generate for Cal3d<B> {
    fn generate(entropy: &[u8]) -> Self {
        let (choice, entropy) = entropy.split_first().unwrap_or((&0, &[]));
        match generate_as(&start(B::INFO.magic, *choice), entropy) {
            Self::Xml(_) => {
                let fields = B::form().all_fields();
                let author = Author {
                    entropy: entropy.iter(),
                    elements: fields.iter().flat_map(|field| field.elements()).chain(["x:y"]).collect(),
                    attributes: fields.iter().flat_map(|field| field.attributes()).chain(["ID"]).collect(),
                    text: Vec::new(),
                    open: Vec::new(),
                };
                Self::decode_as(
                    &author.write(B::XML_ROOT),
                    (Dialect::Xml,),
                    &Options::default().with_limits(Limits::none()),
                )
                .unwrap_or_else(|_| Self::blank_file())
            }
            binary @ Self::Binary { .. } => binary,
        }
    }
}

const WORDS: [&[u8]; 12] = [
    b"0",
    b"-1",
    b"0.5",
    b"-3.09086e-008",
    b"-1.#IND",
    b"1.#INF00",
    b"Bip01 Spine",
    b"\xb9\xc7",
    b"&lt;&#65;",
    b"&",
    b"e",
    b"",
];
const BLANKS: [&[u8]; 6] = [b" ", b"\n", b"\r\n", b"\t", b"\n<!-- a > b -->", b" <?x?>"];

/// Writes a document chosen by entropy.
struct Author<'a> {
    entropy: std::slice::Iter<'a, u8>,
    elements: Vec<&'static str>,
    attributes: Vec<&'static str>,
    text: Vec<u8>,
    open: Vec<&'static str>,
}

impl Author<'_> {
    fn draw(&mut self) -> usize {
        self.entropy.next().copied().unwrap_or(0).into()
    }

    fn one<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.draw() % from.len()]
    }

    fn element(&mut self) -> &'static str {
        let at = self.draw() % self.elements.len();
        self.elements[at]
    }

    fn put(&mut self, text: impl AsRef<[u8]>) {
        self.text.extend_from_slice(text.as_ref());
    }

    fn write(mut self, root: &str) -> Vec<u8> {
        match self.draw() % 4 {
            1 => self.put(b"\xef\xbb\xbf<?xml version=\"1.0\"?>\r\n"),
            2 => self.put("<HEADER MAGIC='XXF' VERSION=\"910\"/>\n"),
            3 => self.put("<!-- <MESH> -->\n"),
            _ => {}
        }
        self.put("<");
        self.put(root);
        self.attributes();
        self.put(">");
        while self.entropy.len() > 0 {
            self.step();
        }
        while self.close() {}
        self.put("</");
        self.put(root);
        self.put(">\n");
        self.text
    }

    fn attributes(&mut self) {
        for _ in 0..self.draw() % 4 {
            let at = self.draw() % self.attributes.len();
            let name = self.attributes[at];
            let word = self.one(&WORDS);
            let blank = self.one(&BLANKS[..4]);
            let quote = self.one(&["\"", "'"]);
            self.put(blank);
            self.put(name);
            self.put(self.one_of_equals());
            self.put(quote);
            self.put(word);
            self.put(quote);
        }
    }

    fn one_of_equals(&self) -> &'static str {
        if self.text.len().is_multiple_of(5) { " = " } else { "=" }
    }

    fn step(&mut self) {
        match self.draw() % 8 {
            0 | 1 => {
                let name = self.element();
                self.put("<");
                self.put(name);
                self.attributes();
                self.put(">");
                self.open.push(name);
            }
            2 => {
                let name = self.element();
                self.put("<");
                self.put(name);
                self.attributes();
                self.put(" />");
            }
            3 | 4 => _ = self.close(),
            5 => {
                let blank = self.one(&BLANKS);
                self.put(blank);
            }
            _ => {
                let word = self.one(&WORDS);
                self.put(word);
            }
        }
    }

    fn close(&mut self) -> bool {
        let name = self.open.pop();
        if let Some(name) = name {
            self.put("</");
            self.put(name);
            self.put(">");
        }
        name.is_some()
    }
}
