//! Measures decoding, encoding, round trip and walk as ratios to a copy of the same bytes in the same run.
//!
//! `cargo bench` measures the largest MS3D file; `cargo bench -- FILE...` measures others. Every round takes each
//! measurement once, so that a drift of the machine's speed affects all alike. Prints the medians. A ratio of 0.5 means
//! twice the time of a copy.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use bindpose::codec::Format;
use bindpose::formats::ms3d::{Ms3d, Triangle, Vertex};
use bindpose::{File, FileKind, FormatSpec, Options};

/// Rounds for a file of ten megabytes; larger ones get fewer.
const ROUNDS: usize = 60;

fn main() {
    let files: Vec<String> = env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    println!(
        "{:28} {:>8}  {:>10} {:>8} {:>8} {:>9} {:>12}",
        "file", "MB", "read", "decode", "encode", "roundtrip", "walk"
    );
    if files.is_empty() {
        measure("largest.ms3d", FileKind::Ms3d, &Options::default(), &largest_ms3d());
    }
    for name in files {
        let path = Path::new(&name);
        let bytes = fs::read(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let spec = FormatSpec::detect(path, &bytes).unwrap_or_else(|| panic!("{name}: unrecognised format"));
        let label = path.file_name().map_or(name.clone(), |name| name.to_string_lossy().into_owned());
        measure(&label, spec.kind, &spec.options(bindpose::Limits::default()), &bytes);
    }
}

fn measure(name: &str, kind: FileKind, options: &Options, bytes: &[u8]) {
    let temporary = env::temp_dir().join(format!("bindpose-bench-{}", std::process::id()));
    fs::write(&temporary, bytes).expect("a temporary file");
    let file = kind.decode(bytes, options).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut times: [Vec<Duration>; 6] = Default::default();
    let rounds = (ROUNDS * 10_000_000 / bytes.len().max(1)).clamp(5, ROUNDS);
    for _ in 0..rounds {
        times[0].push(timed(|| bytes.to_vec()));
        times[1].push(timed(|| fs::read(&temporary).expect("the temporary file")));
        times[2].push(timed(|| kind.decode(bytes, options).expect("a valid file")));
        times[3].push(timed(|| file.encode().expect("a valid file")));
        times[4].push(timed(|| kind.roundtrip(bytes, options)));
        times[5].push(timed(|| leaves(&file)));
    }
    let _ = fs::remove_file(&temporary);
    let [copy, read, decode, encode, roundtrip, walk] = times.map(median);
    #[expect(clippy::cast_precision_loss, reason = "printed only")]
    let megabytes = bytes.len() as f64 / 1e6;
    println!(
        "{name:28} {megabytes:8.2}  {:10.2} {:8.2} {:8.2} {:9.2} {:7.0} MB/s",
        copy / read,
        copy / decode,
        copy / encode,
        copy / roundtrip,
        megabytes / walk,
    );
}

/// Measures a task without dropping its result.
fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let made = black_box(work());
    let time = start.elapsed();
    drop(made);
    time
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}

fn leaves(file: &File) -> u64 {
    let mut bytes = 0;
    let _ = file.walk(&mut |place, leaf| {
        bytes += leaf.size();
        black_box(place.offset);
        ControlFlow::Continue(())
    });
    bytes
}

/// A file with the most vertices and triangles that MilkShape allows.
fn largest_ms3d() -> Vec<u8> {
    let number = 65_534_u16;
    let at = |index: u16| f32::from(index) / 7.0;
    let vertices: Vec<Vertex> = (0..number)
        .map(|index| Vertex { position: [at(index), 1.0, -at(index)], bone_id: 255, ..Vertex::default() })
        .collect();
    let triangles: Vec<Triangle> = (0..number)
        .map(|index| Triangle {
            vertex_indices: [index, (index + 1) % number, (index + 2) % number],
            vertex_normals: [[0.0, 1.0, 0.0]; 3],
            s: [at(index); 3],
            ..Triangle::default()
        })
        .collect();
    let file = Ms3d { vertices: vertices.into(), triangles: triangles.into(), ..Ms3d::blank_file() };
    file.encode().expect("a file within the limits of its counts")
}
