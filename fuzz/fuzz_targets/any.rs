//! All targets in one program, which the variable `BINDPOSE_FUZZ` chooses from: `.ci/run` compiles it in place of 27.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bindpose_fuzz::run(&bindpose_fuzz::CHOSEN, bytes));
