use std::collections::{BTreeMap, BTreeSet};

use bindpose::check::Severity;
use bindpose::codec::Format as _;
use bindpose::edit::{Entity, names, remove, remove_all, transform};
use bindpose::formats::psk::{self, Chunk, Curves, Key, Psa, Records, ScaleKey, Sequence, TrackFlags};
use bindpose::scene::author::Authoring;
use bindpose::scene::{Bone, Clip, Curve, Part, Scene, Settings, Skeleton, Track, Transform};
use bindpose::schema::EditError;
use bindpose::wire::FixedStr;
use bindpose::{Budget, ErrorKind, File, FileKind, FormatSpec, Limits, Options};
use glam::{Affine3A, Vec3};
use proptest::prelude::*;
use proptest::sample::select;

use super::{assert_sound, corpus, files};
use crate::folders;
use crate::scene::author::strategy;

/// Removes every object by itself; returns the kinds of objects that could be removed.
fn check(name: &str, file: &File) -> BTreeSet<Entity> {
    let mut removable = BTreeSet::new();
    // Where a file contradicts itself, a removal can move the contradiction; the command refuses that.
    let findings = file.check(&file.encode().expect("bytes"), 9).findings;
    let is_valid = findings.iter().all(|finding| finding.rule.severity < Severity::Warning);
    let known: BTreeSet<_> = names(file)
        .expect("names")
        .into_iter()
        .filter(|own| !own.text.is_empty())
        .map(|own| (own.entity, own.text))
        .collect();
    for (entity, text) in known.into_iter().take(12) {
        let mut edited = [file.clone()];
        match remove(&mut edited, entity, &text) {
            Ok(_) => {
                removable.insert(entity);
                let [edited] = edited;
                if is_valid {
                    assert_sound(name, file, &edited);
                    if entity == Entity::Bone {
                        let sets = [file, &edited].map(std::slice::from_ref);
                        assert_same_places(name, sets[0], sets[1], &text);
                    }
                }
                let left = names(&edited).expect("names");
                assert!(
                    !left.iter().any(|own| own.is_definition && own.entity == entity && own.text == text),
                    "{name}"
                );
            }
            Err(error) => {
                assert!(
                    edited[0].encode().ok() == file.encode().ok(),
                    "{name}: a refused edit changes nothing"
                );
                let is_known = matches!(
                    error.kind(),
                    ErrorKind::Value(
                        EditError::InUse { .. } | EditError::Unsupported(_) | EditError::NoObject { .. }
                    )
                );
                assert!(is_known || !is_valid, "{name}: {error}");
            }
        }
    }
    removable
}

