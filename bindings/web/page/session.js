// The open files: which are listed, which one is shown, and with which others.
import { chooseClipOf } from "./clips.js";
import { panel, showBytes, showComparison, status } from "./details.js";
import { $, counted, el, several } from "./dom.js";
import { decoded, history } from "./editing.js";
import { isUnsaved } from "./edits.js";
import { attach, rebuild, showTree } from "./model.js";
import { reminder, showWanted } from "./places.js";
import { active, busy, comparison, confirm, failed, files, put, rebuilds, renew, say, scene, set, shownImages, stage, tab, tree, view, wanted } from "./state.js";
import { Table } from "./table.js";
import { Thumbnails } from "./thumbnails.js";
import { condition, dot } from "./verdict.js";

/** The most files that are listed beside the model; more are a table. */
export const MOST_LISTED = 12;

/** Looks for files of the set while files are described. */
let scanning;

const thumbnails = new Thumbnails(attach, (file) => files.beside(file));

export const table = new Table(files, { thumbnail: (file) => thumbnails.element(file), choose: (file) => { showTable(false); return activate(file); } });

export const open = (items, options) => busy(() => openItems(items, options));

export const activate = (file) => busy(() => activateFile(file));

/** Opens files: each `{ name, format, bytes() }`; without a format, it is detected. Samples give way to other files. */
async function openItems(items, { sample = false, isFolder = false } = {}) {
  say("");
  const { added, unknown, skipped, images } = await files.add(items, { sample, isFolder });
  const trouble = [unknown.length && `Skipped ${counted(unknown.length, "file")} of other formats: ${several(unknown)}.`,
    skipped && `Only the first ${files.list.length.toLocaleString("en")} files are listed.`, files.list.length && reminder()].filter(Boolean);
  if (!files.list.length) {
    const pictures = files.images.size ? "An image is shown on a model: open the model, too." : "";
    say(unknown.length ? `Not a supported format: ${several(unknown)}.` : pictures || "The folder contains no files.", { bad: !pictures });
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
    if (scene) put({ shownImages: await attach(stage, scene, decoded()) });
    panel();
    if (images.length && scene && !isUsed(images)) trouble.push(`No material of the model has the texture ${several(images)}. The tab Model lists the materials and their textures.`);
    listFiles();
  }
  if (trouble.length) say(trouble.join(" "));
  scanning ??= setInterval(() => regroup().catch(failed), 2000);
  void files.scan();
}

/** Returns whether any of the images is on the model, or would be if it could be read. */
const isUsed = (names) => [...shownImages.values(), ...scene.losses.map(({ file }) => ({ name: file }))].some(({ name }) => names.includes(name));

/** Adds files to the list, and returns them described; the shown file stays. */
export async function addBeside(items) {
  const { added } = await files.add(items, { keepsSamples: true });
  await Promise.all(added.map((file) => files.describe(file)));
  listFiles();
  return added;
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
  put({ set: own });
  history();
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

/** Removes a file from the list; asks if it has edits that are not saved. */
async function close(file) {
  if (isUnsaved(file) && !(await confirm(`${file.name} has changes that are not saved.`, "Discard"))) return;
  const at = files.list.indexOf(file);
  files.remove(file);
  comparison.drop(file);
  if (!files.list.length) return showStart();
  if (file === active || set.includes(file)) await activate(files.list[Math.min(at, files.list.length - 1)]);
  else {
    listFiles();
    await showComparison();
  }
}

/** Closes all files; asks if any has edits that are not saved. */
export async function closeAll() {
  const edited = files.list.filter(isUnsaved);
  if (edited.length && !(await confirm(`${counted(edited.length, "file")} with changes that are not saved.`, "Discard"))) return;
  files.clear();
  showStart();
}

/** Shows the start page. */
function showStart() {
  renew();
  put({ active: null, set: [], scene: null, selected: null, chosenBone: -1, tab: "summary" });
  comparison.end();
  table.clear();
  stage?.clear();
  for (const id of ["work", "status", "find", "nav", "share", "export", "download", "undo", "redo", "table"]) $(id).hidden = true;
  $("empty").hidden = false;
  tree.show([]);
  void view.show(0);
  document.title = "bindpose viewer";
  showWanted();
  say("");
}

/** Shows a file with its set. */
async function activateFile(file) {
  if (!file) return;
  const request = renew();
  say("");
  $("goto-error").textContent = "";
  if (active) active.place = view.selected;
  if (active !== file) comparison.end();
  // The selection is that of another file.
  put({ active: file, selected: null, tab: tab === "selection" ? "summary" : tab });
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
  put({ set: own });
  history();
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

export async function reopen(format) {
  await files.reopen(active, format);
  put({ scene: null });
  await activate(active);
}

export function listFiles() {
  const many = files.list.length > MOST_LISTED;
  const shown = many ? (set.length ? set : [active].filter(Boolean)).slice(0, 100) : files.list;
  $("table-open").hidden = files.list.length < 2;
  $("table-open").textContent = many ? `All ${files.list.length.toLocaleString("en")}` : "Table";
  $("close-all").hidden = files.list.length < 2;
  $("files").replaceChildren(...shown.map((file) => el(`div.file${file === active ? ".active" : ""}${set.includes(file) ? ".inset" : ""}`, {},
    el("button.open", { type: "button", title: `${file.path}: ${condition(file).words}`, aria: { current: file === active }, onclick: () => activate(file).catch(failed) },
      dot(file), el("span.title", {}, file.name), isUnsaved(file) ? el("span.edited", { title: "has changes that are not saved" }, "•") : ""),
    el("button.close", { type: "button", title: "Close", aria: { label: `Close ${file.name}` }, onclick: () => close(file).catch(failed) }, "×"))));
  for (const [id, by] of [["previous", -1], ["next", 1]]) $(id).disabled = !neighbour(by) || !$("table").hidden;
}

/** Returns the file before or after the active one in the table; in the list if the table's filter excludes it. */
function neighbour(by) {
  const { order: own } = table;
  const order = own.includes(active) ? own : files.list;
  return order[order.indexOf(active) + by];
}

export function showTable(on) {
  $("table").hidden = !on;
  $("work").hidden = $("status").hidden = on;
  listFiles();
  if (on) table.show(active);
}

export const step = (by) => activate(neighbour(by)).catch(failed);
