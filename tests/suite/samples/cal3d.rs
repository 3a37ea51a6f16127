//! Cal3D files.

use bindpose::codec::Format;
use bindpose::formats::cal3d::{
    Animation, BlendVertex, Bone, Cal3d, CalAnimation, CalMaterial, CalMesh, CalMorph, CalSkeleton,
    CountedMorph, Dialect, EndedMorph, Face, FarPosition, FarPositionHigh, FarPositionLow, Influence, Light,
    Map, Material, Mesh, Morph, MorphKey, MorphTrack, Morphs, NearPosition, PackedHeader, PackedKey,
    PackedPosition, PackedRotation, PackedRotationHigh, PackedRotationLow, PackedTrack, PlainKey, PlainTrack,
    QuantizedComponent, QuantizedKey, QuantizedRotation, QuantizedTrack, QuantizedTranslation, Skeleton,
    Spring, Submesh, Text, Track, TrackFlags, Vertex,
};

use bindpose::wire::SmallList;

use super::{Family, Sample, rules};

pub fn family() -> Family {
    Family { folder: "cal3d", valid: valid(), damaged: damaged() }
}

fn valid() -> Vec<Sample> {
    let mut samples = skeletons();
    samples.extend(animations());
    samples.extend(meshes());
    samples.extend(materials());
    samples.extend(texts());
    samples.extend(rules::cal3d());
    samples
}

fn sample<F: Format>(name: &str, about: &'static str, file: &F) -> Sample {
    Sample::new(name, about, file.encode().expect("a valid sample"))
}

fn skeletons() -> Vec<Sample> {
    let lit = |version| Skeleton {
        version,
        scene_ambient: Some([0.1, 0.2, 0.3]),
        bones: vec![lamp()].into(),
        ..two_bones()
    };
    vec![
        sample("empty.csf", "no bones", &CalSkeleton::from(Skeleton::default())),
        sample("two.csf", "a bone and its child, version 910", &CalSkeleton::from(two_bones())),
        sample(
            "old.csf",
            "the same, version 700",
            &CalSkeleton::from(Skeleton { version: 700, ..two_bones() }),
        ),
        sample("light.csf", "IMVU 919: a light in a scene", &CalSkeleton::from(lit(919))),
        sample(
            "light.cal3d-skeleton+svn1300.csf",
            "version 1300 with a light, as in the repository of the main line",
            &CalSkeleton::from(lit(1300)),
        ),
        sample(
            "plain1300.csf",
            "version 1300 without lights",
            &in_mp1301(Skeleton { version: 1300, ..two_bones() }),
        ),
        sample(
            "junk.csf",
            "a name without its NUL, one with bytes after it, one in GBK",
            &CalSkeleton::from(odd_names()),
        ),
    ]
}

fn in_mp1301<B>(file: B) -> Cal3d<B> {
    Cal3d::Binary { dialect: Dialect::Mp1301, file }
}

pub fn bone(name: &[u8], parent_id: i32, child_ids: &[i32]) -> Bone {
    Bone {
        name: Text::new(name),
        translation: [0.0, 1.0, 0.0],
        rotation: [0.0, 0.0, 0.0, 1.0],
        local_translation: [0.0, -1.0, 0.0],
        local_rotation: [0.0, 0.0, 0.0, 1.0],
        parent_id,
        light: None,
        child_ids: child_ids.to_vec().into(),
    }
}

fn two_bones() -> Skeleton {
    Skeleton {
        bones: vec![bone(b"Bip01", -1, &[1]), bone(b"Bip01 Spine", 0, &[])].into(),
        ..Skeleton::default()
    }
}

fn lamp() -> Bone {
    Bone { light: Some(Light { kind: 1, color: [1.0, 0.9, 0.8] }), ..bone(b"Omni01", -1, &[]) }
}

fn odd_names() -> Skeleton {
    let mut skeleton = two_bones();
    skeleton.bones[0].name = Text::from_stored(b"Bip01".to_vec());
    skeleton.bones[1].name = Text::from_stored(b"Spine\0\xcd\xcd\0".to_vec());
    skeleton.bones.push(bone(b"\xb9\xc7\xcd\xb7", -1, &[]));
    skeleton
}