/// Asserts that the bones that are left are where they were, in the bind pose and in every clip.
fn assert_same_places(name: &str, before: &[File], after: &[File], removed: &[u8]) {
    let removed = String::from_utf8_lossy(removed).into_owned();
    let [a, b] = [before, after].map(super::scene);
    let is_kept = |bone: &Bone| bone.name.trim_end() != removed.trim_end();
    let kept: Vec<_> =
        (0..a.skeleton.bones().len()).filter(|bone| is_kept(&a.skeleton.bones()[*bone])).collect();
    let parents: BTreeSet<_> = a.skeleton.bones().iter().filter_map(|bone| bone.parent).collect();
    // Animations of `.x` files cannot refer to a frame without a name; it keeps its place only where something is in it.
    let is_empty = |bone: usize| a.skeleton.bones()[bone].name.is_empty() && !parents.contains(&bone);
    // Matrices relative to a bone that is scaled unevenly can be sheared, which poses are not.
    if [&a, &b].iter().any(|scene| scene.losses.iter().any(|loss| loss.what().contains("shear"))) {
        return;
    }
    // Files that know their bones by index only, and names that are not unique, cannot be paired.
    if kept.len() != b.skeleton.bones().len() {
        return;
    }
    let compare = |what: &str, old: &[Affine3A], new: &[Affine3A]| {
        let size = old.iter().flat_map(Affine3A::to_cols_array).map(f32::abs).fold(1.0, f32::max);
        for (bone, new) in kept.iter().zip(new) {
            let (old, tolerance) = (old[*bone], 1e-3 * size);
            let same = !old.is_finite() || is_empty(*bone) || old.abs_diff_eq(*new, tolerance);
            assert!(same, "{name}: {what} without {removed}: bone {bone}: {old:?} is now {new:?}");
        }
    };
    let place = |scene: &Scene, pose: &[Transform]| scene.skeleton.model_space(pose);
    compare("bind pose", &place(&a, &a.skeleton.bind_pose()), &place(&b, &b.skeleton.bind_pose()));
    let bones = a.skeleton.bones();
    let lost = (0..bones.len()).find(|bone| !kept.contains(bone));
    let children = |bone: usize| (0..bones.len()).filter(move |own| bones[*own].parent == Some(bone));
    let heir = lost.filter(|lost| bones[*lost].parent.is_none()).and_then(|lost| children(lost).next());
    for (old, new) in a.clips.iter().zip(&b.clips) {
        // Between keys, a product of two turns does not move as the turns do.
        let moving = lost.into_iter().chain(heir).map(|bone| key_times(old, |own| own.bone == bone));
        let shared = moving.filter(|keys| !keys.is_empty()).reduce(|mut all, keys| {
            all.retain(|time| keys.contains(time));
            all
        });
        let keys = shared.unwrap_or_else(|| key_times(old, |_| true));
        for &seconds in keys.iter().step_by((keys.len() / 4).max(1)) {
            let poses = [old.sample(&a.skeleton, seconds), new.sample(&b.skeleton, seconds)];
            compare(&old.name, &place(&a, &poses[0]), &place(&b, &poses[1]));
        }
    }
}

/// Returns the times of all keys of some tracks.
fn key_times(clip: &Clip, is_wanted: impl Fn(&Track) -> bool) -> Vec<f32> {
    let times = |track: &Track| {
        let curves = [&track.translation, &track.scale].map(|curve| curve.as_ref().map(Curve::times));
        let rotation = track.rotation.as_ref().map(Curve::times);
        curves.into_iter().chain([rotation]).flatten().flatten().copied().collect::<Vec<_>>()
    };
    let mut keys: Vec<_> = clip.tracks.iter().filter(|own| is_wanted(own)).flat_map(times).collect();
    keys.sort_by(f32::total_cmp);
    keys.dedup();
    keys
}

#[test]
fn objects_of_samples_can_be_removed_one_by_one() {
    let mut kinds: BTreeMap<Entity, BTreeSet<FileKind>> = BTreeMap::new();
    for (name, file) in files() {
        for entity in check(&name, &file) {
            kinds.entry(entity).or_default().insert(file.kind());
        }
    }
    let have = |entity: Entity, formats: &str| {
        let found: BTreeSet<_> = kinds[&entity].iter().map(|kind| kind.name()).collect();
        formats.split(' ').for_each(|format| assert!(found.contains(format), "{format} has no {entity}"));
    };
    have(Entity::Bone, "ms3d cal3d-skeleton psk psa unigine-mesh unigine-anim max-skeleton x");
    have(Entity::Material, "ms3d");
    have(Entity::Clip, "iqm psa unigine-mesh unigine-anim");
    have(Entity::Texture, "ms3d cal3d-material x");
}

/// The formats of a model with its clips, and their version.
fn sets() -> Vec<(Vec<FormatSpec>, Option<&'static str>)> {
    let spec = |kind, dialect| FormatSpec { kind, dialect };
    let unigine = [FileKind::UnigineSkeleton, FileKind::UnigineMesh, FileKind::UnigineAnim];
    let unigine = unigine.map(FormatSpec::from).to_vec();
    let mut sets = vec![
        vec![spec(FileKind::Ms3d, None)],
        vec![spec(FileKind::Psk, None), spec(FileKind::Psa, None)],
        unigine.clone(),
        vec![spec(FileKind::X, None)],
        vec![
            spec(FileKind::MaxSkeleton, None),
            spec(FileKind::MaxMesh, None),
            spec(FileKind::MaxAnimation, None),
        ],
    ];
    let kinds = [FileKind::Cal3dSkeleton, FileKind::Cal3dMesh, FileKind::Cal3dAnimation];
    let dialects = ["classic", "imvu", "xml"];
    sets.extend(dialects.map(|dialect| kinds.map(|kind| spec(kind, Some(dialect))).to_vec()));
    sets.into_iter().map(|own| (own, None)).chain([(unigine, Some("2.19"))]).collect()
}

