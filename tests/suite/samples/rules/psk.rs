//! PSK and PSA files that break rules.

use bindpose::codec::Format;
use bindpose::formats::psk::{
    Bone, Chunk, Curves, Face, Key, Material, MorphDelta, MorphInfo, Psa, Psk, Records, ScaleKey, Sequence,
    Socket, Wedge, Weight,
};

use crate::samples::Sample;
use crate::samples::psk::{chunk_mut, extra_uvs, plane, scale_keys, text, wave, world};

pub fn psk() -> Vec<Sample> {
    let encoded = |file: &Psk| file.encode().expect("a mesh that can be written");
    let animated = |file: &Psa| file.encode().expect("animations that can be written");
    vec![
        Sample::new("rules.psk", "violates every rule of a single mesh", encoded(&mesh())),
        Sample::new(
            "rules_bones.psk",
            "bones that are ancestors of each other, duplicate names, zero quaternions",
            encoded(&skeleton()),
        ),
        Sample::new(
            "rules_world.psk",
            "an actor below an actor that does not exist",
            encoded(&lost_actors()),
        ),
        Sample::new("rules.psa", "violates every rule of a single set of animations", animated(&sequences())),
        Sample::new(
            "rules_morphs.psk",
            "morph targets that tear a seam, and move a point twice",
            encoded(&morphs()),
        ),
        Sample::new(
            "rules_scales.psa",
            "three scale keys for ten keys, and no curves although the exporter for Maya writes them",
            animated(&unscaled()),
        ),
        Sample::new("rules_revision.psa", "scale keys in the first revision", animated(&first_revision())),
        Sample::new(
            "rules_key_order.psa",
            "keys in the order of the bones, as a translated description states",
            animated(&by_bone(&swinging(2, &[(4, 1), (3, 0)]))),
        ),
        Sample::new(
            "set.psa",
            "animations of the square with two other names; all bones at one point",
            animated(&other_names(["Top", "a", "b", "tail"])),
        ),
        Sample::new(
            "set_strangers.psa",
            "animations of another skeleton",
            animated(&other_names(["x", "y", "z", "w"])),
        ),
        Sample::new("set.psk", "the square with more bones", encoded(&more_bones())),
        Sample::new("set.config", "a sequence that does not exist", b"[RemoveTracks]\nJump.0=all\n".to_vec()),
        Sample::new("text.psa-config.config", "a text of another program", b"alias ll='ls -l'\n".to_vec()),
        Sample::new("rules.config", "a line with an invalid value", b"[RemoveTracks]\nWave.x=all\n".to_vec()),
    ]
}

fn lost_actors() -> Psk {
    let mut file = world();
    let Records::WorldActors(actors) = &mut chunk_mut(&mut file, "WORLDACTORS").records else {
        unreachable!()
    };
    actors[0].parent_index = 9;
    file
}

fn mesh() -> Psk {
    let mut file = plane();
    file.chunks[0].type_flag = 5;
    let wedge =
        |point_index_low, material_index| Wedge { point_index_low, material_index, ..Wedge::default() };
    let wedges =
        vec![Wedge { point_index_high: 0x1ace, ..wedge(9, 0) }, wedge(0, 5), wedge(1, 1), wedge(3, 0)];
    chunk_mut(&mut file, "VTXW0000").records = Records::Wedges(wedges.into());
    let face = |wedge_indices, material_index| Face { wedge_indices, material_index, ..Face::default() };
    let faces = vec![face([0, 1, 40], 0), face([1, 1, 3], 7), face([2, 1, 3], 0)];
    chunk_mut(&mut file, "FACE0000").records = Records::Faces(faces.into());
    let material = |texture_index| Material { name: text("cloth"), texture_index, ..Material::default() };
    chunk_mut(&mut file, "MATT0000").records = Records::Materials(vec![material(3), material(1)].into());
    let bone = |name| Bone { name: text(name), orientation: [0.0, 0.0, 0.0, 1.0], ..Bone::default() };
    let names = ["root", "a", "b", "c", "hand  "];
    let mut bones: Vec<_> = names.map(bone).into();
    bones[0].num_children = 9;
    bones[1].flags = 7;
    chunk_mut(&mut file, "REFSKELT").records = Records::Bones(bones.into());
    let weight = |weight, point_index, bone_index| Weight { weight, point_index, bone_index };
    let weights = vec![
        weight(1.0, 9, 0),
        weight(1.0, 0, 9),
        weight(1.5, 1, 0),
        weight(0.0, 1, 0),
        weight(0.2, 0, 0),
        weight(0.2, 0, 1),
        weight(0.2, 0, 2),
        weight(0.2, 0, 3),
        weight(0.2, 0, 4),
    ];
    chunk_mut(&mut file, "RAWWEIGHTS").records = Records::Weights(weights.into());
    let delta = |point_index| MorphDelta { point_index, ..MorphDelta::default() };
    let socket = Socket { name: text("grip"), bone_name: text("wrist"), ..Socket::default() };
    file.chunks.extend([
        Chunk::new("VTXNORMS", Records::Normals(vec![[0.0; 3], [0.0, 2.0, 0.0]].into())),
        extra_uvs("EXTRAUVS0"),
        Chunk::new(
            "MRPHINFO",
            Records::MorphInfos(vec![MorphInfo { name: text("smile"), num_vertices: 3 }].into()),
        ),
        Chunk::new("MRPHDATA", Records::MorphDeltas(vec![delta(9), delta(0)].into())),
        Chunk::new("SKELSOCK", Records::Sockets(vec![socket].into())),
    ]);
    file
}

