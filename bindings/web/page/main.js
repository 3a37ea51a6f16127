// The page: connects the files, the model, the tree, the panels and the bytes.
import { ask, start } from "./client.js";
import { $, arrows, base64, copyText, counted, el, gunzip, hex, keep, kept, readable, save, sevenBits } from "./dom.js";
import * as edits from "./edits.js";
import { Exporter } from "./export.js";
import { Files, count, dropped, fromFile, state } from "./files.js";
import { HexView } from "./hex.js";
import { decode, key } from "./images.js";
import { LOOKS } from "./looks.js";
import * as panels from "./panels.js";
import { Search, containing, pattern } from "./search.js";
import * as share from "./share.js";
import { Stage } from "./stage.js";
import { Table } from "./table.js";
import { TextView } from "./text.js";
import { Thumbnails } from "./thumbnails.js";
import { Tree } from "./tree.js";
import { Comparison } from "./compare.js";
import { contents } from "./contents.js";

// The build puts the text of style.css here; the page itself has start.css.
const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);
document.adoptedStyleSheets = [sheet];

/** The most influences on a vertex that the graphics card applies. */
const INFLUENCES = 4;
/** The most files that are listed beside the model; more are a table. */
const MOST_LISTED = 12;
const files = new Files();
let active = null;
/** The files of the model. */
let set = [];
let formats = [];
let scene = null;
let shownImages = new Map();
let tab = "summary";
let selected = null;
let chosenBone = -1;
let rebuilds = 0;
let works = 0;
/** Looks for files of the set while files are described. */
let scanning;
/** The state that an address or `preview` asks for; it is used once. */
let wanted = {};
/** The ranges that the only clip is cut into, a line for each. */
let ranges;

const view = new HexView((from, to, most) => askOf(active, "window", { start: from, end: to, most }, { bytes: new Uint8Array(), fields: [] }));
const text = new TextView($("text"), (range) => (active?.opened ? askOf(active, "lines", range, null) : null));
const tree = new Tree($("tree"));
const thumbnails = new Thumbnails(attach);
const table = new Table(files, { thumbnail: (file) => thumbnails.element(file), choose: (file) => { showTable(false); return activate(file); } });
let exporter = null;
let comparison = null;
let stage = null;
try {
  stage = new Stage($("canvas"));
} catch {
  $("stage-note").textContent = "This browser cannot draw the model: WebGL is not available.";
}

const stem = (name) => name.replace(/\.[^.]+$/, "");

/** Asks about an open file; returns `otherwise` if it was closed in the meantime. */
async function askOf(file, method, args = {}, otherwise = null) {
  if (!file?.opened) return otherwise;
  try {
    return await ask(method, { id: file.id, ...args });
  } catch (error) {
    if (files.list.includes(file) && file.opened) throw error;
    return otherwise;
  }
}

/** Shows a message until the next action, with an optional button. */
function say(message, { bad = false, label = "", act = null } = {}) {
  $("message").className = bad ? "bad" : "";
  $("message-text").textContent = message;
  $("message").hidden = !message;
  $("message-act").hidden = !act;
  $("message-act").textContent = label;
  $("message-act").onclick = () => { say(""); act?.(); };
}

const failed = (error) => { say(error.message, { bad: true }); };

/** Asks a question; returns whether the answer is yes. */
function confirm(question, yes) {
  $("ask-text").textContent = question;
  $("ask-yes").textContent = yes;
  $("ask").returnValue = "";
  $("ask").showModal();
  return new Promise((resolve) => { $("ask").addEventListener("close", () => resolve($("ask").returnValue === "yes"), { once: true }); });
}

/** Marks the stage as busy until work on what it shows has ended. */
async function busy(work) {
  works += 1;
  $("stage").ariaBusy = "true";
  try {
    return await work();
  } finally {
    works -= 1;
    $("stage").ariaBusy = String(works > 0);
  }
}

const open = (items, options) => busy(() => openItems(items, options));
const activate = (file) => busy(() => activateFile(file));
const rebuild = (keepView) => busy(() => rebuildScene(keepView));

/** Opens files: each `{ name, format, bytes() }`; without a format, it is detected. Samples give way to other files. */
async function openItems(items, { sample = false, isFolder = false } = {}) {
  say("");
  const { added, unknown, skipped } = await files.add(items, { sample, isFolder });
  const trouble = [unknown.length && `Skipped ${counted(unknown.length, "file")} of other formats: ${unknown.slice(0, 4).join(", ")}${unknown.length > 4 ? ", …" : ""}.`,
    skipped && `Only the first ${files.list.length.toLocaleString("en")} files are listed.`].filter(Boolean);
  if (!files.list.length) {
    const pictures = files.images.size ? "An image is shown on a model: open the model, too." : "";
    say(unknown.length ? `Not a supported format: ${unknown.slice(0, 5).join(", ")}.` : pictures || "The folder contains no files.", { bad: !pictures });
    return;
  }
  $("empty").hidden = true;
  $("work").hidden = $("status").hidden = $("find").hidden = $("nav").hidden = $("share").hidden = $("export").hidden = false;
  if (added.length) {
    const first = added.find(({ name }) => name === wanted.file) ?? (await leading(added));
    await activate(first);
    const isOther = (file) => !set.includes(file) && !file.animation;
    if (added.length > MOST_LISTED && added.some(isOther)) showTable(true);
  } else {
    // A list can change the order of the set, and images are shown on its model.
    await activateFile(active);
    if (scene) shownImages = await attach(stage, scene);
    listFiles();
  }
  if (trouble.length) say(trouble.join(" "));
  scanning ??= setInterval(() => regroup().catch(failed), 2000);
  void files.scan();
}

/** Adds the files to the set that were not described yet when the active file was chosen. */
async function regroup() {
  if (files.list.every(({ about }) => about)) scanning = clearInterval(scanning);
  if (!active?.opened || !scene) return;
  const request = rebuilds;
  const own = await files.set(active);
  if (request !== rebuilds || own.every((file) => set.includes(file))) return;
  await Promise.all(own.map((other) => files.open(other)));
  if (request !== rebuilds) return;
  set = own;
  listFiles();
  void Promise.all(set.map((other) => files.examine(other))).catch(failed);
  await rebuild(true);
}

