use std::collections::{BTreeMap, BTreeSet};

use bindpose::edit::{Entity, Name, Renames, names, rename};
use bindpose::scene::{self, Part, Scene, Settings};
use bindpose::schema::escape;
use bindpose::{File, FileKind, diff};

use super::{assert_sound, corpus, files};
use crate::folders;

/// Gives every object of a kind another name of the same length, so that it fits in its field.
pub(super) fn renames(names: &[Name], entity: Entity) -> Renames {
    let taken: BTreeSet<_> = names.iter().map(|name| name.text.clone()).collect();
    let own: BTreeSet<_> = names
        .iter()
        .filter(|name| name.entity == entity && !name.text.is_empty())
        .map(|name| &name.text)
        .collect();
    let mut fresh = BTreeSet::new();
    let mut renames = Renames::new();
    for old in own {
        // A name of digits is a number in a text.
        let is_number = old.iter().all(u8::is_ascii_digit);
        let letters = if is_number { b'0'..=b'9' } else { b'a'..=b'z' };
        // A material of IQM is an image by its extension.
        let end = old.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0).unwrap_or(old.len());
        let new = letters.map(|letter| [&old[..end - 1], &[letter], &old[end..]].concat());
        let Some(new) = new.into_iter().find(|new| !taken.contains(new) && !fresh.contains(new)) else {
            continue;
        };
        fresh.insert(new.clone());
        renames.add(entity, old.clone(), new).expect("each name once");
    }
    renames
}

/// Renames everything of a kind, and compares the names, the other fields and the findings.
fn check(name: &str, file: &File) {
    let old = names(file).unwrap_or_else(|error| panic!("{name}: {error}"));
    for entity in Entity::ALL {
        let renames = renames(&old, entity);
        if renames.is_empty() {
            continue;
        }
        let mut edited = file.clone();
        let changes =
            rename(&mut edited, &renames).unwrap_or_else(|error| panic!("{name}: {entity}: {error}"));
        assert!(!changes.is_empty(), "{name}: {entity}");
        assert_sound(name, file, &edited);
        let new = names(&edited).expect("names");
        let new_names = renames.new_names(&old).expect("each name once");
        let expected = old.iter().zip(&new_names).map(|(name, new)| new.as_ref().unwrap_or(&name.text));
        assert!(new.iter().map(|name| &name.text).eq(expected), "{name}: {entity}");
        // Nothing else differs.
        let (a, b) = (file.encode().unwrap(), edited.encode().unwrap());
        let mut paths = BTreeSet::new();
        let _ = diff::diff((file.value(), &a), (edited.value(), &b), &mut |difference| {
            paths.insert(difference.path.to_string());
            std::ops::ControlFlow::Continue(())
        });
        let stated: BTreeSet<_> = changes.iter().map(|change| change.name.path.to_string()).collect();
        if !paths
            .iter()
            .any(|path| path.contains("tokens") || path.contains("tokens") || path.contains("pack"))
            && a.len() == b.len()
        {
            let canonical = |path: &&String| {
                !stated.contains(*path) && file.value().alias(&path.parse().unwrap()).is_none()
            };
            assert_eq!(paths.iter().find(canonical), None, "{name}: {entity}");
        }
    }
}

#[test]
fn everything_in_samples_and_generated_files_can_be_renamed() {
    let mut kinds: BTreeMap<Entity, BTreeSet<FileKind>> = BTreeMap::new();
    for (name, file) in files() {
        check(&name, &file);
        for name in names(&file).expect("names") {
            kinds.entry(name.entity).or_default().insert(file.kind());
        }
    }
    let have = |entity: Entity, formats: &str| {
        let found: BTreeSet<_> = kinds[&entity].iter().map(|kind| kind.name()).collect();
        formats.split(' ').for_each(|format| assert!(found.contains(format), "{format} has no {entity}"));
    };
    have(Entity::Bone, "ms3d iqm cal3d-skeleton psk psa psa-config x unigine-mesh unigine-anim max-skeleton");
    have(Entity::Material, "ms3d iqm psk x");
    have(Entity::Clip, "iqm psa psa-config x unigine-mesh unigine-anim");
    have(Entity::Texture, "ms3d iqm cal3d-material x");
}

#[test]
fn the_images_of_scenes_are_the_textures_of_their_files() {
    let mut kinds = BTreeSet::new();
    for (name, file) in files() {
        let scene = Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default());
        let names = names(&file).expect("names");
        let textures = names.iter().filter(|own| own.entity == Entity::Texture);
        let textures: BTreeSet<_> = textures.map(|own| scene::name(&own.text)).collect();
        let paths = scene.materials.iter().flat_map(|own| &own.textures).map(|own| &own.path);
        for path in paths.filter(|path| !path.is_empty()) {
            assert!(textures.contains(path), "{name}: {path}: {textures:?}");
            kinds.insert(file.kind().name());
        }
    }
    assert_eq!(Vec::from_iter(kinds), ["cal3d-material", "iqm", "ms3d", "x"]);
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn corpus_everything_can_be_renamed() {
    corpus().for_each(|(name, file)| check(&name, &file));
}

