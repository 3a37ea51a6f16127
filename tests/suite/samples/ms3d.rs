//! MilkShape 3D files.

use bindpose::codec::Format;
use bindpose::formats::ms3d::{
    Animation, Comment, CommentLists, Comments, Comments1, Group, Joint, JointColors, JointExtra, JointFlags,
    Keyframe, Material, ModelComment, ModelExtra, ModelSettings, ModelSettings1, Ms3d, Triangle, Vertex,
    VertexExtra, VertexExtra1, VertexExtra2, VertexExtra3, VertexExtraRecords,
};
use bindpose::wire::{FixedStr, LenStr, Part};

use super::{Family, Sample, literal};

pub fn family() -> Family {
    let literal = literal::ms3d(&bindpose::File::Ms3d(Box::new(full())));
    Family { folder: "ms3d", valid: valid(), damaged: [damaged(), literal].concat() }
}

fn valid() -> Vec<Sample> {
    let mut samples = vec![
        sample(
            "empty.ms3d",
            "no vertices, triangles, groups, materials or joints; ends after the joints",
            &Ms3d::blank_file(),
        ),
        sample(
            "tent.ms3d",
            "a skinned strip of four triangles on two joints; ends after the joints",
            &tent(),
        ),
        sample("version3.ms3d", "header version 3, otherwise as the tent", &Ms3d { version: 3, ..tent() }),
        sample("comments.ms3d", "comments of all four kinds; ends after them", &with_comments()),
        sample(
            "comments_empty.ms3d",
            "comments of sub-version 0: an empty part",
            &Ms3d { comments: empty_comments(), ..tent() },
        ),
        sample(
            "extra1.ms3d",
            "vertex extra of sub-version 1 with weights; ends after it",
            &with_vertex_extra(1),
        ),
        sample(
            "extra2.ms3d",
            "vertex extra of sub-version 2, one word each; ends after it",
            &with_vertex_extra(2),
        ),
        sample(
            "extra3.ms3d",
            "vertex extra of sub-version 3, two words each; ends after it",
            &with_vertex_extra(3),
        ),
        sample("extra0.ms3d", "vertex extra of sub-version 0: an empty part", &with_vertex_extra(0)),
        sample("joint_extra.ms3d", "joint colours; ends after them", &with_joint_extra()),
        sample("full.ms3d", "every part", &full()),
        sample("all_empty_parts.ms3d", "all four trailing parts, all of sub-version 0", &all_empty_parts()),
        sample("junk.ms3d", "bytes after the NUL of every kind of name", &with_junk()),
        sample("gbk.ms3d", "names in GBK, one filling its field without a NUL", &with_gbk()),
        sample(
            "odd_floats.ms3d",
            "signalling NaN, infinities, minus zero and a subnormal as coordinates",
            &with_odd_floats(),
        ),
        sample("rules.ms3d", "violates every rule of a single file", &with_broken_rules()),
        sample(
            "rules_habits.ms3d",
            "a key between two frames, two comments of the model, a gap in weights",
            &with_habits(),
        ),
        sample("crowd.ms3d", "a chain of 129 joints; two are ancestors of each other", &crowd()),
        sample(
            "all_flags.ms3d",
            "every bit of every flag word set, including unknown ones",
            &with_all_flags(),
        ),
    ];
    let mut cut = full();
    cut.model_extra = Part::Present(ModelExtra { settings: ModelSettings::Empty });
    samples.push(sample("model_extra0.ms3d", "model extra of sub-version 0: an empty part", &cut));
    samples
}

fn damaged() -> Vec<Sample> {
    let tent = encode(&tent());
    let full = encode(&full());
    let comments = encode(&with_comments());
    let trailing = full.len() - 16;
    let extra = find(&full, &[3, 0, 0, 0, 255, 255]);
    vec![
        Sample::new("nothing.ms3d", "an empty file", Vec::new()),
        Sample::new("cut_in_magic.ms3d", "the first 7 bytes", tent[..7].into()),
        Sample::new("cut_in_vertex.ms3d", "ends inside the second vertex", tent[..16 + 15 + 5].into()),
        Sample::new("cut_in_keys.ms3d", "ends inside the last joint's keys", tent[..tent.len() - 6].into()),
        Sample::new(
            "cut_in_comment.ms3d",
            "ends inside the model's comment",
            comments[..comments.len() - 3].into(),
        ),
        Sample::new("cut_in_extra.ms3d", "ends inside a vertex extra record", full[..extra + 4 + 20].into()),
        Sample::new("cut_in_model_extra.ms3d", "ends inside the model extra", full[..trailing + 10].into()),
        Sample::new(
            "unknown_sub_version.ms3d",
            "vertex extra of sub-version 77",
            patched(&full, extra, &[77]),
        ),
        Sample::new("after_the_end.ms3d", "four bytes after the model extra", [&full[..], b"tail"].concat()),
        Sample::new("wrong_count.ms3d", "a count of 65,535 vertices", patched(&tent, 14, &[0xff, 0xff])),
        Sample::new(
            "lost_bytes.ms3d",
            "a key that lacks the three bytes <P>, as a text filter removes them",
            replaced(&encode(&long_clip()), b"<P>", b""),
        ),
        Sample::new(
            "line_ends.ms3d",
            "each line feed became a carriage return and a line feed",
            replaced(&encode(&many_lines()), b"\n", b"\r\n"),
        ),
        Sample::new("other_magic.ms3d", "the last digit of the id is 1", patched(&tent, 9, b"1")),
    ]
}

