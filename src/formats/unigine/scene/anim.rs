//! Scenes of animations.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use glam::{Quat, Vec3};

use super::super::conventions::SPACE;
use super::super::{
    Anim10, Anim11, Anim12, Bone, CInt, JointWeights, Key11, MeshAnimation, Pose, Retarget, Table, Transform,
    UnigineAnim, UnigineMesh, UnigineSkeleton,
};
use super::{bones, place};
use crate::FieldPath;
use crate::check::common::field_path;
use crate::scene::{
    self, BoneValues, Builder, Channel, Clip, Curve, FRAME_RATE, LoadPhase, Lost, Playback, RetargetMode,
    Retargeting, Space, ToScene, Track,
};

impl ToScene for UnigineAnim {
    fn phase(&self) -> LoadPhase {
        LoadPhase::Clip
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        match self {
            Self::Anim10(anim) => anim10(anim, scene),
            Self::Anim11(anim) => anim11(anim, scene),
            Self::Anim12(anim) => anim12(anim, scene),
        }
    }
}

impl ToScene for UnigineSkeleton {
    fn phase(&self) -> LoadPhase {
        LoadPhase::Skeleton
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        // Bones that cannot be added are reported there.
        let rests = resting(self, scene);
        let Some(added) = scene.add_bones(bones(&self.bones, &rests, scene.space(SPACE))) else { return };
        let playback = playback(self, scene);
        scene.add_playback(&playback, &added.bones);
    }
}

/// The rest pose and the bind pose of joints in meshes, by the names of the joint and of its parent.
#[derive(Clone)]
struct MeshPoses(Rc<HashMap<[Vec<u8>; 2], [Transform; 2]>>);

impl MeshPoses {
    /// Returns the poses of the first mesh with each joint.
    fn of_set(scene: &mut Builder<'_>) -> Self {
        let mut known = HashMap::new();
        for (_, mesh) in scene.beside::<UnigineMesh>() {
            let UnigineMesh::SkinnedMesh(mesh) = mesh else { continue };
            for (bone, poses) in mesh.bones.iter().zip(mesh.rests.iter().zip(mesh.binds.iter())) {
                let poses = || [poses.0.clone(), poses.1.clone()];
                known.entry(names(bone, &mesh.bones)).or_insert_with(poses);
            }
        }
        Self(Rc::new(known))
    }
}

/// Returns the names of a joint and of its parent; an empty one if it has none.
fn names(bone: &Bone, bones: &[Bone]) -> [Vec<u8>; 2] {
    let parent = usize::try_from(bone.parent).ok().and_then(|parent| bones.get(parent));
    [Some(bone), parent].map(|own| own.map_or_else(Vec::new, |own| own.name.text().to_vec()))
}

/// Returns the pose of joints without an animation: that of a mesh with the joint below the same parent, or else the bind pose.
fn resting(own: &UnigineSkeleton, scene: &mut Builder<'_>) -> Vec<Transform> {
    let known = scene.share(MeshPoses::of_set).0;
    let mut lost = 0;
    let joint = |(bone, bind): (&Bone, &Transform)| {
        let Some(poses) = known.get(&names(bone, &own.bones)) else { return bind.clone() };
        // The mesh states the bind pose, too.
        lost += usize::from(!poses.contains(bind));
        poses[0].clone()
    };
    let rests = own.bones.iter().zip(&*own.transforms).map(joint).collect();
    scene.report_losses(lost, Lost::SkeletonPoses);
    rests
}

/// Returns the settings of joints in the order of the file, and reports those that are not as the format has them.
fn playback(own: &UnigineSkeleton, scene: &mut Builder<'_>) -> Playback {
    let values = |own: &JointWeights| BoneValues {
        name: scene::name(own.name.text()),
        values: own.values.iter().copied().collect(),
    };
    let lists = [&own.masks, &own.time_profiles, &own.weight_profiles];
    let joints = own.bones.len();
    let odd: usize =
        lists.iter().flat_map(|list| list.iter()).map(|own| own.values.len().abs_diff(joints)).sum();
    let of_retarget = if own.retarget.is_empty() { 0 } else { own.retarget.len().abs_diff(joints) };
    scene.report_losses(odd + of_retarget, Lost::JointValues);
    let unknown = own.retarget.iter().filter(|own| !own.has_known_mode()).count();
    scene.report_losses(unknown, Lost::RetargetModes);
    let space = scene.space(SPACE);
    let retargeting = |own: &Retarget| Retargeting {
        mode: match own.mode {
            1 => RetargetMode::Bind,
            2 => RetargetMode::Proportion,
            _ => RetargetMode::Pose,
        },
        length: (own.length >= 0.0).then(|| space.length(own.length)),
    };
    let [masks, time_profiles, weight_profiles] = lists.map(|list| list.iter().map(values).collect());
    Playback {
        masks,
        time_profiles,
        weight_profiles,
        retargeting: own.retarget.iter().map(retargeting).collect(),
    }
}

