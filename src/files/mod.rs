//! Files on disk: those that accompany others are read within limits.

mod read;

pub use read::{LineReader, open_regular, read_regular};
