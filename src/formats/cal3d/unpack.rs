//! Changes the keys of tracks: as plain numbers where the version permits, or packed again.

use super::scene::animation::Key;
use super::{
    Animation, Dialect, Encoding, FarPosition, KEEPS_BIND_POSE, NearPosition, PackedHeader, PackedKey,
    PackedPosition, PackedRotation, PackedTrack, PlainKey, PlainTrack, Track, Version,
};
use crate::Result;
use crate::edit::unsupported;

/// The difference of two numbers that are the same up to rounding, as a part of the larger one.
const ROUNDING: f32 = 1e-5;

impl Animation {
    /// Stores all tracks as plain numbers if the version permits it and one of those that change is packed.
    pub(super) fn unpack(&mut self, dialect: Dialect, changes: &dyn Fn(&Track) -> bool) {
        let is_packed = |track: &Track| !matches!(track, Track::Plain(_));
        let compression = self.compression.map(|_| 0);
        let track_flags = self.track_flags.map(|flags| flags.with_quantized(false));
        let encoding = dialect.version(self.version).encoding(compression, track_flags);
        if encoding != Encoding::Plain || !self.tracks.iter().any(|track| is_packed(track) && changes(track))
        {
            return;
        }
        (self.compression, self.track_flags) = (compression, track_flags);
        let plain = |track: &Track| Track::plain(track.bone_id(), &track.keys(self.duration));
        self.tracks = self.tracks.iter().map(plain).collect();
    }
}

impl Track {
    fn plain(bone_id: i32, keys: &[Key]) -> Self {
        let key = |(time, translation, rotation): &Key| PlainKey {
            time: *time,
            translation: translation.unwrap_or(KEEPS_BIND_POSE),
            rotation: *rotation,
        };
        Self::Plain(PlainTrack { bone_id, keys: keys.iter().map(key).collect::<Vec<_>>().into() })
    }

    /// Returns a track of keys as an animation stores them whose tracks are not quantized.
    ///
    /// # Errors
    /// If packed keys cannot represent the bone or a translation.
    pub(super) fn of(bone_id: i32, keys: &[Key], encoding: Encoding, version: Version) -> Result<Self> {
        if encoding == Encoding::Plain {
            Ok(Self::plain(bone_id, keys))
        } else {
            PackedTrack::of(bone_id, keys, version).map(Self::Packed)
        }
    }
}

impl PackedTrack {
    fn of(bone_id: i32, keys: &[Key], version: Version) -> Result<Self> {
        let bone = u16::try_from(bone_id).ok();
        let header = bone.and_then(|bone| PackedHeader::new().with_bone_id_checked(bone).ok());
        let header =
            header.ok_or_else(|| unsupported("packed tracks have no room for the index of the bone"))?;
        let has_position = keys.iter().all(|(_, own, _)| own.is_some()) && !keys.is_empty();
        let varies = has_position && keys.iter().any(|(_, own, _)| *own != keys[0].1);
        let header = header.with_has_position(has_position).with_position_varies(varies);
        let key = |(index, (time, translation, rotation)): (usize, &Key)| {
            let translation = translation.filter(|_| header.stores_position(index == 0));
            PackedKey {
                position: translation.map(|_| PackedPosition::Far(FarPosition::default())),
                rotation: PackedRotation::nearest(*rotation, PackedRotation::ticks_of(*time)),
                exact_translation: translation.filter(|_| version.has_exact_translations()),
                exact_rotation: version.has_exact_rotations().then_some(*rotation),
            }
        };
        let stored: Vec<_> = keys.iter().enumerate().map(key).collect();
        let mut track = Self { header, keys: stored.into() };
        let exact = version.has_exact_translations();
        let translations = keys.iter().enumerate().filter(|(index, _)| header.stores_position(*index == 0));
        let translations: Vec<_> =
            translations.filter_map(|(_, (_, own, _))| Some(((*own)?, exact))).collect();
        track.place(&translations)?;
        Ok(track)
    }

    /// Changes the translation, where there is one, and the rotation of each key.
    ///
    /// # Errors
    /// If packed positions cannot represent a new translation.
    pub(super) fn change(&mut self, change: impl Fn(&mut Option<[f32; 3]>, &mut [f32; 4])) -> Result<()> {
        let mut translations = Vec::new();
        let mut is_moved = false;
        for key in self.keys.iter_mut() {
            let exact = key.exact_translation;
            let before = exact.or_else(|| key.position.as_ref().map(PackedPosition::units));
            let packed = key.rotation.quaternion();
            let turned = key.exact_rotation.unwrap_or(packed);
            let (mut translation, mut rotation) = (before, turned);
            change(&mut translation, &mut rotation);
            is_moved |= translation != before;
            translations.extend(translation.map(|own| (own, exact.is_some())));
            key.exact_translation = exact.and(translation);
            if rotation.map(f32::to_bits) != turned.map(f32::to_bits) {
                key.rotation = PackedRotation::nearest(rotation, key.rotation.ticks());
                key.exact_rotation = key.exact_rotation.map(|_| rotation);
            }
        }
        if is_moved { self.place(&translations) } else { Ok(()) }
    }

    /// Packs translations, each with whether it is also stored exactly; as near positions if those can represent them.
    fn place(&mut self, translations: &[([f32; 3], bool)]) -> Result<()> {
        let near = |own: [f32; 3]| NearPosition::nearest(own).map(PackedPosition::Near);
        let far = |own: [f32; 3]| FarPosition::nearest(own).map(PackedPosition::Far);
        let near = if self.header.far() { None } else { packed(translations, near) };
        self.header.set_far(near.is_none());
        let positions = near.or_else(|| packed(translations, far)).ok_or_else(|| {
            unsupported("packed positions are multiples of a quarter of a unit, and the new ones are not")
        })?;
        let own = self.keys.iter_mut().filter(|key| key.position.is_some());
        own.zip(positions).for_each(|(key, position)| key.position = Some(position));
        Ok(())
    }
}

/// Returns the positions, if they represent the translations up to rounding.
fn packed(
    translations: &[([f32; 3], bool)],
    pack: impl Fn([f32; 3]) -> Option<PackedPosition>,
) -> Option<Vec<PackedPosition>> {
    let packed = |(own, is_exact): &([f32; 3], bool)| {
        let size = own.iter().map(|own| own.abs()).fold(1.0, f32::max);
        let position = pack(*own)?;
        let is_same = position.units().iter().zip(own).all(|(a, b)| (a - b).abs() <= size * ROUNDING);
        (is_same || *is_exact).then_some(position)
    };
    translations.iter().map(packed).collect()
}