fn sample(name: &str, about: &'static str, file: &Ms3d) -> Sample {
    Sample::new(name, about, encode(file))
}

fn encode(file: &Ms3d) -> Vec<u8> {
    file.encode().expect("a sample that can be written")
}

fn find(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|window| window == what).expect("a place in the sample")
}

fn patched(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + new.len()].copy_from_slice(new);
    bytes
}

fn text<const N: usize>(text: &str) -> FixedStr<N> {
    FixedStr::new(text.as_bytes()).expect("a text that fits")
}

/// A strip of four triangles, bent by two joints.
fn tent() -> Ms3d {
    let vertices: Vec<Vertex> = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 2.0), (1.0, 2.0)]
        .iter()
        .zip([1, 3, 3, 3, 1, 1])
        .map(|(&(x, y), reference_count)| Vertex {
            position: [x, y, 0.0],
            bone_id: u8::from(y > 1.0),
            reference_count,
            ..Vertex::default()
        })
        .collect();
    let triangles: Vec<Triangle> = [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]
        .iter()
        .enumerate()
        .map(|(index, corners)| Triangle {
            vertex_indices: *corners,
            vertex_normals: [[0.0, 0.0, 1.0]; 3],
            s: corners.map(|corner| f32::from(corner % 2)),
            t: corners.map(|corner| 1.0 - f32::from(corner / 2) / 2.0),
            smoothing_group: 1,
            group_index: u8::from(index > 1),
            ..Triangle::default()
        })
        .collect();
    let group = |name, triangles: [u16; 2], material_index| Group {
        name: text(name),
        triangle_indices: triangles.to_vec().into(),
        material_index,
        ..Group::default()
    };
    let white = [1.0; 4];
    Ms3d {
        vertices: vertices.into(),
        triangles: triangles.into(),
        groups: vec![group("lower", [0, 1], 0), group("upper", [2, 3], 255)].into(),
        materials: vec![Material {
            name: text("canvas"),
            ambient: [0.2, 0.2, 0.2, 1.0],
            diffuse: white,
            specular: white,
            emissive: [0.0, 0.0, 0.0, 1.0],
            shininess: 20.0,
            transparency: 1.0,
            texture: text(r".\canvas.png"),
            ..Material::default()
        }]
        .into(),
        animation: Animation { fps: 24.0, current_time: 1.0, total_frames: 48 },
        joints: vec![joint("root", "", 0.0, &[]), joint("top", "root", 1.0, &[0.0, 0.5, 0.0])].into(),
        ..Ms3d::blank_file()
    }
}

/// A joint that turns about z through the given angles, a key a second.
fn joint(name: &str, parent: &str, y: f32, angles: &[f32]) -> Joint {
    let times = (0..).map(|second: u16| f32::from(second) + 1.0 / 24.0);
    let keys: Vec<Keyframe> =
        times.zip(angles).map(|(time, angle)| Keyframe { time, value: [0.0, 0.0, *angle] }).collect();
    let still = keys.iter().map(|key| Keyframe { value: [0.0; 3], ..key.clone() }).collect::<Vec<_>>();
    Joint {
        flags: JointFlags::new().with_is_key(true),
        name: text(name),
        parent_name: text(parent),
        position: [0.0, y, 0.0],
        rotation_keys: keys.into(),
        position_keys: still.into(),
        ..Joint::default()
    }
}

fn comment(index: i32, text: &str) -> Comment {
    Comment { index, text: LenStr::new(text.as_bytes()) }
}

