// The built-in samples: a tentacle that moves, as PSK and PSA, and a truncated file.

const BONES = 7;
const SIDES = 10;
const RINGS = 25;
/** The length of a bone, and of the whole, in centimetres. */
const BONE = 18;
const HEIGHT = BONE * (BONES - 1);
const FRAMES = 60;
const RATE = 30;

/** Writes numbers and texts one after another. */
class Writer {
  #parts = [];
  #put(size, set) {
    const bytes = Buffer.alloc(size);
    set(bytes);
    this.#parts.push(bytes);
    return this;
  }
  text = (text, size) => this.#put(size, (bytes) => bytes.write(text, "latin1"));
  u8 = (...values) => this.#put(values.length, (bytes) => values.forEach((value, at) => bytes.writeUInt8(value, at)));
  u16 = (...values) => this.#put(2 * values.length, (bytes) => values.forEach((value, at) => bytes.writeUInt16LE(value, 2 * at)));
  i32 = (...values) => this.#put(4 * values.length, (bytes) => values.forEach((value, at) => bytes.writeInt32LE(value, 4 * at)));
  f32 = (...values) => this.#put(4 * values.length, (bytes) => values.forEach((value, at) => bytes.writeFloatLE(value, 4 * at)));
  get bytes() {
    return Buffer.concat(this.#parts);
  }
}

/** A chunk: its id, the size of its records, and the records. */
function chunk(id, size, records) {
  const data = Buffer.concat(records);
  if (data.length !== size * records.length) throw new Error(`${id}: records of ${size} bytes expected`);
  return Buffer.concat([new Writer().text(id, 20).i32(1_999_801, size, records.length).bytes, data]);
}

const list = (length, make) => Array.from({ length }, (_, index) => make(index));

const bones = () => list(BONES, (bone) => new Writer()
  .text(bone ? `segment${bone}` : "root", 64).i32(0, bone < BONES - 1 ? 1 : 0, Math.max(0, bone - 1))
  .f32(0, 0, 0, 1, 0, 0, bone ? BONE : 0).f32(BONE, 1, 1, 1).bytes);

/** Returns the mesh. */
export function mesh() {
  const points = [];
  const weights = [];
  const wedges = [];
  const faces = [];
  for (let ring = 0; ring < RINGS; ring++) {
    const along = ring / (RINGS - 1);
    const radius = 9 * (1 - along) ** 0.8 + 0.6 + 0.7 * Math.sin(along * 40);
    const [near, share] = [Math.min(BONES - 1, Math.floor(along * (BONES - 1))), (along * (BONES - 1)) % 1];
    for (let side = 0; side < SIDES; side++) {
      const angle = (2 * Math.PI * side) / SIDES;
      weights.push(new Writer().f32(share ? 1 - share : 1).i32(points.length, near).bytes);
      if (share) weights.push(new Writer().f32(share).i32(points.length, near + 1).bytes);
      points.push(new Writer().f32(radius * Math.cos(angle), radius * Math.sin(angle), along * HEIGHT).bytes);
    }
    for (let side = 0; side <= SIDES; side++) {
      const stripe = ring % 4 < 2 ? 0 : 1;
      wedges.push(new Writer().u16(ring * SIDES + (side % SIDES), 0).f32(side / SIDES, 1 - along).u8(stripe, 0).u16(0).bytes);
    }
  }
  for (let ring = 0; ring + 1 < RINGS; ring++) {
    for (let side = 0; side < SIDES; side++) {
      const [a, b] = [ring * (SIDES + 1) + side, (ring + 1) * (SIDES + 1) + side];
      for (const corners of [[a, b, a + 1], [a + 1, b, b + 1]]) {
        faces.push(new Writer().u16(...corners).u8(ring % 4 < 2 ? 0 : 1, 0).i32(1).bytes);
      }
    }
  }
  const materials = ["skin", "stripes"].map((name, index) => new Writer().text(name, 64).i32(index, 0, 0, 0, 0, 5).bytes);
  return Buffer.concat([
    chunk("ACTRHEAD", 0, []), chunk("PNTS0000", 12, points), chunk("VTXW0000", 16, wedges), chunk("FACE0000", 12, faces),
    chunk("MATT0000", 88, materials), chunk("REFSKELT", 120, bones()), chunk("RAWWEIGHTS", 12, weights),
  ]);
}

/** Returns the clips. */
export function clips() {
  const angles = {
    sway: (bone, turn) => 0.22 * Math.sin(turn - bone * 0.7),
    curl: (bone, turn) => 0.3 * (1 - Math.cos(turn)) * (bone / BONES),
  };
  const names = Object.keys(angles);
  const infos = names.map((name, index) => new Writer().text(name, 64).text("tentacle", 64)
    .i32(BONES, 0, 0, BONES * FRAMES).f32(1, FRAMES, RATE).i32(0, index * FRAMES, FRAMES).bytes);
  const keys = names.flatMap((name) => list(FRAMES * BONES, (at) => {
    const [frame, bone] = [Math.floor(at / BONES), at % BONES];
    const half = angles[name](bone, (2 * Math.PI * frame) / (FRAMES - 1)) / 2;
    return new Writer().f32(0, 0, bone ? BONE : 0, Math.sin(half), 0, 0, Math.cos(half), 1).bytes;
  }));
  return Buffer.concat([chunk("ANIMHEAD", 0, []), chunk("BONENAMES", 120, bones()), chunk("ANIMINFO", 168, infos), chunk("ANIMKEYS", 32, keys)]);
}

/** Returns an image of one colour, which has the name of a material. */
const image = (blue, green, red) => new Writer()
  .text("BM", 2).i32(58, 0, 54, 40, 1, 1).u16(1, 24).i32(0, 4, 0, 0, 0, 0).u8(blue, green, red, 0).bytes;

/** The samples: each a set of files that are opened together. */
export const samples = () => [
  ["Try a mesh with clips", {
    "tentacle.psk": mesh(), "tentacle.psa": clips(), "skin.bmp": image(0x8a, 0x6f, 0x3f), "stripes.bmp": image(0xb8, 0xd6, 0xe6),
  }],
  ["Try a damaged file", { "damaged.psk": mesh().subarray(0, 9000) }],
];
