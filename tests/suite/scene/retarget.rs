//! Clips of one skeleton on another one.

use bindpose::scene::{Bone, Clip, Curve, Interpolation, Retarget, Skeleton, Track, Transform};
use glam::{EulerRot, Quat, Vec3};
use proptest::prelude::*;

/// A hip with a leg of two bones, and a spine with an arm.
const PARENTS: [Option<usize>; 6] = [None, Some(0), Some(1), Some(0), Some(3), Some(4)];

fn rotations() -> impl Strategy<Value = Quat> {
    let angle = || -3.0..3.0_f32;
    (angle(), angle(), angle()).prop_map(|(x, y, z)| Quat::from_euler(EulerRot::XYZ, x, y, z))
}

fn places() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-1.0..1.0_f32).prop_map(|own| Vec3::from(own) + Vec3::Y * 2.0)
}

fn skeletons() -> impl Strategy<Value = Skeleton> {
    prop::collection::vec((places(), rotations()), PARENTS.len()).prop_map(|binds| {
        let bone = |(index, (place, turn)): (usize, (Vec3, Quat))| Bone {
            name: format!("bone{index}"),
            parent: PARENTS[index],
            bind: Transform::new(place, turn),
        };
        Skeleton::new(binds.into_iter().enumerate().map(bone).collect()).0
    })
}

/// Turns of all bones, and moves of some.
fn clips() -> impl Strategy<Value = Clip> {
    let keys = prop::collection::vec([rotations(), rotations()], PARENTS.len());
    (keys, [places(), places()]).prop_map(|(keys, moves)| {
        let track = |(bone, keys): (usize, [Quat; 2])| Track {
            bone,
            rotation: Curve::straight([0.0, 1.0].into_iter().zip(keys)),
            translation: (bone % 2 == 0)
                .then(|| Curve::straight([0.0, 1.0].into_iter().zip(moves)))
                .flatten(),
            scale: None,
        };
        Clip { tracks: keys.into_iter().enumerate().map(track).collect(), ..Clip::default() }
    })
}

const ALL: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)];

fn joints(skeleton: &Skeleton, clip: &Clip, time: f32) -> Vec<Vec3> {
    let placed = skeleton.model_space(&clip.sample(skeleton, time));
    placed.iter().map(|own| own.translation.into()).collect()
}

/// The skeleton with other axes of bones: their joints are where they were.
fn rerolled(skeleton: &Skeleton, rolls: &[Quat], scale: f32) -> Skeleton {
    let bone = |(index, own): (usize, &Bone)| {
        let above = own.parent.map_or(Quat::IDENTITY, |parent| rolls[parent]).conjugate();
        let bind =
            Transform::new(above * own.bind.translation * scale, above * own.bind.rotation * rolls[index]);
        Bone { bind, ..own.clone() }
    };
    Skeleton::new(skeleton.bones().iter().enumerate().map(bone).collect()).0
}

proptest! {
    /// Between the keys of a clip, too, and where bones have another scale along each axis.
    #[test]
    fn a_clip_on_its_own_skeleton_is_the_same(
        skeleton in skeletons(),
        mut clip in clips(),
        scales in prop::array::uniform2(prop::array::uniform3(0.5..2.0_f32)),
        time in 0.0..1.0_f32,
    ) {
        for track in clip.tracks.iter_mut().filter(|track| track.bone % 2 == 1) {
            track.scale = Curve::straight([0.0, 1.0].into_iter().zip(scales.map(Vec3::from)));
        }
        let again = Retarget::new(&skeleton, &skeleton, &ALL).clip(&clip);
        for (own, again) in joints(&skeleton, &clip, time).into_iter().zip(joints(&skeleton, &again, time)) {
            prop_assert!(own.abs_diff_eq(again, 1e-3), "{own} is {again}");
        }
    }

    /// The axes of bones do not matter, and a larger model moves further.
    #[test]
    fn joints_move_alike_in_skeletons_with_other_axes_and_sizes(
        skeleton in skeletons(),
        clip in clips(),
        rolls in prop::collection::vec(rotations(), PARENTS.len()),
        scale in 0.5..2.0_f32,
    ) {
        let other = rerolled(&skeleton, &rolls, scale);
        let retarget = Retarget::new(&skeleton, &other, &ALL);
        prop_assert!((retarget.proportion() - scale).abs() < 1e-3);
        let moved = retarget.clip(&clip);
        for time in [0.0, 0.5, 1.0] {
            for (own, again) in joints(&skeleton, &clip, time).into_iter().zip(joints(&other, &moved, time)) {
                prop_assert!((own * scale).abs_diff_eq(again, 5e-3), "{own} is {again} at {time}");
            }
        }
    }

    /// A bone that only one skeleton has between two others stays, and the ones below it move as before.
    #[test]
    fn bones_without_a_pair_keep_their_pose(skeleton in skeletons(), clip in clips()) {
        let mut bones = skeleton.bones().to_vec();
        let twist = bones.len();
        bones.push(Bone { name: "twist".into(), parent: Some(4), bind: Transform::new(Vec3::ZERO, Quat::from_rotation_x(0.7)) });
        bones[5].parent = Some(twist);
        bones[5].bind.rotation = Quat::from_rotation_x(-0.7) * bones[5].bind.rotation;
        bones[5].bind.translation = Quat::from_rotation_x(-0.7) * bones[5].bind.translation;
        let other = Skeleton::new(bones).0;
        let moved = Retarget::new(&skeleton, &other, &ALL).clip(&clip);
        prop_assert!(moved.tracks.iter().all(|track| track.bone != twist));
        for time in [0.0, 1.0] {
            for (own, again) in joints(&skeleton, &clip, time).into_iter().zip(joints(&other, &moved, time)) {
                prop_assert!(own.abs_diff_eq(again, 5e-3), "{own} is {again} at {time}");
            }
        }
    }
}

