#![no_main]

use bindpose::formats::max::{Animation, propose_animation};
use bindpose_fuzz::{fuzz, within};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    within::<Animation>(bytes, propose_animation(bytes, None).dialect);
    fuzz::<Animation>(bytes);
});
