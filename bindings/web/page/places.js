// Search, and links to places.
import { chooseClip, chosenClip, clock, selectClip } from "./clips.js";
import { drawer } from "./details.js";
import { $, copyText, hex } from "./dom.js";
import { redo, undo } from "./editing.js";
import { LOOKS } from "./looks.js";
import { showLook } from "./model.js";
import { containing, pattern, Search } from "./search.js";
import { chooseBone, jump, showName } from "./selection.js";
import { activate, showTable } from "./session.js";
import * as share from "./share.js";
import { active, askOf, exporter, failed, files, put, ranges, say, scene, selected, stage, wanted } from "./state.js";

export const search = new Search([
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
  async (query) => (query.length > 1 ? byValue((await askOf(active, "search", { text: query, most: 200, by: "search" }, [])) ?? [], query) : [])
    .map(({ path, name, value, start: from, end }) => ({ label: name ? `${name} = ${value}` : `${path} = ${value}`, detail: `field, ${hex(from)}`, act: () => jump({ start: from, end, path }) })),
  async (query) => containing(files.list.map((file) => ({ label: file.path, detail: "file", act: () => activate(file) })), query),
  async (query) => {
    const wantedBytes = pattern(query);
    const found = wantedBytes ? await askOf(active, "find", { ...wantedBytes, most: 12 }, []) : [];
    return found.map((at) => ({ label: hex(at), detail: "bytes", act: () => { drawer(true); return jump({ start: at, end: at + wantedBytes.pattern.length }); } }));
  },
], () => showTable(false));

/** Returns fields so that those come first whose value contains a text: all fields of an object have its name in their paths. */
function byValue(fields, query) {
  const has = ({ value }) => value.toLowerCase().includes(query.toLowerCase());
  return [...fields.filter(has), ...fields.filter((own) => !has(own))];
}

/** Copies a link to the file, the selected place, the clip, its time and the view. */
export async function copyLink() {
  const clip = stage?.clips[chosenClip()]?.name;
  const look = $("look").value;
  const state1 = {
    file: active.name, path: selected?.field?.path, clip, t: clip === undefined ? undefined : stage.time.toFixed(3), pose: stage?.clips.length && clip === undefined ? "bind" : undefined,
    view: stage?.view.join(","), look: look === "lit" ? undefined : look, up: active.up, unit: active.unit, ranges,
    bones: Number(stage?.options.bones), colors: stage?.options.colors === null ? undefined : Number(stage?.options.colors), background: stage?.background,
  };
  window.history.replaceState(null, "", share.write(state1));
  await copyText(location.href);
  const isEmbedded = [...document.querySelectorAll("script[data-file]")].some(({ dataset }) => dataset.file === active.name);
  say(["Copied a link.", location.protocol === "file:" && "This page is a local file: the link works on this machine only.", !isEmbedded && `It asks for ${active.name}.`].filter(Boolean).join(" "));
}

/** The link that the last reminder was about. */
let reminded = null;

const isMissing = () => wanted.file !== undefined && !files.list.some(({ name }) => name === wanted.file);

/** Shows on the start page which file a link is about. */
export function showWanted() {
  $("wanted").hidden = !isMissing();
  $("wanted").textContent = `The link is about ${wanted.file}: open this file.`;
}

/** Returns a reminder that a link is about a file that is not open, once; empty if there is none. */
export function reminder() {
  if (!isMissing() || reminded === wanted) return "";
  reminded = wanted;
  return `The link is about another file, ${wanted.file}.`;
}

/** Whether the state that is asked for is one of the active file. */
export const isWanted = () => !wanted.file || wanted.file === active.name;

/** Uses the state of the address or of `preview`, once. */
export function useWanted() {
  if (!isWanted()) return;
  const { path, clip, t, pose, view: camera, look, bones, colors, background } = wanted;
  put({ wanted: {} });
  if (pose === "bind") selectClip(-1);
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
