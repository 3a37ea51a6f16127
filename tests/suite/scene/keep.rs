//! Meshes and materials without the others have the triangles that they had, and nothing that only the others used.

use std::collections::HashSet;

use bindpose::scene::{Delta, Influence, Material, Mesh, Primitive, Scene};
use glam::{Vec2, Vec3};
use proptest::prelude::*;

use super::author::strategy;
use crate::folders;

/// A corner of a triangle, without indices into the lists of the mesh.
#[derive(Debug, PartialEq)]
struct Corner {
    position: Vec3,
    normal: Option<Vec3>,
    uvs: Vec<Vec2>,
    color: Option<[f32; 4]>,
    influences: Vec<Influence>,
    deltas: Vec<(String, Vec3)>,
}

/// A group of triangles, with the names and the material that it has.
#[derive(Debug, PartialEq)]
struct Group<'a> {
    mesh: &'a str,
    name: &'a str,
    material: Option<&'a Material>,
    corners: Vec<Corner>,
}

fn corner(mesh: &Mesh, vertex: u32) -> Corner {
    let at = vertex as usize;
    let delta = |own: &&Delta| own.vertex == vertex;
    let deltas = mesh.morphs.iter().filter_map(|morph| {
        let delta = morph.deltas.iter().find(delta)?;
        Some((morph.name.clone(), delta.position))
    });
    Corner {
        position: mesh.positions[at],
        normal: mesh.normals.get(at).copied(),
        uvs: mesh.uvs.iter().map(|set| set[at]).collect(),
        color: mesh.colors.get(at).copied(),
        influences: mesh.skin.iter().flat_map(|skin| skin.weights.of(at)).copied().collect(),
        deltas: deltas.collect(),
    }
}

/// The groups of a scene that are selected.
fn groups(scene: &Scene, is_kept: impl Fn(&Group<'_>) -> bool) -> Vec<Group<'_>> {
    let group = |mesh: &'_ Mesh, own: &'_ Primitive| {
        own.triangles.as_flattened().iter().map(|vertex| corner(mesh, *vertex)).collect()
    };
    let all = scene.meshes.iter().flat_map(|mesh| mesh.primitives.iter().map(move |own| (mesh, own)));
    let all = all.map(|(mesh, own)| Group {
        mesh: &mesh.name,
        name: &own.name,
        material: own.material.map(|index| &scene.materials[index]),
        corners: group(mesh, own),
    });
    all.filter(|own| is_kept(own)).collect()
}

/// The vertices that no triangle has, of meshes that lost some.
fn has_unused_vertices(before: &Scene, after: &Scene) -> bool {
    let used = |mesh: &Mesh| {
        mesh.primitives.iter().flat_map(|own| own.triangles.as_flattened()).collect::<HashSet<_>>().len()
    };
    let is_whole = |mesh: &Mesh| before.meshes.iter().any(|own| own.positions == mesh.positions);
    after.meshes.iter().any(|mesh| used(mesh) != mesh.positions.len() && !is_whole(mesh))
}

/// A selection of names.
fn is_kept(seed: u64, name: &str) -> bool {
    name.bytes().fold(seed, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % 3 != 0
}

#[test]
fn a_part_of_a_scene_has_what_its_triangles_use() {
    let mut runner = proptest::test_runner::TestRunner::new(folders::config(256));
    runner
        .run(&(strategy::scene(), any::<u64>()), |(scene, seed)| {
            let is_kept = |name: &str| is_kept(seed, name);
            let mut part = scene.clone();
            part.keep_meshes(is_kept);
            prop_assert_eq!(
                groups(&part, |_| true),
                groups(&scene, |own| is_kept(own.mesh) || is_kept(own.name))
            );
            let used = groups(&part, |_| true);
            prop_assert!(
                part.materials.iter().all(|own| used.iter().any(|group| group.material == Some(own)))
            );
            prop_assert!(!has_unused_vertices(&scene, &part));

            let mut again = part.clone();
            again.keep_meshes(is_kept);
            prop_assert_eq!(&again, &part);

            let mut of_material = scene.clone();
            of_material.keep_materials(is_kept);
            let has = |own: &Group<'_>| own.material.is_some_and(|own| is_kept(&own.name));
            prop_assert_eq!(groups(&of_material, |_| true), groups(&scene, has));
            let expected: Vec<_> = scene.materials.iter().filter(|own| is_kept(&own.name)).collect();
            prop_assert_eq!(of_material.materials.iter().collect::<Vec<_>>(), expected);
            prop_assert!(!has_unused_vertices(&scene, &of_material));

            for part in [part, of_material] {
                prop_assert_eq!(&part.skeleton, &scene.skeleton);
                prop_assert_eq!(&part.attachments, &scene.attachments);
                let tracks =
                    |scene: &Scene| scene.clips.iter().map(|own| own.tracks.clone()).collect::<Vec<_>>();
                prop_assert_eq!(tracks(&part), tracks(&scene));
                let has_morph = |scene: &Scene| scene.meshes.iter().any(|mesh| !mesh.morphs.is_empty());
                let num_morphs =
                    |scene: &Scene| scene.clips.iter().map(|own| own.morphs.len()).sum::<usize>();
                let expected = if has_morph(&part) || !has_morph(&scene) { num_morphs(&scene) } else { 0 };
                prop_assert_eq!(num_morphs(&part), expected);
            }
            Ok(())
        })
        .unwrap();
}
