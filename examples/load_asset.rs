//! Loads a model from memory on a thread of its own, as a game does, within limits:
//! `cargo run --example load_asset -- tests/character/dragon.psk tests/character/dragon.psa`.

use std::time::Duration;
use std::{env, error, fs, thread};

use bindpose::scene::{Scene, Settings};
use bindpose::{Budget, Document, Limits, Reader, Result};

/// Files as an archive of a game has them: names and bytes.
type Assets = Vec<(String, Vec<u8>)>;

fn main() -> std::result::Result<(), Box<dyn error::Error>> {
    let read = |path: String| fs::read(&path).map(|bytes| (path, bytes));
    let assets: Assets = env::args().skip(1).map(read).collect::<std::io::Result<_>>()?;
    let scene = load(assets)?;
    println!(
        "{} bones, {} meshes, {} clips",
        scene.skeleton.bones().len(),
        scene.meshes.len(),
        scene.clips.len()
    );
    Ok(())
}

/// Loads files as one scene while the caller could go on. All of them together have 64 MiB and five seconds.
pub(crate) fn load(assets: Assets) -> Result<Scene> {
    let limits = Limits::default().with_max_memory(64 << 20).with_max_time(Duration::from_secs(5));
    let loading = thread::spawn(move || {
        let budget = Budget::of(&limits, 0);
        let mut documents: Vec<(String, Document)> = Vec::new();
        for (name, bytes) in assets {
            let document = Reader::new(bytes).named(&name).limits(limits).budget(budget.clone()).read()?;
            documents.push((name, document));
        }
        let parts: Vec<_> = documents.iter().map(|(name, document)| document.part(name)).collect();
        Scene::within(&parts, &Settings::default(), &budget)
    });
    loading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
