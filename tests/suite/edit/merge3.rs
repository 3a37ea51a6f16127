use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow::{Break, Continue};

use bindpose::edit::merge3;
use bindpose::schema::{self, Objects, Step, Target};
use bindpose::{FieldPath, File, FileKind};

use super::files;
use crate::folders;

/// The most values of a file that are tried.
const MOST: usize = 400;

/// Sets a value to another one that a file can have; returns whether there is one.
pub(super) fn change(file: &mut File, path: &str) -> bool {
    let Ok(old) = file.get_text(path) else { return false };
    for text in ["1", "2", "x", "hex:01", "hex:02"] {
        let mut edited = file.clone();
        let is_other =
            edited.set_text(path, text).is_ok() && edited.get_text(path).is_ok_and(|new| new != old);
        let is_valid = || edited.reread().is_ok_and(|again| again.file().damage().is_none());
        if is_other && is_valid() {
            *file = edited;
            return true;
        }
    }
    false
}

/// Paths of values that are in different places of a file.
pub(super) fn paths(file: &File) -> Vec<String> {
    let mut all = Vec::new();
    let _ = file.walk(&mut |place, _| {
        all.push(place.path.to_string());
        if all.len() < MOST { Continue(()) } else { Break(()) }
    });
    let step = (all.len() / 6).max(1);
    all.into_iter().step_by(step).collect()
}

#[test]
fn edits_of_different_values_are_merged() {
    let mut merged_files = 0;
    for (name, base) in files().filter(|(_, file)| file.damage().is_none()) {
        let paths = paths(&base);
        let Some(first) = paths.iter().find(|path| change(&mut base.clone(), path)) else { continue };
        let second =
            paths.iter().rev().take_while(|path| *path != first).find(|path| change(&mut base.clone(), path));
        let Some(second) = second else { continue };
        let (mut ours, mut theirs) = (base.clone(), base.clone());
        assert!(change(&mut ours, first) && change(&mut theirs, second), "{name}");
        let mut both = ours.clone();
        // A second value can depend on the first.
        if !change(&mut both, second) || both.get_text(second).ok() != theirs.get_text(second).ok() {
            continue;
        }
        merged_files += 1;
        for (a, b) in [(&ours, &theirs), (&theirs, &ours)] {
            let merged =
                merge3(&base, a, b).unwrap_or_else(|error| panic!("{name}: {first}, {second}: {error}"));
            assert_eq!(merged.conflicts, [], "{name}: {first}, {second}");
            assert!(merged.file.encode().ok() == both.encode().ok(), "{name}: {first}, {second}");
        }
        let same = merge3(&base, &ours, &ours).expect("one edit");
        assert!(same.conflicts.is_empty() && same.file.encode().ok() == ours.encode().ok(), "{name}");
        for (a, b) in [(&base, &ours), (&ours, &base)] {
            let one = merge3(&base, a, b).expect("one edit");
            assert!(one.conflicts.is_empty() && one.file.encode().ok() == ours.encode().ok(), "{name}");
        }
        let mut other = base.clone();
        let text = theirs.get_text(second).expect("a value")[0].1.clone();
        let is_new = |other: &File| [&base, &ours].iter().all(|old| old.encode().ok() != other.encode().ok());
        if other.set_text(first, &text).is_ok() && is_new(&other) {
            let merged = merge3(&base, &ours, &other).expect("two edits");
            assert!(!merged.conflicts.is_empty(), "{name}: {first}");
            assert!(merged.file.encode().ok() == ours.encode().ok(), "{name}: {first}");
        }
    }
    assert!(merged_files > 60, "{merged_files}");
}

fn sample() -> File {
    folders::sample("corpus/ms3d/full.ms3d").file
}

#[test]
fn values_are_set_in_the_elements_where_the_other_edit_left_them() {
    let base = sample();
    let mut ours = base.clone();
    ours.delete("vertices[1]").expect("a vertex");
    ours.delete("joints[1].position_keys[0]").expect("a key");
    let mut theirs = base.clone();
    theirs.set("vertices[2].position[0]", 7.5).expect("a vertex");
    theirs.set("joints[1].position_keys[1].time", 9.0).expect("a key");
    theirs.set("joints[\"top\"].name", "head").expect("a name");
    for (a, b) in [(&ours, &theirs), (&theirs, &ours)] {
        let merged = merge3(&base, a, b).expect("two edits");
        assert_eq!(merged.conflicts, []);
        let get = |path: &str| merged.file.get(path).expect(path);
        assert_eq!(get("vertices[1].position[0]").as_f64(), Some(7.5));
        assert_eq!(get("joints[1].position_keys[0].time").as_f64(), Some(9.0));
        assert_eq!(merged.file.get_text("joints[1].name").expect("a name")[0].1, "head");
    }
}

