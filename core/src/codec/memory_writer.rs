//! A writer into memory.

use std::io::{self, Seek, SeekFrom, Write};

/// Bytes copied at a time.
const STEP: usize = 64;

/// Appends a file to a buffer.
///
/// Copies in small steps: a copy of several kilobytes touches new pages of memory out of order, and page faults, which
/// dominate encoding, then take a third longer.
#[derive(Debug)]
pub(super) struct MemoryWriter {
    bytes: Vec<u8>,
    /// The first byte of the file.
    start: usize,
}

impl MemoryWriter {
    /// Writes a file after some bytes.
    pub(super) const fn after(bytes: Vec<u8>) -> Self {
        Self { start: bytes.len(), bytes }
    }

    /// All bytes; without those of the file where it is not complete.
    pub(super) fn into_bytes(mut self, complete: bool) -> Vec<u8> {
        if !complete {
            self.bytes.truncate(self.start);
        }
        self.bytes
    }
}

impl Write for MemoryWriter {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.reserve(bytes.len());
        let steps = bytes.chunks_exact(STEP);
        let remainder = steps.remainder();
        for step in steps {
            self.bytes.extend_from_slice(step);
        }
        self.bytes.extend_from_slice(remainder);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for MemoryWriter {
    /// Reports the position; formats are written front to back.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Current(0) => Ok((self.bytes.len() - self.start) as u64),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}
