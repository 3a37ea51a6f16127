//! Scenes as MilkShape 3D files.

use bindpose::scene::author::{AuthorError, Authoring};
use bindpose::{FileKind, FormatSpec};
use proptest::prelude::*;

use super::compare::{Tolerance, compare};
use super::{changes_poses, rewritten, strategy};

/// Weights are whole hundredths.
const TOLERANCE: Tolerance = Tolerance { posed: 0.05, ..Tolerance::FLOATS };

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn a_scene_is_read_as_it_was_written(scene in strategy::scene()) {
        let settings = Authoring::default();
        let (result, written) = match rewritten(&scene, &[FileKind::Ms3d.into()], &settings) {
            Ok(result) => result,
            Err(AuthorError::Empty { .. }) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        let source = scene.clips.iter().find(|clip| clip.span().is_some());
        let clips = source.zip(result.clips.first()).filter(|_| !changes_poses(&written));
        let same = compare(&scene, &result, scene.skeleton.order(), clips, TOLERANCE);
        prop_assert!(same.is_ok(), "{}; losses {:?}", same.unwrap_err(), written[0].losses);
    }
}

#[test]
fn limits_are_errors_with_numbers() {
    let mesh = bindpose::scene::Mesh {
        positions: std::iter::successors(Some(glam::Vec3::ZERO), |own| Some(*own + glam::Vec3::X))
            .take(70_000)
            .collect(),
        primitives: vec![bindpose::scene::Primitive {
            triangles: (2..70_000).map(|at| [at - 2, at - 1, at]).collect(),
            ..Default::default()
        }],
        ..Default::default()
    };
    let scene = bindpose::scene::Scene { meshes: vec![mesh], ..Default::default() };
    let error = FormatSpec::from(FileKind::Ms3d).author(&scene, "big", &Authoring::default());
    let error = error.expect_err("too many vertices");
    assert_eq!(error.to_string(), "70,000 vertices, the format holds 65,534");
    assert!(error.help().is_some_and(|help| help.contains("psk")));
}
