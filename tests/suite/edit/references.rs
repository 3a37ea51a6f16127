//! What the definitions state about references holds for what the verbs do.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::ControlFlow::Continue;

use bindpose::codec::Format;
use bindpose::edit::{Entity, Name, References, merge, names, remove};
use bindpose::formats::psk::{Chunk, Face, Psk, Records, Wedge};
use bindpose::schema::{
    self, FieldValue, Identity, Moves, Node, Objects, Reference, Selected, Step, Target, locate,
};
use bindpose::{FieldPath, File};

use super::merge::copy;
use crate::folders::{self, Sample};

fn all(file: &File) -> Vec<Reference> {
    let mut all = Vec::new();
    let _ = References::of(file).expect("names").each(&mut |reference| {
        all.push(reference);
        Continue(())
    });
    all
}

fn by_index(file: &File) -> Vec<Reference> {
    let mut all = Vec::new();
    let _ = Objects::of(file.value()).references(file.value(), &mut |reference| {
        all.push(reference);
        Continue(())
    });
    all
}

/// As [`by_index`], with those between the objects of a text.
fn by_any_index(file: &File) -> Vec<Reference> {
    let named: BTreeSet<_> = names(file).expect("names").into_iter().map(|name| name.path).collect();
    all(file).into_iter().filter(|own| !named.contains(&own.path)).collect()
}

/// The references of each field.
fn by_field(references: Vec<Reference>) -> BTreeMap<String, Vec<Reference>> {
    let mut fields: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for reference in references {
        let steps = reference.path.steps().iter().filter(|step| !matches!(step, Step::Index(_)));
        let field = FieldPath::from(steps.cloned().collect::<Vec<_>>()).to_string();
        fields.entry(field).or_default().push(reference);
    }
    fields
}

/// Returns the file with a reference to an object that is not there, if it can be written.
fn broken(file: &File, path: &FieldPath) -> Option<File> {
    [100_i64, 200, 254, 30_000, 65_000, 2_000_000_000].into_iter().find_map(|index| {
        let mut file = file.clone();
        file.set(&path.to_string(), index).ok()?;
        let is_broken = |own: &Reference| own.path == *path && matches!(own.target, Target::Missing(_));
        (by_any_index(&file).iter().any(is_broken) && file.encode().is_ok()).then_some(file)
    })
}

/// The messages about a value, or about what it is part of.
fn findings(file: &File, path: &FieldPath) -> BTreeSet<String> {
    let report = file.check(&file.encode().expect("bytes"), 99);
    let is_about = |own: &FieldPath| {
        let places = locate(file.value(), own).unwrap_or_default();
        places.iter().any(|place| place.path.is_within(path) || path.is_within(&place.path))
    };
    let about = report.findings.iter().filter(|finding| is_about(&finding.path));
    about.map(|finding| format!("{} {finding}", finding.rule.code)).collect()
}

