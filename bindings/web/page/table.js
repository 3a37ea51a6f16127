// The table of all files.
import { $, counted, el, size } from "./dom.js";
import { ORDER } from "./files.js";
import { byFindings, condition, count, dot, severities } from "./verdict.js";

/** The columns: each with its title, the value by which it is sorted, and whether that is a number, the largest first. */
const COLUMNS = {
  picture: ["", () => "", false],
  name: ["File", ({ path }) => path, false],
  format: ["Format", ({ about }) => about?.info?.title ?? "", false],
  verdict: ["Verdict", (file) => `${condition(file).rank} ${condition(file).words}`, false],
  findings: ["Findings", byFindings, true],
  bones: ["Bones", ({ about }) => about?.info?.bones ?? -1, true],
  clips: ["Clips", ({ about }) => about?.info?.clips.length ?? -1, true],
  size: ["Size", (file) => file.size ?? -1, true],
};

/** Returns the numbers of findings by their severity as a text. */
const listed = (file) => severities(file).map(([severity, own]) => (severity === "info" ? `${own} info` : counted(own, severity))).join(", ");

/** The height of a row, as in the style. */
const HEIGHT = 55;
/** The rows above and below the visible ones that are in the page, too. */
const SPARE = 5;

export class Table {
  #files;
  #choose;
  #thumbnail;
  #view = $("table-view");
  #list = [];
  /** The rows that are in the page. */
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
    $("table-filter").addEventListener("input", () => this.#fillFromTop());
    this.#view.addEventListener("scroll", () => this.#paint());
    new ResizeObserver(() => this.#paint()).observe(this.#view);
  }

  /** Shows all files. */
  show(active) {
    this.#active = active;
    this.#fill();
    this.#view.scrollTop = Math.max(0, this.#list.indexOf(active) * HEIGHT - this.#view.clientHeight / 3);
  }

  /** Shows a file again after it changed; all if the list did. */
  update(file) {
    if ($("table").hidden) return;
    this.#rows.get(file)?.replaceChildren(...this.#cells(file));
    if (file) this.#count();
    else this.#fill();
  }

  #sort(name) {
    this.#down = this.#by === name ? !this.#down : COLUMNS[name][2];
    this.#by = name;
    for (const head of $("table-head").children) head.setAttribute("aria-sort", head.dataset.name === name ? (this.#down ? "descending" : "ascending") : "none");
    this.#fillFromTop();
  }

  /** Returns the files that the filter leaves, as they are sorted. */
  get order() {
    const text = $("table-filter").value.toLowerCase();
    const list = this.#files.list.filter((file) => `${file.path} ${file.about?.info?.title ?? ""} ${condition(file).words}`.toLowerCase().includes(text));
    if (!this.#by) return list;
    const value = COLUMNS[this.#by][1];
    const order = (a, b) => (typeof a === "number" ? a - b : ORDER.compare(a, b));
    return list.sort((a, b) => (this.#down ? -1 : 1) * order(value(a), value(b)));
  }

  /** Removes the filter and the order. */
  clear() {
    $("table-filter").value = "";
    this.#by = null;
    for (const head of $("table-head").children) head.setAttribute("aria-sort", "none");
  }

  #fillFromTop() {
    this.#view.scrollTop = 0;
    this.#fill();
  }

  #fill() {
    this.#list = this.order;
    $("table-none").hidden = this.#list.length > 0;
    $("table-none").textContent = `No file has “${$("table-filter").value}” in its path, format or verdict.`;
    this.#rows.clear();
    this.#count();
    this.#paint();
  }

  #count() {
    const { list } = this.#files;
    const unread = list.filter(({ about }) => !about).length;
    $("table-title").textContent = `${this.#list.length.toLocaleString("en")} of ${list.length.toLocaleString("en")} files${unread ? `, ${unread.toLocaleString("en")} to read` : ""}`;
  }

  /** Puts the rows around the visible ones into the page. */
  #paint() {
    const visible = Math.ceil(this.#view.clientHeight / HEIGHT);
    const first = Math.max(0, Math.min(Math.floor(this.#view.scrollTop / HEIGHT), this.#list.length - visible) - SPARE);
    const shown = this.#list.slice(first, first + visible + 2 * SPARE);
    if (shown.length && this.#rows.size === shown.length && shown.every((file) => this.#rows.has(file))) return;
    this.#rows = new Map(shown.map((file, at) => [file, this.#rows.get(file)
      ?? el(`tr${file === this.#active ? ".active" : ""}`, { aria: { rowindex: first + at + 2 } }, ...this.#cells(file))]));
    const space = (rows) => el("tr.space", { aria: { hidden: true }, style: { height: `${rows * HEIGHT}px` } });
    const focused = document.activeElement;
    $("table-rows").replaceChildren(space(first), ...this.#rows.values(), space(this.#list.length - first - shown.length));
    $("table-rows").parentElement.setAttribute("aria-rowcount", this.#list.length + 1);
    if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
  }

  #cells(file) {
    return Object.entries(COLUMNS).map(([name, [, value, isNumber]]) => {
      if (name === "picture") return el("td", {}, this.#thumbnail(file));
      if (name === "name") return el("td", {}, el("button.link", { type: "button", title: file.path, onclick: () => this.#choose(file) }, el("span.folder", {}, file.path.slice(0, -file.name.length)), file.name));
      if (name === "verdict") return el("td", {}, dot(file), ` ${condition(file).words}`);
      if (name === "findings") return el("td.number", { title: listed(file) }, el(`span.${severities(file)[0]?.[0] ?? "none"}`, {}, count(file)?.toLocaleString("en") ?? ""));
      const shown = name === "size" ? (file.size === undefined ? "" : size(file.size)) : isNumber && value(file) < 0 ? "" : String(value(file));
      return el(`td${isNumber ? ".number" : ""}`, {}, shown);
    });
  }
}
