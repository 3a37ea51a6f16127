// Runs the library, so that large files do not block the page.
import init, { BindposeFile, SceneBuilder, detect, diagnose, formats } from "../pkg/bindpose.js";

/** The open files by their ids: decoded, or the bytes of one that cannot be decoded. */
const files = new Map();

const own = (id) => files.get(id);

/** The scene that was built last, and the ids of its files. */
let current = { scene: null, ids: [] };

/** The distance in bytes between the places that are looked up ahead. */
const AHEAD = 4 << 20;

/**
 * Looks up places of a file between other calls: the numbers of long lists in text files are counted at the first look-up, and shall be
 * known when a row is shown.
 */
function lookAhead(id, at = AHEAD) {
  const { file } = own(id) ?? {};
  if (!file || at >= file.length) return;
  setTimeout(() => {
    if (own(id)?.file !== file) return;
    attempt(() => file.map(at, at + 1, 1));
    lookAhead(id, at + AHEAD);
  });
}

const methods = {
  async start({ wasm }) {
    await init({ module_or_path: wasm });
    return formats();
  },
  detect: ({ head, name }) => detect(head, name) ?? null,
  open({ id, name, bytes, format }) {
    try {
      files.set(id, { file: BindposeFile.decode(bytes, name, format) });
      lookAhead(id);
      return { error: null, length: bytes.length };
    } catch (error) {
      files.set(id, { bytes });
      const { findings } = attempt(() => diagnose(bytes, name, format)) ?? { findings: [] };
      return { error: describe(error), findings, length: bytes.length };
    }
  },
  close({ id }) {
    own(id)?.file?.free();
    files.delete(id);
  },
  info: ({ id }) => own(id).file.info(),
  check: ({ id, most }) => own(id).file.check(most),
  names: ({ id }) => own(id).file.names(),
  locate: ({ id, path }) => own(id).file.locate(path),
  get: ({ id, path }) => own(id).file.get(path),
  set({ id, path, value }) {
    const { file } = own(id);
    const places = file.set(path, value);
    lookAhead(id);
    return { places, changes: file.changes(), length: file.length };
  },
  revert({ id }) {
    const { file } = own(id);
    file.revert();
    lookAhead(id);
    return { changes: [], length: file.length };
  },
  bytes: ({ id }) => own(id).file?.bytes() ?? own(id).bytes,
  window({ id, start, end, most }) {
    const { file, bytes } = own(id);
    return file
      ? { bytes: file.bytes(start, end), fields: file.map(start, end, most) }
      : { bytes: bytes.slice(start, end), fields: [] };
  },
  scene({ ids, unit, up, rate }) {
    const builder = new SceneBuilder();
    builder.conventions(unit, up, rate);
    const decoded = ids.filter((id) => own(id).file);
    for (const id of decoded) builder.add(own(id).file);
    current.scene?.free();
    current = { scene: builder.build(), ids: decoded };
    builder.free();
    return { glb: current.scene.glb(), summary: current.scene.summary() };
  },
  vertex({ mesh, vertex }) {
    const source = current.scene?.vertex(mesh, vertex);
    return source ? { id: current.ids[source.file], path: source.path } : null;
  },
};

function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}

function describe(error) {
  const { message, kind = "internal", path = "", offset = 0 } = error;
  return { message: kind === "internal" ? `internal error: ${message}` : message, kind, path, offset };
}

onmessage = async ({ data: { call, method, args } }) => {
  try {
    const result = await methods[method](args);
    const moved = [result?.glb?.buffer, result?.bytes?.buffer, result?.buffer].filter((buffer) => buffer && method !== "window" && method !== "open");
    // The bytes of a file that cannot be decoded stay here.
    postMessage({ call, result }, own(args.id)?.bytes ? [] : moved);
  } catch (error) {
    postMessage({ call, error: describe(error) });
  }
};