proptest! {
    #![proptest_config(folders::config(96))]
    #[test]
    fn bones_that_are_left_stay_where_they_were(scene in strategy::scene(), (specs, version) in select(sets())) {
        let name = specs[0].kind.name();
        let mut settings = Authoring::default();
        settings.version = version.map(str::to_owned);
        let authored = specs.iter().filter_map(|spec| spec.author(&scene, "file", &settings).ok());
        let set: Vec<_> = authored.flat_map(|written| written.files).map(|own| own.file).collect();
        let all = set.iter().flat_map(|file| names(file).expect("names"));
        let bones: BTreeSet<_> = all.filter(|own| own.entity == Entity::Bone && !own.text.is_empty()).map(|own| own.text).collect();
        for bone in bones {
            let mut edited = set.clone();
            match remove(&mut edited, Entity::Bone, &bone) {
                Ok(_) => {
                    set.iter().zip(&edited).for_each(|(before, after)| assert_sound(name, before, after));
                    assert_same_places(name, &set, &edited, &bone);
                }
                Err(error) => {
                    let ErrorKind::Value(why) = error.kind() else { panic!("{name}: {error}") };
                    assert!(matches!(why, EditError::InUse { .. } | EditError::Unsupported(_)), "{name}: {error}");
                }
            }
        }
    }
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn corpus_objects_can_be_removed_one_by_one() {
    corpus().step_by(folders::every()).for_each(|(name, file)| drop(check(&name, &file)));
}

#[test]
fn an_object_that_does_not_exist_is_an_error_with_similar_names() {
    let mut files = [folders::sample("corpus/ms3d/full.ms3d").file];
    let error = remove(&mut files, Entity::Bone, b"rot").unwrap_err();
    assert_eq!(error.to_string(), "no bone is named `rot`; similar: `root`");
}

/// An XML skeleton of a chain of bones that differ in their names and ids alone.
fn chain(names: &[&str]) -> File {
    let bone = |(index, name): (usize, &&str)| {
        let (children, parent) = (usize::from(index + 1 < names.len()), i64::try_from(index).unwrap() - 1);
        let child = if children == 1 { format!("<CHILDID>{}</CHILDID>", index + 1) } else { String::new() };
        format!(
            "<BONE NAME=\"{name}\" NUMCHILDS=\"{children}\"><TRANSLATION>0 0 1</TRANSLATION><ROTATION>0 0 0 1</ROTATION>\
             <LOCALTRANSLATION>0 0 -{}</LOCALTRANSLATION><LOCALROTATION>0 0 0 1</LOCALROTATION><PARENTID>{parent}</PARENTID>{child}\
             </BONE>\n",
            index + 1
        )
    };
    let bones: String = names.iter().enumerate().map(bone).collect();
    let text = format!(
        "<HEADER MAGIC=\"XSF\" VERSION=\"910\" />\n<SKELETON NUMBONES=\"{}\">\n{bones}</SKELETON>\n",
        names.len()
    );
    FileKind::Cal3dSkeleton.decode(text.as_bytes(), &bindpose::Options::default()).expect("a skeleton")
}

#[test]
fn a_bone_of_an_xml_skeleton_goes_with_its_name() {
    let all = ["a", "b", "c", "d"];
    for removed in all {
        let mut files = [chain(&all)];
        assert_eq!(remove(&mut files, Entity::Bone, removed.as_bytes()).expect("a bone"), 1, "{removed}");
        let left: Vec<_> = names(&files[0]).expect("names").into_iter().map(|own| own.text).collect();
        let expected: Vec<_> =
            all.iter().filter(|own| **own != removed).map(|own| own.as_bytes().to_vec()).collect();
        assert_eq!(left, expected, "{removed}");
    }
}

/// Meshes of the corpus with animations of their bones; names match ignoring case.
fn real_sets() -> Vec<(String, Vec<File>)> {
    let all: Vec<_> = corpus().collect();
    let bones = |file: &File| -> BTreeSet<Vec<u8>> {
        let own = names(file).expect("names").into_iter();
        let own = own.filter(|own| own.entity == Entity::Bone && own.is_definition);
        own.map(|own| own.text.trim_ascii_end().to_ascii_lowercase()).collect()
    };
    let mut sets = Vec::new();
    for (name, animations) in all.iter().filter(|(_, file)| file.kind() == FileKind::Psa) {
        let moved = bones(animations);
        let fits = |file: &File| file.kind() == FileKind::Psk && moved.is_subset(&bones(file));
        for (mesh_name, mesh) in all.iter().filter(|(_, file)| !moved.is_empty() && fits(file)) {
            let mut set = vec![mesh.clone(), animations.clone()];
            let config = name.replace(".psa", ".config");
            set.extend(all.iter().find(|(own, _)| *own == config).map(|(_, file)| file.clone()));
            sets.push((format!("{mesh_name}, {name}"), set));
        }
    }
    for (name, skeleton) in all.iter().filter(|(_, file)| file.kind() == FileKind::Cal3dSkeleton) {
        let prefix = name.trim_end_matches(".csf").trim_end_matches(".xsf").to_owned() + "_";
        let others = all.iter().filter(|(own, _)| own.starts_with(&prefix));
        let others =
            others.filter(|(_, file)| matches!(file.kind(), FileKind::Cal3dMesh | FileKind::Cal3dAnimation));
        let set: Vec<_> =
            std::iter::once(skeleton.clone()).chain(others.map(|(_, file)| file.clone())).collect();
        sets.push((name.clone(), set));
    }
    sets
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn bones_of_corpus_sets_can_be_removed_one_by_one() {
    let mut counts = [0, 0];
    for (name, set) in real_sets().into_iter().step_by(folders::every()) {
        let all = names(&set[0]).expect("names").into_iter();
        let bones: BTreeSet<_> = all
            .filter(|own| own.entity == Entity::Bone && own.is_definition && !own.text.is_empty())
            .map(|own| own.text)
            .collect();
        for bone in bones.into_iter().take(40) {
            let mut edited = set.clone();
            match remove(&mut edited, Entity::Bone, &bone) {
                Ok(_) => {
                    counts[0] += 1;
                    set.iter().zip(&edited).for_each(|(before, after)| assert_sound(&name, before, after));
                    assert_same_places(&name, &set, &edited, &bone);
                }
                Err(error) => {
                    counts[1] += 1;
                    eprintln!("{name}: {error}");
                }
            }
        }
    }
    eprintln!("{} bones removed, {} refused", counts[0], counts[1]);
}

#[test]
fn the_children_of_a_removed_bone_of_an_animation_are_those_of_the_mesh() {
    let [mut mesh, mut animations] =
        ["psk/set.psk", "psk/set.psa"].map(|name| folders::sample(&format!("corpus/{name}")).file);
    // `a` is below `top` in the mesh and `b` is not; in the animation both are.
    mesh.set("bones[2].parent_index", 1).expect("a parent");
    animations.set("bones[3].parent_index", 2).expect("a parent, so that the file has a hierarchy");
    animations.set("keys[*].position[0]", 5.0).expect("keys that move");
    let set = [mesh, animations];
    let mut edited = set.clone();
    assert_eq!(remove(&mut edited, Entity::Bone, b"top").expect("both"), 2);
    assert_same_places("psk", &set, &edited, b"top");
}

/// A matrix of 52 bytes that moves along x.
fn along_x(x: u8) -> Vec<u8> {
    let mut rows = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    rows[9] = f32::from(x);
    let numbers = rows.iter().flat_map(|own: &f32| own.to_le_bytes());
    numbers.chain([0; 4]).collect()
}

fn stream(kind: FileKind, bytes: &[u8]) -> File {
    kind.decode(bytes, &Options::default()).expect("a stream")
}

/// A skeleton of 3ds Max: the name and the parent of each bone. The place of a bone follows from its name.
pub(super) fn max_skeleton(bones: &[(&str, &str)]) -> File {
    let text = |text: &str| {
        let mut field = text.as_bytes().to_vec();
        field.resize(32, 0);
        field
    };
    let bone =
        |(name, parent): &(&str, &str)| [along_x(name.as_bytes()[0]), text(name), text(parent)].concat();
    stream(FileKind::MaxSkeleton, &bones.iter().flat_map(bone).collect::<Vec<_>>())
}

/// An animation of 3ds Max with two frames.
fn max_animation(bones: u8) -> File {
    let matrices = (0..2 * bones).flat_map(along_x);
    stream(FileKind::MaxAnimation, &2_i32.to_le_bytes().into_iter().chain(matrices).collect::<Vec<_>>())
}

#[test]
fn a_repeated_last_bone_does_not_change_what_a_removal_does() {
    let bones = [("hip", ""), ("spine", "hip"), ("head", "spine")];
    let repeated = [&bones[..], &bones[2..]].concat();
    for (name, _) in bones {
        let [expected, found] = [&bones[..], &repeated].map(|bones| {
            let mut set = [max_skeleton(bones), max_animation(3)];
            assert_eq!(remove(&mut set, Entity::Bone, name.as_bytes()).expect("a bone of both"), 1);
            set.map(|file| file.encode().expect("a stream"))
        });
        assert!(expected == found, "{name}");
    }
    for (bones, count) in [(&bones[..], 2), (&bones, 4), (&repeated, 2), (&repeated, 4)] {
        let mut set = [max_skeleton(bones), max_animation(count)];
        let error = remove(&mut set, Entity::Bone, b"spine").expect_err("another number of bones");
        assert_eq!(error.to_string(), "the animation has another number of bones than the skeleton");
    }
}

/// Sequences of 1, 2, 3 and 4 frames of one bone, the second and the fourth with scale keys.
fn four_sequences() -> Psa {
    let text = |text: String| FixedStr::new(text.as_bytes()).expect("a name");
    let sequence = |at: i32| Sequence {
        name: text(format!("s{at}")),
        total_bones: 1,
        scale_include: at % 2,
        first_raw_frame: at * (at + 1) / 2,
        num_raw_frames: at + 1,
        ..Sequence::default()
    };
    let x = f32::from;
    let keys = (0..10_u8).map(|at| Key { position: [x(at), 0.0, 0.0], ..Key::default() });
    let scales = [1, 2, 6, 7, 8, 9_u8].map(|at| ScaleKey { scale: [x(at); 3], ..ScaleKey::default() });
    let mut file = Psa::blank_file();
    let bones = vec![psk::Bone { name: text("b".into()), ..psk::Bone::default() }];
    file.chunks.extend([
        Chunk::new("BONENAMES", Records::Bones(bones.into())),
        Chunk::new("ANIMINFO", Records::Sequences((0..4).map(sequence).collect::<Vec<_>>().into())),
        Chunk::new("ANIMKEYS", Records::Keys(keys.collect::<Vec<_>>().into())),
        Chunk::new("SCALEKEYS", Records::ScaleKeys(scales.to_vec().into())),
        Chunk::new("ANIMFLAGS", Records::TrackFlags([0, 1, 2, 3].map(TrackFlags::from_raw).to_vec().into())),
    ]);
    let curves = |at: usize| Chunk::new(&format!("s{at}:CUR"), Records::Curves(Curves::new(at + 1)));
    file.chunks.extend((0..4).map(curves));
    file
}

#[test]
fn sequences_that_go_at_once_leave_what_belongs_to_the_others() {
    let mut files = [File::Psa(Box::new(four_sequences()))];
    assert_eq!(remove_all(&mut files, Entity::Clip, &[b"s2", b"s0"]).expect("two sequences"), 2);
    let File::Psa(left) = &files[0] else { unreachable!("a psa file") };
    let clips: Vec<_> = left.clips().collect();
    let keys = |clip: &psk::Clip<'_>| -> Vec<f32> {
        clip.keys.into_iter().flatten().map(|key| key.position[0]).collect()
    };
    assert_eq!(clips.iter().map(keys).collect::<Vec<_>>(), [vec![1.0, 2.0], vec![6.0, 7.0, 8.0, 9.0]]);
    let scales = left.clips().map(|clip| clip.scale_keys.expect("scale keys")[0].scale[0]);
    assert_eq!(scales.collect::<Vec<_>>(), [1.0, 6.0]);
    let is_left = |id: &str| left.chunk(id).is_some();
    assert_eq!(["s0:CUR", "s1:CUR", "s2:CUR", "s3:CUR"].map(is_left), [false, true, false, true]);
    let flags = left.chunk("ANIMFLAGS").expect("flags");
    let expected = Records::TrackFlags([1, 3].map(TrackFlags::from_raw).to_vec().into());
    assert_eq!(flags.records, expected);
}

/// Sequences in front of the damage could go, but what follows it would not be what it was.
#[test]
fn several_clips_of_a_damaged_file_stay() {
    let mut bytes = four_sequences().encode().expect("bytes");
    bytes.truncate(bytes.len() - 1);
    let file = FileKind::Psa.decode(&bytes, &Options::default()).expect("a damaged file");
    let mut files = [file.clone()];
    let error = remove_all(&mut files, Entity::Clip, &[b"s2", b"s0"]).expect_err("damage");
    assert!(matches!(error.kind(), ErrorKind::Value(EditError::Damaged)), "{error}");
    assert_eq!(files, [file]);
}

#[test]
fn the_configuration_of_an_animation_follows_its_bones() {
    let set = || {
        let [mesh, animations] =
            ["psk/set.psk", "psk/set.psa"].map(|name| folders::sample(&format!("corpus/{name}")).file);
        let File::Psa(own) = &animations else { unreachable!("a psa file") };
        let sequence = String::from_utf8_lossy(own.sequences()[0].name.text()).into_owned();
        let names: Vec<_> =
            own.bones().iter().map(|own| String::from_utf8_lossy(own.name.text()).into_owned()).collect();
        assert_eq!(names, ["Top", "a", "b", "tail"]);
        let text = format!(
            "[UseTranslationBoneNames]\r\na\r\nb\r\n\r\n[RemoveTracks]\r\n{sequence}.1=all\r\n{sequence}.2=rot\r\nother.2=trans\r\n"
        );
        let config = FileKind::PsaConfig
            .decode(text.as_bytes(), &bindpose::Options::default())
            .expect("a configuration");
        let mut mesh = mesh;
        mesh.set("bones[2].parent_index", 1).expect("a bone below another");
        (vec![mesh, animations, config], text, sequence)
    };
    let (mut files, _, sequence) = set();
    remove(&mut files, Entity::Bone, b"a").expect("a leaf");
    let text = String::from_utf8(files[2].encode().expect("bytes")).expect("text");
    let expected = format!(
        "[UseTranslationBoneNames]\r\nb\r\n\r\n[RemoveTracks]\r\n{sequence}.1=rot\r\nother.2=trans\r\n"
    );
    assert_eq!(text, expected);
    // The name of a bone in another file of the set differs in case.
    let (mut files, before, _) = set();
    let error = remove(&mut files, Entity::Bone, b"top").unwrap_err();
    assert!(
        error.to_string().starts_with("the configuration takes keys of the bone or its children"),
        "{error}"
    );
    assert_eq!(files[2].encode().expect("bytes"), before.as_bytes());
    files.pop();
    assert_eq!(remove(&mut files, Entity::Bone, b"top").expect("both"), 2);
    let left = names(&files[1]).expect("names");
    assert!(!left.iter().any(|own| own.text == b"Top"), "{left:?}");
}

#[test]
fn a_configuration_keeps_the_lines_of_what_stays() {
    let config = |text: &str| {
        FileKind::PsaConfig.decode(text.as_bytes(), &bindpose::Options::default()).expect("a configuration")
    };
    let text = |file: &File| String::from_utf8(file.encode().expect("bytes")).expect("text");
    let [mut mesh, mut animations] =
        ["psk/set.psk", "psk/set.psa"].map(|name| folders::sample(&format!("corpus/{name}")).file);
    animations.set("sequences[1].name", "wave").expect("a sequence");
    let lines = "[RemoveTracks]\nwave.1=all\nWave.0=all\nWAVE.2=rot\n";
    let mut files = [animations.clone(), config(lines)];
    assert_eq!(remove(&mut files, Entity::Clip, b"Wave").expect("a clip"), 1);
    assert_eq!(text(&files[1]), "[RemoveTracks]\nwave.1=all\nWAVE.2=rot\n");
    // Of two bones with one name, the second has another index when the first is gone.
    for file in [&mut mesh, &mut animations] {
        file.set("bones[2].name", "a").expect("a bone");
    }
    let mut files = [mesh, animations, config("[RemoveTracks]\nWave.3=all\n")];
    remove(&mut files, Entity::Bone, b"a").expect("leaves");
    assert_eq!(text(&files[2]), "[RemoveTracks]\nWave.1=all\n");
}

#[test]
fn children_of_a_joint_keep_their_place_where_two_angles_have_almost_the_same_axis() {
    let sample = folders::sample("corpus/ms3d/full.ms3d").file;
    let right = std::f32::consts::FRAC_PI_2;
    for off in [0.0, 1e-7, 1e-6, 3e-6, 1e-5, 1e-4, 1e-3] {
        let mut file = sample.clone();
        for (angle, value) in [0.3, right - off, -1.2].into_iter().enumerate() {
            file.set(&format!("joints[0].rotation[{angle}]"), value).expect("an angle");
            file.set(&format!("joints[1].rotation[{angle}]"), 0.0).expect("an angle");
        }
        let mut edited = [file.clone()];
        assert_eq!(remove(&mut edited, Entity::Bone, b"root").expect("a joint with a child"), 1);
        assert_same_places("ms3d", &[file], &edited, b"root");
    }
}

#[test]
fn a_bone_whose_children_share_their_keys_with_others_stays() {
    let [mut mesh, animations] =
        ["psk/set.psk", "psk/set.psa"].map(|name| folders::sample(&format!("corpus/{name}")).file);
    mesh.set("bones[2].parent_index", 1).expect("a parent");
    let mut files = [mesh, animations];
    let child = names(&files[0]).expect("names").into_iter().filter(|own| own.entity == Entity::Bone).nth(2);
    let child = String::from_utf8(child.expect("a child").text).expect("text");
    let removed = |files: &[File; 2]| remove(&mut files.clone(), Entity::Bone, b"top");
    assert_eq!(removed(&files).expect("both"), 2);
    files[0].set("bones[3].name", child.to_uppercase().as_str()).expect("a name");
    let error = removed(&files).unwrap_err().to_string();
    assert!(error.contains(&format!("several bones of the mesh have the name `{child}`")), "{error}");
}

#[test]
fn a_frame_without_a_name_cannot_inherit_keys() {
    let file = |inner: &str| {
        let text = format!(
            "xof 0303txt 0032\nFrame Root {{ Frame Arm {{ Frame {{ {inner} }} Frame Hand {{ }} }} }}\n\
             AnimationSet Wave {{ Animation {{ {{ Arm }} AnimationKey {{ 2; 1; 0; 3; 1,2,3;;; }} }} }}\n"
        );
        FileKind::X.decode(text.as_bytes(), &bindpose::Options::default()).expect("a file")
    };
    for filled in ["Frame Tip { }", "Mesh { 0;; 0;; }", "{ Skin }"] {
        let error = remove(&mut [file(filled)], Entity::Bone, b"Arm").unwrap_err().to_string();
        assert!(error.contains("a frame without a name"), "{error}");
    }
    let before = [file("")];
    let mut after = before.clone();
    assert_eq!(remove(&mut after, Entity::Bone, b"Arm").expect("nothing moves"), 1);
    assert_same_places("x", &before, &after, b"Arm");
}

/// Removes a frame of an `.x` file; returns the positions of the meshes before and after, in model space.
fn positions_without(text: &str, frame: &str) -> [Vec<[f32; 3]>; 2] {
    let file = FileKind::X.decode(text.as_bytes(), &bindpose::Options::default()).expect("a file");
    let mut edited = [file.clone()];
    remove(&mut edited, Entity::Bone, frame.as_bytes()).expect("the frame goes");
    let [edited] = edited;
    assert_sound(frame, &file, &edited);
    [file, edited].map(|file| {
        let scene = Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default());
        let places = scene.posed(None, 0.0).into_iter().flat_map(|mesh| mesh.positions);
        places.map(<[f32; 3]>::from).collect()
    })
}