fn animations() -> Vec<Sample> {
    let plain = |version| Animation {
        version,
        duration: 1.5,
        tracks: vec![plain_track()].into(),
        ..Animation::default()
    };
    let flagged = |version, compression| Animation {
        compression,
        track_flags: Some(TrackFlags::new()),
        ..plain(version)
    };
    let packed = |version, compression| Animation {
        version,
        compression,
        duration: 1.5,
        tracks: packed_tracks(version).into(),
        ..Animation::default()
    };
    let quantized = Animation {
        track_flags: Some(TrackFlags::from_raw(1)),
        tracks: vec![quantized_track()].into(),
        ..plain(1200)
    };
    vec![
        sample("walk.caf", "one track of two keys, version 910", &CalAnimation::from(plain(910))),
        sample("no_flags.caf", "the same, version 1100: no flags", &CalAnimation::from(plain(1100))),
        sample("flags.caf", "version 1200: flags, not quantized", &CalAnimation::from(flagged(1200, None))),
        sample("quantized.caf", "version 1200: keys of 12 bytes", &CalAnimation::from(quantized)),
        sample(
            "plain913.caf",
            "IMVU 912: the last version without packed keys",
            &CalAnimation::from(plain(912)),
        ),
        sample(
            "packed913.caf",
            "IMVU 913: always packed; near, far, fixed and no positions",
            &CalAnimation::from(packed(913, None)),
        ),
        sample(
            "packed916.caf",
            "IMVU 916: packed, each rotation again",
            &CalAnimation::from(packed(916, None)),
        ),
        sample(
            "packed917.caf",
            "IMVU 917: packed, each translation and rotation again",
            &CalAnimation::from(packed(917, None)),
        ),
        sample(
            "packed919.caf",
            "IMVU 919: packed, with the flag set",
            &CalAnimation::from(packed(919, Some(1))),
        ),
        sample(
            "unpacked919.caf",
            "IMVU 919: not packed, with the flag clear",
            &CalAnimation::from(Animation { compression: Some(0), ..plain(919) }),
        ),
        sample(
            "plain1300.caf",
            "version 1300: a compression flag, no track flags",
            &in_mp1301(Animation { compression: Some(0), ..plain(1300) }),
        ),
        sample(
            "flags.cal3d-animation+svn1300.caf",
            "version 1300 with track flags, as in the repository of the main line",
            &CalAnimation::from(flagged(1300, Some(0))),
        ),
        sample("flags1301.caf", "version 1301: both flags", &CalAnimation::from(flagged(1301, Some(0)))),
    ]
}

fn plain_track() -> Track {
    let key = |time| PlainKey { time, translation: [0.0, time, 0.0], rotation: [0.0, 0.0, 0.0, 1.0] };
    Track::Plain(PlainTrack { bone_id: 1, keys: vec![key(0.0), key(1.5)].into() })
}

fn quantized_track() -> Track {
    let [second, third] = [-201_i16, 301].map(|word| QuantizedComponent::from_raw(word.cast_unsigned()));
    let rotation = QuantizedRotation { first: 100, second, third };
    let translation = QuantizedTranslation::new().with_x(2047).with_y(1).with_z(1023);
    Track::Quantized(QuantizedTrack {
        bone_id: 1,
        translation_min: [-1.0, 0.0, 2.0],
        translation_scale: [0.001, 0.5, 0.25],
        keys: vec![QuantizedKey { time: 0xffff, translation, rotation }; 2].into(),
    })
}

