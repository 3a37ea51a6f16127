//! Files of another character do not change what an edit does to those of a set.

use bindpose::edit::{Entity, remove, transform};
use bindpose::scene::author::Authoring;
use bindpose::scene::{
    Bone, Clip, Curve, Joint, Mesh, Primitive, Scene, Skeleton, Skin, Track, Transform, Weights,
};
use bindpose::schema::EditError;
use bindpose::{Budget, ErrorKind, File, FileKind, FormatSpec, Limits, Options, Result};
use glam::{Affine3A, Quat, Vec3};

/// A character of three bones with these indices of parents, which a clip moves; its triangle is bound to all of them.
pub(super) fn character(parents: [Option<usize>; 3], height: f32) -> Scene {
    let place = |index: usize| Transform {
        translation: Vec3::new(0.1, height, [0.0, 0.2, 0.4][index]),
        rotation: Quat::from_rotation_x(0.3 * height),
        ..Transform::default()
    };
    let names = ["hip", "spine", "hand"];
    let bones = names.into_iter().zip(parents).enumerate();
    let bones = bones.map(|(index, (name, parent))| Bone { name: name.into(), parent, bind: place(index) });
    let skeleton = Skeleton::new(bones.collect()).0;
    let placed = skeleton.model_space(&skeleton.bind_pose());
    let joint = |bone: usize| Joint { bone, inverse_bind: placed[bone].inverse() };
    let skin = Skin {
        joints: [0, 1, 2].map(joint).into(),
        weights: Weights::gather(3, 3, [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]).0,
    };
    let mesh = Mesh {
        name: "body".into(),
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z; 3],
        primitives: vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }],
        skin: Some(skin),
        ..Mesh::default()
    };
    let track = |bone: usize| {
        let turned = |seconds: f32| place(bone).rotation * Quat::from_rotation_y(seconds * height);
        Track {
            bone,
            translation: Curve::straight(
                [0.0, 1.0].map(|time| (time, place(bone).translation + Vec3::X * time)),
            ),
            rotation: Curve::straight([0.0, 1.0].map(|time| (time, turned(time)))),
            ..Track::default()
        }
    };
    let tracks = [0, 1, 2].map(track).to_vec();
    let clips = vec![Clip { name: "walk".into(), tracks, ..Clip::default() }];
    assert!(placed.iter().all(|own| *own != Affine3A::IDENTITY));
    Scene { skeleton, meshes: vec![mesh], clips, ..Scene::default() }
}

/// The files of a character in the formats of a family, in a version of the format.
pub(super) fn set(scene: &Scene, family: &str, version: Option<&str>) -> Vec<File> {
    let mut settings = Authoring::default();
    settings.version = version.map(str::to_owned);
    let kinds = FileKind::ALL.iter().filter(|kind| kind.family() == family);
    let written = kinds.filter_map(|kind| FormatSpec::from(*kind).author(scene, "hero", &settings).ok());
    written.flat_map(|own| own.files).map(|own| own.file).collect()
}

/// Asserts that a set is edited as without the files of another character, unless the edit is refused. Returns whether it was.
fn is_refused(name: &str, own: &[File], others: &[File], edit: &dyn Fn(&mut [File]) -> Result<()>) -> bool {
    let mut alone = own.to_vec();
    edit(&mut alone).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut refused = 0;
    for first in [true, false] {
        let mut both = if first { [own, others].concat() } else { [others, own].concat() };
        match edit(&mut both) {
            Ok(()) => {
                let edited = if first { &both[..own.len()] } else { &both[others.len()..] };
                for (edited, alone) in edited.iter().zip(&alone) {
                    assert!(edited.encode() == alone.encode(), "{name}: {}", alone.kind().name());
                }
            }
            Err(error) => {
                let why = ErrorKind::Value(EditError::NeedsBones { found: 2 });
                let is_expected = matches!(error.kind(), ErrorKind::Value(EditError::Unsupported(_)));
                assert!(is_expected || *error.kind() == why, "{name}: {error}");
                refused += 1;
            }
        }
    }
    refused > 0
}

#[test]
fn strangers_change_no_edit() {
    let hero = character([None, Some(0), Some(1)], 1.0);
    let budget = Budget::of(&Limits::none(), 0);
    let turn = |files: &mut [File]| transform(files, Quat::from_rotation_y(1.0), Vec3::X, &budget);
    let versions = [None, Some("2.19")];
    let families: std::collections::BTreeSet<_> = FileKind::ALL.iter().map(|kind| kind.family()).collect();
    let mut refused = 0;
    for (family, version) in families.into_iter().flat_map(|own| versions.map(|version| (own, version))) {
        // Of the same bones in other places, and in another hierarchy.
        for stranger in [character([None, Some(0), Some(1)], 2.0), character([Some(1), None, Some(0)], 1.5)] {
            let [own, others] = [&hero, &stranger].map(|scene| set(scene, family, version));
            let name = format!("{family} {version:?}");
            refused += usize::from(is_refused(&name, &own, &others, &turn));
            for bone in ["hip", "spine", "hand"] {
                let name = format!("{name} without {bone}");
                let gone = |files: &mut [File]| remove(files, Entity::Bone, bone.as_bytes()).map(drop);
                if own.is_empty() || gone(&mut own.clone()).is_err() {
                    continue;
                }
                refused += usize::from(is_refused(&name, &own, &others, &gone));
            }
        }
    }
    assert!(refused > 0);
}

/// Which animation a configuration belongs to is not known if several have a sequence that it names.
#[test]
fn a_configuration_of_several_animations_is_refused() {
    let hero = set(&character([None, Some(0), Some(1)], 1.0), "psk", None);
    let animation = hero.into_iter().find(|own| own.kind() == FileKind::Psa).expect("a PSA");
    // Readers ignore the case of names.
    let text = b"[RemoveTracks]\nWALK.2=trans\nWALK.0=rot\n";
    let config = FileKind::PsaConfig.decode(text, &Options::default()).expect("a configuration");
    let without_hand = |mut files: Vec<File>| {
        remove(&mut files, Entity::Bone, b"hand")?;
        files.last().expect("a configuration").encode()
    };
    let left = without_hand(vec![animation.clone(), config.clone()]);
    assert_eq!(left, Ok(b"[RemoveTracks]\nWALK.0=rot\n".to_vec()));
    let error = without_hand(vec![animation.clone(), animation, config]).expect_err("two animations");
    assert!(matches!(error.kind(), ErrorKind::Value(EditError::Unsupported(_))), "{error}");
}
