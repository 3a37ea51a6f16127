use std::collections::{BTreeMap, BTreeSet};

use bindpose::codec::Format;
use bindpose::edit::{Entity, Renames, caused_by_merge, merge, names, remove, rename};
use bindpose::formats::cal3d::{Animation, PlainKey, PlainTrack, Track};
use bindpose::formats::ms3d;
use bindpose::formats::psk::{Bone, Chunk, Key, Psa, Psk, Records, Sequence};
use bindpose::scene::{Clip, Part, Scene, Settings};
use bindpose::schema::{EditError, Leaf as _};
use bindpose::wire::FixedStr;
use bindpose::{ErrorKind, File, FileKind};

use super::remove::max_skeleton;
use super::{corpus, files, has_warnings};
use crate::folders;

fn scene(file: &File) -> Scene {
    Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default())
}

/// A copy whose clips and surfaces have other names.
pub fn copy(file: &File) -> File {
    let mut file = file.clone();
    if file.kind() == FileKind::UnigineMesh {
        let mut surfaces = 0..;
        while surfaces.next().is_some_and(|at: usize| {
            file.set(&format!("surfaces[{at}].name"), format!("copy{at}").as_str()).is_ok()
        }) {}
    }
    let file = &file;
    let mut renames = Renames::new();
    let clips: BTreeSet<_> = names(file)
        .expect("names")
        .into_iter()
        .filter(|own| own.entity == Entity::Clip && !own.text.is_empty())
        .map(|own| own.text)
        .collect();
    for (index, text) in clips.into_iter().enumerate() {
        renames.add(Entity::Clip, text, format!("clip{index}")).expect("each name once");
    }
    let mut copy = file.clone();
    rename(&mut copy, &renames).map_or_else(|_| file.clone(), |_| copy)
}

/// Merges a file with a copy; returns whether that is possible.
fn check(name: &str, file: &File) -> bool {
    let other = copy(file);
    let mut merged = file.clone();
    if let Err(error) = merge(&mut merged, &other) {
        assert!(merged.encode().ok() == file.encode().ok(), "{name}: a refused merge changes nothing");
        let ErrorKind::Value(why) = error.kind() else {
            assert!(matches!(error.kind(), ErrorKind::Syntax(_)) && has_warnings(file), "{name}: {error}");
            return false;
        };
        let is_known = matches!(
            why,
            EditError::Unsupported(_) | EditError::Unmatched { .. } | EditError::Duplicate { .. }
        );
        assert!(is_known || has_warnings(file), "{name}: {error}");
        return false;
    }
    let bytes = merged.encode().unwrap_or_else(|error| panic!("{name}: {error}"));
    let again = merged.kind().decode(&bytes, &merged.options()).expect("decodes");
    assert!(again.encode().is_ok_and(|again| again == bytes), "{name}: decodes to another file");
    assert_eq!(again.damage(), None, "{name}");
    // Where a file contradicts itself, a merge can move the contradiction; the command refuses that.
    if has_warnings(file) {
        return true;
    }
    let findings = caused_by_merge(&[file.clone(), other.clone()], &merged).expect("all encode");
    assert!(findings.is_empty(), "{name}: {}", findings[0]);
    let [a, b, both] = [file, &other, &again].map(scene);
    // Objects of `.x` files have names, and those that both files have are there once.
    let mut expected = triangles(&a);
    if file.kind() != FileKind::X {
        expected.extend(triangles(&b));
    }
    expected.sort();
    let mut found = triangles(&both);
    found.sort();
    assert_eq!(found, expected, "{name}");
    assert_eq!(both.skeleton.bones().len(), a.skeleton.bones().len(), "{name}");
    // Some files have one clip.
    let is_single = matches!(file.kind(), FileKind::Ms3d | FileKind::Cal3dAnimation | FileKind::Cal3dMorph);
    if is_single || bytes.starts_with(b"an11") {
        assert_eq!(both.clips.len(), a.clips.len(), "{name}");
        return true;
    }
    if file.kind() != FileKind::X {
        assert_eq!(both.clips.len(), a.clips.len() + b.clips.len(), "{name}");
    }
    for (index, clip) in both.clips.iter().enumerate() {
        let (scene, own) = match index.checked_sub(a.clips.len()) {
            None => (&a, &a.clips[index]),
            Some(index) => (&b, &b.clips[index]),
        };
        assert_same_clip(name, (&both, clip), (scene, own));
    }
    if file.kind() != FileKind::X {
        assert_removable(name, again, &a, &b);
    }
    true
}

