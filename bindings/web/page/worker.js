// Runs the library, so that large files do not block the page.
import init, { BindposeFile, SceneBuilder, detect, diagnose, formats } from "../pkg/bindpose.js";

/** The open files by their ids: decoded, or the bytes of one that cannot be decoded. */
const files = new Map();

const own = (id) => files.get(id);

/** The scene that was built last, and the ids of its files. */
let current = { scene: null, ids: [] };

const methods = {
  async start({ wasm }) {
    await init({ module_or_path: wasm });
    return formats();
  },
  detect: ({ head, name }) => detect(head, name) ?? null,
  open({ id, name, bytes, format }) {
    try {
      files.set(id, { file: BindposeFile.decode(bytes, name, format) });
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
    return { places, changes: file.changes(), length: file.length };
  },
  revert({ id }) {
    const { file } = own(id);
    file.revert();
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
