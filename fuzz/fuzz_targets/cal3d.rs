#![no_main]

use bindpose::formats::cal3d::{CalAnimation, CalMaterial, CalMesh, CalMorph, CalSkeleton};
use bindpose_fuzz::fuzz;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| match bytes.split_first() {
    Some((0, bytes)) => fuzz::<CalSkeleton>(bytes),
    Some((1, bytes)) => fuzz::<CalAnimation>(bytes),
    Some((2, bytes)) => fuzz::<CalMaterial>(bytes),
    Some((3, bytes)) => fuzz::<CalMorph>(bytes),
    _ => fuzz::<CalMesh>(bytes),
});
