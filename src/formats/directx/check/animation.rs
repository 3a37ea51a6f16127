//! Checks animations.

use super::super::rules::{KEY_ORDER, KEY_TYPE, KEY_VALUES, NEGATIVE_TIME, TARGETLESS, UNIT, ZERO};
use super::super::{AnimationKey, Object, TimedFloatKeys};
use super::Context;
use crate::check::common::UNIT as TOLERANCE;
use crate::check::common::counted;
use crate::schema::Step;

impl Context<'_, '_> {
    pub(super) fn animation(&mut self, object: Object<'_>) {
        let has_frame = object.references().next().is_some() || object.children_of("Frame").next().is_some();
        if !has_frame {
            self.add(&TARGETLESS, object, &[], || "has no reference to a frame".into());
        }
    }

    pub(super) fn keys(&mut self, object: Object<'_>) {
        // Unreadable values are reported by another rule.
        let Some(Ok(view)) = object.view::<AnimationKey>() else { return };
        let (expected, kind) = match view.key_type {
            0 => (4, "a rotation"),
            1 => (3, "a scale"),
            2 => (3, "a position"),
            3 | 4 => (16, "a matrix"),
            other => {
                self.add(&KEY_TYPE, object, &["keyType".into()], || format!("is {other}, expected 0 to 4"));
                return;
            }
        };
        if matches!(view.key_type, 0 | 3 | 4) {
            self.count_track(&view);
        }
        let mut previous = None;
        for (at, key) in view.keys.iter().enumerate() {
            let path: [Step; 2] = ["keys".into(), at.into()];
            if key.time < 0 {
                let path = [path[0].clone(), path[1].clone(), "time".into()];
                self.add(&NEGATIVE_TIME, object, &path, || format!("is {}, expected 0 or greater", key.time));
            }
            let has = key.values.len();
            if has != expected {
                let message = || format!("has {}, expected {expected} for {kind}", counted(has, "value"));
                self.add(&KEY_VALUES, object, &path, message);
            }
            if let Some(previous) = previous.filter(|previous| *previous >= key.time) {
                let path = [path[0].clone(), path[1].clone(), "time".into()];
                self.add(&KEY_ORDER, object, &path, || {
                    format!("is {}, expected more than {previous}, the time of the previous key", key.time)
                });
            }
            previous = Some(key.time);
            if view.key_type == 0 {
                self.rotation(object, at, key.values);
            }
        }
    }

    /// Counts a track of rotations or matrices, and whether its first key is a rotation that is probably stored as x, y, z, w.
    fn count_track(&mut self, view: &AnimationKey) {
        let is_suspicious = |key: TimedFloatKeys<'_>| matches!(key.values, [w, x, y, z] if w.abs() < 0.35 && z.abs() > 0.9 && (*x, *y) != (0.0, 0.0));
        if let Some(first) = view.keys.iter().next() {
            self.rotations.all += 1;
            self.rotations.suspicious += usize::from(is_suspicious(first));
        }
    }

    fn rotation(&mut self, object: Object<'_>, at: usize, values: &[f32]) {
        let square: f32 = values.iter().map(|part| part * part).sum();
        let path = ["keys".into(), at.into()];
        if square == 0.0 {
            self.add(&ZERO, object, &path, || "is all zero".into());
        } else if (square - 1.0).abs() > TOLERANCE {
            self.add(&UNIT, object, &path, || format!("has length {}, expected 1", square.sqrt()));
        }
    }
}
