//! The laws of the house over everything there is: generated files, samples, past crashes and, with `--ignored`,
//! folders named by the environment (`BINDPOSE_CORPUS`, `BINDPOSE_MALFORMED`).

mod agree;
mod arrays;
mod bombs;
mod boundaries;
mod cal3d;
mod check;
mod compact_integers;
mod conditions;
mod cost;
mod detect;
mod diff;
mod directx;
mod document;
mod edit;
mod entropy;
mod families;
mod faulty_codec;
mod field_values;
mod folders;
mod foreign;
mod harness;
mod hostile;
mod internals;
mod json;
mod json_schema;
#[path = "../large.rs"]
mod large;
mod laws;
mod manual;
mod max;
mod memory;
mod paths;
mod psk;
mod read_back;
mod rescue;
mod resume;
mod samples;
mod scene;
mod schemas;
mod stream_verifier;
mod truncation;
mod unigine;
mod values;
mod wire;
mod work;
