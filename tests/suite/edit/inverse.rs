//! Edits that are undone leave nothing, and the order of edits and files does not matter.

use std::collections::{BTreeMap, BTreeSet};

use bindpose::edit::{
    Entity, Name, Renames, merge, names, remove, remove_all, rename, retime, scale, transform,
};
use bindpose::formats::check_set;
use bindpose::scene::Scene;
use bindpose::schema::EditError;
use bindpose::{Budget, ErrorKind, File, FileKind, Result};
use glam::{Quat, Vec3};

use super::merge::triangles;
use super::merge3::{change, paths};
use super::rename::renames;
use super::strangers::{character, set};
use super::{files, has_warnings, scene};

/// The paths of all values, and their texts.
fn leaves(file: &File) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let _ = file.walk(&mut |place, leaf| {
        let mut text = String::new();
        leaf.show(&mut text).expect("a text");
        all.push((place.path.to_string(), text));
        std::ops::ControlFlow::Continue(())
    });
    all
}

/// Asserts that two files have the same values, up to the last digits of numbers.
#[track_caller]
fn assert_same_values(name: &str, before: &File, after: &File) {
    if before.encode().ok() == after.encode().ok() {
        return;
    }
    let (old, new) = (leaves(before), leaves(after));
    assert_eq!(old.len(), new.len(), "{name}");
    for ((path, old), (other, new)) in old.iter().zip(&new) {
        let numbers = old.parse::<f64>().ok().zip(new.parse::<f64>().ok());
        let is_near = numbers.is_some_and(|(old, new)| (old - new).abs() <= 1e-6 * old.abs());
        assert!(path == other && (old == new || is_near), "{name}: {path}={old} is {other}={new}");
    }
}

/// Renames everything of a kind and back.
fn rename_there_and_back(name: &str, file: &File, renamed: &mut BTreeMap<Entity, usize>) {
    let old = names(file).expect("names");
    for entity in Entity::ALL {
        let there = renames(&old, entity);
        let mut edited = file.clone();
        // Two names that readers do not distinguish cannot be renamed back.
        let folded: BTreeSet<_> = old.iter().map(|own| own.text.to_ascii_lowercase()).collect();
        let all: BTreeSet<_> = old.iter().map(|own| &own.text).collect();
        if there.is_empty() || folded.len() < all.len() {
            continue;
        }
        let changes = rename(&mut edited, &there).unwrap_or_else(|error| panic!("{name}: {entity}: {error}"));
        let mut back = Renames::new();
        for change in &changes {
            _ = back.add(entity, change.new.clone(), change.name.text.clone());
        }
        rename(&mut edited, &back).unwrap_or_else(|error| panic!("{name}: {entity}: {error}"));
        // XML can spell a name in several ways.
        if file.dialect() == Some("xml") {
            let texts = |names: &[Name]| names.iter().map(|own| own.text.clone()).collect::<Vec<_>>();
            assert_eq!(texts(&names(&edited).expect("names")), texts(&old), "{name}: {entity}");
        } else {
            assert!(edited.encode().ok() == file.encode().ok(), "{name}: {entity}");
        }
        *renamed.entry(entity).or_default() += 1;
    }
}

#[test]
fn renaming_there_and_back_changes_nothing() {
    let mut renamed = BTreeMap::new();
    files().for_each(|(name, file)| rename_there_and_back(&name, &file, &mut renamed));
    assert!(Entity::ALL.iter().all(|own| renamed.get(own).is_some_and(|files| *files > 5)), "{renamed:?}");
}

