//! Rotates and moves meshes and animations, with their bounds and trees.

use glam::{Quat, Vec3};

use super::edit::{columns, follow_mask, follows, inherited, not_unpacked};
use super::values::compress_rotation;
use super::{
    Anim10, Bone, Bounds, CInt, Key, Key11, KeyFlags, Mesh, Mesh14, Mesh15, PackedTree, Pose,
    QuantizedAnimation, QuantizedBox, RawMesh, SkinnedMesh, Table, Tangent, Tangent10, Tangents, Target,
    Transform, Tree, UnigineAnim, UnigineMesh,
};
use crate::codec;
use crate::edit::{Rigid, corners, unsupported};
use crate::hierarchy::{Removal, roots};
use crate::{Budget, File, Result};

/// Sets the frame rate of an12 files; others have none.
pub(in crate::formats) fn retime(file: &mut File, rate: f32) -> Result<bool> {
    let File::UnigineAnim(anim) = file else { return Ok(false) };
    let UnigineAnim::Anim12(anim) = &mut **anim else { return Ok(false) };
    let whole = format!("{rate}").parse();
    anim.frame_rate =
        whole.map_err(|_| unsupported("the file stores a whole number of frames per second"))?;
    Ok(true)
}

pub(in crate::formats) fn transform(files: &mut [File], motion: Rigid, _: &Budget) -> Result<()> {
    for file in files {
        match file {
            File::UnigineMesh(mesh) => match &mut **mesh {
                UnigineMesh::Mesh(mesh) => mesh.move_by(motion)?,
                UnigineMesh::Mesh14(mesh) => mesh.move_by(motion)?,
                UnigineMesh::Mesh15(mesh) => mesh.move_by(motion)?,
                UnigineMesh::SkinnedMesh(mesh) => mesh.move_by(motion)?,
                UnigineMesh::RawMesh(mesh) => mesh.move_by(motion),
            },
            File::UnigineAnim(anim) => match &mut **anim {
                UnigineAnim::Anim10(anim) => anim.move_by(motion)?,
                UnigineAnim::Anim11(anim) => {
                    let is_root = is_root(&anim.bones);
                    move_root_keys(&anim.bone_indices, &mut anim.frames, &is_root, motion)?;
                    move_roots(&mut anim.transforms, &is_root, motion);
                }
                UnigineAnim::Anim12(anim) => {
                    move_root_keys(&anim.bone_indices, &mut anim.frames, &is_root(&anim.bones), motion)?;
                }
            },
            File::UnigineSkeleton(skeleton) => {
                move_roots(&mut skeleton.transforms, &is_root(&skeleton.bones), motion);
            }
            _ => {}
        }
    }
    Ok(())
}

impl Mesh {
    fn move_by(&mut self, motion: Rigid) -> Result<()> {
        let surfaces = self.surfaces.iter_mut().map(|own| &mut own.bounds).zip(self.geometry.iter_mut());
        move_surfaces(surfaces, &mut self.bounds, motion, |own, change| {
            change(&mut own.targets);
            Ok(())
        })?;
        let is_root = is_root(&self.bones);
        for own in self.animations.iter_mut() {
            let columns = Columns::new(&own.bone_indices, &self.transforms, &is_root);
            columns.transform(&mut own.frames, &mut own.mask, motion)?;
        }
        move_roots(&mut self.transforms, &is_root, motion);
        Ok(())
    }
}

impl Mesh14 {
    fn move_by(&mut self, motion: Rigid) -> Result<()> {
        let surfaces = self.surfaces.iter_mut().map(|own| &mut own.bounds).zip(self.geometry.iter_mut());
        move_surfaces(surfaces, &mut self.bounds, motion, |own, change| {
            own.data.edit(|own| change(&mut own.targets))
        })?;
        move_trees(&mut self.trees, motion)?;
        move_roots(&mut self.transforms, &is_root(&self.bones), motion);
        Ok(())
    }
}

impl Mesh15 {
    fn move_by(&mut self, motion: Rigid) -> Result<()> {
        let surfaces = self.surfaces.iter_mut().map(|own| &mut own.bounds).zip(self.geometry.iter_mut());
        move_surfaces(surfaces, &mut self.bounds, motion, |own, change| {
            own.data.edit(|own| change(&mut own.targets))
        })?;
        move_trees(&mut self.trees, motion)
    }
}

