//! UNIGINE meshes and animations.

use bindpose::codec::Format;
use bindpose::formats::unigine::{
    Anim11, Anim12, AnimationName, Bone, Bounds, CInt, Corners, EdgeFlags, Geometry, Geometry15, Influence,
    JointWeights, Key, Key11, KeyFlags, KeyFlags11, Lightmap, Mesh, Mesh14, Mesh15, MeshAnimation,
    OffsetErrors, PackedGeometry, PackedGeometry15, PackedTree, QuantizedAnimation, QuantizedBox, RawMesh,
    RawSurface, RawVertex, Reference, Retarget, SkinnedMesh, SkinnedSurface, Surface, Surface14, Surface15,
    Table, Tangent, Tangent10, Tangents, Target, Target14, TargetName, Transform, Tree, TreeNode,
    UnigineAnim, UnigineMesh, UnigineSkeleton, VertexWeights,
};
use bindpose::schema;
use bindpose::wire::{FixedStr, LenStr, Packed, Rest, SmallList};
use bindpose::{FileKind, Options};

use super::{Family, Sample, literal, rules};

pub fn family() -> Family {
    let literal = literal::unigine(
        &bindpose::File::UnigineMesh(Box::new(plain(11))),
        &bindpose::File::UnigineAnim(Box::new(quantized())),
    );
    let damaged = [damaged(), literal].concat();
    Family { folder: "unigine", valid: [valid(), rules::unigine()].concat(), damaged }
}

fn valid() -> Vec<Sample> {
    vec![
        mesh("empty.mesh", "ms13: empty", &UnigineMesh::blank_file()),
        mesh("ms10.mesh", "ms10: a bone, an animation, tangents of 7 bytes", &plain(10)),
        mesh("ms11.mesh", "ms11: a bone, an animation, tangents of 8 bytes", &plain(11)),
        mesh("ms12.mesh", "ms12: lightmaps and an animation, which no known file has", &plain(12)),
        mesh("ms13.mesh", "ms13: two morph targets, weights, two UV sets, colours", &plain(13)),
        mesh("wide.mesh", "ms13: 255 vertices and 256 tangents, so indices of 8 and of 16 bits", &wide()),
        mesh("ms14.mesh", "ms14: a compressed and an uncompressed geometry, a bone with weights", &packed()),
        mesh("ms15.mesh", "ms15: a static mesh, a compressed and an uncompressed geometry", &packed_static()),
        mesh(
            "sk10.mesh_skinned",
            "sk10: two joints with a bind and a rest pose, a compressed and an uncompressed geometry, morph targets",
            &UnigineMesh::SkinnedMesh(skinned()),
        ),
        mesh(
            "hero.mesh_skinned",
            "sk10: of the set of `hero.skeleton`; the hand rests turned",
            &UnigineMesh::SkinnedMesh(hero()),
        ),
        Sample::new("hero.skeleton", "sn10: the skeleton of a set", skeleton().encode().expect("a skeleton")),
        anim(
            "hero.anim",
            "an12: of the set of `hero.skeleton`, 25 frames per second, root motion",
            &UnigineAnim::Anim12(walk()),
        ),
        Sample::new("stored.mesh", "ms14: an uncompressed tree", repacked(&<[u8]>::to_vec, None)),
        mesh("mr02.mesh", "mr02: a triangle without indices", &raw()),
        anim(
            "an10.anim",
            "an10: two bones, one animation, keys with the components that change",
            &quantized(),
        ),
        anim("an11.anim", "an11: floats, keys of all kinds", &floats()),
        anim("still.anim", "an11 without frames", &still()),
        anim(
            "an12.anim",
            "an12: a frame rate, the name of a skeleton, keys of all kinds",
            &UnigineAnim::Anim12(rated()),
        ),
        Sample::new(
            "sn10.skeleton",
            "sn10: two joints, a mask, two profiles, retargeting",
            skeleton().encode().expect("a skeleton"),
        ),
        Sample::new(
            "spellings.mesh",
            "ms13: the bone count padded, the surface count minus zero",
            spellings(),
        ),
    ]
}

fn mesh(name: &str, about: &'static str, file: &UnigineMesh) -> Sample {
    Sample::new(name, about, file.encode().expect(name))
}

fn anim(name: &str, about: &'static str, file: &UnigineAnim) -> Sample {
    Sample::new(name, about, file.encode().expect(name))
}

