// The page: opens files, and connects the model, the panels and the bytes.
import { ask, start } from "./client.js";
import { $, base64, counted, el, gunzip, hex } from "./dom.js";
import { HexView } from "./hex.js";
import { decode, isImage, key } from "./images.js";
import * as panels from "./panels.js";
import { Stage } from "./stage.js";

/** The most findings per rule. */
const MOST_FINDINGS = 50;
/** The most influences on a vertex that the graphics card applies. */
const INFLUENCES = 4;

const files = [];
const images = new Map();
let active = null;
let formats = [];
let scene = null;
let shownImages = new Map();
let tab = "summary";
let chosenBone = -1;
let nextId = 1;
let rebuilds = 0;

/** Asks about a file; returns `otherwise` if it was closed in the meantime. */
async function askOf(file, method, args = {}, otherwise = null) {
  if (!file) return otherwise;
  try {
    return await ask(method, { id: file.id, ...args });
  } catch (error) {
    if (files.includes(file)) throw error;
    return otherwise;
  }
}

const view = new HexView((from, to, most) => askOf(active, "window", { start: from, end: to, most }, { bytes: new Uint8Array(), fields: [] }));
let stage = null;
try {
  stage = new Stage($("canvas"));
} catch {
  $("stage-note").textContent = "This browser cannot draw the model: WebGL is not available.";
}

/** Opens files: each `{ name, format, bytes() }`; without a format, it is detected. Samples give way to other files. */
async function open(list, sample = false) {
  $("empty-error").textContent = "";
  for (const file of files.filter((own) => own.sample)) drop(file);
  const pictures = list.filter(({ name }) => isImage(name));
  for (const { name, bytes } of pictures) images.set(key(name), { name, bytes: await bytes() });
  const others = list.filter(({ name }) => !isImage(name));
  const unknown = [];
  let first = null;
  for (const { name, format, bytes } of others) {
    const content = await bytes();
    const head = content.slice(0, 4096);
    // A directory may contain anything; a single file is shown even if it is not recognised.
    if (others.length > 1 && !format && !(await ask("detect", { head, name }))) {
      unknown.push(name);
      continue;
    }
    const file = { id: nextId++, name, format, sample, length: content.length, changes: [] };
    const opened = await ask("open", { id: file.id, name, bytes: content, format }, [content.buffer]);
    file.error = opened.error && { ...opened.error, findings: opened.findings };
    files.push(file);
    first ??= file;
  }
  if (unknown.length) $("empty-error").textContent = `Not a supported format: ${unknown.slice(0, 5).join(", ")}${unknown.length > 5 ? ", …" : ""}`;
  if (!files.length) return;
  $("empty").hidden = true;
  $("work").hidden = false;
  if (first) await activate(first);
  await Promise.all([...(first ? files.map(examine) : []), rebuild()]);
}

/** Removes a file from the list. */
function drop(file) {
  files.splice(files.indexOf(file), 1);
  void ask("close", { id: file.id });
  if (file.sample) images.clear();
}

/** Closes a file. */
async function close(file) {
  const at = files.indexOf(file);
  drop(file);
  if (!files.length) images.clear();
  $("empty").hidden = files.length > 0;
  $("work").hidden = !files.length;
  $("download").hidden = true;
  if (file === active) await activate(files[Math.min(at, files.length - 1)] ?? null);
  tabs();
  await rebuild();
}

/** Requests the summary and the findings of a file. */
async function examine(file) {
  if (file.error || file.report) return;
  file.info = await askOf(file, "info");
  refresh(file);
  file.report = await askOf(file, "check", { most: MOST_FINDINGS });
  refresh(file);
}

function refresh(file) {
  tabs();
  if (file !== active) return;
  panel();
  view.mark(marks(file));
}

const marks = ({ report, info }) => [
  ...(info?.damage ? [{ start: info.damage.offset, end: info.damage.offset + 1, severity: "error" }] : []),
  ...(report?.findings ?? []).filter(({ start: from, end }) => end - from <= 256),
];

/** Shows another file. */
async function activate(file) {
  active = file;
  tabs();
  if (!file) return void view.show(0);
  panel();
  $("download").hidden = !file.changes.length;
  await view.show(file.length, { changes: file.changes, marks: marks(file) });
}

function tabs() {
  $("files").replaceChildren(...files.map((file) => el(`div.file${file === active ? ".active" : ""}`, { role: "presentation" },
    el("button.open", {
      type: "button", role: "tab", title: file.name, aria: { selected: file === active }, tabIndex: file === active ? 0 : -1, onclick: () => activate(file),
    }, el(`span.dot.${panels.state(file)}`, { aria: { hidden: true } }), el("span.title", {}, file.name), file.changes.length ? el("span.edited", { title: "edited" }, "•") : ""),
    el("button.close", { type: "button", title: "Close", aria: { label: `Close ${file.name}` }, tabIndex: file === active ? 0 : -1, onclick: () => close(file) }, "×"))));
}