fn packed_tracks(version: i32) -> Vec<Track> {
    let near = || PackedPosition::Near(NearPosition::from_raw(0xffff_ffff));
    let far = || {
        PackedPosition::Far(FarPosition {
            low: FarPositionLow::from_raw(u64::MAX),
            high: FarPositionHigh::from_raw(u16::MAX),
        })
    };
    let header = PackedHeader::new().with_bone_id(8191);
    let varying = header.with_has_position(true).with_position_varies(true);
    let key = |position: Option<PackedPosition>| PackedKey {
        exact_translation: (version == 917 && position.is_some()).then_some([0.5, 1.5, 2.5]),
        exact_rotation: (916..=917).contains(&version).then_some([0.0, 0.0, 0.0, 1.0]),
        position,
        rotation: PackedRotation {
            low: PackedRotationLow::from_raw(0x0200_1003),
            high: PackedRotationHigh::from_raw(0xffc0),
        },
    };
    [
        (varying, vec![key(Some(near())), key(Some(near()))]),
        (varying.with_far(true), vec![key(Some(far())), key(Some(far()))]),
        (header.with_has_position(true), vec![key(Some(near())), key(None)]),
        (header, vec![key(None), key(None)]),
    ]
    .map(|(header, keys)| Track::Packed(PackedTrack { header, keys: keys.into() }))
    .to_vec()
}

fn meshes() -> Vec<Sample> {
    let mesh = |version, submesh| Mesh { version, submeshes: vec![submesh].into(), ..Mesh::default() };
    let ended = Submesh { morphs: Some(ended_morphs()), ..triangle() };
    let counted = || Submesh { morphs: Some(counted_morphs()), ..triangle() };
    vec![
        sample(
            "triangle.cmf",
            "one triangle with one map, version 910",
            &CalMesh::from(mesh(910, triangle())),
        ),
        sample(
            "no_maps.cmf",
            "the same without maps and influences, version 700",
            &CalMesh::from(mesh(700, bare())),
        ),
        sample("cloth.cmf", "springs, so that each vertex has a weight", &CalMesh::from(mesh(910, cloth()))),
        sample(
            "lod.cmf",
            "levels of detail, with an invalid collapse id",
            &CalMesh::from(mesh(1100, detailed())),
        ),
        sample(
            "maps_without_vertices.cmf",
            "two billion maps and no vertices",
            &CalMesh::from(mesh(910, nothing())),
        ),
        sample(
            "colors.cmf",
            "IMVU 919: colours, and a morph with a stop value",
            &CalMesh::from(mesh(919, colored(ended.clone()))),
        ),
        sample(
            "colors.cal3d-mesh+svn1300.cmf",
            "the same at version 1300, as in the repository of the main line",
            &CalMesh::from(mesh(1300, colored(ended.clone()))),
        ),
        sample(
            "stopped.cmf",
            "version 1300 with a morph that ends with a stop value, and no colours",
            &Cal3d::Binary { dialect: Dialect::Mp1300, file: mesh(1300, ended) },
        ),
        sample("morphs.cmf", "version 1300 with a counted morph", &in_mp1301(mesh(1300, counted()))),
        sample("morphs1301.cmf", "the same, version 1301", &CalMesh::from(mesh(1301, counted()))),
        sample(
            "classic1301.cmf",
            "version 1301 in the classic layout, the only one that ends with the file",
            &only_fit(),
        ),
    ]
}

/// Decoded without a dialect it is found classic again.
fn only_fit() -> CalMesh {
    let file = Mesh { version: 1301, submeshes: vec![triangle()].into(), ..Mesh::default() };
    Cal3d::Binary { dialect: Dialect::Classic, file }
}

fn corner(x: f32) -> Vertex {
    Vertex {
        position: [x, 1.0 - x, 0.0],
        normal: [0.0, 0.0, 1.0],
        collapse_id: -1,
        uvs: vec![[x, 0.5]].into(),
        influences: SmallList::new([
            Influence { bone_id: 0, weight: 0.75 },
            Influence { bone_id: 1, weight: 0.25 },
        ])
        .expect("few"),
        ..Vertex::default()
    }
}

pub fn triangle() -> Submesh {
    Submesh {
        num_maps: 1,
        vertices: vec![corner(0.0), corner(0.5), corner(1.0)].into(),
        faces: vec![Face { vertex_ids: [0, 1, 2] }].into(),
        ..Submesh::default()
    }
}

