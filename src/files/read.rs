//! Reads files that other files or arguments name: regular ones, within limits.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufRead, ErrorKind, Read};
use std::path::Path;

/// Opens a regular file to read it. Links are followed.
///
/// Devices and pipes are not opened, and no file makes this wait: pipes do until another program writes to them, and so do
/// some files of the system.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] if it is not a regular file, and those of opening.
pub fn open_regular(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    is_regular(&fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // The bits are the same, only their types differ.
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    let file = options.open(path)?;
    // The path may lead to another file by now.
    is_regular(&file.metadata()?)?;
    Ok(file)
}

fn is_regular(data: &Metadata) -> io::Result<()> {
    match data {
        data if data.is_file() => Ok(()),
        data if data.is_dir() => Err(io::Error::new(ErrorKind::IsADirectory, "is a directory")),
        _ => Err(io::Error::new(ErrorKind::InvalidInput, "is not a regular file")),
    }
}

/// Reads a regular file that has at most `max_len` bytes.
///
/// # Errors
/// [`ErrorKind::FileTooLarge`] if it has more, and those of [`open_regular`] and of reading.
pub fn read_regular(path: impl AsRef<Path>, max_len: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let too_large = |len: u64| {
        let why = format!("has {len} bytes or more; the limit is {max_len}");
        Err(io::Error::new(ErrorKind::FileTooLarge, why))
    };
    let len = file.metadata()?.len();
    if len > max_len {
        return too_large(len);
    }
    let mut bytes = Vec::new();
    // The length of some files of the system is 0 whatever they contain.
    file.take(max_len.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_len { too_large(bytes.len() as u64) } else { Ok(bytes) }
}

/// The lines of a text, without their ends. Each has at most a number of bytes.
#[derive(Debug)]
pub struct LineReader<R> {
    input: Option<R>,
    max_len: u64,
}

impl<R: BufRead> LineReader<R> {
    /// The most bytes of a line, unless another number is set.
    pub const MAX_LEN: u64 = 1 << 20;

    /// Reads the lines of a text.
    pub const fn new(input: R) -> Self {
        Self { input: Some(input), max_len: Self::MAX_LEN }
    }

    /// Sets the most bytes of a line.
    #[must_use]
    pub fn with_max_len(self, max_len: u64) -> Self {
        Self { max_len, ..self }
    }
}

impl<R: BufRead> Iterator for LineReader<R> {
    type Item = io::Result<String>;

    /// The next line; nothing after an error.
    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Vec::new();
        let most = self.max_len.saturating_add(2);
        let read = self.input.as_mut()?.take(most).read_until(b'\n', &mut line);
        let line = read.and_then(|_| text_of(line, self.max_len)).transpose();
        if !matches!(line, Some(Ok(_))) {
            self.input = None;
        }
        line
    }
}

/// The text of a line; none at the end.
fn text_of(mut line: Vec<u8>, max_len: u64) -> io::Result<Option<String>> {
    if line.is_empty() {
        return Ok(None);
    }
    if line.ends_with(b"\n") {
        line.pop();
        line.pop_if(|last| *last == b'\r');
    }
    if line.len() as u64 > max_len {
        let why = format!("line has more than {max_len} bytes");
        return Err(io::Error::new(ErrorKind::InvalidData, why));
    }
    let text = String::from_utf8(line);
    text.map(Some).map_err(|_| io::Error::new(ErrorKind::InvalidData, "line is not UTF-8 text"))
}
