#![no_main]

use bindpose::formats::ms3d::Ms3d;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bindpose_fuzz::fuzz::<Ms3d>(bytes));