fn with_comments() -> Ms3d {
    let lists = CommentLists::Sub1(Comments1 {
        groups: vec![comment(0, "shadow=off"), comment(1, "")].into(),
        materials: vec![comment(0, "shader canvas\r\ntwosided")].into(),
        joints: vec![comment(1, "attach=flag")].into(),
        model: vec![ModelComment { text: LenStr::new(b"Name=Wave, Start=1, End=48\r\n") }].into(),
    });
    Ms3d { comments: Part::Present(Comments { lists }), ..tent() }
}

fn empty_comments() -> Part<Comments> {
    Part::Present(Comments { lists: CommentLists::Empty })
}

fn with_vertex_extra(sub_version: i32) -> Ms3d {
    let base = with_comments();
    let shared = |vertex: &Vertex| {
        let between = vertex.position[1] > 0.5 && vertex.position[1] < 1.5;
        if between { ([1, 255, 255], [60, 40, 0]) } else { ([255; 3], [0; 3]) }
    };
    let influences: Vec<_> = base.vertices.iter().map(shared).collect();
    let records = match sub_version {
        1 => VertexExtraRecords::Sub1(
            influences.iter().map(|&(bone_ids, weights)| VertexExtra1 { bone_ids, weights }).collect(),
        ),
        2 => VertexExtraRecords::Sub2(
            influences
                .iter()
                .map(|&(bone_ids, weights)| VertexExtra2 { bone_ids, weights, extra: 0x00c0_ffee })
                .collect(),
        ),
        3 => VertexExtraRecords::Sub3(
            influences
                .iter()
                .map(|&(bone_ids, weights)| VertexExtra3 { bone_ids, weights, extra: [1, 0xcdcd_cdcd] })
                .collect(),
        ),
        _ => VertexExtraRecords::Empty,
    };
    Ms3d { vertex_extra: Part::Present(VertexExtra { records }), ..base }
}

fn with_joint_extra() -> Ms3d {
    let colors = JointColors::Sub1(vec![[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]].into());
    Ms3d { joint_extra: Part::Present(JointExtra { colors }), ..with_vertex_extra(3) }
}

fn full() -> Ms3d {
    let settings =
        ModelSettings::Sub1(ModelSettings1 { joint_size: 1.0, transparency_mode: 0, alpha_ref: 0.5 });
    Ms3d { model_extra: Part::Present(ModelExtra { settings }), ..with_joint_extra() }
}

fn all_empty_parts() -> Ms3d {
    Ms3d {
        comments: empty_comments(),
        vertex_extra: Part::Present(VertexExtra { records: VertexExtraRecords::Empty }),
        joint_extra: Part::Present(JointExtra { colors: JointColors::Empty }),
        model_extra: Part::Present(ModelExtra { settings: ModelSettings::Empty }),
        ..tent()
    }
}

fn with_junk() -> Ms3d {
    let mut file = tent();
    let behind = |bytes: &mut [u8], junk: &[u8]| {
        let end = bytes.len();
        bytes[end - junk.len()..].copy_from_slice(junk);
    };
    behind(&mut file.materials[0].texture.0, br"C:\models\old\canvas_v1.bmp");
    behind(&mut file.materials[0].alphamap.0, b"\xcd\xcd\xcd\xcd\x10\xf2\x12\0");
    behind(&mut file.materials[0].name.0, b"rial 7");
    behind(&mut file.groups[1].name.0, b"\xb8\xfa\x18\0");
    behind(&mut file.joints[1].name.0, b"int2");
    file
}

fn with_gbk() -> Ms3d {
    let mut file = tent();
    file.groups[0].name.0[..6].copy_from_slice(b"\xb9\xc7\xc3\xc0\0\0");
    file.materials[0].texture.0[..10].copy_from_slice(b"\xcc\xf9\xcd\xbc.tga\0\0");
    file.joints[0].name = FixedStr([0xb9; 32]);
    file.joints[1].parent_name = FixedStr([0xb9; 32]);
    file
}

fn with_odd_floats() -> Ms3d {
    let mut file = tent();
    let odd =
        [0x7f80_0001, 0xffc0_dead, 0x7f80_0000, 0xff80_0000, 0x8000_0000, 0x0000_0001].map(f32::from_bits);
    for (vertex, value) in file.vertices.iter_mut().zip(odd) {
        vertex.position[2] = value;
    }
    file
}

fn with_all_flags() -> Ms3d {
    let mut file = full();
    for vertex in file.vertices.iter_mut() {
        vertex.flags = bindpose::formats::ms3d::VertexFlags::from_raw(0xff);
    }
    for triangle in file.triangles.iter_mut() {
        triangle.flags = bindpose::formats::ms3d::TriangleFlags::from_raw(0xffff);
    }
    for group in file.groups.iter_mut() {
        group.flags = bindpose::formats::ms3d::GroupFlags::from_raw(0xff);
    }
    for joint in file.joints.iter_mut() {
        joint.flags = JointFlags::from_raw(0xff);
    }
    file.materials[0].mode = bindpose::formats::ms3d::MaterialMode::from_raw(0xff);
    file
}

