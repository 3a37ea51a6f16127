// The panels beside the model: summary, selection, findings, model, changes.
import { counted, el, hex, size } from "./dom.js";
import { transformForm } from "./transform.js";
import { condition, count, dot } from "./verdict.js";

/** The most rows of a list that are shown at once. */
const MOST = 500;

const SEVERITIES = { error: "Error", warning: "Warning", info: "Info", hint: "Hint" };

function rows(entries) {
  const shown = entries.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return el("dl.facts", {}, ...shown.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

const number = (value) => String(Number(value.toPrecision(5)));
const box = (bounds) => bounds && `${bounds.max.map((max, axis) => number(max - bounds.min[axis])).join(" × ")}`;
const title = (text) => el("h2", {}, text);
const note = (text) => el("p.note", {}, text);
const button = (label, onclick, props = {}) => el("button", { type: "button", onclick, ...props }, label);
const link = (label, onclick, props = {}) => el("button.link", { type: "button", onclick, ...props }, label);

/** The verdict of a file with its worst findings, and what it means. */
function banner(file, meaning) {
  const { look, words } = condition(file);
  return el(`div.verdict.${look}`, {}, el("strong", {}, dot(file), words), el("p", {}, meaning));
}

/** The summary of a file. `jump` shows a range of bytes. */
export function summary(file, { jump, formats, reopen, rescue }) {
  const { info, error, length, rescued } = file;
  if (error) {
    const select = el("select", { onchange: (event) => reopen(event.target.value) },
      el("option", { value: "" }, "Detect"), ...formats.map((name) => el("option", { value: name, selected: name === file.format }, name)));
    return [
      banner(file, error.message),
      rows([["size", size(length)], ["offset", error.offset ? hex(error.offset) : null]]),
      el("label.as", {}, "Read as ", select),
    ];
  }
  if (!info) return [note("Reading…")];
  const { damage } = info;
  const own = banner(file, condition(file).meaning);
  if (damage) {
    own.append(link(`${hex(damage.offset)} ${damage.name ?? damage.path}`, () => jump({ start: damage.offset, end: damage.offset + 1, path: damage.path })), el("p", {}, damage.message),
      button("Rescue what can be read", rescue, { id: "rescue", title: "Makes a valid file from the parts that can be read" }));
  }
  const roots = info.roots.length > 4 ? `${info.roots.slice(0, 4).join(", ")}, …` : info.roots.join(", ");
  const clips = info.clips.map((clip) => [clip.name, clip.frames !== null && counted(clip.frames, "frame"),
    clip.rate !== null && `${number(clip.rate)} fps`, clip.seconds !== null && `${number(clip.seconds)} s`].filter(Boolean).join(", "));
  return [
    own,
    ...(rescued ? [title(`Rescued from ${rescued.from}`), el("ul.plain.losses", {}, ...rescued.losses.map(({ what, why }) => el("li", {}, el("span.name", {}, what || "the file"), el("div.note", {}, why))))] : []),
    rows([
      ["format", `${info.title}${info.version ? `, version ${info.version}` : ""}`],
      ["dialect", info.dialect],
      ["written by", info.writer],
      ["size", size(info.bytes)],
      ["skeleton", info.bones ? `${counted(info.bones, "bone")}${roots ? `, root ${roots}` : ""}` : null],
      ["extent", box(info.bounds)],
      ["unread", info.rest ? size(info.rest) : null],
      ["opaque", info.opaque ? `${size(info.opaque)} of unknown meaning` : null],
    ]),
    ...(clips.length ? [title("Clips"), el("ul.plain", {}, ...clips.slice(0, MOST).map((clip) => el("li", {}, clip || "unnamed")))] : []),
    ...(info.counts.length ? [title("Lists"), rows(info.counts.filter(([, length]) => length).slice(0, MOST).map(([path, length]) => [path, length.toLocaleString("en")]))] : []),
  ];
}

/** The findings in a file, grouped by rule. */
export function findings(file, { jump, filter }) {
  const list = file.report?.findings ?? file.error?.findings;
  if (!list) return [note("Checking…")];
  if (file.kind === "gltf") return [note("glTF files are not checked.")];
  if (!list.length) return [note(file.error ? "The cause is not known." : "The file breaks no rule.")];
  const more = new Map(file.report?.more ?? []);
  const text = filter.toLowerCase();
  const shown = list.filter((finding) => `${finding.rule} ${finding.summary} ${finding.path} ${finding.name ?? ""} ${finding.message}`.toLowerCase().includes(text));
  const order = Object.keys(SEVERITIES);
  const rules = [...Map.groupBy(shown, ({ rule }) => rule)].sort(([, [a]], [, [b]]) => order.indexOf(a.severity) - order.indexOf(b.severity));
  const groups = rules.map(([rule, own]) => {
    const [{ severity, summary: what, why }] = own;
    const left = more.get(rule) ?? 0;
    return el("details.rule", { open: own.length <= 12 }, el("summary", {},
      el(`span.severity.${severity}`, {}, SEVERITIES[severity]), ` ${what} `, el("span.note", {}, `${(own.length + left).toLocaleString("en")} × ${rule}`)),
    ...(why ? [el("p.why", {}, why)] : []),
    el("ul.plain", {}, ...own.slice(0, MOST).map((finding) => el("li", {}, el("button.finding", { type: "button", onclick: () => jump(finding) },
      el("span.place", { title: finding.path }, (finding.name ?? finding.path) || "The file"), ` ${finding.message}`, el("span.note", {}, ` ${hex(finding.start)}`)))),
    ...(left ? [el("li.note", {}, `${left.toLocaleString("en")} more`)] : [])));
  });
  return [note(`${counted(count(file), "finding")} in ${file.name}`), ...groups, ...(groups.length ? [] : [note("No finding contains this text.")])];
}

/** The selected field: what it is, its value, and what refers to it. */
export function selection(selected, { set, setAll, rename, jump, copy, copies, chooseBone, elsewhere }) {
  if (!selected?.field) return [note(selected ? `${hex(selected.start)}: no field.` : "Select a byte, a field, a bone or a vertex to see what it is.")];
  const { field, file, ownName, references, findReferences, related, parts, influences, weighted } = selected;
  const canRename = Boolean(ownName?.definition);
  // In some formats, the value is the offset of the name.
  const isElsewhere = canRename && ownName.text !== field.value;
  const change = file.edits.findLast(({ path }) => path === field.path);
  const input = el("input", { id: "field-value", type: "text", spellcheck: false, autocomplete: "off", value: field.value, readOnly: Boolean(field.fixed) || field.cut });
  const error = el("p", { id: "field-error", role: "alert" }, field.cut ? "The value is too long to edit here." : "");
  const nameInput = isElsewhere ? el("input", { id: "field-name", type: "text", spellcheck: false, autocomplete: "off", value: ownName.text }) : input;
  const submit = (action, from) => (event) => {
    event.preventDefault();
    error.textContent = "";
    action(field, from.value).catch((problem) => { error.textContent = problem.message; });
  };
  const renameButton = button("Rename everywhere", submit(rename, nameInput), { id: "field-rename", title: "Changes the name and every reference to it" });
  return [
    el("form", { id: "inspector", onsubmit: submit(set, input) },
      ...(field.name ? [el("h2.friendly", {}, field.name), el("p", { id: "field-path", title: "The path by indices" }, field.path)] : [el("h2", { id: "field-path" }, field.path)]),
      rows([["type", field.type], ["bytes", `${hex(field.start)} to ${hex(field.end)} (${counted(field.end - field.start, "byte")})`], ["before", change?.before]]),
      el("p.doc", { id: "field-doc" }, [field.doc, field.fixed && `Cannot be set alone: it is ${field.fixed}.`].filter(Boolean).join(" ").replace(/\[`?([^\]`]+)`?\](\([^)]*\))?/g, "$1")),
      el("label", {}, el("span.sr", {}, "Value"), input),
      el("div.buttons.left", {},
        el("button.primary", { id: "field-set", type: "submit", disabled: input.readOnly }, "Set"),
        ...(canRename && !isElsewhere && !input.readOnly ? [renameButton] : []),
        el("select", { id: "copy", onchange: (event) => { copy(event.target.value, field); event.target.value = ""; }, aria: { label: "Copy" } },
          el("option", { value: "" }, "Copy…"), ...Object.entries(copies).filter(([value]) => value !== "name" || field.name).map(([value, label]) => el("option", { value }, label)))),
      error),
    ...(isElsewhere ? [title("Name"), el("form", { onsubmit: submit(rename, nameInput) }, el("label", {}, el("span.sr", {}, "Name"), nameInput), el("div.buttons.left", {}, renameButton))] : []),
    ...(field.bits.length ? [title("Flags"), ...field.bits.map((bit) => flag(field, bit, { set, error, locked: input.readOnly }))] : []),
    ...(parts ? components(parts, { setAll, error, locked: input.readOnly }) : []),
    ...(influences?.length ? [title("Moved by"), el("ul.plain", {}, ...influences.map(({ bone, name, weight }) => el("li.influence", {},
      link(name || "unnamed", () => chooseBone(bone)), el("meter", { min: 0, max: 1, value: weight, aria: { hidden: true } }), el("span.note", {}, `${(100 * weight).toFixed(1)} %`))))] : []),
    ...(weighted ? [title("Moves"), note(weighted.all ? `${counted(weighted.all, "vertex", "vertices")}, ${weighted.alone.toLocaleString("en")} of them alone` : "no vertices"),
      ...(weighted.all ? [button("Show its weights", weighted.show)] : [])] : []),
    ...(findReferences ? [button("Find references", findReferences, { id: "find-references" })] : []),
    ...(references?.to.length ? [title("Refers to"), el("ul.plain", { id: "refers-to" }, ...references.to.map((own) => el("li", {}, ...target(own, jump, elsewhere))))] : []),
    ...(references?.count ? [title(`Referred to by ${counted(references.count, "value")}`), el("ul.plain", { id: "referred-to-by" }, ...references.from.map(({ path, name }) => el("li", {}, link(name ?? path, () => jump({ path }), { title: path })))),
      ...(references.count > references.from.length ? [note(`and ${(references.count - references.from.length).toLocaleString("en")} more`)] : [])] : []),
    ...(related?.length ? [title("Findings here"), el("ul.plain", {}, ...related.map((finding) => el("li", {}, el(`span.severity.${finding.severity}`, {}, SEVERITIES[finding.severity]), ` ${finding.message} `, el("span.note", {}, finding.rule), ...(finding.why ? [el("p.why", {}, finding.why)] : []))))] : []),
  ];
}

/** What a value refers to: an object of the file or, by its place in the model, of another file, with a link; or none. */
function target({ kind, status, target: path, object, name, value }, jump, elsewhere) {
  const other = status === "elsewhere" ? elsewhere(kind, value) : null;
  if (other) return [link(other.label, other.act), el("span.note", {}, ` ${kind} of another file`)];
  if (object) return [link(object, () => jump({ path }), { title: path })];
  if (path) return [link(path, () => jump({ path })), ...(name ? [el("span.note", {}, ` ${name}`)] : [])];
  return [`${{ none: "no", missing: "a missing", elsewhere: "another file’s" }[status]} ${kind}`];
}

/** A part of a flag word: a switch, or a number of several bits. */
function flag({ path, name: own }, { name, doc, value, width }, { set, error, locked }) {
  const change = (next) => set({ path: `${path}.${name}`, name: own && `${own}.${name}`, value: String(value) }, String(next)).catch((problem) => { error.textContent = problem.message; });
  const input = width === 1
    ? el("input", { type: "checkbox", checked: value === 1, disabled: locked, onchange: ({ target }) => change(Number(target.checked)) })
    : el("input", { type: "number", min: 0, max: 2 ** width - 1, value, disabled: locked, onchange: ({ target }) => change(target.value) });
  return el("label.flag", { title: doc }, input, ` ${name.replaceAll("_", " ")}`);
}

const AXES = ["x", "y", "z", "w"];
const isColor = (path, parts) => /(colou?r|ambient|diffuse|specular|emissive)[^.]*$/i.test(path) && parts.length >= 3 && parts.every(({ value }) => value >= 0 && value <= 1);
const isAngle = (path, doc) => /radian/i.test(doc ?? "") && /rotation|angle/i.test(path);

/** The degrees of an angle, and the angle in radians of a text in degrees: the digits of single precision. */
const degrees = (text) => String(Number(((Number(text) * 180) / Math.PI).toPrecision(6)));
const radians = (text) => String(Number(((Number(text) * Math.PI) / 180).toPrecision(9)));

/** The parts of a point, a rotation or a colour, which are set together; angles in degrees. */
function components({ path, name, doc, list }, { setAll, error, locked }) {
  const isInDegrees = isAngle(path, doc);
  const shown = list.map(({ text }) => (isInDegrees ? degrees(text) : text));
  const written = (text, at) => (text === shown[at] ? list[at].text : isInDegrees ? radians(text) : text);
  const inputs = list.map((_, at) => el("input", { id: `part-${at}`, type: "text", value: shown[at], spellcheck: false, autocomplete: "off", readOnly: locked, aria: { label: AXES[at] ?? String(at) } }));
  const submit = () => {
    error.textContent = "";
    setAll({ path, name }, list.map(({ path: own, text }, at) => ({ path: own, value: written(inputs[at].value, at), before: text })).filter(({ value, before }) => value !== before))
      .catch((problem) => { error.textContent = problem.message; });
  };
  const extra = [];
  const values = list.map(({ text }) => ({ value: Number(text) }));
  if (isColor(path, values)) {
    const byte = (value) => Math.round(value * 255).toString(16).padStart(2, "0");
    extra.push(el("input.color", { type: "color", value: `#${values.slice(0, 3).map(({ value }) => byte(value)).join("")}`, disabled: locked, aria: { label: "Colour" }, onchange: ({ target }) => {
      for (const [at, digits] of target.value.slice(1).match(/../g).entries()) inputs[at].value = String(Number((parseInt(digits, 16) / 255).toFixed(4)));
      submit();
    } }));
  }
  return [title(name ?? path), el("form.components", { onsubmit: (event) => { event.preventDefault(); submit(); } },
    ...inputs.map((input, at) => el("label", {}, el("span.note", {}, `${AXES[at] ?? at}${isInDegrees ? " in degrees" : ""}`), input)), el("button", { type: "submit", disabled: locked }, "Set all")), ...extra];
}

