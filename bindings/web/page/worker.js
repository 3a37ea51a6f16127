// Runs the library, so that large files do not block the page.
import init, { BindposeFile, FileSet, GltfReader, MaterialImages, MaterialLists, MaterialTexts, SceneBuilder, detect, diagnose, formats, rescue, version } from "../pkg/bindpose.js";

/** The open files by their ids: decoded, or the bytes of one that cannot be decoded, with its scene if it is glTF. */
const files = new Map();
/** The bones of all listed files by their ids, open or not; null for those without any. */
const bones = new Map();
/** The starts of the lines of open text files, and the blocks that can be folded. */
const layouts = new Map();
/** The elements of open XML files. */
const elements = new Map();

/** The texts about materials that were added, and the lists that state their order. */
let materials = null;
let lists = null;

/** The most bytes of a line of a text file that are shown. */
const MOST_IN_LINE = 400;

const own = (id) => files.get(id);

/** Returns a decoded file. */
function fileOf(id) {
  const { file, gltf } = own(id);
  if (gltf) throw new Error("The parts of glTF files are not shown.");
  return file;
}

/** The last search of each part of the page; earlier ones end. */
const searches = new Map();
/** The fields that are searched between other calls. */
const SEARCHED_FIELDS = 100_000;

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

/** Forgets what was computed for a file that changed. */
function changed(id) {
  forgetText(id);
  lookAhead(id);
  const { file } = own(id);
  return { changes: file.changes(), length: file.length };
}

/** Counts the findings of a report by severity. */
function severities({ findings, more }) {
  const counts = { error: 0, warning: 0, info: 0, hint: 0 };
  const of = new Map(findings.map(({ rule, severity }) => [rule, severity]));
  for (const { severity } of findings) counts[severity] += 1;
  for (const [rule, count] of more) counts[of.get(rule)] += count;
  return counts;
}

const withCounts = (report) => ({ ...report, counts: severities(report) });

const read = (id) => own(id).file?.bytes() ?? own(id).bytes;

