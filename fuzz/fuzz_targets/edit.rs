#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| _ = bindpose::harness::fuzz_edit(bytes));
