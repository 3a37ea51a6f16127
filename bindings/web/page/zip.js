// Reads the files of ZIP archives.

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
    found.push({ name: path.split("/").pop(), path, size, bytes: () => (method ? inflate(content, size) : Promise.resolve(content.slice())) });
  }
  return found;
}

/** Decompresses a file; one that is longer than its directory says is refused. */
async function inflate(content, size) {
  const out = new Uint8Array(size);
  let length = 0;
  for await (const chunk of new Blob([content]).stream().pipeThrough(new DecompressionStream("deflate-raw"))) {
    if (length + chunk.length > size) throw new Error("a file of the archive is longer than its directory says");
    out.set(chunk, length);
    length += chunk.length;
  }
  return out.subarray(0, length);
}