const methods = {
  async start({ module }) {
    await init({ module_or_path: module });
    return { formats: formats(), version: version() };
  },
  detect: ({ head, name }) => detect(head, name) ?? (GltfReader.detect(head) ? "gltf" : null),
  /** Returns for each name the method that adds files of such names: texts about materials, and lists of their order; null for others. */
  sidecars: ({ names }) => names.map((name) => (MaterialTexts.accepts(name) ? "addMaterial" : MaterialLists.accepts(name) ? "addList" : null)),
  addMaterial({ name, text }) {
    materials ??= new MaterialTexts();
    materials.add(name, text);
  },
  addList({ directory, name, text }) {
    lists ??= new MaterialLists();
    lists.add(directory, name, text);
  },
  /** Returns the order of the materials of a directory, as indices of their names. */
  order: ({ directory, names }) => (lists ? [...lists.order(directory, names)] : [...names.keys()]),
  /** Returns what texts about a material state: its colour texture, if its image is there, and how it is blended. */
  describe: ({ material, images }) => materials?.describe(material, images) ?? {},
  /** Describes a file without keeping it, except for the names of its bones. */
  scan({ id, name, bytes, format, beside }) {
    const { length } = bytes;
    if (isGltf(bytes, format)) return scanGltf(bytes, name, beside);
    const kind = format?.split(":")[0] ?? detect(bytes.subarray(0, 4096), name)?.split(":")[0] ?? null;
    try {
      const file = BindposeFile.decode(bytes, name, format);
      bones.set(id, attempt(() => file.bones()) ?? null);
      const result = { kind, length, info: file.info(), counts: severities(file.check(1)), animation: bones.get(id)?.animation ?? false };
      file.free();
      return result;
    } catch (error) {
      return { kind, length, error: describe(error) };
    }
  },
  /** Returns the ids of animations that fit a mesh, best first; or those of meshes that an animation fits. */
  fits({ id, ids }) {
    const mine = bones.get(id);
    if (!mine) return [];
    const others = ids.filter((other) => other !== id && bones.get(other) && bones.get(other).animation !== mine.animation);
    const all = others.map((other) => ({ id: other, fit: mine.animation ? mine.fit(bones.get(other)) : bones.get(other).fit(mine) }));
    const good = all.filter(({ fit }) => fit && fit.matched * 2 >= fit.total && fit.matched);
    return good.toSorted((a, b) => b.fit.matched - a.fit.matched);
  },
  open({ id, name, bytes, format, beside }) {
    const { length } = bytes;
    methods.close({ id });
    try {
      if (isGltf(bytes, format)) {
        files.set(id, { bytes, name, gltf: readGltf(bytes, name, beside) });
        return { error: null, length, images: filesOf(own(id).gltf.images()) };
      }
      files.set(id, { file: BindposeFile.decode(bytes, name, format) });
      lookAhead(id);
      return { error: null, length };
    } catch (error) {
      files.set(id, { bytes });
      return { error: describe(error), report: withCounts({ findings: [], more: [], ...attempt(() => diagnose(bytes, name, format)) }), length };
    }
  },
  close({ id }) {
    own(id)?.file?.free();
    own(id)?.gltf?.free();
    files.delete(id);
    forgetText(id);
  },
  forget({ id }) {
    methods.close({ id });
    bones.get(id)?.free();
    bones.delete(id);
  },
  info: ({ id }) => fileOf(id).info(),
  check: ({ id, most }) => withCounts(fileOf(id).check(most)),
  names: ({ id }) => fileOf(id).names(),
  /** Returns the references around a value; those to other files with the value that refers. */
  references({ id, path, most }) {
    const file = fileOf(id);
    const found = file.references(path, most);
    for (const reference of found.to) if (reference.status === "elsewhere") reference.value = attempt(() => file.get(reference.path));
    return found;
  },
  parts: ({ id, path, first, most }) => fileOf(id).parts(path, first, most),
  objects: ({ id, most }) => fileOf(id).objects(most),
  locate: ({ id, path }) => fileOf(id).locate(path),
  get: ({ id, path }) => fileOf(id).get(path),
  set({ id, path, value }) {
    const places = fileOf(id).set(path, value);
    return { places, ...changed(id) };
  },
  rename({ id, path, value }) {
    const count = fileOf(id).rename(path, value);
    return { count, ...changed(id) };
  },
  /** Does all edits anew; `beside` are the ids of files that some of them need. */
  replay({ id, edits, beside }) {
    const set = new FileSet();
    for (const { file } of new Set(beside.map(own).filter((other) => other?.file))) set.add(file);
    fileOf(id).replay(edits, set);
    return changed(id);
  },
  diff: ({ a, b, most }) => fileOf(a).diff(fileOf(b), most),
  bytes: ({ id }) => read(id),
  window({ id, start, end, most }) {
    const { file, bytes } = own(id);
    return file
      ? { bytes: file.bytes(start, end), fields: file.map(start, end, most) }
      : { bytes: bytes.slice(start, end), fields: [] };
  },
  slice: ({ id, start, end }) => own(id).file?.bytes(start, end) ?? own(id).bytes.slice(start, end),
  /**
   * Returns lines of a text file from the row `first` on, or from that of the byte `at`, and the number of all rows. Lines within the blocks
   * that start at the lines `folded` have no row.
   */
  lines({ id, first, most, at, folded }) {
    const bytes = read(id);
    if (!layouts.has(id)) layouts.set(id, layoutOf(bytes));
    const { starts, blocks } = layouts.get(id);
    const hidden = hiddenLines(folded, blocks);
    const total = hidden.reduce((sum, [from, to]) => sum - (to - from), starts.length);
    const from = at === undefined ? first : rowOf(hidden, lineOf(starts, at));
    const decoder = new TextDecoder("latin1");
    const lines = [];
    for (let row = from, line = lineAt(hidden, from); row < Math.min(from + most, total); row++) {
      const end = starts[line + 1] ?? bytes.length;
      const text = decoder.decode(bytes.subarray(starts[line], Math.min(end, starts[line] + MOST_IN_LINE))).trimEnd();
      const isFolded = folded.includes(line);
      lines.push({ line, start: starts[line], end, text, isCut: end - starts[line] > MOST_IN_LINE + 2, until: blocks.get(line), isFolded });
      line = isFolded && blocks.has(line) ? blocks.get(line) : line + 1;
    }
    return { total, first: from, lines };
  },
  elements: ({ id, most }) => elementsOf(id).slice(0, most),
  /** Returns the element of an XML file that contains a byte, after those that contain it: `SKELETON / BONE Bip01 / TRANSLATION`. */
  element({ id, at }) {
    const path = [];
    for (const { depth, kind, attribute, start, until } of elementsOf(id)) {
      if (start > at) break;
      path.length = Math.min(path.length, depth);
      if (until > at) path[depth] = attribute ? `${kind} ${attribute}` : kind;
    }
    return path.join(" / ");
  },
  /** Returns the fields whose path, name or value contains a text, at most `most`; fewer if the same part of the page, `by`, searches again. */
  async search({ id, text, most, by }) {
    const call = {};
    searches.set(`${by} ${id}`, call);
    const found = [];
    let start = 0;
    while (start !== null && found.length < most && own(id)?.file && searches.get(`${by} ${id}`) === call) {
      const matches = fileOf(id).search(text, start, most - found.length, SEARCHED_FIELDS);
      found.push(...matches.found);
      start = matches.next;
      await new Promise(setTimeout);
    }
    if (own(id)?.file && isXml(read(id))) for (const field of found) field.name ??= methods.element({ id, at: field.start });
    return found;
  },
  /** Returns the offsets at which bytes occur, at most `most`; ignoring the case of letters if wanted. */
  find({ id, pattern, ignoreCase, most }) {
    const bytes = read(id);
    const fold = (byte) => (ignoreCase && byte >= 65 && byte <= 90 ? byte | 32 : byte);
    const wanted = Uint8Array.from(pattern, fold);
    const found = [];
    for (let at = 0; at + wanted.length <= bytes.length && found.length < most; at++) {
      let same = 0;
      while (same < wanted.length && fold(bytes[at + same]) === wanted[same]) same += 1;
      if (same === wanted.length) found.push(at);
    }
    return found;
  },
  /** Builds the scene of open files; it is kept for what refers to it. */
  scene({ ids, ...conventions }) {
    const decoded = ids.filter((id) => own(id)?.file ?? own(id)?.gltf);
    current.scene?.free();
    current = { scene: build(decoded.map(own), conventions), ids: decoded };
    return { glb: current.scene.glb(), summary: current.scene.summary() };
  },
  /** Builds the scene of files, open or given with their bytes, without keeping it. */
  glance({ ids = [], file = null, ...conventions }) {
    const decoded = file ? [decodedOf(file)] : ids.map(own).filter((other) => other?.file ?? other?.gltf);
    const scene = build(decoded, conventions);
    if (file) (decoded[0].file ?? decoded[0].gltf).free();
    const result = { glb: scene.glb(), summary: scene.summary() };
    scene.free();
    return result;
  },
  /** Writes the scene as `.glb` with images of its materials: each `{ material, name, bytes, alpha }`, as PNG or JPEG. */
  glb({ images }) {
    const own = new MaterialImages();
    for (const { material, name, bytes, alpha } of images) own.add(material, name, bytes, alpha);
    const made = newFiles(current.scene.glbWithImages(own));
    own.free();
    return made;
  },
  /** Writes the scene in the formats of a family. */
  convert: ({ format, name }) => newFiles(current.scene.convert(format, name)),
  rescue: ({ id, name, format }) => newFiles(rescue(read(id), name, format)),
  vertex({ mesh, vertex }) {
    const source = current.scene?.vertex(mesh, vertex);
    return source ? { id: current.ids[source.file], path: source.path } : null;
  },
  /** Returns the number of records that vertices come from; a vertex that comes from none counts as one. */
  records: ({ vertices }) => new Set(vertices.map(([mesh, vertex]) => {
    const source = current.scene?.vertex(mesh, vertex);
    return source ? `${source.file} ${source.path}` : `${mesh} ${vertex}`;
  })).size,
  vertices: ({ id, path }) => attempt(() => current.scene?.vertices(current.ids.indexOf(id), path, 16)) ?? [],
};