/** Returns the file to show first: a mesh rather than an animation. */
async function leading(added) {
  const few = added.slice(0, 16);
  await Promise.all(few.map((file) => files.describe(file)));
  return few.find(({ animation, about }) => !animation && about.info?.bounds) ?? few[0];
}

/** Removes a file from the list; asks if it has edits. */
async function close(file) {
  if (file.edits.length && !(await confirm(`${file.name} has ${counted(file.edits.length, "change")} that ${file.edits.length === 1 ? "is" : "are"} not saved.`, "Discard"))) return;
  const at = files.list.indexOf(file);
  files.remove(file);
  if (!files.list.length) return showStart();
  if (file === active || set.includes(file)) await activate(files.list[Math.min(at, files.list.length - 1)]);
  else listFiles();
}

/** Closes all files; asks if any has edits. */
async function closeAll() {
  const edited = files.list.filter((file) => file.edits.length);
  if (edited.length && !(await confirm(`${counted(edited.length, "file")} with changes that are not saved.`, "Discard"))) return;
  files.clear();
  showStart();
}

/** Shows the start page. */
function showStart() {
  rebuilds += 1;
  [active, set, scene, selected, chosenBone, tab] = [null, [], null, null, -1, "summary"];
  comparison.end();
  stage?.clear();
  for (const id of ["work", "status", "find", "nav", "share", "export", "download", "undo", "redo", "table"]) $(id).hidden = true;
  $("empty").hidden = false;
  tree.show([]);
  void view.show(0);
  document.title = "bindpose viewer";
  say("");
}

/** Shows a file with its set. */
async function activateFile(file) {
  if (!file) return;
  const request = ++rebuilds;
  say("");
  $("goto-error").textContent = "";
  if (active) active.place = view.selected;
  if (active !== file) comparison.end();
  active = file;
  selected = null;
  document.title = `${file.name} – bindpose viewer`;
  listFiles();
  await files.open(file);
  if (request !== rebuilds) return;
  history();
  panel();
  status();
  await showBytes();
  const own = await files.set(file);
  if (request !== rebuilds) return;
  const isSame = own.length === set.length && own.every((other, at) => other === set[at]) && scene;
  set = own;
  if (!isSame) tree.choose("");
  await Promise.all(set.map((other) => files.open(other)));
  if (request !== rebuilds) return;
  files.release(set);
  listFiles();
  void Promise.all(set.map((other) => files.examine(other))).catch(failed);
  if (isSame && file.opened) await showTree();
  else await rebuild();
  if (file.animation) chooseClipOf(file);
  if (file.place) await view.select(file.place);
  await showComparison();
}

/** Lists what the active file can be compared with, if that is visible. */
async function showComparison() {
  if (!$("diff").hidden && !$("drawer").hidden) await comparison.show(active);
}

const marks = ({ id, report, info }) => [
  ...(comparison.differences.get(id) ?? []),
  ...(info?.damage ? [{ start: info.damage.offset, end: info.damage.offset + 1, severity: "error", message: info.damage.message }] : []),
  ...(report?.findings ?? []).filter(({ start: from, end }) => end - from <= 256),
];

async function showBytes(keepPlace = false) {
  const isText = /^[\x09\x0a\x0d\x20-\x7e]*$/.test(new TextDecoder("latin1").decode(await askOf(active, "slice", { start: 0, end: 200 }, new Uint8Array())));
  $("pane-text").hidden = !isText || !active.length;
  if ($("pane-text").hidden && !$("text").hidden) pane("bytes");
  await view.show(active.length, { changes: active.changes, marks: marks(active), keep: keepPlace });
  await text.show(marks(active), keepPlace);
}

function listFiles() {
  const many = files.list.length > MOST_LISTED;
  const shown = many ? (set.length ? set : [active].filter(Boolean)).slice(0, 100) : files.list;
  $("table-open").hidden = files.list.length < 2;
  $("table-open").textContent = many ? `All ${files.list.length.toLocaleString("en")}` : "Table";
  $("close-all").hidden = files.list.length < 2;
  $("files").replaceChildren(...shown.map((file) => el(`div.file${file === active ? ".active" : ""}${set.includes(file) ? ".inset" : ""}`, {},
    el("button.open", { type: "button", title: file.path, aria: { current: file === active }, onclick: () => activate(file).catch(failed) },
      el(`span.dot.${state(file)}`, { aria: { hidden: true } }), el("span.title", {}, file.name), file.edits.length ? el("span.edited", { title: "edited" }, "•") : ""),
    el("button.close", { type: "button", title: "Close", aria: { label: `Close ${file.name}` }, onclick: () => close(file).catch(failed) }, "×"))));
  $("previous").disabled = !neighbour(-1);
  $("next").disabled = !neighbour(1);
}

/** Returns the file before or after the active one in the table; in the list if the table's filter excludes it. */
function neighbour(by) {
  const { order: own } = table;
  const order = own.includes(active) ? own : files.list;
  return order[order.indexOf(active) + by];
}

function showTable(on) {
  $("table").hidden = !on;
  $("work").hidden = $("status").hidden = on;
  if (on) table.show(active);
}

const step = (by) => activate(neighbour(by)).catch(failed);

/** Numbers in tabs: 1.6K for 1,563. */
const SHORT = new Intl.NumberFormat("en", { notation: "compact" });

function panel() {
  if (!active) return;
  const findings = count(active);
  $("tab-findings").textContent = findings ? `Findings ${SHORT.format(findings)}` : "Findings";
  $("tab-findings").title = findings ? counted(findings, "finding") : "";
  $("tab-changes").textContent = active.edits.length ? `Changes ${active.edits.length}` : "Changes";
  for (const button of $("tabs").children) {
    const isSelected = button.dataset.tab === tab;
    button.setAttribute("aria-selected", isSelected);
    button.tabIndex = isSelected ? 0 : -1;
  }
  $("panel").setAttribute("aria-labelledby", `tab-${tab}`);
  $("findings-bar").hidden = tab !== "findings" || !findings;
  const show = {
    summary: () => panels.summary(active, { jump, formats: formats.map(({ name }) => name), reopen, rescue: () => rescue().catch(failed) }),
    selection: () => panels.selection(selected, { set: setValue, setAll: setValues, rename, jump, copy, copies: COPIES, elsewhere, chooseBone: (bone) => chooseBone(bone).catch(failed) }),
    findings: () => panels.findings(active, { jump, filter: $("findings-filter").value }),
    model: () => panels.model(scene, { images: shownImages, stage, choose: showName, scale }),
    changes: () => panels.changes(active, { revert, revertAll: () => replayed(edits.revertAll(active)), download,
      copyCommand: () => copyText(edits.commands(active)).then(() => say("Copied the commands.")) }),
  };
  const scroll = $("panel").scrollTop;
  $("panel").replaceChildren(...show[tab]());
  $("panel").scrollTop = scroll;
}