fn bounds() -> Bounds {
    Bounds { min: [0.0; 3], max: [1.0, 1.0, 0.0], center: [0.5, 0.5, 0.0], radius: 0.75 }
}

pub fn bone(name: &str, parent: i16) -> Bone {
    Bone { name: LenStr::new(name.as_bytes()), parent }
}

/// A triangle with all attributes.
fn geometry(version: u8, targets: u8) -> Geometry {
    let tangents = match version {
        10 => Tangents::Short(vec![Tangent10 { xyz: [0, 0, 23169], w: -127 }; 3].into()),
        _ => Tangents::Long(vec![Tangent { xyzw: [0, 0, 23169, -23169] }; 3].into()),
    };
    let target = |at: u8| Target {
        vertices: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, f32::from(at)]].into(),
        tangents: tangents.clone(),
    };
    let weights = |shares: &[f32]| VertexWeights {
        influences: SmallList::new(shares.iter().map(|share| Influence::new(0, *share)))
            .expect("few influences"),
    };
    Geometry {
        targets: (0..targets).map(target).collect(),
        weights: vec![weights(&[1.0]), weights(&[0.5, 0.5]), weights(&[0.2; 5])].into(),
        uv0: vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].into(),
        uv1: vec![[0.5, 0.5]; 3].into(),
        colors: vec![[255, 128, 0, 255]; 3].into(),
        coordinate_indices: Corners::new(&[0, 1, 2], 3).expect("small indices"),
        triangle_indices: Corners::new(&[0, 1, 2], 3).expect("small indices"),
    }
}

pub fn plain(version: u8) -> UnigineMesh {
    let id = FixedStr([b'm', b's', b'1', b'0' + version - 10]);
    let animated = version < 13;
    let name = |name: &str| AnimationName { name: LenStr::new(name.as_bytes()) };
    let surface = |name: &str, targets: &[&str]| Surface {
        name: LenStr::new(name.as_bytes()),
        lightmap: (version >= 12).then_some(Lightmap { uv_channel: 1, resolution: 3 }),
        bounds: bounds(),
        targets: { targets.iter().map(|name| TargetName { name: LenStr::new(name.as_bytes()) }) }
            .collect::<Vec<_>>()
            .into(),
    };
    UnigineMesh::Mesh(Mesh {
        id,
        bounds: bounds(),
        bones: vec![bone("кость", -1)].into(),
        animation_names: animated.then(|| vec![name("scene")].into()),
        surfaces: vec![surface("skin", &["", "smile"]), surface("", &[])].into(),
        middle_id: id,
        transforms: vec![Transform::default()].into(),
        animations: if animated { vec![animation()].into() } else { Vec::new().into() },
        geometry: vec![geometry(version, 2), Geometry::default()].into(),
        tail_id: id,
        rest: Rest::default(),
    })
}

fn animation() -> MeshAnimation {
    let mut first = Key {
        position_x: Some(0.0),
        position_y: Some(1.0),
        position_z: Some(f32::NAN),
        rotation: Some([0, 0, 0, 32767]),
        ..Key::default()
    };
    first.flag();
    let mut second = Key { position_y: Some(-0.0), scale_z: Some(2.0), ..Key::default() };
    second.flag();
    let mut frames = Table::new(1);
    for key in [first, second, Key::default()] {
        frames.push([key]).expect("a row of one key");
    }
    MeshAnimation { bone_indices: vec![0].into(), mask: KeyFlags::from_raw(0x4f), frames }
}

fn wide() -> UnigineMesh {
    let UnigineMesh::Mesh(mut mesh) = plain(13) else { unreachable!("an ms13") };
    let indices: Vec<u32> = (0..255).collect();
    let vertices: Vec<_> = (0..255).map(|at: u8| [at.into(), 0.0, 0.0]).collect();
    mesh.geometry[0] = Geometry {
        targets: vec![
            Target {
                vertices: vertices.into(),
                tangents: Tangents::Long(vec![Tangent { xyzw: [0, 0, 0, 32767] }; 256].into()),
            };
            2
        ]
        .into(),
        coordinate_indices: Corners::new(&indices, 255).expect("indices of 8 bits"),
        triangle_indices: Corners::new(&indices, 256).expect("indices of 16 bits"),
        ..Geometry::default()
    };
    UnigineMesh::Mesh(mesh)
}

