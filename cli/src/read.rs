//! Reads whole files into a reusable buffer.

use std::borrow::Cow;
use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::time::{SystemTime, UNIX_EPOCH};

use super::exit::plain;
use super::limits::MORE_MEMORY;
use crate::prelude::*;
use bindpose::files::{open_regular, read_regular};
use encoding_rs::{Encoding, UTF_8};

/// The most bytes of a text that people write: a list, a table, assignments.
pub(super) const MAX_TEXT: u64 = 1 << 26;

/// Reads a file that is not an input itself: a list, a table, settings, an image.
pub(super) fn side_file(path: &Path, max_len: u64) -> Result<Vec<u8>> {
    read_regular(path, max_len).map_err(|error| unread(&error).in_file(path))
}

/// Returns a text as UTF-8, without the mark in front of it: Windows PowerShell writes UTF-16.
pub(super) fn unmarked(text: &[u8]) -> Cow<'_, [u8]> {
    match Encoding::for_bom(text) {
        Some((encoding, len)) if encoding == UTF_8 => text[len..].into(),
        Some((encoding, len)) => {
            let (text, _) = encoding.decode_without_bom_handling(&text[len..]);
            text.into_owned().into_bytes().into()
        }
        None => text.into(),
    }
}

/// As [`side_file`], for a text.
pub(super) fn side_text(path: &Path, max_len: u64) -> Result<String> {
    let bytes = side_file(path, max_len)?;
    let text = String::from_utf8(unmarked(&bytes).into_owned());
    text.map_err(|_| Failure::new(Exit::Io, "is not UTF-8 text").in_file(path))
}

pub(super) fn unread(error: &io::Error) -> Failure {
    let exit = if error.kind() == ErrorKind::FileTooLarge { Exit::Limit } else { Exit::Io };
    Failure::new(exit, plain(error))
}

/// A buffer that grew beyond this size is released after use.
const KEEP: usize = 1 << 26;

#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
}

/// A file that is open and of which the beginning has been read.
pub(super) struct Opened {
    source: Source,
    /// None if it is not known.
    pub stamp: Option<Stamp>,
    read: usize,
}

/// Length and modification time, to detect changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub len: u64,
    /// When it was changed last, in nanoseconds since 1970.
    pub modified: Option<i64>,
}

impl Stamp {
    /// The stamp of a file on disk; pipes and the like have none.
    pub fn of(data: &Metadata) -> Option<Self> {
        // Files of length 0 may have content: those of /proc.
        let regular = data.is_file() && data.len() > 0;
        regular.then(|| Self { len: data.len(), modified: data.modified().ok().and_then(nanoseconds) })
    }
}

/// The time in nanoseconds since 1970.
pub(super) fn nanoseconds(time: SystemTime) -> Option<i64> {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).ok(),
        Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(|nanos| -nanos),
    }
}

impl Opened {
    /// Reads the file from its beginning with another function; none if it cannot be rewound.
    pub fn aside<T>(&mut self, read: impl FnOnce(&mut File) -> Option<T>) -> Option<T> {
        let Source::File(file) = &mut self.source else { return None };
        self.stamp?;
        let done = file.rewind().ok().and_then(|()| read(file));
        // If this fails, the next read fails, too.
        let _ = file.seek(SeekFrom::Start(self.read as u64));
        done
    }

    pub fn len(&self) -> Option<u64> {
        self.stamp.map(|stamp| stamp.len)
    }
}

pub(super) enum Source {
    File(File),
    Stdin,
}

impl Source {
    /// Opens a file for streaming; `-` is standard input.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(if is_stdio(path) { Self::Stdin } else { open(path)?.0 })
    }
}

impl Read for Source {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(bytes),
            Self::Stdin => io::stdin().read(bytes),
        }
    }
}

impl Buffer {
    /// Opens a file and reads its beginning; all of it if it is small. `-` is standard input.
    pub fn open(&mut self, path: &Path) -> Result<Opened> {
        let (source, stamp) = if is_stdio(path) { (Source::Stdin, None) } else { open(path)? };
        self.begin(source, stamp)
    }

    /// As [`open`](Self::open), for a path that a directory lists as a file.
    pub fn open_listed(&mut self, path: &Path) -> Result<Opened> {
        let file = open_regular(path)?;
        let data = file.metadata()?;
        self.begin(Source::File(file), Stamp::of(&data))
    }

