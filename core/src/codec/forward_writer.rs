//! A writer that cannot seek, for encoding.

use std::io::{self, Seek, SeekFrom, Write};

/// Writes the bytes of a file up to its end; those that a truncated file lacks are dropped.
pub(super) struct ForwardWriter<W> {
    out: W,
    at: u64,
    end: u64,
}

impl<W> ForwardWriter<W> {
    /// Starts at offset 0.
    pub(super) const fn new(out: W, end: u64) -> Self {
        Self { out, at: 0, end }
    }
}

impl<W: Write> Write for ForwardWriter<W> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let written = match bytes.len().min(left) {
            0 => bytes.len(),
            len => self.out.write(&bytes[..len])?,
        };
        self.at += written as u64;
        Ok(written)
    }

    /// Writes small fields without the loop of the default.
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        self.out.write_all(&bytes[..bytes.len().min(left)])?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W> Seek for ForwardWriter<W> {
    /// Reports the position; formats are written front to back.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Current(0) => Ok(self.at),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}