function build(decoded, { unit, up, rate, ranges }) {
  const builder = new SceneBuilder();
  builder.conventions(unit, up, rate);
  builder.ranges(ranges ?? "");
  for (const { file, gltf, name } of decoded) file ? builder.add(file) : builder.addGltf(name, gltf);
  const scene = builder.build();
  builder.free();
  return scene;
}

function newFiles(made) {
  const losses = made.losses();
  return { files: filesOf(made), losses };
}

function filesOf(made) {
  const files = Array.from({ length: made.length }, (_, at) => ({ name: made.name(at), bytes: made.bytes(at) }));
  made.free();
  return files;
}

/** Returns a file of a supported format, or a glTF file. */
const decodedOf = ({ bytes, name, format, beside }) => (isGltf(bytes, format) ? { gltf: readGltf(bytes, name, beside), name } : { file: BindposeFile.decode(bytes, name, format) });

const isGltf = (bytes, format) => (format ? format === "gltf" : GltfReader.detect(bytes.subarray(0, 4096)));

/** Reads a glTF file; `beside` are other files, each `{ path, bytes }`, by their paths relative to it. */
function readGltf(bytes, name, beside = []) {
  const reader = new GltfReader();
  for (const other of beside) reader.add(other.path, other.bytes);
  try {
    return reader.read(bytes, name);
  } finally {
    reader.free();
  }
}