fn anim10(anim: &Anim10, scene: &mut Builder<'_>) {
    let targets = targets(&anim.bones, &anim.transforms, scene);
    let missing = anim.names.len().abs_diff(anim.animations.len());
    scene.report_losses(missing, Lost::AnimationNames);
    for (index, (name, body)) in anim.names.iter().zip(&anim.animations).enumerate() {
        let len = body.frames.len();
        let mut columns = Columns::new(&body.bone_indices, len, &anim.transforms, &targets, None, scene);
        body.each(|column, pose| columns.put_pose(column, pose));
        columns.finish(name.name.text(), &frames(index), &ROTATIONS, scene);
    }
}

/// The fields of keys that contain whole values. Keys of 10 and older store the axes of vectors as fields of their own.
const FIELDS: [(Channel, &str); 3] =
    [(Channel::Translation, "position"), (Channel::Rotation, "rotation"), (Channel::Scale, "scale")];
const ROTATIONS: [(Channel, &str); 1] = [FIELDS[1]];

/// Returns the path of the frames of an animation.
fn frames(animation: usize) -> FieldPath {
    field_path!["animations", animation, "frames"]
}

/// The animations inside a mesh.
pub(super) fn in_mesh<'a>(
    named: impl Iterator<Item = (&'a [u8], &'a MeshAnimation)>,
    transforms: &[Transform],
    targets: &[usize],
    scene: &mut Builder<'_>,
) {
    let targets: Vec<_> = targets.iter().copied().map(Some).collect();
    for (index, (name, body)) in named.enumerate() {
        let mut columns =
            Columns::new(&body.bone_indices, body.frames.len(), transforms, &targets, None, scene);
        body.each(|column, pose| columns.put_pose(column, pose));
        columns.finish(name, &frames(index), &ROTATIONS, scene);
    }
}

/// Finds the scene's bone for each bone of the animation by name.
fn targets(own: &[Bone], transforms: &[Transform], scene: &mut Builder<'_>) -> Vec<Option<usize>> {
    if scene.scene().skeleton.bones().is_empty() {
        let added = scene.add_bones(bones(own, transforms, scene.space(SPACE)));
        return added.map_or_else(|| vec![None; own.len()], |own| own.bones.into_iter().map(Some).collect());
    }
    let names = scene.bone_names();
    let own: Vec<_> = own.iter().map(|bone| scene::name(bone.name.text())).collect();
    let targets = names.pair(own.iter().map(String::as_str));
    let missing = targets.iter().filter(|target| target.is_none()).count();
    scene.report_losses(missing, Lost::Tracks);
    targets
}

/// The animation has no name; the clip is named after the file.
fn anim11(anim: &Anim11, scene: &mut Builder<'_>) {
    let targets = targets(&anim.bones, &anim.transforms, scene);
    let mut columns =
        Columns::new(&anim.bone_indices, anim.frames.len(), &anim.transforms, &targets, None, scene);
    columns.put_frames(&anim.frames);
    columns.finish(b"", &field_path!["frames"], &FIELDS, scene);
}

/// As [`anim11`], but the bind pose is in the file of the skeleton. Without that, the first frame takes its place.
fn anim12(anim: &Anim12, scene: &mut Builder<'_>) {
    let mut binds = vec![Transform::default(); anim.bones.len()];
    if scene.scene().skeleton.bones().is_empty() {
        scene.report_loss(Lost::BindPose);
        let first = (!anim.frames.is_empty()).then(|| anim.frames.row(0)).into_iter().flatten();
        for (bone, key) in anim.bone_indices.iter().zip(first) {
            if let Some(bind) = usize::try_from(*bone).ok().and_then(|bone| binds.get_mut(bone)) {
                *bind = key.transform();
            }
        }
    }
    let targets = targets(&anim.bones, &binds, scene);
    #[expect(clippy::cast_precision_loss, reason = "rates are small")]
    let rate = Some(anim.frame_rate as f32).filter(|rate| *rate > 0.0);
    let mut columns = Columns::new(&anim.bone_indices, anim.frames.len(), &binds, &targets, rate, scene);
    columns.has_root_motion = anim.root_motion != 0;
    columns.put_frames(&anim.frames);
    columns.finish(b"", &field_path!["frames"], &FIELDS, scene);
}

