//! Materials, textures and images.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use glam::{Affine2, Vec2};
use gltf_json::extensions::material::PbrSpecularGlossiness;
use gltf_json::extensions::texture::TextureTransform;
use gltf_json::material::{AlphaMode, PbrMetallicRoughness};
use gltf_json::texture::{self, MagFilter, WrappingMode};
use gltf_json::validation::Checked::Valid;
use gltf_json::{self as json, Index};
use serde_json::Value;

use super::super::{AMBIENT, BLENDING, Image, ImageFormat, ROLES, SHININESS, SPECULAR, TEXTURES};
use super::bytes::{content, data_of, unescape};
use super::{IMAGES, KNOWN, Reader, extra, field, missing, texts, values};
use crate::Result;
use crate::scene::{Alpha, Lost, Material, SafeNames, Texture, TextureRole, color};

impl Reader<'_, '_> {
    /// Adds the materials; returns the embedded images.
    pub fn materials(&mut self) -> Result<Vec<Image>> {
        let unparsed = self.unparsed()?;
        let users = self.users(&unparsed.images)?;
        let mut images = Vec::new();
        let mut names = SafeNames::default();
        let mut paths = Vec::with_capacity(self.root.images.len());
        for (index, image) in self.root.images.iter().enumerate() {
            let embedded = match self.content(image)? {
                Some((format, bytes)) => {
                    let name = image.name.as_deref().filter(|name| !name.is_empty()).map(Cow::Borrowed);
                    let name =
                        name.or_else(|| users.get(&index).cloned()).unwrap_or(Cow::Borrowed(self.stem));
                    let path = names.add(format.stem(&name), format.extension()).to_string();
                    Some(Image { path, mime: format.mime().to_owned(), bytes })
                }
                None => None,
            };
            let uri = image.uri.as_ref().filter(|uri| data_of(uri).is_none());
            let uri = uri.map(|uri| String::from_utf8_lossy(&unescape(uri)).into_owned());
            paths.push(embedded.as_ref().map(|image| image.path.clone()).or(uri));
            images.extend(embedded);
        }
        let (mut refused, mut unread, mut factors, mut cutoffs, mut surfaces, mut dark) = (0, 0, 0, 0, 0, 0);
        let Unparsed { transforms, images: sources } = unparsed;
        let embedded: HashSet<&str> = images.iter().map(|own: &Image| &*own.path).collect();
        for (index, own) in self.root.materials.iter().enumerate() {
            let gloss = own.extensions.as_ref().and_then(|own| own.pbr_specular_glossiness.as_ref());
            let mut textures = stated(own);
            let mapping = self.mapping(Some(index));
            for found in placed(own, gloss, transforms.get(index).unwrap_or(&[None, None])) {
                if found.mapping != mapping {
                    refused += 1;
                    continue;
                }
                let Some(path) = self.path(index, found.index, (&paths, &sources))? else {
                    unread += 1;
                    continue;
                };
                factors += usize::from(!found.is_whole);
                match textures.iter_mut().find(|texture| texture.role == found.role) {
                    // The image is that of the stated texture, perhaps in another format.
                    Some(known) if embedded.contains(&*path) => known.path = path,
                    Some(_) => {}
                    None => textures.push(Texture::new(path, found.role)),
                }
            }
            textures.sort_by_key(|texture| texture.role != TextureRole::Color);
            let material = material(own, gloss, textures);
            let cutoff = own.alpha_cutoff.map_or(CUTOFF, |own| own.0);
            surfaces +=
                usize::from(gloss.is_none() && !material.unlit && !is_rough(&own.pbr_metallic_roughness));
            dark += usize::from(own.emissive_texture.is_some() && !emits(own));
            cutoffs += usize::from(material.alpha == Alpha::Mask && (cutoff - CUTOFF).abs() > f32::EPSILON);
            self.builder.add_material(material);
        }
        self.builder.report_losses(refused, Lost::OtherTextures);
        self.builder.report_losses(factors, Lost::TextureFactors);
        self.builder.report_losses(cutoffs, Lost::TextureCutoffs);
        self.builder.report_losses(surfaces, Lost::SurfaceFactors);
        self.builder.report_losses(dark, Lost::UnlitTextures);
        let sampled =
            self.root.textures.iter().filter_map(|own| self.root.samplers.get(own.sampler?.value()));
        self.builder.report_losses(sampled.filter(|own| !is_usual(own)).count(), Lost::TextureSampling);
        let is_format = |name: &&String| name.contains("_texture_") && !KNOWN.contains(&name.as_str());
        let formats: Vec<_> = self.root.extensions_used.iter().filter(is_format).cloned().collect();
        let loss = match formats.join(", ") {
            formats if formats.is_empty() => Lost::ImageFormats.into(),
            formats => Lost::ImageExtensions.with(formats),
        };
        self.builder.report_losses(unread, loss);
        Ok(images)
    }

