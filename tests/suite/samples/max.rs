//! 3ds Max streams. Their file names specify the format, because they have no magic.

use bindpose::codec::Format;
use bindpose::formats::max::{
    Animation, Bone, Bones, Corner, Face, Faces, Frames, Influence, Matrix48, Matrix52, Matrix64,
    MatrixFlags, Mesh, Skeleton,
};
use bindpose::wire::FixedStr;

use super::{Family, Sample, rules};

pub fn family() -> Family {
    Family { folder: "max", valid: [valid(), rules::max()].concat(), damaged: damaged() }
}

fn sample<F: Format>(name: &str, about: &'static str, file: &F) -> Sample {
    Sample::new(name, about, file.encode().expect("a valid sample"))
}

fn valid() -> Vec<Sample> {
    let skeleton = |bones| Skeleton { bones, ..Skeleton::blank_file() };
    let animation = |matrices| Animation { num_frames: 3, matrices, ..Animation::blank_file() };
    let mesh = |faces| Mesh { faces, ..Mesh::blank_file() };
    vec![
        sample(
            "two.max-skeleton.skel",
            "a bone and its child, with matrices of 52 bytes",
            &skeleton(Bones::M52(bones(m52()).into())),
        ),
        sample(
            "two.max-skeleton+m48.skel",
            "the same with matrices of 48 bytes",
            &skeleton(Bones::M48(bones(m48()).into())),
        ),
        sample(
            "two.max-skeleton+m64.skel",
            "the same with matrices of 64 bytes",
            &skeleton(Bones::M64(bones(m64()).into())),
        ),
        sample(
            "twice.max-skeleton.skel",
            "the last bone is stored twice",
            &skeleton(Bones::M52(last_twice().into())),
        ),
        sample(
            "walk.max-animation.anim",
            "two bones in three frames",
            &animation(Frames::M52(vec![m52(); 6].into())),
        ),
        sample(
            "walk.max-animation+m48.anim",
            "the same with matrices of 48 bytes",
            &animation(Frames::M48(vec![m48(); 6].into())),
        ),
        sample(
            "walk.max-animation+m64.anim",
            "the same with matrices of 64 bytes",
            &animation(Frames::M64(vec![m64(); 6].into())),
        ),
        sample("empty.max-animation.anim", "no frames", &Animation::blank_file()),
        sample(
            "quad.max-mesh.mesh",
            "two faces of two materials, uninitialised normals and influences",
            &mesh(Faces::P12(quad(&[0.0; 3]).into())),
        ),
        sample(
            "quad.max-mesh+p16.mesh",
            "the same with points of 16 bytes",
            &mesh(Faces::P16(quad(&[0.0; 4]).into())),
        ),
        sample("empty.max-mesh.mesh", "no faces", &Mesh::blank_file()),
    ]
}

const ROWS: [[f32; 3]; 4] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 2.0, 0.0]];

pub fn m52() -> Matrix52 {
    Matrix52 { rows: ROWS, flags: MatrixFlags::new().with_rotation_identity(true).with_scale_identity(true) }
}

fn m48() -> Matrix48 {
    Matrix48 { rows: ROWS }
}

fn m64() -> Matrix64 {
    Matrix64 {
        rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 1.0]],
    }
}

fn bones<M: bindpose::wire::Wire + Clone>(matrix: M) -> Vec<Bone<M>> {
    let mut root = [0xcc; 32];
    root[0] = 0;
    let long = b"a name of thirty-two bytes, full";
    vec![
        Bone { matrix: matrix.clone(), name: FixedStr(*long), parent_name: FixedStr(root) },
        Bone { matrix, name: FixedStr::new(b"Spine").expect("a short name"), parent_name: FixedStr(*long) },
    ]
}

fn last_twice() -> Vec<Bone<Matrix52>> {
    let mut bones = bones(m52());
    bones.push(bones[1].clone());
    bones
}

pub fn quad<P>(origin: &P) -> Vec<Face<P>>
where
    P: bindpose::wire::Wire + Clone + std::fmt::Debug + Default + PartialEq + AsMut<[f32]> + 'static,
{
    let corner = |x: f32, y: f32, material_id| {
        let mut position = origin.clone();
        position.as_mut()[..2].copy_from_slice(&[x, y]);
        let mut normal = origin.clone();
        normal.as_mut().fill(f32::from_bits(0xcccc_cccc));
        let junk = Influence { bone_index: -858_993_460, weight: f32::from_bits(0xcccc_cccc) };
        let influences = [
            Influence { bone_index: 0, weight: 0.25 },
            Influence { bone_index: 1, weight: 0.75 },
            junk,
            junk,
        ];
        Corner { tex_coord: position.clone(), position, normal, material_id, num_effective: 2, influences }
    };
    let face =
        |corners: [(f32, f32); 3], material| Face { corners: corners.map(|(x, y)| corner(x, y, material)) };
    vec![face([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)], 1), face([(1.0, 1.0), (0.0, 1.0), (0.0, 0.0)], 0)]
}

fn damaged() -> Vec<Sample> {
    let encoded = |name: &str| -> Vec<u8> {
        let sample = valid().into_iter().find(|sample| sample.name == name);
        sample.expect("a valid sample of this name").bytes
    };
    let truncated = |name: &str, len: usize| encoded(name)[..len].to_vec();
    vec![
        Sample::new(
            "half_a_bone.max-skeleton.skel",
            "ends inside the second bone",
            truncated("two.max-skeleton.skel", 170),
        ),
        Sample::new(
            "half_a_matrix.max-animation.anim",
            "ends inside the last matrix",
            truncated("walk.max-animation.anim", 300),
        ),
        Sample::new("half_a_count.max-mesh.mesh", "the first 3 bytes", truncated("quad.max-mesh.mesh", 3)),
        Sample::new(
            "half_a_corner.max-mesh.mesh",
            "ends inside the last corner",
            truncated("quad.max-mesh.mesh", 420),
        ),
        Sample::new(
            "p16_as_p12.max-mesh.mesh",
            "points of 16 bytes, read as 12 bytes",
            encoded("quad.max-mesh+p16.mesh"),
        ),
        Sample::new(
            "p12_as_p16.max-mesh+p16.mesh",
            "points of 12 bytes, read as 16 bytes",
            encoded("quad.max-mesh.mesh"),
        ),
    ]
}
