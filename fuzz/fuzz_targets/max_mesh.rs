#![no_main]

use bindpose::formats::max::{Mesh, propose_mesh};
use bindpose_fuzz::{fuzz, within};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    within::<Mesh>(bytes, propose_mesh(bytes).dialect);
    fuzz::<Mesh>(bytes);
});
