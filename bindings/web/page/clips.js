// The clips of the model, and how they play.
import { $, el, keep } from "./dom.js";
import { clipLabel } from "./model.js";
import { chosenBone, comparison, stage } from "./state.js";

export function clips(before) {
  const own = stage?.clips ?? [];
  $("clip").replaceChildren(el("option", { value: "" }, own.length ? "Bind pose" : "No clips"),
    ...own.map((clip, index) => el("option", { value: index }, clipLabel(clip, index))));
  $("clip").disabled = !own.length;
  $("clip").value = before && before.clip < own.length ? before.clip : own.length ? "0" : "";
  selectClip(before?.time ?? 0);
}

export function chooseClip(name) {
  const index = stage?.clips.findIndex((clip) => clip.name === name) ?? -1;
  if (index < 0) return;
  $("clip").value = index;
  selectClip();
}

/** Chooses the first clip of an animation. */
export function chooseClipOf(file) {
  const names = [...(file.about?.info?.clips ?? []).map(({ name }) => name), file.name.replace(/\.[^.]+$/, "")];
  const name = names.find((own) => stage?.clips.some((clip) => clip.name === own));
  if (name !== undefined) chooseClip(name);
}

export function selectClip(time = 0) {
  const { value } = $("clip");
  stage?.clip(value === "" ? -1 : Number(value));
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
