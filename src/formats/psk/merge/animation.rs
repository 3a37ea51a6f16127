//! Merges animations of the same bones.

use std::collections::HashSet;

use super::super::edit::{first_mut, parents};
use super::super::names::curves_id;
use super::super::{
    Bone, Chunk, ChunkKind, Clip, Curves, Key, Psa, Records, ScaleKeys, Sequence, TrackFlags,
};
use super::{only_known, pair, place};
use crate::Result;
use crate::edit::{Entity, duplicate, unmatched, unsupported};
use crate::wire::FixedStr;

impl Psa {
    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        only_known(&other.chunks, is_known, |records| matches!(records, Records::Curves(_)))?;
        let columns = self.columns(other)?;
        self.different_names(other)?;
        let is_flagged = self.scales(other, &columns)?;
        self.flags(other, &columns);
        self.curve_chunks(other)?;
        self.keys_and_sequences(other, &columns, is_flagged)
    }

    /// Returns the index in the other file of each bone.
    fn columns(&self, other: &Self) -> Result<Vec<usize>> {
        let columns = pair(self.bones(), other.bones());
        let back = pair(other.bones(), self.bones());
        let lone = |bones: &[Bone], pairs: &[Option<usize>]| -> Vec<Vec<u8>> {
            let lone = bones.iter().zip(pairs).filter(|(_, pair)| pair.is_none());
            lone.map(|(bone, _)| bone.name.text().to_vec()).collect()
        };
        let lone = [lone(self.bones(), &columns), lone(other.bones(), &back)].concat();
        if !lone.is_empty() {
            return Err(unmatched(Entity::Bone, lone.iter().map(Vec::as_slice)));
        }
        let columns: Vec<_> = columns.into_iter().flatten().collect();
        let is_root = [parents(self.bones()), parents(other.bones())]
            .map(|parents| parents.iter().map(Option::is_none).collect::<Vec<_>>());
        if columns.iter().enumerate().any(|(own, other)| is_root[0][own] != is_root[1][*other]) {
            return Err(unsupported("the files have different root bones"));
        }
        for file in [self, other] {
            let count = file.bones().len();
            let is_whole = |own: &Sequence| usize::try_from(own.total_bones) == Ok(count);
            if !file.sequences().iter().all(is_whole) || count > 0 && file.keys().len() % count != 0 {
                return Err(unsupported("the sequences have another number of bones than their file"));
            }
            if file.clips().any(|clip| clip.keys.is_none()) {
                return Err(unsupported("a sequence has no keys in its file"));
            }
        }
        Ok(columns)
    }

    fn different_names(&self, other: &Self) -> Result<()> {
        let names: HashSet<_> = self.sequences().iter().map(|own| own.name.text()).collect();
        let taken = other.sequences().iter().find(|own| names.contains(own.name.text()));
        taken.map_or(Ok(()), |own| Err(duplicate(Entity::Clip.name(), own.name.text())))
    }

    /// Adds scale keys. Where all keys of both files have one, so do those of the result; otherwise the flags of the sequences
    /// decide. Returns whether they do.
    fn scales(&mut self, other: &Self, columns: &[usize]) -> Result<bool> {
        for file in [&*self, other] {
            if matches!(file.scale_keys(), ScaleKeys::Unclear(_)) {
                let why = "the number of scale keys fits neither all keys nor those of some sequences";
                return Err(unsupported(why));
            }
        }
        let (own, new) = (self.scale_keys(), other.scale_keys());
        let is_none = |keys: &ScaleKeys<'_>| matches!(keys, ScaleKeys::None);
        if is_none(&own) && is_none(&new) {
            return Ok(false);
        }
        let added = other.clips().filter_map(|clip| Some(reordered(clip.scale_keys?, columns)));
        let added: Vec<_> = added.flatten().collect();
        let are_all =
            |keys: &ScaleKeys<'_>, file: &Self| matches!(keys, ScaleKeys::All(_)) || file.keys().is_empty();
        let is_flagged = !(are_all(&own, self) && are_all(&new, other));
        if is_flagged {
            let flags: Vec<_> = self.clips().map(|clip| clip.scale_keys.is_some()).collect();
            let kept: Vec<_> = self.clips().filter_map(|clip| clip.scale_keys).flatten().cloned().collect();
            if let Some(sequences) = first_mut!(self.chunks, Sequences) {
                sequences.iter_mut().zip(flags).for_each(|(own, flag)| own.scale_include = flag.into());
            }
            if let Some(scales) = first_mut!(self.chunks, ScaleKeys) {
                **scales = kept;
            }
        }
        let blank = Chunk::new(ChunkKind::SCALE_KEYS.id_text(), Records::ScaleKeys(Vec::new().into()));
        let at = place(&mut self.chunks, |records| matches!(records, Records::ScaleKeys(_)), blank);
        if let Records::ScaleKeys(scales) = &mut self.chunks[at].records {
            scales.extend(added);
        }
        Ok(is_flagged)
    }

    /// Adds the flags of tracks, if one of the files has any; those of the other one are empty.
    fn flags(&mut self, other: &Self, columns: &[usize]) {
        let flags = |file: &Self| {
            let all = file.chunks.iter().find_map(|chunk| match &chunk.records {
                Records::TrackFlags(flags) => Some(flags.to_vec()),
                _ => None,
            });
            all.filter(|all| !all.is_empty())
        };
        let (own, new) = (flags(self), flags(other));
        if own.is_none() && new.is_none() {
            return;
        }
        let filled = |flags: Option<Vec<TrackFlags>>, file: &Self| {
            let mut flags = flags.unwrap_or_default();
            flags.resize(file.sequences().len() * columns.len(), TrackFlags::from_raw(0));
            flags
        };
        let (own, new) = (filled(own, self), filled(new, other));
        let blank = Chunk::new(ChunkKind::TRACK_FLAGS.id_text(), Records::TrackFlags(Vec::new().into()));
        let at = place(&mut self.chunks, |records| matches!(records, Records::TrackFlags(_)), blank);
        if let Records::TrackFlags(flags) = &mut self.chunks[at].records {
            **flags = own;
            flags.extend(reordered(&new, columns));
        }
    }

    /// Adds a chunk of curves for each sequence, if one of the files has any.
    fn curve_chunks(&mut self, other: &Self) -> Result<()> {
        if self.curves().next().is_none() && other.curves().next().is_none() {
            return Ok(());
        }
        for file in [&*self, other] {
            if file.curves().count() > file.sequences().len() {
                return Err(unsupported("there are more chunks of curves than sequences"));
            }
        }
        let missing: Vec<_> =
            self.clips().filter(|clip| clip.curves.is_none()).map(|clip| curves(&clip)).collect();
        self.chunks.extend(missing);
        self.chunks.extend(other.clips().map(|clip| curves(&clip)));
        Ok(())
    }

    fn keys_and_sequences(&mut self, other: &Self, columns: &[usize], is_flagged: bool) -> Result<()> {
        // Sequences whose keys were found in order get the first frame at which they are.
        let mut before: i32 = 0;
        let moved: Vec<_> = self
            .clips()
            .map(|clip| {
                let first = before;
                before = before.saturating_add(clip.sequence.num_raw_frames);
                clip.is_moved.then_some(first)
            })
            .collect();
        let mut frames = self.keys().len().checked_div(columns.len()).unwrap_or(0);
        let mut keys: Vec<Key> = Vec::new();
        let mut sequences = Vec::new();
        for clip in other.clips() {
            let first = i32::try_from(frames).map_err(|_| unsupported("the result has too many frames"))?;
            frames += usize::try_from(clip.sequence.num_raw_frames).unwrap_or(0);
            keys.extend(reordered(clip.keys.unwrap_or_default(), columns));
            let has_scale = i32::from(clip.scale_keys.is_some());
            let scale_include = if is_flagged { has_scale } else { clip.sequence.scale_include };
            sequences.push(Sequence { first_raw_frame: first, scale_include, ..clip.sequence.clone() });
        }
        let blank = Chunk::new(ChunkKind::SEQUENCES.id_text(), Records::Sequences(Vec::new().into()));
        let at = place(&mut self.chunks, |records| matches!(records, Records::Sequences(_)), blank);
        if let Records::Sequences(own) = &mut self.chunks[at].records {
            for (own, moved) in own.iter_mut().zip(moved) {
                own.first_raw_frame = moved.unwrap_or(own.first_raw_frame);
            }
            own.extend(sequences);
        }
        let blank = Chunk::new(ChunkKind::KEYS.id_text(), Records::Keys(Vec::new().into()));
        let at = place(&mut self.chunks, |records| matches!(records, Records::Keys(_)), blank);
        if let Records::Keys(own) = &mut self.chunks[at].records {
            own.extend(keys);
        }
        Ok(())
    }
}

const fn is_known(records: &Records) -> bool {
    records.is_of_animation() || matches!(records, Records::TrackFlags(_))
}

/// Returns the records of frames in another order of bones.
fn reordered<'a, T: Clone>(records: &'a [T], columns: &'a [usize]) -> impl Iterator<Item = T> + use<'a, T> {
    let frames = records.chunks_exact(columns.len().max(1));
    frames.flat_map(|frame| columns.iter().map(|column| frame[*column].clone()))
}

/// Returns the chunk with the curves of a sequence.
fn curves(clip: &Clip<'_>) -> Chunk {
    let frames = usize::try_from(clip.sequence.num_raw_frames).unwrap_or(0);
    let curves = clip.curves.cloned().unwrap_or_else(|| Curves::new(frames));
    let mut id = FixedStr::default();
    // The name is shortened so that the id fits.
    let _ = id.set(&curves_id(clip.sequence));
    Chunk { id, ..Chunk::new("", Records::Curves(curves)) }
}
