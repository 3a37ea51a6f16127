//! Generated files: what the definition reads, and frames of a size that fits.

use bindpose::codec::{Generate, generate_by_reading, generate_part};
use bindpose::schema::Schema;
use bindpose::wire::List;

use crate::{Frame, Md2};

impl Generate for Md2 {
    fn generate(entropy: &[u8]) -> Self {
        let (own, entropy) = entropy.split_at(entropy.len() / 4);
        let mut file = generate_by_reading::<Self>(entropy);
        file.num_vertices = file.num_vertices.rem_euclid(4);
        let padding = own.first().map_or(0, |byte| i32::from(byte / 0x80));
        file.frame_size = Frame::HEAD as i32 + 4 * file.num_vertices + padding;
        let args = (file.num_vertices, file.frame_size);
        let frames = own.chunks(60).take(3).map(|entropy| generate_part::<Frame>(entropy, args));
        file.sections.frames = frames.collect::<Option<List<_>>>().unwrap_or_default().into();
        file
    }
}
