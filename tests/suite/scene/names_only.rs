//! Scenes that have of meshes and clips only the names.

use std::collections::BTreeSet;

use allocation_counter::measure;
use bindpose::FileKind;
use bindpose::codec::Format;
use bindpose::formats::ms3d::{Material, Ms3d, Triangle, Vertex};
use bindpose::scene::{Part, Scene, Settings};

use crate::folders::{self, Sample};

fn scene(file: &bindpose::File, settings: Settings) -> Scene {
    Scene::of(&[Part { name: "file", file: file.meaning() }], &settings)
}

#[test]
fn a_scene_of_names_has_those_of_the_complete_one() {
    let mut bare = BTreeSet::new();
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
    }
    assert_eq!(Vec::from_iter(bare), ["cal3d-mesh", "ms3d", "psk", "x"]);
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
