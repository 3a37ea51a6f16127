// Edits of files: done, undone, reverted one by one, saved.
import { ask } from "./client.js";
import { described, options } from "./transform.js";

/** Does an edit: sets a value, or renames an object with all references. Returns what it changed. */
export async function edit(file, { verb, path, value, ...about }) {
  const result = await ask(verb, { id: file.id, path, value });
  file.edits.push({ verb, path, value, ...about, count: result.count });
  file.redo = [];
  apply(file, result);
  return result;
}

/** Marks the edits of a file as saved. */
export function markSaved(file) {
  file.saved = [...file.edits];
}

const areSame = (a, b) => a.length === b.length && a.every((edit, at) => edit === b[at]);

/** Returns whether the disk has no file like this one: the one that was opened, unless this was rescued from it, or the one that was saved last. */
export const isUnsaved = ({ edits, rescued, saved }) => ![rescued ? null : [], saved].some((known) => known && areSame(known, edits));

/** Sets several values as one edit of a part: each step is `{ path, value, before }`. */
export async function editAll(file, { path, name }, steps) {
  const texts = (name) => steps.map((step) => step[name]).join(", ");
  await replay(file, [...file.edits, { verb: "set", path, name, value: texts("value"), before: texts("before"), steps }]);
  file.redo = [];
}

/** Renames an object in the file that defines it and in the others of its set, as one edit; returns the numbers of changed names, and of other files. */
export async function renameAll(file, set, { path, name, value }) {
  const names = new Map();
  for (const own of set) names.set(own, (own.names ??= await ask("names", { id: own.id }).catch(() => [])));
  const { entity, text } = names.get(file).find((own) => own.path === path);
  const steps = [...names].map(([own, list]) => [own, own === file ? path : list.find((other) => other.entity === entity && other.text === text)?.path]);
  const found = steps.filter(([, place]) => place !== undefined);
  const fileNames = found.map(([own]) => own.name);
  const results = await together(found.map(([own, place]) => [own, { verb: "rename", path: place, name: own === file ? name : undefined, value, before: text, entity, names: fileNames }]));
  return { count: results.reduce((sum, { count }) => sum + count, 0), others: found.length - 1 };
}

/** Transforms the files of a set, as one edit; only those with a frame rate are re-timed. */
export function transformAll(set, operations) {
  const files = set.filter(({ kind }) => !/material|gltf/.test(kind));
  // An animation moves as the skeleton beside it.
  const beside = files.filter(({ animation }) => !animation).map(({ id }) => id);
  const names = files.map(({ name }) => name);
  const { fps, keeps_duration: keeps, ...others } = operations;
  const ofFile = (file) => (fps === undefined || !hasRate(file) ? others : operations);
  const steps = files.map((file) => [file, ofFile(file)]).filter(([, own]) => Object.keys(own).length);
  if (!steps.length) throw new Error("No file of the model has a frame rate.");
  return together(steps.map(([file, own]) => [file, { verb: "transform", path: "the model", value: described(own), operations: own, beside, names }]));
}

/** Returns whether a file has clips with a frame rate. */
export const hasRate = ({ about }) => Boolean(about?.info?.clips?.some(({ rate }) => rate !== null));

/** Does edits of several files as one: all or none. Returns what each changed. */
async function together(steps) {
  const group = {};
  const results = [];
  for (const [file, step] of steps) {
    try {
      results.push(await (step.verb === "transform" ? append(file, { ...step, group }) : edit(file, { ...step, group })));
    } catch (error) {
      for (const [own] of steps.filter(([{ edits }]) => edits.at(-1)?.group === group)) await replay(own, own.edits.slice(0, -1));
      throw new Error(`${file.name}: ${error.message}`);
    }
  }
  return results;
}

/** Undoes the last edit; returns it. */
export async function undo(file) {
  const last = file.edits.at(-1);
  await replay(file, file.edits.slice(0, -1));
  file.redo.push(last);
  return last;
}

/** Does the edit again that was undone last; returns it. */
export async function redo(file) {
  const last = file.redo.at(-1);
  await replay(file, [...file.edits, last]);
  file.redo.pop();
  return last;
}

async function append(file, step) {
  await replay(file, [...file.edits, step]);
  file.redo = [];
}

/** Reverts one edit; those that follow it stay. */
export const revert = (file, index) => replay(file, file.edits.toSpliced(index, 1));

/** Reverts all edits. */
export const revertAll = (file) => replay(file, []);

async function replay(file, edits) {
  const plain = edits.flatMap(stepsOf).map(({ verb, path, value, operations }) => ({ verb, path, value: String(value), ...operations }));
  apply(file, await ask("replay", { id: file.id, edits: plain, beside: edits.flatMap(({ beside }) => beside ?? []) }));
  file.edits = edits;
}

const stepsOf = (edit) => (edit.steps ?? [edit]).map((step) => ({ ...step, verb: edit.verb }));

function apply(file, { changes, length }) {
  Object.assign(file, { changes, length, size: length, info: undefined, report: undefined, names: undefined });
}

/** Returns the findings of a report that another one does not have; of each rule no more than it has grown by. */
export function caused(before, after) {
  const total = (report, rule) => report.findings.filter((finding) => finding.rule === rule).length + (new Map(report.more).get(rule) ?? 0);
  const known = new Set(before.findings.map(({ rule, path }) => `${rule} ${path}`));
  const left = new Map();
  return after.findings.filter(({ rule, path }) => {
    if (!left.has(rule)) left.set(rule, total(after, rule) - total(before, rule));
    if (known.has(`${rule} ${path}`) || left.get(rule) <= 0) return false;
    left.set(rule, left.get(rule) - 1);
    return true;
  });
}

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Returns the edits of a file as commands; one that renames or transforms names all files that it changes together. */
export function commands({ name, edits }) {
  const runs = [];
  for (const edit of edits.flatMap(stepsOf)) {
    if (edit.verb === "transform") {
      runs.push({ verb: "transform", names: edit.names, args: [options(edit.operations)] });
      continue;
    }
    const names = edit.names ?? [name];
    if (runs.at(-1)?.verb !== edit.verb || String(runs.at(-1).names) !== String(names)) runs.push({ verb: edit.verb, names, args: [] });
    runs.at(-1).args.push(edit.verb === "set" ? quoted(`${edit.path}=${edit.value}`) : `--${edit.entity} ${quoted(`${edit.before}=${edit.value}`)}`);
  }
  return runs.map(({ verb, names, args }) => `bindpose ${verb} ${names.map(quoted).join(" ")} ${args.join(" ")} --in-place`).join("\n");
}
