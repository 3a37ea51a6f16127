#![no_main]

use bindpose::formats::max::{Skeleton, propose_skeleton};
use bindpose_fuzz::{fuzz, within};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    within::<Skeleton>(bytes, propose_skeleton(bytes).dialect);
    fuzz::<Skeleton>(bytes);
});
