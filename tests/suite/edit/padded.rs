//! Names with blanks at their end, as ActorX writes them, are found by the names that people type.

use std::collections::BTreeSet;

use bindpose::edit::{Entity, Renames, names, remove, rename};
use bindpose::schema::{EditError, PathError, escape, padded_like, unpadded};
use bindpose::{Error, ErrorKind, File, FileKind};

use super::files;

/// The different names of a kind in a file.
fn texts(file: &File, entity: Entity) -> BTreeSet<Vec<u8>> {
    let names = names(file).expect("names").into_iter();
    names
        .filter(|name| name.entity == entity && !unpadded(&name.text).is_empty())
        .map(|name| name.text)
        .collect()
}

/// The file with blanks after each name of a kind; none if the format has no room for them.
fn padded(file: &File, entity: Entity) -> Option<File> {
    let mut renames = Renames::new();
    for text in texts(file, entity) {
        renames.add(entity, text.clone(), [&text[..], b"   "].concat()).expect("a new name");
    }
    let mut padded = file.clone();
    rename(&mut padded, &renames).ok().filter(|renamed| !renamed.is_empty()).map(|_| padded)
}

fn renamed(file: &File, entity: Entity, old: &[u8], new: &[u8]) -> Result<File, Error> {
    let mut edited = file.clone();
    let renames = Renames::new().with(entity, old, new)?;
    renames.all_among(&names(file)?)?;
    rename(&mut edited, &renames)?;
    Ok(edited)
}

#[test]
fn names_without_their_blanks_are_those_of_the_same_objects() {
    let mut seen = BTreeSet::new();
    for (name, file) in files() {
        for entity in Entity::ALL {
            let Some(padded) = padded(&file, entity) else { continue };
            for text in texts(&padded, entity).into_iter().take(4) {
                let short = unpadded(&text);
                let same_length = [&short[..short.len() - 1], b"~"].concat();
                let exact = renamed(&padded, entity, &text, &padded_like(&same_length, &text));
                let loose = renamed(&padded, entity, short, &same_length);
                let (Ok(exact), Ok(loose)) = (exact, loose) else { continue };
                assert!(exact.encode() == loose.encode(), "{name}: `{}`", escape(&text));
                let again = renamed(&loose, entity, &same_length, short).expect("the former name");
                assert!(again.encode() == padded.encode(), "{name}: `{}` is not restored", escape(&text));
                let removed = |name: &[u8]| {
                    let mut files = [padded.clone()];
                    let removed = remove(&mut files, entity, name);
                    removed.map(|_| files.map(|file| file.encode().expect("bytes")))
                };
                match (removed(&text), removed(short)) {
                    (Ok(exact), Ok(loose)) => assert_eq!(exact, loose, "{name}: `{}`", escape(&text)),
                    (Err(_), Err(_)) => {}
                    _ => panic!("{name}: only one of the names of `{}` is removed", escape(&text)),
                }
                seen.insert((file.kind().name(), entity.name()));
            }
        }
    }
    for (format, entity) in [
        ("psk", "bone"),
        ("psa", "bone"),
        ("psa", "clip"),
        ("ms3d", "bone"),
        ("ms3d", "texture"),
        ("psk", "material"),
    ] {
        assert!(seen.contains(&(format, entity)), "{format} {entity}: {seen:?}");
    }
}

#[test]
fn paths_select_elements_by_names_without_their_blanks() {
    let mut lists = 0;
    for (name, file) in files() {
        let Some(padded) = padded(&file, Entity::Bone) else { continue };
        for own in names(&padded).expect("names").into_iter().filter(|own| own.is_definition).take(4) {
            let Some((list, _)) = own
                .path
                .split_last()
                .and_then(|(element, _)| element.split_last().map(|(list, step)| (list, step.clone())))
            else {
                continue;
            };
            let by_name =
                |text: &[u8]| padded.get_text(&format!("{list}[\"{}\"]", escape(text).replace('"', "\\\"")));
            let Ok(exact) = by_name(&own.text) else { continue };
            assert_eq!(by_name(unpadded(&own.text)).as_ref(), Ok(&exact), "{name}: {}", own.path);
            lists += 1;
        }
    }
    assert!(lists > 100, "{lists}");
}

fn model(names: &[&str]) -> File {
    let mut file = FileKind::Ms3d.blank();
    for (index, name) in names.iter().enumerate() {
        file.append("joints").expect("a joint");
        file.set(&format!("joints[{index}].name"), *name).expect("a name");
    }
    file
}

fn bones(file: &File) -> Vec<String> {
    names(file).expect("names").iter().map(|name| escape(&name.text)).collect()
}

#[test]
fn exact_names_precede_padded_ones_and_two_paddings_are_ambiguous() {
    let file = model(&["a", "a  ", "b ", "b   "]);
    assert_eq!(
        bones(&renamed(&file, Entity::Bone, b"a", b"c").expect("the exact one")),
        ["c", "a  ", "b ", "b   "]
    );
    let ambiguous =
        "`b` is ambiguous; the names of the bones `b ` and `b   ` differ in the blanks at their end";
    let error = renamed(&file, Entity::Bone, b"b", b"c").expect_err("two bones");
    assert_eq!(error.to_string(), ambiguous);
    let error = remove(&mut [file.clone()], Entity::Bone, b"b").expect_err("two bones");
    assert_eq!(error.to_string(), ambiguous);
    let error = file.get_text("joints[\"b\"].name").expect_err("two bones");
    assert!(matches!(error.kind(), ErrorKind::Path(PathError::Ambiguous { .. })), "{error}");
    assert_eq!(
        file.get_text("joints[\"a\"].flags").expect("the exact one")[0].0.to_string(),
        "joints[0].flags"
    );
    // A name that differs from another one in blanks only is taken for the same by importers.
    let error = renamed(&model(&["a", "b"]), Entity::Bone, b"a", b"b  ").expect_err("the same name");
    assert!(matches!(error.kind(), ErrorKind::Value(EditError::NameTaken { .. })), "{error}");
    let two = Renames::new().with(Entity::Bone, "a", "c").and_then(|own| own.with(Entity::Bone, "a ", "d"));
    let two = two.expect("different names");
    let mut file = model(&["a ", "a"]);
    rename(&mut file, &two).expect("exact names");
    assert_eq!(bones(&file), ["d", "c"]);
    let error = rename(&mut model(&["a  "]), &two).expect_err("two names for one bone");
    assert!(matches!(error.kind(), ErrorKind::Value(EditError::TwoNames { .. })), "{error}");
}

#[test]
fn references_follow_whatever_their_padding() {
    let mut file = model(&["root   ", "leaf"]);
    file.set("joints[1].parent_name", "root").expect("a name");
    let file = renamed(&file, Entity::Bone, b"root", b"hip").expect("a bone");
    assert_eq!(bones(&file), ["hip    ", "leaf", "hip"]);
    let stripped = renamed(&file, Entity::Bone, b"hip    ", b"hip").expect("an exact name");
    assert_eq!(bones(&stripped), ["hip", "leaf", "hip"]);
}