impl SkinnedMesh {
    fn move_by(&mut self, motion: Rigid) -> Result<()> {
        let surfaces = self.surfaces.iter_mut().map(|own| &mut own.bounds).zip(self.geometry.iter_mut());
        move_surfaces(surfaces, &mut self.bounds, motion, |own, change| {
            own.data.edit(|own| change(&mut own.targets))
        })?;
        let is_root = is_root(&self.bones);
        move_roots(&mut self.binds, &is_root, motion);
        move_roots(&mut self.rests, &is_root, motion);
        Ok(())
    }
}

impl RawMesh {
    fn move_by(&mut self, motion: Rigid) {
        for vertex in self.surfaces.iter_mut().flat_map(|own| own.vertices.iter_mut()) {
            vertex.position = motion.point(vertex.position);
            vertex.normal = motion.direction(vertex.normal);
        }
    }
}

/// Moves the geometry of surfaces with their bounds and those of the mesh. `edit` passes on the targets of a geometry.
fn move_surfaces<'a, G: 'a>(
    surfaces: impl Iterator<Item = (&'a mut Bounds, &'a mut G)>,
    bounds: &mut Bounds,
    motion: Rigid,
    edit: impl Fn(&mut G, &mut dyn FnMut(&mut [Target])) -> Result<()>,
) -> Result<()> {
    let mut all = Vec::new();
    for (index, (own, geometry)) in surfaces.enumerate() {
        let mut old = Vec::new();
        edit(geometry, &mut |targets| old = move_targets(targets, motion))
            .map_err(|error| not_unpacked(error, "geometry", index))?;
        follow(own, &old, &mut all, motion);
    }
    follow(bounds, &all, &mut Vec::new(), motion);
    Ok(())
}

/// Moves vertices and tangent bases, and returns where the vertices were.
fn move_targets(targets: &mut [Target], motion: Rigid) -> Vec<[f32; 3]> {
    let mut old = Vec::new();
    for target in targets {
        old.extend_from_slice(&target.vertices);
        target.vertices.iter_mut().for_each(|own| *own = motion.point(*own));
        if motion.rotation == Quat::IDENTITY {
            continue;
        }
        match &mut target.tangents {
            Tangents::Short(own) => own.iter_mut().for_each(|own| {
                *own = Tangent10::from_quaternion(turned(own.quaternion(), own.handedness(), motion));
            }),
            Tangents::Long(own) => own.iter_mut().for_each(|own| {
                *own = Tangent::from_quaternion(turned(own.quaternion(), own.handedness(), motion));
            }),
        }
    }
    old
}

/// Rotates the quaternion of a tangent basis; the sign of its w is the handedness.
fn turned(quaternion: [f32; 4], handedness: f32, motion: Rigid) -> [f32; 4] {
    let own = motion.rotation * Quat::from_array(quaternion);
    (if own.w.is_sign_negative() == (handedness < 0.0) { own } else { -own }).to_array()
}

/// Moves bounds. They exceed the vertices, which were at `old`, by as much as before; empty bounds stay as they are.
fn follow(bounds: &mut Bounds, old: &[[f32; 3]], all: &mut Vec<[f32; 3]>, motion: Rigid) {
    all.extend_from_slice(old);
    if bounds.min.iter().zip(&bounds.max).any(|(min, max)| min > max) {
        return;
    }
    let corners = corners(bounds.min, bounds.max);
    let points = if old.is_empty() { &corners[..] } else { old };
    let before = codec::Bounds::around(points.iter().copied());
    let after = codec::Bounds::around(points.iter().map(|own| motion.point(*own)));
    let (Some(before), Some(after)) = (before, after) else { return };
    let [min, max, inner_min, inner_max] = [bounds.min, bounds.max, before.min, before.max].map(Vec3::from);
    let margin = (inner_min - min).max(max - inner_max).max(Vec3::ZERO);
    let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| Vec3::from(motion.direction(axis.into())).abs());
    let margin = x * margin.x + y * margin.y + z * margin.z;
    bounds.min = (Vec3::from(after.min) - margin).into();
    bounds.max = (Vec3::from(after.max) + margin).into();
    bounds.center = motion.point(bounds.center);
}

fn move_trees(trees: &mut [PackedTree], motion: Rigid) -> Result<()> {
    trees.iter_mut().enumerate().try_for_each(|(index, part)| {
        move_tree(&mut part.data, motion).map_err(|error| not_unpacked(error, "trees", index))
    })
}

