//! Generated files: sections of any content in any order, with bytes between them.

use bindpose::codec::{Format, Generate, generate_part};
use bindpose::wire::{List, Placed};

use crate::{Frame, Md2};

impl Generate for Md2 {
    fn generate(entropy: &[u8]) -> Self {
        let mut file = Self::blank_file();
        let (control, entropy) = entropy.split_at(entropy.len().min(16));
        let draw = |at: usize| control.get(at).copied().unwrap_or(0);
        file.num_vertices = i32::from(draw(0) % 4);
        file.frame_size = 40 + 4 * file.num_vertices + i32::from(draw(1) / 0xf0);
        let mut parts = entropy.chunks(entropy.len() / 5 + 1);
        let mut next = || parts.next().unwrap_or_default();
        let count = |at: usize| (i64::from(draw(at) % 4),);
        file.sections.skins = part(generate_part(next(), count(2)));
        file.sections.tex_coords = part(generate_part(next(), count(3)));
        file.sections.triangles = part(generate_part(next(), count(4)));
        file.sections.gl_commands = part(generate_part(next(), count(5)));
        let entropy = next();
        let frame = || generate_part::<Frame>(entropy, (file.num_vertices, file.frame_size));
        let frames: Option<Vec<_>> = (0..draw(6) % 3).map(|_| frame()).collect();
        file.sections.frames = part(frames.map(Into::into));
        for place in 0..file.sections.order().len() {
            file.sections.swap(place, usize::from(draw(7 + place)) % 6);
            file.sections.set_gap(place, vec![draw(8); usize::from(draw(9 + place) / 0x40)]);
        }
        file
    }
}

fn part<T>(list: Option<List<T>>) -> Placed<List<T>> {
    list.unwrap_or_default().into()
}