/// The points 0 and 4 are at one place.
fn morphs() -> Psk {
    let mut file = plane();
    if let Records::Points(points) = &mut chunk_mut(&mut file, "PNTS0000").records {
        let first = points[0];
        points.push(first);
    }
    let info = |num_vertices| MorphInfo { name: text("smile"), num_vertices };
    let delta = MorphDelta { position_delta: [0.0, 0.0, 1.0], ..MorphDelta::default() };
    file.chunks.extend([
        Chunk::new("MRPHINFO", Records::MorphInfos(vec![info(2), info(0)].into())),
        Chunk::new("MRPHDATA", Records::MorphDeltas(vec![delta.clone(), delta].into())),
    ]);
    file
}

fn unscaled() -> Psa {
    let mut file = wave(scale_keys(3), Vec::new());
    for chunk in file.chunks.iter_mut() {
        if let Records::Sequences(sequences) = &mut chunk.records {
            sequences.iter_mut().for_each(|sequence| sequence.key_reduction = 1.0);
        }
    }
    file
}

fn first_revision() -> Psa {
    let mut file = wave(scale_keys(10), Vec::new());
    file.chunks.iter_mut().for_each(|chunk| chunk.type_flag = 1_999_801);
    file
}

/// Sequences of bones that turn little between frames and differ much from each other, given the number of bones, and the
/// frames and the flag of scales of each sequence. There is a scale key for each key of flagged sequences.
pub fn swinging(bones: u8, sequences: &[(u8, i32)]) -> Psa {
    let mut first_raw_frame = 0;
    let mut keys = Vec::new();
    let mut scales = Vec::new();
    let mut sequence = |(index, &(frames, scale_include)): (usize, &(u8, i32))| {
        for frame in 0..frames {
            for bone in 0..bones {
                let half = f32::from(bone) + f32::from(frame) * 0.02;
                let orientation = [0.0, half.sin(), 0.0, half.cos()];
                keys.push(Key { position: [0.0, 0.0, f32::from(bone)], orientation, time: 1.0 });
                let scale = [1.0, f32::from(bone), f32::from(frame)];
                scales.extend((scale_include != 0).then_some(ScaleKey { scale, time: 1.0 }));
            }
        }
        let own = Sequence {
            name: text(&format!("Swing{index}")),
            group: text("None"),
            total_bones: bones.into(),
            scale_include,
            key_quotum: i32::from(bones) * i32::from(frames),
            track_time: frames.into(),
            rate: 30.0,
            first_raw_frame,
            num_raw_frames: frames.into(),
            ..Sequence::default()
        };
        first_raw_frame += i32::from(frames);
        own
    };
    let sequences: Vec<_> = sequences.iter().enumerate().map(&mut sequence).collect();
    let mut file = wave(Records::ScaleKeys(scales.into()), Vec::new());
    file.chunks[2].records = Records::Sequences(sequences.into());
    file.chunks[3].records = Records::Keys(keys.into());
    file
}