async function reopen(format) {
  const file = active;
  const bytes = await ask("bytes", { id: file.id });
  const opened = await ask("open", { id: file.id, name: file.name, bytes, format: format || undefined });
  Object.assign(file, { format, error: opened.error && { ...opened.error, findings: opened.findings }, info: undefined, report: undefined });
  await activate(file);
  await Promise.all([examine(file), rebuild()]);
}

function panel() {
  const count = active?.report ? active.report.findings.length + active.report.more.reduce((sum, [, more]) => sum + more, 0) : active?.error?.findings.length;
  $("tab-findings").textContent = count ? `Findings ${count}` : "Findings";
  $("tab-losses").textContent = scene?.losses.length ? `Losses ${scene.losses.length}` : "Losses";
  for (const button of $("tabs").children) {
    const selected = button.dataset.tab === tab;
    button.setAttribute("aria-selected", selected);
    button.tabIndex = selected ? 0 : -1;
  }
  $("panel").setAttribute("aria-labelledby", `tab-${tab}`);
  const jump = (range) => view.select(range);
  const contents = {
    summary: () => panels.summary(active, { jump, formats: formats.map(({ name }) => name), reopen }),
    findings: () => panels.findings(active, { jump }),
    bones: () => panels.bones(scene, { choose: chooseBone, chosen: chosenBone }),
    materials: () => panels.materials(scene, { images: shownImages, jump: (entity, _, name) => showName(entity, name, 0) }),
    losses: () => panels.losses(scene),
  };
  const scroll = $("panel").scrollTop;
  $("panel").replaceChildren(...contents[tab]());
  $("panel").scrollTop = scroll;
}

function showTab(name, focus = false) {
  tab = name;
  $("panel").scrollTop = 0;
  panel();
  if (focus) $(`tab-${name}`).focus();
}

/** Builds the model from all files. */
async function rebuild(keep = false) {
  const request = ++rebuilds;
  const sources = files.filter(({ error }) => !error);
  const note = $("stage-note");
  if (!sources.length) {
    scene = null;
    stage?.clear();
    clips(null);
    note.textContent = "Nothing can be shown: no file could be decoded.";
    if (active) panel();
    return;
  }
  const before = { clip: $("clip").value, time: stage?.time ?? 0 };
  try {
    const built = await ask("scene", { ids: sources.map(({ id }) => id) });
    // A later change is already on its way.
    if (request !== rebuilds) return;
    scene = built.summary;
    const most = Math.max(0, ...scene.meshes.map(({ influences }) => influences));
    if (most > INFLUENCES) {
      scene.losses.push({ file: "", what: `influences on a vertex after the ${INFLUENCES} strongest (up to ${most})`, why: "this page draws at most 4; exports keep all" });
    }
    // Images are loaded here, or listed with the materials.
    scene.losses = scene.losses.filter(({ what }) => !what.startsWith("textures ("));
    await stage?.show(built.glb, scene);
    note.textContent = describeScene();
    clips(keep ? before : null);
    if (!keep) stage?.fit();
    await attach();
  } catch (error) {
    note.textContent = `The model cannot be shown: ${error.message}`;
    console.warn(error);
  }
  if (active) panel();
}

function describeScene() {
  const { meshes, bones, clips: own } = scene;
  if (!meshes.length && !bones.length) {
    return own.length ? "Clips without a skeleton: add the mesh or skeleton file." : "The files contain no bones and no triangles.";
  }
  const triangles = meshes.reduce((sum, mesh) => sum + mesh.triangles, 0);
  return [triangles && counted(triangles, "triangle"), bones.length && counted(bones.length, "bone"), own.length && counted(own.length, "clip")].filter(Boolean).join(" · ");
}

/** Gives materials the images that were dropped: by the path of the texture, or else by the name of the material. */
async function attach() {
  shownImages = new Map();
  for (const [index, { name, textures }] of scene.materials.entries()) {
    const image = images.get(key(textures[0] ?? name));
    if (!image || !stage) continue;
    try {
      stage.texture(index, (await (image.texture ??= decode(image.name, image.bytes))).clone());
      shownImages.set(index, image.name);
    } catch (error) {
      scene.losses.push({ file: image.name, what: "the image", why: error.message });
    }
  }
}

function clips(before) {
  const own = stage?.clips ?? [];
  $("clip").replaceChildren(el("option", { value: "" }, own.length ? "Bind pose" : "No clips"),
    ...own.map((clip, index) => el("option", { value: index }, clip.name || `clip ${index}`)));
  $("clip").disabled = !own.length;
  const value = before && before.clip < own.length ? before.clip : own.length ? "0" : "";
  $("clip").value = value;
  selectClip(before?.time ?? 0);
}

