// Edits of files: done, undone, reverted one by one.
import { ask } from "./client.js";

/** Does an edit: sets a value, or renames an object with all references. Returns what it changed. */
export async function edit(file, { verb, path, name, value, before, entity, group }) {
  const result = await ask(verb, { id: file.id, path, value });
  file.edits.push({ verb, path, name, value, before, entity, count: result.count, group });
  file.redo = [];
  apply(file, result);
  return result;
}

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
  const results = await together(found.map(([own, place]) => [own, { verb: "rename", path: place, name: own === file ? name : undefined, value, before: text, entity }]));
  return { count: results.reduce((sum, { count }) => sum + count, 0), others: found.length - 1 };
}

/** Multiplies all lengths of the files of a set by a factor, as one edit. */
export const scaleAll = (set, value) => together(set.filter(({ kind }) => !/material/.test(kind)).map((own) => [own, { verb: "scale", path: "all lengths", value, before: 1 }]));

/** Does edits of several files as one: all or none. Returns what each changed. */
async function together(steps) {
  const group = {};
  const results = [];
  for (const [file, step] of steps) {
    try {
      results.push(await edit(file, { ...step, group }));
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

/** Reverts one edit; those that follow it stay. */
export const revert = (file, index) => replay(file, file.edits.toSpliced(index, 1));

/** Reverts all edits. */
export const revertAll = (file) => replay(file, []);

async function replay(file, edits) {
  const plain = edits.flatMap(stepsOf).map(({ verb, path, value }) => ({ verb, path, value }));
  apply(file, await ask("replay", { id: file.id, edits: plain }));
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

/** Returns the edits of a file as commands. */
export function commands({ name, edits }) {
  const runs = [];
  for (const edit of edits.flatMap(stepsOf)) {
    const verb = edit.verb === "scale" ? "transform" : edit.verb;
    // Scales are multiplied, one run each.
    if (runs.at(-1)?.verb !== verb || verb === "transform") runs.push({ verb, args: [] });
    runs.at(-1).args.push({
      set: () => quoted(`${edit.path}=${edit.value}`), rename: () => `--${edit.entity} ${quoted(`${edit.before}=${edit.value}`)}`, transform: () => `--scale ${edit.value}`,
    }[verb]());
  }
  return runs.map(({ verb, args }) => `bindpose ${verb} ${quoted(name)} ${args.join(" ")} --in-place`).join("\n");
}
