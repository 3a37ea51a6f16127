//! A writer that compares instead of storing.

use std::io::{self, Seek, SeekFrom, Write};

/// Compares written bytes with expected ones, so that a round trip needs no second copy of the file.
pub(crate) struct CompareWriter<'a> {
    expected: &'a [u8],
    at: usize,
    differs_at: Option<usize>,
}

impl<'a> CompareWriter<'a> {
    pub(crate) const fn new(expected: &'a [u8]) -> Self {
        Self { expected, at: 0, differs_at: None }
    }

    /// Returns how many bytes were written after the expected ones, unless those differ.
    pub(crate) fn surplus(&self) -> Option<u64> {
        let surplus = self.at.checked_sub(self.expected.len()).map(|surplus| surplus as u64);
        surplus.filter(|_| self.differs_at.is_none())
    }

    /// Returns the first difference; missing and surplus bytes count, but for the `overrun` bytes of a truncated file.
    pub(crate) fn difference(&self, overrun: u64) -> Option<u64> {
        let all = self.expected.len() as u64 + overrun;
        let end = (self.at as u64 != all).then(|| self.at.min(self.expected.len()));
        self.differs_at.or(end).map(|at| at as u64)
    }
}

impl Write for CompareWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.differs_at.is_none() {
            let expected = self.expected.get(self.at..).unwrap_or(&[]);
            let same = expected.len().min(bytes.len());
            if expected[..same] != bytes[..same] {
                let first = expected.iter().zip(bytes).position(|(a, b)| a != b).unwrap_or(0);
                self.differs_at = Some(self.at + first);
            }
        }
        self.at += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for CompareWriter<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Current(0) => Ok(self.at as u64),
            // Formats are written front to back; nothing seeks.
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}