fn bare() -> Submesh {
    let mut submesh = triangle();
    submesh.num_maps = 0;
    for vertex in submesh.vertices.iter_mut() {
        vertex.uvs = Vec::new().into();
        vertex.influences = SmallList::default();
    }
    submesh
}

fn cloth() -> Submesh {
    let mut submesh = triangle();
    submesh.springs = vec![Spring { vertex_ids: [0, 2], coefficient: 1000.0, rest_length: 1.0 }].into();
    submesh.vertices.iter_mut().for_each(|vertex| vertex.physical_weight = Some(0.01));
    submesh
}

fn detailed() -> Submesh {
    let mut submesh = triangle();
    submesh.num_lod_steps = 1;
    submesh.vertices[2].collapse_id = 0;
    submesh.vertices[2].face_collapse_count = 1;
    submesh.vertices[1].collapse_id = -842_150_451;
    submesh
}

fn nothing() -> Submesh {
    Submesh { num_maps: i32::MAX, ..Submesh::default() }
}

fn colored(mut submesh: Submesh) -> Submesh {
    submesh.vertices.iter_mut().for_each(|vertex| vertex.color = Some([1.0, 0.5, 0.0]));
    submesh
}

fn moved() -> BlendVertex {
    BlendVertex {
        vertex_id: 1,
        position: [0.5, 0.75, 0.0],
        normal: [0.0, 0.0, 1.0],
        uvs: vec![[0.5, 0.5]].into(),
    }
}

fn ended_morphs() -> Morphs {
    let morph = |vertices: Vec<BlendVertex>, end| EndedMorph {
        name: Text::new(b"smile"),
        vertices: vertices.into(),
        end,
    };
    Morphs::Ended(vec![morph(vec![moved()], 3), morph(Vec::new(), 1234)].into())
}

/// The same as differences, as the dialect has it.
pub fn counted_morphs() -> Morphs {
    let moved = BlendVertex { position: [0.0, 0.25, 0.0], normal: [0.0; 3], ..moved() };
    Morphs::Counted(vec![CountedMorph { name: Text::new(b"smile"), vertices: vec![moved].into() }].into())
}

fn materials() -> Vec<Sample> {
    let material = |version, kind: Option<&[u8]>| {
        let map = Map { file: Text::new(b"skin.tga"), kind: kind.map(Text::new) };
        let maps = vec![map].into();
        CalMaterial::from(Material {
            version,
            diffuse: [255, 204, 153, 255],
            shininess: 0.05,
            maps,
            ..Material::default()
        })
    };
    vec![
        sample("skin.crf", "one map, version 910", &material(910, None)),
        sample("typed919.crf", "IMVU 919: a map with its type", &material(919, Some(b"Diffuse Color"))),
        sample("typed1300.crf", "version 1300: a map with its type", &material(1300, Some(b""))),
        sample("smile.cpf", "a morph of two keys, IMVU 919", &CalMorph::from(smile())),
    ]
}

pub fn smile() -> Morph {
    let keys = vec![MorphKey { time: 0.0, weight: 0.0 }, MorphKey { time: 1.0, weight: 1.0 }].into();
    let tracks = vec![MorphTrack { morph_name: Text::new(b"smile.Exclusive"), keys }].into();
    Morph { version: 919, duration: 1.0, tracks, ..Morph::default() }
}

/// The XML forms, as exporters spelled them.
fn texts() -> Vec<Sample> {
    let text = |name, about, text: &[u8]| Sample::new(name, about, text.to_vec());
    vec![
        text("two.xsf", "two root elements, a name with blanks and a reference", SKELETON),
        text("light.xsf", "a light in a scene", LIT_SKELETON),
        text("walk.xaf", "Microsoft's exponents, a key without translation", ANIMATION),
        text("cloth.xmf", "CRLF, springs, levels of detail, a morph, colours", MESH),
        text("skin.xrf", "a declaration, comments, single quotes, a file name with blanks in GBK", MATERIAL),
        text("smile.xpf", "morph targets by name, no magic", MORPH),
        text("numbered.xpf", "morph targets by number, as of version 1300", NUMBERED_MORPH),
        text("wrapped.xsf", "header and main element in another element, names in small letters", &wrapped()),
        text("bom.xrf", "a byte order mark, no white space, not a number", BOM_MATERIAL),
    ]
}

