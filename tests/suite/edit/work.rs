//! The work of edits grows with the size of files, whatever the shape of their skeletons.

use bindpose::edit::{Entity, Renames, merge, names, remove, remove_all, rename};
use bindpose::internals::work;
use bindpose::scene::author::Authoring;
use bindpose::scene::{Bone, Clip, Curve, Scene, Skeleton, Track, Transform};
use bindpose::schema::{EditError, NameIndex, get_text};
use bindpose::{ErrorKind, File, FileKind, FormatSpec};
use glam::Vec3;

/// The formats with bones, and the number of bones of the smaller file: MilkShape 3D permits 128.
const FORMATS: [(FileKind, usize); 8] = [
    (FileKind::Ms3d, 60),
    (FileKind::Psk, 200),
    (FileKind::Psa, 200),
    (FileKind::Cal3dSkeleton, 200),
    (FileKind::MaxSkeleton, 200),
    (FileKind::UnigineMesh, 200),
    (FileKind::UnigineAnim, 200),
    (FileKind::X, 200),
];

/// A skeleton: the parent of each bone.
type Shape = (&'static str, fn(usize) -> Option<usize>);

const SHAPES: [Shape; 3] = [
    ("chain", |bone| bone.checked_sub(1)),
    ("star", |bone| (bone > 0).then_some(0)),
    ("bush", |bone| Some(bone.checked_sub(1)? / 4)),
];

/// Returns a file with bones, which a clip moves where the format has clips.
fn file(kind: FileKind, len: usize, prefix: &str, parent: fn(usize) -> Option<usize>) -> File {
    let bind = Transform { translation: Vec3::Y, ..Transform::default() };
    let bone = |bone| Bone { name: format!("{prefix}{bone}"), parent: parent(bone), bind };
    let skeleton = Skeleton::new((0..len).map(bone).collect()).0;
    let translation = Curve::straight([(0.0, Vec3::Y), (1.0, Vec3::X)]);
    let track = |bone| Track { bone, translation: translation.clone(), ..Track::default() };
    let clips = vec![Clip { name: prefix.into(), tracks: (0..len).map(track).collect(), ..Clip::default() }];
    let scene = Scene { skeleton, clips, ..Scene::default() };
    let written = FormatSpec::from(kind).author(&scene, prefix, &Authoring::default());
    written.unwrap_or_else(|error| panic!("{}: {error}", kind.name())).files.remove(0).file
}

/// Asserts that the work on a file of twice the size is at most two and a half times as much.
#[track_caller]
fn is_linear(verb: &str, task: impl Fn(&File)) {
    for (kind, len) in FORMATS {
        for (shape, parent) in SHAPES {
            let [few, many] = [len, 2 * len].map(|len| {
                let file = file(kind, len, "b", parent);
                work(|| task(&file))
            });
            assert!(few > len / 2, "{verb} of a {shape} in {}: {few} is not counted", kind.name());
            assert!(2 * many <= 5 * few, "{verb} of a {shape} in {}: {few} and {many}", kind.name());
        }
    }
}

#[test]
fn the_work_of_a_removal_is_linear() {
    is_linear("the removal of the first bone", |file| {
        let bone = names(file)
            .expect("names")
            .into_iter()
            .find(|name| name.is_definition && name.entity == Entity::Bone);
        let removed = remove(&mut [file.clone()], Entity::Bone, &bone.expect("a bone").text);
        // An animation whose parents are all 0 does not have them.
        let is_refused = file.kind() == FileKind::Psa && removed.is_err();
        assert!(is_refused || matches!(removed, Ok(1)), "{}: {removed:?}", file.kind().name());
    });
}

#[test]
fn the_work_of_a_removal_of_all_clips_but_one_is_linear() {
    for kind in [FileKind::Psa, FileKind::X, FileKind::Iqm] {
        let [few, many] = [50, 100].map(|len| work_of_a_removal_of_clips(kind, len));
        assert!(few >= 50 && 2 * many <= 5 * few, "{}: {few} and {many}", kind.name());
    }
}

/// The work of the removal of all clips but one.
fn work_of_a_removal_of_clips(kind: FileKind, len: u8) -> usize {
    let track = Track {
        bone: 0,
        translation: Curve::straight([(0.0, Vec3::Y), (1.0, Vec3::splat(len.into()))]),
        ..Track::default()
    };
    let clip = |index| Clip { name: format!("clip{index}"), tracks: vec![track.clone()], ..Clip::default() };
    let skeleton = Skeleton::new(vec![Bone { name: "b".into(), ..Bone::default() }]).0;
    let scene = Scene { skeleton, clips: (0..len).map(clip).collect(), ..Scene::default() };
    let written = FormatSpec::from(kind).author(&scene, "b", &Authoring::default());
    let mut files = [written.expect("clips").files.remove(0).file];
    let names: Vec<_> = (1..len).map(|index| format!("clip{index}")).collect();
    let names: Vec<_> = names.iter().map(String::as_bytes).collect();
    work(|| {
        let removed = remove_all(&mut files, Entity::Clip, &names).expect("all but one");
        assert_eq!(removed, names.len());
    })
}

#[test]
fn the_work_of_a_merge_is_linear() {
    is_linear("the merge with itself", |file| drop(merge(&mut file.clone(), file)));
    for kind in [FileKind::Cal3dSkeleton, FileKind::MaxSkeleton, FileKind::X] {
        let [few, many] = [200, 400].map(|len| {
            let [mut own, other] = ["a", "b"].map(|prefix| file(kind, len, prefix, |_| None));
            work(|| merge(&mut own, &other).expect("other bones"))
        });
        assert!(2 * many <= 5 * few, "{}: {few} and {many}", kind.name());
    }
}

#[test]
fn the_work_of_renames_is_linear() {
    is_linear("new names for all bones", |file| {
        let mut renames = Renames::new();
        let all = names(file).expect("names");
        for name in all.iter().filter(|name| name.is_definition && name.entity == Entity::Bone) {
            renames.add(Entity::Bone, &*name.text, [&name.text, &b"x"[..]].concat()).expect("one new name");
        }
        renames.all_among(&all).expect("all are there");
        assert!(rename(&mut file.clone(), &renames).is_ok_and(|renamed| !renamed.is_empty()));
    });
}

#[test]
fn too_many_bones_of_one_name_are_not_removed_one_by_one() {
    let bone = |index: usize| Bone { name: "b".into(), parent: (index > 0).then_some(0), ..Bone::default() };
    let skeleton = Skeleton::new((0..3_000).map(bone).collect()).0;
    let scene = Scene { skeleton, ..Scene::default() };
    let written = FormatSpec::from(FileKind::Psk).author(&scene, "b", &Authoring::default()).expect("bones");
    let mut files = [written.files.into_iter().next().expect("a file").file];
    files[0].set("bones[*].name", "b").expect("names");
    let error = remove(&mut files, Entity::Bone, b"b").expect_err("too many");
    let ErrorKind::Value(EditError::Unsupported(why)) = error.kind() else { panic!("{error}") };
    assert!(why.starts_with("3000 bones have the name `b`, and "), "{why}");
}

#[test]
fn the_work_of_names_in_paths_is_linear() {
    let mut counted = 0;
    for (kind, len) in FORMATS {
        let [few, many] = [len, 2 * len].map(|len| {
            let file = file(kind, len, "b", |_| None);
            let list = ["joints", "bones"]
                .into_iter()
                .find(|list| file.get_text(&format!("{list}[0].name")).is_ok());
            let Some(list) = list else { return 0 };
            work(|| {
                let mut index = NameIndex::default();
                for bone in 0..len {
                    let path = format!("{list}[\"b{bone}\"].name").parse().expect("a path");
                    let path = index.indexed(file.value(), &path);
                    let name = get_text(file.value(), &path).expect("a name");
                    assert!(name.len() == 1 && name[0].1 == format!("b{bone}"), "{}: {path}", kind.name());
                }
            })
        });
        assert!(2 * many <= 5 * few, "{}: {few} and {many}", kind.name());
        counted += usize::from(few > len / 2);
    }
    assert!(counted >= 6, "{counted} formats");
}
