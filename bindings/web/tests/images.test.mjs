// Shows images of all formats, whatever their names, and refuses those that cannot be shown.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { drop, inPage, run, scratch, settled, viewer } from "./browser.mjs";

const SIDE = 16;
const [RED, GREEN, BLUE, YELLOW] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]];
/** The picture of most images: its quarters, by rows. */
const QUARTERS = [RED, GREEN, BLUE, YELLOW];
const colorAt = (x, y) => QUARTERS[(x >= SIDE / 2) + 2 * (y >= SIDE / 2)];
/** Returns the values of all pixels by rows. */
const pixels = (values) => Buffer.from(Array.from({ length: SIDE * SIDE }, (_, at) => values(colorAt(at % SIDE, Math.floor(at / SIDE)), at)).flat());
const bgr = ([red, green, blue]) => [blue, green, red];
const rgb = (color) => color;

/** Returns bytes of little-endian numbers: `[offset, value, size]`. */
function fields(length, values, bytes = Buffer.alloc(length)) {
  for (const [at, value, size] of values) size === 2 ? bytes.writeUInt16LE(value, at) : bytes.writeUInt32LE(value, at);
  return bytes;
}

/** Returns a PNG image with some chunks before its pixels. */
function png(values, { chunks = [], size = [SIDE, SIDE], depth = 4 } = {}) {
  const chunk = (name, content) => {
    const own = Buffer.concat([Buffer.from(name, "latin1"), content]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(content.length);
    sum.writeUInt32BE(crc32(own));
    return Buffer.concat([length, own, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size[0], 0);
  header.writeUInt32BE(size[1], 4);
  header.set([8, depth === 4 ? 6 : 2], 8);
  const rows = Buffer.concat(Array.from({ length: SIDE }, (_, y) => Buffer.concat([Buffer.of(0), values.subarray(y * SIDE * depth, (y + 1) * SIDE * depth)])));
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header), ...chunks.map(([name, content]) => chunk(name, content)), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}
const PNG = png(pixels(rgb), { depth: 3 });

/** Returns a TGA image: its kind, the bits of a pixel, its flags, and what follows the header. */
const tga = (kind, bits, flags, content, { size = [SIDE, SIDE], palette = 0, entry = 0 } = {}) =>
  Buffer.concat([fields(18, [[12, size[0], 2], [14, size[1], 2], [5, palette, 2]]).fill(kind, 2, 3).fill(palette ? 1 : 0, 1, 2).fill(entry, 7, 8).fill(bits, 16, 17).fill(flags, 17, 18), content]);

/** Returns the pixels in runs of a row of a quarter. */
const runs = (values) => Buffer.concat(Array.from({ length: SIDE * 2 }, (_, at) => Buffer.concat([Buffer.of(0x80 | (SIDE / 2 - 1)), Buffer.from(values(colorAt((at % 2) * SIDE / 2, at >> 1)))])));

/** Returns a PCX image of a palette, or of three planes. */
function pcx(planes, { size = [SIDE, SIDE] } = {}) {
  const header = fields(128, [[8, size[0] - 1, 2], [10, size[1] - 1, 2], [66, size[0], 2]]);
  header.set([10, 5, 1, 8]);
  header[65] = planes;
  const run = (value) => [0xc0 | (SIDE / 2), value];
  const rows = Array.from({ length: SIDE }, (_, y) => {
    const halves = [colorAt(0, y), colorAt(SIDE - 1, y)];
    return planes === 1 ? halves.map((color) => run(QUARTERS.indexOf(color))) : [0, 1, 2].map((plane) => halves.map((color) => run(color[plane])));
  });
  const palette = Buffer.alloc(769);
  palette.set([12, ...QUARTERS.flat()]);
  return Buffer.concat([header, Buffer.from(rows.flat(3)), planes === 1 ? palette : Buffer.alloc(0)]);
}

/** Returns a DDS image of blocks, or of pixels of `bits`. */
function dds(code, { dxgi, bits = 0, size = [SIDE, SIDE], content } = {}) {
  const header = fields(dxgi ? 148 : 128, [
    [4, 124], [8, 0x1007], [12, size[1]], [16, size[0]], [76, 32], [80, bits ? 0x41 : 4], [108, 0x1000], ...(dxgi ? [[128, dxgi], [132, 3], [140, 1]] : []),
    ...(bits ? [[88, bits], [92, 0xff0000], [96, 0xff00], [100, 0xff], [104, bits === 32 ? 0xff000000 : 0]] : []),
  ]);
  header.write("DDS ", "latin1");
  header.write(code, 84, "latin1");
  const block = (color) => Buffer.concat([code === "DXT1" ? Buffer.alloc(0) : Buffer.from([255, 255, 0, 0, 0, 0, 0, 0]), fields(8, [[0, ((color[0] >> 3) << 11) | ((color[1] >> 2) << 5) | (color[2] >> 3), 2]])]);
  return Buffer.concat([header, content ?? Buffer.concat(Array.from({ length: 16 }, (_, at) => block(colorAt((at % 4) * 4, (at >> 2) * 4))))]);
}

/** Returns a BMP image. */
const bmp = () => Buffer.concat([
  fields(54, [[2, 54 + SIDE * SIDE * 3], [10, 54], [14, 40], [18, SIDE], [22, -SIDE >>> 0], [26, 1, 2], [28, 24, 2]]).fill("BM", 0, 2, "latin1"), pixels(bgr),
]);

/** Returns a model: a square for each texture, from left to right. */
function model(...textures) {
  const squares = textures.map((_, at) => [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => `${x + 2 * at};${y};0;`)).flat();
  const faces = textures.flatMap((_, at) => [[0, 2, 1], [0, 3, 2]].map((face) => `3;${face.map((own) => own + 4 * at).join()};`));
  const materials = textures.map((texture) => `Material { 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename { "${texture}"; } }`);
  const indices = textures.flatMap((_, at) => [at, at]);
  return Buffer.from(`xof 0303txt 0032
Mesh { ${squares.length}; ${squares.join()}; ${faces.length}; ${faces.join()};
MeshTextureCoords { ${squares.length}; ${textures.map(() => "0;1;, 1;1;, 1;0;, 0;0;").join()}; }
MeshMaterialList { ${textures.length}; ${indices.length}; ${indices.join()};; ${materials.join("\n")} } }
`);
}

/** Returns the colours of the picture at places that are shares of its width and height. */
const colors = (tab, places) => tab.locator("#canvas").evaluate(async (canvas, shares) => {
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
  const { width, height } = canvas;
  const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  return shares.map(([x, y]) => [...context.getImageData(Math.floor(x * width), Math.floor(y * height), 1, 1).data.subarray(0, 3)]);
}, places);

/** The places of the quarters of one square. */
const PLACES = [[0.43, 0.4], [0.57, 0.4], [0.43, 0.6], [0.57, 0.6]];
const NAMES = { "true,false,false": "red", "false,true,false": "green", "false,false,true": "blue", "true,true,false": "yellow", "true,true,true": "grey" };
const named = (color) => NAMES[color.map((value) => value > 90).join()] ?? color.join();
const SHOWN = "red green blue yellow";
const GREY = "grey grey grey grey";

/** Shows a model with an image; returns the colours of its quarters, and what is lost. */
async function shown(tab, name, bytes, texture = name) {
  if (await tab.locator("#work").isVisible()) await tab.locator(".file .close").dispatchEvent("click");
  await drop(tab, [{ name: "square.x", bytes: model(texture) }, { name, bytes }]);
  await settled(tab);
  assert.equal(await tab.locator(".file").count(), 1, `${name} is no file of its own`);
  await tab.locator("#tab-model").click();
  const lost = await tab.locator("#panel li").allInnerTexts();
  return { own: await colors(tab, PLACES), quarters: (await colors(tab, PLACES)).map(named).join(" "), lost: lost.join("\n") };
}

inPage("shows images in the colours of their files", async (tab) => {
  const clear = png(pixels((color) => [...color, 0]));
  assert.equal((await shown(tab, "clear.png", clear)).quarters, SHOWN, "the colours of pixels without opacity");
  const grey = pixels(() => [140, 140, 140]);
  const plain = await shown(tab, "plain.png", png(grey, { depth: 3 }));
  const gamma = Buffer.alloc(4);
  gamma.writeUInt32BE(100_000);
  const corrected = await shown(tab, "gamma.png", png(grey, { depth: 3, chunks: [["gAMA", gamma]] }));
  assert.deepEqual(corrected.own, plain.own, "without the gamma of the file");
  // Images that the browser encodes, with EXIF that states another orientation.
  const encode = async (type) => Buffer.from(await tab.evaluate(async ([kind, base64]) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext("2d").drawImage(image, 0, 0);
    return [...new Uint8Array(await (await canvas.convertToBlob({ type: kind, quality: 1 })).arrayBuffer())];
  }, [type, PNG.toString("base64")]));
  const exif = Buffer.from("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0", "latin1");
  const jpeg = await encode("image/jpeg");
  const segment = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), exif]);
  const turned = Buffer.concat([jpeg.subarray(0, 2), Buffer.of(0xff, 0xe1, 0, segment.length + 2), segment, jpeg.subarray(2)]);
  assert.equal((await shown(tab, "turned.jpg", turned)).quarters, SHOWN);
  assert.equal((await shown(tab, "turned.png", png(pixels(rgb), { depth: 3, chunks: [["eXIf", exif]] }))).quarters, SHOWN);
  const webp = await encode("image/webp");
  assert.equal(webp.subarray(12, 16).toString("latin1"), "VP8X");
  const oriented = Buffer.concat([webp, fields(8, [[4, exif.length]]).fill("EXIF", 0, 4, "latin1"), exif]);
  oriented[20] |= 8;
  oriented.writeUInt32LE(oriented.length - 8, 4);
  assert.equal((await shown(tab, "turned.webp", oriented)).quarters, SHOWN);
});

