//! The law for each family, for generated scenes.

use bindpose::FileKind;
use bindpose::formats::FormatSpec;
use bindpose::scene::author::Authoring;
use bindpose::scene::{Mesh, Primitive, Scene};
use glam::Vec3;
use proptest::prelude::*;
use proptest::sample::select;

use super::compare::Tolerance;
use super::{Family, law, strategy};

/// Weights are whole hundredths.
pub fn ms3d() -> Family {
    Family::new("ms3d", &[(FileKind::Ms3d, None)], Tolerance { posed: 0.05, ..Tolerance::FLOATS })
}

pub fn unreal() -> Family {
    Family::new("unreal", &[(FileKind::Psk, None), (FileKind::Psa, None)], Tolerance::FLOATS)
}

pub fn cal3d(dialect: Option<&'static str>) -> Family {
    let kinds = [
        (FileKind::Cal3dSkeleton, dialect),
        (FileKind::Cal3dMesh, dialect),
        (FileKind::Cal3dAnimation, dialect),
        (FileKind::Cal3dMaterial, dialect),
    ];
    Family::new("cal3d", &kinds, Tolerance::FLOATS)
}

/// Normals are not stored, and v is subtracted from 1.
pub fn max(matrices: Option<&'static str>, points: Option<&'static str>) -> Family {
    let kinds =
        [(FileKind::MaxSkeleton, matrices), (FileKind::MaxMesh, points), (FileKind::MaxAnimation, matrices)];
    Family::new("max", &kinds, Tolerance { normal: f32::INFINITY, ..Tolerance::FLOATS })
}

fn holds(scene: &Scene, family: &Family) -> Result<(), TestCaseError> {
    law(scene, family).map(|_| ()).map_err(TestCaseError::fail)
}

proptest! {
    #![proptest_config(crate::folders::config(192))]
    #[test]
    fn ms3d_files_are_read_as_they_were_written(scene in strategy::scene()) {
        holds(&scene, &ms3d())?;
    }

    #[test]
    fn unreal_files_are_read_as_they_were_written(scene in strategy::scene()) {
        holds(&scene, &unreal())?;
    }

    #[test]
    fn cal3d_files_are_read_as_they_were_written(
        scene in strategy::scene(),
        dialect in select(vec![None, Some("classic"), Some("imvu"), Some("svn1300"), Some("mp1301")]),
    ) {
        holds(&scene, &cal3d(dialect))?;
    }

    #[test]
    fn max_streams_are_read_as_they_were_written(
        scene in strategy::scene(),
        matrices in select(vec![None, Some("m48"), Some("m52"), Some("m64")]),
        points in select(vec![None, Some("p12"), Some("p16")]),
    ) {
        holds(&scene, &max(matrices, points))?;
    }
}

#[test]
fn limits_are_errors_with_numbers() {
    let positions = std::iter::successors(Some(Vec3::ZERO), |own| Some(*own + Vec3::X)).take(70_000);
    let triangles = (2..70_000).map(|at| [at - 2, at - 1, at]).collect();
    let primitives = vec![Primitive { triangles, ..Primitive::default() }];
    let mesh = Mesh { positions: positions.collect(), primitives, ..Mesh::default() };
    let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    let error = FormatSpec::from(FileKind::Ms3d).author(&scene, "big", &Authoring::default());
    let error = error.expect_err("too many vertices");
    assert_eq!(error.to_string(), "70,000 vertices, the format holds 65,534");
    assert!(error.help().is_some_and(|help| help.contains("psk")));
}