#[test]
fn scaling_by_a_number_and_its_inverse_changes_nothing() {
    let mut scaled = BTreeSet::new();
    for (name, file) in files().filter(|(_, file)| !has_warnings(file)) {
        let mut edited = file.clone();
        // Powers of two are exact.
        for factor in [4.0, 0.25] {
            if scale(&mut edited, factor, &Budget::default()).is_err() {
                break;
            }
            if factor < 1.0 {
                assert_same_values(&name, &file, &edited);
                scaled.insert(file.kind());
            }
        }
    }
    let missing: Vec<_> = FileKind::ALL.iter().filter(|kind| !scaled.contains(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The names of clips, and the poses of bones at some times of each.
fn motions(scene: &Scene) -> BTreeMap<String, String> {
    let poses = |clip: &bindpose::scene::Clip| {
        let (start, end) = clip.span().unwrap_or_default();
        let bones = || scene.skeleton.bones().iter().map(|own| &own.name);
        let pose =
            |seconds| -> BTreeMap<_, _> { bones().zip(clip.sample(&scene.skeleton, seconds)).collect() };
        format!("{start} to {end}: {:?}", [start, start.midpoint(end), end].map(pose))
    };
    scene.clips.iter().map(|clip| (clip.name.clone(), poses(clip))).collect()
}

/// Merges all clips of a file but the last with the last; returns whether a file has several.
fn divide_and_merge(name: &str, file: &File) -> bool {
    let defined = names(file).expect("names").into_iter();
    let clips = defined.filter(|own| own.entity == Entity::Clip && own.is_definition).map(|own| own.text);
    let clips: Vec<_> = clips.collect();
    let unique: BTreeSet<_> = clips.iter().map(|own| own.to_ascii_lowercase()).collect();
    let Some((last, others)) = clips.split_last().filter(|(_, others)| !others.is_empty()) else {
        return false;
    };
    if unique.len() < clips.len() || has_warnings(file) {
        return false;
    }
    let without = |clips: &[&[u8]]| {
        let mut left = [file.clone()];
        remove_all(&mut left, Entity::Clip, clips).map(|_| left).map(|[own]| own)
    };
    let others: Vec<_> = others.iter().map(|own| &**own).collect();
    let (Ok(mut most), Ok(one)) = (without(&[last]), without(&others)) else { return false };
    if let Err(error) = merge(&mut most, &one) {
        assert!(matches!(error.kind(), ErrorKind::Value(EditError::Unsupported(_))), "{name}: {error}");
        return false;
    }
    let [before, after] = [file, &most].map(|file| scene(std::slice::from_ref(file)));
    assert_eq!(motions(&after), motions(&before), "{name}");
    true
}

#[test]
fn a_clip_that_is_removed_comes_back_by_a_merge() {
    let divided: BTreeSet<_> = files()
        .filter(|(name, file)| divide_and_merge(name, file))
        .map(|(_, file)| file.kind().name())
        .collect();
    assert_eq!(Vec::from_iter(divided), ["psa"]);
}

#[test]
fn edits_of_different_values_can_be_in_any_order() {
    let mut tried = 0;
    for (name, base) in files().filter(|(_, file)| file.damage().is_none()) {
        let edits = paths(&base).into_iter().filter_map(|path| {
            let mut edited = base.clone();
            let is_edited = change(&mut edited, &path);
            is_edited.then(|| (path.clone(), edited.get_text(&path).expect("a value")[0].1.clone()))
        });
        let edits: Vec<_> = edits.collect();
        for (at, first) in edits.iter().enumerate() {
            for second in &edits[at + 1..] {
                let edited = |order: [&(String, String); 2]| {
                    let mut file = base.clone();
                    order
                        .into_iter()
                        .try_for_each(|(path, text)| file.set_text(path, text).map(drop))
                        .map(|()| file)
                };
                let what = format!("{name}: {first:?} and {second:?}");
                match (edited([first, second]), edited([second, first])) {
                    (Ok(one), Ok(other)) => assert!(one.encode().ok() == other.encode().ok(), "{what}"),
                    (Err(_), Err(_)) => continue,
                    (one, other) => panic!("{what}: {:?}, {:?}", one.err(), other.err()),
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

type Verb = fn(&mut File) -> Result<()>;
type SetVerb = fn(&mut [File]) -> Result<()>;

/// Verbs about different values of a file.
const VERBS: [(&str, Verb); 4] = [
    ("rename", |file| {
        let renames = renames(&names(file)?, Entity::Bone);
        rename(file, &renames).map(drop)
    }),
    ("scale", |file| scale(file, 2.0, &Budget::default())),
    ("retime", |file| retime(file, 60.0)),
    ("turn", |file| {
        let turn = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        transform(std::slice::from_mut(file), turn, Vec3::ZERO, &Budget::default())
    }),
];

/// A file in another form has no text before it is used.
#[test]
fn a_file_in_another_form_is_edited_as_when_it_is_read() {
    let mut edited = BTreeSet::new();
    for (name, file) in files() {
        let forms = file.kind().forms().iter().filter(|form| Some(**form) != file.form());
        for ((verb, edit), form) in VERBS.iter().flat_map(|own| forms.clone().map(move |form| (own, form))) {
            let Ok((mut made, _)) = file.in_form(form) else { continue };
            let what = format!("{name} as {form}: {verb}");
            let mut read = made.reread().unwrap_or_else(|error| panic!("{what}: {error}")).into_file();
            match (edit(&mut made), edit(&mut read)) {
                (Ok(()), Ok(())) => assert!(made.encode().ok() == read.encode().ok(), "{what}"),
                (Err(_), Err(_)) => continue,
                (made, _) => panic!(
                    "{what}: only the file that is {} is edited",
                    if made.is_ok() { "made" } else { "read" }
                ),
            }
            edited.insert((*form, *verb));
        }
    }
    assert!(edited.len() > 4, "{edited:?}");
}

#[test]
fn verbs_about_different_values_can_be_in_any_order() {
    let mut pairs = BTreeSet::new();
    for (name, file) in files().filter(|(_, file)| file.damage().is_none() && !has_warnings(file)) {
        for (at, first) in VERBS.iter().enumerate() {
            for second in &VERBS[at + 1..] {
                let edited = |order: [&(&str, Verb); 2]| {
                    let mut file = file.clone();
                    order.into_iter().all(|(_, verb)| verb(&mut file).is_ok()).then_some(file)
                };
                let what = format!("{name}: {} and {}", first.0, second.0);
                match (edited([first, second]), edited([second, first])) {
                    (Some(one), Some(other)) => assert_same_values(&what, &one, &other),
                    (None, None) => continue,
                    (one, _) => panic!(
                        "{what}: only the order with {} first is permitted",
                        if one.is_some() { first.0 } else { second.0 }
                    ),
                }
                pairs.insert((first.0, second.0));
            }
        }
    }
    assert_eq!(pairs.len(), 6, "{pairs:?}");
}

/// What a scene has, in any order.
fn contents(scene: &Scene) -> (BTreeSet<String>, Vec<String>, BTreeMap<String, String>) {
    let bones = scene.skeleton.bones();
    let parent = |index: Option<usize>| index.map(|at| &bones[at].name);
    let described =
        bones.iter().map(|own| format!("{} of {:?} {:?}", own.name, parent(own.parent), own.bind));
    let mut triangles = triangles(scene);
    triangles.sort();
    (described.collect(), triangles, motions(scene))
}

#[test]
fn the_files_of_a_set_can_be_in_any_order() {
    let hero = character([None, Some(0), Some(1)], 1.0);
    let families: BTreeSet<_> = FileKind::ALL.iter().map(|kind| kind.family()).collect();
    let mut sets = 0;
    for (family, version) in
        families.into_iter().flat_map(|own| [None, Some("2.19")].map(|version| (own, version)))
    {
        let files = set(&hero, family, version);
        let edits: [SetVerb; 3] = [
            |_| Ok(()),
            |files| remove(files, Entity::Bone, b"hand").map(drop),
            |files| transform(files, Quat::from_rotation_y(1.0), Vec3::X, &Budget::default()),
        ];
        let order: Vec<_> = (0..files.len()).collect();
        let mut orders: Vec<Vec<_>> =
            order.iter().map(|at| [&order[*at..], &order[..*at]].concat()).collect();
        orders.push(order.iter().rev().copied().collect());
        for (number, edit) in edits.into_iter().enumerate() {
            let mut known = None;
            for order in &orders {
                let mut own: Vec<_> = order.iter().map(|at| files[*at].clone()).collect();
                let is_edited = edit(&mut own).is_ok();
                let reports = check_set(&own.iter().collect::<Vec<_>>(), 9);
                let reports = reports.iter().map(|own| format!("{:?}", own.findings));
                let bytes = own.iter().map(|own| own.encode().expect("a file"));
                let mut of_files: Vec<_> = order.iter().zip(bytes.zip(reports)).collect();
                of_files.sort();
                let of_files: Vec<_> = of_files.into_iter().map(|(_, own)| own).collect();
                let found = (is_edited, of_files, contents(&scene(&own)));
                let known = known.get_or_insert_with(|| found.clone());
                assert!(*known == found, "{family} {version:?}, edit {number}, order {order:?}");
                sets += usize::from(order.len() > 1);
            }
        }
    }
    assert!(sets > 30, "{sets}");
}
