//! UNIGINE files that violate rules.

use bindpose::codec::Format;
use bindpose::formats::unigine::{
    Anim12, CInt, Corners, Influence, Key, Key11, KeyFlags, KeyFlags11, Mesh, MeshAnimation, Table, Tangent,
    Tangents, Transform, UnigineAnim, UnigineMesh, VertexWeights,
};
use bindpose::wire::{FixedStr, LenStr, Packed, SmallList};

use crate::samples::Sample;
use crate::samples::unigine::{bone, hero, packed, plain, rated, skeleton, still, tree, walk};

pub fn unigine() -> Vec<Sample> {
    let encoded = |file: &UnigineMesh| file.encode().expect("a mesh that can be written");
    vec![
        Sample::new(
            "rules.mesh",
            "violates every rule that one ms13 can",
            encoded(&UnigineMesh::Mesh(mesh())),
        ),
        Sample::new("rules_keys.mesh", "an ms11 with keys that contradict the mask", encoded(&keys())),
        Sample::new("rules_offsets.mesh", "an ms14 whose first offset is four bytes off", offsets()),
        Sample::new(
            "rules_tree.mesh",
            "an ms14 with a tree node whose child does not exist",
            missing_child(),
        ),
        Sample::new("rules_nan.mesh", "an ms11 with a key that is NaN", no_number()),
        Sample::new("rules_packed.mesh", "an ms14 with a geometry that cannot be unpacked", unpackable()),
        Sample::new("set.mesh", "an ms13 of two bones", encoded(&UnigineMesh::Mesh(named(["root", "hand"])))),
        Sample::new("set.anim", "an an11 with two other names", posed(["Root", "tail"])),
        Sample::new("set_strangers.anim", "an an11 for another skeleton", posed(["x", "y"])),
        Sample::new("rules.anim", "an an11 that lists a bone twice and one that does not exist", animation()),
        Sample::new("rules.mesh_skinned", "an sk10 with too few rest poses", poses()),
        Sample::new("set.mesh_skinned", "an sk10 with a joint more than `hero.skeleton`", tailed()),
        Sample::new(
            "set_guid.anim",
            "an an12 that names the skeleton of `hero.anim` by another GUID",
            reidentified(),
        ),
        Sample::new("rules_rate.anim", "an an12 without a frame rate", rateless()),
        Sample::new(
            "rules.skeleton",
            "an sn10 whose lists do not have a value for each joint, with an unknown mode",
            unequal(),
        ),
    ]
}

fn plain_mesh(version: u8) -> Mesh {
    let UnigineMesh::Mesh(mesh) = plain(version) else { unreachable!("ms10 to ms13") };
    mesh
}

fn mesh() -> Mesh {
    let mut mesh = plain_mesh(13);
    mesh.tail_id = FixedStr(*b"ms11");
    mesh.bones = vec![bone("root", 1), bone("root", 0), bone("hand", 9)].into();
    mesh.transforms = vec![
        Transform { rotation: [0.0; 4], ..Transform::default() },
        Transform { rotation: [0.0, 0.0, 0.0, 2.0], ..Transform::default() },
        Transform::default(),
    ]
    .into();
    mesh.bones[2].name = LenStr::from_stored(b"hand".to_vec());
    mesh.surfaces[1].name = mesh.surfaces[0].name.clone();
    mesh.surfaces[0].bounds.max = [0.5, 1.0, 0.0];
    (mesh.bounds.min, mesh.bounds.max) = (mesh.bounds.max, mesh.bounds.min);
    let geometry = &mut mesh.geometry[0];
    geometry.targets[1].vertices.pop();
    if let Tangents::Long(tangents) = &mut geometry.targets[1].tangents {
        tangents[0] = Tangent { xyzw: [0; 4] };
        tangents.pop();
    }
    let lost = [Influence { bone: 9, weight: 65535 }];
    let light = [Influence { bone: 0, weight: 30000 }];
    let few =
        |influences: [Influence; 1]| VertexWeights { influences: SmallList::new(influences).expect("few") };
    geometry.weights[0] = few(lost);
    geometry.weights[1] = few(light);
    geometry.uv0.pop();
    geometry.coordinate_indices = Corners::new(&[0, 1, 40, 1, 1, 2, 0], 3).expect("small indices");
    geometry.triangle_indices = Corners::new(&[9, 1, 2], 3).expect("small indices");
    mesh
}

