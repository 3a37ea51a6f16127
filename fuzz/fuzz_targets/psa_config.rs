#![no_main]

use bindpose::formats::psk::PsaConfig;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bindpose_fuzz::fuzz::<PsaConfig>(bytes));