const SKELETON: &[u8] = b"<HEADER MAGIC=\"XSF\" VERSION=\"910\" />
<SKELETON NUMBONES=\"2\">
    <BONE ID=\"0\" NAME=\"Bip01\" NUMCHILDS=\"1\">
        <TRANSLATION>0 0.97902 -0.02091</TRANSLATION>
        <ROTATION>0 0.707106 -3.09086e-008 0.707107</ROTATION>
        <LOCALTRANSLATION>0.02091 -0.97902 7.146e-008</LOCALTRANSLATION>
        <LOCALROTATION>0 -0.707106 3.09086e-008 0.707107</LOCALROTATION>
        <PARENTID>-1</PARENTID>
        <CHILDID>1</CHILDID>
    </BONE>
    <BONE ID=\"1\" NAME=\"Bip01 L&amp;R\" NUMCHILDS=\"0\">
        <TRANSLATION>0 0 0</TRANSLATION>
        <ROTATION>0 0 0 1</ROTATION>
        <LOCALTRANSLATION>0 0 0</LOCALTRANSLATION>
        <LOCALROTATION>0 0 0 1</LOCALROTATION>
        <PARENTID>0</PARENTID>
    </BONE>
</SKELETON>
";

/// As two exporters write it.
fn wrapped() -> Vec<u8> {
    let inner = String::from_utf8_lossy(SKELETON).replace("SKELETON", "skeleton");
    format!("<?xml version=\"1.0\"?>\n<ROOT>\n{inner}</ROOT>\n").into_bytes()
}

const LIT_SKELETON: &[u8] =
    b"<SKELETON MAGIC=\"XSF\" VERSION=\"919\" NUMBONES=\"1\" SCENEAMBIENTCOLOR=\"0.1 0.2 0.3\">
  <BONE NAME=\"Omni01\" NUMCHILDS=\"0\" ID=\"0\" LIGHTTYPE=\"1\" LIGHTCOLOR=\"1 0.9 0.8\">
    <TRANSLATION>0 0 0</TRANSLATION><ROTATION>0 0 0 1</ROTATION>
    <LOCALTRANSLATION>0 0 0</LOCALTRANSLATION><LOCALROTATION>0 0 0 1</LOCALROTATION>
    <PARENTID>-1</PARENTID>
  </BONE>
</SKELETON>
";

const ANIMATION: &[u8] = b"<ANIMATION VERSION=\"919\" DURATION=\"1.5\" NUMTRACKS=\"1\">
    <TRACK BONEID=\"1\" TRANSLATIONREQUIRED=\"1\" TRANSLATIONISDYNAMIC=\"0\" HIGHRANGEREQUIRED=\"0\" NUMKEYFRAMES=\"2\">
        <KEYFRAME TIME=\"0\">
            <TRANSLATION>4.15516 -9.03382e-001 3.81361</TRANSLATION>
            <ROTATION>0.0340203 1.69563e-012 1.42111e-011 0.999421</ROTATION>
        </KEYFRAME>
        <KEYFRAME TIME=\"1.5\">
            <ROTATION>0 0 0 1</ROTATION>
        </KEYFRAME>
    </TRACK>
</ANIMATION>
";

