//! PSK, PSKX and PSA files, and the text beside a PSA.

use bindpose::codec::Format;
use bindpose::formats::psk::{
    Bone, Chunk, Curve, Curves, Face, Face32, InstanceMaterial, Key, Landscape, Material, MorphDelta,
    MorphInfo, MorphTarget, PackedWedge, PhysicsBody, PolyFlags, PositionKey, Psa, Psk, Raw, Records,
    RotationKey, ScaleKey, Sequence, ShapeElement, ShortMaterial, SmoothingGroups, Socket, SparseSequence,
    SparseSequence68, TrackFlags, VertexColor, Wedge, Weight, WorldActor,
};
use bindpose::wire::{FixedStr, Rest};

use super::{Family, Sample, rules};

pub fn family() -> Family {
    let valid = [meshes(), animations(), texts(), rules::psk()].into_iter().flatten().collect();
    Family { folder: "psk", valid, damaged: damaged() }
}

/// The stamp of the first revision, on every chunk of some writers.
const UNREAL: i32 = 1_999_801;
/// The stamp of scale keys.
const SCALE: i32 = 2_003_321;
/// The stamp of vertex colours.
const COLORS: i32 = 20_100_422;
/// The stamp of normals.
const NORMALS: i32 = 20_210_917;
/// The stamp of morph targets.
const MORPHS: i32 = 20_220_723;

fn meshes() -> Vec<Sample> {
    vec![
        mesh("plane.psk", "the seven chunks of all writers: a skinned square on two bones", &plane()),
        mesh("stamped.psk", "the same with a stamp on every chunk", &stamped(plane())),
        mesh("forked.psk", "the same with the stamp of normals", &forked(plane())),
        mesh(
            "residue.psk",
            "bytes after the NUL of an id and of names, and in the padding and index of wedges",
            &residue(),
        ),
        mesh("colored.psk", "vertex colours and three further channels of texture coordinates", &colored()),
        mesh("same_id.pskx", "two further channels with the same id", &same_id()),
        mesh("wide.pskx", "faces with wide indices, wedges that need the upper half", &wide()),
        mesh("static.pskx", "empty skeleton and weights with record lengths", &still()),
        mesh(
            "hollow.psk",
            "empty chunks with a record length of zero, or with a count of records without bytes",
            &hollow(),
        ),
        mesh(
            "morphs.pskx",
            "normals, morph targets and sockets; the head twice, the skeleton last",
            &morphs(),
        ),
        mesh("skeleton.psk", "a skeleton without a mesh", &skeleton()),
        mesh("twice.psk", "two chunks of points with an unknown chunk between them", &twice()),
        mesh(
            "unknown.psk",
            "chunks without known meaning: by id, by record length, without an id",
            &unknown(),
        ),
        mesh("snuggle.psk", "packed wedges, short materials, tangents, morph targets, collision", &snuggle()),
        mesh("world.psk", "a world: actors, materials, landscape", &world()),
        mesh("odd_floats.psk", "signalling NaN, infinities, minus zero and a subnormal", &odd_floats()),
        mesh("all_flags.psk", "every bit of the flag words set, including unknown ones", &all_flags()),
        mesh("reordered.psk", "weights before points, the head last", &reordered()),
    ]
}

fn animations() -> Vec<Sample> {
    vec![
        anim("wave.psa", "two sequences, an empty chunk of scale keys", &wave(scale_keys(0), Vec::new())),
        anim("unscaled.psa", "as before 2003: no chunk of scale keys", &unscaled()),
        anim("scaled.psa", "a scale key for each key", &wave(scale_keys(10), Vec::new())),
        anim("scaled_second.psa", "scale keys of the second sequence only", &wave(scale_keys(4), Vec::new())),
        anim(
            "hollow_scale.psa",
            "scale keys with record length zero, a stamp on every chunk",
            &hollow_scale(),
        ),
        anim(
            "curves.psa",
            "blend curves, a chunk for each sequence, one empty",
            &wave(scale_keys(0), curves()),
        ),
        anim("flags.psa", "flags of tracks, as UE Viewer's oldest builds wrote them", &flags()),
        anim("sparse.psa", "tracks with keys at their own times", &sparse()),
    ]
}

