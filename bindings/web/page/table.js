// The table of all files.
import { $, el, size } from "./dom.js";
import { count, state } from "./files.js";
import { verdict } from "./panels.js";

const COLUMNS = {
  picture: ["", () => "", false],
  name: ["File", ({ path }) => path, false],
  format: ["Format", ({ about }) => about?.info?.title ?? "", false],
  verdict: ["Verdict", (file) => verdict(file)[1], false],
  findings: ["Findings", (file) => count(file) ?? -1, true],
  bones: ["Bones", ({ about }) => about?.info?.bones ?? -1, true],
  clips: ["Clips", ({ about }) => about?.info?.clips.length ?? -1, true],
  size: ["Size", (file) => file.size ?? -1, true],
};

export class Table {
  #files;
  #choose;
  #thumbnail;
  #rows = new Map();
  #by = null;
  #down = false;
  #active = null;

  constructor(files, { choose, thumbnail }) {
    this.#files = files;
    this.#choose = choose;
    this.#thumbnail = thumbnail;
    for (const [name, [label, , isNumber]] of Object.entries(COLUMNS)) {
      $("table-head").append(el(`th${isNumber ? ".number" : ""}`, { data: { name }, aria: { sort: "none" } }, label ? el("button", { type: "button", onclick: () => this.#sort(name) }, label) : el("span.sr", {}, "Picture")));
    }
    $("table-filter").addEventListener("input", () => this.#fill());
  }

  /** Shows all files. */
  show(active) {
    this.#active = active;
    this.#fill();
  }

  /** Shows a file again after it changed. */
  update(file) {
    if ($("table").hidden) return;
    const row = file && this.#rows.get(file);
    if (row) row.replaceChildren(...this.#cells(file));
    else if (!file) this.#fill();
  }

  #sort(name) {
    this.#down = this.#by === name ? !this.#down : COLUMNS[name][2];
    this.#by = name;
    for (const head of $("table-head").children) head.setAttribute("aria-sort", head.dataset.name === name ? (this.#down ? "descending" : "ascending") : "none");
    this.#fill();
  }

  #fill() {
    const text = $("table-filter").value.toLowerCase();
    const list = this.#files.list.filter((file) => `${file.path} ${file.about?.info?.title ?? ""}`.toLowerCase().includes(text));
    if (this.#by) {
      const value = COLUMNS[this.#by][1];
      const order = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));
      list.sort((a, b) => (this.#down ? -1 : 1) * order(value(a), value(b)));
    }
    this.#rows = new Map(list.map((file) => [file, el(`tr${file === this.#active ? ".active" : ""}`, {}, ...this.#cells(file))]));
    $("table-rows").replaceChildren(...this.#rows.values());
    $("table-title").textContent = `${list.length.toLocaleString("en")} of ${this.#files.list.length.toLocaleString("en")} files`;
  }

  #cells(file) {
    return Object.entries(COLUMNS).map(([name, [, value, isNumber]]) => {
      if (name === "picture") return el("td", {}, this.#thumbnail(file));
      if (name === "name") return el("td", {}, el("button.link", { type: "button", onclick: () => this.#choose(file) }, file.path));
      if (name === "verdict") return el("td", {}, el(`span.dot.${state(file)}`, { style: { display: "inline-block" }, aria: { hidden: true } }), ` ${value(file)}`);
      const shown = name === "size" ? (file.size === undefined ? "" : size(file.size)) : isNumber && value(file) < 0 ? "" : String(value(file));
      return el(`td${isNumber ? ".number" : ""}`, {}, shown);
    });
  }
}
