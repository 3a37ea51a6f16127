#![no_main]

use bindpose::formats::unigine::UnigineMesh;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bindpose_fuzz::fuzz::<UnigineMesh>(bytes));
