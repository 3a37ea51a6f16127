#![no_main]

use bindpose::formats::max::{Animation, Mesh, Skeleton, propose_animation, propose_mesh, propose_skeleton};
use bindpose_fuzz::{fuzz, within};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    within::<Skeleton>(bytes, propose_skeleton(bytes).dialect);
    within::<Animation>(bytes, propose_animation(bytes, None).dialect);
    within::<Mesh>(bytes, propose_mesh(bytes).dialect);
    fuzz::<Skeleton>(bytes);
    fuzz::<Animation>(bytes);
    fuzz::<Mesh>(bytes);
});
