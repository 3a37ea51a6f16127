//! The scene of a file, for `info --scene`.

use crate::prelude::*;
use bindpose::codec::Bounds;
use bindpose::scene::{Clip, Scene, Skeleton};

/// The maximum depth of indentation.
pub(super) const DEEPEST: usize = 32;

/// A summary of the scene of a file.
#[derive(Serialize)]
pub(super) struct SceneSummary {
    bones: Vec<Node>,
    meshes: Vec<MeshLine>,
    clips: Vec<ClipLine>,
    /// In metres, right-handed with Y up, as `export` writes them.
    bounds: Option<Bounds>,
}

#[derive(Serialize)]
struct Node {
    name: String,
    parent: Option<usize>,
    #[serde(skip)]
    depth: usize,
}

#[derive(Serialize)]
struct MeshLine {
    name: String,
    vertices: usize,
    triangles: usize,
    /// The maximum number of influences on a vertex.
    influences: usize,
    morphs: usize,
    /// The names of groups of triangles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<String>,
}

#[derive(Serialize)]
struct ClipLine {
    name: String,
    start: f32,
    end: f32,
    tracks: usize,
    morphs: usize,
}

impl SceneSummary {
    pub fn of(scene: &Scene) -> Self {
        let meshes = scene.meshes.iter().map(|mesh| MeshLine {
            name: mesh.name.clone(),
            vertices: mesh.positions.len(),
            triangles: mesh.num_triangles(),
            influences: mesh.skin.as_ref().map_or(0, |skin| skin.weights.most()),
            morphs: mesh.morphs.len(),
            groups: mesh
                .primitives
                .iter()
                .map(|own| own.name.clone())
                .filter(|name| !name.is_empty())
                .collect(),
        });
        Self {
            bones: tree(&scene.skeleton),
            meshes: meshes.collect(),
            clips: scene.clips.iter().map(clip).collect(),
            bounds: scene.bounds(),
        }
    }

    pub fn print(&self, output: &mut Output, width: usize) -> io::Result<()> {
        let mut line = |label: &str, text: &str| writeln!(output, "  {label:<width$}  {text}");
        let some = |count: usize, what: &str| {
            if count > 0 { format!(", {}", counted(count, what)) } else { String::new() }
        };
        let mut label = "bones";
        for Node { name, depth, .. } in &self.bones {
            line(label, &format!("{:indent$}{}", "", named(name), indent = 2 * depth.min(&DEEPEST)))?;
            label = "";
        }
        for MeshLine { name, vertices, triangles, influences, morphs, groups } in &self.meshes {
            let counts = format!("{vertices} vertices, {}", counted(*triangles, "triangle"));
            let skin = if *influences > 0 {
                format!(", up to {}", counted(*influences, "influence"))
            } else {
                String::new()
            };
            let morphs = some(*morphs, "morph target");
            line("mesh", &format!("{}: {counts}{skin}{morphs}", named(name)))?;
            groups.iter().try_for_each(|name| line("group", &format!("  {}", named(name))))?;
        }
        for ClipLine { name, start, end, tracks, morphs } in &self.clips {
            let counts = counted(*tracks, "track") + &some(*morphs, "morph track");
            line("clip", &format!("{}: {start} to {end} seconds, {counts}", named(name)))?;
        }
        self.bounds.as_ref().map_or(Ok(()), |Bounds { min, max }| {
            line("bounds", &format!("{min:?} to {max:?} metres as exported, Y up"))
        })
    }
}

/// A name for people.
fn named(name: &str) -> String {
    if name.is_empty() { "without a name".into() } else { name.escape_debug().to_string() }
}

fn clip(clip: &Clip) -> ClipLine {
    let (start, end) = clip.span().unwrap_or_default();
    let (tracks, morphs) = (clip.tracks.len(), clip.morphs.len());
    ClipLine { name: clip.name.clone(), start, end, tracks, morphs }
}

fn tree(skeleton: &Skeleton) -> Vec<Node> {
    let bones = skeleton.bones();
    let (mut places, mut nodes) = (vec![0; bones.len()], Vec::<Node>::with_capacity(bones.len()));
    for index in skeleton.depth_first() {
        let parent = bones[index].parent.map(|parent| places[parent]);
        let depth = parent.map_or(0, |parent| nodes[parent].depth + 1);
        places[index] = nodes.len();
        nodes.push(Node { name: bones[index].name.clone(), parent, depth });
    }
    nodes
}