/// Moves the boxes and splits of a tree, whose planes are perpendicular to the axes.
fn move_tree(tree: &mut crate::wire::Packed<Tree>, motion: Rigid) -> Result<()> {
    if tree.content().is_ok_and(|tree| tree.nodes.is_empty()) {
        return Ok(());
    }
    let Some(turned) = signed_axes(motion) else {
        return Err(unsupported(
            "the trees of the surfaces are aligned to the axes, so only rotations by multiples of 90 degrees are possible",
        ));
    };
    tree.edit(|tree| {
        for (node, split) in tree.nodes.iter_mut().zip(tree.splits.iter_mut()) {
            let Some((axis, sign)) = usize::try_from(node.axis).ok().and_then(|axis| turned.get(axis)) else {
                continue;
            };
            *split = sign * *split + motion.translation[*axis];
            #[expect(clippy::cast_possible_truncation, reason = "0, 1 or 2")]
            {
                node.axis = *axis as i8;
            }
            if *sign < 0.0 {
                std::mem::swap(&mut node.left, &mut node.right);
            }
        }
        for own in tree.boxes.iter_mut() {
            let (corners, _) = own.as_chunks::<3>();
            let moved = [corners[0], corners[1]].map(|corner| Vec3::from(motion.point(corner)));
            let ends: [[f32; 3]; 2] = [moved[0].min(moved[1]).into(), moved[0].max(moved[1]).into()];
            own.copy_from_slice(ends.as_flattened());
        }
    })
}

/// Returns the axis and the sign that each axis gets; none unless angles are right.
#[expect(clippy::float_cmp, reason = "axes are exact in rotations by right angles")]
fn signed_axes(motion: Rigid) -> Option<[(usize, f32); 3]> {
    let turned = |axis: Vec3| {
        let own = motion.direction(axis.into());
        let at = own.iter().position(|part| part.abs() == 1.0)?;
        own.iter().enumerate().all(|(axis, part)| axis == at || *part == 0.0).then_some((at, own[at]))
    };
    Some([turned(Vec3::X)?, turned(Vec3::Y)?, turned(Vec3::Z)?])
}

fn is_root(bones: &[Bone]) -> Vec<bool> {
    roots(bones.iter().map(|bone| usize::try_from(bone.parent).ok()))
}

fn move_roots(transforms: &mut [Transform], is_root: &[bool], motion: Rigid) {
    for (own, _) in transforms.iter_mut().zip(is_root).filter(|(_, is_root)| **is_root) {
        *own = placed(own, motion);
    }
}

fn placed(own: &Transform, motion: Rigid) -> Transform {
    let rotation = motion.rotation * Quat::from_array(own.rotation);
    Transform { position: motion.point(own.position), rotation: rotation.to_array(), scale: own.scale }
}

/// The bone of each column of keys: its bind pose, and whether it is a root.
pub(super) struct Columns<'a> {
    binds: &'a [Transform],
    columns: Vec<Option<(&'a Transform, bool)>>,
}

impl<'a> Columns<'a> {
    pub fn new(bone_indices: &[i16], binds: &'a [Transform], is_root: &[bool]) -> Self {
        let bone = |index: &i16| {
            let index = usize::try_from(*index).ok()?;
            Some((binds.get(index)?, is_root.get(index).copied().unwrap_or(false)))
        };
        Self { binds, columns: bone_indices.iter().map(bone).collect() }
    }

    /// Moves the keys of roots.
    fn transform(&self, frames: &mut Frames, mask: &mut KeyFlags, motion: Rigid) -> Result<()> {
        let place = |poses: &[Pose], row: &mut [Key<f32>]| {
            for ((key, pose), bind) in row.iter_mut().zip(poses).zip(&self.columns) {
                if let Some((bind, true)) = bind {
                    key.place(&placed(&pose.over(bind), motion));
                }
            }
            Ok(())
        };
        let bind = |column: usize| {
            let (bind, is_root) = self.columns[column]?;
            Some(if is_root { placed(bind, motion) } else { bind.clone() })
        };
        self.each_frame(frames, mask, place, bind)
    }

