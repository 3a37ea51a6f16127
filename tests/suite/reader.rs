//! Files that are read with limits, and sets that are written whole or not at all.

use std::fs;
use std::time::Duration;

use bindpose::scene::author::{AuthorError, Authoring};
use bindpose::scene::{Part, Scene, Settings};
use bindpose::{Budget, Error, ErrorKind, FormatSpec, LimitError, Limits, Reader};

use crate::folders::{self, Sample};

fn exceeds_time(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Limit(LimitError::Time { .. }))
}

#[test]
fn nothing_is_read_made_or_written_after_the_time_is_over() {
    let none = Limits::default().with_max_time(Duration::ZERO);
    for Sample { name, bytes, file, .. } in folders::samples("corpus") {
        let spec = FormatSpec { kind: file.kind(), dialect: file.dialect() };
        let read = Reader::new(bytes.clone()).format(spec);
        let late = read.clone().limits(none).read().expect_err("no time");
        assert!(exceeds_time(&late), "{name}: {late}");
        let soon = Limits::default().with_max_time(Duration::from_secs(3600));
        assert_eq!(read.limits(soon).read().expect("an hour").bytes(), bytes, "{name}");

        let parts = [Part { name: "hero", file: file.as_scene_source() }];
        let scene = Scene::of(&parts, &Settings::default());
        if scene == (Scene { losses: scene.losses.clone(), ..Scene::default() }) {
            continue;
        }
        let budget = || Budget::of(&none, bytes.len() as u64);
        let late = Scene::within(&parts, &Settings::default(), &budget()).expect_err("no time");
        assert!(exceeds_time(&late), "{name}: {late}");
        let mut settings = Authoring::default();
        settings.budget = Some(budget());
        let late = FormatSpec::from(bindpose::FileKind::Ms3d).author(&scene, "hero", &settings);
        let why = LimitError::Time { permitted: Duration::ZERO };
        assert!(matches!(late, Err(AuthorError::Memory { why: own, .. }) if own == why), "{name}");
    }
}

#[test]
fn the_limits_hold_for_the_bytes_of_a_file_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("long.ms3d");
    fs::write(&path, [b"MS3D000000\x04\0\0\0".as_slice(), &vec![0; 1 << 16]].concat()).expect("a file");
    let limits = Limits::default().with_max_memory(1000).with_max_memory_per_byte(0);
    let error = Reader::open(&path).limits(limits).read().expect_err("too long");
    assert!(matches!(error.kind(), ErrorKind::Limit(LimitError::Memory { .. })), "{error}");
}

#[test]
fn errors_of_the_disk_name_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing.psk");
    for path in [&*missing, folder.path()] {
        let error = bindpose::open(path).expect_err("no file").to_string();
        assert!(error.starts_with(&path.display().to_string()), "{error}");
    }
    let document = bindpose::Document::of(bindpose::FileKind::Psk.blank()).expect("a blank file");
    let unwritable = missing.join("inside.psk");
    let error = document.save(&unwritable).expect_err("no directory").to_string();
    assert!(error.starts_with(&unwritable.display().to_string()), "{error}");
}

#[test]
fn a_name_determines_the_format_where_the_content_does_not() {
    let is_silent = |own: &Sample| FormatSpec::detect("".as_ref(), &own.bytes).is_none();
    let silent: Vec<_> = folders::samples("corpus").filter(is_silent).collect();
    assert!(!silent.is_empty());
    for Sample { name, bytes, file, .. } in silent {
        assert!(Reader::new(bytes.clone()).read().is_err(), "{name}");
        let dialect = file.dialect().map_or_else(String::new, |own| format!("+{own}"));
        let called = format!("hero.{}{dialect}.bin", file.kind().name());
        let read = Reader::new(bytes).named(&called).read().map(|own| own.file().kind());
        assert_eq!(read, Ok(file.kind()), "{name} as {called}");
    }
}

#[test]
fn a_name_does_not_change_which_file_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stored.tmp");
    fs::write(&path, bindpose::FileKind::Ms3d.blank().encode().expect("a file")).expect("a file");
    let named = folder.path().join("hero.ms3d");
    fs::write(&named, b"another").expect("a file");
    assert!(Reader::open(&path).named(&named).read().is_ok());
}

mod sets {
    use std::fs;
    use std::path::PathBuf;

    use bindpose::scene::Settings;
    use bindpose::{Document, FileKind, Limits, Set};

    fn files(folder: &tempfile::TempDir) -> [PathBuf; 2] {
        ["one.ms3d", "two.ms3d"].map(|name| {
            let path = folder.path().join(name);
            let mut file = FileKind::Ms3d.blank();
            file.append("joints").expect("a list");
            Document::of(file).and_then(|own| own.save(&path)).expect("a file");
            path
        })
    }

    #[test]
    fn a_change_that_fails_leaves_all_files_as_they_were() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut set = Set::open(files(&folder)).expect("two files");
        let before: Vec<_> = set.documents().map(|(_, own)| own.clone()).collect();
        let changed = set.edit(|files| {
            files[0].set("joints[0].name", "hip")?;
            files[1].set("joints[7].name", "hip")
        });
        assert!(changed.is_err());
        assert_eq!(set.documents().map(|(_, own)| own.clone()).collect::<Vec<_>>(), before);
        assert_eq!(set.save().expect("nothing to write"), Vec::<PathBuf>::new());
    }

    #[test]
    fn two_paths_of_one_file_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let [first, _] = files(&folder);
        let again = folder.path().join(".").join("one.ms3d");
        let error = Set::open([&first, &again]).expect_err("one file").to_string();
        assert!(error.contains("is the same file as another one of the set"), "{error}");
    }

    /// The memory of a scene is that of the scene only: one more does not add to it.
    #[test]
    fn scenes_are_made_as_often_as_needed() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = files(&folder);
        let scenes = |max_memory: u64, times: usize| {
            let limits = Limits::none().with_max_memory(max_memory);
            let set = Set::open_within(&paths, &limits)?;
            (0..times).try_for_each(|_| set.scene(&Settings::default()).map(drop))
        };
        let least =
            (8..30).map(|power| 1 << power).find(|own| scenes(*own, 1).is_ok()).expect("enough memory");
        assert!(scenes(least / 2, 1).is_err(), "a limit applies");
        assert_eq!(scenes(least, 1000), Ok(()));
    }

    #[test]
    fn only_changed_files_are_written_and_none_if_one_changed_on_the_disk() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = files(&folder);
        let mut set = Set::open(&paths).expect("two files");
        set.edit(|files| files[1].set("animation.fps", 12)).expect("a value");
        assert_eq!(set.save().expect("one file"), [paths[1].clone()]);

        set.edit(|files| files.iter_mut().try_for_each(|file| file.set("animation.fps", 60).map(drop)))
            .expect("a value");
        let [first, second] = [&paths[0], &paths[1]].map(|path| fs::read(path).expect("a file"));
        let foreign = [&*second, b"more"].concat();
        fs::write(&paths[1], &foreign).expect("another program");
        let error = set.save().expect_err("changed meanwhile").to_string();
        assert!(error.contains("two.ms3d"), "{error}");
        assert_eq!(
            [fs::read(&paths[0]).expect("a file"), fs::read(&paths[1]).expect("a file")],
            [first, foreign]
        );
    }
}