/// Three bones of which the middle one has no pair, or is not there.
fn chain(has_middle: bool, scale: f32) -> Skeleton {
    let place = |y: f32| Transform { translation: Vec3::Y * y / scale, ..Transform::IDENTITY };
    let bone = |name: &str, parent, bind| Bone { name: name.into(), parent, bind };
    let root = Transform { scale: Vec3::splat(scale), ..Transform::IDENTITY };
    let mut bones = vec![bone("root", None, root)];
    if has_middle {
        bones.push(bone("middle", Some(0), place(1.0)));
        bones.push(bone("tip", Some(1), place(1.0)));
    } else {
        bones.push(bone("tip", Some(0), place(2.0)));
    }
    Skeleton::new(bones).0
}

/// The bones between two pairs move the lower one, and its way of turning is not that between two keys.
#[test]
fn moving_bones_without_a_pair_are_followed() {
    let (from, to) = (chain(true, 1.0), chain(false, 1.0));
    let turn = |angle: f32| Curve::straight([(0.0, Quat::IDENTITY), (1.0, Quat::from_rotation_x(angle))]);
    let drop = Curve::straight([(0.0, Vec3::Y), (1.0, Vec3::Y * 0.5)]);
    let tracks = vec![
        Track { bone: 1, rotation: turn(2.0), translation: drop, ..Track::default() },
        Track { bone: 2, rotation: turn(2.0), ..Track::default() },
    ];
    let clip = Clip { tracks, ..Clip::default() };
    let retarget = Retarget::new(&from, &to, &[(0, 0), (2, 1)]);
    let moved = retarget.clip(&clip);
    assert!(retarget.most_keys(&clip) >= moved.tracks[1].rotation.as_ref().expect("turns").times().len());
    for time in [0.0_f32, 0.3, 0.5, 0.77, 1.0] {
        let pose = moved.sample(&to, time);
        let expected = Quat::from_rotation_x(4.0 * time);
        assert!(pose[1].rotation.dot(expected).abs() > 0.9999, "{time}: {:?}", pose[1].rotation);
        let height = 2.0 - 0.5 * time;
        assert!(pose[1].translation.abs_diff_eq(Vec3::Y * height, 1e-3), "{time}: {:?}", pose[1].translation);
    }
}

/// Skeletons in centimetres have a scale at their root.
#[test]
fn scales_of_the_bind_pose_do_not_change_displacements() {
    let drop = Curve::straight([(0.0, Vec3::Y * 2.0), (1.0, Vec3::Y * 1.5)]);
    let turn = Curve::straight([(0.0, Quat::IDENTITY), (1.0, Quat::from_rotation_x(1.0))]);
    let clip = Clip {
        tracks: vec![Track { bone: 1, translation: drop, rotation: turn, scale: None }],
        ..Clip::default()
    };
    let (metres, from) = (chain(false, 1.0), chain(false, 1.0));
    for scale in [0.01, 1.0, 100.0] {
        let to = chain(false, scale);
        let moved = Retarget::new(&from, &to, &[(0, 0), (1, 1)]).clip(&clip);
        assert!(joints(&to, &moved, 1.0)[1].abs_diff_eq(joints(&metres, &clip, 1.0)[1], 1e-4));
        // And back.
        let again = Retarget::new(&to, &metres, &[(0, 0), (1, 1)]).clip(&moved);
        assert!(joints(&metres, &again, 1.0)[1].abs_diff_eq(Vec3::Y * 1.5, 1e-4));
    }
    // A mirrored parent mirrors both.
    let mut mirrored = chain(false, 1.0).bones().to_vec();
    mirrored[0].bind.scale = Vec3::new(-1.0, 1.0, 1.0);
    let mirrored = Skeleton::new(mirrored).0;
    let moved = Retarget::new(&from, &mirrored, &[(0, 0), (1, 1)]).clip(&clip);
    let placed = mirrored.model_space(&moved.sample(&mirrored, 1.0));
    let up = placed[1].transform_vector3(Vec3::Y);
    assert!(up.abs_diff_eq(Quat::from_rotation_x(1.0) * Vec3::Y, 1e-4), "{up}");
}

/// A long spline and a step have a bounded number of keys.
#[test]
fn keys_between_two_are_few() {
    let skeleton = Skeleton::new(vec![Bone::default()]).0;
    let tangents = vec![[Vec3::ZERO; 2]; 2];
    let spline = Curve::new([(0.0, Vec3::ZERO), (1e9, Vec3::X)], Interpolation::CubicSpline(tangents));
    let step = Curve::new([(0.0, Vec3::ONE), (2.0, Vec3::X)], Interpolation::Step);
    for (curve, most) in [(spline, 61), (step, 3)] {
        let clip =
            Clip { tracks: vec![Track { translation: Some(curve), ..Track::default() }], ..Clip::default() };
        let retarget = Retarget::new(&skeleton, &skeleton, &[(0, 0)]);
        let moved = retarget.clip(&clip);
        assert!(moved.tracks[0].rotation.as_ref().expect("turns").times().len() <= most);
    }
}

#[test]
fn pairs_that_do_not_exist_are_ignored() {
    let skeleton = Skeleton::new(vec![Bone::default()]).0;
    let turn = Curve::straight([(0.0, Quat::from_rotation_x(1.0))]);
    let clip = Clip { tracks: vec![Track { rotation: turn, ..Track::default() }], ..Clip::default() };
    let retarget = Retarget::new(&skeleton, &skeleton, &[(7, 0), (0, 7)]);
    assert_eq!(retarget.clip(&clip).tracks, []);
    assert_eq!(retarget.unpaired(&clip), [0]);
}
