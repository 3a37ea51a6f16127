//! Merges meshes and animations.

use std::collections::HashSet;
use std::hash::Hash;

use super::{Animation, Binary, Cal3d, Mesh, Morph};
use crate::codec::Format;
use crate::edit::unsupported;
use crate::{File, Result};

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
        (File::Cal3dSkeleton(_), File::Cal3dSkeleton(_)) => {
            Err(unsupported("other files refer to the bones of a Cal3D skeleton by index"))
        }
        (File::Cal3dMaterial(_), File::Cal3dMaterial(_)) => Err(unsupported("a Cal3D file has one material")),
        _ => return Ok(false),
    }?;
    Ok(true)
}

fn append<B: Binary>(
    file: &mut Cal3d<B>,
    other: &Cal3d<B>,
    append: impl FnOnce(&mut B, &B) -> Result<()>,
) -> Result<()> {
    let added = other.view()?;
    if file.dialect() != other.dialect() || file.view()?.version() != added.version() {
        return Err(unsupported("the files have different dialects or versions"));
    }
    if crate::codec::damage(other).is_some() {
        return Err(unsupported("the second file has bytes after its last element"));
    }
    file.change(|own, _| append(own, &added))
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
    if a.to_bits() == b.to_bits() {
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
