//! UNIGINE: values, edits and packed sections.
#![allow(clippy::float_cmp, reason = "these values are exact")]

use std::ops::ControlFlow;

use bindpose::codec::{Format, Verdict, any_file, roundtrip};
use bindpose::edit::{Entity, Renames, merge, remove, rename, transform};
use bindpose::formats::check_named_set;
use bindpose::formats::unigine::{
    CInt, Influence, Key, KeyFlags, Mesh14, QuantizedBox, Table, Tangent, Tangent10, UnigineAnim,
    UnigineMesh, compress_rotation, rotation,
};
use bindpose::schema::{self, Role, Schema};
use bindpose::wire::{SmallList, Source, Wire, len};
use bindpose::{Budget, ErrorKind, FieldPath, File, FileKind, Limits, Options};
use binrw::{BinRead, BinWrite, Endian};
use glam::{Quat, Vec3};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::folders::read;

fn file(name: &str) -> File {
    bindpose::decode(&read(&format!("corpus/unigine/{name}"))).expect(name)
}

fn ms14() -> Mesh14 {
    match UnigineMesh::decode(&read("corpus/unigine/ms14.mesh")) {
        Ok(UnigineMesh::Mesh14(mesh)) => mesh,
        other => panic!("{other:?}"),
    }
}