const MESH: &[u8] = b"<MESH MAGIC=\"XMF\" VERSION=\"919\" NUMSUBMESH=\"1\">\r
  <SUBMESH NUMVERTICES=\"3\" NUMFACES=\"1\" MATERIAL=\"7\" NUMLODSTEPS=\"1\" NUMSPRINGS=\"1\" NUMMORPHS=\"1\" NUMTEXCOORDS=\"1\">\r
    <VERTEX ID=\"0\" NUMINFLUENCES=\"2\">\r
      <POS>0 1 0</POS><NORM>0 0 1</NORM><COLOR>1 0.5 0</COLOR>\r
      <TEXCOORD>0 0.5</TEXCOORD><INFLUENCE ID=\"3\">0.75</INFLUENCE><INFLUENCE ID=\"4\">0.25</INFLUENCE>\r
      <PHYSIQUE>0.01</PHYSIQUE>\r
    </VERTEX>\r
    <VERTEX ID=\"1\" NUMINFLUENCES=\"0\">\r
      <POS>0.5 0.5 0</POS><NORM>0 0 1</NORM><COLOR>1 0.5 0</COLOR>\r
      <TEXCOORD>0.5 0.5</TEXCOORD><PHYSIQUE>1</PHYSIQUE>\r
    </VERTEX>\r
    <VERTEX ID=\"2\" NUMINFLUENCES=\"0\">\r
      <POS>1 0 0</POS><NORM>0 0 1</NORM><COLOR>1 0.5 0</COLOR>\r
      <COLLAPSEID>0</COLLAPSEID><COLLAPSECOUNT>1</COLLAPSECOUNT>\r
      <TEXCOORD>1 0.5</TEXCOORD><PHYSIQUE>1</PHYSIQUE>\r
    </VERTEX>\r
    <SPRING VERTEXID=\"0 2\" COEF=\"1000\" LENGTH=\"1.5\" />\r
    <MORPH NAME=\"smile\" NUMBLENDVERTS=\"1\" MORPHID=\"0\">\r
      <BLENDVERTEX VERTEXID=\"1\" POSDIFF=\"0.25\">\r
        <POSITION>0.5 0.75 0</POSITION><NORMAL>0 0 1</NORMAL><TEXCOORD>0.5 0.5</TEXCOORD>\r
      </BLENDVERTEX>\r
    </MORPH>\r
    <FACE VERTEXID=\"0 1 2\" />\r
  </SUBMESH>\r
</MESH>\r
";

const MATERIAL: &[u8] = b"<?xml version=\"1.0\"?>
<!-- made by hand, <MESH> is no element here -->
<MATERIAL MAGIC='XRF' VERSION = '1100' NUMMAPS='2'>
\t<AMBIENT>0 0 0 255</AMBIENT>
\t<DIFFUSE>255 204 153 255</DIFFUSE>
\t<SPECULAR> 0  0 0 255 </SPECULAR>
\t<SHININESS>96.078431</SHININESS>
\t<MAP TYPE='Diffuse Color'> my \xb9\xc7\xcd\xb7.tga </MAP>
\t<MAP/>
</MATERIAL>
<!-- the end -->
";

const MORPH: &[u8] = b"<HEADER VERSION=\"910\"/>
<ANIMATION DURATION=\"1.000000\" NUMTRACKS=\"1\">
  <TRACK MORPHNAME=\"smile\" NUMKEYFRAMES=\"2\">
    <KEYFRAME TIME=\"0.000000\"><WEIGHT>0.000000 </WEIGHT></KEYFRAME>
    <KEYFRAME TIME=\"1.000000\"><WEIGHT>1.000000 </WEIGHT></KEYFRAME>
  </TRACK>
</ANIMATION>";

const NUMBERED_MORPH: &[u8] = b"<ANIMATION MAGIC=\"XPF\" VERSION=\"1300\" DURATION=\"1.0\" NUMTRACKS=\"1\">
  <TRACK MORPHID=\"2\" NUMKEYFRAMES=\"1\"  MESHID=\"19\" NUMSUBTARGET=\"1\">
<SUBMESH  ID=\"0\" />
    <KEYFRAME TIME=\"0.5\"><WEIGHT>1 </WEIGHT></KEYFRAME>
  </TRACK>
</ANIMATION>
";

