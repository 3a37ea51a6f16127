//! Meshes and materials without the others.

use std::collections::HashSet;
use std::mem::take;

use super::author::compact;
use super::{Mesh, MorphTrack, Primitive, Scene, Target, Targets};

impl Scene {
    /// Removes the triangles of the meshes and groups whose names are not selected. A mesh whose name is selected keeps all its groups,
    /// which are its primitives.
    ///
    /// What no triangle uses then goes, too: meshes, vertices, materials, and the tracks of morph targets. Bones and the other
    /// tracks of clips stay. [`sources`](Self::sources) of meshes and materials are removed.
    ///
    /// ```
    /// use bindpose::scene::{Mesh, Primitive, Scene};
    /// use glam::Vec3;
    /// let primitive = |name: &str| Primitive { name: name.into(), triangles: vec![[0; 3]], ..Primitive::default() };
    /// let primitives = vec![primitive("head"), primitive("body")];
    /// let mesh = Mesh { positions: vec![Vec3::ZERO], primitives, ..Mesh::default() };
    /// let mut scene = Scene { meshes: vec![mesh], ..Scene::default() };
    /// scene.keep_meshes(|name| name == "head");
    /// assert_eq!(scene.meshes[0].primitives, [primitive("head")]);
    /// ```
    pub fn keep_meshes(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.keep_primitives(|mesh, own| is_kept(&mesh.name) || is_kept(&own.name));
        let used: HashSet<_> = { self.meshes.iter() }
            .flat_map(|mesh| mesh.primitives.iter().filter_map(|own| own.material))
            .collect();
        self.retain_materials(|index| used.contains(&index));
    }

    /// Removes the materials whose names are not selected, and the triangles without a selected material. What only those use goes with
    /// them, as in [`keep_meshes`](Self::keep_meshes).
    ///
    /// ```
    /// use bindpose::scene::{Material, Mesh, Primitive, Scene};
    /// use glam::Vec3;
    /// let primitive = |material| Primitive { material, triangles: vec![[0; 3]], ..Primitive::default() };
    /// let primitives = [Some(0), Some(1), None].map(primitive).into();
    /// let mesh = Mesh { positions: vec![Vec3::ZERO], primitives, ..Mesh::default() };
    /// let materials = ["skin", "cloth"].map(Material::new).into();
    /// let mut scene = Scene { meshes: vec![mesh], materials, ..Scene::default() };
    /// scene.keep_materials(|name| name == "cloth");
    /// assert_eq!(scene.materials, [Material::new("cloth")]);
    /// assert_eq!(scene.meshes[0].primitives, [primitive(Some(0))]);
    /// ```
    pub fn keep_materials(&mut self, is_kept: impl Fn(&str) -> bool) {
        let kept: Vec<bool> = self.materials.iter().map(|own| is_kept(&own.name)).collect();
        let is_kept = |index: usize| kept.get(index).is_some_and(|kept| *kept);
        self.keep_primitives(|_, own| own.material.is_some_and(is_kept));
        self.retain_materials(is_kept);
    }

    fn keep_primitives(&mut self, is_kept: impl Fn(&Mesh, &Primitive) -> bool) {
        self.sources.retain(|own| matches!(own.target, Target::Keys { .. }));
        let (mut places, mut kept, mut lost) = (Vec::new(), Vec::new(), HashSet::new());
        for mut mesh in take(&mut self.meshes) {
            let mut own = take(&mut mesh.primitives);
            let before = own.len();
            own.retain(|own| is_kept(&mesh, own));
            places.push((!own.is_empty()).then_some(kept.len()));
            if own.is_empty() {
                lost.extend(mesh.morphs.into_iter().map(|morph| morph.name));
                continue;
            }
            let is_whole = own.len() == before;
            mesh.primitives = own;
            kept.push(if is_whole { mesh } else { compact(mesh) });
        }
        for morph in kept.iter().flat_map(|mesh| &mesh.morphs) {
            lost.remove(&morph.name);
        }
        for clip in &mut self.clips {
            clip.morphs.retain_mut(|track| follow(track, &places, &lost));
        }
        self.meshes = kept;
    }

    fn retain_materials(&mut self, is_kept: impl Fn(usize) -> bool) {
        let (mut places, mut kept) = (Vec::new(), Vec::new());
        for (index, material) in take(&mut self.materials).into_iter().enumerate() {
            let is_kept = is_kept(index);
            places.push(is_kept.then_some(kept.len()));
            kept.extend(is_kept.then_some(material));
        }
        for own in self.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
            own.material = own.material.and_then(|index| places.get(index).copied().flatten());
        }
        self.materials = kept;
    }
}

/// Gives a track the places of the meshes; returns whether it still has a target.
fn follow(track: &mut MorphTrack, places: &[Option<usize>], lost: &HashSet<String>) -> bool {
    match &mut track.targets {
        Targets::Named(name) => !lost.contains(name),
        Targets::These(targets) => {
            let place = |(mesh, target): &(usize, usize)| Some((places.get(*mesh).copied()??, *target));
            *targets = targets.iter().filter_map(place).collect();
            !targets.is_empty()
        }
    }
}
