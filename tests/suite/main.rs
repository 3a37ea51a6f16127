//! The laws of the house over everything there is: generated files, samples, past crashes, and folders of the
//! reader's own (`BINDPOSE_CORPUS`, `BINDPOSE_MALFORMED`).

mod cal3d;
mod check;
mod diff;
mod directx;
mod entropy;
mod folders;
mod harness;
mod hostile;
mod json;
mod json_schema;
mod laws;
mod lies;
mod max;
mod pieces;
mod psk;
mod samples;
mod scene;
mod schemas;
mod seams;
mod unigine;
mod values;
mod wire;
mod work;