/// Moves the keys of each bone together.
pub fn by_bone(file: &Psa) -> Psa {
    fn moved<T: Clone>(keys: &[T], bones: usize) -> Vec<T> {
        (0..bones).flat_map(|bone| keys.iter().skip(bone).step_by(bones).cloned()).collect()
    }
    let mut keys = Vec::new();
    let mut scales = Vec::new();
    for clip in file.clips() {
        let bones = usize::try_from(clip.sequence.total_bones).expect("a number of bones");
        keys.extend(moved(clip.keys.expect("keys"), bones));
        scales.extend(moved(clip.scale_keys.unwrap_or_default(), bones));
    }
    let mut file = file.clone();
    file.chunks[3].records = Records::Keys(keys.into());
    file.chunks[4].records = Records::ScaleKeys(scales.into());
    file
}

fn skeleton() -> Psk {
    let bone = |name, parent_index, orientation| Bone {
        name: text(name),
        parent_index,
        orientation,
        ..Bone::default()
    };
    let straight = [0.0, 0.0, 0.0, 1.0];
    let bones = vec![
        bone("root", -1, [0.0, 0.0, 0.0, 2.0]),
        bone("Root", 2, straight),
        bone("root", 1, [0.0; 4]),
        bone("tip", 9, straight),
    ];
    let mut file = plane();
    chunk_mut(&mut file, "REFSKELT").records = Records::Bones(bones.into());
    file
}

/// More wedges and materials than 16 and 8 bits can reference: too large for a file in the repository.
pub fn many_wedges() -> Psk {
    let mut file = plane();
    let wedges = vec![Wedge::default(); (1 << 16) + 1];
    chunk_mut(&mut file, "VTXW0000").records = Records::Wedges(wedges.into());
    let materials = vec![Material::default(); (1 << 8) + 1];
    chunk_mut(&mut file, "MATT0000").records = Records::Materials(materials.into());
    file
}

/// More points than 16 bits can reference: too large for a file in the repository.
pub fn many_points() -> Psk {
    let mut file = plane();
    let points = vec![[0.0; 3]; (1 << 16) + 1];
    chunk_mut(&mut file, "PNTS0000").records = Records::Points(points.into());
    file
}

fn more_bones() -> Psk {
    let bone = |name: &str| Bone {
        name: text(name),
        orientation: [0.0, 0.0, 0.0, 1.0],
        position: [0.0, 0.0, 1.0],
        ..Bone::default()
    };
    let mut file = plane();
    chunk_mut(&mut file, "REFSKELT").records =
        Records::Bones(["root", "top", "a", "b"].map(bone).to_vec().into());
    file
}

fn other_names(names: [&str; 4]) -> Psa {
    let bone = |name: &str| Bone { name: text(name), orientation: [0.0, 0.0, 0.0, 1.0], ..Bone::default() };
    let still = Key { orientation: [0.0, 0.0, 0.0, 1.0], ..Key::default() };
    let mut file = wave(scale_keys(0), Vec::new());
    for chunk in file.chunks.iter_mut() {
        match &mut chunk.records {
            Records::Bones(bones) => *bones = names.map(bone).to_vec().into(),
            Records::Keys(keys) => *keys = vec![still.clone(); 20].into(),
            Records::Sequences(sequences) => sequences.iter_mut().for_each(|sequence| {
                sequence.total_bones = 4;
                sequence.key_quotum *= 2;
            }),
            _ => {}
        }
    }
    file
}

fn sequences() -> Psa {
    let sequence = Sequence {
        name: text("Wave"),
        total_bones: 2,
        key_quotum: 5,
        num_raw_frames: 3,
        scale_include: 1,
        track_time: 0.1,
        ..Sequence::default()
    };
    let mut curves = Curves::new(9);
    curves.clear();
    let mut file = wave(scale_keys(0), vec![Chunk::new("Jump:CUR", Records::Curves(curves))]);
    let late = Sequence { first_raw_frame: 2, total_bones: 7, ..sequence.clone() };
    let less = Sequence { name: text("Less"), num_raw_frames: -1, ..sequence.clone() };
    let bones = file.chunks.iter_mut().find(|chunk| chunk.id == "BONENAMES").expect("bones");
    if let Records::Bones(bones) = &mut bones.records {
        bones.iter_mut().for_each(|bone| bone.orientation = [0.0; 4]);
        bones[1].parent_index = 9;
    }
    let info = file.chunks.iter_mut().find(|chunk| chunk.id == "ANIMINFO").expect("sequences");
    info.records = Records::Sequences(vec![sequence, late, less].into());
    file
}
