// The listed files: read when they are shown, and described one after another before.
import { ask, restart } from "./client.js";
import { beginsAsImage, fileName, isImage, key } from "./images.js";
import { unzip } from "./zip.js";

/** The most findings per rule that are shown. */
const MOST_FINDINGS = 50;
/** The most files that are listed. */
const MOST_FILES = 5000;
/** The largest text about materials in bytes. */
const MAX_TEXT = 4 << 20;
/** The largest archive in an archive in bytes. */
const MAX_INNER = 512 << 20;
/** The number of files that are recognised at a time, or described before one of them is shown. */
const BATCH = 64;

const directory = (path) => path.slice(0, path.lastIndexOf("/") + 1);
const family = ({ kind }) => (["psk", "psa"].includes(kind) ? "psk" : (kind ?? "").split("-")[0]);
/** The order of paths: numbers in them by their value. */
export const ORDER = new Intl.Collator("en", { numeric: true });
const words = ({ name }) => name.toLowerCase().split(/[^a-z0-9]+/);

/** Returns the beginning of a file. */
const headOf = async (item) => (item.head ? item.head() : (await item.bytes()).subarray(0, 4096));

/** Returns whether a file is an image: by its name, or by its content if its name has no extension. */
const isPicture = async (item) => isImage(item.name) || (/^.[^.]*$/.test(item.name) && headOf(item).then(beginsAsImage, () => false));

/** Returns the files of an archive, and of the archives in it. */
async function unpacked(bytes, path, depth = 0) {
  const found = [];
  for (const inner of unzip(bytes)) {
    const own = { ...inner, path: `${path}/${inner.path}` };
    const isArchive = /\.zip$/i.test(own.name) && own.size <= MAX_INNER && depth < 3 && found.length < MOST_FILES;
    found.push(...((isArchive && (await own.bytes().then((content) => unpacked(content, own.path, depth + 1)).catch(() => null))) || [own]));
  }
  return found;
}

/** Dispatches `changed` when a file or the list changes. */
export class Files extends EventTarget {
  list = [];
  /** The images that were dropped, by their file names, and by these without extension. */
  images = new Map();
  /** The files that glTF files may refer to, by their paths. */
  #buffers = new Map();
  #nextId = 1;
  #scanning = false;
  #epoch = 0;