fn get(file: &File, path: &str) -> String {
    let values = file.get_text(path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(values.len(), 1, "{path}");
    values[0].1.clone()
}

#[test]
fn packed_content_is_addressed_with_an_exclamation_mark() {
    let file = file("ms14.mesh");
    assert_eq!(get(&file, "geometry[1]!targets[0].vertices[1].x"), "1.0");
    assert_eq!(get(&file, "geometry[1].data!weights[0].influences[0].weight"), "65535");
    assert_eq!(get(&file, "trees[0]!nodes[0].left"), "-1");
    let found =
        schema::locate(file.value(), &"geometry[1]!uv0[2]".parse().expect("a path")).expect("a place");
    assert_eq!(found[0].path.to_string(), "geometry[1].data!uv0[2]");
    let path: FieldPath = "geometry[0]!uv0[2].x".parse().expect("a path");
    assert_eq!(path.to_string(), "geometry[0]!uv0[2].x");
}

#[test]
fn packed_content_is_compressed_again_only_when_it_changes() {
    let before = read("corpus/unigine/ms14.mesh");
    let mut file = file("ms14.mesh");
    file.set_text("geometry[0]!uv1[1].y", "0.5").expect("the value it has");
    assert_eq!(file.encode().expect("a file"), before);
    file.set_text("geometry[0]!uv1[1].y", "0.25").expect("another value");
    let after = file.encode().expect("a file");
    assert_ne!(after, before);
    let again = bindpose::decode(&after).expect("the edited file");
    assert_eq!(get(&again, "geometry[0]!uv1[1].y"), "0.25");
    assert_eq!(again, file);
}

#[test]
fn offsets_are_updated_when_lengths_change() {
    let mut file = file("ms14.mesh");
    let before = get(&file, "offsets[1]");
    file.set_text("bones[0].name", "a much longer name").expect("a name");
    file.set_text("geometry[0]!targets[0].vertices[*].x", "0.125").expect("positions");
    let again = bindpose::decode(&file.encode().expect("a file")).expect("the edited file");
    let File::UnigineMesh(mesh) = &again else { panic!("a mesh") };
    let UnigineMesh::Mesh14(mesh) = &**mesh else { panic!("an ms14") };
    assert_eq!(mesh.offset_errors.as_slice(), [0_i64; 0]);
    assert_eq!(get(&again, "offsets[1]"), mesh.geometry_offsets()[1].to_string());
    assert_ne!(get(&again, "offsets[1]"), before);
}

#[test]
fn an_edit_preserves_existing_offset_errors() {
    let mut bytes = read("corpus/unigine/ms14.mesh");
    let at = bytes.len() - 4 - 16;
    bytes[at..at + 8].copy_from_slice(&(-1_i64).to_le_bytes());
    let mut file = bindpose::decode(&bytes).expect("a file");
    assert_eq!(get(&file, "offsets[0]"), "-1");
    assert_eq!(file.encode().expect("a file"), bytes);
    file.set_text("bones[0].name", "roots").expect("a name");
    let again = bindpose::decode(&file.encode().expect("a file")).expect("the edited file");
    assert_eq!((get(&again, "offsets[0]"), get(&again, "bones[0].name")), ("0".into(), "roots".into()));
}

#[test]
fn a_list_cannot_be_resized_if_its_count_is_in_a_header() {
    let mut file = file("ms14.mesh");
    let before = file.clone();
    let error = file.append("geometry[1]!coordinate_indices").expect_err("the header counts them");
    assert!(matches!(error.kind(), ErrorKind::Value(_)), "{error}");
    assert_eq!(file, before);
    file.append("geometry[1]!uv0").expect("a list with its own count");
    let again = bindpose::decode(&file.encode().expect("a file")).expect("the edited file");
    assert_eq!(get(&again, "geometry[1]!num_uv0"), "4");
}

#[test]
fn lists_that_share_a_count_change_length_together() {
    for (name, list) in [
        ("ms14.mesh", "surfaces"),
        ("ms14.mesh", "bones"),
        ("ms15.mesh", "surfaces"),
        ("sk10.mesh_skinned", "surfaces"),
        ("sk10.mesh_skinned", "bones"),
        ("ms11.mesh", "surfaces"),
        ("ms11.mesh", "bones"),
        ("ms11.mesh", "animation_names"),
        ("ms11.mesh", "animations[0].frames"),
        ("an10.anim", "bones"),
        ("an10.anim", "names"),
        ("an10.anim", "animations[0].frames"),
        ("an11.anim", "frames"),
        ("an12.anim", "frames"),
        ("sn10.skeleton", "bones"),
    ] {
        let mut file = file(name);
        let before = read(&format!("corpus/unigine/{name}"));
        let added = file.append(list).expect(list)[0].to_string();
        let bytes = file.encode().unwrap_or_else(|error| panic!("{name} {list}: {error}"));
        let again = bindpose::decode(&bytes).unwrap_or_else(|error| panic!("{name} {list}: {error}"));
        assert_eq!(again.encode().expect("a file"), bytes);
        assert_eq!(again.damage(), None);
        file.delete(&added).expect(list);
        assert_eq!(file.encode().expect("a file"), before, "{name} {list}");
    }
}

/// The free leaves inside the packed sections of a file, with their ranges in the unpacked bytes.
fn free_inside(file: &File) -> Vec<(String, String, std::ops::Range<usize>)> {
    let mut free = Vec::new();
    let _ = file.walk(&mut |outer, leaf| {
        let Some(content) = leaf.inside() else { return ControlFlow::Continue(()) };
        let _ = schema::leaves(content, &mut |place, leaf| {
            if place.role == Role::Free && leaf.size() > 0 && leaf.type_name() != "cint" {
                let start = usize::try_from(place.offset).expect("a place in memory");
                let end = start + usize::try_from(leaf.size()).expect("a size in memory");
                free.push((outer.path.to_string(), place.path.to_string(), start..end));
            }
            ControlFlow::Continue(())
        });
        ControlFlow::Continue(())
    });
    free
}

fn unpacked(file: &File, path: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = file.walk(&mut |place, leaf| {
        if let (true, Some(content)) = (place.path.to_string() == path, leaf.inside()) {
            let _ = schema::leaves(content, &mut |_, leaf| {
                leaf.bytes(&mut bytes);
                ControlFlow::Continue(())
            });
        }
        ControlFlow::Continue(())
    });
    bytes
}

#[test]
fn replacing_a_geometry_updates_the_counts_in_its_header() {
    let mut mesh = ms14();
    let mut geometry = mesh.geometry[0].data.content().expect("a content").clone();
    geometry.targets[0].vertices.truncate(3);
    mesh.set_geometry(0, geometry).expect("a geometry");
    assert_eq!(mesh.surfaces[0].targets[0].num_vertices.value(), 3);
    let bytes = UnigineMesh::Mesh14(mesh.clone()).encode().expect("a file");
    assert_eq!(UnigineMesh::decode(&bytes).expect("the file"), UnigineMesh::Mesh14(mesh));
}

#[test]
fn ms15_geometry_has_no_weights_and_takes_its_counts_from_the_header() {
    let mut file = file("ms15.mesh");
    assert_eq!(get(&file, "surfaces[1].num_vertices"), "3");
    assert_eq!(get(&file, "geometry[1]!targets[0].vertices[1].x"), "1.0");
    file.get("geometry[1]!weights").expect_err("ms15 has no weights");
    file.append("geometry[1]!targets").expect_err("ms15 has no morph targets");
    file.append("geometry[1]!coordinate_indices").expect_err("the header counts them");
    file.set_text("geometry[0]!targets[0].vertices[*].x", "0.125").expect("positions");
    let again = bindpose::decode(&file.encode().expect("a file")).expect("the edited file");
    assert_eq!(again, file);
    let File::UnigineMesh(mesh) = &again else { panic!("a mesh") };
    let UnigineMesh::Mesh15(mesh) = &**mesh else { panic!("an ms15") };
    assert_eq!(mesh.offset_errors.as_slice(), [0_i64; 0]);
    assert_eq!(get(&again, "offsets[1]"), mesh.geometry_offsets()[1].to_string());
}

#[test]
fn an_ms15_geometry_can_be_replaced_if_it_has_one_target() {
    let UnigineMesh::Mesh15(mut mesh) =
        UnigineMesh::decode(&read("corpus/unigine/ms15.mesh")).expect("a file")
    else {
        panic!("an ms15")
    };
    let mut geometry = mesh.geometry[0].data.content().expect("a content").clone();
    geometry.targets[0].vertices.truncate(3);
    mesh.set_geometry(0, geometry.clone()).expect("a geometry");
    assert_eq!(mesh.surfaces[0].num_vertices.value(), 3);
    let bytes = UnigineMesh::Mesh15(mesh.clone()).encode().expect("a file");
    assert_eq!(UnigineMesh::decode(&bytes).expect("the file"), UnigineMesh::Mesh15(mesh.clone()));
    geometry.targets = Vec::new().into();
    mesh.set_geometry(0, geometry).expect_err("no target");
}

#[test]
fn stored_bytes_are_the_bytes_of_the_file() {
    let (mesh, bytes) = (ms14(), read("corpus/unigine/ms14.mesh"));
    for (index, part) in mesh.geometry.iter().enumerate() {
        let path: FieldPath = format!("geometry[{index}].data").parse().expect("a path");
        let range = schema::locate(file("ms14.mesh").value(), &path).expect("a place")[0].range.clone();
        let range =
            usize::try_from(range.start).expect("a place")..usize::try_from(range.end).expect("a place");
        assert_eq!(part.data.stored(), &bytes[range]);
        assert_eq!(part.data.len_packed(), len(part.data.stored()));
    }
}

#[test]
fn all_packed_parts_share_one_limit() {
    let bytes = read("corpus/unigine/ms14.mesh");
    let verdict = |memory| {
        let limits = Limits::none().with_max_memory(memory);
        roundtrip::<UnigineMesh>(&bytes, &Options::default().with_limits(limits)).verdict
    };
    let enough = |memory: &u64| verdict(*memory) == Verdict::Lossless;
    let all: Vec<u64> = (0..200).map(|step| step * 1000).collect();
    let least = all[all.partition_point(|memory| !enough(memory))];
    let Verdict::Limit(error) = verdict(least - 1000) else { panic!("{least}") };
    assert!(error.path().to_string().starts_with("trees"), "{error}");
    let Verdict::Limit(error) = verdict(bytes.len() as u64) else { panic!("no memory suffices") };
    assert!(error.to_string().contains("limit of"), "{error}");
}

#[test]
fn bytes_that_cannot_be_unpacked_are_preserved() {
    let mut file = file("ms14.mesh");
    let range = schema::locate(file.value(), &"geometry[0].data".parse().expect("a path")).expect("a place")
        [0]
    .range
    .clone();
    let mut bytes = file.encode().expect("a file");
    let range = usize::try_from(range.start).expect("a place")..usize::try_from(range.end).expect("a place");
    bytes[range].fill(0xff);
    let outcome = FileKind::UnigineMesh.roundtrip(&bytes, &Options::default());
    assert_eq!(outcome.verdict, Verdict::Lossless);
    assert!(outcome.opaque > 0);
    file = bindpose::decode(&bytes).expect("a file");
    let error = file.get_text("geometry[0]!uv0").expect_err("nothing is unpacked");
    assert!(error.to_string().contains("unpacked"), "{error}");
}

#[test]
fn a_bone_keeps_its_position_until_a_key_changes_it() {
    let UnigineAnim::Anim10(anim) = UnigineAnim::decode(&read("corpus/unigine/an10.anim")).expect("a file")
    else {
        panic!("an an10")
    };
    let animation = &anim.animations[0];
    let position = |frame, bone| animation.pose(frame, bone).map(|pose| pose.position);
    let [Some(x), Some(_), Some(z)] = position(0, 1).expect("a pose") else { panic!("a position") };
    assert_eq!((x, z), (-1.0, 1.0));
    assert_eq!(position(3, 1), position(0, 1));
    assert_eq!(position(4, 1), None, "there are four frames");
    assert_eq!(position(0, 2), None, "there are two bones");
}

#[test]
fn missing_components_of_an_an11_key_are_the_identity() {
    let UnigineAnim::Anim11(anim) = UnigineAnim::decode(&read("corpus/unigine/an11.anim")).expect("a file")
    else {
        panic!("an an11")
    };
    let transform = |frame| anim.frames.get(frame, 0).expect("a key").transform();
    assert_eq!(transform(1).position, [1.0, 2.0, 3.0]);
    assert_eq!(transform(2).position, [0.0; 3]);
    assert_eq!(transform(0).scale, [1.0; 3]);
}

#[test]
fn keys_are_set_by_path() {
    let mut file = file("an10.anim");
    file.set_text("animations[0].frames[0][1].rotation.w", "-5").expect("a part of a rotation");
    assert_eq!(get(&file, "animations[0].frames[0][1].rotation.w"), "-5");
    file.set_text("animations[0].frames[1][0].flags", "1").expect_err("flags decide what follows");
    assert_eq!(file.get_text("animations[0].frames[2][0].rotation").expect("a path"), [], "nothing is there");
}

#[test]
fn the_flags_of_a_key_follow_its_components() {
    let mut table: Table<CInt, Key<u16>> = Table::new(1);
    let key = Key { position_x: Some(1), ..Key::default() };
    table.push([key.clone()]).expect("a key");
    assert_eq!(table.row(0).next().expect("a cell"), Key { flags: KeyFlags::from_raw(1), ..key });
    assert!(table.push([Key::default(), Key::default()]).is_err(), "two cells in a row of one");
}

#[test]
fn decoded_values_compress_to_the_number_they_came_from() {
    for number in -i16::MAX..=i16::MAX {
        assert_eq!(compress_rotation(rotation([number; 4])), [number; 4]);
    }
    for number in 0..=u16::MAX {
        let influence = Influence { bone: 0, weight: number };
        assert_eq!(Influence::new(0, influence.share()), influence);
    }
    let box_ = QuantizedBox { min: [-3.0, 0.1, 100.0], size: [6.0, 0.7, 50.0] };
    for number in 0..=u16::MAX {
        for axis in 0..3 {
            assert_eq!(box_.quantize(axis, box_.value(axis, number)), Some(number));
        }
    }
}

#[test]
fn tangents_are_unit_quaternions() {
    let length = |q: [f32; 4]| q.iter().map(|part| part * part).sum::<f32>();
    let long = Tangent::from_quaternion([0.5, -0.5, 0.5, -0.5]);
    assert!((length(long.quaternion()) - 1.0).abs() < 1e-3);
    assert_eq!(long.handedness(), -1.0);
    assert_eq!(Tangent::from_quaternion([1.0, 0.0, 0.0, -0.0]).xyzw[3], -31, "its sign survives");
    let short = Tangent10::from_quaternion([0.5, -0.5, 0.5, -0.5]);
    assert_eq!((short.xyz, short.handedness()), ([-16383, 16383, -16383], -1.0));
    assert!((length(short.quaternion()) - 1.0).abs() < 1e-6);
    assert!(short.quaternion()[3] > 0.0, "the same rotation as the opposite quaternion");
}

/// Decodes elements one by one.
fn slowly<T: Schema + Wire>(bytes: &[u8], count: usize) -> Option<(Vec<T>, usize)> {
    let mut source = Source::new(bytes);
    let items: Option<Vec<T>> =
        (0..count).map(|_| T::read_options(&mut source, Endian::Little, ()).ok()).collect();
    let end = std::io::Seek::stream_position(&mut source).expect("a position");
    Some((items?, usize::try_from(end).expect("a place in memory")))
}

proptest! {
    #[test]
    fn a_table_decodes_like_its_cells(bytes in vec(any::<u8>(), 0..40_000), rows in 0..60_usize, columns in 0..60_i64) {
        let count = CInt::try_from(rows).expect("a small count").to_bytes();
        let cells = rows * usize::try_from(columns).expect("a small count");
        let slow = slowly::<Key<u16>>(&bytes, cells);
        let input = [&count[..], &bytes].concat();
        let table = Table::<CInt, Key<u16>>::read_options(&mut Source::new(&input), Endian::Little, (columns,));
        prop_assert_eq!(table.is_ok(), slow.is_some());
        if let (Ok(table), Some((slow, end))) = (table, slow) {
            prop_assert_eq!(table.len(), if columns > 0 { rows } else { 0 });
            prop_assert!((0..table.len()).flat_map(|row| table.row(row)).eq(slow));
            let mut out = std::io::Cursor::new(Vec::new());
            table.write_options(&mut out, Endian::Little, ()).expect("a table");
            prop_assert_eq!(out.into_inner(), &input[..count.len() + end]);
        }
    }

    #[test]
    fn a_small_list_can_have_255_elements(items in vec(any::<u16>(), 0..300)) {
        match SmallList::<u8, u16, 4>::new(items.iter().copied()) {
            Some(few) => prop_assert_eq!(&*few, &items[..]),
            None => prop_assert!(items.len() > 255),
        }
    }

    #[test]
    fn an_edit_of_a_free_leaf_inside_touches_only_its_own_unpacked_bytes(mesh in any_file::<UnigineMesh>(), index in any::<Index>()) {
        let mut file = File::UnigineMesh(Box::new(mesh));
        let free = free_inside(&file);
        if free.is_empty() {
            return Ok(());
        }
        let (outer, inner, range) = &free[index.index(free.len())];
        let path = format!("{outer}!{inner}");
        let (stored, before) = (file.encode()?, unpacked(&file, outer));
        let own = file.get_text(&path)?[0].1.clone();
        file.set_text(&path, &own)?;
        prop_assert_eq!(file.encode()?, stored, "set to itself: {}", path);
        let new: Vec<u8> = before[range.clone()].iter().map(|byte| byte ^ 0x55).collect();
        file.set_text(&path, &new.iter().fold(String::from("hex:"), |text, byte| format!("{text}{byte:02x}")))?;
        let mut expected = before;
        expected[range.clone()].copy_from_slice(&new);
        prop_assert_eq!(unpacked(&file, outer), expected, "{}", path);
        FileKind::UnigineMesh.law(&file.encode()?, &Options::default());
    }
}

#[test]
fn joints_are_removed_with_their_values() {
    let mut files = vec![file("sn10.skeleton"), file("an12.anim")];
    assert_eq!(remove(&mut files, Entity::Bone, b"hand"), Ok(2));
    let File::UnigineSkeleton(skeleton) = &files[0] else { unreachable!("a skeleton") };
    assert_eq!((skeleton.bones.len(), skeleton.transforms.len(), skeleton.retarget.len()), (1, 1, 1));
    assert_eq!(skeleton.masks[0].values[..], [0.0]);
    let findings = |file: &File| file.check(&file.encode().expect("a file"), 1).findings.len();
    assert_eq!(files.iter().map(findings).sum::<usize>(), 0);
    // The keys of the hand without those of its parent, whose pose is not in the file but in the set.
    let mut anim = file("an12.anim");
    anim.set_text("bone_indices[0]", "1").expect("an index");
    for (frame, axis) in (0..8).flat_map(|frame| ["x", "y", "z"].map(|axis| (frame, axis))) {
        // Half of the keys have a scale, with which no joint can take the place of another.
        let _ = anim.set_text(&format!("frames[{frame}][0].scale.{axis}"), "1");
    }
    let error = remove(&mut [anim.clone()], Entity::Bone, b"root").expect_err("no bind pose");
    assert!(error.to_string().contains("in another file"), "{error}");
    let mut skeleton = file("sn10.skeleton");
    skeleton.set_text("transforms[0].position.x", "8").expect("a position");
    let mut files = [skeleton, anim];
    let before: Vec<f64> = (0..8)
        .map(|frame| {
            files[1]
                .get(&format!("frames[{frame}][0].position.x"))
                .map_or(0.0, |own| own.as_f64().expect("a number"))
        })
        .collect();
    assert_eq!(remove(&mut files, Entity::Bone, b"root"), Ok(2));
    assert_eq!(get(&files[0], "transforms[0].position.x"), "8.5");
    for (frame, before) in before.into_iter().enumerate() {
        let own = files[1].get(&format!("frames[{frame}][0].position.x")).expect("a position");
        assert_eq!(own.as_f64(), Some(before + 8.0), "{frame}");
    }
}

#[test]
fn animations_of_different_rates_or_skeletons_are_not_merged() {
    for (path, value, why) in [
        ("frame_rate", "25", "frame rate"),
        ("skeleton.path", "other.skeleton", "different skeletons"),
        ("bone_indices[0]", "0", "same bones"),
    ] {
        let mut own = file("an12.anim");
        own.set_text(path, value).expect(path);
        let error = merge(&mut own, &file("an12.anim")).expect_err(path);
        assert!(error.to_string().contains(why), "{path}: {error}");
    }
    let (mut own, mut other) = (file("an12.anim"), file("an12.anim"));
    other.set_text("bone_indices[0]", "1").expect("an index");
    merge(&mut own, &other).expect("keys of another bone");
    assert_eq!(get(&own, "bone_indices[1]"), "1");
    assert_eq!(get(&own, "frames[7][1].position.z"), "3.0");
}

/// The files of a set of SDK 2.21.
const HERO: [&str; 3] = ["hero.skeleton", "hero.mesh_skinned", "hero.anim"];

fn hero() -> Vec<File> {
    HERO.map(file).to_vec()
}

/// The findings of each file alone and of all as a set.
fn findings(files: &[File]) -> Vec<String> {
    let alone = files.iter().map(|file| file.check(&file.encode().expect("a file"), 9));
    let named: Vec<_> = HERO.into_iter().zip(files).collect();
    let reports = alone.chain(check_named_set(&named, 9));
    reports.flat_map(|report| report.findings).map(|own| own.to_string()).collect()
}

#[test]
fn the_counts_of_an_sk10_are_of_two_kinds() {
    let file = file("sk10.mesh_skinned");
    assert_eq!(get(&file, "num_bones"), "2");
    assert_eq!(get(&file, "num_rests"), "2");
    assert_eq!(get(&file, "surfaces[1].targets[1].num_vertices"), "3");
    assert_eq!(get(&file, "geometry[1]!targets[1].vertices[2].z"), "1.0");
    assert_eq!(get(&file, "skeleton.path"), "hero/hero.skeleton");
    let range = |path: &str| {
        let found = schema::locate(file.value(), &path.parse().expect("a path")).expect("a place");
        found[0].range.end - found[0].range.start
    };
    assert_eq!((range("num_bones"), range("num_surfaces"), range("skeleton.len_path")), (4, 1, 4));
    file.get("surfaces[0].lightmap").expect_err("sk10 has no lightmaps");
    let File::UnigineMesh(mesh) = &file else { panic!("a mesh") };
    let UnigineMesh::SkinnedMesh(mesh) = &**mesh else { panic!("an sk10") };
    assert_eq!(get(&file, "offsets[1]"), mesh.geometry_offsets()[1].to_string());
}

#[test]
fn a_new_name_of_a_joint_follows_into_all_files_of_a_set() {
    let mut files = hero();
    assert_eq!(findings(&files), [""; 0]);
    let renames = Renames::new().with(Entity::Bone, "hand", "fist").expect("a name");
    for file in &mut files {
        assert_eq!(rename(file, &renames).expect("a file").len(), 1);
        assert_eq!(get(file, "bones[1].name"), "fist");
    }
    assert_eq!(findings(&files), [""; 0]);
}

/// What a file names is compared with the others, whatever they are.
#[test]
fn references_of_a_set_agree() {
    for (file, path, value, expected) in [
        (2, "skeleton.guid", "7", "skeleton.guid: is 7, but 1b2c"),
        (
            2,
            "skeleton.path",
            "old/hero.skeleton",
            "skeleton.path: is old/hero.skeleton, but hero/hero.skeleton in",
        ),
        (
            1,
            "skeleton.path",
            "other.skeleton",
            "skeleton.path: is other.skeleton, but the skeleton is called",
        ),
        (2, "skeleton.guid", "", ""),
        (1, "skeleton.path", "", ""),
        (2, "skeleton.guid", "1B2C3D4E5F60718293A4B5C6D7E8F90A1B2C3D4E", ""),
    ] {
        let mut files = hero();
        files[file].set_text(path, value).expect(path);
        let found = findings(&files);
        assert!(found.iter().any(|own| own.starts_with(expected)) || found.is_empty(), "{path}: {found:?}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{path}: {found:?}");
    }
}

/// Joints are those of another skeleton if the file names another one.
#[test]
fn joints_are_compared_with_the_skeleton_that_a_file_names() {
    let mut files = hero();
    files[1].set_text("bones[1].name", "fist").expect("a name");
    let joints = |names: [&str; 3]| {
        let named: Vec<_> = names.into_iter().zip(&files).collect();
        let findings = check_named_set(&named, 9).into_iter().flat_map(|report| report.findings);
        findings.filter(|own| own.rule.code == "unigine/set-joint").count()
    };
    assert_eq!(joints(HERO), 1);
    assert_eq!(joints(["", "", ""]), 1);
    assert_eq!(joints(["villain.skeleton", "hero.mesh_skinned", "hero.anim"]), 0);
    // Of two skeletons, it is the one with the name.
    let [hero, villain] = [file("hero.skeleton"), files[0].clone()];
    let mut mesh = files[1].clone();
    mesh.set_text("skeleton.path", "villain.skeleton").expect("a path");
    let named = [("hero.skeleton", &hero), ("villain.skeleton", &villain), ("hero.mesh_skinned", &mesh)];
    let findings = check_named_set(&named, 9).into_iter().flat_map(|report| report.findings);
    assert_eq!(findings.filter(|own| own.rule.code == "unigine/set-joint").count(), 1);
}

#[test]
fn a_joint_is_removed_from_all_files_of_a_set() {
    let mut files = hero();
    assert_eq!(remove(&mut files, Entity::Bone, b"hand"), Ok(3));
    assert_eq!(findings(&files), [""; 0]);
    assert_eq!(get(&files[1], "num_rests"), "1");
    // The weights of the hand are those of its parent.
    assert_eq!(get(&files[1], "geometry[0]!weights[1].influences[0].weight"), "65535");
    let mut uneven = file("rules.mesh_skinned");
    let error = remove(std::slice::from_mut(&mut uneven), Entity::Bone, b"hand").expect_err("a pose is lost");
    assert!(error.to_string().contains("for each bone"), "{error}");
}

#[test]
fn skinned_meshes_are_merged_if_skeleton_and_poses_agree() {
    for (path, value, why) in [
        ("skeleton.guid", "0", "different skeletons"),
        ("binds[1].position.x", "2", "another bind pose"),
        ("rests[1].position.x", "2", "rest poses"),
        ("surfaces[0].bounds.radius", "2", "surface"),
    ] {
        let mut own = file("hero.mesh_skinned");
        own.set_text(path, value).expect(path);
        let error = merge(&mut own, &file("hero.mesh_skinned")).expect_err(path);
        assert!(error.to_string().contains(why), "{path}: {error}");
    }
    let (mut own, mut other) = (file("hero.mesh_skinned"), file("hero.mesh_skinned"));
    other.set_text("surfaces[0].name", "hat").expect("a name");
    merge(&mut own, &other).expect("another surface");
    assert_eq!(get(&own, "surfaces[1].name"), "hat");
    assert_eq!(get(&own, "geometry[1]!weights[1].influences[1].bone"), "1");
    let again = bindpose::decode(&own.encode().expect("a file")).expect("the merged file");
    assert_eq!(again, own);
}

#[test]
fn a_damaged_skinned_mesh_rests_in_its_bind_pose() {
    let bytes = read("damaged/unigine/cut_sk10.mesh_skinned");
    let rescued = FileKind::UnigineMesh.rescue(&bytes, &Options::default()).expect("a mesh");
    let Ok(UnigineMesh::SkinnedMesh(mesh)) = UnigineMesh::decode(&rescued.bytes) else { panic!("an sk10") };
    assert_eq!((mesh.rests.len(), &mesh.rests[1]), (2, &mesh.binds[1]));
}

fn budget() -> Budget {
    Budget::of(&Limits::default(), 0)
}

#[test]
fn quantized_keys_that_all_move_keep_their_places() {
    let mut file = file("an10.anim");
    file.set_text("bones[0].parent", "-1").expect("two roots");
    let places = |file: &File| {
        let File::UnigineAnim(anim) = file else { panic!("an animation") };
        let UnigineAnim::Anim10(anim) = &**anim else { panic!("an an10") };
        let own = &anim.animations[0];
        let poses = (0..4).flat_map(|frame| (0..2).filter_map(move |bone| own.pose(frame, bone)));
        poses.map(|own| Vec3::from(own.position.map(|axis| axis.expect("a position")))).collect::<Vec<_>>()
    };
    let before = places(&file);
    for x in [1024.0, -1024.0] {
        let files = std::slice::from_mut(&mut file);
        transform(files, Quat::IDENTITY, Vec3::new(x, 0.0, 0.0), &budget()).expect("a motion");
    }
    let after = places(&file);
    assert!(!before.is_empty());
    assert!(before.iter().zip(&after).all(|(a, b)| a.abs_diff_eq(*b, 1e-3)), "{before:?}, then {after:?}");
}

#[test]
fn a_motion_that_leaves_few_steps_is_refused() {
    let mut file = file("an10.anim");
    let far = Vec3::new(1e5, 0.0, 0.0);
    let error = transform(std::slice::from_mut(&mut file), Quat::IDENTITY, far, &budget());
    let error = error.expect_err("steps of metres");
    assert!(error.to_string().contains("steps of"), "{error}");
}
