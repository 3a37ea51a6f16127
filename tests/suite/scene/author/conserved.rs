//! What a scene has is in the files, or a loss: as many bones, triangles, influences and others come out as went in.

use bindpose::formats::lost_without;
use bindpose::scene::author::SceneContent;
use bindpose::scene::{Bone, Clip, Loss, Lost, Material, Mesh, Primitive, Scene, Skeleton};
use glam::Vec3;
use proptest::prelude::*;
use proptest::sample::select;

use super::families::{cal3d, directx, iqm, max, ms3d, unigine, unreal};
use super::{Family, strategy, try_rewritten};

/// How many objects are lost; a loss without a count is of one.
fn count(losses: &[Loss], rows: &[Lost]) -> usize {
    losses.iter().filter(|own| rows.contains(&own.lost)).map(|own| own.count.max(1)).sum()
}

fn triangles(scene: &Scene) -> usize {
    scene.meshes.iter().flat_map(|own| &own.primitives).map(|own| own.triangles.len()).sum()
}

/// The number of bones that move the corners of triangles. A mesh on a bone moves with that one.
fn influences(scene: &Scene) -> usize {
    let of_mesh = |mesh: &Mesh| -> usize {
        let place = |corner: &u32| mesh.positions[*corner as usize];
        let of_corner = |corner: &u32| match &mesh.skin {
            Some(skin) => skin.weights.of(*corner as usize).len(),
            None => usize::from(mesh.bone.is_some()),
        };
        let triangles = mesh.primitives.iter().flat_map(|own| &own.triangles);
        let proper = triangles.filter(|[a, b, c]| {
            let [a, b, c] = [place(a), place(b), place(c)];
            a != b && b != c && c != a
        });
        proper.flatten().map(of_corner).sum()
    };
    scene.meshes.iter().map(of_mesh).sum()
}

/// Asserts that objects are read again, unless they are among the losses.
fn law(scene: &Scene, family: &Family) -> Result<(), String> {
    let Ok((result, mut losses)) = try_rewritten(scene, &family.specs, &family.settings)? else {
        return Ok(());
    };
    let kinds: Vec<_> = family.specs.iter().map(|spec| spec.kind).collect();
    losses.extend(lost_without(scene, "file", &kinds));
    let holds = |what: SceneContent| kinds.iter().any(|kind| kind.scene_contents().contains(&what));
    let lost = |rows: &[Lost]| count(&losses, rows);
    let told = |what: &str, before: usize, after: usize, rows: &[Lost]| {
        let told = losses.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        Err(format!("{what}: {before} are {after}, and {} are lost: {told}", lost(rows)))
    };
    let is = |what: &str, before: usize, after: usize, rows: &[Lost]| {
        if before == after + lost(rows) { Ok(()) } else { told(what, before, after, rows) }
    };
    let (before, after) = (scene.skeleton.bones().len(), result.skeleton.bones().len());
    let added = lost(&[Lost::AddedRoot, Lost::AddedBone]).min(1);
    if after > 0 {
        is("bones", before + added, after, &[])?;
    }
    if holds(SceneContent::Meshes) {
        is("triangles", triangles(scene), triangles(&result), &[Lost::DegenerateTriangles])?;
        // Weights are rounded to none, and vertices without influence get one.
        let is_counted = lost(&[Lost::DroppedInfluences, Lost::RoundedWeights, Lost::LooseVertices]) == 0;
        if is_counted && (scene.meshes.iter().all(|own| own.bone.is_none()) || added == 0) {
            is("influences", influences(scene), influences(&result), &[])?;
        }
    }
    let at_least = |what: &str, before: usize, after: usize, rows: &[Lost]| {
        if before <= after + lost(rows) { Ok(()) } else { told(what, before, after, rows) }
    };
    let (before, after) = (scene.attachments.len(), result.attachments.len());
    at_least("attachments", before, after, &[Lost::UnwrittenObject, Lost::SocketsNotRead])?;
    let morphs = |scene: &Scene| scene.meshes.iter().filter(|own| !own.morphs.is_empty()).count().min(1);
    at_least("morph targets", morphs(scene), morphs(&result), &[Lost::Morphs, Lost::MorphVertices])
}

