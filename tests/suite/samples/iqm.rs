//! Inter-Quake Models.

use bindpose::codec::Format;
use bindpose::formats::iqm::{
    Anim, AnimFlags, BlendIndexes, Bounds, CUSTOM, Extension, Iqm, Joint, Mesh, Pose, VertexArray, VertexData,
};
use bindpose::schema::Schema;
use bindpose::wire::{Blob, Bytes, FixedLenList, List, Placed};

use super::{Family, Sample, rules};

pub fn family() -> Family {
    Family { folder: "iqm", valid: [valid(), rules::iqm()].concat(), damaged: damaged() }
}

fn valid() -> Vec<Sample> {
    let sample =
        |name: &str, about, file: &Iqm| Sample::new(name, about, file.encode().expect("a valid sample"));
    vec![
        sample(
            "bar.iqm",
            "two joints that bend two triangles, in two animations, with a comment and extensions",
            &bar(),
        ),
        sample("formats.iqm", "vertex data in all formats, of custom types", &formats()),
        sample("scattered.iqm", "parts in another order, with bytes between them", &scattered()),
        sample("empty.iqm", "no parts", &Iqm::blank_file()),
    ]
}

/// The names, and their offsets: bar, skin.png, low, high, wave, still, shade, ENGINE.
pub const TEXT: &[u8] = b"\0bar\0skin.png\0low\0high\0wave\0still\0shade\0ENGINE_EVENTS\0\0\0";

fn list<T>(items: Vec<T>) -> Placed<List<T>> {
    List::from(items).into()
}

fn fixed<T>(items: Vec<T>) -> Placed<FixedLenList<T>> {
    FixedLenList::from(items).into()
}

/// A quad whose upper edge follows the second joint.
pub fn bar() -> Iqm {
    let mut file = Iqm { num_vertexes: 4, ..Iqm::blank_file() };
    let parts = &mut *file.sections;
    parts.text = Bytes(TEXT.to_vec()).into();
    parts.meshes =
        list(vec![Mesh { name: 1, material: 5, num_vertexes: 4, num_triangles: 2, ..Mesh::default() }]);
    parts.triangles = list(vec![[0, 2, 1], [2, 0, 3]]);
    parts.adjacency = fixed(vec![[1, u32::MAX, u32::MAX], [0, u32::MAX, u32::MAX]]);
    parts.set_arrays(arrays());
    parts.joints = list(vec![
        Joint { name: 14, ..Joint::default() },
        Joint { name: 18, parent: 0, translate: [0.0, 0.0, 1.0], ..Joint::default() },
    ]);
    animate(&mut file);
    let parts = &mut *file.sections;
    parts.comment = Bytes(b"a bar\0".to_vec()).into();
    let extension = |num_data| Extension { name: 40, num_data, ..Extension::default() };
    (parts.extension_0, parts.extension_data_0) = (extension(4).into(), Blob(b"one\0".to_vec()).into());
    (parts.extension_1, parts.extension_data_1) = (extension(3).into(), Blob(b"two".to_vec()).into());
    file.num_extensions = 2;
    file.sections.align(Iqm::HEAD, 4);
    file
}

fn array(kind: u32, format: u32, size: u32) -> VertexArray {
    VertexArray { kind, format, size, ..VertexArray::default() }
}

fn arrays() -> Vec<(VertexArray, VertexData)> {
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let positions = corners.map(|[x, z]| [x, 0.0, 2.0 * z]);
    let joints = [0, 0, 1, 1].map(|joint| BlendIndexes { joints: [joint, 1 - joint, 0, 0] });
    vec![
        (array(0, 7, 3), VertexData::Positions(positions.to_vec().into())),
        (array(1, 7, 2), VertexData::Texcoords(corners.map(|[x, z]| [x, 1.0 - z]).to_vec().into())),
        (array(2, 7, 3), VertexData::Normals(vec![[0.0, -1.0, 0.0]; 4].into())),
        (array(3, 7, 4), VertexData::Tangents(vec![[1.0, 0.0, 0.0, 1.0]; 4].into())),
        (array(4, 1, 4), VertexData::BlendIndexes(joints.to_vec().into())),
        (array(5, 1, 4), VertexData::BlendWeights(vec![[200, 55, 0, 0]; 4].into())),
        (array(6, 1, 4), VertexData::Colors(vec![[255, 128, 0, 255]; 4].into())),
        (array(CUSTOM + 34, 6, 1), VertexData::Half(vec![0x3c00, 0x3800, 0, 0xbc00].into())),
    ]
}

