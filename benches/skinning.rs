//! Measures influences per second on one core, with the matrices and weights of a character.

use std::time::Instant;

use bindpose::scene::{Joint, Skin, Weights};
use glam::{Affine3A, Quat, Vec3};

const VERTICES: usize = 100_000;
const JOINTS: usize = 60;
const ROUNDS: usize = 50;

fn main() {
    for influences in [1, 2, 4] {
        measure(influences);
    }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn measure(influences: usize) {
    let rows = (0..VERTICES * influences).map(|row| {
        let (vertex, nth) = (row / influences, row % influences);
        (vertex, (vertex * 7 + nth * 13) % JOINTS, 1.0 + nth as f32)
    });
    let joints = (0..JOINTS).map(|bone| Joint { bone, inverse_bind: Affine3A::IDENTITY });
    let skin = Skin { joints: joints.collect(), weights: Weights::gather(VERTICES, JOINTS, rows).0 };
    let place =
        |bone| Affine3A::from_rotation_translation(Quat::from_rotation_y(bone as f32), Vec3::X * bone as f32);
    let placed: Vec<_> = (0..JOINTS).map(place).collect();
    let positions: Vec<_> = (0..VERTICES).map(|vertex| Vec3::splat(vertex as f32)).collect();
    let mut times: Vec<_> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(skin.deform(&placed, std::hint::black_box(&positions)));
            start.elapsed()
        })
        .collect();
    times.sort();
    let rate = (VERTICES * influences) as f64 / times[ROUNDS / 2].as_secs_f64() / 1e6;
    println!("{influences} influences a vertex: {rate:.0} million a second");
}
