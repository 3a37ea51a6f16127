// The clips of the model as chips, and how they play.
import { $, el, keep } from "./dom.js";
import { clipLabel } from "./model.js";
import { chosenBone, comparison, stage } from "./state.js";

/** The number of clips that need no filter, and of those that are shown at once. */
const FEW = 8;
const MOST = 300;

/** The index of the clip; -1 in the bind pose. */
let chosen = -1;

export const chosenClip = () => chosen;

/** Lists the clips of the model, and shows that of the model before. */
export function clips(before) {
  const own = stage?.clips ?? [];
  $("clips-bar").hidden = !own.length;
  $("clip-filter").hidden = own.length <= FEW;
  if (!before) $("clip-filter").value = "";
  chosen = before && before.clip < own.length ? before.clip : own.length ? 0 : -1;
  selectClip(chosen, before?.time ?? 0);
}

/** Shows a chip for the bind pose, and for each clip whose name contains the filter. */
export function chips() {
  const wanted = $("clip-filter").value.trim().toLowerCase();
  const all = (stage?.clips ?? []).map((clip, index) => ({ index, label: clipLabel(clip, index), title: `${clip.duration.toFixed(2)} s` }));
  const found = all.filter(({ label }) => label.toLowerCase().includes(wanted));
  const shown = [...(wanted ? [] : [{ index: -1, label: "Bind pose", title: "Without a clip" }]), ...found.slice(0, MOST)];
  const current = shown.some(({ index }) => index === chosen) ? chosen : shown[0]?.index;
  $("clips").replaceChildren(...shown.map(({ index, label, title }) => el("button.chip", {
    type: "button", role: "radio", data: { clip: index }, title: `${label}, ${title}`, tabIndex: index === current ? 0 : -1, aria: { checked: index === chosen }, onclick: () => selectClip(index),
  }, label)), ...(shown.length ? [] : [el("span.note", {}, "No clip has this name.")]), ...(found.length > MOST ? [el("span.note", {}, `and ${found.length - MOST} more`)] : []));
  reveal();
}

const chip = (index) => $("clips").querySelector(`[data-clip="${index}"]`);

/** Scrolls the row to the chosen chip; the page stays. */
function reveal() {
  const [row, own] = [$("clips"), chip(chosen)];
  if (!own) return;
  const [from, to] = [own.offsetLeft, own.offsetLeft + own.offsetWidth];
  if (from < row.scrollLeft || to > row.scrollLeft + row.clientWidth) row.scrollLeft = from - (row.clientWidth - own.offsetWidth) / 2;
}

/** Chooses the clip beside the chosen one, or the first or last one, by a key. */
function key(event) {
  const all = [...$("clips").querySelectorAll(".chip")];
  const at = all.indexOf(document.activeElement);
  const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (next === undefined || !all.length) return;
  event.preventDefault();
  event.stopPropagation();
  const { clip } = all[(next + all.length) % all.length].dataset;
  selectClip(Number(clip));
  chip(clip).focus({ preventScroll: true });
}

export function listenToClips() {
  $("clips").addEventListener("keydown", key);
  $("clips").addEventListener("wheel", (event) => {
    if (!event.deltaY || $("clips").scrollWidth <= $("clips").clientWidth) return;
    event.preventDefault();
    $("clips").scrollLeft += event.deltaY;
  }, { passive: false });
  $("clip-filter").addEventListener("input", chips);
  $("clip-filter").addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "Enter") $("clips").querySelector("[tabindex='0']")?.focus();
  });
}

export function chooseClip(name) {
  const index = stage?.clips.findIndex((clip) => clip.name === name) ?? -1;
  if (index >= 0) selectClip(index);
}

/** Chooses the first clip of an animation. */
export function chooseClipOf(file) {
  const names = [...(file.about?.info?.clips ?? []).map(({ name }) => name), file.name.replace(/\.[^.]+$/, "")];
  const name = names.find((own) => stage?.clips.some((clip) => clip.name === own));
  if (name !== undefined) chooseClip(name);
}

export function selectClip(index, time = 0) {
  chosen = index;
  chips();
  stage?.clip(index);
  comparison.clip();
  const duration = stage?.duration ?? 0;
  $("time").max = duration || 1;
  $("time").disabled = $("play").disabled = !duration;
  stage?.seek(time);
  stage?.refit();
  clock();
  ticks();
}

/** Draws the times of the keys of the chosen bone above the time. */
export function ticks() {
  const canvas = $("ticks");
  canvas.width = canvas.clientWidth * devicePixelRatio;
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
  const duration = stage?.duration ?? 0;
  for (const time of duration && chosenBone >= 0 ? stage.keys(chosenBone) : []) context.fillRect(8 + (time / duration) * (canvas.width - 16) - 0.5, 0, 1.5, 6);
}

const icon = (button, name) => $(button).querySelector("use").setAttribute("href", `#i-${name}`);

export function clock() {
  const [time, duration] = [stage?.time ?? 0, stage?.duration ?? 0];
  if (document.activeElement !== $("time") || stage?.playing) $("time").value = time;
  $("clock").textContent = duration ? `${time.toFixed(2)} / ${duration.toFixed(2)} s` : "";
  $("time").setAttribute("aria-valuetext", `${time.toFixed(2)} seconds`);
  const playing = Boolean(stage?.playing);
  icon("play", playing ? "pause" : "play");
  $("play").setAttribute("aria-label", playing ? "Pause" : "Play");
}

export function togglePlay() {
  if ($("play").disabled) return;
  stage.play(!stage.playing);
  clock();
}

export function toggle(id, option, on = $(id).getAttribute("aria-pressed") !== "true") {
  $(id).setAttribute("aria-pressed", on);
  keep(id, on ? "1" : "0");
  stage?.set({ [option]: on });
}