#[test]
fn meshes_in_scaled_frames_stay_where_they_were() {
    for matrix in [
        "2,0,0,0, 0,3,0,0, 0,0,0.5,0, 1,2,3,1",
        "-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1",
        "1,0,0,0, 0.5,1,0,0, 0,0,1,0, 0,0,4,1",
    ] {
        let text = format!(
            "xof 0303txt 0032\nMaterial Box {{ 1;1;1;1;; 1; 1;1;1;; 0;0;0;; }}\nFrame Root {{ Frame Box {{ FrameTransformMatrix {{ {matrix};; }} Mesh Side {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; \
             MeshNormals {{ 1; 0;0;1;; 1; 3;0,0,0;; }} MeshMaterialList {{ 1; 1; 0;; {{ Box }} }} }} }} }}\n"
        );
        let [before, after] = positions_without(&text, "Box");
        assert_eq!(before.len(), 3);
        assert!(!before.is_empty() && before.len() == after.len(), "{matrix}");
        // The transforms of scenes have no shear.
        let is_sheared = matrix.starts_with("1,0,0,0, 0.5");
        let before =
            if is_sheared { vec![[0.0, 0.0, -4.0], [1.0, 0.0, -4.0], [0.5, 1.0, -4.0]] } else { before };
        for (old, new) in before.iter().flatten().zip(after.iter().flatten()) {
            assert!((old - new).abs() < 1e-5, "{matrix}: {before:?} {after:?}");
        }
    }
}

