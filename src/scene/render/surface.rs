//! The triangles of meshes.

use std::collections::HashMap;

use glam::{Vec2, Vec3, Vec4, Vec4Swizzles};

use super::allowance::{Allowance, Shape, hash_of};
use super::camera::{Camera, Projected};
use super::light::lit;
use super::raster::{Canvas, Paint};
use super::texture::Texture;
use crate::scene::{Alpha, Look, Material, Mesh, PosedMesh, Scene};

/// The textures by their path in the scene; `None` for missing ones.
type Textures<'a> = HashMap<&'a str, Option<Texture>>;

/// A triangle that is ready to be drawn.
struct Face<'a> {
    corners: [Projected; 3],
    /// Normals along the axes of the camera, towards the viewer.
    normals: [Vec3; 3],
    uvs: [Vec2; 3],
    colors: [Vec4; 3],
    surface: Surface<'a>,
}

/// The memory of a triangle: one that waits to be blended, in a list that doubles, and its entry among those that were drawn.
pub(super) const TRIANGLE: usize = 2 * size_of::<Face<'static>>() + 32;

/// What the material and the mesh of a triangle contribute.
#[derive(Clone, Copy)]
struct Surface<'a> {
    look: Look,
    texture: Option<&'a Texture>,
    paint: Paint,
    has_colors: bool,
}

/// Draws opaque triangles first, then transparent ones from back to front. Returns the numbers of triangles that are left out
/// because an equal one is drawn, and that are drawn as points.
pub(super) fn draw(
    scene: &Scene,
    meshes: &[PosedMesh],
    camera: &Camera,
    textures: &Textures<'_>,
    canvas: &mut Canvas,
) -> (usize, usize) {
    let primitives =
        || {
            scene.meshes.iter().zip(meshes).flat_map(|(mesh, posed)| {
                mesh.primitives.iter().map(move |primitive| (mesh, posed, primitive))
            })
        };
    let shapes = primitives().flat_map(|(_, posed, primitive)| {
        let corners = primitive.triangles.iter().filter_map(|triangle| corners(posed, *triangle, camera));
        corners.map(|corners| shape(&corners, primitive.material, canvas))
    });
    let mut allowance = Allowance::for_shapes(canvas, shapes);
    let mut blended = Vec::new();
    for (mesh, posed, primitive) in primitives() {
        let material = primitive.material.and_then(|index| scene.materials.get(index));
        let surface = surface(mesh, material, textures);
        for triangle in &primitive.triangles {
            let Some(corners) = corners(posed, *triangle, camera) else { continue };
            let repeated = allowance.repeated;
            let is_whole = allowance.permits(|| shape(&corners, primitive.material, canvas));
            if allowance.repeated > repeated {
                continue;
            }
            let Some(face) = face(mesh, posed, *triangle, camera, surface) else { continue };
            match surface.paint {
                _ if !is_whole => face.dot(canvas),
                Paint::Solid { .. } => face.draw(canvas),
                Paint::Blended | Paint::Added | Paint::Multiplied => blended.push(face),
            }
        }
    }
    let near = |face: &Face<'_>| face.corners.iter().map(|corner| corner.near).sum::<f32>();
    blended.sort_by(|a, b| near(a).total_cmp(&near(b)));
    for face in blended {
        face.draw(canvas);
    }
    (allowance.repeated, allowance.reduced)
}

/// Returns the corners of a triangle on the canvas; none if it cannot be drawn.
fn corners(posed: &PosedMesh, triangle: [u32; 3], camera: &Camera) -> Option<[Projected; 3]> {
    let corner = |vertex: u32| camera.project(*posed.positions.get(vertex as usize)?);
    let [a, b, c] = triangle;
    Some([corner(a)?, corner(b)?, corner(c)?])
}

fn shape(corners: &[Projected; 3], material: Option<usize>, canvas: &Canvas) -> Shape {
    let bits = corners.each_ref().map(|own| [own.x, own.y, own.near].map(f32::to_bits));
    Shape { cost: canvas.triangle_cost(corners), hash: hash_of((bits, material)) }
}

