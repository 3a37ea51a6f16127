//! A file beside the bytes it was decoded from.

use std::ops::ControlFlow;

#[cfg(feature = "files")]
use std::path::Path;

use crate::check::{Findings, Repair, Report, check_any, check_own};
use crate::codec::{Format, Outcome, damage, verify};
use crate::diff::{Difference, diff};
use crate::scene::{Part, Scene, Settings};
use crate::schema::{self, Array};
#[cfg(feature = "files")]
use crate::{Error, files};
use crate::{File, FileKind, Options, Result};

/// A decoded file and its bytes.
///
/// The two always belong together, so rules, repairs and differences refer to the right bytes.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("bindpose-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("hero.ms3d");
/// # std::fs::write(&path, bindpose::FileKind::Ms3d.blank().encode()?)?;
/// let mut document = bindpose::open(&path)?;
/// assert!(document.check(20).findings.is_empty());
/// let before = document.clone();
/// document.edit(|file| file.set("animation.fps", 30))?;
/// assert_eq!(before.diff(&document)[0].path.to_string(), "animation.fps");
/// document.save(&path)?;
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    bytes: Vec<u8>,
    file: File,
}

impl Document {
    /// Decodes the bytes of a file of a known format.
    ///
    /// # Errors
    /// As [`FileKind::decode`].
    pub fn decode(bytes: Vec<u8>, kind: FileKind, options: &Options) -> Result<Self> {
        let file = kind.decode(&bytes, options)?;
        Ok(Self { bytes, file })
    }

    /// Encodes a file.
    ///
    /// # Errors
    /// As [`File::encode`].
    pub fn of(file: File) -> Result<Self> {
        Ok(Self { bytes: file.encode()?, file })
    }

    /// Returns the bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the decoded file.
    #[must_use]
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Writes the bytes to a file: whole, or not at all. A file that exists is replaced, and keeps its owner and permissions.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) with the path.
    #[cfg(feature = "files")]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        files::write(path, &self.bytes, files::IfExists::Replace).map_err(|cause| Error::io(path, cause))
    }

    /// Returns the bytes without the decoded file.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the decoded file without its bytes.
    #[must_use]
    pub fn into_file(self) -> File {
        self.file
    }

    /// Changes the file, encodes it and decodes it again. After an error the document is unchanged. Several changes in one
    /// call take one copy and one encoding.
    ///
    /// # Errors
    /// Those of the change, and as [`File::reread`].
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut File) -> Result<T>) -> Result<T> {
        let mut file = self.file.clone();
        let result = change(&mut file)?;
        *self = file.reread()?;
        Ok(result)
    }

    /// Returns the values at a path as an array, which refers to the bytes of the file where elements have a fixed size.
    ///
    /// ```
    /// use bindpose::{Document, FileKind};
    /// let mut file = FileKind::Ms3d.blank();
    /// file.append("vertices")?;
    /// file.append("vertices")?;
    /// let mut document = Document::of(file)?;
    /// let positions = document.array("vertices.position")?;
    /// assert_eq!((positions.shape(), positions.strides()), (&[2, 3][..], &[15, 4][..]));
    /// assert_eq!(positions.source(), Some(17..44));
    ///
    /// let moved: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].into_iter().flat_map(f32::to_le_bytes).collect();
    /// document.set_array("vertices.position", &moved)?;
    /// assert_eq!(document.array("vertices.position")?.numbers(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`schema::array`].
    pub fn array(&self, path: &str) -> Result<Array<'_>> {
        schema::array(self.file.value(), &self.bytes, &path.parse()?)
    }

    /// Sets the values at a path from the bytes of an array of the same length. After an error the document is unchanged.
    ///
    /// # Errors
    /// As [`schema::set_array`].
    pub fn set_array(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        let path = path.parse()?;
        self.edit(|file| schema::set_array(file.value_mut(), &path, bytes))
    }

    /// Encodes the file and compares it with its bytes.
    #[must_use]
    pub fn verify(&self) -> Outcome {
        self.file.verify(&self.bytes)
    }

    /// Checks the rules of the format; reports at most `most` findings per rule.
    #[must_use]
    pub fn check(&self, most: usize) -> Report {
        self.file.check(&self.bytes, most)
    }

    /// Changes that are certain to repair the file.
    #[must_use]
    pub fn repairs(&self) -> Vec<Repair> {
        self.file.repairs(&self.bytes)
    }

    /// Returns the differences between this file and another of the same format, in the order of this one.
    #[must_use]
    pub fn diff(&self, other: &Self) -> Vec<Difference> {
        let mut differences = Vec::new();
        let (own, other) = ((self.file.value(), self.bytes()), (other.file.value(), other.bytes()));
        let _ = diff(own, other, &mut |difference| {
            differences.push(difference.clone());
            ControlFlow::Continue(())
        });
        differences
    }

    /// Returns the bones, meshes, materials and clips of the file. Those without a name get `name`.
    #[must_use]
    pub fn scene(&self, name: &str, settings: &Settings) -> Scene {
        Scene::of(&[self.part(name)], settings)
    }

    /// Returns the file as a part of a scene of several files. Its contents without a name get `name`.
    #[must_use]
    pub fn part<'a>(&'a self, name: &'a str) -> Part<'a> {
        Part { name, file: self.file.as_scene_source() }
    }
}