function selectClip(time = 0) {
  const { value } = $("clip");
  stage?.clip(value === "" ? -1 : Number(value));
  const duration = stage?.duration ?? 0;
  $("time").max = duration || 1;
  $("time").disabled = $("play").disabled = !duration;
  stage?.seek(time);
  clock();
}

function clock() {
  const [time, duration] = [stage?.time ?? 0, stage?.duration ?? 0];
  if (document.activeElement !== $("time") || stage?.playing) $("time").value = time;
  $("clock").textContent = duration ? `${time.toFixed(2)} / ${duration.toFixed(2)} s` : "";
  $("time").setAttribute("aria-valuetext", `${time.toFixed(2)} seconds`);
  const playing = Boolean(stage?.playing);
  $("play").textContent = playing ? "❚❚" : "▶";
  $("play").setAttribute("aria-label", playing ? "Pause" : "Play");
}

function togglePlay() {
  if ($("play").disabled) return;
  stage.play(!stage.playing);
  clock();
}

function toggle(id, option) {
  const on = $(id).getAttribute("aria-pressed") !== "true";
  $(id).setAttribute("aria-pressed", on);
  stage?.set({ [option]: on });
}

function chooseBone(bone) {
  chosenBone = bone;
  stage?.choose(bone);
  showTab("bones");
  const item = $("panel").querySelector(`[data-bone="${bone}"]`);
  item?.scrollIntoView({ block: "nearest" });
  item?.focus({ preventScroll: true });
  const { name } = scene.bones[bone];
  const nth = scene.bones.slice(0, bone).filter((other) => other.name === name).length;
  return showName("bone", name, nth);
}

/** Shows the record that a vertex comes from. */
async function chooseVertex(place) {
  const source = await ask("vertex", place);
  const file = source && files.find(({ id }) => id === source.id);
  if (!file) {
    $("where").textContent = "This vertex comes from no single record.";
    return;
  }
  if (file !== active) await activate(file);
  const [first] = await ask("locate", { id: file.id, path: source.path });
  await view.select({ ...first, path: source.path });
}

