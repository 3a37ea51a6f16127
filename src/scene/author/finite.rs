//! Numbers that files can hold.

use glam::Vec3;

use super::super::Mesh;
use super::Author;

impl Author<'_> {
    /// Replaces numbers of vertices that are not finite by 0, and reports them.
    pub fn finite(&mut self, meshes: &mut [Mesh]) {
        for mesh in meshes {
            let mut replaced = 0;
            let mut mend = |value: &mut f32| {
                replaced += usize::from(!value.is_finite());
                *value = if value.is_finite() { *value } else { 0.0 };
            };
            let mut point =
                |own: &mut Vec3| [&mut own.x, &mut own.y, &mut own.z].into_iter().for_each(&mut mend);
            mesh.positions.iter_mut().for_each(&mut point);
            mesh.normals.iter_mut().for_each(&mut point);
            for own in mesh.morphs.iter_mut().flat_map(|morph| &mut morph.deltas) {
                point(&mut own.position);
                point(&mut own.normal);
            }
            for own in &mut mesh.tangents {
                AsMut::<[f32; 4]>::as_mut(own).iter_mut().for_each(&mut mend);
            }
            for own in mesh.uvs.iter_mut().flatten() {
                mend(&mut own.x);
                mend(&mut own.y);
            }
            let what = format!("numbers of mesh {:?}", mesh.name);
            self.lose_some(replaced, &what, "not finite; replaced by 0");
        }
    }
}
