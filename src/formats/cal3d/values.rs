//! Decoding of packed words, and the conditions under which a struct can be encoded.

use super::{
    BlendVertex, CountedMorph, EndedMorph, FarPosition, FarPositionHigh, FarPositionLow, Morphs,
    NearPosition, PackedHeader, PackedPosition, PackedRotation, PackedRotationHigh, PackedRotationLow,
    PackedTrack, QuantizedKey, QuantizedRotation, QuantizedTrack, Submesh, Track,
};
use crate::wire::{Announced, TooMany, count, len};

/// The coordinates by which IMVU's library marks that a bone keeps the translation of its bind pose.
pub const KEEPS_BIND_POSE: [f32; 3] = [1e10; 3];

/// Returns the sum of two vectors.
pub(super) fn sum(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

/// Returns the scalar product.
pub(super) fn dot<const N: usize>(a: [f32; N], b: [f32; N]) -> f32 {
    a.into_iter().zip(b).map(|(a, b)| a * b).sum()
}

const fn cross([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

/// Returns a vector rotated by a quaternion of length 1.
pub(super) fn turn_by([x, y, z, w]: [f32; 4], vector: [f32; 3]) -> [f32; 3] {
    let axis = [x, y, z];
    let (own, along, aside) = (w * w - dot(axis, axis), 2.0 * dot(axis, vector), cross(axis, vector));
    std::array::from_fn(|at| vector[at] * own + axis[at] * along + aside[at] * (2.0 * w))
}

/// Returns the rotation by `b`, then by `a`.
pub(super) fn product([ax, ay, az, aw]: [f32; 4], [bx, by, bz, bw]: [f32; 4]) -> [f32; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

impl Default for Track {
    fn default() -> Self {
        Self::Plain(super::PlainTrack::default())
    }
}

impl Track {
    /// Returns the index of the bone that it animates.
    #[must_use]
    pub fn bone_id(&self) -> i32 {
        match self {
            Self::Plain(track) => track.bone_id,
            Self::Quantized(track) => track.bone_id,
            Self::Packed(track) => track.header.bone_id().into(),
        }
    }

    pub(super) fn set_bone_id(&mut self, bone_id: i32) {
        match self {
            Self::Plain(track) => track.bone_id = bone_id,
            Self::Quantized(track) => track.bone_id = bone_id,
            Self::Packed(track) => track.header.set_bone_id(u16::try_from(bone_id).unwrap_or(0)),
        }
    }

    /// Returns the number of keys.
    #[must_use]
    pub fn num_keys(&self) -> usize {
        match self {
            Self::Plain(track) => track.keys.len(),
            Self::Quantized(track) => track.keys.len(),
            Self::Packed(track) => track.keys.len(),
        }
    }
}

impl QuantizedTrack {
    /// Returns the translation of a key, in model units.
    ///
    /// ```
    /// use bindpose::formats::cal3d::{QuantizedKey, QuantizedTrack, QuantizedTranslation};
    /// let track = QuantizedTrack {
    ///     translation_min: [-1.0, 0.0, 0.0],
    ///     translation_scale: [0.5, 1.0, 1.0],
    ///     ..QuantizedTrack::default()
    /// };
    /// let translation = QuantizedTranslation::new().with_x(4).with_z(1023);
    /// let key = QuantizedKey { translation, ..QuantizedKey::default() };
    /// assert_eq!(track.translation(&key), [1.0, 0.0, 1023.0]);
    /// ```
    #[must_use]
    pub fn translation(&self, key: &QuantizedKey) -> [f32; 3] {
        let steps = [key.translation.x(), key.translation.y(), key.translation.z()];
        std::array::from_fn(|axis| {
            f32::from(steps[axis]) * self.translation_scale[axis] + self.translation_min[axis]
        })
    }
}

impl QuantizedKey {
    /// Returns the time in seconds, in an animation of that duration.
    #[must_use]
    pub fn seconds(&self, duration: f32) -> f32 {
        f32::from(self.time) / 65535.0 * duration
    }

    /// Returns the quaternion x, y, z, w; the omitted component is the largest and positive.
    ///
    /// ```
    /// use bindpose::formats::cal3d::{QuantizedComponent, QuantizedKey, QuantizedRotation};
    /// let component = QuantizedComponent::new().with_omitted_bit(true);
    /// let rotation = QuantizedRotation { first: 0, second: component, third: component };
    /// let key = QuantizedKey { rotation, ..QuantizedKey::default() };
    /// assert_eq!(key.quaternion(), [0.0, 0.0, 0.0, 1.0]);
    /// ```
    #[must_use]
    pub fn quaternion(&self) -> [f32; 4] {
        let QuantizedRotation { first, second, third } = self.rotation;
        let left_out = usize::from(second.omitted_bit()) * 2 + usize::from(third.omitted_bit());
        let component = |word: i16| f32::from(word) / 32767.0 / std::f32::consts::SQRT_2;
        let [second, third] = [second, third].map(|own| (own.half() << 1).cast_signed());
        complete(left_out, [first, second, third].map(component))
    }
}

/// A unit quaternion from three components and the index of the fourth.
fn complete(left_out: usize, others: [f32; 3]) -> [f32; 4] {
    let sum: f32 = others.iter().map(|component| component * component).sum();
    let mut others = others.into_iter();
    std::array::from_fn(|index| match others.len() {
        _ if index == left_out => (1.0 - sum).max(0.0).sqrt(),
        _ => others.next().unwrap_or(0.0),
    })
}

impl PackedHeader {
    /// Returns whether a key has a position.
    #[must_use]
    pub fn stores_position(&self, first: bool) -> bool {
        self.has_position() && (first || self.position_varies())
    }
}

impl PackedTrack {
    pub(super) fn agrees(&self) -> bool {
        self.keys.iter().enumerate().all(|(index, key)| {
            let stored = self.header.stores_position(index == 0);
            match &key.position {
                None => !stored,
                Some(PackedPosition::Near(_)) => stored && !self.header.far(),
                Some(PackedPosition::Far(_)) => stored && self.header.far(),
            }
        })
    }

    /// Returns the translation of a key, in model units; `None` where the bone keeps that of its bind pose.
    #[must_use]
    pub fn translation(&self, index: usize) -> Option<[f32; 3]> {
        let key = if self.header.position_varies() { self.keys.get(index) } else { self.keys.first() };
        key?.position.as_ref().map(PackedPosition::units)
    }
}

impl PackedPosition {
    /// Returns x, y, z in model units.
    ///
    /// ```
    /// use bindpose::formats::cal3d::{NearPosition, PackedPosition};
    /// let near = NearPosition::new().with_x(511).with_x_negative(true);
    /// assert_eq!(PackedPosition::Near(near).units(), [-128.0, 0.0, 0.0]);
    /// ```
    #[must_use]
    pub fn units(&self) -> [f32; 3] {
        match self {
            Self::Near(near) => near.units(),
            Self::Far(far) => far.units(),
        }
    }
}

impl NearPosition {
    /// Returns x, y, z in model units.
    #[must_use]
    pub fn units(&self) -> [f32; 3] {
        let axes =
            [(self.x(), self.x_negative()), (self.y(), self.y_negative()), (self.z(), self.z_negative())];
        axes.map(|(steps, negative)| signed(f32::from(steps) / 511.0 * 128.0, negative))
    }
}

impl NearPosition {
    /// Returns the nearest position, if it is within the range.
    pub(super) fn nearest(units: [f32; 3]) -> Option<Self> {
        let [x, y, z] = units.map(|own| steps(own, 511.0, 128.0));
        let mut near = Self::new();
        near.set_x_checked(u16::try_from(x?).ok()?).ok()?;
        near.set_y_checked(u16::try_from(y?).ok()?).ok()?;
        near.set_z_checked(u16::try_from(z?).ok()?).ok()?;
        let [x, y, z] = units.map(f32::is_sign_negative);
        Some(near.with_x_negative(x).with_y_negative(y).with_z_negative(z))
    }
}

/// Returns the magnitude of a number in steps of a range; `None` outside of it.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It is within the steps.
fn steps(number: f32, steps: f32, range: f32) -> Option<u32> {
    let own = (number.abs() / range * steps).round();
    (own <= steps).then_some(own as u32)
}

/// The magnitude of a far position in steps, and in units.
const FAR_STEPS: u32 = (1 << 25) - 1;
const FAR_UNITS: f32 = 8_388_608.0;

#[allow(clippy::cast_precision_loss)] // The library computes in single precision, too.
impl FarPosition {
    /// Returns the nearest position, if it is within the range.
    pub(super) fn nearest(units: [f32; 3]) -> Option<Self> {
        let [x, y, z] =
            units.map(|own| steps(own, FAR_STEPS as f32, FAR_UNITS).map(|steps| steps.min(FAR_STEPS)));
        let (x, y, z) = (x?, y?, z?);
        let [x_negative, y_negative, z_negative] = units.map(f32::is_sign_negative);
        let low = FarPositionLow::new().with_x(x).with_x_negative(x_negative);
        let low = low.with_y(y).with_y_negative(y_negative).with_z_low(low_bits(z, 12));
        let high = FarPositionHigh::new().with_z_high(low_bits(z >> 12, 13)).with_z_negative(z_negative);
        Some(Self { low, high })
    }

    /// Returns x, y, z in model units.
    ///
    /// ```
    /// use bindpose::formats::cal3d::{FarPosition, FarPositionHigh, FarPositionLow};
    /// let low = FarPositionLow::new().with_z_low(0xfff);
    /// let far = FarPosition { low, high: FarPositionHigh::new().with_z_high(0x1fff).with_z_negative(true) };
    /// assert_eq!(far.units(), [0.0, 0.0, -8_388_608.0]);
    /// ```
    #[must_use]
    pub fn units(&self) -> [f32; 3] {
        let Self { low, high } = self;
        let z = u32::from(high.z_high()) << 12 | u32::from(low.z_low());
        let axes = [(low.x(), low.x_negative()), (low.y(), low.y_negative()), (z, high.z_negative())];
        axes.map(|(steps, negative)| signed(steps as f32 / FAR_STEPS as f32 * FAR_UNITS, negative))
    }
}

/// The lowest bits of a number, at most 16.
#[allow(clippy::cast_possible_truncation)]
const fn low_bits(number: u32, count: u32) -> u16 {
    number as u16 & ((1 << count) - 1)
}

fn signed(magnitude: f32, negative: bool) -> f32 {
    if negative { -magnitude } else { magnitude }
}

impl PackedRotation {
    /// Returns the nearest rotation to a quaternion, with a time in thirtieths of a second.
    #[allow(clippy::cast_possible_truncation)] // The parts have at most 6 bits.
    pub(super) fn nearest(quaternion: [f32; 4], ticks: u16) -> Self {
        let len = dot(quaternion, quaternion).sqrt();
        let left_out =
            (0..4).fold(0, |most, at| if quaternion[at].abs() > quaternion[most].abs() { at } else { most });
        let sign = if quaternion[left_out].is_sign_negative() { -len } else { len };
        let others = (0..4).filter(|at| *at != left_out).map(|at| quaternion[at] / sign);
        let mut others =
            others.map(|own| (low_bits(steps(own, 2047.0, 1.0).unwrap_or(0), 11), own.is_sign_negative()));
        let [first, second, third] = [(); 3].map(|()| others.next().unwrap_or_default());
        let low = PackedRotationLow::new().with_omitted(left_out as u8);
        let low = low.with_first(first.0).with_first_negative(first.1);
        let low = low.with_second(second.0).with_second_negative(second.1);
        let low = low.with_third_low((third.0 & 0x1f) as u8).with_third_negative(third.1);
        let high = PackedRotationHigh::new().with_third_high((third.0 >> 5) as u8);
        Self { low, high: high.with_time(low_bits(ticks.into(), 10)) }
    }

    /// Returns the nearest time in thirtieths of a second.
    pub(super) fn ticks_of(seconds: f32) -> u16 {
        u16::try_from(steps(seconds.max(0.0), 1023.0, 1023.0 / 30.0).unwrap_or(1023)).unwrap_or(1023)
    }

    /// Returns the time in thirtieths of a second.
    #[must_use]
    pub fn ticks(self) -> u16 {
        self.high.time()
    }

    /// Returns the time in seconds.
    #[must_use]
    pub fn seconds(self) -> f32 {
        f32::from(self.ticks()) / 30.0
    }

    /// Returns the quaternion x, y, z, w; the omitted component is positive.
    ///
    /// ```
    /// use bindpose::formats::cal3d::{PackedRotation, PackedRotationHigh, PackedRotationLow};
    /// let low = PackedRotationLow::new().with_omitted(3);
    /// let rotation = PackedRotation { low, high: PackedRotationHigh::new() };
    /// assert_eq!(rotation.quaternion(), [0.0, 0.0, 0.0, 1.0]);
    /// ```
    #[must_use]
    pub fn quaternion(self) -> [f32; 4] {
        let Self { low, high } = self;
        let third = u16::from(high.third_high()) << 5 | u16::from(low.third_low());
        let others = [
            (low.first(), low.first_negative()),
            (low.second(), low.second_negative()),
            (third, low.third_negative()),
        ];
        let others = others.map(|(steps, negative)| signed(f32::from(steps) / 2047.0, negative));
        complete(low.omitted().into(), others)
    }
}

impl Submesh {
    /// Whether all vertices have what the submesh counts once for them.
    pub(super) fn agrees(&self) -> bool {
        let (maps, springs) = (self.num_maps, self.springs.announced() > 0);
        let num_vertices = len(&self.vertices);
        let vertices = self.vertices.iter().all(|vertex| {
            has_maps(vertex.uvs.announced(), maps) && vertex.physical_weight.is_some() == springs
        });
        vertices
            && match &self.morphs {
                None => true,
                Some(Morphs::Counted(morphs)) => morphs.iter().all(|morph| morph.agrees(maps)),
                Some(Morphs::Ended(morphs)) => morphs.iter().all(|morph| morph.agrees(maps, num_vertices)),
            }
    }
}

fn has_maps(len: usize, num_maps: i32) -> bool {
    usize::try_from(num_maps) == Ok(len)
}

impl CountedMorph {
    fn agrees(&self, num_maps: i32) -> bool {
        self.vertices.iter().all(|vertex| has_maps(vertex.uvs.announced(), num_maps))
    }
}

impl EndedMorph {
    fn agrees(&self, num_maps: i32, num_vertices: i64) -> bool {
        let below = |id: i32| i64::from(id) < num_vertices;
        let is_truncated = self.vertices.announced() > self.vertices.len();
        (is_truncated || !below(self.end))
            && self
                .vertices
                .iter()
                .all(|vertex| below(vertex.vertex_id) && has_maps(vertex.uvs.announced(), num_maps))
    }
}

impl Morphs {
    /// Returns the number of morph targets.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Counted(morphs) => morphs.len(),
            Self::Ended(morphs) => morphs.len(),
        }
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of all targets.
    pub(super) fn names(&self) -> Box<dyn Iterator<Item = &[u8]> + '_> {
        match self {
            Self::Counted(morphs) => Box::new(morphs.iter().map(|own| own.name.text())),
            Self::Ended(morphs) => Box::new(morphs.iter().map(|own| own.name.text())),
        }
    }

    /// The vertices of all targets.
    pub(super) fn vertices_mut(&mut self) -> Box<dyn Iterator<Item = &mut BlendVertex> + '_> {
        match self {
            Self::Counted(morphs) => Box::new(morphs.iter_mut().flat_map(|own| own.vertices.iter_mut())),
            Self::Ended(morphs) => Box::new(morphs.iter_mut().flat_map(|own| own.vertices.iter_mut())),
        }
    }

    /// The number as the submesh stores it, in dialects that have morph targets.
    pub(super) fn count(morphs: Option<&Self>) -> Result<Option<i32>, TooMany> {
        morphs.map_or(Ok(None), |morphs| match morphs {
            Self::Counted(morphs) => count(morphs).map(Some),
            Self::Ended(morphs) => count(morphs).map(Some),
        })
    }
}