fn families() -> Vec<Family> {
    let cal3d =
        [None, Some("classic"), Some("imvu"), Some("svn1300"), Some("mp1301"), Some("xml")].map(cal3d);
    let unigine = [None, Some("ms10"), Some("ms11"), Some("ms12"), Some("2.19"), Some("ms14"), Some("sk10")]
        .map(unigine);
    let ms3d = [None, Some("extra1"), Some("extra2"), Some("extra3")].map(ms3d);
    let x = [None, Some("txt"), Some("bin"), Some("tzip"), Some("bzip")].map(directx);
    let max = [max(None, None), max(Some("m48"), Some("p12")), max(Some("m64"), Some("p16"))];
    cal3d.into_iter().chain(unigine).chain(ms3d).chain(x).chain(max).chain([unreal(), iqm()]).collect()
}

/// A scene of a triangle, with vertices that it does not use.
fn with_unused_vertices(count: u8) -> Scene {
    let unused = (0..count).map(|index| Vec3::splat(f32::from(index) + 2.0));
    let mesh = Mesh {
        name: "Body".into(),
        positions: [Vec3::ZERO, Vec3::X, Vec3::Y].into_iter().chain(unused).collect(),
        primitives: vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }],
        ..Mesh::default()
    };
    let skeleton = Skeleton::new(vec![Bone { name: "root".into(), ..Bone::default() }]).0;
    Scene { skeleton, meshes: vec![mesh], ..Scene::default() }
}

/// The losses of writing a scene as a family, and of reading the result; none if the family refuses the scene.
fn lost_by(scene: &Scene, family: &Family) -> Option<(Scene, Vec<Loss>)> {
    let rewritten = try_rewritten(scene, &family.specs, &family.settings);
    let (result, mut losses) = rewritten.unwrap_or_else(|why| panic!("{}: {why}", family.name)).ok()?;
    losses.extend_from_slice(&result.losses);
    let kinds: Vec<_> = family.specs.iter().map(|spec| spec.kind).collect();
    losses.extend(lost_without(scene, "file", &kinds));
    Some((result, losses))
}

#[test]
fn vertices_that_no_triangle_uses_are_read_again_or_are_a_loss() {
    let is_unused = |own: &Vec3| own.min_element() > 1.0;
    for family in families() {
        let (result, losses) = lost_by(&with_unused_vertices(3), &family).expect("a mesh");
        let kept = result.meshes.iter().flat_map(|own| &own.positions).filter(|own| is_unused(own)).count();
        let lost = count(&losses, &[Lost::UnusedVertices]);
        assert_eq!(kept + lost, 3, "{} {:?}: {losses:?}", family.name, family.settings.version);
    }
}

#[test]
fn materials_of_one_name_are_read_again_or_are_a_loss() {
    let mut scene = with_unused_vertices(0);
    scene.materials = ["skin", "skin", "spare"].map(Material::new).to_vec();
    let primitives = &mut scene.meshes[0].primitives;
    primitives.push(primitives[0].clone());
    for (index, own) in primitives.iter_mut().enumerate() {
        own.material = Some(index);
    }
    for family in families() {
        let (result, losses) = lost_by(&scene, &family).expect("a mesh");
        let lost = count(&losses, &[Lost::UnwrittenMaterial, Lost::MaterialOfSameName]);
        assert_eq!(
            result.materials.len() + lost,
            3,
            "{} {:?}: {losses:?}",
            family.name,
            family.settings.version
        );
    }
}

#[test]
fn clips_without_a_bone_are_read_again_or_are_a_loss() {
    let clip = Clip { name: "walk".into(), ..Clip::default() };
    let scene = Scene { skeleton: Skeleton::default(), clips: vec![clip], ..with_unused_vertices(0) };
    for family in families() {
        let Some((result, losses)) = lost_by(&scene, &family) else { continue };
        let is_lost = losses.iter().any(|own| own.subjects.iter().any(|subject| subject.name == "walk"));
        assert!(
            !result.clips.is_empty() || is_lost,
            "{} {:?}: {losses:?}",
            family.name,
            family.settings.version
        );
    }
}

proptest! {
    #![proptest_config(crate::folders::config(192))]
    #[test]
    fn what_goes_in_comes_out_or_is_a_loss(scene in strategy::scene(), family in select(families())) {
        law(&scene, &family).map_err(|why| TestCaseError::fail(format!("{} {:?}: {why}", family.name, family.settings.version)))?;
    }
}