/** Shows one of the parts that share the space below the model on small screens. */
function showSheet(name) {
  document.body.dataset.sheet = name;
  for (const button of $("phone").children) button.setAttribute("aria-pressed", button.dataset.sheet === name);
}

function showTab(name, focus = false) {
  tab = name;
  $("panel").scrollTop = 0;
  panel();
  if (focus) $(`tab-${name}`).focus();
}

function status() {
  const [kind, name] = panels.verdict(active);
  $("status-verdict").replaceChildren(el(`span.dot.${kind}`, { aria: { hidden: true } }), name);
  const findings = count(active);
  $("status-findings").textContent = findings === undefined ? "Checking…" : findings ? counted(findings, "finding") : "No findings";
  const { field } = selected ?? {};
  $("where").textContent = field ? `${hex(selected.start)}  ${field.name ?? field.path} = ${field.value}` : selected ? hex(selected.start) : "";
}

/** Selects a place everywhere: a range of bytes, or a path. */
async function jump(place, { focus = false, keepBone = false, path = null } = {}) {
  say("");
  $("goto-error").textContent = "";
  if (!active?.opened) return;
  let range = place;
  if (place.start === undefined) [range] = await ask("locate", { id: active.id, path: place.path });
  let field = await view.select(range, focus);
  // The field that is shown can be another one than the first of the range.
  if (path) [field] = (await ask("window", { id: active.id, ...(await ask("locate", { id: active.id, path }))[0], most: 1 })).fields;
  await selectField(field ?? null, { start: range.start, end: range.end }, { keepBone });
}

/** Shows what a field is, and its object in the model and the tree. */
async function selectField(field, { start: from, end }, { keepBone = false, edit = false } = {}) {
  const file = active;
  selected = { file, field, start: from, end, canRename: false, references: null, related: file.report?.findings.filter((own) => own.start < end && own.end > from) };
  status();
  void text.select({ start: from, end });
  if (!["findings", "changes"].includes(tab) || edit) tab = "selection";
  // What is selected in the contents of a small screen is shown.
  if (document.body.dataset.sheet === "side") showSheet("details");
  panel();
  if (edit) $("field-value")?.select();
  if (!field) return;
  if (file.info?.dialect === "xml" && !field.name) field.name = await askOf(file, "element", { at: from });
  status();
  file.names ??= await askOf(file, "names").catch(() => []);
  if (selected.field !== field) return;
  const names = file.names ?? [];
  const own = names.find(({ path }) => path === field.path);
  selected.canRename = Boolean(own?.definition);
  const owner = own ?? names.find((name) => name.definition && field.path.startsWith(`${recordOf(name.path)}.`));
  const bone = owner?.entity === "bone" ? scene?.bones.findIndex(({ name }) => name === owner.text) : -1;
  if (!keepBone && bone >= 0) markBone(bone);
  const [vertex] = (await askOf(file, "vertices", { path: field.path })) ?? [];
  const list = ((await askOf(file, "parts", { path: parentOf(field.path), first: 0, most: 12 }).catch(() => [])) ?? []).filter(({ parts }) => !parts);
  if (selected.field !== field) return;
  stage?.mark(vertex?.mesh ?? -1, vertex?.vertex ?? 0);
  selected.vertex = vertex;
  if (vertex) selected.influences = stage?.influences(vertex.mesh, vertex.vertex).map((own) => ({ ...own, name: scene.bones[own.bone].label }));
  // A weight shows its bone.
  const weighs = list.find(({ label }) => /^(bone|joint)_(index|id)$/.test(label));
  if (!keepBone && bone < 0 && weighs && scene?.bones[Number(weighs.text)]) markBone(Number(weighs.text));
  const moving = bone >= 0 ? bone : keepBone ? chosenBone : -1;
  if (moving >= 0 && scene?.meshes.length) selected.weighted = { ...stage?.weighted(moving), show: () => showLook("weights") };
  selected.findReferences = async () => {
    const found = await askOf(file, "references", { path: field.path, most: 50 }).catch(() => null);
    if (selected.field !== field) return;
    Object.assign(selected, { references: found, findReferences: null });
    if (tab === "selection") panelAround($("field-value"));
  };
  if (/\[\d+\]$/.test(field.path) && list.length > 1 && list.length <= 4) selected.parts = { path: parentOf(field.path), name: field.name && parentOf(field.name), doc: field.doc, list };
  if (tab === "selection") panel();
  if (edit) $("field-value")?.select();
  if (file.length <= SEARCHED) await selected.findReferences();
}

/** Shows the panel again, and keeps what is being typed. */
function panelAround(input) {
  const typed = document.activeElement === input ? input.value : null;
  panel();
  if (typed === null) return;
  const again = $("field-value");
  again.value = typed;
  again.focus();
}

/** Bytes of a file that is searched for references at each selection; in larger ones, on demand. */
const SEARCHED = 4_000_000;

