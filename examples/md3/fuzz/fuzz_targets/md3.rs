#![no_main]

use bindpose::codec::law;
use md3::Md3;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| law::<Md3>(bytes));
