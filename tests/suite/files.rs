//! Files that are written whole or not at all, alone and as sets, whatever fails.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bindpose::files::faults::{Fault, with};
use bindpose::files::{self, Draft, FileError, IfExists, LineReader, Place, Transaction};

/// The contents of all files below a directory.
fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = walkdir::WalkDir::new(directory).into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    let name = |path: &Path| path.strip_prefix(directory).unwrap().to_str().unwrap().replace('\\', "/");
    files.map(|file| (name(file.path()), fs::read(file.path()).unwrap())).collect()
}

/// A folder with files of which a set changes two, with their originals, replaces one and creates two.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("other")).unwrap();
    for (name, text) in [("a.psk", "Root"), ("other/b.psa", "Root!"), ("c.txt", "old"), ("d.txt", "stays")] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn write_set(root: &Path) -> Result<(), FileError> {
    let mut set = Transaction::new();
    let blame =
        |path: &Path, result: io::Result<()>| result.map_err(|cause| FileError { path: path.into(), cause });
    for (name, before, after) in [("other/b.psa", "Root!", "Hip!!"), ("a.psk", "Root", "Hip")] {
        let path = root.join(name);
        blame(&path, set.edit(&path, [before.as_bytes(), after.as_bytes()], true))?;
    }
    for (name, if_exists) in
        [("c.txt", IfExists::Replace), ("new/deep/e.txt", IfExists::Fail), ("f.txt", IfExists::Same)]
    {
        let place = Place::below(root, name).unwrap();
        let written = set.create_directories(&place).and_then(|()| {
            let mut draft = set.draft(&place, if_exists)?;
            draft.write_all(name.as_bytes())?;
            set.add(draft)
        });
        blame(place.path(), written)?;
    }
    set.commit().map(drop)
}

#[test]
fn whatever_operation_fails_a_set_is_all_old_or_all_new() {
    let before = contents(folder().path());
    let (after, count) = {
        let folder = folder();
        let (done, count) = with(Fault::None, || write_set(folder.path()));
        done.unwrap();
        (contents(folder.path()), count)
    };
    assert_eq!(after.len(), 8, "with two originals and two new files: {:?}", after.keys());
    assert_eq!(after["other/b.psa"], b"Hip!!");
    assert_eq!(after["other/b.psa.orig"], b"Root!");
    assert!(count > 40, "{count} operations");
    for at in 0..count {
        for fault in [Fault::Single(at), Fault::From(at)] {
            let folder = folder();
            let (done, _) = with(fault, || write_set(folder.path()));
            if fault == Fault::From(at)
                || contents(folder.path()).keys().any(|name| name.contains(".bindpose-"))
            {
                // The next run.
                for directory in ["other", "", "new/deep"] {
                    files::sweep(&folder.path().join(directory));
                }
            }
            let now = contents(folder.path());
            assert!(now == before || now == after, "{fault:?} of {count}: {:?}, {done:?}", now.keys());
            assert!(done.is_err() || now == after, "{fault:?}: success with the old files");
            if matches!(fault, Fault::Single(_)) {
                assert_eq!(now == after, done.is_ok(), "{fault:?}: {done:?}");
                assert!(
                    done.is_ok() || !folder.path().join("new").exists(),
                    "{fault:?}: a directory is left"
                );
            }
        }
    }
}

#[test]
fn an_undo_that_is_killed_is_finished_later() {
    let before = contents(folder().path());
    let (_, count) = with(Fault::None, || write_set(folder().path()));
    for at in 0..count {
        for again in [0, 3] {
            let folder = folder();
            let (done, _) = with(Fault::From(at), || write_set(folder.path()));
            let sweep = || ["", "other", "new/deep"].map(|own| files::sweep(&folder.path().join(own)));
            with(Fault::From(again), sweep);
            sweep();
            let now = contents(folder.path());
            assert!(
                now == before || now["a.psk"] == b"Hip" && now["c.txt"] == b"c.txt",
                "{at}, {again}: {done:?}"
            );
            assert!(now.keys().all(|name| !name.contains(".bindpose-")), "{at}, {again}: {:?}", now.keys());
        }
    }
}