fn texts() -> Vec<Sample> {
    vec![
        Sample::new("tracks.config", "removed tracks only, a blank line first", b"\n[RemoveTracks]\nWave.1=all\n".into()),
        Sample::new(
            "all.config",
            "all sections; lines end with CR LF, the last with nothing; names with blanks and full stops",
            b"[AnimSet]\r\nbAnimRotationOnly=1\r\n[UseTranslationBoneNames]\r\nroot\r\n\r\n\
              [ForceMeshTranslationBoneNames]\r\nBip01 Head\r\n[RemoveTracks]\r\nRun.v1 Fast.7=rot\r\nWave.0=trans"
                .into(),
        ),
    ]
}

fn damaged() -> Vec<Sample> {
    let plane = plane().encode().expect("a mesh");
    let after = |header: &[u8]| [&plane[..], header].concat();
    let header = |id: &str, size: i32, count: i32, payload: usize| {
        let mut bytes = id.as_bytes().to_vec();
        bytes.resize(24, 0);
        bytes.extend(size.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.resize(32 + payload, 0);
        bytes
    };
    let wave = wave(scale_keys(0), Vec::new()).encode().expect("animations");
    vec![
        Sample::new("nothing.psk", "an empty file", Vec::new()),
        Sample::new("head_cut.psk", "ends inside the first header", plane[..31].into()),
        Sample::new("id_cut.psk", "ends inside the first id", plane[..5].into()),
        Sample::new("other_id.psk", "the first id is unknown", [b"X", &plane[1..]].concat()),
        Sample::new("count_negative.psk", "-1 normals", after(&header("VTXNORMS", 12, -1, 12))),
        Sample::new("size_negative.psk", "a record length of -12", after(&header("VTXNORMS", -12, 1, 12))),
        Sample::new(
            "both_negative.psk",
            "a record length of -12 and a count of -1: their product is correct",
            after(&header("VTXNORMS", -12, -1, 12)),
        ),
        Sample::new(
            "product_wraps.psk",
            "65,536 times 65,536: zero in 32 bits",
            after(&header("X", 65_536, 65_536, 0)),
        ),
        Sample::new(
            "wrong_count.psk",
            "a count of 2,147,483,647 normals",
            after(&header("VTXNORMS", 12, i32::MAX, 25)),
        ),
        Sample::new("payload_cut.psk", "ends inside the last weight", plane[..plane.len() - 1].into()),
        Sample::new("header_cut.psk", "ends inside a header", after(&header("VTXNORMS", 12, 0, 0)[..31])),
        Sample::new(
            "face_20_for_18.pskx",
            "a record length of 20 for wide faces of 18 bytes, as UE Viewer wrote for two months",
            face_20_for_18(),
        ),
        Sample::new(
            "morph_count.pskx",
            "a count of three for two morph targets, as CUE4Parse writes if one is empty",
            morph_count(),
        ),
        Sample::new("keys_cut.psa", "ends inside the last key", wave[..wave.len() - 32 - 1].into()),
        Sample::new("binary.config", "a byte 0 in the text", b"[AnimSet]\nbAnim\0=1\n".into()),
    ]
}

fn mesh(name: &str, about: &'static str, file: &Psk) -> Sample {
    Sample::new(name, about, file.encode().expect("a mesh that can be written"))
}

fn anim(name: &str, about: &'static str, file: &Psa) -> Sample {
    Sample::new(name, about, file.encode().expect("animations that can be written"))
}

pub fn text<const N: usize>(text: &str) -> FixedStr<N> {
    FixedStr::new(text.as_bytes()).expect("a text that fits")
}

fn head(id: &str, type_flag: i32) -> Chunk {
    Chunk { type_flag, ..Chunk::new(id, nothing(0, 0)) }
}

/// A header that announces records and has no bytes after it.
fn nothing(data_size: i32, data_count: i32) -> Records {
    raw(data_size, data_count, b"")
}

fn raw(data_size: i32, data_count: i32, bytes: &[u8]) -> Records {
    Records::Raw(Raw::new(data_size, data_count, bytes.into()).expect("as many bytes as announced"))
}

fn psk(chunks: Vec<Chunk>) -> Psk {
    Psk { chunks: chunks.into(), rest: Rest::default() }
}

fn psa(chunks: Vec<Chunk>) -> Psa {
    Psa { chunks: chunks.into(), rest: Rest::default() }
}

/// The chunk of a mesh that has this id.
pub fn chunk_mut<'a>(file: &'a mut Psk, id: &str) -> &'a mut Chunk {
    file.chunks.iter_mut().find(|chunk| chunk.id == id).expect("a chunk of this id")
}