#[test]
fn a_broken_reference_is_a_finding() {
    let mut silent = Vec::new();
    let mut tried = 0;
    for Sample { name, file, .. } in folders::small_samples("corpus") {
        let all = by_any_index(&file);
        let kinds: BTreeSet<_> = all.iter().map(|own| own.entity).collect();
        let of_kind = |kind| by_field(all.iter().filter(|own| own.entity == kind).cloned().collect());
        for (field, references) in kinds.into_iter().flat_map(of_kind) {
            let Some(own) = references.iter().find(|own| matches!(own.target, Target::Object(_))) else {
                continue;
            };
            let Some(edited) = broken(&file, &own.path) else { continue };
            tried += 1;
            if findings(&edited, &own.path).is_subset(&findings(&file, &own.path)) {
                silent.push(format!("{name}: {field} ({})", own.path));
            }
        }
    }
    assert!(tried > 100, "{tried} fields");
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn the_references_of_a_valid_file_are_not_broken() {
    let mut broken = Vec::new();
    for Sample { name, file, .. } in folders::small_samples("corpus") {
        for own in all(&file) {
            if matches!(own.target, Target::Missing(_)) && findings(&file, &own.path).is_empty() {
                broken.push(format!("{name}: {}", own.path));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The index of the object that a reference selects from the list of a removed one, as it is afterwards; none if it is removed.
fn renumbered(target: &Target, removed: &FieldPath) -> Option<Target> {
    let Target::Object(object) = target else { return Some(target.clone()) };
    let (list, Step::Index(gone)) = removed.split_last()? else { return Some(target.clone()) };
    match object.split_last() {
        Some((own, Step::Index(index))) if own == list && index == gone => None,
        Some((mut own, Step::Index(index))) if own == list && index > gone => {
            own.push(Step::Index(index - 1));
            Some(Target::Object(own))
        }
        _ => Some(target.clone()),
    }
}

/// Whether two references select the same. One that selects nothing can do so by another index.
fn is_same(a: &Target, b: &Target) -> bool {
    a == b || matches!((a, b), (Target::Missing(_), Target::Missing(_)))
}

/// The influences of bones on vertices. The weights of a removed bone go to its parent, so they can change places.
const INFLUENCES: [&str; 7] = [
    "chunks.records.point_index",
    "chunks.records.bone_index",
    "vertices.bone_id",
    "vertex_extra.records.bone_ids",
    "submeshes.vertices.influences.bone_id",
    "geometry.weights.influences.bone",
    "geometry.data!weights.influences.bone",
];

/// Returns the bones and materials whose name no other one has. The keys of a clip go with it, and their indices.
fn removable(file: &File) -> Vec<Name> {
    let names: Vec<_> = names(file).expect("names").into_iter().filter(|name| name.is_definition).collect();
    let is_alone = |own: &&Name| {
        let same = |other: &&Name| (other.entity, &other.text) == (own.entity, &own.text);
        !own.text.is_empty() && own.entity != Entity::Clip && names.iter().filter(same).count() == 1
    };
    names.iter().filter(is_alone).cloned().collect()
}

#[test]
fn a_removal_keeps_what_the_others_refer_to() {
    let mut removals = 0;
    for Sample { name, file, .. } in folders::small_samples("corpus") {
        for own in removable(&file) {
            let mut edited = [file.clone()];
            let Some((removed, _)) = own.path.split_last() else { continue };
            if remove(&mut edited, own.entity, &own.text).is_err() {
                continue;
            }
            removals += 1;
            let is_influence = |field: &str| own.entity == Entity::Bone && INFLUENCES.contains(&field);
            let after = by_field(by_index(&edited[0]));
            let influences: Vec<_> =
                after.iter().filter(|(field, _)| is_influence(field)).flat_map(|(_, own)| own).collect();
            for (field, before) in by_field(by_index(&file)) {
                let left = before.iter().filter(|reference| !reference.path.is_within(&removed));
                let expected: Vec<_> =
                    left.filter_map(|reference| renumbered(&reference.target, &removed)).collect();
                let found: Vec<_> = after.get(&field).into_iter().flatten().map(|own| &own.target).collect();
                let mut rest = found.iter();
                let is_kept = if is_influence(&field) {
                    let has = |target: &Target| influences.iter().any(|own| is_same(&own.target, target));
                    expected.iter().all(|target| *target == Target::Nothing || has(target))
                } else {
                    expected.iter().all(|target| rest.any(|found| is_same(found, target)))
                };
                assert!(is_kept, "{name} without {}: {field}\n{expected:?}\n{found:?}", own.path);
            }
        }
    }
    assert!(removals > 50, "{removals} removals");
}

/// A misspelt kind of object would never be found.
#[test]
fn every_kind_of_object_has_a_list_here_or_in_another_file() {
    let mut found: BTreeMap<_, bool> = BTreeMap::new();
    for Sample { kind, file, .. } in folders::small_samples("corpus") {
        for own in by_index(&file).iter().filter(|own| own.target != Target::Nothing) {
            *found.entry((kind.name(), own.entity)).or_default() |= own.target != Target::Elsewhere;
        }
    }
    let elsewhere: Vec<_> = found.iter().filter(|(_, here)| !**here).map(|(own, _)| *own).collect();
    let expected = [
        ("cal3d-animation", "bone"),
        ("cal3d-mesh", "bone"),
        ("cal3d-mesh", "material"),
        ("max-mesh", "bone"),
    ];
    assert_eq!(elsewhere, expected);
}

#[test]
fn paths_follow_references() {
    let file = folders::small_samples("corpus")
        .find(|sample| sample.name.ends_with("tent.ms3d"))
        .expect("a sample")
        .file;
    let path = |text: &str| text.parse::<FieldPath>().expect("a path");
    let references = References::of(&file).expect("names");
    for own in all(&file) {
        let Target::Object(object) = &own.target else { continue };
        assert_eq!(
            references.follow(&format!("{}->", own.path)).expect("an object"),
            std::slice::from_ref(object)
        );
        if own.entity == "bone" {
            assert_eq!(
                references.follow(&format!("{}->name", own.path)).expect("a name"),
                [object.join(&path("name"))]
            );
        }
    }
    let why = |text| references.follow(text).expect_err("an error").to_string();
    assert!(why("version->name").contains("does not refer to an object"), "{}", why("version->name"));
    assert!(why("joints[0].parent_name->name").contains("refer"), "{}", why("joints[0].parent_name->name"));
}

#[test]
fn indices_in_text_refer_to_the_objects_of_their_mesh() {
    let text = b"xof 0303txt 0032\nMaterial red { 1;0;0;1;; 1; 0;0;0;; 0;0;0;; }\nMesh first { 1; 9;9;9;; 0; }\nMesh second {\n\
        3; 0;0;0;, 1;0;0;, 0;1;0;; 2; 3;0,1,2;, 3;2,1,7;;\n\
        MeshMaterialList { 3; 2; 1,2; {red} Material { 1;1;1;1;; 1; 0;0;0;; 0;0;0;; } {blue} }\n\
        MeshNormals { 1; 0;0;1;; 2; 3;0,0,0;, 3;0,0,1;; }\n\
        FaceAdjacency { 6; 1,4294967295,4294967295, 0,4294967295,9; }\n}\n";
    let file = bindpose::decode(text).expect("a file");
    let found = by_any_index(&file).into_iter().map(|own| match own.target {
        Target::Object(path) => path.to_string(),
        Target::Missing(index) => format!("no {} {index}", own.entity),
        other => format!("{} {}", other.status(), own.entity),
    });
    let vertex = |index: u32| format!("Mesh[\"second\"].vertices[{index}]");
    let normal = || "Mesh[\"second\"].MeshNormals[0].normals[0]".to_owned();
    let face = |index: u32| format!("Mesh[\"second\"].faces[{index}]");
    let mut expected: Vec<_> = [0, 1, 2, 2, 1].map(vertex).into();
    expected.push("no vertex 7".into());
    expected.push("Mesh[\"second\"].MeshMaterialList[0].Material[0]".into());
    expected.push("elsewhere material".into());
    expected.extend([(); 5].map(|()| normal()));
    expected.push("no normal 1".into());
    let none = "none face".to_owned();
    expected.extend([face(1), none.clone(), none.clone(), face(0), none, "no face 9".into()]);
    assert_eq!(found.collect::<Vec<_>>(), expected);
    let references = References::of(&file).expect("names");
    let followed = references.follow("Mesh[\"second\"].faces[0].faceVertexIndices[1]->x").expect("a vertex");
    assert_eq!(followed, locate_paths(&file, "Mesh[\"second\"].vertices[1].x"));
}

fn locate_paths(file: &File, path: &str) -> Vec<FieldPath> {
    let places = locate(file.value(), &path.parse().expect("a path")).expect("a value");
    places.into_iter().map(|place| place.path).collect()
}

/// The elements that cannot be without others that go, found by looking at each reference again and again.
fn with_users(references: &[Reference], nones: &BTreeSet<String>, object: &FieldPath) -> BTreeSet<String> {
    let mut gone = BTreeSet::from([object.to_string()]);
    loop {
        let before = gone.len();
        for own in references {
            let Target::Object(target) = &own.target else { continue };
            let element = |steps: &[Step]| {
                let at = steps.iter().rposition(|step| matches!(step, Step::Index(_)))?;
                Some(FieldPath::from(steps[..=at].to_vec()).to_string())
            };
            if gone.contains(&target.to_string()) && !nones.contains(&field_of(&own.path)) {
                gone.extend(element(own.path.steps()));
            }
        }
        if gone.len() == before {
            return gone;
        }
    }
}

fn field_of(path: &FieldPath) -> String {
    let steps = path.steps().iter().filter(|step| !matches!(step, Step::Index(_)));
    FieldPath::from(steps.cloned().collect::<Vec<_>>()).to_string()
}

/// Returns a path after the removal of elements, by counting those before it; none if it is in one of them.
fn path_after(path: &FieldPath, gone: &BTreeSet<String>) -> Option<FieldPath> {
    let mut after = Vec::new();
    for (at, step) in path.steps().iter().enumerate() {
        let prefix =
            |index| FieldPath::from([&path.steps()[..at], &[Step::Index(index)]].concat()).to_string();
        after.push(match step {
            Step::Index(index) if gone.contains(&prefix(*index)) => return None,
            Step::Index(index) => {
                Step::Index(index - (0..*index).filter(|own| gone.contains(&prefix(*own))).count())
            }
            step => step.clone(),
        });
    }
    Some(after.into())
}

/// The fields whose values can refer to no object. In these formats they are the only ones with a value for none.
fn fields_with_none(file: &File) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let _ = schema::leaves(file.value(), &mut |place, _| {
        let identity = place.field.and_then(|field| field.identity);
        if identity.and_then(Identity::index_of).is_some_and(|own| own.none.is_some()) {
            found.insert(field_of(&place.path));
        }
        Continue(())
    });
    found
}

#[test]
fn what_refers_to_removed_objects_follows() {
    let mut removals = 0;
    for Sample { name, file, .. } in folders::small_samples("corpus") {
        let (before, nones) = (by_index(&file), fields_with_none(&file));
        let objects: BTreeSet<_> =
            before.iter().filter_map(|own| own.target.object()).map(ToString::to_string).collect();
        let packed = |object: &&String| !object.contains('!');
        for object in objects.iter().filter(packed).step_by(objects.len() / 8 + 1) {
            let object: FieldPath = object.parse().expect("a path");
            let gone = with_users(&before, &nones, &object);
            let mut edited = file.clone();
            if schema::remove(edited.value_mut(), std::slice::from_ref(&object)).is_err() {
                continue;
            }
            removals += 1;
            let expected = before.iter().filter_map(|own| {
                let path = path_after(&own.path, &gone)?;
                let target = match &own.target {
                    Target::Object(target) => {
                        path_after(target, &gone).map_or(Target::Nothing, Target::Object)
                    }
                    target => target.clone(),
                };
                Some((path.to_string(), target))
            });
            let found: Vec<_> =
                by_index(&edited).into_iter().map(|own| (own.path.to_string(), own.target)).collect();
            let is_same = |(a, b): (&(String, Target), &(String, Target))| a.0 == b.0 && is_same(&a.1, &b.1);
            let expected: Vec<_> = expected.collect();
            let agree = expected.len() == found.len() && expected.iter().zip(&found).all(is_same);
            assert!(agree, "{name} without {object}\n{expected:?}\n{found:?}");
        }
    }
    assert!(removals > 100, "{removals} removals");
}

/// The index that a reference has, if it refers to an object or to one that is not there.
fn index_of(target: &Target) -> Option<i128> {
    match target {
        Target::Object(object) => match object.steps().last() {
            Some(Step::Index(index)) => i128::try_from(*index).ok(),
            _ => None,
        },
        Target::Missing(FieldValue::Int(index)) => Some(*index),
        _ => None,
    }
}

#[test]
fn indices_follow_objects_that_are_appended_to_others() {
    let mut moved = 0;
    for Sample { name, file, .. } in folders::small_samples("corpus") {
        let before = by_index(&file);
        let kinds: BTreeSet<_> = before.iter().map(|own| own.entity).collect();
        for kind in kinds {
            let mut edited = file.clone();
            if Moves::new().appended(kind, 3).apply(edited.value_mut()).is_err() {
                continue;
            }
            for (old, new) in before.iter().zip(by_index(&edited)) {
                let follows = match (&old.target, index_of(&old.target)) {
                    (Target::Object(_), Some(index)) if old.entity == kind => {
                        index_of(&new.target) == Some(index + 3)
                    }
                    (Target::Missing(_), _) => matches!(new.target, Target::Missing(_)),
                    _ => old.target == new.target,
                };
                assert!(old.path == new.path && follows, "{name}, {kind}: {old:?} {new:?}");
                moved += usize::from(old.entity == kind);
            }
        }
    }
    assert!(moved > 1000, "{moved} references");
}

/// The number of elements of a list; 0 if there is none.
fn len(file: &File, list: &[Step]) -> usize {
    let mut len = 0;
    let _ = schema::select(file.value(), &list.to_vec().into(), &mut |_, selected| {
        if let Selected::Value(value) = selected
            && let Node::Items(items) = value.node()
        {
            len = items.len();
        }
    });
    len
}

/// The step of a path that selects from a list to which that of the second file was appended.
fn appended(object: &FieldPath, [first, second, both]: [&File; 3]) -> Option<usize> {
    let steps = object.steps();
    (0..steps.len()).find(|at| {
        let list = &steps[..*at];
        matches!(steps[*at], Step::Index(_)) && len(both, list) == len(first, list) + len(second, list)
    })
}

/// What an object consists of, without the indices of others.
fn content(file: &File, object: &FieldPath) -> String {
    let mut content = String::new();
    let _ = schema::select(file.value(), object, &mut |_, selected| {
        let Selected::Value(value) = selected else { return };
        let _ = schema::leaves(value, &mut |place, leaf| {
            if place.field.and_then(|field| field.identity).and_then(Identity::index_of).is_none() {
                _ = write!(content, "{:?} ", leaf.field_value());
            }
            Continue(())
        });
    });
    content
}

/// What a reference in one of the files selects: the place of an object in the result, or its content if both files have it.
fn selected(own: &Reference, from: &File, files: [&File; 3]) -> String {
    match &own.target {
        Target::Object(object) => {
            let Some(at) = appended(object, files) else { return content(from, object) };
            let mut steps = object.steps().to_vec();
            if let (Step::Index(index), true) = (&mut steps[at], std::ptr::eq(from, files[1])) {
                *index += len(files[0], &object.steps()[..at]);
            }
            FieldPath::from(steps).to_string()
        }
        Target::Elsewhere => format!("{:?}", from.get(&own.path.to_string())),
        target => target.status().into(),
    }
}

#[test]
fn a_merge_keeps_what_the_values_of_both_files_refer_to() {
    let (mut merges, mut fields) = (0, BTreeSet::new());
    for Sample { name, kind, file, .. } in folders::small_samples("corpus") {
        let (other, mut both) = (copy(&file), file.clone());
        if merge(&mut both, &other).is_err() {
            continue;
        }
        merges += 1;
        let files = [&file, &other, &both];
        let [own, added, found] = files.map(|from| {
            let of_field = |(field, own): (String, Vec<Reference>)| {
                let mut own: Vec<_> = own.iter().map(|own| selected(own, from, files)).collect();
                own.sort();
                (field, own)
            };
            by_field(by_index(from)).into_iter().map(of_field).collect::<BTreeMap<_, _>>()
        });
        for (field, found) in found {
            let own = own.get(&field).cloned().unwrap_or_default();
            let mut all = [&own[..], added.get(&field).map_or(&[], Vec::as_slice)].concat();
            all.sort();
            // The first file can have all that is added: bones, materials.
            assert!(found == all || found == own, "{name}: {field}\n{all:?}\n{found:?}");
            if found != own {
                fields.insert((kind.name(), field));
            }
        }
    }
    assert!(merges > 50 && fields.len() > 20, "{merges} merges, {fields:?}");
}

/// Two meshes of 40,000 points have indices whose upper halves count only in the result.
#[test]
fn indices_of_16_bits_get_their_upper_halves() {
    let mesh = || {
        let mut mesh = Psk::blank_file();
        let points = vec![[0.0; 3]; 40_000];
        let wedge = |at: u16| Wedge { point_index_low: at, point_index_high: 0xdead, ..Wedge::default() };
        let wedges: Vec<_> = (0..40_000).map(wedge).collect();
        let faces = vec![Face { wedge_indices: [0, 1, 39_999], ..Face::default() }];
        mesh.chunks.push(Chunk::new("PNTS0000", Records::Points(points.into())));
        mesh.chunks.push(Chunk::new("VTXW0000", Records::Wedges(wedges.into())));
        mesh.chunks.push(Chunk::new("FACE0000", Records::Faces(faces.into())));
        File::Psk(Box::new(mesh))
    };
    let mut both = mesh();
    merge(&mut both, &mesh()).expect("meshes without bones");
    let File::Psk(both) = both else { unreachable!("a mesh") };
    assert!(both.wedges().iter().map(|wedge| wedge.point_index).eq(0..80_000));
    let faces: Vec<_> = both.faces().iter().map(|face| face.wedge_indices).collect();
    assert_eq!(faces, [[0, 1, 39_999], [40_000, 40_001, 79_999]]);
}
