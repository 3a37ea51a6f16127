//! Merges meshes and animations.

use std::collections::HashSet;
use std::hash::Hash;

use super::conventions::rotation;
use super::{Animation, Binary, Bone, Cal3d, Mesh, Morph, Skeleton};
use crate::codec::Format;
use crate::edit::{Places, Rigid, unsupported};
use crate::hierarchy::by_name;
use crate::schema::Moves;
use crate::wire::escape;
use crate::{File, Options, Result};

/// Appends the submeshes of a mesh, and the tracks of an animation; bones are referred to by index.
pub(in crate::formats) fn merge(file: &mut File, other: &File) -> Result<bool> {
    match (file, other) {
        (File::Cal3dMesh(file), File::Cal3dMesh(other)) => {
            append(file, other, |own: &mut Mesh, added: &Mesh| {
                own.submeshes.extend(added.submeshes.iter().cloned());
                Ok(())
            })
        }
        (File::Cal3dAnimation(file), File::Cal3dAnimation(other)) => append(file, other, animations),
        (File::Cal3dMorph(file), File::Cal3dMorph(other)) => {
            append(file, other, |own: &mut Morph, added: &Morph| {
                same_length(own.duration, added.duration)?;
                let name = |track: &super::MorphTrack| track.morph_name.text().to_vec();
                different(own.tracks.iter().map(name), added.tracks.iter().map(name))?;
                own.tracks.extend(added.tracks.iter().cloned());
                Ok(())
            })
        }
        (File::Cal3dSkeleton(file), File::Cal3dSkeleton(other)) => append(file, other, skeletons),
        (File::Cal3dMaterial(_), File::Cal3dMaterial(_)) => {
            Err(unsupported("a Cal3D file has one material; keep the files separate"))
        }
        _ => return Ok(false),
    }?;
    Ok(true)
}

fn append<B: Binary + PartialEq>(
    file: &mut Cal3d<B>,
    other: &Cal3d<B>,
    append: impl Fn(&mut B, &B) -> Result<()>,
) -> Result<()> {
    let added = other.view()?;
    let versions = [(file.dialect(), file.view()?.version()), (other.dialect(), added.version())];
    let is_plain = |dialect| matches!(dialect, Some("classic" | "xml"));
    let is_same = versions[0] == versions[1];
    let different = || {
        let [own, other] =
            versions.map(|(dialect, number)| format!("{} {number}", dialect.unwrap_or_default()));
        unsupported(&format!("the files have different versions, {own} and {other}, with different contents"))
    };
    if !(is_same || is_plain(versions[0].0) && is_plain(versions[1].0)) {
        return Err(different());
    }
    if crate::codec::damage(other).is_some() {
        return Err(unsupported("the second file has bytes after its last element"));
    }
    let mut expected = file.view()?.into_owned();
    append(&mut expected, &added)?;
    file.change(|own, _| append(own, &added))?;
    if is_same {
        return Ok(());
    }
    // What one version has, the other may not.
    let options = Options::default().with_dialect(versions[0].0.unwrap_or_default());
    let again = Cal3d::<B>::decode_in(&file.encode()?, &options);
    let is_kept = again.is_ok_and(|again| again.view().is_ok_and(|again| *again == expected));
    if is_kept { Ok(()) } else { Err(different()) }
}

/// Adds the bones that the first skeleton does not have, below the bones with the names of their parents. Indices of the first
/// skeleton stay valid.
fn skeletons(own: &mut Skeleton, added: &Skeleton) -> Result<()> {
    let parents = |own: &Skeleton| -> Vec<Option<usize>> {
        let len = own.bones.len();
        own.bones.iter().map(|own| usize::try_from(own.parent_id).ok().filter(|own| *own < len)).collect()
    };
    let places = |own: &Skeleton| {
        let local = |own: &Bone| Rigid::new(own.translation, rotation(own.rotation));
        Places::in_model_space(parents(own), &own.bones.iter().map(local).collect::<Vec<_>>())
    };
    let (old, new) = (places(own)?, places(added)?);
    let first = own.bones.len();
    let named = by_name(own.bones.iter().map(|bone| bone.name.text()));
    let (mut indices, mut len) = (Vec::with_capacity(added.bones.len()), first);
    for (at, bone) in added.bones.iter().enumerate() {
        let known = named.get(bone.name.text()).copied();
        if known.is_some_and(|known| !old.has_same(known, &new, at)) {
            let name = escape(bone.name.text());
            return Err(unsupported(&format!("the bone `{name}` has another bind pose in each file")));
        }
        indices.push(known.unwrap_or(len));
        len += usize::from(known.is_none());
    }
    let mut added = added.clone();
    Moves::new().placed("bone", &indices[..], len).apply(&mut added)?;
    Moves::new().followed("bone", len - first).apply(own)?;
    for (bone, index) in added.bones.drain(..).zip(indices).filter(|(_, index)| *index >= first) {
        let parent = usize::try_from(bone.parent_id).ok().filter(|parent| *parent < first);
        if let (Some(parent), Ok(index)) = (parent, i32::try_from(index)) {
            own.bones[parent].child_ids.push(index);
        }
        own.bones.push(bone);
    }
    Ok(())
}

/// Animations are clips without a name: together they are one clip, which moves the bones of both.
fn animations(own: &mut Animation, added: &Animation) -> Result<()> {
    same_length(own.duration, added.duration)?;
    if (own.compression, own.track_flags) != (added.compression, added.track_flags) {
        return Err(unsupported("the animations store their tracks differently"));
    }
    different(own.tracks.iter().map(super::Track::bone_id), added.tracks.iter().map(super::Track::bone_id))?;
    own.tracks.extend(added.tracks.iter().cloned());
    Ok(())
}

fn same_length(a: f32, b: f32) -> Result<()> {
    // Programs write the same length with six or more digits.
    if (a - b).abs() <= a.abs() * 1e-5 {
        return Ok(());
    }
    Err(unsupported(&format!("the animations last {a} and {b} seconds, and a Cal3D file has one clip")))
}

/// Checks that no track of one animation is for what the other one moves too.
fn different<K: Eq + Hash>(own: impl Iterator<Item = K>, mut added: impl Iterator<Item = K>) -> Result<()> {
    let own: HashSet<K> = own.collect();
    if added.any(|key| own.contains(&key)) {
        return Err(unsupported(
            "both animations move the same parts, and a Cal3D file has one clip; keep the files separate",
        ));
    }
    Ok(())
}
