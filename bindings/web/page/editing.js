// Edits of the active file as its user makes and takes back.
import { ask } from "./client.js";
import { panel, showBytes, showComparison, showTab } from "./details.js";
import { $, counted, save } from "./dom.js";
import * as edits from "./edits.js";
import { rebuild } from "./model.js";
import { selectField } from "./selection.js";
import { activate, listFiles } from "./session.js";
import { active, failed, files, say, selected, set, shownSet, stage, stem, view } from "./state.js";
import { zip } from "./zip.js";

/** Adds a valid file with what can be read of the active one. */
export async function rescue() {
  const { name, format, id } = active;
  const { files: [made], losses } = await ask("rescue", { id, name, format });
  const { added: [file] } = await files.add([{ name: `rescued_${name}`, format, bytes: async () => made.bytes, rescued: { from: name, losses } }]);
  await activate(file);
  showTab("summary");
  say(`Rescued with ${counted(losses.length, "loss", "losses")}.`, { label: "Download", act: () => download().catch(failed) });
}

export function history() {
  $("download").hidden = !downloadable().length;
  $("undo").hidden = $("redo").hidden = !active.edits.length && !active.redo.length;
  $("undo").disabled = !active.edits.length;
  $("redo").disabled = !active.redo.length;
  const named = (label, edit, shortcut) => `${label}${edit ? ` ${describeEdit(edit)}` : ""} (${shortcut})`;
  $("undo").title = named("Undo", active.edits.at(-1), "Ctrl+Z");
  $("redo").title = named("Redo", active.redo.at(-1), "Ctrl+Y");
}

/** Shows a file after its bytes changed; reports the findings that the change caused. */
export async function edited(file, before, { place } = {}) {
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

export async function setValue(field, value) {
  say("");
  const [file, before] = [active, active.report];
  const result = await edits.edit(file, { verb: "set", path: field.path, name: field.name, value, before: field.value });
  await edited(file, before, { place: result.places[0] });
}

/** Sets the parts of a point, a rotation or a colour at once. */
export async function setValues(part, steps) {
  if (!steps.length) return;
  say("");
  const [file, before] = [active, active.report];
  await edits.editAll(file, part, steps);
  await edited(file, before, { place: (await ask("locate", { id: file.id, path: steps[0].path }))[0] });
}

/** The files of the set that could be decoded. */
export const decoded = () => set.filter(({ opened, error }) => opened && !error);

/** Transforms the files of the set. */
export async function transform(operations) {
  say("");
  const [file, before] = [active, active.report];
  await edits.transformAll(decoded(), operations);
  await edited(file, before);
  stage?.fit();
}

export async function rename(field, value) {
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

export async function replayed(change) {
  const file = active;
  await change;
  await edited(file, null, { place: selected?.field && (await ask("locate", { id: file.id, path: selected.field.path }).catch(() => []))[0] });
}

const describeEdit = ({ path, name, before, value }) => `${name ?? path}: ${before === undefined ? "" : `${before} → `}${value}`;

/** Reverts an edit of the active file, and those in other files that were one with it. */
export function revert(index) {
  const { group } = active.edits[index];
  const others = group ? files.list.filter((file) => file !== active && file.edits.some((edit) => edit.group === group)) : [];
  return replayed(Promise.all([edits.revert(active, index), ...others.map((file) => edits.revert(file, file.edits.findIndex((edit) => edit.group === group)))])).catch(failed);
}

/** Undoes or redoes the last edit of the active file, and those in other files that were one with it. */
export async function again(list, act, label) {
  const last = active?.[list].at(-1);
  if (!last) return;
  const one = files.list.filter((file) => file === active || (last.group && file[list].at(-1)?.group === last.group));
  await replayed(Promise.all(one.map(act)));
  say(`${label}: ${describeEdit(last)}.`);
}

export const undo = () => again("edits", edits.undo, "Undone");

export const redo = () => again("redo", edits.redo, "Done again");

/** Reverts all edits of the files of the set. */
export const revertAll = () => replayed(Promise.all(changedFiles().map(edits.revertAll)));

/** The files of the set that have edits. */
export const changedFiles = () => shownSet().filter((file) => file.edits.length);

/** The files of the set that are not on the disk as they are here. */
const downloadable = () => shownSet().filter((file) => file.edits.length || file.rescued);

/** Returns paths without the directory that all have in common. */
function relative(paths) {
  const [first, ...others] = paths.map((path) => path.split("/"));
  let depth = 0;
  while (depth < first.length - 1 && others.every((steps) => depth < steps.length - 1 && steps[depth] === first[depth])) depth += 1;
  return [first, ...others].map((steps) => steps.slice(depth).join("/"));
}

/** Saves the changed files of the set: one as it is, several as a ZIP archive. */
export async function download() {
  const changed = downloadable();
  const contents = await Promise.all(changed.map(({ id }) => ask("bytes", { id })));
  const name = changed.length > 1 ? `${stem(active.name)}.zip` : changed[0].name;
  const names = relative(changed.map(({ path }) => path));
  save(name, changed.length > 1 ? zip(names.map((own, at) => ({ name: own, bytes: contents[at] }))) : contents[0]);
  changed.forEach(edits.markSaved);
  listFiles();
  say(`Downloaded ${name}${changed.length > 1 ? ` with ${changed.map((file) => file.name).join(", ")}` : ""}.`);
}
