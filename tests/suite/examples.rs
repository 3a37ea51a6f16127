//! The formats of one's own in `examples/`, with their tests.

#[path = "../../examples/chunks/src/lib.rs"]
mod chunks;
#[path = "../../examples/md3/src/lib.rs"]
mod md3;