    /// Gives the children of a bone their new places.
    pub fn inherit(
        &self,
        frames: &mut Frames,
        mask: &mut KeyFlags,
        bone_indices: &[i16],
        removal: &Removal,
    ) -> Result<()> {
        let columns = columns(bone_indices);
        let column = |bone: usize| columns.get(&bone).copied();
        follows(removal, |bone| column(bone).is_some())?;
        let place = |poses: &[Pose], row: &mut [Key<f32>]| {
            let transform = |bone: usize| {
                let bind = self.binds.get(bone).cloned().unwrap_or_default();
                column(bone).map_or_else(|| bind.clone(), |column| poses[column].over(&bind))
            };
            for (child, place) in inherited(removal, transform)? {
                if let Some(column) = column(child) {
                    row[column].set_place(&place);
                }
            }
            Ok(())
        };
        self.each_frame(frames, mask, place, |column| Some(self.columns[column]?.0.clone()))
    }

    /// Changes each frame, given the pose of each column before. The first frame gets all components that any key has, from
    /// `bind` where it lacks them.
    fn each_frame(
        &self,
        frames: &mut Frames,
        mask: &mut KeyFlags,
        change: impl Fn(&[Pose], &mut [Key<f32>]) -> Result<()>,
        bind: impl Fn(usize) -> Option<Transform>,
    ) -> Result<()> {
        if frames.is_empty() {
            return Ok(());
        }
        let before = mask.raw();
        let mut poses = vec![Pose::default(); self.columns.len()];
        let mut changed = Ok(());
        each_row(frames, |_, row| {
            for (key, pose) in row.iter().zip(&mut poses) {
                pose.apply(key, |_, value| value, |_, value| value);
            }
            if changed.is_ok() {
                changed = change(&poses, row);
            }
        })?;
        changed?;
        follow_mask(mask, frames);
        *mask = KeyFlags::from_raw(mask.raw() | before);
        if mask.raw() & !before == 0 {
            return Ok(());
        }
        let mask = *mask;
        each_row(frames, |frame, row| {
            for (column, key) in row.iter_mut().enumerate().filter(|_| frame == 0) {
                if let Some(bind) = bind(column) {
                    key.complete(&bind, mask);
                }
            }
        })
    }
}

/// Keys by frame and column.
type Frames = Table<CInt, Key<f32>>;

impl Key<f32> {
    /// Sets the position and the rotation, if the key has a part of them.
    fn place(&mut self, own: &Transform) {
        if self.position_x.or(self.position_y).or(self.position_z).is_some() {
            [self.position_x, self.position_y, self.position_z] = own.position.map(Some);
        }
        self.rotation = self.rotation.map(|_| compress_rotation(own.rotation));
        self.flag();
    }

    /// Sets the position and the rotation.
    fn set_place(&mut self, own: &Transform) {
        [self.position_x, self.position_y, self.position_z] = own.position.map(Some);
        self.rotation = Some(compress_rotation(own.rotation));
        self.flag();
    }

    /// Sets the components of the position and the rotation that a mask has and the key lacks.
    fn complete(&mut self, own: &Transform, mask: KeyFlags) {
        let axes = [&mut self.position_x, &mut self.position_y, &mut self.position_z];
        let masks = [mask.position_x(), mask.position_y(), mask.position_z()];
        for ((component, own), _) in axes.into_iter().zip(own.position).zip(masks).filter(|(_, mask)| *mask) {
            component.get_or_insert(own);
        }
        if mask.rotation() {
            self.rotation.get_or_insert(compress_rotation(own.rotation));
        }
        self.flag();
    }
}

impl Anim10 {
    fn move_by(&mut self, motion: Rigid) -> Result<()> {
        follow(&mut self.bounds, &[], &mut Vec::new(), motion);
        let is_root = is_root(&self.bones);
        for own in self.animations.iter_mut() {
            let columns = Columns::new(&own.bone_indices, &self.transforms, &is_root);
            own.transform(&columns, motion)?;
        }
        move_roots(&mut self.transforms, &is_root, motion);
        Ok(())
    }
}

impl QuantizedAnimation {
    fn transform(&mut self, columns: &Columns<'_>, motion: Rigid) -> Result<()> {
        if !columns.columns.iter().flatten().any(|(_, is_root)| *is_root) {
            return Ok(());
        }
        self.with_floats(|frames, mask| columns.transform(frames, mask, motion))
    }