    /// Returns what the parsed types lack.
    fn unparsed(&self) -> Result<Unparsed> {
        let uses = |names: &[&str]| self.root.extensions_used.iter().any(|own| names.contains(&own.as_str()));
        if !uses(&[TRANSFORM]) && !uses(&IMAGES) {
            return Ok(Unparsed::default());
        }
        self.data.charge(values(self.text))?;
        let document: Value = serde_json::from_slice(self.text).unwrap_or_default();
        let all = |list: &str| document.get(list).and_then(Value::as_array).into_iter().flatten();
        let of = |material: &Value, texture: &str| {
            let own = material.pointer(&format!("/{texture}/extensions/{TRANSFORM}"))?;
            serde_json::from_value(own.clone()).ok()
        };
        let image = |texture: &Value| {
            let of = |name| texture.pointer(&format!("/extensions/{name}/source"))?.as_u64()?.try_into().ok();
            IMAGES.into_iter().find_map(of)
        };
        Ok(Unparsed {
            transforms: all("materials")
                .map(|own| [of(own, "normalTexture"), of(own, "occlusionTexture")])
                .collect(),
            images: all("textures").map(image).collect(),
        })
    }

    /// Returns names for images by the first material with a name that uses each, and by their roles.
    fn users(&self, sources: &[Option<usize>]) -> Result<HashMap<usize, Cow<'_, str>>> {
        let mut users = HashMap::new();
        for own in &self.root.materials {
            let Some(name) = own.name.as_deref().filter(|name| !name.is_empty()) else { continue };
            let gloss = own.extensions.as_ref().and_then(|own| own.pbr_specular_glossiness.as_ref());
            for Placed { role, index, .. } in placed(own, gloss, &[None, None]) {
                let usual = self.root.textures.get(index.value()).map(|own| own.source.value());
                let other = sources.get(index.value()).copied().flatten();
                for image in usual.into_iter().chain(other) {
                    self.data.charge(name.len() as u64)?;
                    users.entry(image).or_insert_with(|| match role {
                        TextureRole::Color => Cow::Borrowed(name),
                        role => Cow::Owned(format!("{name}_{}", role.name())),
                    });
                }
            }
        }
        Ok(users)
    }

    /// Returns the set of texture coordinates of the base colour, and how they are transformed.
    pub fn mapping(&self, material: Option<usize>) -> Mapping {
        let own = material.and_then(|index| self.root.materials.get(index));
        let texture = own.and_then(|own| {
            base_texture(own, own.extensions.as_ref().and_then(|own| own.pbr_specular_glossiness.as_ref()))
        });
        texture.map_or(PLAIN, mapping_of)
    }

    /// Returns the contents of an image that is part of the file; none if they are not an image.
    fn content(&self, image: &json::Image) -> Result<Option<(ImageFormat, Vec<u8>)>> {
        if let Some(uri) = &image.uri {
            let Some(data) = data_of(uri) else { return Ok(None) };
            self.data.charge(data.len() as u64)?;
            return Ok(content(data).and_then(|bytes| Some((ImageFormat::detect(&bytes)?, bytes))));
        }
        let Some(view) = image.buffer_view else { return Ok(None) };
        let bytes = self.data.view(view)?;
        let Some(format) = ImageFormat::detect(bytes) else { return Ok(None) };
        self.data.charge(bytes.len() as u64)?;
        Ok(Some((format, bytes.to_vec())))
    }

    /// Returns the path of the image of a texture; none if it is in a format of an extension, or not an image.
    fn path(
        &self,
        material: usize,
        index: Index<texture::Texture>,
        (paths, images): (&[Option<String>], &[Option<usize>]),
    ) -> Result<Option<String>> {
        let texture = self.root.textures.get(index.value());
        let error = || missing(field("materials", Some(material), ""), "texture", index.value());
        let own = texture.ok_or_else(error)?.source.value();
        let other = images.get(index.value()).copied().flatten();
        let path = |source: usize| paths.get(source)?.as_ref().filter(|path| !path.is_empty());
        let path = path(own).or_else(|| path(other?));
        self.data.charge(path.map_or(0, String::len) as u64)?;
        Ok(path.cloned())
    }
}

