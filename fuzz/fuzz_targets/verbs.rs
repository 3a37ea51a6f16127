#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bindpose::harness::fuzz_verbs(bytes));