const BOM_MATERIAL: &[u8] = b"\xef\xbb\xbf<MATERIAL VERSION=\"900\" NUMMAPS=\"0\"><AMBIENT>0 0 0 0</AMBIENT>\
<DIFFUSE>0 0 0 0</DIFFUSE><SPECULAR>0 0 0 0</SPECULAR><SHININESS>-1.#IND</SHININESS></MATERIAL>";

fn damaged() -> Vec<Sample> {
    let encoded = |name: &str| -> Vec<u8> {
        let valid = valid().into_iter().find(|sample| sample.name == name);
        valid.expect("a valid sample of this name").bytes
    };
    let cut = |name: &str, len: usize| encoded(name)[..len].to_vec();
    let changed = |name: &str, at: usize, new: &[u8]| {
        let mut bytes = encoded(name);
        bytes[at..at + new.len()].copy_from_slice(new);
        bytes
    };
    // In front of the one face.
    let stop = encoded("colors.cmf").len() - 16;
    let followed = |name: &str, by: &[u8]| [encoded(name), by.to_vec()].concat();
    let replaced = |name: &str, old: &str, new: &str| {
        let text = String::from_utf8(encoded(name)).expect("a sample in UTF-8");
        assert!(text.contains(old), "{old} is not in {name}");
        text.replacen(old, new, 1).into_bytes()
    };
    vec![
        Sample::new("nothing.csf", "an empty file", Vec::new()),
        Sample::new("cut_in_magic.cmf", "the first 3 bytes", cut("triangle.cmf", 3)),
        Sample::new("cut_in_version.caf", "the first 6 bytes", cut("walk.caf", 6)),
        Sample::new("cut_in_name.csf", "ends inside the second bone's name", cut("two.csf", 100)),
        Sample::new("cut_in_key.caf", "ends inside the last key", cut("walk.caf", 80)),
        Sample::new("cut_in_packed_key.caf", "ends inside a packed key", cut("packed919.caf", 40)),
        Sample::new("cut_in_vertex.cmf", "ends inside the second vertex", cut("triangle.cmf", 110)),
        Sample::new(
            "no_stop_value.cmf",
            "the stop value of a morph is a vertex",
            changed("colors.cmf", stop, &[1, 0, 0, 0]),
        ),
        Sample::new(
            "wrong_count.csf",
            "a count of two billion bones",
            changed("two.csf", 8, &i32::MAX.to_le_bytes()),
        ),
        Sample::new("negative_count.crf", "a count of -1 maps", changed("skin.crf", 24, &[0xff; 4])),
        Sample::new("negative_faces.cmf", "a count of -1 faces", changed("triangle.cmf", 20, &[0xff; 4])),
        Sample::new("negative_length.csf", "a name of -1 bytes", changed("two.csf", 12, &[0xff; 4])),
        Sample::new("after_the_end.cmf", "four bytes after the last face", followed("triangle.cmf", b"junk")),
        Sample::new("other_magic.csf", "the magic ends with a blank", changed("two.csf", 3, b" ")),
        Sample::new("cut_in_tag.xsf", "ends inside a tag", cut("two.xsf", 100)),
        Sample::new("cut_in_element.xsf", "ends inside the second bone", cut("two.xsf", 700)),
        Sample::new("cut_between_elements.xsf", "ends after an element of a bone", cut("two.xsf", 159)),
        Sample::new("header_only.xsf", "ends after the header", cut("two.xsf", 38)),
        Sample::new("comment_only.xsf", "only a comment", b"<!-- nothing -->".to_vec()),
        Sample::new(
            "other_end.xmf",
            "a vertex with the end tag of a face",
            replaced("cloth.xmf", "</VERTEX>", "</FACE>"),
        ),
        Sample::new(
            "no_quotes.xmf",
            "an attribute without quotes",
            replaced("cloth.xmf", "ID=\"1\"", "ID=1"),
        ),
        Sample::new("after_the_end.xaf", "words after the end", followed("walk.xaf", b"junk\n")),
        Sample::new("second_root.xaf", "the whole document twice", followed("walk.xaf", ANIMATION)),
    ]
}
