// The panels beside the model: summary, findings, bones, materials, losses.
import { counted, el, hex, size } from "./dom.js";

/** The most rows of a list that are shown at once. */
const MOST = 2000;

const VERDICTS = {
  lossless: ["ok", "Lossless", "Every byte has a path, and the file re-encodes identically."],
  damaged: ["warn", "Damaged", "Re-encodes identically, but decoding stopped before the end."],
  undecodable: ["bad", "Undecodable", "The file cannot be decoded."],
  limit: ["bad", "Too large", "The file exceeds a limit."],
  "not-lossless": ["bad", "Not lossless", "This is a bug in bindpose; please report the file."],
};

const SEVERITIES = { error: "Error", warning: "Warning", info: "Info", hint: "Hint" };

/** The colour of a file's state: its verdict, then its worst finding. */
export function state({ info, error, report }) {
  if (error) return "bad";
  if (!info || !report) return "busy";
  if (info.verdict !== "lossless") return VERDICTS[info.verdict][0];
  const severities = report.findings.map(({ severity }) => severity);
  return severities.includes("error") ? "bad" : severities.includes("warning") ? "warn" : "ok";
}

function rows(entries) {
  const shown = entries.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return el("dl.facts", {}, ...shown.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

const number = (value) => String(Number(value.toPrecision(5)));
const box = (bounds) => bounds && `${bounds.max.map((max, axis) => number(max - bounds.min[axis])).join(" × ")}`;
const title = (text) => el("h3", {}, text);
const note = (text) => el("p.note", {}, text);

/** The summary of a file. `jump` shows a range of bytes. */
export function summary(file, { jump, formats, reopen }) {
  const { info, error, length } = file;
  if (error) {
    const select = el("select", { onchange: (event) => reopen(event.target.value) },
      el("option", { value: "" }, "Detect"), ...formats.map((name) => el("option", { value: name, selected: name === file.format }, name)));
    return [
      el("div.verdict.bad", {}, el("strong", {}, VERDICTS.undecodable[1]), el("p", {}, error.message)),
      rows([["size", size(length)], ["offset", error.offset ? hex(error.offset) : null]]),
      el("label.as", {}, "Read as ", select),
    ];
  }
  if (!info) return [note("Reading…")];
  const [kind, name, meaning] = VERDICTS[info.verdict];
  const { damage } = info;
  const verdict = el(`div.verdict.${kind}`, {}, el("strong", {}, name), el("p", {}, meaning));
  if (damage) {
    verdict.append(el("button.link", { type: "button", onclick: () => jump({ start: damage.offset, end: damage.offset + 1, path: damage.path }) },
      `${hex(damage.offset)} ${damage.path}`), el("p", {}, damage.message));
  }
  const roots = info.roots.length > 4 ? `${info.roots.slice(0, 4).join(", ")}, …` : info.roots.join(", ");
  const clips = info.clips.map((clip) => [clip.name, clip.frames !== null && counted(clip.frames, "frame"),
    clip.rate !== null && `${number(clip.rate)} fps`, clip.seconds !== null && `${number(clip.seconds)} s`].filter(Boolean).join(", "));
  return [
    verdict,
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
    ...(info.counts.length ? [title("Lists"), rows(info.counts.filter(([, count]) => count).slice(0, MOST).map(([path, count]) => [path, count.toLocaleString("en")]))] : []),
  ];
}

/** The findings in a file. */
export function findings({ report, error }, { jump }) {
  const list = report?.findings ?? error?.findings;
  if (!list) return [note("Checking…")];
  if (!list.length) return [note(error ? "The cause is not known." : "The file breaks no rule.")];
  const more = new Map(report?.more ?? []);
  const total = list.length + [...more.values()].reduce((sum, count) => sum + count, 0);
  const items = list.slice(0, MOST).map((finding) => el("li", {}, el("button.finding", { type: "button", onclick: () => jump(finding), title: `${finding.summary}\n\n${finding.why}` },
    el(`span.severity.${finding.severity}`, {}, SEVERITIES[finding.severity]),
    el("span.message", {}, finding.message),
    el("span.path", {}, finding.path || "the whole file"),
    el("span.rule", {}, `${hex(finding.start)} · ${finding.rule}`))));
  const hidden = [...more].map(([rule, count]) => el("li.note", {}, `${rule}: ${count.toLocaleString("en")} more`));
  return [note(counted(total, "finding")), el("ul.findings", {}, ...items, ...hidden)];
}

/** The bones as a tree. */
export function bones(scene, { choose, chosen }) {
  if (!scene) return [note("Building the model…")];
  if (!scene.bones.length) return [note("The files have no bones.")];
  const children = scene.bones.map(() => []);
  const open = [];
  scene.bones.forEach(({ parent }, bone) => (parent === null ? open.push([bone, 0]) : children[parent].push(bone)));
  open.reverse();
  const items = [];
  while (open.length && items.length < MOST) {
    const [bone, depth] = open.pop();
    items.push(el(`button.bone${bone === chosen ? ".selected" : ""}`, {
      type: "button", role: "treeitem", data: { bone }, style: { "--depth": Math.min(depth, 24) },
      aria: { level: depth + 1, selected: bone === chosen }, tabIndex: bone === chosen || (chosen < 0 && !items.length) ? 0 : -1,
      onclick: () => choose(bone),
    }, scene.bones[bone].name || "unnamed"));
    for (const child of children[bone].toReversed()) open.push([child, depth + 1]);
  }
  const tree = el("div.tree", { role: "tree", aria: { label: "Bones" } }, ...items);
  tree.addEventListener("keydown", (event) => {
    const at = items.indexOf(document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (next === undefined || !items[next]) return;
    items.forEach((item, index) => { item.tabIndex = index === next ? 0 : -1; });
    items[next].focus();
    event.preventDefault();
  });
  return [note(`${counted(scene.bones.length, "bone")}. Select one to see its bytes.`), tree,
    ...(items.length < scene.bones.length ? [note(`${(scene.bones.length - items.length).toLocaleString("en")} more are not listed.`)] : [])];
}

/** The meshes and materials. `images` says which textures are shown. */
export function materials(scene, { images, jump }) {
  if (!scene) return [note("Building the model…")];
  const css = ([r, g, b]) => `rgb(${[r, g, b].map((part) => Math.round(part * 255)).join(" ")})`;
  const items = scene.materials.slice(0, MOST).map((material, index) => el("li.material", {},
    el("span.swatch", { style: { background: css(material.color) } }),
    el("div", {},
      el("button.link.name", { type: "button", onclick: () => jump("material", index, material.name) }, material.name || "unnamed"),
      el("div.note", {}, [material.alpha !== "opaque" && `alpha ${material.alpha}`, material.color[3] < 1 && `opacity ${number(material.color[3])}`,
        material.double_sided && "double-sided", material.unlit && "unlit"].filter(Boolean).join(", ")),
      ...material.textures.map((texture, nth) => el("div.texture", {}, texture,
        el("span.note", {}, nth ? "" : images.has(index) ? " shown" : " – drop the image to see it"))),
      ...(material.textures.length || !images.has(index) ? [] : [el("div.texture", {}, `${images.get(index)}`, el("span.note", {}, " by the name of the material"))]))));
  const meshes = scene.meshes.slice(0, MOST).map((mesh) => el("li", {}, el("span.name", {}, mesh.name || "unnamed"), el("div.note", {},
    [counted(mesh.vertices, "vertex", "vertices"), counted(mesh.triangles, "triangle"), mesh.influences && `up to ${counted(mesh.influences, "influence")}`,
      mesh.morphs.length && counted(mesh.morphs.length, "morph target")].filter(Boolean).join(", "))));
  return [
    title("Materials"), items.length ? el("ul.plain", {}, ...items) : note("The files have no materials."),
    title("Meshes"), meshes.length ? el("ul.plain", {}, ...meshes) : note("The files have no triangles."),
  ];
}

/** What the files contain and the scene does not. */
export function losses(scene) {
  if (!scene) return [note("Building the model…")];
  if (!scene.losses.length) return [note("The model shows everything that the files contain.")];
  return [note("Contents of the files that the model does not show."),
    el("ul.plain", {}, ...scene.losses.slice(0, MOST).map(({ file, what, why }) => el("li", {}, el("span.name", {}, what), el("div.note", {}, file ? `${file}: ${why}` : why))))];
}
