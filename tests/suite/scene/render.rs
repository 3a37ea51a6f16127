//! Pictures: what must be visible, where, and in which colour.

use bindpose::scene::render::{Drawing, Picture, View, draw, render};
use bindpose::scene::{
    Alpha, Bone, Clip, Curve, Material, Mesh, Primitive, Scene, Skeleton, Track, Transform,
};
use glam::{Vec2, Vec3};

/// A square of two triangles in the plane z, seen from the front.
fn square(z: f32, half: f32, material: usize) -> Mesh {
    let corner = |x: f32, y: f32| Vec3::new(x * half, y * half, z);
    let positions = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let triangles = vec![[0, 1, 2], [0, 2, 3]];
    let uvs = vec![Vec2::new(0.0, 1.0), Vec2::new(1.0, 1.0), Vec2::new(1.0, 0.0), Vec2::new(0.0, 0.0)];
    Mesh {
        positions,
        uvs: vec![uvs],
        primitives: vec![Primitive { material: Some(material), triangles, ..Primitive::default() }],
        ..Mesh::default()
    }
}

fn unlit(color: [f32; 4], alpha: Alpha) -> Material {
    let mut material = Material::default();
    (material.color, material.alpha, material.unlit) = (color, alpha, true);
    material
}

fn front() -> View<'static> {
    View { size: [64, 64], yaw: 0.0, pitch: 0.0, ..View::default() }
}

fn scene(meshes: Vec<Mesh>, materials: Vec<Material>) -> Scene {
    Scene { meshes, materials, ..Scene::default() }
}

fn at(picture: &Picture, x: u32, y: u32) -> [u8; 4] {
    picture.pixels[(y * picture.width + x) as usize]
}

/// The columns and rows of the visible pixels: first and last.
fn extent(picture: &Picture) -> [u32; 4] {
    let visible = (0..picture.height)
        .flat_map(|y| (0..picture.width).map(move |x| (x, y)))
        .filter(|(x, y)| at(picture, *x, *y)[3] > 0);
    visible.fold([u32::MAX, 0, u32::MAX, 0], |[left, right, top, bottom], (x, y)| {
        [left.min(x), right.max(x), top.min(y), bottom.max(y)]
    })
}

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];

#[test]
fn a_model_fills_the_picture_and_stays_inside() {
    for (size, half) in [([64, 64], 1.0), ([96, 48], 1e4), ([48, 96], 1e-3)] {
        let scene = scene(vec![square(0.0, half, 0)], vec![unlit(RED, Alpha::Opaque)]);
        let picture = render(&scene, &View { size, ..front() }, |_| None);
        let [left, right, top, bottom] = extent(&picture);
        assert!(left > 0 && top > 0 && right < size[0] - 1 && bottom < size[1] - 1, "{size:?}");
        let shorter = size[0].min(size[1]);
        assert!((right - left + 1) * 10 >= shorter * 9, "{size:?}: {left}..{right}");
        assert_eq!((right - left), (bottom - top), "a square stays a square");
        assert_eq!(at(&picture, size[0] / 2, size[1] / 2), [255, 0, 0, 255]);
        assert_eq!(at(&picture, 0, 0), [0; 4], "the background is transparent");
    }
}

#[test]
fn the_nearer_surface_hides_the_other_in_any_order() {
    let near = square(0.5, 0.5, 0);
    let far = square(-0.5, 1.0, 1);
    let materials = vec![unlit(RED, Alpha::Opaque), unlit(GREEN, Alpha::Opaque)];
    for meshes in [vec![near.clone(), far.clone()], vec![far, near]] {
        let picture = render(&scene(meshes, materials.clone()), &front(), |_| None);
        assert_eq!(at(&picture, 32, 32), [255, 0, 0, 255]);
        assert_eq!(at(&picture, 6, 32), [0, 255, 0, 255]);
    }
}

#[test]
fn transparent_surfaces_blend_and_masks_cut() {
    let meshes = vec![square(0.5, 1.0, 0), square(0.0, 1.0, 1)];
    let half = [1.0, 0.0, 0.0, 0.5];
    let blended = scene(meshes.clone(), vec![unlit(half, Alpha::Blend), unlit(GREEN, Alpha::Opaque)]);
    // Half of the light of each: 188 is one half in sRGB.
    assert_eq!(at(&render(&blended, &front(), |_| None), 32, 32), [188, 188, 0, 255]);
    let hidden = [1.0, 0.0, 0.0, 0.4];
    let masked = scene(meshes, vec![unlit(hidden, Alpha::Mask), unlit(GREEN, Alpha::Opaque)]);
    assert_eq!(at(&render(&masked, &front(), |_| None), 32, 32), [0, 255, 0, 255]);
}

