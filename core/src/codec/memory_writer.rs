//! A writer into memory, as fast as the memory is.

use std::io::{self, Seek, SeekFrom, Write};

/// Bytes copied at a time.
const STEP: usize = 64;

/// A file that is written front to back.
///
/// A copy of some kilobytes as a whole begins at its end too, which touches new pages of memory out of order; the
/// system then takes a third longer to hand them out, and that is most of what encoding costs. Hence small steps.
#[derive(Debug)]
pub(super) struct MemoryWriter(Vec<u8>);

impl MemoryWriter {
    pub(super) fn with_capacity(len: usize) -> Self {
        Self(Vec::with_capacity(len))
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl Write for MemoryWriter {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.reserve(bytes.len());
        let steps = bytes.chunks_exact(STEP);
        let remainder = steps.remainder();
        for step in steps {
            self.0.extend_from_slice(step);
        }
        self.0.extend_from_slice(remainder);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for MemoryWriter {
    /// Tells the position; formats are written front to back.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Current(0) => Ok(self.0.len() as u64),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}