/** What the model consists of, and what the files contain and it does not. */
export function model(scene, { images, stage, choose, transform, hasRate }) {
  if (!scene) return [note("Building the model…")];
  const materials = scene.materials.slice(0, MOST).map((material, index) => el("li.material", {},
    el("span.swatch", { style: { background: `rgb(${material.color.slice(0, 3).map((part) => Math.round(255 * Math.min(1, part) ** (1 / 2.2))).join(" ")})` } }),
    el("div", {}, link(material.label, () => choose("material", material.name)),
      el("div.note", {}, [material.alpha !== "opaque" && `alpha ${material.alpha}`, material.color[3] < 1 && `opacity ${number(material.color[3])}`,
        material.double_sided && "double-sided", material.unlit && "unlit"].filter(Boolean).join(", ")),
      ...material.textures.map(({ path, role }) => el("div.texture", {}, path,
        el("span.note", {}, role !== "color" ? ` ${role}` : images.has(index) ? " shown" : " – drop the image to see it"))),
      ...(material.textures.some(({ role }) => role === "color") || !images.has(index) ? [] : [el("div.texture", {}, images.get(index).name, el("span.note", {}, " by the name of the material"))]))));
  const morphs = scene.meshes.flatMap((mesh, index) => mesh.morphs.slice(0, 100).map((name, target) => el("label.morph", {}, name,
    el("input", { type: "range", min: 0, max: 1, step: 0.01, value: stage?.morphed(index, target) ?? 0, oninput: (event) => stage?.morph(index, target, Number(event.target.value)) }))));
  // Images are shown, or missing in the list of materials.
  const losses = scene.losses.filter(({ name }) => name !== "texture-paths").slice(0, MOST).map(({ file, what, why }) => el("li", {}, el("span.name", {}, what), el("div.note", {}, file ? `${file}: ${why}` : why)));
  return [
    title("Materials"), materials.length ? el("ul.plain", {}, ...materials) : note("The files have no materials."),
    ...(morphs.length ? [title("Morph targets"), ...morphs] : []),
    ...(transform ? [title("Transform the files"), transformForm(transform, { hasRate })] : []),
    title("Not shown"), losses.length ? el("ul.plain.losses", {}, ...losses) : note("The model shows everything that the files contain."),
  ];
}

