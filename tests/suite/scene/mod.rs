//! What files mean: the conventions of each format, by the facts that settle them.

mod directx;
mod laws;
mod ms3d;
mod psk;
mod unigine;
