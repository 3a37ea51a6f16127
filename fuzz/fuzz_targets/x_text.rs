#![no_main]

use bindpose::codec::fuzz_behind;
use bindpose::formats::directx::X;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_behind::<X>(b"xof 0303txt 0032", bytes));
