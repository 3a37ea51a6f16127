#![no_main]

use bindpose::formats::directx::X;
use bindpose_fuzz::after;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| after::<X>(b"xof 0303bin 0032", bytes));
