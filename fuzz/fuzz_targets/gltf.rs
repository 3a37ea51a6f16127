#![no_main]

use bindpose::Limits;
use bindpose::scene::gltf::{Gltf, read, refuse};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::none().with_max_memory(1 << 24);
    if let Ok(imported) = read(bytes, &mut refuse, &limits) {
        let glb = Gltf::new(&imported.scene).to_glb().expect("a small file");
        read(&glb, &mut refuse, &Limits::default()).expect("the export can be read");
    }
});
