//! Pictures of scenes, drawn in software: no GPU, no window, the same pixels on every run.
//!
//! [`render`] draws a scene in its bind pose or at a time of a clip, with textures, vertex colours, smooth normals and
//! transparency, in front of a transparent background. The camera frames what is visible.
//!
//! ```
//! use bindpose::scene::render::{View, render};
//! use bindpose::scene::{Mesh, Primitive, Scene};
//! use glam::Vec3;
//! let primitives = vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }];
//! let mesh = Mesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], primitives, ..Mesh::default() };
//! let scene = Scene { meshes: vec![mesh], ..Scene::default() };
//! let picture = render(&scene, &View { size: [64, 64], ..View::default() }, |_| None);
//! assert_eq!(picture.pixels.len(), 64 * 64);
//! assert!(picture.pixels.iter().any(|[.., alpha]| *alpha == 255));
//! ```

mod allowance;
mod camera;
mod light;
mod overlay;
mod raster;
mod surface;
mod texture;

use std::collections::HashMap;

use self::camera::Camera;
use self::raster::Canvas;
use self::texture::Texture;
use super::{Clip, Material, Mesh, Scene};

/// The largest width and height of a picture in pixels.
pub const MAX_SIZE: u32 = 2048;

/// Samples along each side of a pixel.
const SAMPLES: u32 = 2;

/// What a picture shows, and from where.
#[derive(Clone, Debug, PartialEq)]
pub struct View<'a> {
    /// The width and height in pixels, at most [`MAX_SIZE`].
    pub size: [u32; 2],
    /// The animation; the bind pose if `None`.
    pub clip: Option<&'a Clip>,
    /// The time in the animation in seconds.
    pub seconds: f32,
    /// The direction of the camera in degrees: 0 is in front of the model (on the positive Z axis), 90 is on the positive
    /// X axis.
    pub yaw: f32,
    /// The elevation of the camera in degrees; negative values look from below.
    pub pitch: f32,
    /// Whether the bones are drawn over the meshes. A scene without triangles always shows its bones.
    pub bones: bool,
    /// The colour of the background: red, green and blue, from 0 to 255. Transparent if `None`.
    pub background: Option<[u8; 3]>,
    /// The times in seconds that the camera frames, so that the pictures of an animation have the same camera; only
    /// [`View::seconds`] if empty.
    pub framed: Vec<f32>,
}

impl Default for View<'_> {
    fn default() -> Self {
        Self {
            size: [512, 512],
            clip: None,
            seconds: 0.0,
            yaw: 30.0,
            pitch: 15.0,
            bones: false,
            background: None,
            framed: Vec::new(),
        }
    }
}

/// Pixels in rows from the top left: red, green, blue and alpha from 0 to 255. Colours are sRGB, not multiplied by alpha.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The pixels, `width * height` in number.
    pub pixels: Vec<[u8; 4]>,
}

/// A picture, and how far it is simplified: a scene whose triangles or bones cover the picture some hundreds of times is not
/// drawn in full, so that the time is bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Drawing {
    /// The picture.
    pub picture: Picture,
    /// The number of triangles that are not drawn because an equal one is.
    pub repeated: usize,
    /// The number of triangles of which only a point is drawn.
    pub points: usize,
    /// The number of bones and joints that are not drawn.
    pub left_out: usize,
}

impl Drawing {
    /// Returns whether the picture shows the whole scene.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.repeated == 0 && self.points == 0 && self.left_out == 0
    }
}

/// Returns the memory in bytes of a picture of a size while it is drawn.
#[must_use]
pub fn canvas_memory(size: [u32; 2]) -> u64 {
    let [width, height] = size.map(|side| u64::from(side.clamp(1, MAX_SIZE)));
    width * height * (u64::from(SAMPLES * SAMPLES) * Canvas::SAMPLE + size_of::<[u8; 4]>() as u64)
}

/// Returns the memory in bytes that is needed to draw a scene, without that of its textures and of the
/// [picture](canvas_memory).
#[must_use]
pub fn memory(scene: &Scene, view: &View<'_>) -> u64 {
    let framed = view.framed.len().max(1);
    let of_mesh = |mesh: &Mesh| {
        // Posed for the picture, and for the times that are framed.
        let vertices = mesh.positions.len().saturating_mul(4 * size_of::<glam::Vec3>());
        let points = framed.saturating_mul(2 * 3 * size_of::<glam::Vec3>());
        vertices.saturating_add(mesh.num_triangles().saturating_mul(points.saturating_add(surface::TRIANGLE)))
    };
    let bones = scene.skeleton.bones().len().saturating_mul(framed.saturating_add(8)).saturating_mul(64);
    scene.meshes.iter().map(of_mesh).fold(bones, usize::saturating_add) as u64
}

/// As [`draw`], without what is simplified.
#[must_use]
pub fn render(scene: &Scene, view: &View<'_>, load: impl FnMut(&str) -> Option<Picture>) -> Picture {
    draw(scene, view, load).picture
}

/// Draws a scene. `load` returns the image of a texture by its path in the scene; without an image, the colour of the
/// material is used.
#[must_use]
pub fn draw(scene: &Scene, view: &View<'_>, mut load: impl FnMut(&str) -> Option<Picture>) -> Drawing {
    let [width, height] = view.size.map(|side| side.clamp(1, MAX_SIZE) * SAMPLES);
    let meshes = scene.posed(view.clip, view.seconds);
    let bones = scene.bones_at(view.clip, view.seconds);
    let show_bones = view.bones || scene.meshes.is_empty();
    let camera = Camera::framing(&framed(scene, view, show_bones), view, [width, height]);

    let mut textures = HashMap::new();
    for path in scene.materials.iter().filter_map(Material::color_texture) {
        textures.entry(path).or_insert_with(|| load(path).and_then(Texture::new));
    }
    let mut canvas = Canvas::new(width, height);
    let (repeated, points) = surface::draw(scene, &meshes, &camera, &textures, &mut canvas);
    let left_out = if show_bones { overlay::draw(&scene.skeleton, &bones, &camera, &mut canvas) } else { 0 };
    Drawing { picture: canvas.resolve(SAMPLES, view.background), repeated, points, left_out }
}

/// Returns the points that the camera frames.
fn framed(scene: &Scene, view: &View<'_>, show_bones: bool) -> Vec<glam::Vec3> {
    let now = [view.seconds];
    let times = if view.framed.is_empty() { &now[..] } else { &view.framed };
    let mut points = Vec::new();
    for &seconds in times {
        for (mesh, posed) in scene.meshes.iter().zip(scene.posed(view.clip, seconds)) {
            let used = mesh.primitives.iter().flat_map(|primitive| primitive.triangles.iter().flatten());
            points.extend(used.filter_map(|vertex| posed.positions.get(*vertex as usize)));
        }
        if show_bones {
            points.extend(
                scene.bones_at(view.clip, seconds).iter().map(|bone| glam::Vec3::from(bone.translation)),
            );
        }
    }
    points.retain(|point| point.is_finite());
    points
}
