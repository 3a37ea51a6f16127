//! What a scene has is in the files, or a loss: as many bones, triangles, influences and others come out as went in.

use bindpose::formats::lost_without;
use bindpose::scene::author::SceneContent;
use bindpose::scene::{Loss, Lost, Mesh, Scene};
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

proptest! {
    #![proptest_config(crate::folders::config(192))]
    #[test]
    fn what_goes_in_comes_out_or_is_a_loss(scene in strategy::scene(), family in select(families())) {
        law(&scene, &family).map_err(|why| TestCaseError::fail(format!("{} {:?}: {why}", family.name, family.settings.version)))?;
    }
}
