// Reads and writes ZIP archives.

const END = 0x06054b50;
const ENTRY = 0x02014b50;

/** Returns the files of an archive as `{ name, path, size, bytes() }`; stored and deflated ones. */
export function unzip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== END) end -= 1;
  if (end < 0) throw new Error("the archive has no directory; is it truncated?");
  const found = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0 && at + 46 <= end && view.getUint32(at, true) === ENTRY; left--) {
    const [method, packed, size] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const local = view.getUint32(at + 42, true);
    const path = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    at += 46 + nameLength + extra + comment;
    if (path.endsWith("/") || ![0, 8].includes(method) || local + 30 > bytes.length) continue;
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const content = bytes.subarray(start, start + packed);
    found.push({ name: path.split("/").pop(), path, size, bytes: () => (method ? inflate(content, size) : Promise.resolve(content.slice())),
      head: () => (method ? inflate(content, size, 4096) : Promise.resolve(content.slice(0, 4096))) });
  }
  return found;
}

/** Decompresses a file, or its first `most` bytes; one that is longer than its directory says is refused. */
async function inflate(content, size, most = size) {
  const out = new Uint8Array(Math.min(size, most));
  let length = 0;
  for await (const chunk of new Blob([content]).stream().pipeThrough(new DecompressionStream("deflate-raw"))) {
    if (length + chunk.length > size) throw new Error("a file of the archive is longer than its directory says");
    out.set(chunk.subarray(0, out.length - length), length);
    length = Math.min(out.length, length + chunk.length);
    if (length === most && most < size) break;
  }
  return out.subarray(0, length);
}

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? 0xedb88320 ^ (remainder >>> 1) : remainder >>> 1;
  return remainder;
});

/** Returns the checksum of ZIP and PNG. */
export const crc32 = (bytes) => ~bytes.reduce((sum, byte) => CRC[(sum ^ byte) & 255] ^ (sum >>> 8), ~0) >>> 0;

/** Returns an archive of files `{ name, bytes }`, which are not compressed. */
export function zip(files) {
  const parts = [];
  const entries = [];
  let offset = 0;
  const header = (signature, size, fields) => {
    const view = new DataView(new ArrayBuffer(size));
    view.setUint32(0, signature, true);
    for (const [at, value, wide] of fields) wide ? view.setUint32(at, value, true) : view.setUint16(at, value, true);
    return new Uint8Array(view.buffer);
  };
  for (const { name, bytes } of files) {
    const text = new TextEncoder().encode(name);
    // Version 2.0, names in UTF-8, 1 January 1980.
    const common = (at) => [[at, 20], [at + 2, 0x800], [at + 8, 0x21], [at + 10, crc32(bytes), true], [at + 14, bytes.length, true], [at + 18, bytes.length, true], [at + 22, text.length]];
    const local = [header(0x04034b50, 30, common(4)), text, bytes];
    entries.push(header(0x02014b50, 46, [[4, 20], ...common(6), [42, offset, true]]), text);
    parts.push(...local);
    offset += 30 + text.length + bytes.length;
  }
  const size = entries.reduce((sum, { length }) => sum + length, 0);
  const end = header(0x06054b50, 22, [[8, files.length], [10, files.length], [12, size, true], [16, offset, true]]);
  return new Blob([...parts, ...entries, end]);
}