pub fn tree() -> Tree {
    let leaf = CInt::new(-1).expect("a small number");
    let node =
        TreeNode { axis: 0, left: leaf, right: leaf, begin: CInt::default(), end: CInt::new(1).expect("1") };
    Tree {
        edge_flags: vec![EdgeFlags::from_raw(7)].into(),
        indices: vec![CInt::default()].into(),
        nodes: vec![node].into(),
        boxes: vec![[0.0, 0.0, 0.0, 1.0, 1.0, 0.0]].into(),
        splits: vec![0.5].into(),
    }
}

/// The first surface is a compressible strip of zeros, the second is too short to compress.
pub fn packed() -> UnigineMesh {
    let id = FixedStr(*b"ms14");
    let surface = |name: &str| Surface14 {
        name: LenStr::new(name.as_bytes()),
        lightmap: Lightmap { uv_channel: 1, resolution: 3 },
        num_coordinate_indices: CInt::default(),
        num_triangle_indices: CInt::default(),
        bounds: bounds(),
        targets: vec![Target14 { name: LenStr::new(b""), num_vertices: CInt::default() }].into(),
    };
    let nothing = || PackedGeometry { data: Packed::default() };
    let tree = || PackedTree { data: Packed::new(&tree(), ()).expect("a tree") };
    let mut mesh = Mesh14 {
        id,
        leaf_triangles: CInt::new(4).expect("a small number"),
        bounds: bounds(),
        bones: vec![bone("root", -1)].into(),
        surfaces: vec![surface("strip"), surface("triangle")].into(),
        memory: 4096,
        middle_id: id,
        transforms: vec![Transform::default()].into(),
        geometry: vec![nothing(), nothing()].into(),
        trees_id: id,
        trees: vec![tree(), tree()].into(),
        offsets_id: id,
        offset_errors: OffsetErrors::default(),
        tail_id: id,
        rest: Rest::default(),
    };
    let mut strip = geometry(14, 1);
    strip.targets[0].vertices = vec![[0.0; 3]; 100].into();
    mesh.set_geometry(0, strip).expect("a strip");
    mesh.set_geometry(1, geometry(14, 1)).expect("a triangle");
    UnigineMesh::Mesh14(mesh)
}

/// The surfaces of [`packed`], without a skeleton.
pub fn packed_static() -> UnigineMesh {
    let id = FixedStr(*b"ms15");
    let surface = |name: &str| Surface15 {
        name: LenStr::new(name.as_bytes()),
        lightmap: Lightmap { uv_channel: 0, resolution: 3 },
        num_coordinate_indices: CInt::default(),
        num_triangle_indices: CInt::default(),
        bounds: bounds(),
        num_vertices: CInt::default(),
    };
    let tree = || PackedTree { data: Packed::new(&tree(), ()).expect("a tree") };
    let mut mesh = Mesh15 {
        id,
        leaf_triangles: CInt::new(4).expect("a small number"),
        bounds: bounds(),
        surfaces: vec![surface("strip"), surface("triangle")].into(),
        memory: 4096,
        middle_id: id,
        geometry: vec![PackedGeometry15 { data: Packed::default() }; 2].into(),
        trees_id: id,
        trees: vec![tree(), tree()].into(),
        offsets_id: id,
        offset_errors: OffsetErrors::default(),
        tail_id: id,
        rest: Rest::default(),
    };
    let without_weights = |geometry: Geometry| Geometry15 {
        targets: geometry.targets,
        uv0: geometry.uv0,
        uv1: geometry.uv1,
        colors: geometry.colors,
        coordinate_indices: geometry.coordinate_indices,
        triangle_indices: geometry.triangle_indices,
    };
    let mut strip = without_weights(geometry(15, 1));
    strip.targets[0].vertices = vec![[0.0; 3]; 100].into();
    mesh.set_geometry(0, strip).expect("a strip");
    mesh.set_geometry(1, without_weights(geometry(15, 1))).expect("a triangle");
    UnigineMesh::Mesh15(mesh)
}

/// The surfaces of [`packed`], with a morph target each.
pub fn skinned() -> SkinnedMesh {
    let base = geometry(14, 2);
    let mut strip = base.clone();
    for target in strip.targets.iter_mut() {
        target.vertices = vec![[0.0; 3]; 100].into();
    }
    skinned_of(vec![("strip", strip), ("triangle", base)])
}

