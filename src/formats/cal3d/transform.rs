//! Moves skeletons, animations and meshes.

use super::edit::{binary, rotation, stored};
use super::{Animation, BlendVertex, Cal3d, Dialect, KEEPS_BIND_POSE, Mesh, Morphs, Skeleton, Track};
use crate::edit::{Rigid, unsupported};
use crate::{File, Result};

pub(in crate::formats) fn transform(files: &mut [File], motion: Rigid) -> Result<()> {
    let mut skeletons = Vec::new();
    for file in files.iter_mut() {
        match file {
            File::Cal3dSkeleton(skeleton) => {
                let skeleton = binary(skeleton)?;
                skeletons.push(skeleton.bones.iter().map(|bone| bone.parent_id < 0).collect::<Vec<_>>());
                skeleton.transform(motion);
            }
            File::Cal3dMesh(mesh) => {
                let are_differences = matches!(&**mesh, Cal3d::Binary { dialect: Dialect::Mp1301, .. });
                binary(mesh)?.transform(motion, are_differences);
            }
            _ => {}
        }
    }
    for file in files {
        let File::Cal3dAnimation(animation) = file else { continue };
        let [is_root] = &skeletons[..] else {
            return Err(unsupported(
                "an animation needs its skeleton, and no other one, in the set of files",
            ));
        };
        binary(animation)?.transform(is_root, motion)?;
    }
    Ok(())
}

impl Skeleton {
    fn transform(&mut self, motion: Rigid) {
        let back = motion.inverse();
        for bone in self.bones.iter_mut() {
            if bone.parent_id < 0 {
                let moved = motion.then(Rigid::new(bone.translation, rotation(bone.rotation)));
                bone.translation = moved.translation.into();
                bone.rotation = stored(moved.rotation);
            }
            let moved = Rigid::new(bone.local_translation, rotation(bone.local_rotation)).then(back);
            bone.local_translation = moved.translation.into();
            bone.local_rotation = stored(moved.rotation);
        }
    }
}

impl Animation {
    fn transform(&mut self, is_root: &[bool], motion: Rigid) -> Result<()> {
        for track in self.tracks.iter_mut() {
            let bone = usize::try_from(track.bone_id()).ok();
            if !bone.and_then(|bone| is_root.get(bone)).copied().unwrap_or(false) {
                continue;
            }
            let Track::Plain(track) = track else {
                return Err(unsupported("the compressed track of a root bone cannot be moved"));
            };
            for key in track.keys.iter_mut() {
                let moved = motion.then(Rigid::new(key.translation, rotation(key.rotation)));
                if key.translation != KEEPS_BIND_POSE {
                    key.translation = moved.translation.into();
                }
                key.rotation = stored(moved.rotation);
            }
        }
        Ok(())
    }
}

impl Mesh {
    fn transform(&mut self, motion: Rigid, are_differences: bool) {
        let target = |own: &mut BlendVertex| {
            let place = if are_differences { Rigid::direction } else { Rigid::point };
            own.position = place(motion, own.position);
            own.normal = motion.direction(own.normal);
        };
        for submesh in self.submeshes.iter_mut() {
            for vertex in submesh.vertices.iter_mut() {
                vertex.position = motion.point(vertex.position);
                vertex.normal = motion.direction(vertex.normal);
            }
            match &mut submesh.morphs {
                None => {}
                Some(Morphs::Counted(own)) => {
                    own.iter_mut().flat_map(|own| own.vertices.iter_mut()).for_each(target);
                }
                Some(Morphs::Ended(own)) => {
                    own.iter_mut().flat_map(|own| own.vertices.iter_mut()).for_each(target);
                }
            }
        }
    }
}
