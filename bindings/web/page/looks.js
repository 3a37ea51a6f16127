// How surfaces look: by their material, or so that they show one property.
import {
  DataTexture, DoubleSide, FrontSide, LinearFilter, MeshBasicMaterial, MeshLambertMaterial, MeshNormalMaterial, NearestFilter, RepeatWrapping,
  SRGBColorSpace, Float32BufferAttribute,
} from "three";

/** The colour of surfaces without a material, and of those whose image is missing, as in the pictures of `preview`. */
const PLAIN = 0xbcbcc0;

/** The looks that can be chosen. */
export const LOOKS = { lit: "Material", clay: "Clay", normals: "Normals", uv: "Texture coordinates", colors: "Vertex colours", weights: "Weights of the bone" };

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

export class Looks {
  /** The meshes: each with the index of its material and its own look. */
  #meshes = new Map();
  #shared = new Map();
  hasBlackColors = false;

  clear() {
    for (const { material } of this.#meshes.values()) {
      material.map?.dispose();
      material.dispose();
    }
    for (const material of this.#shared.values()) {
      material.map?.dispose();
      material.dispose();
    }
    this.#meshes.clear();
    this.#shared.clear();
    this.hasBlackColors = false;
  }

  /** Adds a mesh. Its material is matt: the shine of old formats has no equivalent in glTF. */
  add(object, index, summary) {
    const read = object.material;
    const own = summary.materials[index];
    const options = { color: read.color, transparent: read.transparent, opacity: read.opacity, alphaTest: read.alphaTest, vertexColors: read.vertexColors };
    const isMissing = Boolean(own?.textures.length);
    // Without light, only a texture shows the shape.
    const unlit = read.isMeshBasicMaterial && (() => new MeshBasicMaterial({ ...options, toneMapped: false }));
    const material = matt(options);
    if (read.emissive && own) material.emissive.copy(read.emissive);
    if (!own) material.color.set(PLAIN);
    material.depthWrite = !read.transparent;
    this.#meshes.set(object, { index, material, unlit, own: object.geometry.attributes.color, color: material.color.clone(), emissive: material.emissive.clone() });
    if (isMissing) this.#setMissing(this.#meshes.get(object));
    read.dispose();
    object.material = material;
    const { color } = object.geometry.attributes;
    if (color) {
      let most = 0;
      for (let at = 0; at < color.count; at++) most = Math.max(most, color.getX(at), color.getY(at), color.getZ(at));
      this.hasBlackColors ||= most < 0.02;
    }
  }

  /** The colours of a material whose texture is missing are often white, which hides the shape, or black. */
  #setMissing({ material }) {
    material.color.set(PLAIN);
    material.emissive.set(0);
  }

  /** Sets the image of a material. Emission is multiplied with it, too. */
  texture(index, texture) {
    for (const mesh of this.#meshes.values()) {
      if (mesh.index !== index) continue;
      if (mesh.unlit) {
        mesh.material.dispose();
        mesh.material = mesh.unlit();
      }
      const { material, color, emissive } = mesh;
      texture.colorSpace = SRGBColorSpace;
      material.map = texture;
      material.color.copy(color);
      if (!mesh.unlit) {
        material.emissive.copy(emissive);
        material.emissiveMap = texture;
      }
      material.needsUpdate = true;
    }
  }

  /** Shows all meshes in a look. */
  apply({ look, wireframe, colors, cull, bone }) {
    for (const [object, { material, own }] of this.#meshes) {
      const hasColors = Boolean(own);
      // The weights are shown as colours of vertices.
      if (own) object.geometry.setAttribute("color", own);
      else object.geometry.deleteAttribute("color");
      object.material = look === "lit" ? material : this.#of(look, object, bone);
      if (look === "lit" && material.vertexColors !== (hasColors && colors)) {
        material.vertexColors = hasColors && colors;
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
    return this.#cached("clay", () => matt({ color: PLAIN }));
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
