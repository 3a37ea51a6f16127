//! A reader for binrw of a file that is not in memory.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// A reader of a file that is not in memory.
pub struct FileSource<R> {
    reader: BufReader<R>,
    /// The position of the reader, which follows `at` when bytes are read.
    reader_at: u64,
    at: u64,
    len: u64,
}

impl<R: Read + Seek> FileSource<R> {
    /// Starts at the first byte of a file.
    ///
    /// # Errors
    /// When the reader fails.
    pub fn new(mut reader: R) -> io::Result<Self> {
        let len = reader.seek(SeekFrom::End(0))?;
        reader.rewind()?;
        Ok(Self { reader: BufReader::new(reader), reader_at: 0, at: 0, len })
    }

    /// Reads at the position.
    fn read_with(&mut self, read: impl FnOnce(&mut BufReader<R>) -> io::Result<usize>) -> io::Result<usize> {
        if self.reader_at != self.at {
            self.reader.seek(SeekFrom::Start(self.at))?;
            self.reader_at = self.at;
        }
        let read = read(&mut self.reader)?;
        self.at += read as u64;
        self.reader_at = self.at;
        Ok(read)
    }

    /// Returns the size of the file.
    pub const fn size(&self) -> u64 {
        self.len
    }
}

impl<R: Read + Seek> Read for FileSource<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_with(|reader| reader.read(buffer))
    }

    fn read_to_end(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        self.read_with(|reader| reader.read_to_end(buffer))
    }

    /// Copies small fields from the buffer without the loop of the default.
    #[inline]
    fn read_exact(&mut self, mut buffer: &mut [u8]) -> io::Result<()> {
        if self.reader_at == self.at
            && let Some(bytes) = self.reader.buffer().get(..buffer.len())
        {
            buffer.copy_from_slice(bytes);
            self.reader.consume(buffer.len());
            self.at += buffer.len() as u64;
            self.reader_at = self.at;
            return Ok(());
        }
        while !buffer.is_empty() {
            match self.read(buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => buffer = &mut buffer[read..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl<R: Read + Seek> Seek for FileSource<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(distance) => self.at.checked_add_signed(distance),
            SeekFrom::End(distance) => self.len.checked_add_signed(distance),
        };
        self.at = target.filter(|target| *target <= self.len).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }

    fn stream_position(&mut self) -> io::Result<u64> {
        Ok(self.at)
    }
}