/// Removes the clips that a merge added, and compares the others with those before.
fn assert_removable(name: &str, merged: File, before: &Scene, added: &Scene) {
    let mut left = [merged];
    for clip in &added.clips {
        let removed = remove(&mut left, Entity::Clip, clip.name.as_bytes());
        assert_eq!(removed.as_ref().ok(), Some(&1), "{name}: {} {removed:?}", clip.name);
    }
    let left = scene(&left[0]);
    assert_eq!(left.clips.len(), before.clips.len(), "{name}");
    for (clip, own) in left.clips.iter().zip(&before.clips) {
        assert_same_clip(name, (&left, clip), (before, own));
    }
}

/// All triangles: the positions of their corners and the bones that move them.
pub(super) fn triangles(scene: &Scene) -> Vec<String> {
    let bones = scene.skeleton.bones();
    let mut all = Vec::new();
    for mesh in &scene.meshes {
        let influences = |at: usize| -> Vec<_> {
            let own =
                mesh.skin.iter().flat_map(|skin| skin.weights.of(at).iter().map(move |own| (skin, own)));
            own.map(|(skin, own)| (&bones[skin.joints[own.joint as usize].bone].name, own.weight)).collect()
        };
        for triangle in mesh.primitives.iter().flat_map(|primitive| &primitive.triangles) {
            let corners = triangle.map(|at| (mesh.positions[at as usize], influences(at as usize)));
            all.push(format!("{corners:?}"));
        }
    }
    all
}

fn assert_same_clip(name: &str, (scene, clip): (&Scene, &Clip), (old_scene, old): (&Scene, &Clip)) {
    assert_eq!((&clip.name, clip.span()), (&old.name, old.span()), "{name}");
    let (start, end) = old.span().unwrap_or_default();
    for seconds in [start, start.midpoint(end), end] {
        let pose = |scene: &Scene, clip: &Clip| -> BTreeMap<String, _> {
            let bones = scene.skeleton.bones().iter();
            bones
                .zip(clip.sample(&scene.skeleton, seconds))
                .map(|(bone, own)| (bone.name.clone(), own))
                .collect()
        };
        let (new, old) = (pose(scene, clip), pose(old_scene, old));
        assert_eq!(format!("{new:?}"), format!("{old:?}"), "{name}");
    }
}

#[test]
fn files_can_be_merged_with_others_of_the_same_bones() {
    let mut merged: BTreeMap<FileKind, usize> = BTreeMap::new();
    for (name, file) in files() {
        if check(&name, &file) {
            *merged.entry(file.kind()).or_default() += 1;
        }
    }
    let known: Vec<_> = merged.keys().map(|kind| kind.name()).collect();
    let expected = ["ms3d", "cal3d-mesh", "psk", "psa", "x", "unigine-mesh", "unigine-anim", "max-mesh"];
    assert!(expected.iter().all(|name| known.contains(name)), "{known:?}");
}

