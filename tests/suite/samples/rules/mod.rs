//! Files that can be read and written, and break the rules that `check` knows.

mod cal3d;
mod directx;
mod iqm;
mod max;
pub mod psk;
mod unigine;

pub use cal3d::cal3d;
pub use directx::directx;
pub use iqm::iqm;
pub use max::max;
pub use psk::{many_points, many_wedges, psk};
pub use unigine::unigine;