fn surface<'a>(mesh: &Mesh, material: Option<&Material>, textures: &'a Textures<'_>) -> Surface<'a> {
    let texture = material.and_then(|own| textures.get(own.color_texture()?)?.as_ref());
    let paint = match material.map_or(Alpha::Opaque, |own| own.alpha) {
        Alpha::Opaque => Paint::Solid { threshold: 0 },
        Alpha::Mask => Paint::Solid { threshold: 50 },
        Alpha::Blend => Paint::Blended,
        Alpha::Additive => Paint::Added,
        Alpha::Modulate => Paint::Multiplied,
    };
    let has_image = texture.is_some();
    Surface { look: Look::of(material, has_image), texture, paint, has_colors: mesh.shows_colors(has_image) }
}

fn face<'a>(
    mesh: &Mesh,
    posed: &PosedMesh,
    triangle: [u32; 3],
    camera: &Camera,
    surface: Surface<'a>,
) -> Option<Face<'a>> {
    let corners = corners(posed, triangle, camera)?;
    let positions = triangle.map(|vertex| posed.positions[vertex as usize]);
    let [a, b, c] = positions;
    let flat = camera.direction((b - a).cross(c - a).normalize_or(Vec3::Z));
    let normals = std::array::from_fn(|corner| {
        let own = posed.normals.get(triangle[corner] as usize);
        let normal = own.map_or(flat, |normal| camera.direction(*normal).normalize_or(flat));
        // Both sides are visible; the one that faces the viewer is lit.
        if normal.dot(flat) * flat.dot(camera.towards(positions[corner])) < 0.0 { -normal } else { normal }
    });
    let uvs = mesh.uvs.first();
    let uv = |vertex: u32| uvs.and_then(|uvs| uvs.get(vertex as usize)).copied().unwrap_or_default();
    let colors = if surface.has_colors { &mesh.colors[..] } else { &[] };
    let color = |vertex: u32| colors.get(vertex as usize).copied().map_or(Vec4::ONE, Vec4::from_array);
    Some(Face { corners, normals, uvs: triangle.map(uv), colors: triangle.map(color), surface })
}

impl Face<'_> {
    fn draw(&self, canvas: &mut Canvas) {
        let level = self.level();
        canvas.triangle(self.corners, self.surface.paint, |shares| self.shade(shares, level));
    }

    /// Draws one sample at a corner.
    fn dot(&self, canvas: &mut Canvas) {
        let level = self.level();
        canvas.dot(self.corners[0], self.surface.paint, || self.shade(Vec3::X, level));
    }

    /// Returns the level of detail of the texture: half the binary logarithm of its pixels per sample.
    fn level(&self) -> f32 {
        let Some(texture) = self.surface.texture else { return 0.0 };
        let on = |[a, b, c]: [Vec2; 3]| (b - a).perp_dot(c - a).abs();
        let samples = on(self.corners.map(|corner| Vec2::new(corner.x, corner.y)));
        let texels = on(self.uvs) * texture.area();
        if samples > 0.0 && texels > 0.0 { (texels / samples).log2() / 2.0 } else { 0.0 }
    }

    /// Returns the linear colour at shares of the corners.
    fn shade(&self, shares: Vec3, level: f32) -> Vec4 {
        let [a, b, c] = self.colors;
        let Look { color, emissive, is_lit, .. } = self.surface.look;
        let color = Vec4::from_array(color) * (a * shares.x + b * shares.y + c * shares.z);
        let texel = self.surface.texture.map_or(Vec4::ONE, |texture| {
            let [a, b, c] = self.uvs;
            texture.sample(a * shares.x + b * shares.y + c * shares.z, level)
        });
        if !is_lit {
            return color * texel;
        }
        let [a, b, c] = self.normals;
        let normal = (a * shares.x + b * shares.y + c * shares.z).normalize_or(a);
        let light = (color.xyz() * lit(normal) + Vec3::from_array(emissive)).min(Vec3::ONE);
        light.extend(color.w) * texel
    }
}
