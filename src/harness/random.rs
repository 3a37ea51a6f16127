//! Random numbers from a seed.

/// A deterministic generator of random numbers, the same on every machine.
pub(super) struct Random(fastrand::Rng);

impl Random {
    /// Creates one of the streams of numbers of a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        let base = fastrand::Rng::with_seed(seed).u64(..);
        Self(fastrand::Rng::with_seed(base.wrapping_add(stream)))
    }

    /// Returns a number less than `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.u64(..(end.max(1) as u64))).unwrap_or(0)
    }

    /// Fills a buffer with random bytes.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(8) {
            chunk.copy_from_slice(&self.0.u64(..).to_le_bytes()[..chunk.len()]);
        }
    }
}
