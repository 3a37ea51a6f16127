// Decodes the images of textures, within the limits of the command.
import {
  CompressedTexture, DataTexture, LinearFilter, RepeatWrapping, RGB_S3TC_DXT1_Format, RGBA_S3TC_DXT3_Format, RGBA_S3TC_DXT5_Format, Texture,
} from "three";
import { size } from "./dom.js";
import { crc32 } from "./zip.js";

/** The extensions of images; sphere maps are BMP images. */
const EXTENSIONS = ["png", "jpg", "jpeg", "bmp", "webp", "gif", "tga", "dds", "pcx", "tif", "tiff", "spa", "sph"];

/** The limits of the command: `maxSide` pixels; of memory for pixels, half of a common part and of a part for each byte of a file. */
const { maxSide, maxMemory, maxMemoryPerByte, maxTotal } = IMAGE_LIMITS;
/** The bytes of pixels that are decoded for a scene. */
export const MAX_TOTAL = maxTotal * maxMemory;

/** How images begin that the browser decodes, and DDS. */
const SIGNATURES = { png: /^\x89PNG\r\n\x1a\n/, jpeg: /^\xff\xd8\xff/, gif: /^GIF8[79]a/, webp: /^RIFF[^]{4}WEBP/, bmp: /^BM/, dds: /^DDS / };

const extension = (name) => name.slice(name.lastIndexOf(".") + 1).toLowerCase();
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const latin1 = (bytes) => String.fromCharCode(...bytes);

/** Returns whether a file is an image by its name. */
export const isImage = (name) => EXTENSIONS.includes(extension(name));

/** Returns whether the content of a file begins as that of an image, for names that do not determine it. */
export function beginsAsImage(head) {
  const type = signature(head);
  return Boolean(type) && (type !== "bmp" || /^BM[^]{4}\0{4}/.test(latin1(head.subarray(0, 10))));
}

/** Returns the name of a texture or image for comparison: without folders, extension and case. */
export function key(path) {
  const name = fileName(path);
  const dot = name.lastIndexOf(".");
  return dot > 0 && EXTENSIONS.includes(name.slice(dot + 1)) ? name.slice(0, dot) : name;
}

/** Returns the file name in a path, in lower case. */
export const fileName = (path) => path.split(/[\\/]/).pop().toLowerCase();

/** Decodes an image into a texture. Coordinates start at the top left. `left` are the bytes of pixels that may be decoded yet. */
export async function decode(name, bytes, left = { bytes: MAX_TOTAL }) {
  const texture = await read(typeOf(name, bytes), bytes, left).catch((error) => { throw error instanceof RangeError ? truncated() : error; });
  texture.flipY = false;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.needsUpdate = true;
  return texture;
}

/** Returns an image as PNG or JPEG; null if it cannot be converted. */
export async function encode(name, bytes, texture) {
  if (["png", "jpeg"].includes(signature(bytes))) return bytes;
  const { image, isCompressedTexture } = texture;
  return isCompressedTexture ? null : pngOf(image.data ?? pixelsOf(image), image.width, image.height);
}

/** Returns the pixels of a bitmap. A 2D canvas would multiply them by their opacity. */
function pixelsOf(bitmap) {
  const { width, height } = bitmap;
  const gl = document.createElement("canvas").getContext("webgl");
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, gl.getParameter(gl.TEXTURE_BINDING_2D), 0);
  const pixels = new Uint8Array(width * height * 4);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return pixels;
}

