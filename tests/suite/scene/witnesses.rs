//! The sample character is read as other programs read it: `tests/peers/witnesses.py` has recorded what they see, and
//! `bindings/blender/tests/test_peer.py` what an add-on of Blender shows.

use std::collections::BTreeMap;
use std::fs;

use bindpose::scene::{Clip, Primitive, Scene, Settings};
use glam::{Vec2, Vec3};

use crate::folders;

/// How far places in metres, normals, texture coordinates and weights may be apart: the texts have six digits, and the character is
/// about a metre high.
const PLACE: f32 = 2e-5;
const NORMAL: f32 = 2e-4;
const UV: f32 = 2e-6;
const WEIGHT: f32 = 2e-5;

/// A corner of a triangle. What a witness does not state is empty.
#[derive(Clone, Debug, Default)]
struct Corner {
    place: Vec3,
    normal: Option<Vec3>,
    uv: Option<Vec2>,
    /// By the names of bones.
    weights: BTreeMap<String, f32>,
}

impl Corner {
    /// Parses what follows `corner`.
    fn parse(line: &str) -> Self {
        let (line, weights) = line.split_once('=').unwrap_or((line, ""));
        let (points, uv) = line.split_once('/').unwrap_or((line, ""));
        let words: Vec<_> = weights.split_whitespace().collect();
        let weights = words.chunks_exact(2).map(|own| (own[0].to_owned(), own[1].parse().expect("a weight")));
        let (points, uv) = (numbers(points), numbers(uv));
        Self {
            place: Vec3::from_slice(&points),
            normal: points.get(3..6).map(Vec3::from_slice),
            uv: (!uv.is_empty()).then(|| Vec2::from_slice(&uv)),
            weights: weights.collect(),
        }
    }

    /// Whether a corner has everything that this one states.
    fn is_like(&self, other: &Self) -> bool {
        let is_near = |own: &str, weight: f32| {
            (other.weights.get(own).copied().unwrap_or_default() - weight).abs() <= WEIGHT
        };
        self.place.abs_diff_eq(other.place, PLACE)
            && self
                .normal
                .is_none_or(|own| other.normal.is_some_and(|normal| own.abs_diff_eq(normal, NORMAL)))
            && self.uv.is_none_or(|own| other.uv.is_some_and(|uv| own.abs_diff_eq(uv, UV)))
            && (self.weights.is_empty()
                || self.weights.len() == other.weights.len()
                    && self.weights.iter().all(|(name, weight)| is_near(name, *weight)))
    }
}

fn numbers(text: &str) -> Vec<f32> {
    text.split_whitespace().map(|word| word.parse().expect("a number")).collect()
}

/// The corners of all triangles in a pose.
fn corners(scene: &Scene, clip: Option<&Clip>, seconds: f32) -> Vec<Corner> {
    let mut corners = Vec::new();
    for (mesh, posed) in scene.meshes.iter().zip(scene.posed(clip, seconds)) {
        let weights = |vertex: usize| {
            let skin = mesh.skin.as_ref().expect("a skin");
            let name = |joint: u32| scene.skeleton.bones()[skin.joints[joint as usize].bone].name.clone();
            skin.weights.of(vertex).iter().map(|own| (name(own.joint), own.weight)).collect()
        };
        for vertex in mesh.primitives.iter().flat_map(Primitive::indices).map(|vertex| *vertex as usize) {
            corners.push(Corner {
                place: posed.positions[vertex],
                normal: posed.normals.get(vertex).copied(),
                uv: mesh.uvs.first().map(|uvs| uvs[vertex]),
                weights: weights(vertex),
            });
        }
    }
    corners
}

/// Compares a scene with the lines of a witness, and returns how many were compared.
fn compare(witness: &str, text: &str) -> usize {
    let files = text.lines().find_map(|line| line.strip_prefix("files ")).expect("the files");
    let paths = files.split_whitespace().map(|name| folders::own("character").join(name));
    let mut scene = Scene::load(paths, &Settings::default()).expect("a scene");
    // The add-on knows no curves of morph targets, and the other witnesses have no clip with any.
    scene.clips.iter_mut().for_each(|clip| clip.morphs.clear());
    let (mut own, mut bones, mut compared) = (Vec::new(), BTreeMap::new(), 0);
    for (at, line) in text.lines().enumerate() {
        match line.split_once(' ').expect("a word") {
            ("pose", pose) => {
                let (name, seconds) = pose.split_once(' ').unwrap_or((pose, "0"));
                let clip = scene.clips.iter().find(|clip| clip.name.ends_with(name));
                assert_eq!(clip.is_none(), name == "rest", "{witness}: {name}");
                let seconds = seconds.parse().expect("a time");
                own = corners(&scene, clip, seconds);
                let places = scene.bones_at(clip, seconds).into_iter().map(|own| Vec3::from(own.translation));
                bones = scene.skeleton.bones().iter().map(|bone| bone.name.clone()).zip(places).collect();
            }
            ("corner", line) => {
                let corner = Corner::parse(line);
                let nearest = || {
                    own.iter().min_by(|a, b| {
                        let far = |own: &Corner| own.place.distance(corner.place);
                        far(a).total_cmp(&far(b))
                    })
                };
                let is_there = own.iter().any(|own| corner.is_like(own));
                assert!(is_there, "{witness}, line {}: {corner:?}, but {:?}", at + 1, nearest());
                compared += 1;
            }
            ("bone", line) => {
                let (name, place) = line.split_once(' ').expect("a name");
                let place = Vec3::from_slice(&numbers(place));
                let own = bones[name];
                assert!(
                    own.abs_diff_eq(place, PLACE),
                    "{witness}, line {}: {name} is at {own}, not {place}",
                    at + 1
                );
                compared += 1;
            }
            _ => {}
        }
    }
    compared
}

#[test]
fn the_character_is_as_other_programs_read_it() {
    let mut witnesses = 0;
    for entry in fs::read_dir(folders::own("witnesses")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let compared = compare(&name, &fs::read_to_string(&path).expect("a text"));
        assert!(compared > 50, "{name}: {compared} places");
        witnesses += 1;
    }
    assert_eq!(witnesses, 5, "libcal3d, psk_psa_py, io_scene_psk_psa, and assimp with two formats");
}
