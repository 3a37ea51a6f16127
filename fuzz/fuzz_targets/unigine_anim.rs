#![no_main]

use bindpose::formats::unigine::UnigineAnim;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bindpose_fuzz::fuzz::<UnigineAnim>(bytes));