/// What the types of parsed documents lack.
#[derive(Default)]
struct Unparsed {
    /// The transforms of the normal and the occlusion texture of each material.
    transforms: Vec<[Option<TextureTransform>; 2]>,
    /// The image of each texture that an extension states.
    images: Vec<Option<usize>>,
}

/// The extension that moves, turns and scales texture coordinates.
const TRANSFORM: &str = "KHR_texture_transform";

/// The opacity below which points of a mask are invisible.
const CUTOFF: f32 = 0.5;

/// Whether textures repeat, and are filtered when they are magnified.
fn is_usual(own: &texture::Sampler) -> bool {
    let repeats = [own.wrap_s, own.wrap_t].iter().all(|own| *own == Valid(WrappingMode::Repeat));
    repeats && own.mag_filter != Some(Valid(MagFilter::Nearest))
}

/// A set of texture coordinates, and how they are transformed.
type Mapping = (usize, Affine2);

/// The mapping of materials without a texture of the base colour.
const PLAIN: Mapping = (0, Affine2::IDENTITY);

fn mapping_of(texture: &texture::Info) -> Mapping {
    let transform = texture.extensions.as_ref().and_then(|own| own.texture_transform.as_ref());
    mapping(texture.tex_coord, transform)
}

fn mapping(set: u32, transform: Option<&TextureTransform>) -> Mapping {
    let set = transform.and_then(|own| own.tex_coord).unwrap_or(set) as usize;
    // Rotations are counterclockwise in the image, whose v axis points down.
    let matrix = |own: &TextureTransform| {
        Affine2::from_scale_angle_translation(Vec2::ONE, -own.rotation.0, own.offset.0.into())
            * Affine2::from_scale(own.scale.0.into())
    };
    (set, transform.map_or(Affine2::IDENTITY, matrix))
}

/// Returns the textures that the extras of a material state.
fn stated(own: &json::Material) -> Vec<Texture> {
    let roles = texts(&own.extras, ROLES).unwrap_or_default();
    let mut textures = Texture::list(texts(&own.extras, TEXTURES).unwrap_or_default());
    for (texture, role) in textures.iter_mut().zip(roles) {
        texture.role = role.parse().unwrap_or(texture.role);
    }
    textures
}

/// A texture in a place of glTF.
struct Placed {
    role: TextureRole,
    index: Index<texture::Texture>,
    mapping: Mapping,
    /// Whether nothing is multiplied with it.
    is_whole: bool,
}

fn are_one(factors: &[f32]) -> bool {
    factors.iter().all(|factor| (factor - 1.0).abs() < f32::EPSILON)
}

/// Returns the textures of a material, each in its role.
fn placed(
    own: &json::Material,
    gloss: Option<&PbrSpecularGlossiness>,
    transforms: &[Option<TextureTransform>; 2],
) -> Vec<Placed> {
    let [of_normal, of_occlusion] = transforms.each_ref().map(Option::as_ref);
    let of = |role, is_whole| {
        move |info: &texture::Info| Placed { role, index: info.index, mapping: mapping_of(info), is_whole }
    };
    let surface = &own.pbr_metallic_roughness;
    let is_metallic = are_one(&[surface.metallic_factor.0, surface.roughness_factor.0]);
    let emission = own.emissive_texture.as_ref().filter(|_| emits(own) && emits_by_texture(own, gloss));
    let normal = own.normal_texture.as_ref().map(|texture| Placed {
        role: TextureRole::Normal,
        index: texture.index,
        mapping: mapping(texture.tex_coord, of_normal),
        is_whole: are_one(&[texture.scale]),
    });
    let occlusion = own.occlusion_texture.as_ref().map(|texture| Placed {
        role: TextureRole::Occlusion,
        index: texture.index,
        mapping: mapping(texture.tex_coord, of_occlusion),
        is_whole: are_one(&[texture.strength.0]),
    });
    let specular = gloss.and_then(|own| own.specular_glossiness_texture.as_ref());
    let metallic = surface.metallic_roughness_texture.as_ref();
    let found = [
        base_texture(own, gloss).map(of(TextureRole::Color, true)),
        normal,
        emission.map(of(TextureRole::Emission, are_one(&own.emissive_factor.0))),
        occlusion,
        metallic.map(of(TextureRole::MetallicRoughness, is_metallic)),
        specular.map(of(TextureRole::Specular, true)),
    ];
    found.into_iter().flatten().collect()
}

