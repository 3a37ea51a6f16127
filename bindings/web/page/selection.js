// What is selected: a place in a file, with its object in the model and the tree.
import { ask } from "./client.js";
import { ticks } from "./clips.js";
import { editValue, panel, showSheet, status } from "./details.js";
import { $ } from "./dom.js";
import { noteLook, showLook } from "./model.js";
import { activate } from "./session.js";
import { active, askOf, chosenBone, failed, files, put, say, scene, selected, set, stage, tab, text, tree, view } from "./state.js";

/** Bytes of a file that is searched for references at each selection; in larger ones, on demand. */
const SEARCHED = 4_000_000;

/** Selects a place everywhere: a range of bytes, or a path. */
export async function jump(place, { focus = false, keepBone = false, path = null } = {}) {
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
export async function selectField(field, { start: from, end }, { keepBone = false, edit = false } = {}) {
  const file = active;
  put({ selected: { file, field, start: from, end, ownName: null, references: null, related: file.report?.findings.filter((own) => own.start < end && own.end > from) } });
  status();
  void text.select({ start: from, end });
  if (!["findings", "changes"].includes(tab) || edit) put({ tab: "selection" });
  // What is selected in the contents of a small screen is shown.
  if (document.body.dataset.sheet === "side") showSheet("details");
  panel();
  if (edit) editValue();
  if (!field) return;
  if (file.info?.dialect === "xml" && !field.name) field.name = await askOf(file, "element", { at: from });
  status();
  file.names ??= await askOf(file, "names").catch(() => []);
  if (selected.field !== field) return;
  const names = file.names ?? [];
  const own = names.find(({ path }) => path === field.path);
  selected.ownName = own;
  const owner = own ?? names.find((name) => name.definition && field.path.startsWith(`${recordOf(name.path)}.`));
  const isOfBone = owner?.entity === "bone";
  const bone = isOfBone ? scene?.bones.findIndex(({ name }) => name === owner.text) : -1;
  if (!keepBone && bone >= 0) markBone(bone);
  if (owner && !isOfBone) leaveBone();
  const [vertex] = (await askOf(file, "vertices", { path: field.path })) ?? [];
  const list = ((await askOf(file, "parts", { path: parentOf(field.path), first: 0, most: 12 }).catch(() => [])) ?? []).filter(({ parts }) => !parts);
  if (selected.field !== field) return;
  stage?.mark(vertex?.mesh ?? -1, vertex?.vertex ?? 0);
  selected.vertex = vertex;
  if (vertex) selected.influences = stage?.influences(vertex.mesh, vertex.vertex).map((own) => ({ ...own, name: scene.bones[own.bone].label }));
  // A weight shows its bone.
  const weighs = list.find(({ label }) => /^(bone|joint)_(index|id)$/.test(label));
  if (!keepBone && bone < 0 && weighs && scene?.bones[Number(weighs.text)]) markBone(Number(weighs.text));
  const moving = isOfBone && keepBone ? chosenBone : bone;
  if (moving >= 0 && scene?.meshes.length) selected.weighted = await moved(moving);
  if (selected.field !== field) return;
  selected.findReferences = async () => {
    const found = await askOf(file, "references", { path: field.path, most: 50 }).catch(() => null);
    if (selected.field !== field) return;
    Object.assign(selected, { references: found, findReferences: null });
    if (tab === "selection") panel();
  };
  if (/\[\d+\]$/.test(field.path) && list.length > 1 && list.length <= 4) selected.parts = { path: parentOf(field.path), name: field.name && parentOf(field.name), doc: field.doc, list };
  if (tab === "selection") panel();
  if (edit) editValue();
  if (file.length <= SEARCHED) await selected.findReferences();
}

const parentOf = (path) => path.replace(/(\.[^.[\]"]+|\[\d+\])$/, "");

const recordOf = (path) => path.replace(/\.[^.[\]"]+$/, "");

/** Counts the vertices of the files that a bone moves, and those that it moves alone. */
async function moved(bone) {
  const { all, alone } = stage?.weighted(bone) ?? { all: [], alone: [] };
  return { all: await ask("records", { vertices: all }), alone: await ask("records", { vertices: alone }), show: () => showLook("weights") };
}

function highlight(bone) {
  put({ chosenBone: bone });
  stage?.choose(bone);
  noteLook();
  ticks();
}

function markBone(bone) {
  highlight(bone);
  tree.choose(`bone ${bone}`);
}

/** Ends the choice of a bone, after an object of another kind is selected. */
function leaveBone() {
  tree.leave(`bone ${chosenBone}`);
  if (chosenBone >= 0) highlight(-1);
}

export function chooseBone(bone) {
  markBone(bone);
  const { name } = scene.bones[bone];
  const nth = scene.bones.slice(0, bone).filter((other) => other.name === name).length;
  return showName("bone", name, nth);
}

/** Shows the record that a vertex comes from. */
export async function chooseVertex(place) {
  const source = await ask("vertex", place);
  const file = source && files.list.find(({ id }) => id === source.id);
  if (!file) return say("This vertex comes from no single record.");
  if (file !== active) await activate(file);
  await jump({ path: source.path });
}

/** Shows the record that defines the `nth` object with a name, in the active file if it is there. */
export async function showName(entity, name, nth = 0) {
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
export function elsewhere(kind, value) {
  const object = { bone: scene?.bones, material: scene?.materials }[kind]?.[value];
  if (!object) return null;
  const nth = kind === "bone" ? scene.bones.slice(0, value).filter(({ name }) => name === object.name).length : 0;
  return { label: object.label, act: () => showName(kind, object.name, nth).catch(failed) };
}