/// Indices, names, weights, keys, numbers: all as they should not be.
fn with_broken_rules() -> Ms3d {
    let mut file = full();
    file.version = 5;
    file.vertices[0].bone_id = 7;
    file.vertices[1].reference_count = 9;
    file.triangles[0].vertex_indices[1] = 60;
    file.triangles[0].vertex_normals[0] = [0.0, 0.0, 2.0];
    file.triangles[0].group_index = 7;
    file.triangles[1].vertex_indices = [2, 2, 3];
    file.triangles[2].smoothing_group = 255;
    file.groups[0].triangle_indices = vec![0, 1, 40].into();
    file.groups[0].material_index = 3;
    file.groups[1].triangle_indices = vec![1, 2].into();
    file.materials[0].transparency = 100.0;
    file.materials[0].shininess = 1000.0;
    file.materials[0].texture = text(r"C:\models\canvas.png");
    file.animation = Animation { fps: 0.0, current_time: 1.0, total_frames: -1 };
    file.joints[1].rotation_keys[2].time = 0.5;
    let named = |name, parent| joint(name, parent, 0.0, &[]);
    file.joints.extend([named("root", "hip"), named("", "late"), named("late", "")]);
    file.joint_extra = Part::Absent;
    file.model_extra = Part::Absent;
    let Part::Present(extra) = &mut file.vertex_extra else { return file };
    if let VertexExtraRecords::Sub3(records) = &mut extra.records {
        records[2].weights = [255, 0, 0];
        records[3] = VertexExtra3 { bone_ids: [9, 255, 255], weights: [50, 10, 30], extra: [0; 2] };
    }
    if let Part::Present(Comments { lists: CommentLists::Sub1(comments) }) = &mut file.comments {
        comments.groups[1].index = 9;
    }
    file
}

fn with_habits() -> Ms3d {
    let mut file = full();
    file.joints[1].rotation_keys[1].time = 2.5 / 24.0;
    if let Part::Present(Comments { lists: CommentLists::Sub1(comments) }) = &mut file.comments {
        comments.model.push(ModelComment { text: LenStr::new(b"once more") });
    }
    if let Part::Present(VertexExtra { records: VertexExtraRecords::Sub3(records) }) = &mut file.vertex_extra
    {
        (records[0].bone_ids, records[0].weights) = ([0, 1, 255], [50, 0, 50]);
    }
    if let Part::Present(ModelExtra { settings: ModelSettings::Sub1(settings) }) = &mut file.model_extra {
        settings.alpha_ref = 128.0;
    }
    file
}

/// A clip of 24 keys, one of which contains the bytes that a filter removes.
pub fn long_clip() -> Ms3d {
    let mut file = full();
    let taken = f32::from_le_bytes(*b"\xd3<P>");
    let value = |key: i8| [f32::from(key) / 100.0, 0.2, taken + f32::from(key - 20) / 100.0];
    let keys = (0..24).map(|key| Keyframe { time: f32::from(key + 1) / 24.0, value: value(key) });
    file.joints[1].rotation_keys = keys.collect();
    file
}

/// A comment of twelve lines.
pub fn many_lines() -> Ms3d {
    let mut file = full();
    if let Part::Present(Comments { lists: CommentLists::Sub1(comments) }) = &mut file.comments {
        comments.model[0].text = LenStr::new("a line\n".repeat(12).as_bytes());
    }
    file
}

/// Replaces all occurrences of a byte sequence.
fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(old.len()).position(|window| window == old) {
        all.extend_from_slice(&rest[..at]);
        all.extend_from_slice(new);
        rest = &rest[at + old.len()..];
    }
    [&all[..], rest].concat()
}

fn crowd() -> Ms3d {
    let names: Vec<String> = (0..129).map(|number| format!("joint{number}")).collect();
    let mut joints: Vec<Joint> = names.iter().map(|name| joint(name, "joint1", 0.0, &[])).collect();
    joints[1].parent_name = text("joint0");
    let settings = ModelSettings1 { joint_size: 1.0, transparency_mode: 2, alpha_ref: 0.5 };
    Ms3d {
        joints: joints.into(),
        model_extra: Part::Present(ModelExtra { settings: ModelSettings::Sub1(settings) }),
        ..all_empty_parts()
    }
}
