//! Layers of animation, and meshes for draw calls.

use bindpose::scene::{
    Bone, Clip, Curve, Influence, Interpolation, Joint, Layer, Mesh, Primitive, Skeleton, Skin, SplitError,
    Track, Transform, Weights,
};
use glam::{Affine3A, EulerRot, Quat, Vec3};
use proptest::prelude::*;

const BONES: usize = 6;

fn skeleton() -> Skeleton {
    // A hip with two legs, and a spine with an arm.
    let parents = [None, Some(0), Some(0), Some(0), Some(3), Some(4)];
    let bone = |parent| Bone { parent, bind: Transform::new(Vec3::Y, Quat::IDENTITY), ..Bone::default() };
    Skeleton::new(parents.map(bone).into()).0
}

fn transforms() -> impl Strategy<Value = Transform> {
    let numbers = || prop::array::uniform3(-1.0..1.0_f32);
    (numbers(), numbers(), prop::array::uniform3(0.5..2.0_f32)).prop_map(|(place, [x, y, z], scale)| {
        Transform {
            translation: place.into(),
            rotation: Quat::from_euler(EulerRot::XYZ, 3.0 * x, 1.5 * y, 3.0 * z),
            scale: scale.into(),
        }
    })
}

fn clips() -> impl Strategy<Value = Clip> {
    prop::collection::vec([transforms(), transforms()], BONES).prop_map(|keys| Clip {
        tracks: keys.iter().enumerate().map(|(bone, keys)| track(bone, keys)).collect(),
        ..Clip::default()
    })
}

fn track(bone: usize, keys: &[Transform; 2]) -> Track {
    let timed = || [0.0, 1.0].into_iter().zip(keys);
    Track {
        bone,
        translation: Curve::straight(timed().map(|(time, own)| (time, own.translation))),
        rotation: Curve::straight(timed().map(|(time, own)| (time, own.rotation))),
        scale: Some(Curve::new(timed().map(|(time, own)| (time, own.scale)), Interpolation::Step)),
    }
}

/// The track with its translations, rotations and scales, or without.
fn with_curves(own: &Track, [translation, rotation, scale]: [bool; 3]) -> Track {
    Track {
        bone: own.bone,
        translation: own.translation.clone().filter(|_| translation),
        rotation: own.rotation.clone().filter(|_| rotation),
        scale: own.scale.clone().filter(|_| scale),
    }
}

fn assert_near(a: &[Transform], b: &[Transform]) {
    assert_eq!(a.len(), b.len());
    for (index, (a, b)) in a.iter().zip(b).enumerate() {
        assert!(a.matrix().abs_diff_eq(b.matrix(), 1e-4), "bone {index}: {a:?} is not {b:?}");
    }
}