/** Returns pixels as PNG. */
async function pngOf(pixels, width, height) {
  const rows = new Uint8Array((width * 4 + 1) * height);
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * width * 4, (y + 1) * width * 4), y * (width * 4 + 1) + 1);
  const packed = await new Response(new Blob([rows]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer();
  const number = (value) => [24, 16, 8, 0].map((bit) => (value >>> bit) & 255);
  const chunk = (name, content) => {
    const own = new Uint8Array(4 + content.length);
    own.set(new TextEncoder().encode(name));
    own.set(content, 4);
    return [Uint8Array.from(number(content.length)), own, Uint8Array.from(number(crc32(own)))];
  };
  const header = chunk("IHDR", [...number(width), ...number(height), 8, 6, 0, 0, 0]);
  const parts = [Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10), ...header, ...chunk("IDAT", new Uint8Array(packed)), ...chunk("IEND", [])];
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const signature = (bytes) => Object.keys(SIGNATURES).find((type) => SIGNATURES[type].test(latin1(bytes.subarray(0, 12))));

/** Returns the format of an image: many files have the extension of another one. TGA and PCX have no signature. */
function typeOf(name, bytes) {
  const type = signature(bytes) ?? extension(name);
  if (!signature(bytes) && !["tga", "pcx"].includes(type)) throw new Error("not an image of a supported format");
  return type;
}

async function read(type, bytes, left) {
  if (type === "tga") return tga(bytes, left);
  if (type === "pcx") return pcx(bytes, left);
  if (type === "dds") return dds(bytes, left);
  return picture(type, bytes, left);
}

/** Checks the size of an image before its pixels are decoded; `depth` is the number of bytes of a pixel. */
function admit([width, height, depth], { length }, left) {
  if (!(width > 0 && height > 0)) throw new Error("the image has no pixels");
  const pixels = `${width}x${height} pixels`;
  if (Math.max(width, height) > maxSide) throw new Error(`${pixels}; images are limited to ${maxSide}x${maxSide}`);
  const [bytes, most] = [width * height * depth, (maxMemory + maxMemoryPerByte * length) / 2];
  if (bytes > most) throw new Error(`${pixels} take ${size(bytes)}; an image of ${size(length)} is limited to ${size(most)}`);
  const rest = left.bytes + maxMemoryPerByte * length - bytes;
  if (rest < 0) throw new Error("the images of the scene before it take as much memory as all may");
  left.bytes = rest;
}

/** Decodes an image with the browser: its values as they are, without colour spaces, gamma, orientation, and multiplication by opacity. */
async function picture(type, bytes, left) {
  admit(SIZES[type](viewOf(bytes), bytes), bytes, left);
  const parts = (PLAIN[type] ?? ((own) => [own]))(bytes);
  return new Texture(await createImageBitmap(new Blob(parts), { premultiplyAlpha: "none", colorSpaceConversion: "none" }));
}

/** The width and height of images, and the bytes of a pixel. */
const SIZES = {
  png: (view) => [view.getUint32(16), view.getUint32(20), ([1, 0, 3, 3, 2, 0, 4][view.getUint8(25)] || 4) * (view.getUint8(24) > 8 ? 2 : 1)],
  gif: (view) => [view.getUint16(6, true), view.getUint16(8, true), 4],
  bmp(view) {
    if (view.getUint32(14, true) === 12) return [view.getUint16(18, true), view.getUint16(20, true), 3];
    return [view.getInt32(18, true), Math.abs(view.getInt32(22, true)), view.getUint16(28, true) === 32 ? 4 : 3];
  },
  jpeg(view) {
    for (const [at, marker] of segments(view)) {
      if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return [view.getUint16(at + 7), view.getUint16(at + 5), view.getUint8(at + 9) === 1 ? 1 : 3];
    }
    throw new Error("the image has no size");
  },
  webp(view) {
    const kind = view.getUint8(15);
    if (kind === 0x58) return [24, 27].map((at) => (view.getUint32(at, true) & 0xffffff) + 1).concat(4);
    if (kind === 0x4c) return [0, 14].map((bit) => ((view.getUint32(21, true) >>> bit) & 0x3fff) + 1).concat(4);
    return [26, 28].map((at) => view.getUint16(at, true) & 0x3fff).concat(3);
  },
};

/** Removes what changes the colours or the orientation of an image; returns its parts. */
const PLAIN = {
  // Other chunks than those of the pixels, their palette and its opacity.
  png(bytes) {
    const view = viewOf(bytes);
    const parts = [bytes.subarray(0, 8)];
    for (let at = 8, end; at + 12 <= bytes.length; at = end) {
      end = at + 12 + view.getUint32(at);
      if (!(bytes[at + 4] & 0x20) || latin1(bytes.subarray(at + 4, at + 8)) === "tRNS") parts.push(bytes.subarray(at, end));
    }
    return parts;
  },
  // EXIF, and colour profiles.
  jpeg(bytes) {
    const parts = [];
    let from = 0;
    for (const [at, marker, end] of segments(viewOf(bytes))) {
      if (marker !== 0xe1 && marker !== 0xe2) continue;
      parts.push(bytes.subarray(from, at));
      from = end;
    }
    return [...parts, bytes.subarray(from)];
  },
  // EXIF and colour profiles get a name that no reader knows.
  webp(bytes) {
    const own = bytes.slice();
    if (own[15] === 0x58) own[20] &= ~0x28;
    for (let at = 12; at + 8 <= own.length; at += 8 + viewOf(own).getUint32(at + 4, true) + (own[at + 4] & 1)) {
      if (/^(?:EXIF|ICCP)$/.test(latin1(own.subarray(at, at + 4)))) own.fill(0x78, at, at + 4);
    }
    return [own];
  },
};

/** Returns the segments of a JPEG image before its pixels: each with its start, marker and end. */
function* segments(view) {
  for (let at = 2; at + 10 <= view.byteLength && view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xda) return;
    // Any number of bytes can be between segments.
    const end = marker === 0xff ? at + 1 : at + 2 + view.getUint16(at + 2);
    if (marker !== 0xff) yield [at, marker, end];
    at = end;
  }
}