/** An edit: its place, and the values before and after it. */
const change = (edit, ...others) => el("div", {}, el("span.place", { title: edit.path }, edit.name ?? edit.path),
  el("div", {}, ...(edit.before === undefined ? [] : [el("del", {}, edit.before), " → "]), el("ins", {}, edit.value)), ...others);

/** The edits of a file, which can be reverted, and those of the other changed files of its set. */
export function changes(file, { changed, show, revert, revertAll, copyCommand, download }) {
  if (!changed.length) return [note("No changes. Select a field and set its value.")];
  const own = file.edits.map((edit, index) => el("li.change", {}, change(edit,
    ...(edit.verb === "rename" && edit.count > 1 ? [el("div.note", {}, `renamed with ${counted(edit.count - 1, "reference")}`)] : []),
    ...(edit.caused ?? []).map((text) => el("div.caused", {}, text))),
  button("Revert", () => revert(index), { aria: { label: `Revert ${edit.name ?? edit.path}` } })));
  const others = changed.filter((other) => other !== file).map((other) => el("section.others", {},
    el("p.note", {}, `${counted(other.edits.length, "change")} in `, link(other.name, () => show(other))),
    el("ol.plain", {}, ...other.edits.slice(0, MOST).map((edit) => el("li.change", {}, change(edit))))));
  return [
    note(`${counted(own.length, "change")} in ${file.name}`), el("ol.plain", {}, ...own), ...others,
    el("div.buttons.left", {}, button("Download", download, { className: "primary", title: changed.map(({ name }) => name).join(", ") }),
      ...(own.length ? [button("Copy as command", copyCommand, { id: "copy-command" })] : []), button("Revert all", revertAll, { id: "revert" })),
  ];
}
