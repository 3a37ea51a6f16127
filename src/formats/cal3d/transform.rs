//! Moves skeletons, animations and meshes.

use super::conventions::{rotation, stored};
use super::{Animation, BlendVertex, Dialect, KEEPS_BIND_POSE, Mesh, Skeleton, Track};
use crate::edit::{Rigid, needs_bones};
use crate::hierarchy::roots;
use crate::{Budget, File, Result};

pub(in crate::formats) fn transform(files: &mut [File], motion: Rigid, _: &Budget) -> Result<()> {
    let mut skeletons = Vec::new();
    for file in files.iter_mut() {
        match file {
            File::Cal3dSkeleton(skeleton) => skeleton.change(|skeleton, _| {
                let is_root = roots(skeleton.bones.iter().map(|bone| usize::try_from(bone.parent_id).ok()));
                skeleton.transform(&is_root, motion);
                skeletons.push(is_root);
                Ok(())
            })?,
            File::Cal3dMesh(mesh) => mesh.change(|mesh, dialect| {
                mesh.transform(motion, dialect.version(mesh.version).stores_differences());
                Ok(())
            })?,
            _ => {}
        }
    }
    for file in files {
        let File::Cal3dAnimation(animation) = file else { continue };
        let [is_root] = &skeletons[..] else {
            return Err(needs_bones(skeletons.len()));
        };
        animation.change(|animation, dialect| animation.transform(is_root, motion, dialect))?;
    }
    Ok(())
}

impl Skeleton {
    fn transform(&mut self, is_root: &[bool], motion: Rigid) {
        let back = motion.inverse();
        for (bone, is_root) in self.bones.iter_mut().zip(is_root) {
            if *is_root {
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
    fn transform(&mut self, is_root: &[bool], motion: Rigid, dialect: Dialect) -> Result<()> {
        let is_root = |track: &Track| {
            let bone = usize::try_from(track.bone_id()).ok();
            bone.and_then(|bone| is_root.get(bone)).copied().unwrap_or(false)
        };
        self.unpack(dialect, &is_root);
        for track in self.tracks.iter_mut().filter(|track| is_root(track)) {
            let place = |translation: Option<[f32; 3]>, turned: [f32; 4]| {
                motion.then(Rigid::new(translation.unwrap_or_default(), rotation(turned)))
            };
            match track {
                Track::Plain(track) => {
                    for key in track.keys.iter_mut() {
                        let moved = place(Some(key.translation), key.rotation);
                        if key.translation != KEEPS_BIND_POSE {
                            key.translation = moved.translation.into();
                        }
                        key.rotation = stored(moved.rotation);
                    }
                }
                Track::Packed(track) => track.change(|translation, turned| {
                    let moved = place(*translation, *turned);
                    *translation = translation.map(|_| moved.translation.into());
                    *turned = stored(moved.rotation);
                })?,
                Track::Quantized(_) => {}
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
            if let Some(morphs) = &mut submesh.morphs {
                morphs.vertices_mut().for_each(target);
            }
        }
    }
}
