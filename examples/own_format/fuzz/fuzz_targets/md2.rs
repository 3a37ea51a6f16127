#![no_main]

use bindpose::codec::law;
use own_format::Md2;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| law::<Md2>(bytes));