    /// Changes the keys with positions as plain numbers; the box becomes that of all positions where they exceed it.
    pub(super) fn with_floats(
        &mut self,
        change: impl FnOnce(&mut Frames, &mut KeyFlags) -> Result<()>,
    ) -> Result<()> {
        let (positions, scales) = (self.positions.clone(), self.scales.clone());
        let plain = |key: Key<u16>| {
            key.map(|axis, own| positions.value(axis, own), |axis, own| scales.value(axis, own))
        };
        let mut frames = Table::new(self.bone_indices.len());
        for row in 0..self.frames.len() {
            frames.push(self.frames.row(row).map(plain))?;
        }
        change(&mut frames, &mut self.mask)?;
        if frames.is_empty() {
            return Ok(());
        }
        let keys = || (0..frames.len()).flat_map(|row| frames.row(row));
        self.positions.fit(keys().map(|key| [key.position_x, key.position_y, key.position_z]))?;
        let same_box = self.positions == positions;
        let mut quantized = Table::new(self.bone_indices.len());
        for row in 0..frames.len() {
            let packed = |(key, old): (Key<f32>, Key<u16>)| {
                if same_box && key == plain(old.clone()) {
                    return old;
                }
                // Scales do not change.
                let new = key.map(|axis, own| self.positions.quantize(axis, own).unwrap_or(0), |_, _| 0);
                let Key { scale_x, scale_y, scale_z, .. } = old;
                Key { scale_x, scale_y, scale_z, ..new }
            };
            quantized.push(frames.row(row).zip(self.frames.row(row)).map(packed))?;
        }
        self.frames = quantized;
        Ok(())
    }
}

/// How many times as large the box of positions can become: of the 65,536 steps of the former size, 1,024 remain.
const MOST_GROWTH: f32 = 64.0;

impl QuantizedBox {
    /// Makes the box that of positions, along the axes where it does not contain them.
    fn fit(&mut self, positions: impl Iterator<Item = [Option<f32>; 3]>) -> Result<()> {
        let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for (axis, value) in positions.flat_map(|own| own.into_iter().enumerate()) {
            if let Some(value) = value {
                (min[axis], max[axis]) = (min[axis].min(value), max[axis].max(value));
            }
        }
        let largest = self.size.into_iter().fold(0.0, f32::max);
        for axis in 0..3 {
            let (low, high) = (min[axis], max[axis]);
            let exceeds = low < self.min[axis] || high > self.value(axis, u16::MAX);
            if low > high || !(exceeds || self.size[axis] < 0.0) {
                continue;
            }
            let size = high - low;
            if largest > 0.0 && size > MOST_GROWTH * largest {
                let step = size / f32::from(u16::MAX);
                let why =
                    format!("positions of {size} along an axis, instead of {largest}, have steps of {step}");
                return Err(unsupported(&why));
            }
            (self.min[axis], self.size[axis]) = (low, size);
        }
        Ok(())
    }
}

/// Moves the keys of roots. Each key is complete.
fn move_root_keys(
    bone_indices: &[i16],
    frames: &mut Table<CInt, Key11>,
    is_root: &[bool],
    motion: Rigid,
) -> Result<()> {
    let moves = |own: &i16| usize::try_from(*own).is_ok_and(|own| is_root.get(own) == Some(&true));
    let moves: Vec<_> = bone_indices.iter().map(moves).collect();
    each_row(frames, |_, row| {
        row.iter_mut().zip(&moves).filter(|(_, moves)| **moves).for_each(|(key, _)| key.place(motion));
    })
}

impl Key11 {
    /// Sets the position and the rotation.
    pub(super) fn set_place(&mut self, own: &Transform) {
        (self.position, self.rotation) = (Some(own.position), Some(own.rotation));
        self.flags.set_position(true);
        self.flags.set_rotation(true);
    }

    /// Missing components are the identity.
    #[expect(clippy::float_cmp, reason = "a component that is exactly the identity can be missing")]
    fn place(&mut self, motion: Rigid) {
        let (own, identity) = (placed(&self.transform(), motion), Transform::default());
        if self.position.is_some() || own.position != identity.position {
            self.position = Some(own.position);
        }
        if self.rotation.is_some() || own.rotation != identity.rotation {
            self.rotation = Some(own.rotation);
        }
        self.flags.set_position(self.position.is_some());
        self.flags.set_rotation(self.rotation.is_some());
    }
}

/// Changes each row of a table; `change` gets its index.
pub(super) fn each_row<T>(table: &mut Table<CInt, T>, mut change: impl FnMut(usize, &mut [T])) -> Result<()>
where
    T: crate::schema::Schema + crate::wire::Wire,
{
    let mut changed = Table::new(table.columns());
    for row in 0..table.len() {
        let mut cells: Vec<_> = table.row(row).collect();
        change(row, &mut cells);
        changed.push(cells)?;
    }
    if !table.is_empty() {
        *table = changed;
    }
    Ok(())
}
