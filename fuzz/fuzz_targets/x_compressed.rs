#![no_main]

use bindpose::formats::directx::X;
use bindpose_fuzz::{after, fuzz};

// Chunks as they come, and what entropy makes, which is packed more often than not.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| match bytes.split_first() {
    Some((0..0x40, bytes)) => after::<X>(b"xof 0303tzip0032", bytes),
    Some((0x40..0x80, bytes)) => after::<X>(b"xof 0303bzip0064", bytes),
    _ => fuzz::<X>(&[&[0, 6], bytes].concat()),
});
