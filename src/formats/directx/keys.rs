//! The keys of animations.

use super::{AnimationKey, Ragged};

/// The keys of an animation, each with a time and values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keys {
    /// The times in ticks. The template has no sign, but some exporters write −1.
    pub times: Vec<i32>,
    /// The values of each key.
    pub values: Ragged<f32>,
}

impl Keys {
    /// Iterates over the keys.
    pub fn iter(&self) -> impl Iterator<Item = TimedFloatKeys<'_>> {
        self.times.iter().zip(self.values.iter()).map(|(time, values)| TimedFloatKeys { time: *time, values })
    }
}

impl<V: IntoIterator<Item = f32>> FromIterator<(i32, V)> for Keys {
    fn from_iter<I: IntoIterator<Item = (i32, V)>>(keys: I) -> Self {
        let mut times = Vec::new();
        let values = keys.into_iter().map(|(time, values)| {
            times.push(time);
            values
        });
        let values = values.collect();
        Self { times, values }
    }
}

/// A key of an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedFloatKeys<'a> {
    /// The time in ticks.
    pub time: i32,
    /// The values: 4 for a rotation, 3 for a scale or position, 16 for a matrix.
    pub values: &'a [f32],
}

/// What the keys of an animation are, with its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyKind {
    /// A quaternion w, x, y, z.
    Rotation = 0,
    Scale = 1,
    Position = 2,
    /// Also of type 3.
    Matrix = 4,
}

impl AnimationKey {
    /// Returns the kind of its keys, if its type is known.
    pub(super) fn kind(&self) -> Option<KeyKind> {
        KeyKind::of(self.key_type)
    }
}

impl KeyKind {
    const ALL: [Self; 4] = [Self::Rotation, Self::Scale, Self::Position, Self::Matrix];

    /// Returns the kind of a type.
    pub fn of(key_type: u32) -> Option<Self> {
        let key_type = if key_type == 3 { Self::Matrix as u32 } else { key_type };
        Self::ALL.into_iter().find(|own| *own as u32 == key_type)
    }

    /// Returns the number of values of a key.
    pub const fn num_values(self) -> usize {
        match self {
            Self::Rotation => 4,
            Self::Scale | Self::Position => 3,
            Self::Matrix => 16,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Rotation => "a rotation",
            Self::Scale => "a scale",
            Self::Position => "a position",
            Self::Matrix => "a matrix",
        }
    }
}
