#![no_main]

use bindpose::codec::Format;
use bindpose::formats::cal3d::{CalAnimation, CalMesh, CalSkeleton};
use bindpose_fuzz::within;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    within::<CalMesh>(bytes, "xml");
    // Reading the values of any text is safe.
    _ = CalMesh::decode(bytes).map(|file| file.view().is_ok());
    _ = CalSkeleton::decode(bytes).map(|file| file.view().is_ok());
    _ = CalAnimation::decode(bytes).map(|file| file.view().is_ok());
});