inPage("shows images of all kinds of a format", async (tab) => {
  const from = (flags, values) => Buffer.from(Array.from({ length: SIDE * SIDE }, (_, at) => {
    const [x, y] = [at % SIDE, Math.floor(at / SIDE)];
    return values(colorAt(flags & 0x10 ? SIDE - 1 - x : x, flags & 0x20 ? y : SIDE - 1 - y));
  }).flat());
  const index = (color) => [QUARTERS.indexOf(color) + 2];
  const five = (color) => [...fields(2, [[0, ((color[0] >> 3) << 10) | ((color[1] >> 3) << 5) | (color[2] >> 3), 2]])];
  const palette = Buffer.from(QUARTERS.map(bgr).flat());
  const mapped = tga(1, 8, 0x20, Buffer.concat([palette, from(0x20, index)]), { palette: 4, entry: 24 });
  mapped.writeUInt16LE(2, 3);
  const images = {
    ...Object.fromEntries([0, 0x10, 0x20, 0x30].map((flags) => [`origin${flags}.tga`, tga(2, 24, flags, from(flags, bgr))])),
    "clear.tga": tga(2, 32, 0x28, from(0x20, (color) => [...bgr(color), 0])),
    "five.tga": tga(2, 16, 0x20, from(0x20, five)), "mapped.tga": mapped, "runs.tga": tga(10, 24, 0x20, runs(bgr)),
    "raw.tga": tga(10, 24, 0x20, Buffer.concat(Array.from({ length: 2 }, (_, half) => Buffer.concat([Buffer.of(127), from(0x20, bgr).subarray(half * 384, half * 384 + 384)])))),
    "palette.pcx": pcx(1), "planes.pcx": pcx(3), "square.bmp": bmp(),
    "dxt1.dds": dds("DXT1"), "dxt5.dds": dds("DXT5"), "bc3.dds": dds("DX10", { dxgi: 77 }),
    "plain.dds": dds("\0\0\0\0", { bits: 24, content: pixels(bgr) }), "clear.dds": dds("\0\0\0\0", { bits: 32, content: pixels((color) => [...bgr(color), 0]) }),
  };
  for (const [name, bytes] of Object.entries(images)) {
    const { quarters, lost } = await shown(tab, name, bytes);
    assert.equal(quarters, SHOWN, `${name}: ${lost}`);
  }
});

