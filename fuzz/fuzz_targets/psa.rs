#![no_main]

use bindpose::formats::psk::Psa;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bindpose::codec::fuzz::<Psa>(bytes));