  /**
   * Adds files: each `{ name, path, format, size, bytes() }`; those that `preview` embeds also with `buffers`, the files that a glTF file refers
   * to, as paths with their bytes, and with `textures`, maps from the texts of textures to their images.
   * Returns those that are listed, the names of others, and those of images.
   */
  async add(items, { sample = false, isFolder = false, keepsSamples = false } = {}) {
    for (const file of this.list.filter((own) => own.sample && !keepsSamples)) this.remove(file);
    const [found, added, unknown] = [[], [], []];
    for (const item of items) {
      if (/\.zip$/i.test(item.name)) {
        isFolder = true;
        found.push(...(await unpacked(await item.bytes(), item.name)));
      } else found.push(item);
    }
    const pictures = new Set(await Promise.all(found.map(async (item) => (await isPicture(item)) && item)));
    const images = found.filter((item) => pictures.has(item));
    for (const { name, bytes } of images) {
      const image = { name, bytes, id: this.#nextId++ };
      this.images.set(fileName(name), image).set(key(name), image);
    }
    const hasGltf = found.some(({ name }) => /\.gltf$/i.test(name));
    const isBuffer = ({ name }) => hasGltf && /\.bin$/i.test(name);
    for (const item of found.filter(isBuffer)) this.#buffers.set(item.path ?? item.name, item.bytes);
    const rest = await this.#withoutSidecars(found.filter((item) => !pictures.has(item) && !isBuffer(item)));
    if (isFolder) rest.sort((a, b) => ORDER.compare(a.path ?? a.name, b.path ?? b.name));
    while (rest.length && this.list.length < MOST_FILES) {
      const batch = rest.splice(0, BATCH).map((item) => ({ ...item, path: item.path ?? item.name, id: this.#nextId++, sample, edits: [], redo: [], changes: [], opened: false }));
      // A directory may contain anything; a file that was chosen is shown even if it is not recognised.
      const supported = await Promise.all(batch.map((file) => !isFolder || this.#isSupported(file)));
      added.push(...batch.filter((_, at) => supported[at]));
      this.list.push(...batch.filter((_, at) => supported[at]));
      unknown.push(...batch.filter((_, at) => !supported[at]).map(({ name }) => name));
    }
    this.#changed();
    return { added, unknown, skipped: rest.length, images: images.map(({ name }) => name) };
  }

  /** Takes the texts about materials and the lists of their order, and returns the other files. */
  async #withoutSidecars(items) {
    const methods = await ask("sidecars", { names: items.map(({ name }) => name) });
    for (const [at, { name, path = name, bytes }] of items.entries()) {
      const content = methods[at] ? await bytes() : new Uint8Array();
      if (methods[at] && content.length <= MAX_TEXT) await ask(methods[at], { directory: directory(path), name, text: new TextDecoder().decode(content) });
    }
    return items.filter((_, at) => !methods[at]);
  }

  async #isSupported(file) {
    return file.format || (await ask("detect", { head: await headOf(file), name: file.name }));
  }

  /** Describes the files that are not described yet: format, verdict, findings, bones. */
  async scan() {
    if (this.#scanning) return;
    this.#scanning = true;
    const epoch = this.#epoch;
    for (let file = this.#next(); file && epoch === this.#epoch; file = this.#next()) await this.describe(file).catch(() => {});
    if (epoch !== this.#epoch) return;
    this.#scanning = false;
    this.#changed();
  }

  /** The directory whose files are described first. */
  first = "";

  #next() {
    const isNew = ({ about }) => !about;
    return this.list.find((file) => isNew(file) && directory(file.path) === this.first) ?? this.list.find(isNew);
  }

  /** Returns the files that a glTF file may refer to, with their paths relative to it. */
  async beside({ name, path, buffers = [] }) {
    const own = directory(path);
    const near = /\.gltf$/i.test(name) ? [...this.#buffers].filter(([other]) => other.startsWith(own)) : [];
    const all = [...near.map(([other, bytes]) => [other.slice(own.length), bytes]), ...buffers];
    return Promise.all(all.map(async ([other, bytes]) => ({ path: other, bytes: await bytes() })));
  }

  /** Describes a file. */
  describe(file) {
    file.describing ??= (async () => {
      const epoch = this.#epoch;
      try {
        const bytes = await file.bytes();
        file.size = bytes.length;
        Object.assign(file, { about: await ask("scan", { id: file.id, name: file.name, bytes, format: file.format, beside: await this.beside(file) }) });
      } catch (error) {
        if (epoch !== this.#epoch) return;
        file.about = { error: { message: error.message, offset: 0, path: "" } };
      }
      file.kind = file.about.kind;
      file.animation = file.about.animation;
      this.#changed(file);
    })();
    return file.describing;
  }

  /** Opens a file, if it is not open. */
  async open(file) {
    if (file.opened) return;
    const bytes = await file.bytes();
    const opened = await ask("open", { id: file.id, name: file.name, bytes, format: file.format, beside: await this.beside(file) });
    if (opened.images) file.contained = new Map(opened.images.map(({ name, bytes: content }) => [name, { name, bytes: async () => content, id: file.id }]));
    Object.assign(file, { opened: true, size: opened.length, length: opened.length, error: opened.error && { ...opened.error, ...opened.report } });
  }

  /** Returns the image of a texture of some files: that which they contain or `preview` found for it, unless one was dropped after it. */
  image(texture, sources) {
    const known = sources.flatMap(({ contained = new Map(), textures = [] }) => [contained, ...textures]);
    const own = known.find((images) => images.has(texture))?.get(texture);
    const named = (name) => this.images.get(fileName(name));
    if (own) return [texture, own.name].map(named).find((image) => image?.id > own.id) ?? own;
    return named(texture) ?? this.images.get(key(texture));
  }

  /** Closes open files other than these, unless they have edits. */
  release(kept) {
    for (const file of this.list) {
      if (!file.opened || kept.includes(file) || file.edits.length) continue;
      Object.assign(file, { opened: false, info: undefined, report: undefined, names: undefined });
      void ask("close", { id: file.id });
    }
  }

  /** Requests the summary and the findings of an open file. */
  async examine(file) {
    if (file.error || file.report) return;
    if (file.kind === "gltf") Object.assign(file, { info: file.about.info, report: { findings: [], more: [], counts: {} } });
    if (file.kind === "gltf") return this.#changed(file);
    file.info = await ask("info", { id: file.id });
    this.#changed(file);
    file.report = await ask("check", { id: file.id, most: MOST_FINDINGS });
    this.#changed(file);
  }

  /** Reads a file in another format. */
  async reopen(file, format) {
    Object.assign(file, { format: format || undefined, opened: false, error: undefined, info: undefined, report: undefined, names: undefined, about: undefined, describing: undefined });
    await this.open(file);
    await this.describe(file);
  }

  /** Removes a file. */
  remove(file) {
    this.list.splice(this.list.indexOf(file), 1);
    if (file.thumbnail) URL.revokeObjectURL(file.thumbnail);
    if (this.list.length) void ask("forget", { id: file.id });
    else this.clear();
  }

  /** Removes all files, and returns their memory. */
  clear() {
    for (const { thumbnail } of this.list) if (thumbnail) URL.revokeObjectURL(thumbnail);
    this.list = [];
    this.images.clear();
    this.#buffers.clear();
    this.#epoch += 1;
    this.#scanning = false;
    void restart();
    this.#changed();
  }

  /**
   * Returns the files that belong together with a file: a mesh and the animations whose bones it has; of families whose files refer to each
   * other by index, the files of the same directory, or of the same first word if there are several skeletons.
   */
  async set(file) {
    this.first = directory(file.path);
    await this.describe(file);
    const beside = this.list.filter((other) => directory(other.path) === directory(file.path));
    // A few files are known after a moment; a folder is described meanwhile.
    const few = [this.list, beside].find(({ length }) => length <= BATCH) ?? [];
    await Promise.all(few.map((other) => this.describe(other)));
    const near = beside.filter((other) => family(other) === family(file));
    const own = family(file);
    if (own === "cal3d" || own === "max") return this.#inOrder(this.#indexed(file, near));
    if (!["psk", "unigine"].includes(own)) return [file];
    const ids = this.list.filter((other) => family(other) === own).map(({ id }) => id);
    const fits = async (of) => (await ask("fits", { id: of.id, ids })).map(({ id }) => this.list.find((other) => other.id === id)).filter(Boolean);
    if (!file.animation) return [file, ...(await fits(file))];
    const meshes = await fits(file);
    const closest = meshes.find((mesh) => directory(mesh.path) === directory(file.path) && words(mesh)[0] === words(file)[0]) ?? meshes[0];
    return closest ? [closest, ...(await fits(closest))] : [file];
  }

  #indexed(file, near) {
    const all = near.filter((other) => family(other) === family(file));
    const skeletons = all.filter(({ kind }) => /skeleton|skel$/.test(kind ?? ""));
    if (skeletons.length < 2) return all;
    const named = all.filter((other) => words(other)[0] === words(file)[0]);
    return named.length ? named : [file];
  }

  /** Puts Cal3D materials in the order that a list beside them states: meshes refer to them by index. */
  async #inOrder(set) {
    const materials = set.filter(({ kind }) => kind === "cal3d-material");
    if (materials.length < 2) return set;
    const order = await ask("order", { directory: directory(materials[0].path), names: materials.map(({ name }) => name) });
    const sorted = order.map((at) => materials[at]);
    return set.map((file) => (materials.includes(file) ? sorted.shift() : file));
  }

  #changed(file = null) {
    this.dispatchEvent(new CustomEvent("changed", { detail: file }));
  }
}

/** Returns the entries of a drop as files; directories with everything in them. */
export async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const isFolder = entries.some((entry) => entry.isDirectory);
  if (!isFolder) return { items: [...transfer.files].map(fromFile), isFolder };
  const found = [];
  while (entries.length && found.length < MOST_FILES) {
    const entry = entries.shift();
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
      found.push({ ...fromFile(file), path: entry.fullPath });
      continue;
    }
    const reader = entry.createReader();
    for (;;) {
      const batch = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
      if (!batch.length) break;
      entries.push(...batch);
    }
  }
  return { items: found, isFolder };
}

/** Describes a file of the browser. */
export const fromFile = (file) => ({
  name: file.name, path: file.webkitRelativePath || file.name, size: file.size,
  bytes: async () => new Uint8Array(await file.arrayBuffer()), head: async () => new Uint8Array(await file.slice(0, 4096).arrayBuffer()),
});
