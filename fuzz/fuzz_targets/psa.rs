#![no_main]

use bindpose::formats::psk::Psa;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bindpose_fuzz::fuzz::<Psa>(bytes));
