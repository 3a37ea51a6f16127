//! Cal3D files that break rules.

use bindpose::codec::Format;
use bindpose::formats::cal3d::{
    Animation, CalAnimation, CalMaterial, CalMesh, CalMorph, CalSkeleton, Face, Influence, Map, Material,
    Mesh, Morph, MorphKey, Morphs, PlainKey, PlainTrack, Skeleton, Spring, Text, Track, TrackFlags,
};

use bindpose::wire::SmallList;

use crate::samples::Sample;
use crate::samples::cal3d::{bone, counted_morphs, smile, triangle};

pub fn cal3d() -> Vec<Sample> {
    let skeleton = |file: Skeleton| CalSkeleton::from(file).encode().expect("a skeleton");
    let xml = |text: &str| text.as_bytes().to_vec();
    vec![
        Sample::new("rules.csf", "violates every rule of a single skeleton", skeleton(bones())),
        Sample::new("rules_order.csf", "a bone that precedes its parent, version 5", skeleton(order())),
        Sample::new("rules.caf", "violates every rule of a single animation", animation()),
        Sample::new(
            "rules_length.caf",
            "an animation without length",
            CalAnimation::from(Animation::default()).encode().expect("nothing"),
        ),
        Sample::new("rules_flags.caf", "tracks with an unknown flag", flags()),
        Sample::new("rules.cmf", "violates every rule of a single mesh", mesh()),
        Sample::new("set.caf", "a track of a bone that the skeleton does not have", far_track()),
        Sample::new("set.cmf", "an influence of a bone that the skeleton does not have", far_bone()),
        Sample::new("set.cpf", "a morph target that the mesh does not have", frown()),
        Sample::new("rules.crf", "a texture with an absolute path", material()),
        Sample::new("rules.cpf", "a morph target with a weight of 2", morph()),
        Sample::new(
            "rules.xsf",
            "a count of three for one bone; a parent that does not exist",
            xml(THREE_BONES),
        ),
        Sample::new("rules_value.xsf", "a rotation that is not a number", xml(NO_NUMBER)),
    ]
}

const THREE_BONES: &str = r#"<SKELETON MAGIC="XSF" VERSION="1100" NUMBONES="3">
<BONE ID="0" NAME="hip" NUMCHILDS="0"><TRANSLATION>0 0 0</TRANSLATION><ROTATION>0 0 0 1</ROTATION>
<LOCALTRANSLATION>0 0 0</LOCALTRANSLATION><LOCALROTATION>0 0 0 1</LOCALROTATION><PARENTID>9</PARENTID></BONE>
</SKELETON>
"#;

const NO_NUMBER: &str = r#"<SKELETON MAGIC="XSF" VERSION="1100" NUMBONES="1">
<BONE ID="0" NAME="hip" NUMCHILDS="0"><TRANSLATION>0 0 0</TRANSLATION><ROTATION>0 0 none 1</ROTATION>
<LOCALTRANSLATION>0 0 0</LOCALTRANSLATION><LOCALROTATION>0 0 0 1</LOCALROTATION><PARENTID>-1</PARENTID></BONE>
</SKELETON>
"#;

fn bones() -> Skeleton {
    let mut bones =
        vec![bone(b"root", 1, &[9]), bone(b"root", 0, &[2]), bone(b"hand", -1, &[]), bone(b"tip", 77, &[])];
    bones[2].rotation = [0.0; 4];
    bones[3].local_rotation = [0.0, 0.0, 0.0, 2.0];
    Skeleton { bones: bones.into(), ..Skeleton::default() }
}

fn order() -> Skeleton {
    Skeleton {
        version: 5,
        bones: vec![bone(b"hand", 1, &[]), bone(b"arm", -1, &[0])].into(),
        ..Skeleton::default()
    }
}

fn animation() -> Vec<u8> {
    let key = |time, w| PlainKey { time, translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, w] };
    let track = |bone_id, keys: Vec<PlainKey>| Track::Plain(PlainTrack { bone_id, keys: keys.into() });
    let tracks = vec![
        track(0, vec![key(0.5, 1.0), key(0.25, 2.0), key(2.0, 0.0)]),
        track(0, Vec::new()),
        track(-1, vec![key(0.0, 1.0)]),
    ];
    let animation = Animation { duration: 1.0, tracks: tracks.into(), ..Animation::default() };
    CalAnimation::from(animation).encode().expect("an animation")
}

fn flags() -> Vec<u8> {
    let animation = Animation {
        version: 1301,
        compression: Some(0),
        track_flags: Some(TrackFlags::from_raw(0x80)),
        ..Animation::default()
    };
    CalAnimation::from(animation).encode().expect("an animation")
}

fn mesh() -> Vec<u8> {
    let mut submesh = triangle();
    submesh.material_id = -3;
    submesh.num_lod_steps = 9;
    let [first, second, third] = &mut submesh.vertices[..] else { unreachable!("a triangle") };
    first.normal = [0.0; 3];
    first.collapse_id = 99;
    first.influences[0].bone_id = -2;
    let added = std::iter::repeat_n(Influence::default(), 4);
    first.influences = SmallList::new(first.influences.iter().copied().chain(added)).expect("few");
    second.influences[0].weight = 1.5;
    third.influences = SmallList::default();
    submesh.springs = vec![Spring { vertex_ids: [0, 9], ..Spring::default() }].into();
    submesh.vertices.iter_mut().for_each(|vertex| vertex.physical_weight = Some(0.0));
    submesh.faces = vec![Face { vertex_ids: [0, 60, 2] }, Face { vertex_ids: [1, 1, 2] }].into();
    let Morphs::Counted(mut morphs) = counted_morphs() else { unreachable!("counted morphs") };
    morphs[0].vertices[0].vertex_id = 9;
    submesh.morphs = Some(Morphs::Counted(morphs));
    let mesh = Mesh { version: 1301, submeshes: vec![submesh].into(), ..Mesh::default() };
    CalMesh::from(mesh).encode().expect("a mesh")
}

fn far_track() -> Vec<u8> {
    let key = PlainKey { rotation: [0.0, 0.0, 0.0, 1.0], ..PlainKey::default() };
    let track = Track::Plain(PlainTrack { bone_id: 5, keys: vec![key].into() });
    let animation = Animation { duration: 1.0, tracks: vec![track].into(), ..Animation::default() };
    CalAnimation::from(animation).encode().expect("an animation")
}

fn far_bone() -> Vec<u8> {
    let mut submesh = triangle();
    submesh.vertices[0].influences[0].bone_id = 7;
    CalMesh::from(Mesh { submeshes: vec![submesh].into(), ..Mesh::default() }).encode().expect("a mesh")
}

fn frown() -> Vec<u8> {
    let mut file = smile();
    file.tracks[0].morph_name = Text::new(b"frown");
    CalMorph::from(file).encode().expect("a morph animation")
}

fn material() -> Vec<u8> {
    let maps = vec![Map { file: Text::new(br"C:\models\skin.tga"), kind: None }];
    CalMaterial::from(Material { maps: maps.into(), ..Material::default() }).encode().expect("a material")
}

fn morph() -> Vec<u8> {
    let mut file: Morph = smile();
    file.tracks[0].keys = vec![MorphKey { time: 0.0, weight: 2.0 }].into();
    CalMorph::from(file).encode().expect("a morph animation")
}