#[test]
fn colours_are_added_to_the_background_or_multiplied_with_it() {
    let drawn = |alpha, behind: &[f32; 4]| {
        let meshes = vec![square(0.5, 0.5, 0), square(0.0, 1.0, 1)];
        let materials = vec![unlit([1.0, 0.5, 0.0, 1.0], alpha), unlit(*behind, Alpha::Opaque)];
        at(&render(&scene(meshes, materials), &front(), |_| None), 32, 32)
    };
    assert_eq!(drawn(Alpha::Additive, &GREEN), [255, 255, 0, 255]);
    assert_eq!(drawn(Alpha::Modulate, &GREEN), [0, 188, 0, 255]);
    let alone = |alpha| {
        let scene = scene(vec![square(0.0, 1.0, 0)], vec![unlit([0.0, 0.0, 0.0, 1.0], alpha)]);
        at(&render(&scene, &front(), |_| None), 32, 32)[3]
    };
    assert_eq!(
        [alone(Alpha::Additive), alone(Alpha::Modulate)],
        [0, 255],
        "black adds nothing and hides all"
    );
}

#[test]
fn textures_are_upright_and_a_missing_one_is_grey() {
    let mut material = unlit([1.0; 4], Alpha::Opaque);
    material.textures.push("flag".into());
    let scene = scene(vec![square(0.0, 1.0, 0)], vec![material]);
    let flag = Picture {
        width: 2,
        height: 2,
        pixels: vec![[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 0, 255]],
    };
    let picture = render(&scene, &front(), |name| (name == "flag").then(|| flag.clone()));
    // Filtering mixes neighbours a little everywhere.
    let color = |x, y| at(&picture, x, y).map(|part| part > 128);
    assert_eq!(color(18, 18), [true, false, false, true], "red at the top left");
    assert_eq!(color(45, 18), [false, true, false, true], "green at the top right");
    assert_eq!(color(18, 45), [false, false, true, true], "blue at the bottom left");
    assert_eq!(color(45, 45), [true, true, false, true], "yellow at the bottom right");
    let missing = at(&render(&scene, &front(), |_| None), 32, 32);
    assert!(missing[0] == missing[1] && missing[0] > 100, "{missing:?}");
}

#[test]
fn a_white_surface_without_light_and_image_shows_its_shape() {
    let brightness = |material: Material, pitch: f32| {
        let scene = scene(vec![square(0.0, 1.0, 0)], vec![material]);
        at(&render(&scene, &View { pitch, ..front() }, |_| None), 32, 32)[0]
    };
    let of = |material: &Material| [0.0, 60.0].map(|pitch| brightness(material.clone(), pitch));
    let white = of(&unlit([1.0; 4], Alpha::Opaque));
    assert!(white[0] != white[1], "{white:?}");
    assert_eq!(of(&unlit(RED, Alpha::Opaque)), [255, 255], "a colour is seen without light");
}

#[test]
fn colours_that_hide_the_surface_are_ignored() {
    let image = Picture { width: 1, height: 1, pixels: vec![[255; 4]] };
    let mut textured = unlit([1.0; 4], Alpha::Opaque);
    textured.textures.push("skin".into());
    let color = |colors: [f32; 4], masks: bool, material: &Material| {
        let mut mesh = square(0.0, 1.0, 0);
        (mesh.colors, mesh.mask_colors) = (vec![colors; 4], masks);
        let scene = scene(vec![mesh], vec![material.clone()]);
        at(&render(&scene, &front(), |_| Some(image.clone())), 32, 32)
    };
    let plain = unlit([1.0, 1.0, 0.99, 1.0], Alpha::Opaque);
    assert_eq!(color(RED, false, &textured), [255, 0, 0, 255], "a colour");
    assert_eq!(color(RED, true, &textured), [255; 4], "a mask for shaders");
    assert_eq!(color(RED, true, &plain), [255, 0, 0, 255], "without an image");
    assert_ne!(color([0.0, 0.0, 0.0, 1.0], false, &plain), [0, 0, 0, 255], "all black");
}

#[test]
fn a_texture_remains_visible_on_a_surface_that_emits_white() {
    let mut material = unlit([1.0; 4], Alpha::Opaque);
    (material.unlit, material.emissive) = (false, [1.0; 3]);
    material.textures.push("red".into());
    let scene = scene(vec![square(0.0, 1.0, 0)], vec![material]);
    let red = Picture { width: 1, height: 1, pixels: vec![[255, 0, 0, 255]] };
    let picture = render(&scene, &front(), |_| Some(red.clone()));
    assert_eq!(at(&picture, 32, 32), [255, 0, 0, 255]);
    let missing = at(&render(&scene, &front(), |_| None), 32, 32);
    assert!(missing[0] < 255, "the shading remains visible: {missing:?}");
}