proptest! {
    #[test]
    fn a_share_of_nothing_or_everything_is_one_of_the_clips(under in clips(), over in clips(), at in 0.0..1.0_f32) {
        let skeleton = skeleton();
        let mixed = |shares| skeleton.layered(&[Layer::of(&under), Layer { shares, ..Layer::of(&over) }], at);
        assert_near(&mixed(vec![0.0; BONES]), &under.sample(&skeleton, at));
        assert_near(&mixed(Vec::new()), &over.sample(&skeleton, at));
    }

    #[test]
    fn a_mask_moves_the_bones_below_it_and_no_others(under in clips(), over in clips(), share in 0.0..1.0_f32, at in 0.0..1.0_f32) {
        let skeleton = skeleton();
        // The arm has a share of its own.
        let shares = skeleton.shares([(5, 1.0), (3, share)]);
        let mixed = skeleton.layered(&[Layer::of(&under), Layer { shares, ..Layer::of(&over) }], at);
        let (below, above) = (under.sample(&skeleton, at), over.sample(&skeleton, at));
        assert_near(&mixed[..3], &below[..3]);
        assert_near(&mixed[5..], &above[5..]);
        for bone in [3, 4] {
            assert_near(&[mixed[bone]], &[below[bone].blend(&above[bone], share)]);
        }
    }

    #[test]
    fn several_tracks_of_a_bone_are_one(under in clips(), over in clips(), share in 0.0..1.0_f32, neutral in prop::option::of(0.0..1.0_f32), at in 0.0..1.0_f32) {
        let skeleton = skeleton();
        let parts = |own: &Track| {
            let only = |curve: usize| with_curves(own, std::array::from_fn(|index| index == curve));
            [0, 1, 2].map(only)
        };
        let divided = Clip { tracks: over.tracks.iter().flat_map(parts).collect(), ..Clip::default() };
        let mixed = |over| {
            let own = Layer { shares: vec![share; BONES], relative_to: neutral, ..Layer::of(over) };
            skeleton.layered(&[Layer::of(&under), own], at)
        };
        assert_near(&mixed(&divided), &mixed(&over));
    }

    #[test]
    fn a_layer_leaves_what_it_has_no_curves_for(under in clips(), over in clips(), curves in any::<[bool; 3]>(), share in 0.0..1.0_f32, at in 0.0..1.0_f32) {
        let skeleton = skeleton();
        let tracks = over.tracks.iter().map(|own| with_curves(own, curves)).collect();
        let part = Clip { tracks, ..Clip::default() };
        let mixed = |over| skeleton.layered(&[Layer::of(&under), Layer { shares: vec![share; BONES], ..Layer::of(over) }], at);
        let (below, whole) = (under.sample(&skeleton, at), mixed(&over));
        let own = |(below, whole): (&Transform, &Transform)| Transform {
            translation: if curves[0] { whole.translation } else { below.translation },
            rotation: if curves[1] { whole.rotation } else { below.rotation },
            scale: if curves[2] { whole.scale } else { below.scale },
        };
        assert_near(&mixed(&part), &below.iter().zip(&whole).map(own).collect::<Vec<_>>());
    }

    #[test]
    fn a_blend_in_either_direction_is_the_same(a in transforms(), b in transforms(), share in 0.0..1.0_f32) {
        // Half a turn has no shortest arc.
        prop_assume!(a.rotation.dot(b.rotation).abs() > 0.01);
        assert_near(&[a.blend(&b, share)], &[b.blend(&a, 1.0 - share)]);
    }

    #[test]
    fn a_difference_that_is_added_restores_the_pose(a in transforms(), b in transforms(), other in transforms()) {
        assert_near(&[a.add(&b.difference(&a), 1.0)], &[b]);
        assert_near(&[other.add(&b.difference(&a), 0.0)], &[other]);
        assert_near(&[other.add(&a.difference(&a), 1.0)], &[other]);
    }

    #[test]
    fn an_additive_clip_is_neutral_at_its_own_time(under in clips(), over in clips(), neutral in 0.0..1.0_f32, at in 0.0..1.0_f32) {
        let skeleton = skeleton();
        let added = Layer { relative_to: Some(neutral), ..Layer::of(&over) };
        let layers = [Layer::of(&under), added];
        assert_near(&skeleton.layered(&layers, neutral), &under.sample(&skeleton, neutral));
        // Over the pose that it is relative to, it is itself.
        let own = over.sample(&skeleton, neutral);
        let still = Clip { tracks: own.iter().enumerate().map(|(bone, own)| track(bone, &[*own; 2])).collect(), ..Clip::default() };
        let again = skeleton.layered(&[Layer::of(&still), layers[1].clone()], at);
        assert_near(&again, &over.sample(&skeleton, at));
    }

    #[test]
    fn a_clip_of_layers_has_their_poses_at_its_times(under in clips(), over in clips(), times in prop::collection::vec(0.0..1.0_f32, 1..6)) {
        let skeleton = skeleton();
        let layers = [Layer::of(&under), Layer { shares: vec![0.3; BONES], ..Layer::of(&over) }];
        let clip = Clip::of_layers("both".into(), &skeleton, &layers, &times);
        for time in times {
            assert_near(&clip.sample(&skeleton, time), &skeleton.layered(&layers, time));
        }
    }

    #[test]
    fn meshes_for_draw_calls_are_the_same_mesh(
        rows in prop::collection::vec((0..40_usize, 0..30_usize, 0.1..1.0_f32), 0..150),
        triangles in prop::collection::vec([0..40_u32, 0..40_u32, 0..40_u32], 1..60),
        most in 1..20_usize,
    ) {
        let mesh = skinned(rows, &triangles);
        let skin = mesh.skin.clone().expect("a skin");
        let joints = |triangle: &[u32; 3]| {
            let all = triangle.iter().flat_map(|vertex| skin.weights.of(*vertex as usize));
            all.map(|own| own.joint).collect::<std::collections::BTreeSet<_>>().len()
        };
        let needed = triangles.iter().map(joints).max().unwrap_or_default();
        match mesh.clone().split_by_joints(most) {
            Err(why) => {
                assert!(needed > most);
                let SplitError::TooManyJoints { needed: own, .. } = why else { panic!("{why}") };
                assert!(own > most && own <= needed);
            }
            Ok((split, palettes)) => {
                assert!(needed <= most);
                assert_eq!(corners(&split), corners(&mesh));
                let mut seen = std::collections::BTreeMap::new();
                for (index, (primitive, palette)) in split.primitives.iter().zip(&palettes).enumerate() {
                    assert!(palette.joints.len() <= most && palette.joints.is_sorted());
                    for vertex in primitive.triangles.as_flattened() {
                        assert_eq!(*seen.entry(*vertex).or_insert(index), index, "a shared vertex");
                        let own = split.skin.as_ref().expect("a skin").weights.of(*vertex as usize);
                        assert!(own.iter().all(|own| palette.place(own.joint).is_some()));
                    }
                }
            }
        }
    }
}

