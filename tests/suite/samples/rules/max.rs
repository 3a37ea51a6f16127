//! 3ds Max streams that violate rules.

use bindpose::codec::Format;
use bindpose::formats::max::{
    Animation, Bone, Bones, Faces, Frames, Influence, Matrix52, MatrixFlags, Mesh, Skeleton,
};
use bindpose::wire::FixedStr;

use crate::samples::Sample;
use crate::samples::max::{m52, quad};

pub fn max() -> Vec<Sample> {
    let encoded = |file: &Skeleton| file.encode().expect("a skeleton");
    let animation = |num_frames, matrices: Vec<Matrix52>| {
        let matrices = Frames::M52(matrices.into());
        Animation { num_frames, matrices, ..Animation::blank_file() }.encode().expect("an animation")
    };
    vec![
        Sample::new(
            "rules.max-skeleton.skel",
            "violates every rule of a single skeleton",
            encoded(&skeleton()),
        ),
        Sample::new(
            "rules.max-animation.anim",
            "seven matrices for three frames, one of them singular",
            animation(3, seven_matrices()),
        ),
        Sample::new("negative.max-animation.anim", "a negative number of frames", animation(-1, Vec::new())),
        Sample::new(
            "elsewhere.max-animation.anim",
            "two bones that are not where the skeleton has them",
            animation(1, vec![elsewhere(); 2]),
        ),
        Sample::new("set.max-animation.anim", "three bones in three frames", animation(3, vec![m52(); 9])),
        Sample::new(
            "set.max-mesh.mesh",
            "an influence of a bone that the skeleton does not have",
            missing_bone(),
        ),
        Sample::new("rules.max-mesh.mesh", "violates every rule of a single mesh", mesh()),
    ]
}

fn skeleton() -> Skeleton {
    let bone = |name: &[u8], parent: &[u8]| Bone {
        matrix: m52(),
        name: FixedStr::new(name).expect("a short name"),
        parent_name: FixedStr::new(parent).expect("a short name"),
    };
    let mut bones = vec![
        bone(b"hip", b""),
        bone(b"hip", b""),
        bone(b"left", b"right"),
        bone(b"right", b"left"),
        bone(b"own", b"own"),
        bone(b"", b"pelvis"),
    ];
    bones[0].matrix = Matrix52 { rows: [[0.0; 3]; 4], flags: MatrixFlags::from_raw(16) };
    Skeleton { bones: Bones::M52(bones.into()), ..Skeleton::blank_file() }
}

fn elsewhere() -> Matrix52 {
    let mut matrix = m52();
    matrix.rows[3] = [5.0; 3];
    matrix
}

fn seven_matrices() -> Vec<Matrix52> {
    let mut matrices = vec![m52(); 7];
    matrices[1].rows[2] = [0.0; 3];
    matrices
}

fn missing_bone() -> Vec<u8> {
    let mut faces = quad(&[0.0_f32; 3]);
    faces[0].corners[0].influences[0].bone_index = 9;
    Mesh { faces: Faces::P12(faces.into()), ..Mesh::blank_file() }.encode().expect("a mesh")
}

fn mesh() -> Vec<u8> {
    let mut faces = quad(&[0.0_f32; 3]);
    let [first, second, third] = &mut faces[0].corners;
    first.num_effective = 5;
    second.influences[0].bone_index = -1;
    third.influences[0] = Influence { bone_index: 0, weight: 1.5 };
    Mesh { faces: Faces::P12(faces.into()), ..Mesh::blank_file() }.encode().expect("a mesh")
}