/// The verdict on a file and its findings, from one decode.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Examination {
    /// Whether the file re-encodes identically, and the bytes without meaning.
    pub outcome: Outcome,
    /// The broken rules; of a file that cannot be decoded, the likely causes.
    pub report: Report,
}

/// Decodes, re-encodes and checks a file whose content determines its format. Reports at most `most` findings per rule.
///
/// ```
/// let bytes = bindpose::FileKind::Ms3d.blank().encode()?;
/// let found = bindpose::examine(&bytes, 20)?;
/// assert_eq!(found.outcome.verdict, bindpose::codec::Verdict::Lossless);
/// assert!(found.report.findings.is_empty());
/// # Ok::<(), bindpose::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Foreign`](crate::ErrorKind::Foreign) or [`ErrorKind::UnknownFormat`](crate::ErrorKind::UnknownFormat) when no format
/// starts like these bytes.
pub fn examine(bytes: &[u8], most: usize) -> Result<Examination> {
    let kind = FileKind::require(bytes)?;
    Ok(kind.examine(bytes, &Options::default(), most))
}

/// As [`examine`], for a file of a format that is described in another crate. Its rules are those of every format, and
/// those that follow from the definition: each reference leads to an object, and checksums are right.
///
/// ```
/// use bindpose::formats::ms3d::Ms3d;
/// let bytes = bindpose::FileKind::Ms3d.blank().encode()?;
/// let found = bindpose::examine_format::<Ms3d>(&bytes[..20], &bindpose::Options::default(), 20);
/// assert_eq!(found.report.findings[0].rule.code, "any/damaged");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[must_use]
pub fn examine_format<F: Format>(bytes: &[u8], options: &Options, most: usize) -> Examination {
    match F::decode_with(bytes, options) {
        Ok(file) => Examination { outcome: verify(&file, bytes), report: check_format(&file, bytes, most) },
        Err(error) => {
            let report = Findings::new(most).report_undecoded(bytes.len() as u64);
            Examination { outcome: error.into(), report }
        }
    }
}

/// Checks a decoded file of a format that is described in another crate, with the rules of [`examine_format`].
#[must_use]
pub fn check_format<F: Format>(file: &F, bytes: &[u8], most: usize) -> Report {
    let mut findings = Findings::new(most);
    check_any(file, Some(bytes), &mut findings);
    // Wrong references and numbers are consequences of the damage.
    if damage(file).is_none() {
        check_own(file, &mut findings);
    }
    findings.report(file)
}

impl FileKind {
    /// Decodes, re-encodes and checks a file of this format.
    #[must_use]
    pub fn examine(self, bytes: &[u8], options: &Options, most: usize) -> Examination {
        match self.decode(bytes, options) {
            Ok(file) => Examination { outcome: file.verify(bytes), report: file.check(bytes, most) },
            Err(error) => Examination { outcome: error.into(), report: self.diagnose(bytes, most) },
        }
    }
}
