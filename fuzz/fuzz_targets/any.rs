//! All targets in one program, which the variable `BINDPOSE_FUZZ` chooses from: `.ci/run` compiles it in place of all others.

#![no_main]

bindpose_fuzz::program!(&bindpose_fuzz::CHOSEN);