#[test]
fn animations_of_different_bones_become_one_clip() {
    let file = |bones: &[i32]| {
        let key = |time: f32| PlainKey { time, rotation: [0.0, 0.0, 0.0, 1.0], ..PlainKey::default() };
        let keys = vec![key(0.0), key(1.0)];
        let track = |bone: &i32| Track::Plain(PlainTrack { bone_id: *bone, keys: keys.clone().into() });
        let tracks = bones.iter().map(track).collect();
        File::Cal3dAnimation(Box::new(Animation { duration: 1.0, tracks, ..Animation::default() }.into()))
    };
    let mut merged = file(&[0, 2]);
    merge(&mut merged, &file(&[1])).expect("different bones");
    assert!(merged == file(&[0, 2, 1]));
    let error = merge(&mut merged, &file(&[1])).unwrap_err();
    assert!(error.to_string().contains("both animations move the same parts"), "{error}");
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn corpus_files_can_be_merged_with_copies() {
    let (mut merged, mut refused) = (0, 0);
    for (name, file) in corpus() {
        *(if check(&name, &file) { &mut merged } else { &mut refused }) += 1;
    }
    eprintln!("{merged} merged, {refused} refused");
}

/// An animation of bones with these names, the first of them the parent of the others.
fn animation(clip: &str, bones: &[&str], positions: &[f32]) -> Psa {
    let mut file = Psa::blank_file();
    let bone = |name: &&str| {
        let mut bone = Bone { orientation: [0.0, 0.0, 0.0, 1.0], ..Bone::default() };
        bone.name.set(name.as_bytes()).expect("fits");
        bone
    };
    let mut sequence = Sequence {
        total_bones: i32::try_from(bones.len()).expect("few"),
        num_raw_frames: 1,
        rate: 30.0,
        ..Sequence::default()
    };
    sequence.name.set(clip.as_bytes()).expect("fits");
    let key = |x: &f32| Key { position: [*x, 0.0, 0.0], orientation: [0.0, 0.0, 0.0, 1.0], time: 1.0 };
    file.chunks
        .push(Chunk::new("BONENAMES", Records::Bones(bones.iter().map(bone).collect::<Vec<_>>().into())));
    file.chunks.push(Chunk::new("ANIMINFO", Records::Sequences(vec![sequence].into())));
    file.chunks
        .push(Chunk::new("ANIMKEYS", Records::Keys(positions.iter().map(key).collect::<Vec<_>>().into())));
    file
}

#[test]
fn bones_are_matched_by_name() {
    let mut file = File::Psa(Box::new(animation("a", &["root", "left", "right"], &[0.0, 1.0, 2.0])));
    let other = File::Psa(Box::new(animation("b", &["Root", "RIGHT ", "left"], &[0.0, 20.0, 10.0])));
    merge(&mut file, &other).unwrap();
    let File::Psa(file) = file else { unreachable!() };
    let positions: Vec<_> = file.keys().iter().map(|key| key.position[0]).collect();
    assert_eq!(positions, [0.0, 1.0, 2.0, 0.0, 10.0, 20.0]);
    assert_eq!(file.sequences()[1].first_raw_frame, 1);
}

/// A model with a material. The bytes after the NUL of its texts are those of older ones.
fn textured(texture: &[u8], older: &[u8], shininess: f32) -> File {
    fn field<const N: usize>(text: &[u8], older: &[u8]) -> FixedStr<N> {
        let mut bytes = [text, b"\0", older].concat();
        bytes.resize(N, 0);
        let mut field = FixedStr::default();
        field.assign_bytes(&bytes).expect("a text");
        field
    }
    let material = ms3d::Material {
        name: field(b"skin", older),
        texture: field(texture, older),
        alphamap: field(b"", older),
        shininess,
        ..ms3d::Material::default()
    };
    let mut model = ms3d::Ms3d::blank_file();
    model.materials.push(material);
    File::Ms3d(Box::new(model))
}

#[test]
fn materials_with_the_same_texts_and_numbers_are_one() {
    let own = textured(b"skin.png", b"C:\\old", f32::NAN);
    let merged = |other: &File| {
        let mut own = own.clone();
        merge(&mut own, other).map(|()| own)
    };
    for older in [&b"C:\\old"[..], b"D:\\other", b""] {
        let both = merged(&textured(b"skin.png", older, f32::NAN)).expect("the same material");
        assert!(both.encode() == own.encode(), "{}", older.escape_ascii());
    }
    for (texture, shininess) in [(&b"other.png"[..], f32::NAN), (b"skin.png", 1.0), (b"Skin.png", f32::NAN)] {
        let error = merged(&textured(texture, b"C:\\old", shininess)).expect_err("another material");
        assert_eq!(error.to_string(), "both files have a material named `skin`");
    }
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let refused = |a: Psa, b: Psa| {
        let original = File::Psa(Box::new(a));
        let mut file = original.clone();
        let error = merge(&mut file, &File::Psa(Box::new(b))).unwrap_err();
        assert!(file == original);
        error.to_string()
    };
    let own = || animation("a", &["root", "left"], &[0.0, 1.0]);
    assert_eq!(refused(own(), own()), "both files have a clip named `a`");
    let other = animation("b", &["root", "right", "tail"], &[0.0, 1.0, 2.0]);
    assert_eq!(refused(own(), other), "only one of the files has the bones `left`, `right`, `tail`");
    assert_eq!(
        refused(own(), animation("b", &["left", "root"], &[0.0, 1.0])),
        "the files have different root bones"
    );
    let mut psk = File::Psk(Box::new(Psk::blank_file()));
    let error = merge(&mut psk, &File::Psa(Box::new(own()))).unwrap_err();
    assert_eq!(error.to_string(), "the files have different formats, psk and psa");
    for (name, why) in [
        (
            "cal3d/walk.caf",
            "both animations move the same parts, and a Cal3D file has one clip; keep the files separate",
        ),
        ("cal3d/skin.crf", "a Cal3D file has one material; keep the files separate"),
        ("max/walk.max-animation.anim", "an animation stream has one clip; keep the files separate"),
    ] {
        let file = folders::sample(&format!("corpus/{name}")).file;
        assert_eq!(merge(&mut file.clone(), &file).unwrap_err().to_string(), why);
    }
}

#[test]
fn a_skeleton_gets_the_bones_that_it_lacks() {
    for (name, spec) in [("cal3d/two.csf", "bones[1]"), ("max/two.max-skeleton.skel", "bones[1]")] {
        let whole = folders::sample(&format!("corpus/{name}")).file;
        let mut merged = whole.clone();
        merge(&mut merged, &whole).expect("the same skeleton");
        assert!(merged == whole, "{name}: a skeleton has no bones that itself lacks");
        let last = names(&whole).expect("names").into_iter().rfind(|own| own.is_definition).expect("a bone");
        assert!(last.path.to_string().starts_with(spec), "{name}: {}", last.path);
        let mut short = [whole.clone()];
        bindpose::edit::remove(&mut short, Entity::Bone, &last.text).expect("a leaf");
        let [mut short] = short;
        merge(&mut short, &whole).expect("another bone");
        assert!(short == whole, "{name}");
        let mut other = whole.clone();
        let renames = Renames::new().with(Entity::Bone, last.text.clone(), "another").expect("a name");
        rename(&mut other, &renames).expect("renamed");
        let mut both = whole.clone();
        merge(&mut both, &other).expect("another bone");
        let [scene, all] = [&whole, &both].map(scene);
        assert_eq!(all.skeleton.bones().len(), scene.skeleton.bones().len() + 1, "{name}");
        let bone = |scene: &Scene, name: &str| {
            let bones = scene.skeleton.bones();
            let place = scene.skeleton.model_space(&scene.skeleton.bind_pose());
            bones.iter().position(|own| own.name == name).map(|at| (bones[at].parent, place[at]))
        };
        assert_eq!(bone(&all, "another"), bone(&scene, &String::from_utf8_lossy(&last.text)), "{name}");
        assert_eq!(caused_by_merge(&[whole, other], &both).expect("both encode"), [], "{name}");
    }
}

#[test]
fn a_repeated_last_bone_is_not_a_bone_of_merged_skeletons() {
    let (own, added) = ([("hip", ""), ("head", "hip")], [("hip", ""), ("tail", "hip")]);
    let twice = |bones: &[(&'static str, &'static str)]| [bones, &bones[1..]].concat();
    let merged = |own: &[(&str, &str)], added: &[(&str, &str)]| {
        let mut own = max_skeleton(own);
        merge(&mut own, &max_skeleton(added)).expect("bones");
        own.encode().expect("a stream")
    };
    let expected = merged(&own, &added);
    for (own, added) in
        [(twice(&own), added.to_vec()), (own.to_vec(), twice(&added)), (twice(&own), twice(&added))]
    {
        assert!(merged(&own, &added) == expected, "{own:?} and {added:?}");
    }
}

#[test]
fn meshes_of_cal3d_are_merged_across_binary_and_xml() {
    let [binary, xml] =
        ["cal3d/cloth.xmf", "cal3d/triangle.cmf"].map(|name| folders::sample(&format!("corpus/{name}")).file);
    for (a, b) in [(&binary, &xml), (&xml, &binary)] {
        let mut both = a.clone();
        match merge(&mut both, b) {
            Ok(()) => assert_eq!(scene(&both).meshes.len(), scene(a).meshes.len() + scene(b).meshes.len()),
            Err(error) => assert!(error.to_string().contains("different versions"), "{error}"),
        }
    }
}

#[test]
fn unigine_animations_of_other_bind_poses_are_merged_if_they_move_the_bones() {
    let file = folders::sample("corpus/unigine/an10.anim").file;
    let mut other = copy(&file);
    other.set("transforms[0].position[0]", 5.0_f32).expect("another bind pose");
    let mut both = file.clone();
    merge(&mut both, &other).expect("all bones move");
    assert_eq!(scene(&both).clips.len(), 2 * scene(&file).clips.len());
}
