//! Bones that hold nothing.

use super::loss::GLTF;
use super::{Bone, Joint, Loss, Lost, Scene, Skeleton, Target};

impl Scene {
    /// Removes the bones that hold nothing: no mesh, joint of a skin, track or attachment, and no bone that does. Returns their
    /// number. A scene without meshes keeps all bones.
    ///
    /// Every node of glTF is a bone; most tools write nodes for lights, targets and empty groups as well.
    ///
    /// ```
    /// use bindpose::scene::{Bone, Mesh, Scene, Skeleton};
    /// let bone = |name: &str, parent| Bone { name: name.into(), parent, ..Bone::default() };
    /// let bones = vec![bone("target", None), bone("hip", None), bone("leg", Some(1))];
    /// let mut scene = Scene { skeleton: Skeleton::new(bones).0, ..Scene::default() };
    /// scene.meshes.push(Mesh { bone: Some(2), ..Mesh::default() });
    /// assert_eq!(scene.remove_unused_bones(), 1);
    /// assert_eq!(scene.skeleton.bones()[1].parent, Some(0));
    /// assert_eq!(scene.meshes[0].bone, Some(1));
    /// ```
    pub fn remove_unused_bones(&mut self) -> usize {
        if self.meshes.is_empty() {
            return 0;
        }
        let is_used = self.used_bones();
        let unused = is_used.iter().filter(|used| !**used).count();
        if unused == 0 {
            return 0;
        }
        let mut next = 0;
        let positions: Vec<_> = is_used
            .iter()
            .map(|used| {
                next += usize::from(*used);
                used.then(|| next - 1)
            })
            .collect();
        self.renumber_bones(&positions);
        self.losses.push(Loss { file: GLTF.to_owned(), count: unused, ..Lost::UnusedNodes.into() });
        unused
    }

    /// Returns for each bone whether it, or one below it, holds something.
    fn used_bones(&self) -> Vec<bool> {
        let joints = self.meshes.iter().filter_map(|mesh| mesh.skin.as_ref()).flat_map(|skin| &*skin.joints);
        let tracks = self.clips.iter().flat_map(|clip| &clip.tracks).map(|track| track.bone);
        let holders = { self.meshes.iter().filter_map(|mesh| mesh.bone) }
            .chain(joints.map(|joint| joint.bone))
            .chain(tracks)
            .chain(self.attachments.iter().filter_map(|own| own.bone));
        let bones = self.skeleton.bones();
        let mut is_used = vec![false; bones.len()];
        for holder in holders {
            let mut above = Some(holder);
            while let Some(bone) = above.filter(|bone| is_used.get(*bone) == Some(&false)) {
                is_used[bone] = true;
                above = bones[bone].parent;
            }
        }
        is_used
    }

    /// Gives bones other positions, and removes those without one, to which nothing refers.
    fn renumber_bones(&mut self, positions: &[Option<usize>]) {
        let at = |bone: usize| positions.get(bone).copied().flatten();
        let kept = self.skeleton.bones().iter().zip(positions).filter(|(_, position)| position.is_some());
        let bones = kept.map(|(bone, _)| Bone { parent: bone.parent.and_then(at), ..bone.clone() });
        let bones = bones.collect();
        let mut playback = std::mem::take(&mut self.skeleton.playback);
        for list in playback.lists_mut().into_iter().flatten() {
            keep(&mut list.values, positions);
        }
        keep(&mut playback.retargeting, positions);
        self.skeleton = Skeleton::new(bones).0.with_playback(playback);
        for mesh in &mut self.meshes {
            mesh.bone = mesh.bone.and_then(at);
            if let Some(skin) = &mut mesh.skin {
                let joints =
                    skin.joints.iter().map(|joint| Joint { bone: at(joint.bone).unwrap_or(0), ..*joint });
                skin.joints = joints.collect();
            }
        }
        for track in self.clips.iter_mut().flat_map(|clip| &mut clip.tracks) {
            track.bone = at(track.bone).unwrap_or(0);
        }
        for own in &mut self.attachments {
            own.bone = own.bone.and_then(at);
        }
        for source in &mut self.sources {
            if let Target::Keys { bone, .. } = &mut source.target {
                *bone = at(*bone).unwrap_or(0);
            }
        }
    }
}

/// Keeps the values of the bones that have a position.
fn keep<T>(values: &mut Vec<T>, positions: &[Option<usize>]) {
    let mut positions = positions.iter();
    values.retain(|_| positions.next().is_some_and(Option::is_some));
}