#[test]
fn a_surface_is_lit_from_above_on_both_sides() {
    let mesh = square(0.0, 1.0, 0);
    let mut lit = unlit([1.0; 4], Alpha::Opaque);
    lit.unlit = false;
    let scene = scene(vec![mesh], vec![lit]);
    let brightness = |pitch: f32| {
        let picture = render(&scene, &View { pitch, ..front() }, |_| None);
        at(&picture, 32, 32)[0]
    };
    let back = render(&scene, &View { yaw: 180.0, ..front() }, |_| None);
    assert_eq!(at(&back, 32, 32)[0], brightness(0.0), "the back is as bright as the front");
    assert!(brightness(0.0) < 255, "a white surface keeps its shading");
}

#[test]
fn clips_move_the_model_and_one_camera_can_frame_them_all() {
    let bones = vec![Bone::default()];
    let keys = [(0.0, Vec3::ZERO), (1.0, Vec3::X * 4.0)];
    let track = Track { bone: 0, translation: Curve::straight(keys), ..Track::default() };
    let clip = Clip { tracks: vec![track], ..Clip::default() };
    let mesh = Mesh { bone: Some(0), ..square(0.0, 1.0, 0) };
    let moving =
        Scene { skeleton: Skeleton::new(bones).0, ..scene(vec![mesh], vec![unlit(RED, Alpha::Opaque)]) };
    let view = View { clip: Some(&clip), framed: vec![0.0, 1.0], ..front() };
    let [left, right, ..] = extent(&render(&moving, &view, |_| None));
    let [later, last, ..] = extent(&render(&moving, &View { seconds: 1.0, ..view.clone() }, |_| None));
    assert!(right < later && left > 0 && last < 63, "{left}..{right}, {later}..{last}");
    let alone = View { framed: Vec::new(), seconds: 1.0, ..view };
    assert_eq!(at(&render(&moving, &alone, |_| None), 32, 32), [255, 0, 0, 255], "the camera follows");
}

#[test]
fn a_skeleton_without_triangles_is_drawn() {
    let up = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
    let bones = vec![Bone::default(), Bone { parent: Some(0), bind: up, ..Bone::default() }];
    let scene = Scene { skeleton: Skeleton::new(bones).0, ..Scene::default() };
    let [_, _, top, bottom] = extent(&render(&scene, &front(), |_| None));
    assert!(bottom - top > 50, "{top}..{bottom}");
}

#[test]
fn invalid_numbers_and_indices_are_skipped() {
    let mut mesh = square(0.0, 1.0, 7);
    mesh.positions.extend([Vec3::NAN, Vec3::splat(f32::INFINITY), Vec3::splat(f32::MAX)]);
    mesh.uvs[0] = vec![Vec2::NAN; 2];
    mesh.normals = vec![Vec3::NAN, Vec3::ZERO];
    mesh.primitives[0].triangles.extend([[0, 1, 4], [0, 1, 5], [9, 1, 2], [2, 2, 2]]);
    let mut material = Material::default();
    material.textures.push("none".into());
    let scene = scene(vec![mesh], vec![material]);
    let empty = Picture { width: 4, height: 4, pixels: Vec::new() };
    let picture = render(&scene, &front(), |_| Some(empty.clone()));
    assert_eq!(picture.pixels.len(), 64 * 64);
    assert_eq!(picture, render(&scene, &front(), |_| Some(empty.clone())), "the same pixels again");
    assert_eq!(render(&Scene::default(), &View { size: [0, 9], ..front() }, |_| None).width, 1);
}

/// A triangle that fills the picture, so many times.
fn overdrawn(len: usize, offset: f32) -> Scene {
    let corner = |at: usize| {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let z = offset * (at / 3) as f32;
        [Vec3::ZERO, Vec3::X, Vec3::Y][at % 3] + Vec3::Z * z
    };
    let count = u32::try_from(3 * len).expect("a short mesh");
    let triangles = (0..count).step_by(3).map(|first| [first, first + 1, first + 2]).collect();
    let primitives = vec![Primitive { triangles, ..Primitive::default() }];
    let mesh = Mesh { positions: (0..3 * len).map(corner).collect(), primitives, ..Mesh::default() };
    Scene { meshes: vec![mesh], ..Scene::default() }
}

#[test]
fn a_picture_that_would_take_long_is_simplified() {
    let view = View { size: [16, 16], yaw: 0.0, pitch: 0.0, ..View::default() };
    let drawn = |len, offset| draw(&overdrawn(len, offset), &view, |_| None);
    let (one, equal) = (drawn(1, 0.0), drawn(10_000, 0.0));
    assert!(one.is_whole() && drawn(200, 0.0).is_whole());
    assert_eq!((equal.repeated, equal.points), (9_999, 0));
    assert_eq!(equal.picture, one.picture);
    let different = drawn(10_000, 1e-4);
    assert!(
        different.repeated < 9_000 && different.points > 100,
        "{} and {}",
        different.repeated,
        different.points
    );
    let covered = |drawing: &Drawing| drawing.picture.pixels.iter().filter(|pixel| pixel[3] > 0).count();
    assert!(covered(&different) >= covered(&one) / 4);
}
