#![no_main]

use bindpose::Options;
use bindpose::codec::{fuzz, law_with};
use bindpose::formats::max::{Animation, Mesh, Skeleton, propose_animation, propose_mesh, propose_skeleton};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let in_dialect = |name: &str| Options::default().with_dialect(name);
    law_with::<Skeleton>(bytes, &in_dialect(propose_skeleton(bytes).dialect));
    law_with::<Animation>(bytes, &in_dialect(propose_animation(bytes, None).dialect));
    law_with::<Mesh>(bytes, &in_dialect(propose_mesh(bytes).dialect));
    fuzz::<Skeleton>(bytes);
    fuzz::<Animation>(bytes);
    fuzz::<Mesh>(bytes);
});
