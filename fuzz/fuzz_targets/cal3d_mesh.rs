#![no_main]

use bindpose::formats::cal3d::CalMesh;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bindpose_fuzz::fuzz::<CalMesh>(bytes));