fn points() -> Records {
    Records::Points(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]].into())
}

fn wedges() -> Vec<Wedge> {
    [(0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]
        .into_iter()
        .zip(0..)
        .map(|((u, v), point_index_low)| Wedge { point_index_low, u, v, ..Wedge::default() })
        .collect()
}

fn bones() -> Records {
    let bone = |name, num_children, parent_index, z| Bone {
        name: text(name),
        num_children,
        parent_index,
        orientation: [0.0, 0.0, 0.0, 1.0],
        position: [0.0, 0.0, z],
        ..Bone::default()
    };
    Records::Bones(vec![bone("root", 1, 0, 0.0), bone("top", 0, 0, 1.0)].into())
}

fn weights() -> Records {
    let weight = |point_index| Weight { weight: 1.0, point_index, bone_index: point_index / 2 };
    Records::Weights((0..4).map(weight).collect::<Vec<_>>().into())
}

fn materials() -> Vec<Material> {
    let poly_flags = PolyFlags::new().with_triangle_type(1).with_unlit(true);
    vec![Material { name: text("cloth"), poly_flags, ..Material::default() }]
}

/// A square of two triangles; its upper edge follows the second bone.
pub fn plane() -> Psk {
    let face = |wedge_indices| Face {
        wedge_indices,
        smoothing_groups: SmoothingGroups::from_raw(1),
        ..Face::default()
    };
    psk(vec![
        head("ACTRHEAD", COLORS),
        Chunk::new("PNTS0000", points()),
        Chunk::new("VTXW0000", Records::Wedges(wedges().into())),
        Chunk::new("FACE0000", Records::Faces(vec![face([0, 1, 2]), face([0, 2, 3])].into())),
        Chunk::new("MATT0000", Records::Materials(materials().into())),
        Chunk::new("REFSKELT", bones()),
        Chunk::new("RAWWEIGHTS", weights()),
    ])
}

fn forked(mut file: Psk) -> Psk {
    file.chunks[0].type_flag = NORMALS;
    file
}

fn stamped(mut file: Psk) -> Psk {
    file.chunks.iter_mut().for_each(|chunk| chunk.type_flag = UNREAL);
    file
}

fn residue() -> Psk {
    let mut file = plane();
    file.chunks[0].type_flag = SCALE;
    file.chunks[1].id.0[9..].copy_from_slice(b"T0000\0\xcd\xcd\xcd\xcd\xcd");
    let mut wedges = wedges();
    for wedge in &mut wedges {
        (wedge.point_index_high, wedge.unknown_0e) = (0x1ace, 0xffff);
    }
    chunk_mut(&mut file, "VTXW0000").records = Records::Wedges(wedges.into());
    let mut materials = materials();
    materials[0].name.0[60..].copy_from_slice(b"old\0");
    materials[0].lod_bias = 5;
    chunk_mut(&mut file, "MATT0000").records = Records::Materials(materials.into());
    file
}

fn colored() -> Psk {
    let colors: Vec<_> = (0..4).map(|grey| VertexColor { bytes: [grey, grey, 0x80, 0xff] }).collect();
    let mut file = plane();
    file.chunks.push(Chunk::new("VERTEXCOLOR", Records::VertexColors(colors.into())));
    file.chunks.extend(["EXTRAUVS0", "EXTRAUVS1", "EXTRAUVS2"].map(extra_uvs));
    file
}

pub fn extra_uvs(id: &str) -> Chunk {
    Chunk::new(id, Records::ExtraUvs(vec![[0.0, 0.5], [0.5, 0.5], [0.5, 0.0], [0.0, 0.0]].into()))
}

fn same_id() -> Psk {
    let mut file = plane();
    file.chunks.extend(["EXTRAUV0", "EXTRAUV0"].map(extra_uvs));
    stamped(file)
}

fn wide() -> Psk {
    let face = |wedge_indices| Face32 {
        wedge_indices,
        smoothing_groups: SmoothingGroups::from_raw(1),
        ..Face32::default()
    };
    let mut wedges = wedges();
    wedges[3].point_index_high = 1;
    let mut file = plane();
    *chunk_mut(&mut file, "FACE0000") =
        Chunk::new("FACE3200", Records::Faces32(vec![face([0, 1, 2]), face([0, 2, 3])].into()));
    chunk_mut(&mut file, "VTXW0000").records = Records::Wedges(wedges.into());
    file
}

fn still() -> Psk {
    let mut file = plane();
    chunk_mut(&mut file, "REFSKELT").records = Records::Bones(Vec::new().into());
    chunk_mut(&mut file, "RAWWEIGHTS").records = Records::Weights(Vec::new().into());
    file
}

fn hollow() -> Psk {
    psk(vec![
        head("ACTRHEAD", COLORS),
        Chunk::new("PNTS0000", nothing(0, 0)),
        Chunk::new("RAWWEIGHTS", nothing(0, 5)),
        Chunk::new("VTXNORMS", Records::Normals(Vec::new().into())),
    ])
}

fn morphs() -> Psk {
    let mut chunks = plane().chunks.to_vec();
    let (skeleton, weights) = (chunks.remove(5), chunks.remove(5));
    chunks[0].type_flag = MORPHS;
    chunks.insert(0, head("ACTRHEAD", MORPHS));
    let info = |name, num_vertices| MorphInfo { name: text(name), num_vertices };
    let delta =
        |point_index| MorphDelta { position_delta: [0.0, 0.5, 0.0], point_index, ..MorphDelta::default() };
    let socket = Socket { name: text("hand"), bone_name: text("top"), scale: [1.0; 3], ..Socket::default() };
    chunks.extend([
        Chunk::new("VTXNORMS", Records::Normals(vec![[0.0, 1.0, 0.0]; 4].into())),
        weights,
        Chunk::new("MRPHINFO", Records::MorphInfos(vec![info("bulge", 2), info("still", 0)].into())),
        Chunk::new("MRPHDATA", Records::MorphDeltas(vec![delta(2), delta(3)].into())),
        Chunk::new("SKELSOCK", Records::Sockets(vec![socket].into())),
        skeleton,
    ]);
    psk(chunks)
}

fn skeleton() -> Psk {
    psk(vec![head("ACTRHEAD", MORPHS), Chunk::new("REFSKELT", bones())])
}

fn twice() -> Psk {
    let mut file = plane();
    file.chunks.push(Chunk { type_flag: 7, ..Chunk::new("MYCHUNK", raw(3, 3, b"123456789")) });
    file.chunks.push(Chunk::new("PNTS0000", points()));
    file
}

fn unknown() -> Psk {
    let mut file = plane();
    file.chunks.extend([
        Chunk::new("PNTS0000", raw(13, 2, &[0xcd; 26])),
        Chunk::new("ABCDEFGHIJKLMNOPQRST", raw(4, 1, b"abcd")),
        Chunk::new("", nothing(0, 0)),
        Chunk::new("Walk:CUR", raw(130, 1, &[0x20; 130])),
    ]);
    file
}

fn snuggle() -> Psk {
    let wedges: Vec<_> = wedges()
        .iter()
        .map(|wedge| PackedWedge {
            point_index: wedge.point_index_low.into(),
            u: wedge.u,
            v: wedge.v,
            material_index: 0,
        })
        .collect();
    let face = |wedge_indices| Face32 { wedge_indices, ..Face32::default() };
    let material = ShortMaterial { name: text("cloth"), ..ShortMaterial::default() };
    let moved = MorphTarget { wedge_index: 2, position: [1.0, 0.5, 1.0] };
    let body = PhysicsBody { bone_name: text("top"), kind: 2, scale: [1.0; 3], ..PhysicsBody::default() };
    let shape = ShapeElement { bone_name: text("root"), kind: 1, scale: [1.0; 3], ..ShapeElement::default() };
    psk(vec![
        head("ACTRHEAD", COLORS),
        Chunk::new("PNTS0000", points()),
        Chunk::new("VTXW3200", Records::PackedWedges(wedges.into())),
        Chunk::new("FACE3200", Records::Faces32(vec![face([0, 1, 2]), face([0, 2, 3])].into())),
        Chunk::new("VTXTANGS", Records::Tangents(vec![[1.0, 0.0, 0.0, -1.0]; 4].into())),
        Chunk::new("MATT0000", Records::ShortMaterials(vec![material].into())),
        Chunk::new("REFSKEL0", bones()),
        Chunk::new("RAWW0000", weights()),
        Chunk::new("MORPHTARGET0", Records::MorphTargets(vec![moved].into())),
        Chunk::new("MORPHTARGET1", Records::MorphTargets(Vec::new().into())),
        Chunk::new("MORPHNAMES", Records::MorphNames(vec![text("bulge"), text("still")].into())),
        Chunk::new("PHYSICS0", Records::PhysicsBodies(vec![body].into())),
        Chunk::new("SHAPEELEMS", Records::ShapeElements(vec![shape].into())),
    ])
}

pub fn world() -> Psk {
    let actor = |name, asset, parent_index| WorldActor {
        name: text(name),
        asset: text(asset),
        parent_index,
        rotation: [0.0, 0.0, 0.0, 1.0],
        scale: [1.0; 3],
        ..WorldActor::default()
    };
    let material = InstanceMaterial { actor_index: 1, slot: 0, name: text("cloth") };
    let land = Landscape {
        path: text("Maps/Hills"),
        size: 63,
        height: 1.0,
        dimensions: [64; 2],
        ..Landscape::default()
    };
    psk(vec![
        head("WRLDHEAD", COLORS),
        Chunk::new(
            "WORLDACTORS",
            Records::WorldActors(vec![actor("pole", "Pole", -1), actor("flag", "Plane", 0)].into()),
        ),
        Chunk::new("INSTMATERIAL", Records::InstanceMaterials(vec![material].into())),
        Chunk::new("LANDSCAPE", Records::Landscapes(vec![land].into())),
    ])
}

fn odd_floats() -> Psk {
    let odd =
        [0x7f80_0001, 0xffc0_dead, 0x7f80_0000, 0xff80_0000, 0x8000_0000, 0x0000_0001].map(f32::from_bits);
    let mut file = plane();
    chunk_mut(&mut file, "PNTS0000").records =
        Records::Points(vec![[odd[0], odd[1], odd[2]], [odd[3], odd[4], odd[5]]].into());
    file
}

fn all_flags() -> Psk {
    let mut materials = materials();
    materials[0].poly_flags = PolyFlags::from_raw(u32::MAX);
    materials[0].aux_flags = bindpose::formats::psk::AuxFlags::from_raw(u32::MAX);
    let mut file = plane();
    chunk_mut(&mut file, "MATT0000").records = Records::Materials(materials.into());
    file
}

fn reordered() -> Psk {
    psk(vec![Chunk::new("RAWWEIGHTS", weights()), Chunk::new("PNTS0000", points()), head("ACTRHEAD", COLORS)])
}

fn face_20_for_18() -> Vec<u8> {
    let mut bytes = stamped(wide()).encode().expect("a mesh");
    let at = bytes.windows(8).position(|window| window == b"FACE3200").expect("faces");
    bytes[at + 24] = 20;
    bytes
}

fn morph_count() -> Vec<u8> {
    let mut bytes = morphs().encode().expect("a mesh");
    let at = bytes.windows(8).position(|window| window == b"MRPHINFO").expect("morph targets");
    bytes[at + 28] = 3;
    bytes
}

/// Two sequences on two bones: three frames and two. `last` follows the keys, and `more` follows that.
pub fn wave(last: Records, more: Vec<Chunk>) -> Psa {
    let sequence = |name, first_raw_frame, num_raw_frames: i16, scale_include| Sequence {
        name: text(name),
        group: text("None"),
        total_bones: 2,
        scale_include,
        key_quotum: 2 * i32::from(num_raw_frames),
        track_time: f32::from(num_raw_frames),
        rate: 30.0,
        first_raw_frame,
        num_raw_frames: num_raw_frames.into(),
        ..Sequence::default()
    };
    let key = |index: u8| Key {
        position: [0.0, 0.0, f32::from(index % 2)],
        orientation: [0.0, (f32::from(index) / 20.0).sin(), 0.0, (f32::from(index) / 20.0).cos()],
        time: 1.0,
    };
    let mut chunks = vec![
        head("ANIMHEAD", COLORS),
        Chunk::new("BONENAMES", bones()),
        Chunk::new(
            "ANIMINFO",
            Records::Sequences(vec![sequence("Wave", 0, 3, 0), sequence("Grow", 3, 2, 1)].into()),
        ),
        Chunk::new("ANIMKEYS", Records::Keys((0..10).map(key).collect::<Vec<_>>().into())),
        Chunk::new("SCALEKEYS", last),
    ];
    chunks.extend(more);
    psa(chunks)
}

pub fn scale_keys(number: usize) -> Records {
    Records::ScaleKeys(vec![ScaleKey { scale: [1.0, 1.0, 2.0], time: 1.0 }; number].into())
}

fn unscaled() -> Psa {
    let mut file = wave(scale_keys(0), Vec::new());
    file.chunks.pop();
    file.chunks.iter_mut().for_each(|chunk| chunk.type_flag = COLORS);
    file
}

fn hollow_scale() -> Psa {
    let mut file = wave(nothing(0, 0), Vec::new());
    file.chunks.iter_mut().for_each(|chunk| chunk.type_flag = UNREAL);
    file
}

fn curves() -> Vec<Chunk> {
    let mut smile = Curves::new(3);
    smile.push(Curve { name: text("smile"), weights: vec![0.0, 0.5, 1.0].into() });
    smile.push(Curve { name: text("blink"), weights: vec![1.0, 0.0, 1.0].into() });
    vec![
        Chunk::new("Wave:CUR", Records::Curves(smile)),
        Chunk::new("Grow:CUR", Records::Curves(Curves::new(2))),
    ]
}

fn flags() -> Psa {
    let flags: Vec<_> = [1, 2, 3, 0x80].map(TrackFlags::from_raw).into();
    wave(scale_keys(0), vec![Chunk::new("ANIMFLAGS", Records::TrackFlags(flags.into()))])
}

fn sparse() -> Psa {
    let key = |time| PositionKey { time, position: [0.0, 0.0, 1.0] };
    let turn = RotationKey { time: 0.0, rotation: [0.0, 0.0, 0.0, 1.0] };
    psa(vec![
        head("ANIXHEAD", COLORS),
        Chunk::new("BONENAMES", bones()),
        Chunk::new(
            "SEQUENCES",
            Records::SparseSequences(
                vec![SparseSequence { name: text("Wave"), rate: 30.0, additive: 0 }].into(),
            ),
        ),
        Chunk::new(
            "SEQUENCES",
            Records::SparseSequences68(vec![SparseSequence68 { name: text("Old"), rate: 25.0 }].into()),
        ),
        Chunk::new("POSTRACK0:0", Records::PositionTrack(Vec::new().into())),
        Chunk::new("POSTRACK0:1", Records::PositionTrack(vec![key(0.0), key(7.5)].into())),
        Chunk::new("ROTTRACK0:1", Records::RotationTrack(vec![turn].into())),
    ])
}
