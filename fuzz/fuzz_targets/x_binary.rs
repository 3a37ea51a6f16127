#![no_main]

use bindpose::formats::directx::X;
use bindpose_fuzz::behind;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| behind::<X>(b"xof 0303bin 0032", bytes));
