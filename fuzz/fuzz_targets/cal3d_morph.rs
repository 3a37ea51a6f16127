#![no_main]

use bindpose::formats::cal3d::CalMorph;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bindpose_fuzz::fuzz::<CalMorph>(bytes));
