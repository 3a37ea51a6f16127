//! Scenes: the conventions of each format, tested by the facts that determine them.

pub mod author;
#[cfg(feature = "gltf")]
mod budget;
mod cal3d;
mod character;
mod clip;
mod directx;
mod file_name;
mod generated;
#[cfg(feature = "gltf")]
mod gltf;
#[cfg(feature = "gltf")]
mod gltf_features;
#[cfg(feature = "gltf")]
mod gltf_read;
#[cfg(feature = "gltf")]
mod hand;
mod inconsistent;
mod keep;
mod laws;
mod layers;
mod losses;
mod max;
mod ms3d;
mod names_only;
mod polygon;
mod psk;
mod render;
mod retarget;
mod rigid;
mod same;
mod skeleton;
mod skin;
mod space;
mod unigine;
mod unused;
mod witnesses;
