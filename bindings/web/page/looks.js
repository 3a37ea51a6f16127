// How surfaces look: by their material, or so that they show one property.
import {
  AdditiveBlending, DataTexture, DoubleSide, FrontSide, LinearFilter, MeshBasicMaterial, MeshLambertMaterial, MeshNormalMaterial, MultiplyBlending,
  NearestFilter, RepeatWrapping, SRGBColorSpace, Float32BufferAttribute,
} from "three";

/** The colour of clay. */
const CLAY = 0xbcbcc0;

/** The looks that can be chosen. */
export const LOOKS = { lit: "Material", clay: "Clay", normals: "Normals", uv: "Texture coordinates", colors: "Vertex colours", weights: "Bone weights" };

/** Returns a matt material. The side that faces the viewer is lit, wherever the normals of the file point, as in the pictures of `preview`. */
function matt(options) {
  const material = new MeshLambertMaterial(options);
  material.onBeforeCompile = (shader) => {
    const facing = "#include <normal_fragment_begin>\nif (dot(normal, cross(dFdx(vViewPosition), dFdy(vViewPosition))) < 0.0) normal = -normal;";
    shader.fragmentShader = shader.fragmentShader.replace("#include <normal_fragment_begin>", facing);
  };
  return material;
}

/** A texture of squares of two greys, eight to each side. */
function checker() {
  const side = 16;
  const data = new Uint8Array(side * side * 4);
  for (let at = 0; at < side * side; at++) {
    const [x, y] = [at % side, Math.floor(at / side)];
    const light = (x + y) % 2 ? 205 : 90;
    data.set([light, light - x * 3, light - y * 3, 255], at * 4);
  }
  const texture = new DataTexture(data, side, side);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.magFilter = NearestFilter;
  texture.minFilter = LinearFilter;
  texture.colorSpace = SRGBColorSpace;
  texture.needsUpdate = true;
  return texture;
}

/** Ways of blending that glTF lacks. */
const BLENDING = { additive: { blending: AdditiveBlending }, modulate: { blending: MultiplyBlending, premultipliedAlpha: true } };

/** What materials that are read from glTF have for each way of blending. */
const FLAGS = { opaque: {}, mask: { alphaTest: 0.5 }, blend: { transparent: true }, additive: { transparent: true }, modulate: { transparent: true } };

/** Returns the material of a surface: a look that the library decides, and an image. Its shine has no equivalent in glTF. */
function surface({ color: [red, green, blue, opacity], emissive, lit }, { transparent = false, alphaTest = 0 }, map, alpha) {
  const options = { transparent, alphaTest, opacity, map, depthWrite: !transparent, ...BLENDING[alpha] };
  const material = lit ? matt(options) : new MeshBasicMaterial({ ...options, toneMapped: false });
  material.color.setRGB(red, green, blue);
  if (lit) {
    material.emissive.setRGB(...emissive);
    // Emission is multiplied with the image, too.
    material.emissiveMap = map;
  }
  return material;
}

export class Looks {
  /** The meshes: each with the index of its material, its looks without and with an image, and its own material. */
  #meshes = new Map();
  #shared = new Map();
  /** The materials of the model before; they keep the compiled shaders, which the next model often needs. */
  #before = [];

  clear() {
    const materials = [...[...this.#meshes.values()].map(({ material }) => material), ...this.#shared.values()];
    if (!materials.length) return;
    for (const material of materials) material.map?.dispose();
    for (const material of this.#before) material.dispose();
    this.#before = materials;
    this.#meshes.clear();
    this.#shared.clear();
  }

  /** Adds a mesh of a scene, with the index of its material. */
  add(object, index, mesh, summary) {
    const read = object.material;
    const looks = summary.materials[index]?.looks ?? [summary.plain, summary.plain];
    const { color, _color_0: hidden } = object.geometry.attributes;
    const alpha = summary.materials[index]?.alpha;
    const material = surface(looks[0], read, null, alpha);
    this.#meshes.set(object, { index, looks, read, alpha, material, own: color ?? hidden, showsColors: mesh?.shows_colors ?? [false, false] });
    read.dispose();
    object.material = material;
  }

  /** Sets the image of a material, and how it is blended if that is not stated in its file. */
  texture(index, texture, alpha) {
    for (const mesh of this.#meshes.values()) {
      if (mesh.index !== index) continue;
      mesh.material.dispose();
      texture.colorSpace = SRGBColorSpace;
      mesh.material = surface(mesh.looks[1], alpha ? FLAGS[alpha] : mesh.read, texture, alpha ?? mesh.alpha);
    }
  }

  /** Whether colours of vertices are those of a surface. */
  get showsColors() {
    return [...this.#meshes.values()].some(({ showsColors, material }) => showsColors[material.map ? 1 : 0]);
  }

  /** Returns whether a mesh has the attribute that a look shows. */
  has(look) {
    return [...this.#meshes].some(([{ geometry }, { own }]) => (look === "colors" ? own : geometry.attributes[look]));
  }

  /** Shows all meshes in a look. */
  apply({ look, wireframe, colors, cull, bone }) {
    for (const [object, { material, own, showsColors }] of this.#meshes) {
      // Without a choice, colours are shown that are those of the surface.
      const hasColors = Boolean(own) && (colors ?? showsColors[material.map ? 1 : 0]);
      // The weights are shown as colours of vertices.
      if (own) object.geometry.setAttribute("color", own);
      else object.geometry.deleteAttribute("color");
      object.material = look === "lit" ? material : this.#of(look, object, bone);
      if (look === "lit" && material.vertexColors !== hasColors) {
        material.vertexColors = hasColors;
        material.needsUpdate = true;
      }
      const side = cull ? FrontSide : DoubleSide;
      if (object.material.side !== side) {
        object.material.side = side;
        object.material.needsUpdate = true;
      }
      object.material.wireframe = wireframe;
    }
  }

  #of(look, object, bone) {
    const { geometry } = object;
    if (look === "weights") {
      geometry.setAttribute("color", weights(object, bone));
      return this.#cached("weights", () => matt({ vertexColors: true }));
    }
    if (look === "uv" && geometry.attributes.uv) return this.#cached("uv", () => matt({ map: checker() }));
    if (look === "colors" && geometry.attributes.color) return this.#cached("colors", () => new MeshBasicMaterial({ vertexColors: true, toneMapped: false }));
    if (look === "normals") return this.#cached("normals", () => new MeshNormalMaterial());
    return this.#cached("clay", () => matt({ color: CLAY }));
  }

  #cached(name, create) {
    if (!this.#shared.has(name)) this.#shared.set(name, create());
    return this.#shared.get(name);
  }
}

/** Colours from blue through green to red for weights from 0 to 1. */
function weights({ geometry, skeleton }, bone) {
  const { position, skinIndex, skinWeight } = geometry.attributes;
  const colors = new Float32Array(position.count * 3);
  const joint = skeleton?.bones.findIndex((own) => own.userData.bone === bone) ?? -1;
  for (let vertex = 0; vertex < position.count; vertex++) {
    let share = 0;
    for (let slot = 0; skinIndex && slot < 4; slot++) if (skinIndex.getComponent(vertex, slot) === joint) share += skinWeight.getComponent(vertex, slot);
    colors.set([Math.min(1, 2 * share), 1 - Math.abs(2 * share - 1), Math.max(0, 1 - 2 * share)].map((value) => 0.15 + 0.8 * value), vertex * 3);
  }
  return new Float32BufferAttribute(colors, 3);
}