fn named(names: [&str; 2]) -> Mesh {
    let mut mesh = plain_mesh(13);
    mesh.bones = names.map(|name| bone(name, -1)).to_vec().into();
    mesh.transforms = vec![Transform::default(); 2].into();
    mesh
}

fn posed(names: [&str; 2]) -> Vec<u8> {
    let UnigineAnim::Anim11(mut anim) = still() else { unreachable!("an an11") };
    anim.bones = names.map(|name| bone(name, -1)).to_vec().into();
    anim.transforms = vec![Transform::default(); 2].into();
    UnigineAnim::Anim11(anim).encode().expect("an animation")
}

fn keys() -> UnigineMesh {
    let mut key = Key { position_x: Some(0.0), rotation: Some([0; 4]), ..Key::default() };
    key.flag();
    let mut frames = Table::new(1);
    frames.push([key]).expect("a row of one key");
    let mut mesh = plain_mesh(11);
    mesh.animations =
        vec![MeshAnimation { bone_indices: vec![0].into(), mask: KeyFlags::from_raw(0x0f), frames }].into();
    UnigineMesh::Mesh(mesh)
}

fn reidentified() -> Vec<u8> {
    let mut anim = walk();
    anim.skeleton.guid = LenStr::new(b"2");
    UnigineAnim::Anim12(anim).encode().expect("an animation")
}

fn offsets() -> Vec<u8> {
    let mut bytes = packed().encode().expect("a mesh");
    let first = bytes.len() - 4 - 16;
    bytes[first] += 4;
    bytes
}

fn missing_child() -> Vec<u8> {
    let UnigineMesh::Mesh14(mut mesh) = packed() else { unreachable!("an ms14") };
    let mut tree = tree();
    tree.nodes[0].left = CInt::new(9).expect("a small number");
    mesh.trees[0].data = Packed::new(&tree, ()).expect("a tree");
    UnigineMesh::Mesh14(mesh).encode().expect("a mesh")
}

fn no_number() -> Vec<u8> {
    let mut key = Key { position_y: Some(f32::NAN), ..Key::default() };
    key.flag();
    let mut frames = Table::new(1);
    frames.push([Key::default()]).expect("a row of one key");
    frames.push([key]).expect("a row of one key");
    let mut mesh = plain_mesh(11);
    mesh.animations =
        vec![MeshAnimation { bone_indices: vec![0].into(), mask: KeyFlags::from_raw(0), frames }].into();
    UnigineMesh::Mesh(mesh).encode().expect("a mesh")
}

fn unpackable() -> Vec<u8> {
    let UnigineMesh::Mesh14(mesh) = packed() else { unreachable!("an ms14") };
    let place = usize::try_from(mesh.geometry_offsets()[0]).expect("a place");
    let mut bytes = UnigineMesh::Mesh14(mesh).encode().expect("a mesh");
    bytes[place] ^= 1;
    bytes
}

fn animation() -> Vec<u8> {
    let UnigineAnim::Anim11(mut anim) = still() else { unreachable!("an an11") };
    anim.bone_indices = vec![0, 0, 9].into();
    anim.frames = Table::new(3);
    let key = Key11 {
        flags: KeyFlags11::new().with_rotation(true),
        rotation: Some([0.0, 0.0, 0.0, 0.5]),
        ..Key11::default()
    };
    let odd = Key11 { flags: KeyFlags11::from_raw(0x0a), ..key.clone() };
    anim.frames.push([key.clone(), key, odd]).expect("a row of three keys");
    UnigineAnim::Anim11(anim).encode().expect("an animation")
}

fn rateless() -> Vec<u8> {
    UnigineAnim::Anim12(Anim12 { frame_rate: 0, ..rated() }).encode().expect("an animation")
}

fn poses() -> Vec<u8> {
    let mut mesh = hero();
    mesh.rests.pop();
    UnigineMesh::SkinnedMesh(mesh).encode().expect("a mesh")
}

fn tailed() -> Vec<u8> {
    let mut mesh = hero();
    mesh.bones = vec![bone("root", -1), bone("tail", 0), bone("hand", 1)].into();
    mesh.binds.insert(1, Transform::default());
    mesh.rests.insert(1, Transform::default());
    UnigineMesh::SkinnedMesh(mesh).encode().expect("a mesh")
}

fn unequal() -> Vec<u8> {
    let mut skeleton = skeleton();
    skeleton.masks[0].values.pop();
    skeleton.retarget[0].mode = 3;
    skeleton.retarget.pop();
    skeleton.encode().expect("a skeleton")
}
