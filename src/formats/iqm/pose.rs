//! The channels of poses in all frames, and bounds.

use std::ops::Range;

use glam::{Quat, Vec3};

use super::{Bounds, Iqm, Pose};
use crate::Result;
use crate::edit::unsupported;
use crate::wire::{FixedLenList, List};

/// The number of channels.
const CHANNELS: usize = 10;

/// The greatest value in a frame.
const STEPS: f32 = 65_535.0;

/// Channels that change less are constant, as in the format's own tool.
const STILL: f32 = 1e-10;

/// Returns the rotation with the sign that the format's own tool writes, so that neighbouring frames have the same.
pub(super) fn with_negative_w(rotation: Quat) -> [f32; 4] {
    let rotation = if rotation.w > 0.0 { -rotation } else { rotation };
    rotation.to_array()
}

/// A pose with its values in each frame: those of the channels that change, frame by frame.
pub(super) struct Column {
    pub pose: Pose,
    values: Vec<u16>,
}

impl Column {
    /// Stores the channels of all frames, each in equal steps between its least and its greatest value.
    pub fn new(parent: i32, channels: &[[f32; CHANNELS]]) -> Self {
        let mut pose = Pose { parent, ..Pose::default() };
        for channel in 0..CHANNELS {
            let values = channels.iter().map(|own| own[channel]);
            let least = values.clone().fold(f32::INFINITY, f32::min);
            let range = values.fold(f32::NEG_INFINITY, f32::max) - least;
            if least.is_finite() {
                pose.channel_offset[channel] = least;
            }
            if range > STILL && range.is_finite() {
                pose.mask |= 1 << channel;
                pose.channel_scale[channel] = range / STEPS;
            }
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts of floats clamp")]
        let step = |own: &[f32; CHANNELS], channel: usize| {
            ((own[channel] - pose.channel_offset[channel]) / pose.channel_scale[channel]).round() as u16
        };
        let frame =
            |own: &[f32; CHANNELS]| pose.changing().map(|channel| step(own, channel)).collect::<Vec<_>>();
        let values = channels.iter().flat_map(frame).collect();
        Self { pose, values }
    }

    /// Returns the channels in each of these frames; once if they do not change.
    pub fn channels(&self, frames: Range<usize>) -> Vec<[f32; CHANNELS]> {
        match self.pose.width() {
            0 => vec![self.pose.channel_offset],
            width => {
                let frames = self.values.chunks(width).skip(frames.start).take(frames.len());
                frames.map(|frame| self.pose.channels(frame)).collect()
            }
        }
    }

    /// Leaves out frames.
    pub fn remove_frames(&mut self, is_gone: &[bool]) {
        let width = self.pose.width();
        let mut values = is_gone.iter().flat_map(|is_gone| std::iter::repeat_n(is_gone, width));
        self.values.retain(|_| values.next() != Some(&true));
    }
}

impl Pose {
    /// Returns the indices of the channels that change.
    fn changing(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..CHANNELS).filter(move |channel| mask & (1 << channel) != 0)
    }

    /// Returns the number of values in a frame.
    pub(super) fn width(&self) -> usize {
        self.changing().count()
    }

    /// Returns the channels of a frame with these values.
    fn channels(&self, frame: &[u16]) -> [f32; CHANNELS] {
        let mut channels = self.channel_offset;
        for (channel, value) in self.changing().zip(frame) {
            channels[channel] += f32::from(*value) * self.channel_scale[channel];
        }
        channels
    }
}

impl Bounds {
    /// Returns the bounds of points; none if there are none.
    pub(super) fn around(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let (mut least, mut greatest) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut own = Self::default();
        for point in points {
            (least, greatest) = (least.min(point), greatest.max(point));
            own.xy_radius = own.xy_radius.max(point.truncate().length());
            own.radius = own.radius.max(point.length());
        }
        let is_finite = least.is_finite() && greatest.is_finite();
        is_finite.then(|| Self { min: least.into(), max: greatest.into(), ..own })
    }
}

impl Iqm {
    /// Returns the poses with their values; none unless the values fit them.
    pub(super) fn columns(&self) -> Option<Vec<Column>> {
        let parts = &self.sections;
        let width: usize = parts.poses.iter().map(Pose::width).sum();
        let len = width.checked_mul(self.num_frames as usize)?;
        if width != self.num_framechannels as usize || parts.frames.len() != len {
            return None;
        }
        let column = |own: &Pose| Column { pose: own.clone(), values: Vec::new() };
        let mut columns: Vec<_> = parts.poses.iter().map(column).collect();
        let mut changing: Vec<_> = columns.iter_mut().filter(|own| own.pose.width() > 0).collect();
        for frame in parts.frames.chunks(width.max(1)) {
            let mut values = frame;
            for own in &mut changing {
                let (first, rest) = values.split_at(own.pose.width());
                own.values.extend_from_slice(first);
                values = rest;
            }
        }
        Some(columns)
    }

    /// As [`columns`](Self::columns), for edits: they take memory for each frame, also for one without data.
    pub(super) fn edited_columns(&self) -> Result<Vec<Column>> {
        const MOST_STILL: u32 = 1 << 16;
        if self.num_framechannels == 0 && self.num_frames > MOST_STILL {
            return Err(unsupported(&format!("the file has more than {MOST_STILL} frames without data")));
        }
        self.columns().ok_or_else(|| unsupported("the frames do not fit the poses"))
    }

    /// Replaces the poses and their values in a number of frames.
    pub(super) fn set_columns(&mut self, columns: Vec<Column>, num_frames: u32) {
        let changing: Vec<_> = columns.iter().filter(|own| own.pose.width() > 0).collect();
        let width = changing.iter().map(|own| own.pose.width()).sum::<usize>();
        let mut values = Vec::with_capacity(width * num_frames as usize);
        for frame in (0..num_frames as usize).take_while(|_| width > 0) {
            for own in &changing {
                let width = own.pose.width();
                values.extend_from_slice(&own.values[frame * width..][..width]);
            }
        }
        self.num_frames = num_frames;
        self.num_framechannels = u32::try_from(width).unwrap_or(u32::MAX);
        self.sections.frames = FixedLenList::from(values).into();
        self.sections.poses = columns.into_iter().map(|own| own.pose).collect::<List<_>>().into();
    }
}
