// The state of the page, and what all of its parts use.
import { ask } from "./client.js";
import { $ } from "./dom.js";
import { Files } from "./files.js";
import { HexView } from "./hex.js";
import { Stage } from "./stage.js";
import { TextView } from "./text.js";
import { Tree } from "./tree.js";

export const files = new Files();
export let active = null;
/** The files of the model. */
export let set = [];
export let formats = [];
export let scene = null;
export let shownImages = new Map();
export let tab = "summary";
export let selected = null;
export let chosenBone = -1;
/** The state that an address or `preview` asks for; it is used once. */
export let wanted = {};
/** The ranges that the only clip is cut into, a line for each. */
export let ranges;
/** The number of the last request for another model; earlier ones are out of date. */
export let rebuilds = 0;
export let exporter = null;
export let comparison = null;

/** Changes parts of the state. */
export function put(changes) {
  ({ active, set, formats, scene, shownImages, tab, selected, chosenBone, wanted, ranges, exporter, comparison } = {
    active, set, formats, scene, shownImages, tab, selected, chosenBone, wanted, ranges, exporter, comparison, ...changes,
  });
}

/** Starts a request for another model; returns its number. */
export function renew() {
  rebuilds += 1;
  return rebuilds;
}

export const view = new HexView((from, to, most) => askOf(active, "window", { start: from, end: to, most }, { bytes: new Uint8Array(), fields: [] }));
export const text = new TextView($("text"), (range) => (active?.opened ? askOf(active, "lines", range, null) : null));
export const tree = new Tree($("tree"));
/** Draws the model; null if the browser cannot. */
export const stage = stageOf($("canvas"));

function stageOf(canvas) {
  try {
    return new Stage(canvas);
  } catch {
    $("stage-note").textContent = "This browser cannot draw the model: WebGL is not available.";
    return null;
  }
}

/** The files of the model; the active one alone while its set is not known. */
export const shownSet = () => (set.includes(active) ? set : [active]);

export const stem = (name) => name.replace(/\.[^.]+$/, "");

/** Asks about an open file; returns `otherwise` if it was closed in the meantime. */
export async function askOf(file, method, args = {}, otherwise = null) {
  if (!file?.opened) return otherwise;
  try {
    return await ask(method, { id: file.id, ...args });
  } catch (error) {
    if (files.list.includes(file) && file.opened) throw error;
    return otherwise;
  }
}

/** Shows a message until the next action, with an optional button. */
export function say(message, { bad = false, label = "", act = null } = {}) {
  $("message").className = bad ? "bad" : "";
  $("message-text").textContent = message;
  $("message").hidden = !message;
  $("message-act").hidden = !act;
  $("message-act").textContent = label;
  $("message-act").onclick = () => { say(""); act?.(); };
}

export const failed = (error) => { say(error.message, { bad: true }); };

/** Asks a question; returns whether the answer is yes. */
export function confirm(question, yes) {
  $("ask-text").textContent = question;
  $("ask-yes").textContent = yes;
  $("ask").returnValue = "";
  $("ask").showModal();
  return new Promise((resolve) => { $("ask").addEventListener("close", () => resolve($("ask").returnValue === "yes"), { once: true }); });
}

let works = 0;

/** Marks the stage as busy until work on what it shows has ended. */
export async function busy(work) {
  works += 1;
  $("stage").ariaBusy = "true";
  try {
    return await work();
  } finally {
    works -= 1;
    $("stage").ariaBusy = String(works > 0);
  }
}
