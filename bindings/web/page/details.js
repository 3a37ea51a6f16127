// The panel beside the model, the drawer below it, and the status.
import { ask } from "./client.js";
import { $, copyText, counted, el, hex, keep } from "./dom.js";
import { changedFiles, decoded, download, rename, rescue, revert, revertAll, setValue, setValues, transform } from "./editing.js";
import * as edits from "./edits.js";
import * as panels from "./panels.js";
import { chooseBone, elsewhere, jump, showName } from "./selection.js";
import { activate, reopen } from "./session.js";
import { active, askOf, comparison, failed, formats, put, say, scene, selected, shownImages, stage, tab, text, view } from "./state.js";
import { condition, count, dot } from "./verdict.js";

/** Numbers in tabs: 1.6K for 1,563. */
const SHORT = new Intl.NumberFormat("en", { notation: "compact" });

/** The id of the control that had the focus when the panel was shown without it. */
let unfocused = "";
/** What the controls of the panel are about. */
let subject = "";
/** Whether a control of the panel is pressed: replaced before it is let go, it would not be clicked. */
let isPressed = false;
/** Whether the panel is shown again once that control is let go. */
let isLate = false;

/** Shows the panel while none of its controls is pressed, and else after the click. */
export function holdPanel() {
  $("panel").addEventListener("pointerdown", ({ target }) => { isPressed = Boolean(target.closest("button, label, summary")); });
  for (const end of ["pointerup", "pointercancel"]) {
    addEventListener(end, () => {
      isPressed = false;
      if (isLate) setTimeout(panel);
    });
  }
}

export function panel() {
  if (!active) return;
  isLate = isPressed;
  if (isLate) return;
  const findings = count(active);
  $("tab-findings").textContent = findings ? `Findings ${SHORT.format(findings)}` : "Findings";
  $("tab-findings").title = findings ? counted(findings, "finding") : "";
  const changes = changedFiles().reduce((sum, file) => sum + file.edits.length, 0);
  $("tab-changes").textContent = changes ? `Changes ${changes}` : "Changes";
  for (const button of $("tabs").children) {
    const isSelected = button.dataset.tab === tab;
    button.setAttribute("aria-selected", isSelected);
    button.tabIndex = isSelected ? 0 : -1;
  }
  $("panel").setAttribute("aria-labelledby", `tab-${tab}`);
  $("findings-bar").hidden = tab !== "findings" || !findings;
  const show = {
    summary: () => panels.summary(active, { jump, formats: formats.map(({ name }) => name), reopen, rescue: () => rescue().catch(failed) }),
    selection: () => panels.selection(selected, { set: setValue, setAll: setValues, rename, jump, copy, copies: COPIES, elsewhere, chooseBone: (bone) => chooseBone(bone).catch(failed) }),
    findings: () => panels.findings(active, { jump, filter: $("findings-filter").value }),
    model: () => panels.model(scene, { images: shownImages, stage, choose: showName, transform: decoded().some(({ kind }) => kind !== "gltf") && transform, hasRate: decoded().some(edits.hasRate) }),
    changes: () => panels.changes(active, { changed: changedFiles(), show: (file) => activate(file).catch(failed), revert, revertAll: () => revertAll().catch(failed), download: () => download().catch(failed),
      copyCommand: () => copyText(edits.commands(active)).then(() => say("Copied the commands.")) }),
  };
  const scroll = $("panel").scrollTop;
  const { activeElement } = document;
  const hadFocus = $("panel").contains(activeElement);
  const wanted = activeElement === $("panel") ? unfocused : activeElement.id;
  const range = rangeOf(activeElement);
  const former = subject;
  subject = [active.id, tab, tab === "selection" ? selected?.field?.path : ""].join(" ");
  const typed = subject === former ? typedValues() : [];
  $("panel").replaceChildren(...show[tab]());
  $("panel").scrollTop = scroll;
  typed.forEach(typeAgain);
  if (hadFocus) focusAgain(wanted, range);
}

/** What a control shows, and what it showed at first. */
function valuesOf(control) {
  if (control.type === "checkbox") return [control.checked, control.defaultChecked];
  return [control.value, control.options?.[0].value ?? control.defaultValue];
}

/** Returns what is typed into the controls of forms, but for those that were applied. */
function typedValues() {
  const controls = [...$("panel").querySelectorAll("form:not([data-applied]) :is(input, select)[id]")].map((control) => ({ control, values: valuesOf(control) }));
  return controls.filter(({ values: [now, first] }) => now !== first);
}

/** Puts what was typed into the control that took the place of another one, unless the value that it shows has changed. */
function typeAgain({ control: { id, type }, values: [now, first] }) {
  const control = $(id);
  if (!control || valuesOf(control)[1] !== first) return;
  control[type === "checkbox" ? "checked" : "value"] = now;
  control.dispatchEvent(new Event("change"));
}