/// A clip under construction: a column of keys for each animated bone.
struct Columns<'a> {
    /// If several columns animate the same bone, only the first is used.
    all: Vec<Option<Column<'a>>>,
    space: Space,
    rate: f32,
    has_root_motion: bool,
}

struct Column<'a> {
    bone: usize,
    bind: &'a Transform,
    translations: Vec<Vec3>,
    rotations: Vec<Quat>,
    scales: Vec<Vec3>,
}

impl Column<'_> {
    fn put(&mut self, transform: &Transform, space: Space) {
        let own = place(transform, space);
        self.translations.push(own.translation);
        self.rotations.push(own.rotation);
        self.scales.push(own.scale);
    }
}

impl<'a> Columns<'a> {
    fn new(
        bone_indices: &[i16],
        num_frames: usize,
        transforms: &'a [Transform],
        targets: &[Option<usize>],
        rate: Option<f32>,
        scene: &mut Builder<'_>,
    ) -> Self {
        let mut taken = HashSet::new();
        let mut nowhere = 0;
        let mut column = |own: &i16| {
            let own = usize::try_from(*own).ok();
            let Some((target, bind)) = own.and_then(|own| Some((*targets.get(own)?, transforms.get(own)?)))
            else {
                nowhere += 1;
                return None;
            };
            let bone = target?;
            let free = taken.insert(bone);
            nowhere += usize::from(!free);
            free.then(|| Column {
                bone,
                bind,
                translations: Vec::with_capacity(num_frames),
                rotations: Vec::with_capacity(num_frames),
                scales: Vec::with_capacity(num_frames),
            })
        };
        let columns = bone_indices.iter().map(&mut column).collect();
        scene.report_losses(nowhere, Lost::Tracks);
        let rate = rate.unwrap_or_else(|| scene.rate(FRAME_RATE));
        Self { all: columns, space: scene.space(SPACE), rate, has_root_motion: false }
    }

    /// Adds a pose; missing components come from the bind pose.
    fn put_pose(&mut self, column: usize, pose: Pose) {
        if let Some(Some(column)) = self.all.get_mut(column) {
            column.put(&pose.over(column.bind), self.space);
        }
    }

    /// Adds frames in which a missing component is the identity.
    fn put_frames(&mut self, frames: &Table<CInt, Key11>) {
        for frame in 0..frames.len() {
            for (column, key) in self.all.iter_mut().zip(frames.row(frame)) {
                if let Some(column) = column {
                    column.put(&key.transform(), self.space);
                }
            }
        }
    }

    /// Adds the clip. `fields` are those of the keys in a list of frames.
    fn finish(
        self,
        name: &[u8],
        list: &FieldPath,
        fields: &[(Channel, &'static str)],
        scene: &mut Builder<'_>,
    ) {
        let columns = self.all.iter().enumerate().filter_map(|(index, own)| Some((index, own.as_ref()?)));
        let columns: Vec<_> = columns.map(|(index, own)| (index, own.bone, own.rotations.len())).collect();
        let (rate, has_root_motion) = (self.rate, self.has_root_motion);
        let track = |own: Column<'_>| Track {
            bone: own.bone,
            translation: Curve::at_rate(own.translations, rate),
            rotation: Curve::at_rate(own.rotations, rate),
            scale: Curve::at_rate(own.scales, rate),
        };
        let tracks = self.all.into_iter().flatten().map(track).collect();
        let name = scene.called(name);
        scene.add_clip(Clip { name, tracks, has_root_motion, ..Clip::default() });
        for (column, bone, frames) in columns {
            for (channel, field) in fields {
                scene.trace_keys(bone, *channel, list.clone(), field_path![column, *field], 0..frames);
            }
        }
    }
}
