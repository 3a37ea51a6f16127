//! Inter-Quake Models that violate rules.

use bindpose::codec::Format;
use bindpose::formats::iqm::{CUSTOM, Extension, Iqm, Joint, Pose, VertexArray, VertexData};
use bindpose::schema::Schema;

use crate::samples::Sample;
use crate::samples::iqm::bar;

pub fn iqm() -> Vec<Sample> {
    let sample = |name: &str, about, file: Iqm| Sample::new(name, about, file.encode().expect("a sample"));
    vec![
        sample("rules.iqm", "violates every rule but that of surplus arrays", rules()),
        Sample::new("surplus.iqm", "more vertex arrays and extensions than are decoded", surplus()),
    ]
}

fn rules() -> Iqm {
    let mut file = bar();
    let parts = &mut *file.sections;
    parts.meshes[0].material = 90;
    parts.meshes[0].num_vertexes = 3;
    (parts.meshes[0].first_triangle, parts.meshes[0].num_triangles) = (1, 9);
    parts.triangles[0][1] = 60;
    parts.adjacency[0][0] = 7;
    parts.joints[0].parent = 1;
    parts.joints[1].parent = 0;
    parts.joints.push(Joint { parent: 9, ..Joint::default() });
    parts.poses[1].parent = 5;
    parts.poses[0] = Pose { mask: 1, ..parts.poses[0].clone() };
    parts.anims[1].num_frames = 30;
    parts.anims[1].name = parts.anims[0].name;
    parts.anims[0].framerate = 0.0;
    parts.joints[0].rotate[3] = 2.0;
    parts.joints[1].rotate = [0.0; 4];
    for (array, data) in parts.arrays_mut() {
        match data {
            VertexData::BlendIndexes(own) => own[1].joints[0] = 9,
            VertexData::BlendWeights(own) => own[0][0] = 100,
            _ => assert!(array.kind != 4 && array.kind != 5),
        }
    }
    parts.vertex_arrays[2] = VertexArray { size: 2, ..parts.vertex_arrays[1].clone() };
    parts.vertex_data_2 = parts.vertex_data_1.clone();
    parts.vertex_arrays[6].size = 3;
    parts.vertex_data_6 = VertexData::Ubyte(vec![1; 12].into()).into();
    file.num_extensions = 3;
    file.sections.align(Iqm::HEAD, 4);
    file.sections.set_gap(2, vec![0; 3]);
    file
}

/// The record of the last array is in the bytes after the others, and the third extension is followed by itself.
fn surplus() -> Vec<u8> {
    let mut file = bar();
    // A longer text would move the data.
    file.sections.joints.iter_mut().for_each(|own| own.name = 0);
    file.sections.anims.iter_mut().for_each(|own| own.name = 0);
    file.sections.meshes[0].material = 0;
    let name = VertexArray { kind: CUSTOM + 34, format: 1, size: 4, ..VertexArray::default() };
    let own: Vec<_> = file.sections.arrays().map(|(own, data)| (own.clone(), data.clone())).collect();
    let more = (0..4).map(|_| (name.clone(), VertexData::Ubyte(vec![7; 16].into())));
    file.sections.set_arrays(own.into_iter().chain(more));
    file.sections.extension_2 = Extension { name: 40, ..Extension::default() }.into();
    file.sections.align(Iqm::HEAD, 4);
    let last = [CUSTOM + 34, 0, 1, 4, 0].map(u32::to_le_bytes).concat();
    file.sections.set_gap(3, last);
    let offset: u32 = file.sections.offset_of(Iqm::HEAD, "extension_2").expect("an offset");
    let mut bytes = file.encode().expect("a sample");
    // The number of vertex arrays.
    bytes[44] += 1;
    let next = usize::try_from(offset).expect("a small number") + 12;
    bytes[next..][..4].copy_from_slice(&offset.to_le_bytes());
    bytes
}