inPage("reads images by their content, whatever their names", async (tab) => {
  for (const [name, bytes] of [["named.tga", PNG], ["named.dds", PNG], ["named.png", dds("DXT5")], ["shine.sph", bmp()], ["bare", PNG]]) {
    const { quarters, lost } = await shown(tab, name, bytes);
    assert.equal(quarters, SHOWN, `${name}: ${lost}`);
  }
  const { quarters, lost } = await shown(tab, "skin.tif", Buffer.from("II*\0\x08\0\0\0", "latin1"));
  assert.equal(quarters, GREY);
  assert.match(lost, /skin\.tif: not an image of a supported format/);
});

inPage("shows surfaces grey whose images cannot be decoded", async (tab) => {
  const large = [16_384, 16_384];
  for (const [name, bytes, why] of [
    ["bc5.dds", dds("DX10", { dxgi: 83 }), /not a DDS image of a supported format/],
    ["ati2.dds", dds("ATI2"), /not a DDS image of a supported format/],
    ["empty.dds", dds("DXT1", { size: [0, 0] }), /no pixels/],
    ["odd.dds", dds("DXT1", { size: [6, 6] }), /blocks of 4x4/],
    ["cut.dds", dds("DXT1").subarray(0, 200), /truncated/],
    ["large.dds", dds("DXT1", { size: large }), /limited to/],
    ["large.tga", tga(10, 32, 0, Buffer.alloc(50, 0xff), { size: large }), /16384x16384 pixels take .*limited to/],
    ["wide.tga", tga(10, 32, 0, Buffer.alloc(50, 0xff), { size: [20_000, 1] }), /limited to 16384x16384/],
    ["cut.tga", tga(10, 32, 0, Buffer.alloc(50, 0xff), { size: [5000, 5000] }), /truncated/],
    ["tiny.tga", Buffer.from("TGA"), /truncated/],
    ["large.pcx", pcx(3, { size: large }), /limited to/],
    ["cut.pcx", pcx(1).subarray(0, 140), /truncated/],
    ["large.png", png(pixels(rgb), { depth: 3, size: large }), /limited to/],
    ["cut.png", PNG.subarray(0, 20), /truncated/],
  ]) {
    const { quarters, lost } = await shown(tab, name, bytes);
    assert.equal(quarters, GREY, name);
    assert.ok(lost.includes(`${name}: `), `${name}: ${lost}`);
    assert.match(lost, why, name);
  }
});