    fn begin(&mut self, source: Source, stamp: Option<Stamp>) -> Result<Opened> {
        let mut opened = Opened { source, stamp, read: 0 };
        self.fill(&mut opened, FormatSpec::HEAD)?;
        Ok(opened)
    }

    pub fn head(&self, opened: &Opened) -> &[u8] {
        &self.bytes[..opened.read]
    }

    /// The whole file, if it has at most `longest` bytes.
    pub fn whole(&mut self, mut opened: Opened, longest: u64) -> Result<&[u8]> {
        let too_long = |why: String| Err(Failure::new(Exit::Limit, why).with_help(MORE_MEMORY));
        if let Some(len) = opened.len().filter(|len| *len > longest) {
            return too_long(format!("has {len} bytes, more than the limit of {longest}"));
        }
        let want = usize::try_from(longest).unwrap_or(usize::MAX).saturating_add(1);
        self.fill(&mut opened, want)?;
        if opened.read as u64 > longest {
            return too_long(format!("has more than {longest} bytes, which is the limit"));
        }
        match opened.len() {
            Some(len) if len != opened.read as u64 => {
                let why = format!("file changed while it was read: {len} bytes, then {}", opened.read);
                Err(Failure::new(Exit::Io, why))
            }
            _ => Ok(&self.bytes[..opened.read]),
        }
    }

    /// As [`whole`](Self::whole), if there is no further file.
    pub fn into_whole(mut self, opened: Opened, longest: u64) -> Result<Vec<u8>> {
        let len = self.whole(opened, longest)?.len();
        self.bytes.truncate(len);
        Ok(self.bytes)
    }

    /// Releases the memory of an unusually large file.
    pub fn relax(&mut self) {
        if self.bytes.len() > KEEP {
            self.bytes = Vec::new();
        }
    }

    /// Reads until the buffer has `want` bytes or the file ends.
    fn fill(&mut self, opened: &mut Opened, want: usize) -> io::Result<()> {
        // One byte more than the file has, to detect growth.
        let end = opened.len().map_or(usize::MAX, |len| usize::try_from(len).unwrap_or(usize::MAX - 1) + 1);
        let want = want.min(end);
        while opened.read < want && opened.len() != Some(opened.read as u64) {
            self.grow(opened.read, want, opened.len().is_some())?;
            let end = want.min(self.bytes.len());
            match opened.source.read(&mut self.bytes[opened.read..end]) {
                Ok(0) => break,
                Ok(got) => opened.read += got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn grow(&mut self, read: usize, want: usize, is_length_known: bool) -> io::Result<()> {
        if self.bytes.len() >= want || self.bytes.len() > read && !is_length_known {
            return Ok(());
        }
        let room = if is_length_known { want } else { want.min(read * 2).max(FormatSpec::HEAD + 1) };
        // Fails for huge sparse files; allocating zeroed memory would abort.
        Vec::<u8>::new().try_reserve_exact(room).map_err(|_| io::ErrorKind::OutOfMemory)?;
        // The system zeroes new memory lazily.
        let mut bytes = vec![0; room];
        bytes[..read].copy_from_slice(&self.bytes[..read]);
        self.bytes = bytes;
        Ok(())
    }
}

/// Opens a file. Its length is asked for only once: a file that is replaced in between has another length when it is read.
fn open(path: &Path) -> Result<(Source, Option<Stamp>)> {
    let data = fs::metadata(path)?;
    if is_named_pipe(path, &data) {
        let why = "is a named pipe; pass its content on standard input, with `-` as the file";
        return Err(Failure::new(Exit::Io, why));
    }
    if data.is_dir() {
        return Err(Failure::new(Exit::Io, "is a directory"));
    }
    let opened = if data.is_file() { open_regular(path) } else { File::open(path) };
    Ok((Source::File(opened?), Stamp::of(&data)))
}

/// Whether a path is a named pipe, which blocks until another program opens it. The pipes of a shell, such as `/dev/fd/63`,
/// have no name.
#[cfg(unix)]
fn is_named_pipe(path: &Path, data: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    data.file_type().is_fifo() && !path.starts_with("/dev") && fs::canonicalize(path).is_ok()
}

#[cfg(not(unix))]
fn is_named_pipe(_path: &Path, _data: &Metadata) -> bool {
    false
}