/// A triangle with weights of both joints, which do not rest in their bind pose.
pub fn hero() -> SkinnedMesh {
    let weights = |influences: &[(i16, u16)]| {
        let influences = influences.iter().map(|(bone, weight)| Influence { bone: *bone, weight: *weight });
        VertexWeights { influences: SmallList::new(influences).expect("few influences") }
    };
    let whole = |bone| weights(&[(bone, 65535)]);
    let skin = vec![whole(0), weights(&[(0, 32767), (1, 32768)]), whole(1)];
    let mut mesh = skinned_of(vec![("skin", Geometry { weights: skin.into(), ..geometry(14, 2) })]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    mesh.rests[1].rotation = [0.0, 0.0, half, half];
    mesh
}

fn skinned_of(surfaces: Vec<(&str, Geometry)>) -> SkinnedMesh {
    let id = FixedStr(*b"sk10");
    let target = |name: &str| Target14 { name: LenStr::new(name.as_bytes()), num_vertices: CInt::default() };
    let surface = |name: &str| SkinnedSurface {
        name: LenStr::new(name.as_bytes()),
        num_coordinate_indices: CInt::default(),
        num_triangle_indices: CInt::default(),
        bounds: bounds(),
        targets: vec![target(""), target("smile")].into(),
    };
    let UnigineSkeleton { bones, transforms, .. } = skeleton();
    let mut mesh = SkinnedMesh {
        id,
        leaf_triangles: CInt::new(4).expect("a small number"),
        bounds: bounds(),
        bones,
        binds: transforms.to_vec().into(),
        rests: transforms.to_vec().into(),
        skeleton: rated().skeleton,
        surfaces: surfaces.iter().map(|(name, _)| surface(name)).collect::<Vec<_>>().into(),
        memory: 4096,
        middle_id: id,
        geometry: vec![PackedGeometry { data: Packed::default() }; surfaces.len()].into(),
        offsets_id: id,
        offset_errors: OffsetErrors::default(),
        tail_id: id,
        rest: Rest::default(),
    };
    for (index, (_, geometry)) in surfaces.into_iter().enumerate() {
        mesh.set_geometry(index, geometry).expect("a geometry");
    }
    mesh
}

/// The root goes one unit along x, and the hand turns by a quarter.
pub fn walk() -> Anim12 {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let key = |position: Option<[f32; 3]>, rotation: Option<[f32; 4]>| Key11 {
        flags: KeyFlags11::new().with_position(position.is_some()).with_rotation(rotation.is_some()),
        position,
        rotation,
        scale: None,
    };
    let mut frames = Table::new(2);
    let (start, hand) = (key(None, None), Some([0.5, 0.0, 0.0]));
    frames.push([start, key(hand, None)]).expect("a row of two keys");
    let turned = key(hand, Some([0.0, 0.0, half, half]));
    frames.push([key(Some([1.0, 0.0, 0.0]), None), turned]).expect("a row of two keys");
    Anim12 { bone_indices: vec![0, 1].into(), frame_rate: 25, frames, ..rated() }
}

fn raw() -> UnigineMesh {
    let vertex = |x, y| RawVertex { position: [x, y, 0.0], normal: [0.0, 0.0, 1.0], uv: [x, y] };
    let surface = RawSurface {
        name: FixedStr::new(b"triangle").expect("a short name"),
        vertices: vec![vertex(0.0, 0.0), vertex(1.0, 0.0), vertex(0.0, 1.0)].into(),
    };
    UnigineMesh::RawMesh(RawMesh {
        id: FixedStr(*b"mr02"),
        surfaces: vec![surface].into(),
        rest: Rest::default(),
    })
}

fn quantized() -> UnigineAnim {
    let UnigineAnim::Anim10(mut anim) = UnigineAnim::blank_file() else { unreachable!("an an10") };
    let mut first = Key {
        position_x: Some(0),
        position_y: Some(32768),
        position_z: Some(65535),
        rotation: Some([0, 0, 0, 32767]),
        ..Key::default()
    };
    first.flag();
    let mut turned = Key { rotation: Some([0, 0, 23169, 23169]), ..Key::default() };
    turned.flag();
    let mut frames = Table::new(2);
    for row in [
        [first.clone(), first],
        [Key::default(), turned.clone()],
        [Key::default(), Key::default()],
        [turned.clone(), turned],
    ] {
        frames.push(row).expect("a row of two keys");
    }
    // The parent follows its child, as in some real files.
    anim.bones = vec![bone("hand", 1), bone("arm", -1)].into();
    anim.names = vec![AnimationName { name: LenStr::new(b"Take 001") }].into();
    anim.transforms = vec![Transform::default(); 2].into();
    anim.animations = vec![QuantizedAnimation {
        bone_indices: vec![1, 0].into(),
        positions: QuantizedBox { min: [-1.0; 3], size: [2.0; 3] },
        scales: QuantizedBox::around([]),
        mask: KeyFlags::from_raw(0x0f),
        frames,
    }]
    .into();
    UnigineAnim::Anim10(anim)
}

pub fn still() -> UnigineAnim {
    let id = FixedStr(*b"an11");
    UnigineAnim::Anim11(Anim11 {
        id,
        bones: vec![bone("root", -1)].into(),
        middle_id: id,
        transforms: vec![Transform::default()].into(),
        bone_indices: vec![0].into(),
        frames: Table::new(1),
        tail_id: id,
        rest: Rest::default(),
    })
}

fn floats() -> UnigineAnim {
    let UnigineAnim::Anim11(mut anim) = still() else { unreachable!("an an11") };
    for raw in 0..8 {
        let flags = KeyFlags11::from_raw(raw);
        let key = Key11 {
            flags,
            position: flags.position().then_some([1.0, 2.0, 3.0]),
            rotation: flags.rotation().then_some([0.0, 0.0, 0.0, 1.0]),
            scale: flags.scale().then_some([10000.0, 0.0, 1.0]),
        };
        anim.frames.push([key]).expect("a row of one key");
    }
    UnigineAnim::Anim11(anim)
}

pub fn rated() -> Anim12 {
    let UnigineAnim::Anim11(floats) = floats() else { unreachable!("an an11") };
    let id = FixedStr(*b"an12");
    Anim12 {
        id,
        bones: joints().into(),
        skeleton: Reference {
            guid: LenStr::new(b"1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e"),
            path: LenStr::new(b"hero/hero.skeleton"),
        },
        bone_indices: floats.bone_indices,
        frame_rate: 60,
        root_motion: 1,
        middle_id: id,
        frames: floats.frames,
        tail_id: id,
        rest: Rest::default(),
    }
}

fn joints() -> Vec<Bone> {
    vec![bone("root", -1), bone("hand", 0)]
}

pub fn skeleton() -> UnigineSkeleton {
    let id = FixedStr(*b"sn10");
    let of_each = |name: &str, values: [f32; 2]| JointWeights {
        name: LenStr::new(name.as_bytes()),
        values: values.to_vec().into(),
    };
    UnigineSkeleton {
        id,
        bones: joints().into(),
        transforms: vec![
            Transform::default(),
            Transform { position: [0.5, 0.0, 0.0], ..Transform::default() },
        ]
        .into(),
        middle_id: id,
        masks: vec![of_each("upper body", [0.0, 1.0])].into(),
        time_profiles: vec![of_each("fast hand", [1.0, 2.0])].into(),
        weight_profiles: vec![of_each("calm hand", [1.0, 0.5])].into(),
        retarget: vec![Retarget { mode: 0, length: -1.0 }, Retarget { mode: 2, length: 0.25 }].into(),
        tail_id: id,
        rest: Rest::default(),
    }
}

/// `01` as `81 00`, and `00` as `40`.
fn spellings() -> Vec<u8> {
    let UnigineMesh::Mesh(mut mesh) = plain(13) else { unreachable!("an ms13") };
    mesh.surfaces = Vec::new().into();
    mesh.geometry = Vec::new().into();
    let bytes = UnigineMesh::Mesh(mesh).encode().expect("a mesh of a bone");
    let bone_count = 44;
    let surface_count = bytes.len() - 4 - 40 - 4 - 1;
    [
        &bytes[..bone_count],
        &[0x81, 0x00],
        &bytes[bone_count + 1..surface_count],
        &[0x40],
        &bytes[surface_count + 1..],
    ]
    .concat()
}

fn damaged() -> Vec<Sample> {
    let ms14 = packed().encode().expect("a mesh");
    let first_size = match packed() {
        UnigineMesh::Mesh14(mesh) => usize::try_from(mesh.geometry_offsets()[0]).expect("a place"),
        _ => unreachable!("an ms14"),
    };
    let mut without_middle = plain(13).encode().expect("a mesh");
    let middle = without_middle.windows(4).skip(1).position(|word| word == b"ms13").expect("a magic") + 1;
    let mut wrong_middle = without_middle.clone();
    without_middle.drain(middle..middle + 4);
    wrong_middle[middle..middle + 4].fill(b'?');
    let an10 = quantized().encode().expect("an animation");
    let ms15 = packed_static().encode().expect("a mesh");
    let sk10 = UnigineMesh::SkinnedMesh(skinned()).encode().expect("a mesh");
    vec![
        Sample::new(
            "cut_sk10.mesh_skinned",
            "sk10: ends within the rest pose",
            sk10[..place(FileKind::UnigineMesh, &sk10, "rests[1].rotation").start].to_vec(),
        ),
        Sample::new(
            "long_count.mesh_skinned",
            "sk10: the number of surfaces has 32 bits, against the description",
            {
                let count = place(FileKind::UnigineMesh, &sk10, "num_surfaces");
                [&sk10[..count.end], &[0; 3], &sk10[count.end..]].concat()
            },
        ),
        Sample::new("cut_ms15.mesh", "ms15: ends within the offset table", ms15[..ms15.len() - 9].to_vec()),
        Sample::new(
            "cut.mesh",
            "ms14: ends within the header of a geometry",
            ms14[..first_size + 5].to_vec(),
        ),
        Sample::new("no_middle.mesh", "ms13: the magic in the middle is missing", without_middle),
        Sample::new(
            "wrong_middle.mesh",
            "ms13: other bytes in place of the magic in the middle",
            wrong_middle,
        ),
        Sample::new("after_the_end.anim", "an10: four bytes after the end", [&an10[..], b"junk"].concat()),
        Sample::new("cut.anim", "an10: ends within a key", an10[..an10.len() - 9].to_vec()),
        Sample::new("other_magic.unigine-mesh.mesh", "an unknown version", b"ms19 and so on".to_vec()),
        Sample::new(
            "six_bytes.mesh",
            "ms13: a bone count of six bytes",
            with_bones(&[0xff, 0xff, 0xff, 0xff, 0xff, 1]),
        ),
        Sample::new(
            "too_many.mesh",
            "ms13: a bone count beyond 31 bits",
            with_bones(&[0xbf, 0xff, 0xff, 0xff, 0x7f]),
        ),
        Sample::new("wrong_frame_count.anim", "an10: two billion frames", {
            let frames = place(FileKind::UnigineAnim, &an10, "animations[0].num_frames");
            [&an10[..frames.start], &[0xbf, 0xff, 0xff, 0xff, 0x0f], &an10[frames.end..]].concat()
        }),
        Sample::new(
            "bytes_after_content.mesh",
            "ms14: a tree with a surplus byte, so it is not unpacked, and one with an unpacked length of 6,500 bytes; bytes \
             after the end",
            repacked(&|tree| [tree, &[0]].concat(), Some(6500)),
        ),
    ]
}

/// A mesh with these bytes as its bone count.
fn with_bones(count: &[u8]) -> Vec<u8> {
    let bytes = plain(13).encode().expect("a mesh");
    let bones = place(FileKind::UnigineMesh, &bytes, "num_bones");
    [&bytes[..bones.start], count, &bytes[bones.end..]].concat()
}

fn place(kind: FileKind, bytes: &[u8], path: &str) -> std::ops::Range<usize> {
    let file = kind.decode(bytes, &Options::default()).expect("a file");
    let edits = schema::locate(file.value(), &path.parse().expect("a path")).expect("a place");
    let at = |offset: u64| usize::try_from(offset).expect("a place in memory");
    at(edits[0].range.start)..at(edits[0].range.end)
}

/// The mesh with its first tree stored plain, as other bytes, and the second with another length.
fn repacked(change: &dyn Fn(&[u8]) -> Vec<u8>, second: Option<i64>) -> Vec<u8> {
    let UnigineMesh::Mesh14(mesh) = packed() else { unreachable!("an ms14") };
    let tree = change(&schema::bytes_of(mesh.trees[0].data.content().expect("a tree")));
    let bytes = packed().encode().expect("a mesh");
    let at = |path| place(FileKind::UnigineMesh, &bytes, path);
    let len = i64::try_from(tree.len()).expect("a short tree").to_le_bytes();
    let mut new = [&bytes[..at("trees[0].len_unpacked").start], &len, &len, &tree].concat();
    let rest = new.len()..;
    new.extend_from_slice(&bytes[at("trees[0].data").end..]);
    if let Some(second) = second {
        new[rest][..8].copy_from_slice(&second.to_le_bytes());
        new.extend_from_slice(b"junk");
    }
    new
}