#[test]
fn names_can_be_exchanged() {
    let mut file = folders::sample("corpus/ms3d/full.ms3d").file;
    let bones = |file: &File| {
        let names = names(file).unwrap().into_iter().filter(|name| name.entity == Entity::Bone);
        names.map(|name| escape(&name.text)).collect::<Vec<_>>()
    };
    assert_eq!(bones(&file), ["root", "top", "root"]);
    let renames =
        Renames::new().with(Entity::Bone, "root", "top").unwrap().with(Entity::Bone, "top", "root").unwrap();
    rename(&mut file, &renames).unwrap();
    assert_eq!(bones(&file), ["top", "root", "top"]);
}

#[test]
fn a_refused_rename_says_why_and_changes_nothing() {
    let original = folders::sample("corpus/ms3d/full.ms3d").file;
    let refused = |old: &str, new: &str| {
        let mut file = original.clone();
        let error = rename(&mut file, &Renames::new().with(Entity::Bone, old, new).unwrap()).unwrap_err();
        assert!(file == original);
        error.to_string()
    };
    assert_eq!(
        refused("root", "top"),
        "joints[1].name: the bones `root` and `top` would both be named `top`"
    );
    let long = "a bone with a name that is longer than 32";
    assert_eq!(refused("top", long), "joints[1].name: text of 41 bytes exceeds the field of 32 bytes");
    let missing = Renames::new().with(Entity::Bone, "rot", "hips").unwrap();
    let error = missing.all_among(&names(&original).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "no bone is named `rot`; similar: `root`");
    let none = missing.all_among(&[]).unwrap_err();
    assert_eq!(none.to_string(), "no bone is named `rot`; there are no bones with a name");
    let twice = missing.with(Entity::Bone, "rot", "spine").unwrap_err();
    assert_eq!(twice.to_string(), "the bone `rot` is given two names, `hips` and `spine`");
}

#[test]
fn a_name_that_text_would_read_differently_is_refused() {
    let bytes = b"xof 0303txt 0032\nFrame a { Frame b {} }\nAnimationSet { Animation { {a} } }\n";
    for new in ["two words", "a{", "12", "b", ""] {
        let mut file = bindpose::decode(bytes).unwrap();
        rename(&mut file, &Renames::new().with(Entity::Bone, "a", new).unwrap()).unwrap_err();
        assert_eq!(file.encode().unwrap(), bytes);
    }
    let mut file = bindpose::decode(bytes).unwrap();
    rename(&mut file, &Renames::new().with(Entity::Bone, "a", "hips").unwrap()).unwrap();
    let expected = b"xof 0303txt 0032\nFrame hips { Frame b {} }\nAnimationSet { Animation { {hips} } }\n";
    assert_eq!(file.encode().unwrap(), expected);
}

#[test]
fn a_configuration_follows_its_animation() {
    // Readers ignore the case of names.
    let text =
        b"[UseTranslationBoneNames]\r\nhip\r\n[RemoveTracks]\r\nRun.fast.63=all\r\nrun.FAST.64=rot\r\n";
    let mut file = bindpose::decode(text).unwrap();
    let renames = Renames::new()
        .with(Entity::Clip, "Run.fast", "Walk")
        .unwrap()
        .with(Entity::Bone, "hip", "root")
        .unwrap();
    rename(&mut file, &renames).unwrap();
    let expected = b"[UseTranslationBoneNames]\r\nroot\r\n[RemoveTracks]\r\nWalk.63=all\r\nWalk.64=rot\r\n";
    assert_eq!(file.encode().unwrap(), expected);
}

#[test]
fn a_bone_of_an_unreal_set_is_found_as_by_readers() {
    let mut file = folders::sample("corpus/psk/set.psa").file;
    let renames = Renames::new().with(Entity::Bone, "top", "head").unwrap();
    let bones = |file: &File| {
        let bones = names(file).unwrap().into_iter().filter(|own| own.entity == Entity::Bone);
        bones.map(|own| String::from_utf8(own.text).unwrap()).collect::<Vec<_>>()
    };
    let mut both = file.clone();
    both.set("bones[2].name", "top").unwrap();
    rename(&mut file, &renames).unwrap();
    assert_eq!(bones(&file), ["head", "a", "b", "tail"]);
    rename(&mut both, &renames).unwrap();
    assert_eq!(bones(&both), ["Top", "a", "head", "tail"], "the exact name");
    let mut config = bindpose::decode(b"[UseTranslationBoneNames]\r\nTOP\r\n").unwrap();
    rename(&mut config, &renames).unwrap();
    assert_eq!(bones(&config), ["head"]);
    assert!(renames.among(&names(&config).unwrap()).is_empty());
}

/// In the text of an XML form, a name of digits looks like a number.
#[test]
fn a_name_can_become_a_number_and_a_word_again() {
    for sample in folders::samples("corpus").filter(|own| own.kind.family() == "cal3d") {
        let mut file = sample.file;
        let Some(old) = names(&file).expect("names").into_iter().find(|own| own.is_definition) else {
            continue;
        };
        let original = file.encode().expect("a file");
        for [from, to] in [[&*old.text, b"12"], [b"12", &*old.text]] {
            let mut renames = Renames::new();
            renames.add(old.entity, from.to_vec(), to.to_vec()).expect("one name");
            rename(&mut file, &renames).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        }
        assert_eq!(file.encode().expect("a file"), original, "{}", sample.name);
    }
}
