#![no_main]

use bindpose::Options;
use bindpose::codec::{Format, law_with};
use bindpose::formats::cal3d::{CalAnimation, CalMesh, CalSkeleton};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let xml = Options::default().with_dialect("xml");
    law_with::<CalMesh>(bytes, &xml);
    // Whatever the text says, asking for its values is safe.
    _ = CalMesh::decode(bytes).map(|file| file.view().is_ok());
    _ = CalSkeleton::decode(bytes).map(|file| file.view().is_ok());
    _ = CalAnimation::decode(bytes).map(|file| file.view().is_ok());
});
