//! A reader that generates the file it is asked for.
//!
//! Small numbers are likelier than large ones because most of them are counts; other values have any bit pattern.

use std::io::{self, Read, Seek, SeekFrom};
use std::mem;

use crate::wire::{IS_CONSTRUCTED, IS_IN_ORDER};

/// Bytes of the file for each remaining byte of entropy; bounds every count.
const GENEROUS: u64 = 4;

/// Most counts are less than this.
const SMALL: u8 = 4;

/// The most bytes generated after entropy ends: a count of all ones requests more than fits into memory.
const BEYOND: usize = 1 << 16;

/// A reader that generates bytes from entropy.
pub(super) struct Entropy<'a> {
    left: std::slice::Iter<'a, u8>,
    magic: &'a [u8],
    words: &'static [&'static [u8]],
    at: u64,
    /// Bytes generated after entropy ended.
    beyond: usize,
    /// Whether the last byte was the first of a compact integer that is longer than necessary.
    is_padded: bool,
}

impl<'a> Entropy<'a> {
    pub(super) fn new(entropy: &'a [u8], magic: &'a [u8], words: &'static [&'static [u8]]) -> Self {
        Self { left: entropy.iter(), magic, words, at: 0, beyond: 0, is_padded: false }
    }

    pub(super) fn draw(&mut self) -> u8 {
        self.left.next().copied().unwrap_or(0)
    }

    fn fill(&mut self, buffer: &mut [u8]) {
        let start = usize::try_from(self.at).unwrap_or(usize::MAX);
        if let Some(magic) = self.magic.get(start..start.saturating_add(buffer.len())) {
            buffer.copy_from_slice(magic);
            return;
        }
        if mem::take(&mut self.is_padded) && buffer.len() == 1 {
            buffer[0] = 0;
            return;
        }
        let spells = self.words.iter().any(|word| word.len() == buffer.len());
        match (buffer.len(), self.draw()) {
            (1 | 2 | 4 | 8, 0..0x80) if spells => self.spell(buffer),
            (1, 0xe0..0xfc) => {
                buffer[0] = 0x80 | (self.draw() % SMALL);
                self.is_padded = true;
            }
            (1 | 2 | 4 | 8, 0..0xfc) => {
                buffer.fill(0);
                buffer[0] = self.draw() % SMALL;
            }
            (_, 0..0xf0) if spells => self.spell(buffer),
            (1 | 2 | 4 | 8, 0xfc) => buffer.fill(0xff),
            _ => buffer.fill_with(|| self.draw()),
        }
    }

    /// Chooses a word of this length; mostly the file's own magic, where it is one of them.
    fn spell(&mut self, buffer: &mut [u8]) {
        let words: Vec<_> = self.words.iter().filter(|word| word.len() == buffer.len()).collect();
        let choice = self.draw();
        let own = words.iter().find(|word| ***word == self.magic).filter(|_| choice < 0xf0);
        buffer.copy_from_slice(own.copied().unwrap_or(words[usize::from(choice) % words.len()]));
    }
}

impl Read for Entropy<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.len() == 0 {
            self.beyond = self.beyond.saturating_add(buffer.len());
        }
        if self.beyond > BEYOND {
            return Ok(0);
        }
        self.fill(buffer);
        self.at = self.at.saturating_add(buffer.len() as u64);
        Ok(buffer.len())
    }

    fn read_to_end(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let junk = if self.draw() > 0xf0 { usize::from(self.draw()) } else { 0 };
        buffer.extend((0..junk).map(|_| self.draw()));
        self.at = self.at.saturating_add(junk as u64);
        Ok(junk)
    }
}

impl Seek for Entropy<'_> {
    /// The end is as far away as the remaining entropy allows.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            IS_CONSTRUCTED if self.draw() < 0x80 => return Err(io::ErrorKind::InvalidInput.into()),
            IS_IN_ORDER if self.draw() >= 0xf0 => return Err(io::ErrorKind::InvalidInput.into()),
            IS_CONSTRUCTED | IS_IN_ORDER => {}
            SeekFrom::Start(offset) => self.at = offset,
            SeekFrom::Current(distance) => self.at = self.at.saturating_add_signed(distance),
            SeekFrom::End(..0) => return Err(io::ErrorKind::InvalidInput.into()),
            SeekFrom::End(_) => self.at = self.at.saturating_add(GENEROUS * self.left.len() as u64),
        }
        Ok(self.at)
    }
}