/// Whether a surface without a texture of its metalness is rough and not metal, as those of scenes are.
fn is_rough(surface: &PbrMetallicRoughness) -> bool {
    surface.metallic_roughness_texture.is_some()
        || surface.metallic_factor.0 < f32::EPSILON && are_one(&[surface.roughness_factor.0])
}

/// Whether a material emits light.
fn emits(own: &json::Material) -> bool {
    own.emissive_factor.0.iter().any(|factor| *factor > 0.0)
}

/// Returns the texture of the base colour.
fn base_texture<'m>(
    own: &'m json::Material,
    gloss: Option<&'m PbrSpecularGlossiness>,
) -> Option<&'m texture::Info> {
    let base = own.pbr_metallic_roughness.base_color_texture.as_ref();
    base.or_else(|| gloss.and_then(|gloss| gloss.diffuse_texture.as_ref()))
}

/// Whether the emitted light has a texture that is not that of the base colour.
fn emits_by_texture(own: &json::Material, gloss: Option<&PbrSpecularGlossiness>) -> bool {
    let base = base_texture(own, gloss).map(|own| own.index);
    own.emissive_texture.as_ref().is_some_and(|own| Some(own.index) != base)
}

fn material(own: &json::Material, gloss: Option<&PbrSpecularGlossiness>, textures: Vec<Texture>) -> Material {
    let base = own.pbr_metallic_roughness.base_color_factor.0;
    let (mut color, _) = color(gloss.map_or(base, |gloss| gloss.diffuse_factor.0));
    let alpha = match own.alpha_mode {
        Valid(AlphaMode::Mask) => Alpha::Mask,
        Valid(AlphaMode::Blend) => {
            let stated = extra(&own.extras, BLENDING);
            let stated = stated.as_ref().and_then(Value::as_str).and_then(|own| own.parse().ok());
            stated.unwrap_or(Alpha::Blend)
        }
        _ => Alpha::Opaque,
    };
    if alpha == Alpha::Opaque {
        // The mode ignores opacity.
        color[3] = 1.0;
    }
    // Without its texture the colour would be emitted everywhere.
    let emitted = if emits_by_texture(own, gloss) { [0.0; 3] } else { own.emissive_factor.0 };
    let [red, green, blue] = emitted;
    let ([red, green, blue, _], _) = super::super::super::color([red, green, blue, 1.0]);
    let number = |value: &Value| Some(single(value.as_f64()?)).filter(|own| own.is_finite());
    let color3 = |key: &str| -> [f32; 3] {
        let value = extra(&own.extras, key);
        let numbers = value.iter().filter_map(Value::as_array).flatten().filter_map(number);
        numbers.collect::<Vec<_>>().try_into().unwrap_or_default()
    };
    let shininess = extra(&own.extras, SHININESS).as_ref().and_then(number).unwrap_or_default();
    Material {
        name: own.name.clone().unwrap_or_default(),
        color,
        emissive: [red, green, blue],
        ambient: color3(AMBIENT),
        specular: color3(SPECULAR),
        shininess,
        textures,
        alpha,
        double_sided: own.double_sided,
        unlit: own.extensions.as_ref().is_some_and(|own| own.unlit.is_some()),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the number was a float of 32 bits, or its nearest one is meant"
)]
const fn single(number: f64) -> f32 {
    number as f32
}