fn skinned(rows: Vec<(usize, usize, f32)>, triangles: &[[u32; 3]]) -> Mesh {
    let joint = |bone| Joint { bone, inverse_bind: Affine3A::IDENTITY };
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let positions = (0..40).map(|index| Vec3::splat(index as f32)).collect();
    let skin = Skin { joints: (0..30).map(joint).collect(), weights: Weights::gather(40, 30, rows).0 };
    let primitive = Primitive { triangles: triangles.to_vec(), ..Primitive::default() };
    Mesh { positions, primitives: vec![primitive], skin: Some(skin), ..Mesh::default() }
}

/// The position and the influences of each corner, triangle by triangle.
fn corners(mesh: &Mesh) -> Vec<(Vec3, Vec<Influence>)> {
    let corners = mesh.primitives.iter().flat_map(|own| own.triangles.as_flattened());
    let weights = &mesh.skin.as_ref().expect("a skin").weights;
    corners.map(|own| (mesh.positions[*own as usize], weights.of(*own as usize).to_vec())).collect()
}

#[test]
fn rows_of_a_palette_move_points_as_its_matrices_do() {
    let joint = Joint { bone: 0, inverse_bind: Affine3A::from_translation(-Vec3::Y) };
    let skin = Skin { joints: [joint].into(), ..Skin::default() };
    let turned = Affine3A::from_rotation_z(1.0) * Affine3A::from_scale(Vec3::new(1.0, 2.0, 3.0));
    let point = Vec3::new(0.5, -2.0, 7.0);
    let rows = skin.palette_rows(&[turned])[0];
    let moved = rows.map(|[x, y, z, w]| x * point.x + y * point.y + z * point.z + w);
    assert!(Vec3::from(moved).abs_diff_eq(skin.palette(&[turned])[0].transform_point3(point), 1e-5));
}

#[test]
fn a_part_is_attached_to_the_bones_of_a_shared_skeleton() {
    use bindpose::scene::{Part, Scene, Settings};
    let bone = |name: &str, parent| Bone {
        name: name.into(),
        parent,
        bind: Transform::new(Vec3::Y, Quat::IDENTITY),
    };
    let body = Skeleton::new(vec![bone("hip", None), bone("spine", Some(0)), bone("head", Some(1))]).0;
    // A helmet for the same head, whose file has neither the other bones in this order nor all of them.
    let own = Skeleton::new(vec![bone("head", Some(1)), bone("spine", None)]).0;
    let skin = Skin {
        joints: [Joint { bone: 0, inverse_bind: Affine3A::IDENTITY }].into(),
        weights: Weights::gather(3, 1, (0..3).map(|vertex| (vertex, 0, 1.0))).0,
    };
    let primitives = vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }];
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let helmet = Mesh { name: "helmet".into(), positions, primitives, skin: Some(skin), ..Mesh::default() };
    let body = Scene { skeleton: body, ..Scene::default() };
    let part = Scene { skeleton: own, meshes: vec![helmet], ..Scene::default() };
    let parts = [Part { name: "body", file: &body }, Part { name: "helmet", file: &part }];
    let dressed = Scene::of(&parts, &Settings::default());
    let names: Vec<_> = dressed.skeleton.bones().iter().map(|own| &*own.name).collect();
    assert_eq!(names, ["hip", "spine", "head"]);
    assert_eq!(dressed.meshes[0].skin.as_ref().expect("a skin").joints[0].bone, 2);
}

#[test]
fn triangles_without_their_vertices_are_not_split() {
    let mesh = skinned(Vec::new(), &[[0, 1, 99]]);
    assert_eq!(mesh.split_by_joints(4), Err(SplitError::NoVertex(99)));
}

#[test]
fn a_clip_does_not_move_bones_without_a_track() {
    let skeleton = skeleton();
    let key = Transform::new(Vec3::X, Quat::IDENTITY);
    let clip = |bones: std::ops::Range<usize>| Clip {
        tracks: bones.map(|bone| track(bone, &[key; 2])).collect(),
        ..Clip::default()
    };
    let (walk, wave) = (clip(0..4), clip(4..6));
    let mixed = skeleton.layered(&[Layer::of(&walk), Layer::of(&wave)], 0.5);
    assert_near(&mixed, &[key; BONES]);
}
