//! Checks animations.

use super::super::keys::KeyKind;
use super::super::rules::{KEY_ORDER, KEY_TYPE, KEY_VALUES, NEGATIVE_TIME, TARGETLESS, UNIT, ZERO};
use super::super::{AnimationKey, Frame, Object, TimedFloatKeys, View as _};
use super::Context;
use crate::check::common::counted;
use crate::check::tolerance;
use crate::schema::Step;

impl Context<'_, '_> {
    pub(super) fn animation(&mut self, object: Object<'_>) {
        let has_frame =
            object.references().next().is_some() || object.children_of(Frame::TEMPLATE).next().is_some();
        if !has_frame {
            self.add(&TARGETLESS, object, &[], || "has no reference to a frame".into());
        }
    }

    pub(super) fn keys(&mut self, object: Object<'_>) {
        let Some(view) = self.view::<AnimationKey>(object) else { return };
        let Some(kind) = view.kind() else {
            let message = || format!("is {}, expected 0 to 4", view.key_type);
            self.add(&KEY_TYPE, object, &["keyType".into()], message);
            return;
        };
        let expected = kind.num_values();
        if matches!(kind, KeyKind::Rotation | KeyKind::Matrix) {
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
                let message =
                    || format!("has {}, expected {expected} for {}", counted(has, "value"), kind.name());
                self.add(&KEY_VALUES, object, &path, message);
            }
            if let Some(previous) = previous.filter(|previous| *previous >= key.time) {
                let path = [path[0].clone(), path[1].clone(), "time".into()];
                self.add(&KEY_ORDER, object, &path, || {
                    format!("is {}, expected more than {previous}, the time of the previous key", key.time)
                });
            }
            previous = Some(key.time);
            if kind == KeyKind::Rotation {
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
        } else if (square - 1.0).abs() > tolerance::UNIT {
            self.add(&UNIT, object, &path, || format!("has length {}, expected 1", square.sqrt()));
        }
    }
}
