//! Files on disk: those that accompany others are read within limits, and results are written whole or not at all.
//!
//! [`Draft`] writes a file, [`Transaction`] a set of files of which all are written or none (feature `files`).

#[cfg(feature = "files")]
mod disk;
#[cfg(feature = "files")]
mod draft;
/// Failures of the disk that tests cause; not part of the interface.
#[cfg(feature = "files")]
#[doc(hidden)]
pub mod faults;
#[cfg(feature = "files")]
mod journal;
#[cfg(feature = "files")]
mod original;
#[cfg(feature = "files")]
mod place;
mod read;
#[cfg(feature = "files")]
mod sweep;
#[cfg(feature = "files")]
mod transaction;

#[cfg(feature = "files")]
pub use draft::{Draft, IfExists, write};
#[cfg(feature = "files")]
pub use place::Place;
pub use read::{LineReader, open_regular, read_regular};
#[cfg(feature = "files")]
pub use sweep::{is_product, sweep, sweep_once};
#[cfg(feature = "files")]
#[doc(hidden)]
pub use transaction::write_all;
#[cfg(feature = "files")]
pub use transaction::{FileError, Published, Transaction};