const parentOf = (path) => path.replace(/(\.[^.[\]"]+|\[\d+\])$/, "");

function showLook(look) {
  $("look").value = look;
  stage?.set({ look });
}

const recordOf = (path) => path.replace(/\.[^.[\]"]+$/, "");

/** Builds the scene of the set again, and shows it with its images. */
async function rebuildScene(keepView = false) {
  const request = rebuilds;
  const sources = decoded();
  if (isWanted() && (wanted.up || wanted.unit)) convene({ up: /^[yz]$/.test(wanted.up) ? wanted.up : "", unit: wanted.unit > 0 ? String(wanted.unit) : "" });
  showConventions();
  const note = $("stage-note");
  if (!sources.length) {
    scene = null;
    stage?.clear();
    clips(null);
    note.textContent = "No model: the file could not be decoded.";
    await showTree();
    return panel();
  }
  const before = { clip: $("clip").value, time: stage?.time ?? 0, bone: chosenBone, bones: scene?.bones.length };
  try {
    const built = await ask("scene", { ids: sources.map(({ id }) => id), ...conventions() });
    // A later change is already on its way.
    if (request !== rebuilds) return;
    scene = built.summary;
    label();
    const most = Math.max(0, ...scene.meshes.map(({ influences }) => influences));
    if (most > INFLUENCES) {
      scene.losses.push({ file: "", what: `influences on a vertex after the ${INFLUENCES} strongest (up to ${most})`, why: "this page draws at most 4; exports keep all" });
    }
    await stage?.show(built.glb, scene);
    if (request !== rebuilds) return;
    // What is selected stays so after an edit.
    chosenBone = keepView && before.bones === scene.bones.length ? before.bone : -1;
    stage?.choose(chosenBone);
    if (keepView && selected?.vertex) stage?.mark(selected.vertex.mesh, selected.vertex.vertex);
    note.textContent = describeScene();
    clips(keepView ? before : null);
    shownImages = await attach(stage, scene);
    if (request !== rebuilds) return;
    stage?.set(keepView ? {} : { colors: null });
    $("colors-on").checked = Boolean(stage?.options.colors ?? stage?.showsColors);
    if (!keepView) stage?.fit();
    useWanted();
  } catch (error) {
    if (request !== rebuilds) return;
    note.textContent = `The model cannot be shown: ${error.message}`;
    console.warn(error);
  }
  await showTree();
  panel();
}

/** Gives the objects of the scene the texts that are shown for their names. */
function label() {
  for (const list of [scene.bones, scene.attachments, scene.meshes, scene.materials, scene.clips]) {
    for (const own of list) own.label = readable(own.name, $("names").value) || "unnamed";
  }
}

/** Shows the names of the scene in another encoding. */
function relabel() {
  keep("names", $("names").value);
  if (!scene) return;
  label();
  for (const option of $("clip").options) if (option.value) option.textContent = clipLabel(stage.clips[option.value], option.value);
  panel();
  return showTree();
}

const clipLabel = ({ name }, index) => readable(name, $("names").value) || `clip ${index}`;

/** The up axis and the unit of the shown set, if they are not those of its files. */
const conventions = () => ({ up: active?.up || undefined, unit: Number(active?.unit) || undefined, ranges });

/** Keeps the up axis and the unit for all files of the set. */
function convene({ up, unit }) {
  for (const file of set) Object.assign(file, { up, unit });
}

/** Shows the up axis and the unit of the active file in their lists. */
function showConventions() {
  const { up = "", unit = "" } = active;
  if (![...$("unit").options].some(({ value }) => value === unit)) $("unit").append(el("option", { value: unit }, `${unit} m`));
  [$("up").value, $("unit").value] = [up, unit];
}

/** The families whose files have a unit by convention; of others, a unit is a metre unless it is chosen. */
const WITH_UNIT = ["psk", "psa", "unigine"];
const hasUnit = () => Boolean(active.unit) || WITH_UNIT.includes((active.kind ?? "").split("-")[0]);

function describeScene() {
  const { meshes, bones, clips: own } = scene;
  if (!meshes.length && !bones.length) {
    return own.length ? "Clips without a skeleton: open the mesh or skeleton, too." : "The file contains no bones and no triangles.";
  }
  const triangles = meshes.reduce((sum, mesh) => sum + mesh.triangles, 0);
  const extent = scene.bounds && scene.bounds.max.map((max, axis) => Number((max - scene.bounds.min[axis]).toPrecision(3))).join(" × ");
  return [triangles && counted(triangles, "triangle"), bones.length && counted(bones.length, "bone"), own.length && counted(own.length, "clip"), extent && `${extent} ${hasUnit() ? "m" : "units"}`].filter(Boolean).join(" · ");
}

/** Gives materials the images that were dropped: by the path of the texture, or else by the name of the material. Returns them by material. */
async function attach(to, { materials, losses }) {
  const shown = new Map();
  for (const [index, { name, textures }] of materials.entries()) {
    const color = textures.find(({ role }) => role === "color")?.path;
    let image = files.images.get(key(color ?? name));
    const described = color ? {} : await ask("describe", { material: name, images: [...files.images.keys()] });
    if (described.color) image ??= files.images.get(key(described.color));
    if (!image || !to) continue;
    try {
      image.texture ??= decode(image.name, await image.bytes());
      to.texture(index, (await image.texture).clone(), described.alpha);
      shown.set(index, { ...image, alpha: described.alpha });
    } catch (error) {
      losses.push({ file: image.name, what: "the image", why: error.message });
    }
  }
  return shown;
}

async function showTree() {
  const { nodes, open: opened } = await contents({ files: set.includes(active) ? set : [active], active, scene, stage, chooseBone, chooseClip, chooseName: showName, chooseVertex: (place) => chooseVertex(place).catch(failed), choosePlace: async (file, place) => {
    if (file !== active) await activate(file);
    await jump(place);
  } });
  tree.show(nodes, opened);
}

function clips(before) {
  const own = stage?.clips ?? [];
  $("clip").replaceChildren(el("option", { value: "" }, own.length ? "Bind pose" : "No clips"),
    ...own.map((clip, index) => el("option", { value: index }, clipLabel(clip, index))));
  $("clip").disabled = !own.length;
  $("clip").value = before && before.clip < own.length ? before.clip : own.length ? "0" : "";
  selectClip(before?.time ?? 0);
}

function chooseClip(name) {
  const index = stage?.clips.findIndex((clip) => clip.name === name) ?? -1;
  if (index < 0) return;
  $("clip").value = index;
  selectClip();
}

/** Chooses the first clip of an animation. */
function chooseClipOf(file) {
  const names = [...(file.about?.info?.clips ?? []).map(({ name }) => name), file.name.replace(/\.[^.]+$/, "")];
  const name = names.find((own) => stage?.clips.some((clip) => clip.name === own));
  if (name !== undefined) chooseClip(name);
}

function selectClip(time = 0) {
  const { value } = $("clip");
  stage?.clip(value === "" ? -1 : Number(value));
  comparison.clip();
  const duration = stage?.duration ?? 0;
  $("time").max = duration || 1;
  $("time").disabled = $("play").disabled = !duration;
  stage?.seek(time);
  stage?.refit();
  clock();
  ticks();
}

/** Draws the times of the keys of the chosen bone above the time. */
function ticks() {
  const canvas = $("ticks");
  canvas.width = canvas.clientWidth * devicePixelRatio;
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
  const duration = stage?.duration ?? 0;
  for (const time of duration && chosenBone >= 0 ? stage.keys(chosenBone) : []) context.fillRect(8 + (time / duration) * (canvas.width - 16) - 0.5, 0, 1.5, 6);
}

const icon = (button, name) => $(button).querySelector("use").setAttribute("href", `#i-${name}`);

function clock() {
  const [time, duration] = [stage?.time ?? 0, stage?.duration ?? 0];
  if (document.activeElement !== $("time") || stage?.playing) $("time").value = time;
  $("clock").textContent = duration ? `${time.toFixed(2)} / ${duration.toFixed(2)} s` : "";
  $("time").setAttribute("aria-valuetext", `${time.toFixed(2)} seconds`);
  const playing = Boolean(stage?.playing);
  icon("play", playing ? "pause" : "play");
  $("play").setAttribute("aria-label", playing ? "Pause" : "Play");
}

function togglePlay() {
  if ($("play").disabled) return;
  stage.play(!stage.playing);
  clock();
}

function toggle(id, option, on = $(id).getAttribute("aria-pressed") !== "true") {
  $(id).setAttribute("aria-pressed", on);
  keep(id, on ? "1" : "0");
  stage?.set({ [option]: on });
}

function markBone(bone) {
  chosenBone = bone;
  stage?.choose(bone);
  tree.choose(`bone ${bone}`);
  ticks();
}

function chooseBone(bone) {
  markBone(bone);
  const { name } = scene.bones[bone];
  const nth = scene.bones.slice(0, bone).filter((other) => other.name === name).length;
  return showName("bone", name, nth);
}

/** Shows the record that a vertex comes from. */
async function chooseVertex(place) {
  const source = await ask("vertex", place);
  const file = source && files.list.find(({ id }) => id === source.id);
  if (!file) return say("This vertex comes from no single record.");
  if (file !== active) await activate(file);
  await jump({ path: source.path });
}

/** Shows the record that defines the `nth` object with a name, in the active file if it is there. */
async function showName(entity, name, nth = 0) {
  const order = [active, ...set.filter((file) => file !== active)].filter(({ error }) => !error);
  for (const file of order) {
    file.names ??= await askOf(file, "names").catch(() => []);
    const same = (file.names ?? []).filter((own) => own.entity === entity && own.definition && own.text === name);
    const found = same[Math.min(nth, same.length - 1)];
    if (!found) continue;
    if (file !== active) await activate(file);
    const places = await ask("locate", { id: file.id, path: recordOf(found.path) }).catch(() => ask("locate", { id: file.id, path: found.path }));
    await jump({ start: Math.min(...places.map(({ start: from }) => from)), end: Math.max(...places.map(({ end }) => end)), path: found.path }, { keepBone: true, path: found.path });
    return;
  }
  say(`No field defines the ${entity} “${name}”.`);
}

/** Returns the object of the model that a value of a file refers to by index; null if there is none. */
function elsewhere(kind, value) {
  const object = { bone: scene?.bones, material: scene?.materials }[kind]?.[value];
  if (!object) return null;
  const nth = kind === "bone" ? scene.bones.slice(0, value).filter(({ name }) => name === object.name).length : 0;
  return { label: object.label, act: () => showName(kind, object.name, nth).catch(failed) };
}

/** Adds a valid file with what can be read of the active one. */
async function rescue() {
  const { name, format, id } = active;
  const { files: [made], losses } = await ask("rescue", { id, name, format });
  const { added: [file] } = await files.add([{ name: `rescued_${name}`, format, bytes: async () => made.bytes, rescued: { from: name, losses } }]);
  await activate(file);
  showTab("summary");
  say(`Rescued with ${counted(losses.length, "loss", "losses")}.`, { label: "Download", act: () => download().catch(failed) });
}

function history() {
  $("download").hidden = !active.edits.length && !active.rescued;
  $("undo").hidden = $("redo").hidden = !active.edits.length && !active.redo.length;
  $("undo").disabled = !active.edits.length;
  $("redo").disabled = !active.redo.length;
  const named = (label, edit, shortcut) => `${label}${edit ? ` ${describeEdit(edit)}` : ""} (${shortcut})`;
  $("undo").title = named("Undo", active.edits.at(-1), "Ctrl+Z");
  $("redo").title = named("Redo", active.redo.at(-1), "Ctrl+Y");
}

/** Shows a file after its bytes changed; reports the findings that the change caused. */
async function edited(file, before, { place } = {}) {
  history();
  listFiles();
  await showBytes(true);
  if (place) {
    const field = await view.select(place);
    await selectField(field, place, { keepBone: true });
  }
  await Promise.all([...set.map((own) => files.examine(own)), rebuild(true)]);
  await showComparison();
  const last = file.edits.at(-1);
  if (last && before && file.report) {
    last.caused = edits.caused(before, file.report).map((finding) => `${finding.severity} ${finding.rule}: ${finding.name ?? finding.path} ${finding.message}`);
    if (last.caused.length) {
      const canRename = last.verb === "set" && file.names?.some(({ path, definition }) => path === last.path && definition);
      say(`The change causes ${last.caused[0]}${last.caused.length > 1 ? ` and ${last.caused.length - 1} more` : ""}.`,
        canRename
          ? { bad: true, label: "Rename everywhere instead", act: () => undo().then(() => rename({ path: last.path, name: last.name, value: last.before }, last.value)).catch(failed) }
          : { bad: true, label: "Undo", act: () => undo() });
    }
  }
  panel();
}

async function setValue(field, value) {
  say("");
  const [file, before] = [active, active.report];
  const result = await edits.edit(file, { verb: "set", path: field.path, name: field.name, value, before: field.value });
  await edited(file, before, { place: result.places[0] });
}

/** Sets the parts of a point, a rotation or a colour at once. */
async function setValues(part, steps) {
  if (!steps.length) return;
  say("");
  const [file, before] = [active, active.report];
  await edits.editAll(file, part, steps);
  await edited(file, before, { place: (await ask("locate", { id: file.id, path: steps[0].path }))[0] });
}

/** The files of the set that could be decoded. */
const decoded = () => set.filter(({ opened, error }) => opened && !error);

/** Multiplies all lengths of the set by a factor. */
async function scale(factor) {
  say("");
  const [file, before] = [active, active.report];
  await edits.scaleAll(decoded(), factor);
  await edited(file, before);
  stage?.fit();
}

async function rename(field, value) {
  say("");
  const [file, before] = [active, active.report];
  const { count: changed, others } = await edits.renameAll(file, decoded(), { path: field.path, name: field.name, value });
  const [place] = await ask("locate", { id: file.id, path: field.path });
  await edited(file, before, { place });
  if ($("message").hidden) {
    const references = changed - 1 - others;
    say(`Renamed${references ? ` with ${counted(references, "reference")}` : ""}${others ? `, and in ${counted(others, "other file")} of the set` : ""}.`);
  }
}

async function replayed(change) {
  const file = active;
  await change;
  await edited(file, null, { place: selected?.field && (await ask("locate", { id: file.id, path: selected.field.path }).catch(() => []))[0] });
}

const describeEdit = ({ path, name, before, value }) => `${name ?? path}: ${before} → ${value}`;

/** Reverts an edit of the active file, and those in other files that were one with it. */
function revert(index) {
  const { group } = active.edits[index];
  const others = group ? files.list.filter((file) => file !== active && file.edits.some((edit) => edit.group === group)) : [];
  return replayed(Promise.all([edits.revert(active, index), ...others.map((file) => edits.revert(file, file.edits.findIndex((edit) => edit.group === group)))])).catch(failed);
}

/** Undoes or redoes the last edit of the active file, and those in other files that were one with it. */
async function again(list, act, label) {
  const last = active?.[list].at(-1);
  if (!last) return;
  const one = files.list.filter((file) => file === active || (last.group && file[list].at(-1)?.group === last.group));
  await replayed(Promise.all(one.map(act)));
  say(`${label}: ${describeEdit(last)}.`);
}
const undo = () => again("edits", edits.undo, "Undone");
const redo = () => again("redo", edits.redo, "Done again");

const COPIES = { path: "Path", name: "Path by names", value: "Value", hex: "Bytes as hex", c: "Bytes as a C array", command: "bindpose set …" };

async function copy(what, field) {
  const range = view.selected ?? field;
  const bytes = ["hex", "c"].includes(what) ? await ask("slice", { id: active.id, start: range.start, end: range.end }) : [];
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  const texts = {
    path: field?.path, name: field?.name, value: field?.value, hex: digits.join(" "), c: `{ ${digits.map((pair) => `0x${pair}`).join(", ")} }`,
    command: field && edits.commands({ name: active.name, edits: [{ verb: "set", path: field.path, value: field.value }] }),
  };
  await copyText(texts[what]);
  say(`Copied ${COPIES[what].toLowerCase()}: ${texts[what].length > 80 ? `${texts[what].slice(0, 80)}…` : texts[what]}`);
}

async function goTo(event) {
  event.preventDefault();
  const value = $("goto-input").value.trim();
  $("goto-error").textContent = "";
  if (!value) return;
  try {
    if (/^(0x[0-9a-f]+|\d+)$/i.test(value)) {
      const offset = Number(value);
      if (offset >= active.length) throw new Error(`the file ends at ${hex(active.length)}`);
      await jump({ start: offset, end: offset + 1 }, { focus: true });
    } else {
      await jump({ path: value }, { focus: true });
    }
  } catch (error) {
    $("goto-error").textContent = error.message;
  }
}

const download = async () => save(active.name, await ask("bytes", { id: active.id }));

async function reopen(format) {
  await files.reopen(active, format);
  scene = null;
  await activate(active);
}

function drawer(on = $("drawer").hidden) {
  $("drawer").hidden = !on;
  $("drawer-toggle").setAttribute("aria-expanded", on);
  keep("drawer", on ? "1" : "");
  if (on && selected) void view.select({ ...selected, path: "" }).then(() => text.select(selected));
  if (on && active) void showComparison().catch(failed);
}

function pane(name) {
  for (const id of ["bytes", "text", "diff"]) {
    $(id).hidden = id !== name;
    $(`pane-${id}`).setAttribute("aria-selected", id === name);
    $(`pane-${id}`).tabIndex = id === name ? 0 : -1;
  }
  if (name === "text") void text.select(selected ?? { start: 0, end: 0 });
  if (name === "diff") void comparison.show(active).catch(failed);
}

const search = new Search([
  async (query) => containing(Object.entries({ "Show all": () => stage?.fit(), "Export": () => exporter.open(), "Copy a link": copyLink, "Bytes": () => drawer(true), "All files": () => showTable(true), "Undo": undo, "Redo": redo })
    .map(([label, act]) => ({ label, detail: "action", act })), query),
  async (query) => {
    if (!/^(0x[0-9a-f]+|\d+)$/i.test(query) || Number(query) >= (active?.length ?? 0)) return [];
    return [{ label: hex(Number(query)), detail: "offset", act: () => { drawer(true); return jump({ start: Number(query), end: Number(query) + 1 }); } }];
  },
  async (query) => {
    const [place] = (query && (await askOf(active, "locate", { path: query }, []))) || [];
    return place ? [{ label: place.path, detail: `path, ${hex(place.start)}`, act: () => jump(place) }] : [];
  },
  async (query) => containing((scene?.bones ?? []).map(({ label: own }, bone) => ({ label: own, detail: "bone", act: () => chooseBone(bone) })), query),
  async (query) => containing((scene?.clips ?? []).map(({ name, label: own }) => ({ label: own, detail: "clip", act: () => chooseClip(name) })), query),
  async (query) => containing((scene?.materials ?? []).map(({ name, label: own }) => ({ label: own, detail: "material", act: () => showName("material", name) })), query),
  async (query) => containing((active?.report?.findings ?? []).map((finding) => ({ label: `${finding.name ?? finding.path} ${finding.message}`, detail: finding.rule, act: () => jump(finding) })), query),
  async (query) => (query.length > 1 ? ((await askOf(active, "search", { text: query, most: 12, by: "search" }, [])) ?? []) : [])
    .map(({ path, name, value, start: from, end }) => ({ label: name ? `${name} = ${value}` : `${path} = ${value}`, detail: `field, ${hex(from)}`, act: () => jump({ start: from, end, path }) })),
  async (query) => containing(files.list.map((file) => ({ label: file.path, detail: "file", act: () => activate(file) })), query),
  async (query) => {
    const wantedBytes = pattern(query);
    const found = wantedBytes ? await askOf(active, "find", { ...wantedBytes, most: 12 }, []) : [];
    return found.map((at) => ({ label: hex(at), detail: "bytes", act: () => { drawer(true); return jump({ start: at, end: at + wantedBytes.pattern.length }); } }));
  },
]);

/** Copies a link to the file, the selected place, the clip, its time and the view. */
async function copyLink() {
  const clip = stage?.clips[Number($("clip").value)]?.name;
  const look = $("look").value;
  const state1 = {
    file: active.name, path: selected?.field?.path, clip: $("clip").value === "" ? undefined : clip, t: $("clip").value === "" ? undefined : stage?.time.toFixed(3),
    view: stage?.view.join(","), look: look === "lit" ? undefined : look, up: active.up, unit: active.unit, ranges,
    bones: Number(stage?.options.bones), colors: stage?.options.colors === null ? undefined : Number(stage?.options.colors), background: stage?.background,
  };
  window.history.replaceState(null, "", share.write(state1));
  await copyText(location.href);
  say("Copied a link. It opens this place where the page has the file, such as in a page of bindpose preview; otherwise, after the file is opened.");
}

/** Whether the state that is asked for is one of the active file. */
const isWanted = () => !wanted.file || wanted.file === active.name;

/** Uses the state of the address or of `preview`, once. */
function useWanted() {
  if (!isWanted()) return;
  const { path, clip, t, view: camera, look, bones, colors, background } = wanted;
  wanted = {};
  if (clip !== undefined) {
    chooseClip(clip);
    if (t !== undefined) stage?.seek(t);
    clock();
  }
  if (look in LOOKS) showLook(look);
  if (bones !== undefined) {
    $("bones-on").setAttribute("aria-pressed", bones === "1");
    stage?.set({ bones: bones === "1" });
  }
  if (colors !== undefined) {
    $("colors-on").checked = colors === "1";
    stage?.set({ colors: colors === "1" });
  }
  if (/^#[0-9a-f]{6}$/i.test(background ?? "") && stage) stage.background = background;
  if (camera && stage) stage.view = camera;
  if (path) jump({ path }).catch(failed);
}

function keys(event) {
  const control = event.ctrlKey || event.metaKey;
  const isText = event.target.closest("input[type=text], textarea");
  const combined = { k: () => search.open(), j: () => drawer(), ...(!isText && { z: () => (event.shiftKey ? redo() : undo()).catch(failed), y: () => redo().catch(failed) }) };
  if (control && !event.altKey && combined[event.key.toLowerCase()] && active && !document.querySelector("dialog[open]")) {
    event.preventDefault();
    return combined[event.key.toLowerCase()]();
  }
  if (control || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input:not([type=range]):not([type=checkbox]), select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const order = ["summary", "selection", "findings", "model", "changes"];
  const frame = (seconds) => () => { stage.play(false); stage.seek(stage.time + seconds); clock(); };
  const actions = {
    o: () => $("picker").click(), b: () => toggle("bones-on", "bones"), w: () => toggle("wire-on", "wireframe"), g: () => toggle("grid-on", "grid"),
    f: () => stage?.fit(), ",": frame(-1 / 30), ".": frame(1 / 30), "[": () => step(-1), "]": () => step(1),
    "/": () => { drawer(true); $("goto-input").select(); }, "?": () => $("shortcuts").showModal(),
    escape: () => { if (!$("table").hidden) showTable(false); say(""); },
  };
  if (event.key === " " && !event.target.closest("button, summary, #tree")) actions[" "] = togglePlay;
  if (/^[1-5]$/.test(event.key)) actions[event.key] = () => showTab(order[event.key - 1], true);
  const action = actions[event.key.toLowerCase()];
  if (!action || ($("work").hidden && !["o", "?", "escape"].includes(event.key.toLowerCase()))) return;
  event.preventDefault();
  action();
}

function listen() {
  const openAll = (items, options) => open(items, options).catch(failed);
  for (const id of ["open", "open-empty"]) $(id).addEventListener("click", () => $("picker").click());
  $("open-folder").addEventListener("click", () => $("folder-picker").click());
  $("picker").addEventListener("change", () => { void openAll([...$("picker").files].map(fromFile)); $("picker").value = ""; });
  $("folder-picker").addEventListener("change", () => { void openAll([...$("folder-picker").files].map(fromFile), { isFolder: true }); $("folder-picker").value = ""; });
  let depth = 0;
  addEventListener("dragenter", () => { depth += 1; $("over").hidden = false; });
  addEventListener("dragleave", () => { depth -= 1; $("over").hidden = depth <= 0; });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    $("over").hidden = true;
    void busy(() => dropped(event.dataTransfer).then(({ items, isFolder }) => openAll(items, { isFolder }), failed));
  });
  addEventListener("keydown", keys);
  addEventListener("beforeunload", (event) => { if (files.list.some((file) => file.edits.length)) event.preventDefault(); });
  addEventListener("hashchange", () => {
    wanted = share.read(location.hash);
    const file = files.list.find(({ name }) => name === wanted.file);
    if (file && file !== active) activate(file).catch(failed);
    else if (active) rebuild().catch(failed);
  });
  files.addEventListener("changed", ({ detail: file }) => {
    if (!files.list.length) return;
    table.update(file);
    if (!file || files.list.length <= MOST_LISTED || set.includes(file)) listFiles();
    if (!file || file !== active) return;
    panel();
    status();
    view.mark(marks(file));
    text.mark(marks(file));
    if (file?.report) void showTree();
  });
  $("message-close").addEventListener("click", () => say(""));
  $("help").addEventListener("click", () => $("shortcuts").showModal());
  $("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    keep("theme", theme);
    stage?.theme();
  });
  arrows($("tabs"));
  arrows($("panes"));
  for (const button of $("tabs").children) button.addEventListener("click", () => showTab(button.dataset.tab));
  for (const button of $("panes").children) button.addEventListener("click", () => pane(button.dataset.pane));
  $("find").addEventListener("click", () => search.open());
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  $("table-open").addEventListener("click", () => showTable(true));
  $("table-close").addEventListener("click", () => showTable(false));
  $("close-all").addEventListener("click", () => closeAll().catch(failed));
  $("undo").addEventListener("click", () => undo().catch(failed));
  $("redo").addEventListener("click", () => redo().catch(failed));
  $("share").addEventListener("click", () => copyLink().catch(failed));
  $("download").addEventListener("click", () => download().catch(failed));
  $("tree-filter").addEventListener("input", () => tree.filter($("tree-filter").value));
  $("findings-filter").addEventListener("input", panel);
  $("look").append(...Object.entries(LOOKS).map(([value, label]) => el("option", { value }, label)));
  $("look").addEventListener("change", () => stage?.set({ look: $("look").value }));
  $("play").addEventListener("click", togglePlay);
  $("clip").addEventListener("change", () => selectClip());
  $("speed").addEventListener("change", () => stage?.set({ speed: Number($("speed").value) }));
  $("loop").addEventListener("click", () => toggle("loop", "loop"));
  $("time").addEventListener("input", () => { stage.play(false); stage.seek(Number($("time").value)); clock(); });
  for (const [id, option] of [["bones-on", "bones"], ["wire-on", "wireframe"], ["grid-on", "grid"]]) $(id).addEventListener("click", () => toggle(id, option));
  for (const [id, option] of [["colors-on", "colors"], ["cull-on", "cull"]]) $(id).addEventListener("change", () => stage?.set({ [option]: $(id).checked }));
  $("names").value = kept("names") ?? "";
  $("names").addEventListener("change", () => relabel()?.catch(failed));
  for (const id of ["up", "unit"]) {
    $(id).addEventListener("change", () => {
      convene({ up: $("up").value, unit: $("unit").value });
      rebuild(true).then(() => stage?.fit(), failed);
    });
  }
  $("frame").addEventListener("click", () => stage?.fit());
  addEventListener("pointerdown", ({ target }) => { if (!target.closest("#more")) $("more").open = false; });
  $("more").addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !$("more").open) return;
    $("more").open = false;
    $("more").firstElementChild.focus();
    event.stopPropagation();
  });
  comparison = new Comparison(files, { stage, jump, failed, conventions, attach, compared: (file) => file === active && view.mark(marks(file)) });
  exporter = new Exporter({ model: () => ({ name: stem(active.name), stage, scene, images: shownImages }), failed });
  $("export").addEventListener("click", () => exporter.open());
  stage?.addEventListener("drawn", clock);
  stage?.addEventListener("bone", ({ detail }) => chooseBone(detail).catch(failed));
  stage?.addEventListener("vertex", ({ detail }) => chooseVertex(detail).catch(failed));
  stage?.addEventListener("hover", ({ detail: { bone, x, y } }) => {
    $("hover").hidden = bone < 0;
    $("hover").textContent = bone < 0 ? "" : scene.bones[bone].label;
    $("hover").style.setProperty("left", `${x + 12}px`);
    $("hover").style.setProperty("top", `${y + 8}px`);
  });
  view.addEventListener("choose", ({ detail: { field, edit } }) => selectField(field, field, { edit }).catch(failed));
  text.addEventListener("choose", ({ detail }) => jump({ start: detail, end: detail + 1 }).catch(failed));
  $("goto").addEventListener("submit", goTo);
  $("drawer-toggle").addEventListener("click", () => drawer());
  $("drawer-close").addEventListener("click", () => drawer(false));
  const resize = (height) => {
    const own = Math.round(Math.max(120, Math.min(height, innerHeight - 300)));
    $("drawer").style.setProperty("--drawer", `${own}px`);
    $("drawer-size").setAttribute("aria-valuenow", own);
    keep("drawer-height", own);
  };
  $("drawer-size").addEventListener("pointerdown", ({ pointerId }) => $("drawer-size").setPointerCapture(pointerId));
  $("drawer-size").addEventListener("pointermove", ({ buttons, clientY }) => { if (buttons) resize($("drawer").getBoundingClientRect().bottom - clientY); });
  $("drawer-size").addEventListener("keydown", ({ key: own }) => resize($("drawer").clientHeight + ({ ArrowUp: 20, ArrowDown: -20 }[own] ?? 0)));
  if (kept("drawer-height")) resize(Number(kept("drawer-height")));
  $("status-verdict").addEventListener("click", () => showTab("summary", true));
  $("status-findings").addEventListener("click", () => showTab("findings", true));
  for (const button of $("phone").children) {
    button.addEventListener("click", () => {
      showSheet(button.dataset.sheet);
      document.body.classList.add("sheet-used");
    });
  }
  // The whole model has the screen again at the top of the page.
  addEventListener("scroll", () => { if (!scrollY) document.body.classList.remove("sheet-used"); }, { passive: true });
  showSheet("details");
  pane("bytes");
  // As they were left.
  for (const [id, option] of [["bones-on", "bones"], ["grid-on", "grid"], ["loop", "loop"]]) if (kept(id)) toggle(id, option, kept(id) === "1");
  if (kept("drawer") && innerWidth > 760) drawer(true);
  new ResizeObserver(ticks).observe($("ticks"));
}

/** Returns the files in the page, which are compressed: those of `preview`, or those of the samples. */
function embedded(attribute) {
  return [...document.querySelectorAll(`script[data-${attribute}]`)].map(({ dataset, textContent }) => ({
    name: dataset[attribute], format: dataset.format, label: dataset.label,
    bytes: async () => (attribute === "sample" ? gunzip(sevenBits(textContent)) : gunzip(base64(textContent), "deflate-raw")),
  }));
}

async function main() {
  listen();
  const started = await start();
  ({ formats } = started);
  exporter.offer(formats);
  $("version").textContent = `bindpose ${started.version}`;
  const extensions = [...new Set(formats.flatMap((format) => format.extensions))].sort();
  $("extensions").textContent = extensions.map((extension) => `.${extension}`).join(" ");
  for (const [label, own] of Map.groupBy(embedded("sample"), ({ label: name }) => name)) {
    $("samples").append(el("button", { type: "button", onclick: () => open(own, { sample: true }).catch(failed) }, label));
  }
  wanted = { ...share.read(document.querySelector("script[data-view]")?.dataset.view ?? ""), ...share.read(location.hash) };
  ({ ranges } = wanted);
  document.documentElement.dataset.ready = "";
  const own = embedded("file");
  if (own.length) await open(own);
}

main().catch((error) => say(`The viewer cannot start: ${error.message}`, { bad: true }));