#[test]
fn edits_that_contradict_each_other_are_conflicts() {
    let base = sample();
    let edited = |edit: &dyn Fn(&mut File)| {
        let mut file = base.clone();
        edit(&mut file);
        file
    };
    let fast = edited(&|file| drop(file.set("animation.fps", 30).expect("a rate")));
    let slow = edited(&|file| drop(file.set("animation.fps", 12).expect("a rate")));
    let gone = edited(&|file| drop(file.delete("joints[1]").expect("a joint")));
    let more = edited(&|file| drop(file.append("materials").expect("a material")));
    let named = edited(&|file| drop(file.set("joints[1].name", "head").expect("a name")));
    for (ours, theirs, place) in [
        (&fast, &slow, "animation.fps"),
        (&gone, &named, "joints[\"top\"]"),
        (&named, &gone, "joints[\"top\"]"),
        (&gone, &more, ""),
    ] {
        let merged = merge3(&base, ours, theirs).expect("two edits");
        assert!(
            !merged.conflicts.is_empty() && merged.conflicts[0].place.to_string().starts_with(place),
            "{:?}",
            merged.conflicts
        );
        assert!(merged.file.encode().ok() == ours.encode().ok());
    }
    let other = FileKind::Psk.blank();
    let error = merge3(&base, &fast, &other).unwrap_err();
    assert!(error.to_string().contains("one format and dialect"), "{error}");
}

/// The number of references to objects.
fn num_references(file: &File) -> usize {
    let mut number = 0;
    let _ = Objects::of(file.value()).references(file.value(), &mut |reference| {
        number += usize::from(reference.target.object().is_some());
        Continue(())
    });
    number
}

/// The first indices of each field that refer to an object, with the object.
fn indices(file: &File) -> Vec<(FieldPath, FieldPath)> {
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    let _ = Objects::of(file.value()).references(file.value(), &mut |reference| {
        let field = reference.path.steps().last().cloned();
        if let (Target::Object(object), true) = (reference.target, seen.insert((reference.entity, field))) {
            found.push((reference.path, object));
        }
        Continue(())
    });
    found
}

#[test]
fn indices_refer_to_the_same_objects_where_others_were_removed() {
    let mut merged_indices = 0;
    for (name, base) in files().filter(|(_, file)| file.damage().is_none()) {
        for (path, object) in indices(&base) {
            let Some((list, Step::Index(_))) = object.split_last() else { continue };
            let element = |index: usize| list.join(&vec![Step::Index(index)].into());
            // Another object than before, and one before that is removed.
            let mut ours = base.clone();
            let removed = schema::remove(ours.value_mut(), &[element(0)]);
            // What referred to the object may go with it, so that other indices get its place.
            let is_used = num_references(&ours) < num_references(&base);
            let mut theirs = base.clone();
            let is_set = theirs.set_text(&path.to_string(), "2").is_ok() && theirs.reread().is_ok();
            let own = indices(&theirs).into_iter().find(|(own, _)| *own == path);
            if removed.is_err()
                || is_used
                || ours.reread().is_err()
                || !is_set
                || own != Some((path.clone(), element(2)))
            {
                continue;
            }
            for (a, b) in [(&ours, &theirs), (&theirs, &ours)] {
                let merged = merge3(&base, a, b).unwrap_or_else(|error| panic!("{name}: {path}: {error}"));
                if !merged.conflicts.is_empty() {
                    continue;
                }
                let mut targets = HashMap::new();
                let value = merged.file.value();
                let _ = Objects::of(value).references(value, &mut |reference| {
                    targets.insert(reference.path, reference.target);
                    Continue(())
                });
                // The index itself can be in an element after the removed one.
                let here = path.prefix(list.steps().len()) == list;
                let place = if here { shifted(&path, list.steps().len()) } else { path.clone() };
                assert_eq!(targets.get(&place), Some(&Target::Object(element(1))), "{name}: {path}");
                merged_indices += 1;
            }
        }
    }
    assert!(merged_indices > 3, "{merged_indices}");
}

