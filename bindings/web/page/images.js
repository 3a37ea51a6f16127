// Decodes the images of textures.
import { CanvasTexture, CompressedTexture, DataTexture, LinearFilter, RepeatWrapping } from "three";
import { DDSLoader } from "three/addons/loaders/DDSLoader.js";
import { TGALoader } from "three/addons/loaders/TGALoader.js";

const EXTENSIONS = ["png", "jpg", "jpeg", "bmp", "webp", "gif", "tga", "dds", "pcx"];

const extension = (name) => name.slice(name.lastIndexOf(".") + 1).toLowerCase();

/** Returns whether a file is an image by its name. */
export const isImage = (name) => EXTENSIONS.includes(extension(name));

/** Returns the name of a texture or image for comparison: without folders, extension and case. */
export function key(path) {
  const name = path.split(/[\\/]/).pop().toLowerCase();
  const dot = name.lastIndexOf(".");
  return dot > 0 && EXTENSIONS.includes(name.slice(dot + 1)) ? name.slice(0, dot) : name;
}

/** Decodes an image into a texture. Coordinates start at the top left. */
export async function decode(name, bytes) {
  const texture = await read(extension(name), bytes);
  texture.flipY = false;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.needsUpdate = true;
  return texture;
}

/** Returns an image as PNG or JPEG; null if it cannot be converted. */
export async function encode(name, bytes, texture) {
  if (["png", "jpg", "jpeg"].includes(extension(name))) return bytes;
  const { image, isCompressedTexture } = texture;
  if (isCompressedTexture) return null;
  const canvas = image.data ? Object.assign(document.createElement("canvas"), { width: image.width, height: image.height }) : image;
  if (image.data) canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(image.data), image.width), 0, 0);
  const blob = await new Promise((resolve) => { canvas.toBlob(resolve); });
  return new Uint8Array(await blob.arrayBuffer());
}

async function read(type, bytes) {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  if (type === "tga") {
    const { data, width, height } = new TGALoader().parse(buffer);
    return smooth(new DataTexture(new Uint8Array(data), width, height));
  }
  if (type === "pcx") {
    const { data, width, height } = pcx(bytes);
    return smooth(new DataTexture(data, width, height));
  }
  if (type === "dds") {
    const { mipmaps, width, height, format } = new DDSLoader().parse(buffer, true);
    const texture = new CompressedTexture(mipmaps, width, height, format);
    texture.minFilter = texture.magFilter = LinearFilter;
    return texture;
  }
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const canvas = Object.assign(document.createElement("canvas"), { width: bitmap.width, height: bitmap.height });
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  return new CanvasTexture(canvas);
}

function smooth(texture) {
  texture.minFilter = texture.magFilter = LinearFilter;
  return texture;
}

/** Decodes PCX: runs of 8-bit palette indices, or three planes of red, green and blue. */
function pcx(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [bits, planes, stride] = [bytes[3], bytes[65], view.getUint16(66, true)];
  const width = view.getUint16(8, true) - view.getUint16(4, true) + 1;
  const height = view.getUint16(10, true) - view.getUint16(6, true) + 1;
  if (bytes[0] !== 10 || bits !== 8 || ![1, 3].includes(planes) || width < 1 || height < 1) throw new Error("not a PCX image of 8 bits per channel");
  const row = stride * planes;
  const plain = new Uint8Array(row * height);
  let from = 128;
  for (let to = 0; to < plain.length && from < bytes.length;) {
    const run = bytes[from] >= 0xc0 && bytes[2] ? bytes[from++] & 0x3f : 1;
    plain.fill(bytes[from++], to, to + run);
    to += run;
  }
  const palette = bytes.subarray(bytes.length - 768);
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * row + x;
      const color = planes === 3 ? [plain[at], plain[at + stride], plain[at + 2 * stride]] : palette.subarray(plain[at] * 3, plain[at] * 3 + 3);
      data.set([...color, 255], (y * width + x) * 4);
    }
  }
  return { data, width, height };
}
