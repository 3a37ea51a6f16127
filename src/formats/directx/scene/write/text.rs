//! The text of a file.

use std::fmt::Write as _;

/// The maximum indentation. Keeps the size of deeply nested files linear.
const MAX_INDENT: usize = 32;

/// A text that is being written.
pub(super) struct Text {
    bytes: Vec<u8>,
    depth: usize,
}

impl Text {
    /// Starts a text: the header of the file ends with a line break.
    pub fn new() -> Self {
        Self { bytes: b"\n".to_vec(), depth: 0 }
    }

    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    pub fn raw(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn indent(&mut self) {
        self.bytes.resize(self.bytes.len() + self.depth.min(MAX_INDENT), b' ');
    }

    /// Opens an object; its name may be empty.
    pub fn open(&mut self, template: &str, name: &[u8]) {
        self.indent();
        self.raw(template);
        if !name.is_empty() {
            self.raw(" ");
            self.bytes.extend_from_slice(name);
        }
        self.raw(" {\n");
        self.depth += 1;
    }

    pub fn close(&mut self) {
        self.depth -= 1;
        self.indent();
        self.raw("}\n");
    }

    pub fn line(&mut self, text: &str) {
        self.indent();
        self.raw(text);
        self.raw("\n");
    }

    /// Writes a string, which cannot contain quotation marks or line breaks.
    pub fn string(&mut self, text: &[u8]) {
        self.indent();
        self.raw("\"");
        self.bytes.extend(text.iter().filter(|byte| !matches!(byte, b'"' | b'\n' | b'\r' | 0)));
        self.raw("\";\n");
    }

    /// Writes a reference to an object.
    pub fn reference(&mut self, name: &[u8]) {
        self.indent();
        self.raw("{ ");
        self.bytes.extend_from_slice(name);
        self.raw(" }\n");
    }

    /// Writes the elements of an array on lines of their own.
    pub fn array(&mut self, elements: impl IntoIterator<Item = String>) {
        let mut elements = elements.into_iter().peekable();
        while let Some(element) = elements.next() {
            let end = if elements.peek().is_some() { ',' } else { ';' };
            self.line(&format!("{element}{end}"));
        }
    }

    /// Returns numbers as the members of a struct.
    pub fn members(values: &[f32]) -> String {
        let mut text = String::new();
        for value in values {
            put(&mut text, *value);
            text.push(';');
        }
        text
    }

    /// Returns numbers as the elements of an array.
    pub fn list(values: &[f32]) -> String {
        let mut text = String::new();
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            put(&mut text, *value);
        }
        text
    }

    /// Returns integers as the elements of an array.
    pub fn integers(values: impl IntoIterator<Item = u32>) -> String {
        let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
        values.join(",")
    }
}

/// Writes a float without exponent, which some readers do not know. Numbers that are not finite become 0.
fn put(text: &mut String, value: f32) {
    let value = if value.is_finite() { value } else { 0.0 };
    let start = text.len();
    // Writing to a string does not fail.
    let _ = write!(text, "{value}");
    if !text[start..].contains('.') {
        text.push_str(".0");
    }
}
