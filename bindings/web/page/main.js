// The page: starts it, and connects its parts with what its user does.
import "./sheet.js";
import { start } from "./client.js";
import { clock, listenToClips, ticks, toggle, togglePlay } from "./clips.js";
import { Comparison } from "./compare.js";
import { drawer, editValue, goTo, holdPanel, marks, pane, panel, showSheet, showTab, status } from "./details.js";
import { $, arrows, base64, el, gunzip, keep, kept, sevenBits } from "./dom.js";
import { download, redo, undo } from "./editing.js";
import { isUnsaved } from "./edits.js";
import { Exporter } from "./export.js";
import { dropped, fromFile } from "./files.js";
import { LOOKS } from "./looks.js";
import { attach, convene, conventions, rebuild, relabel, showLook, showTree } from "./model.js";
import { copyLink, reminder, search, showWanted } from "./places.js";
import { chooseBone, chooseVertex, jump, selectField } from "./selection.js";
import { activate, addBeside, closeAll, listFiles, MOST_LISTED, open, showTable, step, table } from "./session.js";
import * as share from "./share.js";
import { active, busy, exporter, failed, files, formats, put, say, scene, set, shownImages, stage, stem, tab, text, tree, view, wanted } from "./state.js";

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
  addEventListener("beforeunload", (event) => { if (files.list.some(isUnsaved)) event.preventDefault(); });
  addEventListener("hashchange", () => {
    put({ wanted: share.read(location.hash) });
    const file = files.list.find(({ name }) => name === wanted.file);
    if (file && file !== active) activate(file).catch(failed);
    else if (active) rebuild().then(() => say(reminder()), failed);
    else showWanted();
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
  holdPanel();
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
  tree.addEventListener("shown", ({ detail }) => {
    $("tree-none").hidden = detail;
    $("tree-none").textContent = `Nothing contains “${$("tree-filter").value.trim()}”.`;
  });
  tree.addEventListener("entered", () => {
    if (document.activeElement !== $("tree")) return;
    if (tab !== "selection") showTab("selection");
    editValue();
  });
  $("findings-filter").addEventListener("input", panel);
  $("look").append(...Object.entries(LOOKS).map(([value, label]) => el("option", { value }, label)));
  $("look").addEventListener("change", () => showLook($("look").value));
  $("play").addEventListener("click", togglePlay);
  listenToClips();
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
  put({ comparison: new Comparison(files, { stage, add: (items) => addBeside(items.map(fromFile)), jump, failed, conventions, attach, compared: (file) => file === active && view.mark(marks(file)) }) });
  put({ exporter: new Exporter({ model: () => ({ name: stem(active.name), stage, scene, images: shownImages }), failed }) });
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

/** Returns the files of samples, which are compressed. */
const sampled = () => [...document.querySelectorAll("script[data-sample]")].map(({ dataset, textContent }) => ({
  name: dataset.sample, label: dataset.label, bytes: () => gunzip(sevenBits(textContent)),
}));

/**
 * Returns the files of `preview`, which are compressed. Those that a glTF file refers to follow it. Images have the texts of the textures that
 * refer to them: each with the number of the folder whose files do, or for all files.
 */
function embedded() {
  const found = [];
  const folders = new Map();
  const texturesOf = (folder) => folders.get(folder) ?? folders.set(folder, new Map()).get(folder);
  for (const { dataset, textContent } of document.querySelectorAll("script[data-file], script[data-buffer]")) {
    const bytes = () => gunzip(base64(textContent), "deflate-raw");
    if (dataset.textures) {
      const image = { name: dataset.file, bytes, id: 0 };
      for (const [texture, folder] of JSON.parse(dataset.textures)) texturesOf(folder).set(texture, image);
    } else if (dataset.file !== undefined) {
      found.push({ name: dataset.file, format: dataset.format, buffers: [], textures: [texturesOf(Number(dataset.folder ?? 0)), texturesOf()], bytes });
    } else found.at(-1)?.buffers.push([dataset.buffer, bytes]);
  }
  return found;
}

async function main() {
  listen();
  const started = await start();
  put({ formats: started.formats });
  exporter.offer(formats);
  $("version").textContent = `bindpose ${started.version}`;
  const extensions = [...new Set([...formats.flatMap((format) => format.extensions), "glb", "gltf"])].sort();
  $("extensions").textContent = extensions.map((extension) => `.${extension}`).join(" ");
  for (const [label, own] of Map.groupBy(sampled(), ({ label: name }) => name)) {
    $("samples").append(el("button", { type: "button", onclick: () => open(own, { sample: true }).catch(failed) }, label));
  }
  const asked = { ...share.read(document.querySelector("script[data-view]")?.dataset.view ?? ""), ...share.read(location.hash) };
  put({ wanted: asked, ranges: asked.ranges });
  document.documentElement.dataset.ready = "";
  const own = embedded();
  if (own.length) await open(own);
  else showWanted();
}

main().catch((error) => say(`The viewer cannot start: ${error.message}`, { bad: true }));
