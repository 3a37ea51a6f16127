//! Numbers that follow from a seed.

use proptest::prelude::Rng;
use proptest::test_runner::RngAlgorithm;
pub(super) use proptest::test_runner::TestRng as Random;

/// Random numbers that follow from a seed alone, the same on every machine.
pub(super) fn random(seed: u64, stream: u64) -> Random {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&stream.to_le_bytes());
    Random::from_seed(RngAlgorithm::ChaCha, &key)
}

/// A number less than `end`.
pub(super) fn below(rng: &mut Random, end: usize) -> usize {
    usize::try_from(rng.next_u64() % (end.max(1) as u64)).unwrap_or(0)
}