/** Returns the texture of pixels, each of which is a number of red, green, blue and opacity, from the lowest byte. */
function textureOf(pixels, width, height) {
  return smooth(new DataTexture(new Uint8Array(pixels.buffer), width, height));
}

function smooth(texture) {
  texture.minFilter = texture.magFilter = LinearFilter;
  return texture;
}

const truncated = () => new Error("the image is truncated");

const OPAQUE = 0xff000000;
/** Returns the colour of five bits for each of its parts, which come first in the lower bits. */
const five = (value) => [10, 5, 0].reduce((sum, bit, channel) => sum | (Math.round(((value >> bit) & 31) * 255 / 31) << (8 * channel)), OPAQUE);
/** The colours of TGA by the bytes that they take: as numbers of pixels. */
const COLORS = {
  2: (own, at) => five(own[at] | (own[at + 1] << 8)),
  3: (own, at) => OPAQUE | (own[at] << 16) | (own[at + 1] << 8) | own[at + 2],
  4: (own, at) => (own[at + 3] << 24) | (own[at] << 16) | (own[at + 1] << 8) | own[at + 2],
};
const GREYS = { 1: (own, at) => OPAQUE | (own[at] * 0x10101), 2: (own, at) => (own[at + 1] << 24) | (own[at] * 0x10101) };

/** Decodes TGA. */
function tga(bytes, left) {
  if (bytes.length < 18) throw truncated();
  const view = viewOf(bytes);
  const [width, height, step, flags] = [view.getUint16(12, true), view.getUint16(14, true), Math.ceil(bytes[16] / 8), bytes[17]];
  const [kind, isPacked] = [bytes[2] & 7, bytes[2] & 8];
  const [first, number, entry] = [view.getUint16(3, true), view.getUint16(5, true), Math.ceil(bytes[7] / 8)];
  const isIndexed = kind === 1;
  const color = isIndexed ? COLORS[entry] : (kind === 3 ? GREYS : COLORS)[step];
  if (bytes[2] & ~11 || ![1, 2, 3].includes(kind) || !color || (isIndexed && (step > 2 || bytes[1] !== 1))) throw new Error("not a TGA image of a supported kind");
  admit([width, height, isIndexed ? entry : step], bytes, left);
  let from = 18 + bytes[0];
  let palette;
  if (bytes[1] === 1) {
    if (from + number * entry > bytes.length) throw truncated();
    if (isIndexed) palette = Uint32Array.from({ length: number }, (_, at) => color(bytes, from + at * entry));
    from += number * entry;
  }
  const raw = isPacked ? unpacked(bytes.subarray(from), width * height, step) : bytes.subarray(from);
  if (raw.length < width * height * step) throw truncated();
  const pixels = new Uint32Array(width * height);
  const [startX, stepX] = flags & 0x10 ? [width - 1, -1] : [0, 1];
  for (let y = 0, at = 0; y < height; y++) {
    let to = (flags & 0x20 ? y : height - 1 - y) * width + startX;
    for (let x = 0; x < width; x++, at += step, to += stepX) {
      if (!palette) {
        pixels[to] = color(raw, at);
        continue;
      }
      const own = palette[(step > 1 ? raw[at] | (raw[at + 1] << 8) : raw[at]) - first];
      if (own === undefined) throw new Error("a pixel has a colour after those of the palette");
      pixels[to] = own;
    }
  }
  return textureOf(pixels, width, height);
}

/** Decompresses the pixels of TGA: runs of a pixel, or of different ones. */
function unpacked(bytes, count, step) {
  // At most 128 pixels are a run.
  if (bytes.length < Math.ceil(count / 128) * (1 + step)) throw truncated();
  const raw = new Uint8Array(count * step);
  for (let from = 0, to = 0; to < raw.length;) {
    if (from >= bytes.length) throw truncated();
    const packet = bytes[from++];
    const end = Math.min(raw.length, to + ((packet & 127) + 1) * step);
    const length = packet & 128 ? step : end - to;
    if (from + length > bytes.length) throw truncated();
    if (packet & 128) for (; to < end; to++) raw[to] = bytes[from + (to % step)];
    else raw.set(bytes.subarray(from, from + length), to);
    from += length;
    to = end;
  }
  return raw;
}

