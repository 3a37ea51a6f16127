//! What files of every format can do: checks, names, encoding.

use std::io::Write;

use super::{Family, File, ObjectPaths, with_file};
use crate::check::{self, Check, Findings, ListedBones, Repair, Report};
use crate::codec::{self, FileSummary, Format, Outcome, Proposal};
use crate::edit::{self, NameKey, Named};
use crate::scene::{Lost, Space, ToScene};
use crate::schema::{FieldPath, Location, Value};
use crate::{Budget, ErrorKind, Options, Result};

impl File {
    /// Returns the dialect of the file; none if the format has one layout.
    #[must_use]
    pub fn dialect(&self) -> Option<&'static str> {
        with_file!(self, file => file.dialect())
    }

    /// Returns the options to decode this file again: its dialect and the default limits.
    #[must_use]
    pub fn options(&self) -> Options {
        with_file!(self, file => file.options())
    }

    /// Proposes the dialect that fits the file best, with the reason; none if the format has one layout. `bytes` is
    /// the file as it was decoded.
    #[must_use]
    pub fn proposal(&self, bytes: &[u8]) -> Option<Proposal> {
        with_file!(self, file => file.proposal(bytes))
    }

    /// Returns the program that wrote the file, if it can be determined.
    #[must_use]
    pub fn writer(&self) -> Option<&'static str> {
        with_file!(self, file => file.writer())
    }

    /// Returns a summary of the file.
    #[must_use]
    pub fn summary(&self) -> FileSummary {
        with_file!(self, file => file.summary())
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
        with_file!(self, file => file.check(findings));
    }

    /// Returns repairs of violations in a file without damage.
    pub(super) fn corrections(&self, bytes: &[u8]) -> Vec<Repair> {
        with_file!(self, file => file.corrections(bytes))
    }

    /// Returns the bones of the file: see [`BoneList`](crate::check::BoneList).
    pub(crate) fn bones(&self) -> Result<Option<ListedBones>> {
        with_file!(self, file => file.bone_list())
    }

    /// Returns what readers compare of the names of bones if none is equal; none if they find equal names only.
    pub(crate) fn name_key(&self) -> Option<NameKey> {
        with_file!(self, file => file.name_key())
    }

    /// Returns why a clip cannot be removed.
    pub(crate) fn why_kept(&self) -> &'static str {
        with_file!(self, file => file.why_kept())
    }

    /// Passes on the paths of values by the names of their objects: see [`ObjectPaths`].
    pub fn with_object_paths<T>(&self, run: impl FnOnce(&mut ObjectPaths<'_>) -> T) -> T {
        with_file!(self, file => Named::with_object_paths(&**file, run))
    }

    /// Appends objects: see [`append_objects`](Self::append_objects).
    pub(super) fn append_objects_at(&mut self, path: &FieldPath, text: &[u8]) -> Result<Vec<Location>> {
        with_file!(self, file => Named::append_objects(&mut **file, path, text))
    }

    /// Returns the form of the file: one of [`FileKind::forms`](super::FileKind::forms); none if the format has one.
    #[must_use]
    pub fn form(&self) -> Option<&'static str> {
        with_file!(self, file => file.form())
    }

    /// Returns the file with the same content in a form, and what is lost: [`Lost::Spelling`], that is, white space, comments, the
    /// notation of numbers and how lists are split.
    ///
    /// Binary `.x` files keep the size of their floats, and text gets that of its templates; `bin32`, `bin64`, `bzip32` and `bzip64` state
    /// it.
    ///
    /// ```
    /// let text = bindpose::decode(b"xof 0303txt 0032\nHeader {\n 1;\n 0;\n 1;\n}\n")?;
    /// let (tokens, lost) = text.in_form("bin")?;
    /// assert_eq!((tokens.form(), lost), (Some("bin"), Some(bindpose::scene::Lost::Spelling)));
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`EditError::Unsupported`](crate::schema::EditError::Unsupported) if the format does not have the form, or it cannot
    /// represent the content. The error of a damaged file.
    pub fn in_form(&self, form: &str) -> Result<(Self, Option<Lost>)> {
        with_file!(self, file => Named::in_form(&**file, form).map(|(file, lost)| (Self::from(file), lost)))
    }

    /// Prints the objects of the file as JSON.
    pub(super) fn objects_json(&self, budget: &Budget) -> Result<String> {
        with_file!(self, file => file.objects_json(budget))
    }

    /// Encodes the file and compares it with the bytes that it was decoded from.
    #[must_use]
    pub fn verify(&self, bytes: &[u8]) -> Outcome {
        with_file!(self, file => codec::verify(&**file, bytes))
    }

    /// Returns the file of its format as a part of a scene.
    pub(crate) fn root(&self) -> &dyn ToScene {
        with_file!(self, file => &**file)
    }

    /// Returns the names in the file: see [`edit::names`](crate::edit::names).
    pub(crate) fn named(&self) -> Result<Vec<edit::Name>> {
        with_file!(self, file => file.names())
    }

    /// Sets the fields that contain names.
    pub(crate) fn set_names(&mut self, edits: &[(FieldPath, String)]) -> Result<()> {
        with_file!(self, file => file.set_names(edits))
    }

    /// Encodes the file.
    ///
    /// # Errors
    /// If a list is too long for its count, or lists that share a count have different lengths.
    pub fn encode(&self) -> Result<Vec<u8>> {
        with_file!(self, file => file.encode())
    }

    /// Appends the bytes of the file to a buffer.
    ///
    /// # Errors
    /// As [`encode`](Self::encode); the buffer is then as long as before.
    pub fn encode_into(&self, buffer: &mut Vec<u8>) -> Result<()> {
        with_file!(self, file => file.encode_into(buffer))
    }

    /// Writes the bytes of the file, front to back and in small pieces, without holding them in memory.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), and if `out` fails.
    pub fn encode_to<W: Write>(&self, out: W) -> Result<()> {
        with_file!(self, file => file.encode_to(out))
    }

    /// Returns the file as a tree of values.
    #[must_use]
    pub fn value(&self) -> &dyn Value {
        with_file!(self, file => &**file)
    }

    /// Returns what the formats of its module share.
    pub(crate) fn family(&self) -> &'static Family {
        self.kind().definition().shared
    }

    /// Returns the axes and the unit of the format, as scenes are read where settings do not state others.
    #[must_use]
    pub fn space(&self) -> Space {
        self.family().space
    }

    /// Returns the file as a mutable tree of values.
    pub fn value_mut(&mut self) -> &mut dyn Value {
        with_file!(self, file => &mut **file)
    }
}