#[test]
fn the_files_of_a_run_in_progress_stay() {
    let folder = folder();
    let mut set = Transaction::new();
    let mut draft = set.draft(&Place::named(folder.path().join("g.txt")), IfExists::Fail).unwrap();
    draft.write_all(b"text").unwrap();
    set.add(draft).unwrap();
    let alone = Draft::new(&Place::named(folder.path().join("h.txt")), IfExists::Fail).unwrap();
    let count = contents(folder.path()).len();
    files::sweep(folder.path());
    assert_eq!(contents(folder.path()).len(), count);
    set.commit().unwrap();
    alone.publish().unwrap();
    assert_eq!(contents(folder.path())["g.txt"], b"text");
    assert_eq!(contents(folder.path()).len(), 6);
}

#[test]
fn a_file_that_was_changed_meanwhile_is_not_lost() {
    let folder = folder();
    let before = contents(folder.path());
    let mut set = Transaction::new();
    for (name, old) in [("a.psk", "Root"), ("c.txt", "other than it was")] {
        set.edit(&folder.path().join(name), [old.as_bytes(), b"new"], true).unwrap();
    }
    let failed = set.commit().unwrap_err();
    assert!(
        failed.path.ends_with("c.txt") && failed.cause.to_string().contains("changed by another"),
        "{failed}"
    );
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn two_edits_of_a_set_at_the_same_time_lose_nothing() {
    let folder = folder();
    let names = ["a.psk", "other/b.psa", "c.txt"];
    for name in &names {
        fs::write(folder.path().join(name), "0").unwrap();
    }
    // Each adds 1 to the number in all files.
    let add = |order: [&str; 3]| {
        let root = folder.path();
        let numbers: Vec<_> = order.map(|name| fs::read_to_string(root.join(name)).unwrap()).into();
        let mut set = Transaction::new();
        for (name, old) in order.iter().zip(&numbers) {
            let new = (old.parse::<u64>().unwrap() + 1).to_string();
            set.edit(&root.join(name), [old.as_bytes(), new.as_bytes()], false).unwrap();
        }
        set.commit().is_ok()
    };
    let orders = [names, [names[2], names[1], names[0]], [names[1], names[0], names[2]]];
    let done: usize = std::thread::scope(|scope| {
        let work = |order| scope.spawn(move || (0..40).filter(|_| add(order)).count());
        orders.map(work).into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let now = contents(folder.path());
    assert_eq!(now.len(), 4, "{:?}", now.keys());
    assert!(names.iter().all(|name| now[*name] == done.to_string().into_bytes()), "{done}: {now:?}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_only_where_the_user_gave_the_path() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let root = folder.path();
    symlink("a.psk", root.join("link")).unwrap();
    symlink("other", root.join("directory")).unwrap();
    fs::set_permissions(root.join("a.psk"), fs::Permissions::from_mode(0o600)).unwrap();
    files::write(root.join("link"), b"new", IfExists::Replace).unwrap();
    assert!(root.join("link").is_symlink());
    assert_eq!(fs::read(root.join("a.psk")).unwrap(), b"new");
    assert_eq!(fs::metadata(root.join("a.psk")).unwrap().permissions().mode() & 0o777, 0o600);
    for refused in ["link", "directory/b.psa", "../a.psk", "/a.psk", "", ".", "other/../a.psk"] {
        assert!(Place::below(root, refused).is_err(), "{refused}");
    }
    assert!(Place::below(root.join("directory"), "b.psa").is_ok(), "the user gave the link");
    // A link that appears later is not followed either.
    let place = Place::below(root, "later/c.txt").unwrap();
    fs::create_dir(root.join("later")).unwrap();
    let mut draft = Draft::new(&place, IfExists::Replace).unwrap();
    draft.write_all(b"text").unwrap();
    fs::rename(root.join("later"), root.join("moved")).unwrap();
    symlink("other", root.join("later")).unwrap();
    assert!(draft.publish().is_err());
    assert!(!root.join("other/c.txt").exists());
}

#[test]
fn a_name_that_is_taken_is_not_overwritten() {
    let folder = folder();
    let write = |bytes: &[u8], if_exists| files::write(folder.path().join("d.txt"), bytes, if_exists);
    assert_eq!(write(b"new", IfExists::Fail).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(write(b"new", IfExists::Same).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    write(b"stays", IfExists::Same).unwrap();
    assert_eq!(contents(folder.path()).len(), 4, "nothing is left");
    let long = folder.path().join("x".repeat(250));
    files::write(&long, b"text", IfExists::Fail).unwrap();
}

#[test]
fn a_file_that_differs_from_what_was_written_is_refused() {
    use std::io::Seek as _;
    let folder = tempfile::tempdir().unwrap();
    let mut draft = Draft::new(&Place::named(folder.path().join("a.psk")), IfExists::Fail).unwrap();
    draft.write_all(b"first").unwrap();
    draft.read_back().unwrap();
    // What follows is written after the part that was read.
    draft.write_all(b"second").unwrap();
    draft.read_back().unwrap();
    draft.file().rewind().unwrap();
    draft.file().write_all(b"F").unwrap();
    assert_eq!(draft.read_back().unwrap_err().kind(), io::ErrorKind::InvalidData);
    drop(draft);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
}

#[test]
fn a_journal_reaches_no_other_directory() {
    let folder = folder();
    let before = contents(folder.path());
    for name in ["../d.txt", "other/b.psa", "..", "/d.txt"] {
        write_journal(&folder.path().join("other"), 0, &removal(name, b"stays"));
        files::sweep(&folder.path().join("other"));
        assert_eq!(contents(folder.path()), before, "{name}");
    }
}

/// One could come from an archive, or from another user.
#[cfg(unix)]
#[test]
fn a_journal_from_elsewhere_removes_nothing() {
    let folder = folder();
    let before = contents(folder.path());
    let removal = removal("d.txt", b"stays");
    // Of another inode, of another version, and another file.
    let journal = write_journal(folder.path(), 1, &removal);
    let former = format!("bindpose transaction 1\0{removal}");
    for content in [fs::read(&journal).unwrap(), former.into(), b"a note".to_vec()] {
        fs::write(&journal, &content).unwrap();
        files::sweep(folder.path());
        assert_eq!(fs::read(&journal).unwrap(), content);
        assert_eq!(contents(folder.path()).len(), before.len() + 1);
    }
    // Only the superuser can give a file to others.
    if std::os::unix::fs::chown(write_journal(folder.path(), 0, &removal), Some(12_345), None).is_ok() {
        files::sweep(folder.path());
        assert_eq!(contents(folder.path()).len(), before.len() + 1);
    }
    write_journal(folder.path(), 0, &removal);
    files::sweep(folder.path());
    assert_eq!(contents(folder.path()).len(), before.len() - 1, "its own journal removes the file");
}

/// The content of a journal after its start: a run wrote a file with this content.
fn removal(name: &str, content: &[u8]) -> String {
    let hash = twox_hash::XxHash3_128::oneshot(content);
    format!("\00\00 {hash:032x} false\0{name}\0end\0")
}

/// Writes a journal that states an inode so far from its own.
fn write_journal(folder: &Path, apart: u64, rest: &str) -> PathBuf {
    let path = folder.join(".bindpose-unfinished-abcdef");
    let _ = fs::remove_file(&path);
    let file = fs::File::create(&path).unwrap();
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(&file.metadata().unwrap());
    #[cfg(not(unix))]
    let inode = {
        drop(file);
        0
    };
    fs::write(&path, format!("bindpose transaction 2\0{}\0{rest}", inode + apart)).unwrap();
    path
}

/// Its first content would be lost.
#[test]
fn an_original_is_not_edited_with_its_file() {
    let folder = folder();
    let [file, original] = ["d.txt", "d.txt.orig"].map(|name| folder.path().join(name));
    fs::copy(&file, &original).unwrap();
    let before = contents(folder.path());
    let mut set = Transaction::new();
    for path in [&file, &original] {
        set.edit(path, [b"stays", b"goes"], true).unwrap();
    }
    let error = set.commit().unwrap_err();
    assert!(error.to_string().contains("is the original of \"d.txt\""), "{error}");
    assert_eq!(contents(folder.path()), before);
}

/// A link to the file keeps nothing.
#[cfg(unix)]
#[test]
fn a_link_is_no_original() {
    let folder = folder();
    std::os::unix::fs::symlink("d.txt", folder.path().join("d.txt.orig")).unwrap();
    let mut set = Transaction::new();
    set.edit(&folder.path().join("d.txt"), [b"stays", b"goes"], true).unwrap();
    let published = set.commit().unwrap();
    let original = published[0].original.as_deref().expect("an original");
    assert_eq!(fs::read(original).unwrap(), b"stays");
    assert_eq!(original.file_name().unwrap(), "d.txt.orig.1");
}

/// Wherever a link leads, it stays.
#[cfg(unix)]
#[test]
fn links_are_followed_to_files_that_do_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("new.txt", &link).unwrap();
    files::write(&link, b"text", IfExists::Replace).unwrap();
    assert_eq!(fs::read(folder.path().join("new.txt")).unwrap(), b"text");
    assert!(link.is_symlink());
    let circle = folder.path().join("circle");
    std::os::unix::fs::symlink("circle", &circle).unwrap();
    files::write(&circle, b"text", IfExists::Replace).unwrap_err();
    assert!(circle.is_symlink());
}

/// Access control lists have the same interface.
#[cfg(target_os = "linux")]
#[test]
fn attributes_are_kept() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let folder = folder();
    let path = folder.path().join("d.txt");
    if setxattr(&path, "user.comment", b"mine", XattrFlags::empty()).is_err() {
        eprintln!("skipped: the file system has no attributes");
        return;
    }
    let mut set = Transaction::new();
    set.edit(&path, [b"stays", b"goes"], true).unwrap();
    set.commit().unwrap();
    for name in ["d.txt", "d.txt.orig"] {
        let mut value = [0; 8];
        let len = getxattr(folder.path().join(name), "user.comment", &mut value[..]).unwrap();
        assert_eq!(&value[..len], b"mine", "{name}");
    }
}

#[test]
fn names_of_products_are_known() {
    for name in [
        "a.psk.orig",
        "a.psk.orig.1",
        "a.orig.12",
        ".bindpose-unfinished-Ab12yZ.new",
        ".bindpose-unfinished-Ab12yZ.1.old",
    ] {
        assert!(files::is_product(name), "{name}");
    }
    for name in [
        "a.psk",
        ".orig",
        ".orig.1",
        "a.orig.psk",
        "a.orig.",
        "a.orig1",
        "1",
        "",
        "a.bindpose-unfinished-Ab12yZ",
        ".bindpose-config",
    ] {
        assert!(!files::is_product(name), "{name}");
    }
}

#[test]
fn lines_have_a_limit() {
    let lines = |text: &str, max_len| {
        let lines = LineReader::new(io::Cursor::new(text.to_owned())).with_max_len(max_len);
        lines.map(|line| line.map_err(|error| error.kind())).collect::<Vec<_>>()
    };
    assert_eq!(lines("ab\r\n\ncd", 2), [Ok("ab".into()), Ok(String::new()), Ok("cd".into())]);
    assert_eq!(lines("a\nabc\nb", 2), [Ok("a".into()), Err(io::ErrorKind::InvalidData)]);
    assert_eq!(lines("", 2), []);
}
