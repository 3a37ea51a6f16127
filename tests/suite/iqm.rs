//! Inter-Quake Models: the conventions that their own tests are about.

use bindpose::check::Report;
use bindpose::formats::FormatSpec;
use bindpose::scene::author::Authoring;
use bindpose::scene::{Bone, Clip, Curve, Lost, Scene, Skeleton, Track};
use bindpose::{File, FileKind};
use glam::Vec3;

/// The findings of a rule, as a path and a message.
fn found(report: &Report, code: &str) -> Vec<String> {
    let own = report.findings.iter().filter(|finding| finding.rule.code == code);
    own.map(ToString::to_string).collect()
}

fn checked(file: &File) -> Report {
    file.check(&file.encode().expect("bytes"), usize::MAX)
}

#[test]
fn clips_of_one_name_are_written_with_names_of_their_own() {
    let skeleton = Skeleton::new(vec![Bone { name: "hip".into(), ..Bone::default() }]).0;
    let translation = Curve::straight([(0.0, Vec3::ZERO), (1.0, Vec3::X)]);
    let moving = vec![Track { translation, ..Track::default() }];
    let clips = [Vec::new(), moving].map(|tracks| Clip { name: "hip".into(), tracks, ..Clip::default() });
    let scene = Scene { skeleton, clips: clips.into(), ..Scene::default() };
    let authored = FormatSpec::from(FileKind::Iqm).author(scene, "hero", &Authoring::default());
    let authored = authored.expect("a scene with bones");
    assert_eq!(authored.losses.iter().filter(|loss| loss.lost == Lost::Renamed).count(), 1);
    let file = &authored.files[0].file;
    let File::Iqm(own) = file else { unreachable!("an iqm file") };
    let names: Vec<_> = own.sections.anims.iter().map(|anim| own.text(anim.name)).collect();
    assert_eq!(names.len(), 2);
    assert_ne!(names[0], names[1]);
    assert_eq!(found(&checked(file), "iqm/duplicate-name"), [""; 0]);
}