/// Moves the second joint along x and turns it about y.
fn animate(file: &mut Iqm) {
    let mut bent = Pose { parent: 0, mask: 0b1_0000_0001, ..Pose::default() };
    (bent.channel_offset[0], bent.channel_scale[0]) = (-0.5, 1.0 / 65_535.0);
    (bent.channel_offset[2], bent.channel_offset[8], bent.channel_scale[8]) = (1.0, 1.0, 0.5 / 65_535.0);
    let parts = &mut *file.sections;
    parts.poses = list(vec![Pose::default(), bent]);
    parts.frames = fixed(vec![0, 0, 32_768, 65_535, 65_535, 0]);
    let anim = |name, first_frame, num_frames| Anim {
        name,
        first_frame,
        num_frames,
        framerate: 10.0,
        ..Anim::default()
    };
    let wave = Anim { flags: AnimFlags::new().with_is_loop(true), ..anim(23, 0, 2) };
    parts.anims = list(vec![wave, anim(28, 2, 1)]);
    let bounds = Bounds { min: [-0.5, 0.0, 0.0], max: [1.5, 0.0, 3.0], xy_radius: 1.5, radius: 3.5 };
    parts.bounds = fixed(vec![bounds; 3]);
    (file.num_frames, file.num_framechannels) = (3, 2);
}

/// Components in each format.
fn formats() -> Iqm {
    let mut file = Iqm { num_vertexes: 3, ..Iqm::blank_file() };
    let parts = &mut *file.sections;
    parts.text = Bytes(TEXT.to_vec()).into();
    parts.meshes = list(vec![Mesh { name: 1, num_vertexes: 3, num_triangles: 1, ..Mesh::default() }]);
    parts.triangles = list(vec![[0, 2, 1]]);
    let custom = CUSTOM + 34;
    parts.set_arrays([
        (array(0, 7, 3), VertexData::Positions(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].into())),
        (array(custom, 0, 1), VertexData::Byte(vec![-1, 0, 1].into())),
        (array(custom, 1, 2), VertexData::Ubyte(vec![1; 6].into())),
        (array(custom, 2, 1), VertexData::Short(vec![-300; 3].into())),
        (array(custom, 3, 1), VertexData::Ushort(vec![300; 3].into())),
        (array(custom, 4, 1), VertexData::Int(vec![-70_000; 3].into())),
        (array(custom, 5, 1), VertexData::Uint(vec![70_000; 3].into())),
        (array(custom, 6, 1), VertexData::Half(vec![0x3c00; 3].into())),
        (array(custom, 7, 1), VertexData::Float(vec![0.5; 3].into())),
        (array(custom, 8, 1), VertexData::Double(vec![0.25; 3].into())),
        (array(custom, 9, 1), VertexData::Other),
    ]);
    file.sections.align(Iqm::HEAD, 8);
    file
}

fn scattered() -> Iqm {
    let mut file = bar();
    file.sections.swap(0, 1);
    file.sections.set_gap(4, b"gap ".to_vec());
    file.sections.align(Iqm::HEAD, 4);
    file
}

/// Vertex arrays after their data, up to the middle of the last one.
fn cut_in_arrays() -> Vec<u8> {
    let mut file = bar();
    let order = file.sections.order();
    let place = |name| order.iter().position(|own| *own == name).expect("a part");
    file.sections.swap(place("vertex_arrays"), place("triangles"));
    file.sections.align(Iqm::HEAD, 4);
    let start: usize = file.sections.offset_of(Iqm::HEAD, "vertex_arrays").expect("a small offset");
    let len = start + 20 * file.sections.vertex_arrays.len() - 6;
    file.encode().expect("a valid sample")[..len].to_vec()
}

fn damaged() -> Vec<Sample> {
    let bytes = bar().encode().expect("a valid sample");
    let number = |at: usize| u32::from_le_bytes(bytes[at..][..4].try_into().expect("four bytes")) as usize;
    let replaced = |at: usize, number: u32| {
        let mut bytes = bytes.clone();
        bytes[at..][..4].copy_from_slice(&number.to_le_bytes());
        bytes
    };
    // The fields of the header that place joints and frames.
    let (joints, frames) = (72, 100);
    vec![
        Sample::new(
            "cut_in_joints.iqm",
            "ends inside the second joint",
            bytes[..number(joints) + 60].to_vec(),
        ),
        Sample::new("cut_in_frames.iqm", "ends inside the frames", bytes[..number(frames) + 5].to_vec()),
        Sample::new(
            "cut_in_arrays.iqm",
            "ends inside the last vertex array, after the data",
            cut_in_arrays(),
        ),
        Sample::new("cut_in_header.iqm", "the first 60 bytes", bytes[..60].to_vec()),
        Sample::new("outside.iqm", "the triangles are placed outside of the file", replaced(60, 0x7fff_ffff)),
        Sample::new(
            "overlap.iqm",
            "the joints begin inside the triangles",
            replaced(joints, u32::try_from(number(60)).expect("a small number") + 4),
        ),
    ]
}