/** Shows the record that defines the `nth` object with a name, in the active file if it is there. */
async function showName(entity, text, nth) {
  const order = [active, ...files.filter((file) => file !== active)].filter(({ error }) => !error);
  for (const file of order) {
    file.names ??= await ask("names", { id: file.id }).catch(() => []);
    const same = file.names.filter((name) => name.entity === entity && name.definition && name.text === text);
    const found = same[Math.min(nth, same.length - 1)];
    if (!found) continue;
    if (file !== active) await activate(file);
    const record = found.path.replace(/\.[^.[\]"]+$/, "");
    const places = await ask("locate", { id: file.id, path: record }).catch(() => ask("locate", { id: file.id, path: found.path }));
    await view.select({ start: Math.min(...places.map(({ start: from }) => from)), end: Math.max(...places.map(({ end }) => end)), path: record });
    return;
  }
  $("where").textContent = `No field defines the ${entity} “${text}”.`;
}

async function edited(file, { changes, length }) {
  Object.assign(file, { changes, length, info: undefined, report: undefined, names: undefined });
  $("download").hidden = $("revert").hidden = !changes.length;
  await view.show(length, { changes, keep: true });
  await Promise.all([examine(file), rebuild(true)]);
}

async function setValue(event) {
  event.preventDefault();
  const path = $("field-path").textContent;
  try {
    const result = await ask("set", { id: active.id, path, value: $("field-value").value });
    $("field-error").textContent = "";
    await edited(active, result);
    if (result.places.length) await view.select(result.places[0]);
  } catch (error) {
    $("field-error").textContent = error.message;
  }
}

async function goTo(event) {
  event.preventDefault();
  const text = $("goto-input").value.trim();
  $("goto-error").textContent = "";
  if (!text) return;
  try {
    if (/^(0x[0-9a-f]+|\d+)$/i.test(text)) {
      const offset = Number(text);
      if (offset >= active.length) throw new Error(`the file ends at ${hex(active.length)}`);
      await view.select({ start: offset, end: offset + 1 }, true);
    } else {
      const [place] = await ask("locate", { id: active.id, path: text });
      await view.select(place, true);
    }
  } catch (error) {
    $("goto-error").textContent = error.message;
  }
}

async function download() {
  const bytes = await ask("bytes", { id: active.id });
  const link = el("a", { href: URL.createObjectURL(new Blob([bytes])), download: active.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const fromFile = (file) => ({ name: file.name, bytes: async () => new Uint8Array(await file.arrayBuffer()) });

/** Returns the files of a drop; directories are read with what is in them. */
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files].map(fromFile);
  const found = [];
  while (entries.length && found.length < 2000) {
    const entry = entries.shift();
    if (entry.isFile) {
      found.push(fromFile(await new Promise((resolve, reject) => entry.file(resolve, reject))));
      continue;
    }
    const reader = entry.createReader();
    for (;;) {
      const batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (!batch.length) break;
      entries.push(...batch);
    }
  }
  return found;
}

/** Returns the files in the page: those of `preview`, or the compressed ones of the samples. */
function embedded(attribute) {
  return [...document.querySelectorAll(`script[data-${attribute}]`)].map(({ dataset, textContent }) => ({
    name: dataset[attribute], format: dataset.format, label: dataset.label,
    bytes: async () => (attribute === "sample" ? gunzip(base64(textContent)) : base64(textContent)),
  }));
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  stage?.theme();
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $("shortcuts").open) return;
  if (event.target.closest("input:not([type=range]), select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const order = ["summary", "findings", "bones", "materials", "losses"];
  const step = (seconds) => () => { stage.play(false); stage.seek(stage.time + seconds); clock(); };
  const actions = {
    o: () => $("picker").click(), b: () => toggle("bones-on", "bones"), w: () => toggle("wire-on", "wireframe"), g: () => toggle("grid-on", "grid"),
    f: () => stage?.fit(), ",": step(-1 / 30), ".": step(1 / 30), "/": () => $("goto-input").select(), "?": () => $("shortcuts").showModal(),
  };
  if (event.key === " " && !event.target.closest("button")) actions[" "] = togglePlay;
  if (/^[1-5]$/.test(event.key)) actions[event.key] = () => showTab(order[event.key - 1], true);
  const action = actions[event.key.toLowerCase()];
  if (!action || ($("work").hidden && !"o?".includes(event.key.toLowerCase()))) return;
  event.preventDefault();
  action();
}

function listen() {
  for (const id of ["open", "open-empty"]) $(id).addEventListener("click", () => $("picker").click());
  const failed = (error) => { ($("work").hidden ? $("empty-error") : $("goto-error")).textContent = error.message; };
  const openAll = (list) => open(list).catch(failed);
  $("picker").addEventListener("change", () => { void openAll([...$("picker").files].map(fromFile)); $("picker").value = ""; });
  let depth = 0;
  addEventListener("dragenter", () => { depth += 1; $("over").hidden = false; });
  addEventListener("dragleave", () => { depth -= 1; $("over").hidden = depth > 0 ? false : true; });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    $("over").hidden = true;
    void dropped(event.dataTransfer).then(openAll);
  });
  addEventListener("keydown", keys);
  $("help").addEventListener("click", () => $("shortcuts").showModal());
  $("theme").addEventListener("click", () => {
    const own = document.documentElement.dataset.theme;
    setTheme(own ? own === "light" : !matchMedia("(prefers-color-scheme: dark)").matches);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => stage?.theme());
  for (const list of [$("tabs"), $("files")]) {
    const items = () => [...list.querySelectorAll("[role=tab]")];
    list.addEventListener("keydown", (event) => {
      const at = items().indexOf(document.activeElement) + ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? NaN);
      items()[at]?.click();
      items()[at]?.focus();
    });
  }
  for (const button of $("tabs").children) button.addEventListener("click", () => showTab(button.dataset.tab));
  $("play").addEventListener("click", togglePlay);
  $("clip").addEventListener("change", () => selectClip());
  $("time").addEventListener("input", () => { stage.play(false); stage.seek(Number($("time").value)); clock(); });
  $("bones-on").addEventListener("click", () => toggle("bones-on", "bones"));
  $("wire-on").addEventListener("click", () => toggle("wire-on", "wireframe"));
  $("grid-on").addEventListener("click", () => toggle("grid-on", "grid"));
  $("frame").addEventListener("click", () => stage?.fit());
  stage?.addEventListener("drawn", clock);
  stage?.addEventListener("bone", ({ detail }) => chooseBone(detail));
  stage?.addEventListener("vertex", ({ detail }) => chooseVertex(detail));
  $("inspector").addEventListener("submit", setValue);
  $("revert").addEventListener("click", async () => edited(active, await ask("revert", { id: active.id })));
  $("goto").addEventListener("submit", goTo);
  $("download").addEventListener("click", download);
}

async function main() {
  listen();
  formats = await start();
  const extensions = [...new Set(formats.flatMap((format) => format.extensions))].sort();
  $("extensions").textContent = extensions.map((extension) => `.${extension}`).join(" ");
  for (const [label, set] of Map.groupBy(embedded("sample"), ({ label }) => label)) {
    $("samples").append(el("button", { type: "button", onclick: () => open(set, true) }, label));
  }
  document.documentElement.dataset.ready = "";
  const own = embedded("file");
  if (own.length) await open(own);
}

main().catch((error) => { $("empty-error").textContent = `The viewer cannot start: ${error.message}`; });
