//! Scenes as DirectX files.

use bindpose::codec::Format;
use bindpose::formats::directx::{Encoding, X};
use bindpose::scene::author::{AuthorError, Authoring};
use bindpose::scene::{Mesh, Primitive, Scene};
use bindpose::{FileKind, FormatSpec};
use glam::{Vec2, Vec3};
use proptest::prelude::*;

use super::{rewritten, strategy};

proptest! {
    #![proptest_config(crate::folders::config(256))]
    #[test]
    fn materials_are_read_as_they_were_written(scene in strategy::scene()) {
        let (result, _) = match rewritten(&scene, &[FileKind::X.into()], &Authoring::default()) {
            Ok(result) => result,
            Err(AuthorError::Empty { .. }) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        // The colours of all triangles; those without a material are white.
        let colors = |scene: &Scene| {
            let mut all: Vec<([u32; 4], usize)> = Vec::new();
            for primitive in scene.meshes.iter().flat_map(|mesh| &mesh.primitives) {
                let own = primitive.material.map_or([1.0; 4], |own| scene.materials[own].color);
                let faces = primitive.triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a);
                all.extend(faces.map(|_| (own.map(f32::to_bits), 1)));
            }
            all.sort_unstable();
            all
        };
        prop_assert_eq!(colors(&scene), colors(&result));
    }
}

/// Returns the bytes of a scene as text and as tokens.
fn encoded(scene: &Scene, settings: &Authoring) -> Result<[Vec<u8>; 2], AuthorError> {
    let mut settings = settings.clone();
    let mut bytes = |encoding: &str| {
        settings.version = Some(encoding.to_owned());
        let written = FormatSpec::from(FileKind::X).author(scene, "file", &settings)?;
        Ok(written.files[0].file.encode().expect("bytes"))
    };
    Ok([bytes("txt")?, bytes("bin")?])
}

/// Asserts that the tokens are those that the text converts to.
fn assert_same_content([text, tokens]: [Vec<u8>; 2]) {
    let converted = X::decode(&text).expect("text").convert(BINARY).expect("tokens");
    assert!(converted.encode().expect("bytes") == tokens);
}

const BINARY: Encoding = Encoding { binary: true, packed: false, double: false };

proptest! {
    #![proptest_config(crate::folders::config(256))]
    #[test]
    fn tokens_have_the_content_of_the_text(scene in strategy::scene()) {
        match encoded(&scene, &Authoring::default()) {
            Ok(both) => assert_same_content(both),
            Err(AuthorError::Empty { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// A triangle with further UV sets and tangents, which have no template of their own.
#[test]
fn further_vertex_data_is_read_as_it_was_written() {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let uvs = vec![Vec2::Y, Vec2::ONE, Vec2::ZERO];
    let mesh = Mesh {
        name: "sheet".into(),
        normals: vec![Vec3::NEG_Z; 3],
        tangents: vec![Vec3::X.extend(-1.0), Vec3::X.extend(1.0), Vec3::Y.extend(-1.0)],
        uvs: vec![uvs.clone(), uvs.iter().map(|own| *own * 0.5).collect(), uvs],
        primitives: vec![Primitive { triangles: vec![[0, 2, 1]], ..Primitive::default() }],
        positions,
        ..Mesh::default()
    };
    let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    let (result, losses) = rewritten(&scene, &[FileKind::X.into()], &Authoring::default()).expect("a mesh");
    assert_eq!(losses, []);
    assert_eq!(result.meshes[0].uvs, scene.meshes[0].uvs);
    assert_eq!(result.meshes[0].tangents, scene.meshes[0].tangents);
}
