//! The targets by name. `fuzz_targets/` has a program for each, and one for all of them.

use std::env;
use std::sync::LazyLock;

use bindpose::codec::Format;
use bindpose::formats::cal3d::{CalAnimation, CalMaterial, CalMesh, CalMorph, CalSkeleton};
use bindpose::formats::directx::X;
use bindpose::formats::iqm::Iqm;
use bindpose::formats::max::{self, propose_animation, propose_mesh, propose_skeleton};
use bindpose::formats::ms3d::Ms3d;
use bindpose::formats::psk::{Psa, PsaConfig, Psk};
use bindpose::formats::unigine::{UnigineAnim, UnigineMesh, UnigineSkeleton};
use bindpose::harness;
use bindpose_cli::fuzz as command;

use crate::uses::{assignments, author, export, gltf, material_text, paths, picture, rescue, scene, set};
use crate::{after, detect, fuzz, within};

type Target = fn(&[u8]);

const TARGETS: &[(&str, Target)] = &[
    ("assignments", assignments),
    ("author", author),
    ("cal3d_animation", fuzz::<CalAnimation>),
    ("cal3d_material", fuzz::<CalMaterial>),
    ("cal3d_mesh", fuzz::<CalMesh>),
    ("cal3d_morph", fuzz::<CalMorph>),
    ("cal3d_skeleton", fuzz::<CalSkeleton>),
    ("cal3d_xml", cal3d_xml),
    ("configuration", command::configuration),
    ("detect", detect),
    ("edit", |bytes| _ = harness::fuzz_edit(bytes)),
    ("export", export),
    ("gltf", gltf),
    ("iqm", fuzz::<Iqm>),
    ("json", |bytes| _ = harness::fuzz_json(bytes)),
    ("material_text", material_text),
    ("max_animation", max_animation),
    ("max_mesh", max_mesh),
    ("max_skeleton", max_skeleton),
    ("ms3d", fuzz::<Ms3d>),
    ("names", command::names),
    ("paths", paths),
    ("picture", picture),
    ("psa", fuzz::<Psa>),
    ("psa_config", fuzz::<PsaConfig>),
    ("psk", fuzz::<Psk>),
    ("reports", command::report),
    ("rescue", rescue),
    ("scene", scene),
    ("set", set),
    ("unigine_anim", fuzz::<UnigineAnim>),
    ("unigine_mesh", fuzz::<UnigineMesh>),
    ("unigine_skeleton", fuzz::<UnigineSkeleton>),
    ("verbs", harness::fuzz_verbs),
    ("x_binary", |bytes| after::<X>(b"xof 0303bin 0032", bytes)),
    ("x_compressed", x_compressed),
    ("x_text", |bytes| after::<X>(b"xof 0303txt 0032", bytes)),
];

/// The name of the target in the variable `BINDPOSE_FUZZ`.
pub static CHOSEN: LazyLock<String> =
    LazyLock::new(|| env::var("BINDPOSE_FUZZ").expect("BINDPOSE_FUZZ names the target"));

/// Runs the target of this name on the bytes.
///
/// # Panics
///
/// If there is no target of this name, or if a law is violated.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.0 == name);
    target.unwrap_or_else(|| panic!("{name} is not a target")).1(bytes);
}

fn cal3d_xml(bytes: &[u8]) {
    within::<CalMesh>(bytes, "xml");
    // Reading the values of any text is safe.
    _ = CalMesh::decode(bytes).map(|file| file.view().is_ok());
    _ = CalSkeleton::decode(bytes).map(|file| file.view().is_ok());
    _ = CalAnimation::decode(bytes).map(|file| file.view().is_ok());
}

fn max_animation(bytes: &[u8]) {
    within::<max::Animation>(bytes, propose_animation(bytes, None).dialect);
    fuzz::<max::Animation>(bytes);
}

fn max_mesh(bytes: &[u8]) {
    within::<max::Mesh>(bytes, propose_mesh(bytes).dialect);
    fuzz::<max::Mesh>(bytes);
}

fn max_skeleton(bytes: &[u8]) {
    within::<max::Skeleton>(bytes, propose_skeleton(bytes).dialect);
    fuzz::<max::Skeleton>(bytes);
}

/// Chunks as they come, and what entropy makes, which is packed more often than not.
fn x_compressed(bytes: &[u8]) {
    match bytes.split_first() {
        Some((0..0x40, bytes)) => after::<X>(b"xof 0303tzip0032", bytes),
        Some((0x40..0x80, bytes)) => after::<X>(b"xof 0303bzip0064", bytes),
        _ => fuzz::<X>(&[&[0, 6], bytes].concat()),
    }
}
