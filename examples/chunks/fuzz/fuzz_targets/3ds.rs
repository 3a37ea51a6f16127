#![no_main]

use bindpose::codec::law;
use chunks::Tds;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| law::<Tds>(bytes));
