// The form that scales, rotates, moves and re-times the files of the model.
import { el } from "./dom.js";

/** Rotations by their labels: the axis, and the angle in degrees unless it is written. */
const ROTATIONS = {
  "None": null, "Y up, from Z up": ["x", -90], "Z up, from Y up": ["x", 90], "About X": ["x"], "About Y": ["y"], "About Z": ["z"],
};

const field = (id, label, value, props = {}) => el("label", {}, el("span.note", {}, label), el("input", { id, type: "text", value, autocomplete: "off", spellcheck: false, ...props }));

function number(text, what) {
  const value = Number(text.trim().replace(",", "."));
  if (!text.trim() || !Number.isFinite(value)) throw new Error(`${what}: “${text}” is not a number.`);
  return value;
}

/** Returns the operations that a form describes; those that change nothing are absent. */
function operations(form) {
  const { scale, rotation, angle, x, y, z, fps, keeps } = form.elements;
  const found = {};
  const factor = number(scale.value, "Scale");
  if (factor !== 1) found.scale = factor;
  const rotate = ROTATIONS[rotation.value];
  if (rotate) found.rotate = [rotate[0], rotate[1] ?? number(angle.value, "Degrees")];
  const translate = [x, y, z].map(({ value }) => number(value, "Move"));
  if (translate.some((own) => own !== 0)) found.translate = translate;
  if (fps?.value.trim()) Object.assign(found, { fps: number(fps.value, "Frames per second"), keeps_duration: keeps.checked });
  if (!Object.keys(found).length) throw new Error("Nothing to change.");
  return found;
}

/** The form; `apply` gets the operations, in the terms of the module. */
export function transformForm(apply, { hasRate }) {
  const error = el("p.caused", { role: "alert" });
  const angle = field("angle", "degrees", "90");
  angle.hidden = true;
  const rotation = el("select", { id: "rotation", name: "rotation", onchange: () => { angle.hidden = ROTATIONS[rotation.value]?.length !== 1; } }, ...Object.keys(ROTATIONS).map((label) => el("option", {}, label)));
  const form = el("form.transform", {
    id: "transform",
    onsubmit: async (event) => {
      event.preventDefault();
      error.textContent = "";
      try {
        const wanted = operations(form);
        // The next form starts anew.
        form.dataset.applied = "";
        await apply(wanted);
      } catch (problem) {
        delete form.dataset.applied;
        error.textContent = problem.message;
      }
    },
  },
  el("div.components", {}, field("scale", "Scale", "1"), el("label", {}, el("span.note", {}, "Rotate"), rotation), angle),
  el("div.components", {}, ...["x", "y", "z"].map((axis) => field(axis, `Move ${axis}`, "0"))),
  ...(hasRate ? [el("div.components", {}, field("fps", "Frames per second", ""), el("label.flag", {}, el("input", { id: "keeps", type: "checkbox" }), " Keep the length of clips"))] : []),
  el("button", { type: "submit", title: "Changes all files of the model" }, "Transform"), error);
  return form;
}

/** Describes operations as the changes list them. */
export function described({ scale, rotate, translate, fps, keeps_duration: keeps }) {
  return [
    scale !== undefined && `scale ${scale}`, rotate && `rotate ${rotate[0]} by ${rotate[1]}°`, translate && `move by ${translate.join(", ")}`,
    fps !== undefined && `${fps} frames per second${keeps ? ", same length" : ""}`,
  ].filter(Boolean).join("; ");
}

/** Returns operations as the options of `bindpose transform`. */
export const options = ({ scale, rotate, translate, fps, keeps_duration: keeps }) => [
  scale !== undefined && `--scale ${scale}`, rotate && `--rotate ${rotate[0]}=${rotate[1]}`, translate && `--translate ${translate.join(",")}`,
  fps !== undefined && `--fps ${fps}`, keeps && "--keep-duration",
].filter(Boolean).join(" ");