/** Decodes PCX: runs of 8-bit palette indices, or three planes of red, green and blue. */
function pcx(bytes, left) {
  if (bytes.length < 128) throw truncated();
  const view = viewOf(bytes);
  const [bits, planes, stride] = [bytes[3], bytes[65], view.getUint16(66, true)];
  const width = view.getUint16(8, true) - view.getUint16(4, true) + 1;
  const height = view.getUint16(10, true) - view.getUint16(6, true) + 1;
  if (bytes[0] !== 10 || bits !== 8 || ![1, 3].includes(planes) || stride < width) throw new Error("not a PCX image of 8 bits per channel");
  admit([width, height, planes === 3 ? 3 : 4], bytes, left);
  const row = stride * planes;
  // At most 63 bytes are a run, which takes two.
  if ((bytes.length - 128) * 32 < row * height) throw truncated();
  const plain = new Uint8Array(row * height);
  let from = 128;
  for (let to = 0; to < plain.length;) {
    const run = bytes[from] >= 0xc0 && bytes[2] ? bytes[from++] & 0x3f : 1;
    if (from >= bytes.length) throw truncated();
    plain.fill(bytes[from++], to, to + run);
    to += run;
  }
  const colors = bytes.subarray(bytes.length - 768);
  const palette = Uint32Array.from({ length: 256 }, (_, at) => OPAQUE | (colors[at * 3 + 2] << 16) | (colors[at * 3 + 1] << 8) | colors[at * 3]);
  const pixels = new Uint32Array(width * height);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0, at = y * row; x < width; x++, at++, to++) {
      pixels[to] = planes === 3 ? OPAQUE | (plain[at + 2 * stride] << 16) | (plain[at + stride] << 8) | plain[at] : palette[plain[at]];
    }
  }
  return textureOf(pixels, width, height);
}

/** The formats of blocks of 4 x 4 pixels: the bytes of a block, and those of a pixel that is decoded. */
const BLOCKS = { DXT1: [RGB_S3TC_DXT1_Format, 8, 3], DXT3: [RGBA_S3TC_DXT3_Format, 16, 4], DXT5: [RGBA_S3TC_DXT5_Format, 16, 4] };

/** Decodes DDS: blocks, which the graphics card decodes, or pixels of 24 or 32 bits. */
function dds(bytes, left) {
  if (bytes.length < 128) throw truncated();
  const view = viewOf(bytes);
  const [height, width] = [view.getUint32(12, true), view.getUint32(16, true)];
  let code = latin1(bytes.subarray(84, 88));
  let start = 128;
  if (code === "DX10" && bytes.length >= 148) {
    code = [70, 73, 76].map((first, at) => (view.getUint32(128, true) - first) >>> 0 < 3 && `DXT${2 * at + 1}`).find(Boolean) ?? `DXGI ${view.getUint32(128, true)}`;
    start = 148;
  }
  const [bits, red, green, blue, alpha] = [88, 92, 96, 100, 104].map((at) => view.getUint32(at, true));
  const isPlain = code === "\0\0\0\0" && [24, 32].includes(bits) && [red, green, blue].every((mask, at) => mask === 0xff0000 >>> (8 * at));
  const [format, block, depth] = BLOCKS[code] ?? [null, 0, bits >> 3];
  if (!isPlain && !format) throw new Error(`not a DDS image of a supported format (${JSON.stringify(code)})`);
  admit([width, height, depth], bytes, left);
  if (!isPlain && (width % 4 || height % 4)) throw new Error(`${width}x${height} pixels are not divisible into blocks of 4x4`);
  const length = isPlain ? width * height * depth : width * height * block / 16;
  if (start + length > bytes.length) throw truncated();
  const own = bytes.slice(start, start + length);
  if (format) return smooth(new CompressedTexture([{ data: own, width, height }], width, height, format));
  const pixels = new Uint32Array(width * height);
  const color = COLORS[depth];
  for (let to = 0, at = 0; to < pixels.length; to++, at += depth) pixels[to] = alpha ? color(own, at) : OPAQUE | color(own, at);
  return textureOf(pixels, width, height);
}