const solid = (color) => png(pixels(() => color), { depth: 3 });

inPage("prefers the image with the extension of the texture", async (tab) => {
  await drop(tab, [{ name: "two.x", bytes: model("skin.png", "skin.tga") }, { name: "skin.png", bytes: solid(RED) }, { name: "skin.tga", bytes: solid(BLUE) }]);
  await settled(tab);
  assert.deepEqual((await colors(tab, [[0.42, 0.5], [0.58, 0.5]])).map(named), ["red", "blue"]);
  // Any other image replaces it.
  await tab.locator(".file .close").dispatchEvent("click");
  await drop(tab, [{ name: "two.x", bytes: model("skin.dds", "SKIN") }, { name: "skin.png", bytes: solid(GREEN) }]);
  await settled(tab);
  assert.deepEqual((await colors(tab, [[0.42, 0.5], [0.58, 0.5]])).map(named), ["green", "green"]);
});

/** Writes files into a folder of their own, and returns the page of preview for an input in it. */
function paged(folder, files, input = "") {
  const root = join(scratch, folder);
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), bytes);
  }
  const out = join(scratch, `${folder}.html`);
  run("preview", join(root, input), "-o", out, "--viewer", viewer, "--force", "--quiet");
  return out;
}

inPage("finds the images of a page of preview by the paths of their textures", async (tab) => {
  await settled(tab);
  const places = [[0.24, 0.5], [0.42, 0.5], [0.57, 0.5], [0.72, 0.5]];
  assert.deepEqual((await colors(tab, places)).map(named), ["red", "green", "blue", "yellow"]);
  // An image that is dropped later replaces them.
  await drop(tab, [{ name: "skin.png", bytes: solid(YELLOW) }]);
  await settled(tab);
  assert.deepEqual((await colors(tab, places)).map(named), ["yellow", "yellow", "blue", "yellow"]);
}, {}, () => paged("twins", {
  "four.x": model("a/skin.png", "b/skin.png", "skin.tga", "bare"), "a/skin.png": solid(RED), "b/skin.png": solid(GREEN), "skin.tga": solid(BLUE), bare: solid(YELLOW),
}, "four.x"));

inPage("shows each file of a page of preview with the images of its folder", async (tab) => {
  await settled(tab);
  for (const [at, color] of ["red", "green"].entries()) {
    await tab.locator(".file .open").nth(at).click();
    await settled(tab);
    assert.deepEqual((await colors(tab, [[0.5, 0.5]])).map(named), [color]);
  }
}, {}, () => paged("folders", { "a/square.x": model("skin.png"), "a/skin.png": solid(RED), "b/square.x": model("skin.png"), "b/skin.png": solid(GREEN) }));

inPage("exports the colours of pixels without opacity", async (tab) => {
  const own = pixels((color) => [...bgr(color), 0]);
  await drop(tab, [{ name: "square.x", bytes: model("clear.tga") }, { name: "clear.tga", bytes: tga(2, 32, 0x28, own) }]);
  await settled(tab);
  await tab.locator("#export").click();
  await tab.waitForFunction(() => !document.querySelector("#export-save").disabled);
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#export-save").click()]);
  const path = join(scratch, "clear.glb");
  await saved.saveAs(path);
  const bytes = readFileSync(path);
  const start = bytes.indexOf("IDAT", "latin1");
  const rows = inflateSync(bytes.subarray(start + 4, start + 4 + bytes.readUInt32BE(start - 4)));
  assert.deepEqual([...rows.subarray(1, 5)], [...RED, 0]);
});
