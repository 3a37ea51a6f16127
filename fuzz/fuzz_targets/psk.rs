#![no_main]

use bindpose::formats::psk::Psk;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bindpose_fuzz::fuzz::<Psk>(bytes));