/** The selected part of a text that is being typed. */
const rangeOf = ({ type, value, selectionStart, selectionEnd }) => (type === "text" ? { value, ends: [selectionStart, selectionEnd] } : undefined);

/** Puts the focus on the control where it was, with the selected part of its text; on the panel until that is shown again. */
function focusAgain(id, range) {
  const control = $(id);
  unfocused = control ? "" : id;
  (control ?? $("panel")).focus({ preventScroll: true });
  if (range && control?.value === range.value) control.setSelectionRange(...range.ends);
}

/** Puts the focus into the value of the selected field. */
export function editValue() {
  $("field-value")?.focus();
  $("field-value")?.select();
}

export function showTab(name, focus = false) {
  put({ tab: name });
  $("panel").scrollTop = 0;
  panel();
  if (focus) $(`tab-${name}`).focus();
}

/** Shows one of the parts that share the space below the model on small screens. */
export function showSheet(name) {
  document.body.dataset.sheet = name;
  for (const button of $("phone").children) button.setAttribute("aria-pressed", button.dataset.sheet === name);
}

export function status() {
  $("status-verdict").replaceChildren(dot(active), condition(active).words);
  const findings = count(active);
  $("status-findings").textContent = active.kind === "gltf" || (active.error && !findings) ? "Not checked" : findings === undefined ? "Checking…" : findings ? counted(findings, "finding") : "No findings";
  const { field } = selected ?? {};
  $("where").textContent = field ? `${hex(field.start)}  ${field.name ?? field.path} = ${field.value}` : selected ? hex(selected.start) : "";
}

export function drawer(on = $("drawer").hidden) {
  $("drawer").hidden = !on;
  $("drawer-toggle").setAttribute("aria-expanded", on);
  keep("drawer", on ? "1" : "");
  if (on) showSheet("drawer");
  else if (document.body.dataset.sheet === "drawer") showSheet("details");
  if (on && selected) void view.select({ ...selected, path: "" }).then(() => text.select(selected));
  if (on && active) void showComparison().catch(failed);
}

export function pane(name) {
  for (const id of ["bytes", "text", "diff"]) {
    $(id).hidden = id !== name;
    $(`pane-${id}`).setAttribute("aria-selected", id === name);
    $(`pane-${id}`).tabIndex = id === name ? 0 : -1;
  }
  if (name === "text") void text.select(selected ?? { start: 0, end: 0 });
  if (name === "diff") void comparison.show(active).catch(failed);
}

export const marks = ({ id, report, info }) => [
  ...(comparison.differences.get(id) ?? []),
  ...(info?.damage ? [{ start: info.damage.offset, end: info.damage.offset + 1, severity: "error", message: info.damage.message }] : []),
  ...(report?.findings ?? []).filter(({ start: from, end }) => end - from <= 256),
];

export async function showBytes(keepPlace = false) {
  const isText = /^[\x09\x0a\x0d\x20-\x7e]*$/.test(new TextDecoder("latin1").decode(await askOf(active, "slice", { start: 0, end: 200 }, new Uint8Array())));
  $("pane-text").hidden = !isText || !active.length;
  if ($("pane-text").hidden && !$("text").hidden) pane("bytes");
  await view.show(active.length, { changes: active.changes, marks: marks(active), keep: keepPlace });
  await text.show(marks(active), keepPlace);
}

/** Lists what the active file can be compared with, if that is visible. */
export async function showComparison() {
  if (!$("diff").hidden && !$("drawer").hidden) await comparison.show(active);
}

const COPIES = { path: "Path", name: "Path by names", value: "Value", hex: "Bytes as hex", c: "Bytes as a C array", command: "bindpose set …" };

async function copy(what, field) {
  const range = view.selected ?? field;
  const bytes = ["hex", "c"].includes(what) ? await ask("slice", { id: active.id, start: range.start, end: range.end }) : [];
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  const texts = {
    path: field?.path, name: field?.name, value: field?.value, hex: digits.join(" "), c: `{ ${digits.map((pair) => `0x${pair}`).join(", ")} }`,
    command: field && edits.commands({ name: active.name, edits: [{ verb: "set", path: field.path, value: field.value }] }),
  };
  await copyText(texts[what]);
  say(`Copied ${COPIES[what].toLowerCase()}: ${texts[what].length > 80 ? `${texts[what].slice(0, 80)}…` : texts[what]}`);
}

export async function goTo(event) {
  event.preventDefault();
  const value = $("goto-input").value.trim();
  $("goto-error").textContent = "";
  if (!value) return;
  try {
    if (/^(0x[0-9a-f]+|\d+)$/i.test(value)) {
      const offset = Number(value);
      if (offset >= active.length) throw new Error(`the file ends at ${hex(active.length)}`);
      await jump({ start: offset, end: offset + 1 }, { focus: true });
    } else {
      await jump({ path: value }, { focus: true });
    }
  } catch (error) {
    $("goto-error").textContent = error.message;
  }
}