#[test]
fn a_vertex_keeps_the_bone_that_one_edit_gave_it() {
    let mut base = sample();
    let first = base.append("joints").expect("a joint")[0].clone();
    for name in ["a", "b"] {
        base.append("joints").expect("a joint");
        base.set("joints[-1].name", name).expect("a name");
    }
    let last = base.get_text("joints[-1].name").expect("a name")[0].0.clone();
    let Some(Step::Index(last)) = last.steps().get(1) else { panic!("{last}") };
    let mut ours = base.clone();
    schema::remove(ours.value_mut(), &[first]).expect("a joint without use");
    let mut theirs = base.clone();
    theirs.set_text("vertices[0].bone_id", &last.to_string()).expect("an index");
    for (a, b) in [(&ours, &theirs), (&theirs, &ours)] {
        let merged = merge3(&base, a, b).expect("two edits");
        assert_eq!(merged.conflicts, []);
        let bone = &merged.file.get_text("vertices[0].bone_id").expect("an index")[0].1;
        assert_eq!(*bone, (last - 1).to_string());
    }
}

/// Returns a path whose index at a depth is less by one.
fn shifted(path: &FieldPath, depth: usize) -> FieldPath {
    let step = |(at, step): (usize, &Step)| match step {
        Step::Index(index) if at == depth => Step::Index(index - 1),
        step => step.clone(),
    };
    path.steps().iter().enumerate().map(step).collect::<Vec<_>>().into()
}

#[test]
fn what_follows_from_both_edits_is_reported() {
    let base = sample();
    let mut ours = base.clone();
    ours.set("joints[0].name", "hip").expect("a name");
    ours.set("joints[1].parent_name", "hip").expect("a name");
    let mut theirs = base.clone();
    theirs.append("joints").expect("a joint");
    let last = theirs.get_text("joints[-1].name").expect("a name")[0].0.to_string();
    theirs.set_text(&last, "tail").expect("a name");
    let root = base.get_text("joints[0].name").expect("a name")[0].1.clone();
    theirs.set_text("joints[-1].parent_name", &root).expect("a name");
    let merged = merge3(&base, &ours, &theirs).expect("two edits");
    let codes: Vec<_> = merged.caused.iter().map(|own| own.rule.code).collect();
    assert_eq!(codes, ["ms3d/unknown-parent"], "{:?}", merged.caused);
    assert!(merge3(&base, &base, &theirs).expect("one edit").caused.is_empty());
}

#[test]
fn edits_of_two_lists_are_one_conflict_each() {
    let base = sample();
    let mut ours = base.clone();
    ours.append("materials").expect("a material");
    let mut theirs = base.clone();
    for _ in 0..3 {
        theirs.append("vertices").expect("a vertex");
    }
    let merged = merge3(&base, &ours, &theirs).expect("two edits");
    let theirs: Vec<_> = merged.conflicts.iter().map(|own| &*own.theirs).collect();
    assert_eq!(theirs, ["vertices[6] added", "vertex_extra.records[6] added"]);
    assert!(merged.conflicts.iter().all(|own| own.ours == "materials[1] added"), "{:?}", merged.conflicts);
}

#[test]
fn a_finding_that_an_edit_has_does_not_follow_from_the_merge() {
    let mut base = FileKind::Ms3d.blank();
    for _ in 0..2 {
        base.append("vertices").expect("a vertex");
    }
    let edited = |base: &File, edits: &[(&str, i32)]| {
        let mut file = base.clone();
        for (path, value) in edits {
            file.set(path, *value).expect("a number");
        }
        file
    };
    let base = edited(&base, &[("vertices[0].bone_id", 7), ("vertices[1].bone_id", 7)]);
    let [ours, theirs] = ["animation.fps", "animation.total_frames"]
        .map(|path| edited(&base, &[("vertices[0].bone_id", 255), (path, 50)]));
    let merged = merge3(&base, &ours, &theirs).expect("two edits");
    assert!(merged.conflicts.is_empty() && merged.caused.is_empty(), "{:?}", merged.caused);
}