/// A still clip of an IQM file has no data for its frames, so that their number can be any.
#[test]
fn frames_without_data_take_no_memory() {
    let skeleton = Skeleton::new(vec![Bone { name: "hip".into(), ..Bone::default() }]).0;
    let translation = Curve::straight([(0.0, Vec3::ZERO), (1.0, Vec3::ZERO)]);
    let clip = Clip {
        name: "still".into(),
        tracks: vec![Track { translation, ..Track::default() }],
        ..Clip::default()
    };
    let scene = Scene { skeleton, clips: vec![clip], ..Scene::default() };
    let written = FormatSpec::from(FileKind::Iqm).author(scene, "hero", &Authoring::default());
    let file = written.expect("a still clip").files.remove(0).file;
    assert_eq!(file.get("num_framechannels").expect("a count").as_i64(), Some(0));
    let mut bytes = file.encode().expect("bytes");
    // The number of frames.
    bytes[92..96].copy_from_slice(&[255; 4]);
    let file = FileKind::Iqm.decode(&bytes, &file.options()).expect("a file");
    assert_eq!(file.get("num_frames").expect("a count").as_i64(), Some(u32::MAX.into()));
    let removed = |file: File| remove(&mut [file], Entity::Clip, b"still");
    assert!(removed(file.clone()).is_err());
    let budget = Budget::of(&Limits::none(), 0);
    assert!(transform(&mut [file], glam::Quat::IDENTITY, Vec3::X, &budget).is_err());
}