/** Describes a glTF file. */
function scanGltf(bytes, name, beside) {
  const { length } = bytes;
  try {
    const gltf = readGltf(bytes, name, beside);
    const { writer, bones, clips } = gltf.info();
    gltf.free();
    const named = clips.map((name) => ({ name, frames: null, rate: null, seconds: null }));
    const info = { title: "glTF 2.0", verdict: "foreign", bytes: length, writer, bones, roots: [], clips: named, counts: [] };
    return { kind: "gltf", length, info, counts: severities({ findings: [], more: [] }), animation: false };
  } catch (error) {
    return { kind: "gltf", length, error: describe(error) };
  }
}

function forgetText(id) {
  layouts.delete(id);
  elements.delete(id);
}

/** Returns the elements of an XML file in its order: each with its depth, name, the bytes of its tag, and its end. */
function elementsOf(id) {
  if (elements.has(id)) return elements.get(id);
  const text = new TextDecoder("latin1").decode(read(id));
  const found = [];
  const open = [];
  for (const { 0: tag, 1: closing, 2: kind, 3: attributes, 4: empty, index } of text.matchAll(/<(\/?)([A-Za-z_][\w.-]*)((?:"[^"]*"|'[^']*'|[^"'>])*?)(\/?)>/g)) {
    const end = index + tag.length;
    if (closing) {
      const element = open.pop();
      if (element) element.until = end;
      continue;
    }
    const own = Object.fromEntries([...attributes.matchAll(/([\w.-]+)\s*=\s*["']([^"']*)["']/g)].map(([, name, value]) => [name.toUpperCase(), value]));
    const content = /^[^<]{1,80}(?=<\/)/.exec(text.slice(end, end + 82))?.[0].trim();
    const attribute = own.NAME ?? own.ID ?? own.BONEID ?? "";
    const element = { depth: open.length, kind, attribute, name: attribute || (content ?? ""), start: index, end, until: empty ? end : text.length };
    found.push(element);
    if (!empty) open.push(element);
  }
  elements.set(id, found);
  return found;
}

/** Returns whether a file starts with a tag. */
const isXml = (bytes) => bytes.subarray(0, 4).includes(60);

/** Returns the starts of the lines, and the line after each block by the line that opens it: braces, or elements of XML. */
function layoutOf(bytes) {
  const starts = [0];
  const blocks = new Map();
  const open = [];
  const withTags = isXml(bytes);
  const pop = (after) => {
    const from = open.pop();
    if (from !== undefined && after > from + 1) blocks.set(from, after);
  };
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 10) {
      starts.push(at + 1);
      quoted = false;
    } else if (byte === 34) quoted = !quoted;
    else if (quoted) continue;
    else if (withTags && byte === 60 && bytes[at + 1] === 47) pop(starts.length);
    else if (withTags && byte === 60 && bytes[at + 1] !== 33 && bytes[at + 1] !== 63) open.push(starts.length - 1);
    else if (withTags && byte === 62 && bytes[at - 1] === 47) open.pop();
    else if (!withTags && byte === 123) open.push(starts.length - 1);
    else if (!withTags && byte === 125) pop(starts.length);
  }
  return { starts, blocks };
}

/** Returns the ranges of lines that folded blocks hide, in order, without those within others. */
function hiddenLines(folded, blocks) {
  const ranges = folded.filter((line) => blocks.has(line)).map((line) => [line + 1, blocks.get(line)]).sort(([a], [b]) => a - b);
  const outer = [];
  for (const range of ranges) if (!outer.length || range[0] >= outer.at(-1)[1]) outer.push(range);
  return outer;
}

/** Returns the line of a row. */
const lineAt = (hidden, row) => hidden.reduce((line, [from, to]) => (line >= from ? line + to - from : line), row);

/** Returns the row of a line; that of the line that hides it, if it is hidden. */
function rowOf(hidden, line) {
  let gone = 0;
  for (const [from, to] of hidden) {
    if (line < from) break;
    gone += Math.min(line + 1, to) - from;
  }
  return Math.max(0, line - gone);
}

/** Returns the number of the line that contains an offset. */
function lineOf(starts, offset) {
  let [low, high] = [0, starts.length];
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= offset) low = middle;
    else high = middle;
  }
  return low;
}

function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}

function describe(error) {
  const { kind = "internal", path = "", offset = 0, help } = error;
  const message = help ? `${error.message}; ${help}` : error.message;
  return { message: kind === "internal" ? `internal error: ${message}` : message, kind, path, offset };
}

onmessage = async ({ data: { call, method, args } }) => {
  try {
    const result = await methods[method](args);
    const moved = [result?.glb?.buffer, result?.buffer].filter(Boolean);
    // The bytes of a file that cannot be decoded stay here.
    postMessage({ call, result }, own(args.id)?.bytes ? [] : moved);
  } catch (error) {
    postMessage({ call, error: describe(error) });
  }
};
