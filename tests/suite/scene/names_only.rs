//! Scenes that have of meshes and clips only the names.

use std::collections::BTreeSet;

use allocation_counter::measure;
use bindpose::FileKind;
use bindpose::codec::Format;
use bindpose::formats::ms3d::{
    Animation, CommentLists, Comments, Comments1, Joint, Keyframe, Material, ModelComment, Ms3d, Triangle,
    Vertex,
};
use bindpose::scene::{Loss, Lost, Part, Scene, Settings};
use bindpose::wire::{Counted, FixedStr, LenStr, Part as Tail};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::folders::{self, Sample};

fn scene(file: &bindpose::File, settings: Settings) -> Scene {
    Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &settings)
}

#[test]
fn a_scene_of_names_has_those_of_the_complete_one() {
    let (mut bare, mut still) = (BTreeSet::new(), BTreeSet::new());
    for Sample { name, file, .. } in folders::samples("corpus") {
        let complete = scene(&file, Settings::default());
        let names = scene(&file, Settings::default().names_only());
        let described = |scene: &Scene| {
            let clips = scene.clips.iter().map(|clip| (&clip.name, clip.morphs.len(), clip.tracks.len()));
            format!("{:?} {:?} {:?}", scene.materials, scene.skeleton.bones(), clips.collect::<Vec<_>>())
        };
        assert_eq!(described(&names), described(&complete), "{name}");
        let of_meshes = |scene: &Scene| -> Vec<(String, Vec<String>)> {
            let morphs =
                |mesh: &bindpose::scene::Mesh| mesh.morphs.iter().map(|own| own.name.clone()).collect();
            scene.meshes.iter().map(|mesh| (mesh.name.clone(), morphs(mesh))).collect()
        };
        assert_eq!(of_meshes(&names), of_meshes(&complete), "{name}");
        if names.meshes.iter().any(|mesh| mesh.positions.is_empty()) {
            bare.insert(file.kind().name());
        }
        let has_keys = |scene: &Scene| scene.clips.iter().any(|clip| clip.span().is_some());
        if has_keys(&complete) && !has_keys(&names) {
            still.insert(file.kind().name());
        }
        assert!(file.kind() != FileKind::Ms3d || !has_keys(&names), "{name}");
    }
    assert_eq!(Vec::from_iter(bare), ["cal3d-mesh", "iqm", "ms3d", "psk", "x"]);
    assert_eq!(Vec::from_iter(still), ["ms3d"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Many ranges repeat keys, up to a limit.
    #[test]
    fn the_ranges_of_an_animation_have_the_same_names(joints in 1..=128_usize, times in vec(0..40_u8, 1..4), ranges in vec((0..40_u8, 0..9_u8), 1..400)) {
        let file = ranged(joints, &times, &ranges);
        let [complete, names] = [Settings::default(), Settings::default().names_only()].map(|own| scene(&file, own));
        let described = |scene: &Scene| {
            let names: Vec<_> = scene.clips.iter().map(|clip| (clip.name.clone(), clip.tracks.len())).collect();
            let lost: Vec<_> = scene.losses.iter().filter(|loss| loss.lost == Lost::SharedKeys).map(Loss::what).collect();
            (names, lost)
        };
        prop_assert_eq!(described(&names), described(&complete));
    }
}

/// An animation of joints with keys at these frames, and ranges of it by their first frames and lengths.
fn ranged(joints: usize, times: &[u8], ranges: &[(u8, u8)]) -> bindpose::File {
    let mut file = Ms3d::blank_file();
    file.animation = Animation { fps: 10.0, total_frames: 50, current_time: 1.0 };
    let key = |frame: &u8| Keyframe { time: f32::from(*frame) / 10.0, value: [0.1; 3] };
    let keys: Vec<_> = times.iter().map(key).collect();
    let joint = |index: usize| Joint {
        name: FixedStr::new(format!("joint{index}").as_bytes()).expect("a short name"),
        position_keys: keys.clone().into(),
        ..Joint::default()
    };
    file.joints = (0..joints).map(joint).collect::<Vec<_>>().into();
    let range = |(index, (first, len)): (usize, &(u8, u8))| {
        format!("Name=clip{index}, Start={first}, End={}\n", first + len)
    };
    let text: String = ranges.iter().enumerate().map(range).collect();
    let lists = Comments1 {
        groups: Counted::default(),
        materials: Counted::default(),
        joints: Counted::default(),
        model: vec![ModelComment { text: LenStr::new(text.as_bytes()) }].into(),
    };
    file.comments = Tail::Present(Comments { lists: CommentLists::Sub1(lists) });
    bindpose::File::Ms3d(Box::new(file))
}

#[test]
fn the_names_of_a_mesh_take_no_memory_for_its_vertices() {
    for (file, bytes_of_vertex) in [(psk(), 20), (ms3d(), 50)] {
        let peak = |settings: Settings| {
            let mut built = None;
            let peak = measure(|| built = Some(scene(&file, settings))).bytes_max;
            let built = built.expect("a scene");
            assert_eq!((built.meshes.len(), built.materials.len()), (1, 1));
            peak
        };
        assert!(peak(Settings::default()) > bytes_of_vertex * COUNT as u64);
        let names = peak(Settings::default().names_only());
        assert!(names < COUNT as u64, "{names}");
    }
}

const COUNT: usize = 10_000;

fn ms3d() -> bindpose::File {
    let mut file = Ms3d::blank_file();
    file.vertices = vec![Vertex::default(); COUNT].into();
    let index = |corner: usize| u16::try_from(corner % COUNT).expect("small");
    let triangle =
        |at: usize| Triangle { vertex_indices: [at, at + 1, at + 2].map(index), ..Triangle::default() };
    file.triangles = (0..COUNT).map(triangle).collect::<Vec<_>>().into();
    file.materials.push(Material::default());
    bindpose::File::Ms3d(Box::new(file))
}

fn psk() -> bindpose::File {
    let chunk = |id: &str, size: usize, count: usize| {
        let word = |number: usize| u32::try_from(number).expect("small").to_le_bytes();
        let mut bytes = vec![0; 20];
        bytes[..id.len()].copy_from_slice(id.as_bytes());
        bytes.extend([[0; 4], word(size), word(count)].concat());
        bytes.resize(32 + size * count, 0);
        bytes
    };
    let bytes = [
        chunk("ACTRHEAD", 0, 0),
        chunk("PNTS0000", 12, COUNT),
        chunk("VTXW0000", 16, COUNT),
        chunk("FACE0000", 12, COUNT),
        chunk("MATT0000", 88, 1),
        chunk("REFSKELT", 120, 1),
        chunk("RAWWEIGHTS", 12, 0),
    ];
    FileKind::Psk.decode(&bytes.concat(), &bindpose::Options::default()).expect("a mesh")
}
