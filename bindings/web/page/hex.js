// The byte map: bytes and the fields they belong to. Only the visible part is requested and shown.
import { $, el, hex } from "./dom.js";

const WIDTH = 16;
/** The most fields that are shown for the visible bytes. */
const MOST_FIELDS = 600;
/** The height of the scrolled content in pixels; browsers limit it. */
const MOST_HEIGHT = 4_000_000;

export class HexView extends EventTarget {
  #load;
  #length = 0;
  #line = 0;
  #lines = 10;
  #cursor = 0;
  #selected = null;
  #window = { start: 0, bytes: new Uint8Array(), fields: [] };
  #changes = [];
  #marks = [];
  #request = 0;
  #rows = [];
  #cells = new Map();

  /** @param {(start: number, end: number, most: number) => Promise<{bytes: Uint8Array, fields: object[]}>} load */
  constructor(load) {
    super();
    this.#load = load;
    const head = $("hex-head");
    head.append(el("span.offset", {}, "offset"));
    for (let column = 0; column < WIDTH; column++) head.append(el("span", {}, column.toString(16).padStart(2, "0")));
    this.#listen();
    new ResizeObserver(() => this.#resize()).observe($("hex"));
  }

  /** Shows another file, or the same one after a change. */
  show(length, { changes = [], marks = [], keep = false } = {}) {
    this.#length = length;
    this.#changes = changes;
    this.#marks = marks;
    if (!keep) {
      this.#line = 0;
      this.#cursor = 0;
      this.#selected = null;
    }
    this.#line = Math.min(this.#line, this.#lastLine());
    this.#resize();
    return this.#refresh();
  }

  /** Marks the bytes of findings and damage. */
  mark(marks) {
    this.#marks = marks;
    this.#paint();
  }

  /** Scrolls to a range of bytes and selects it. Returns the field of its first byte. */
  async select({ start, end, path = "" }, focus = false) {
    this.#cursor = Math.min(start, Math.max(0, this.#length - 1));
    this.#selected = { start, end, path };
    this.#reveal();
    await this.#refresh();
    if (focus) $("hex").focus({ preventScroll: true });
    const { fields } = await this.#load(this.#cursor, this.#cursor + 1, 1);
    return fields[0] ?? null;
  }

  #lastLine() {
    return Math.max(0, Math.ceil(this.#length / WIDTH) - this.#lines);
  }

  #reveal() {
    const line = Math.floor(this.#cursor / WIDTH);
    if (line < this.#line || line >= this.#line + this.#lines) {
      this.#line = Math.max(0, Math.min(line - Math.floor(this.#lines / 3), this.#lastLine()));
    }
  }

  #resize() {
    const probe = this.#rows[0]?.offsetHeight || 20;
    const lines = Math.max(3, Math.floor(($("hex").clientHeight - $("hex-head").offsetHeight - 4) / probe));
    if (lines !== this.#lines || this.#rows.length !== lines) {
      this.#lines = lines;
      this.#rows = Array.from({ length: lines }, () => el("div.line"));
      $("hex-rows").replaceChildren(...this.#rows);
      this.#line = Math.min(this.#line, this.#lastLine());
      void this.#refresh();
    }
    const total = Math.ceil(this.#length / WIDTH) * probe + $("hex-head").offsetHeight + 8;
    $("hex-scroll").firstElementChild.style.height = `${Math.min(total, MOST_HEIGHT)}px`;
    this.#syncScroll();
  }

  #syncScroll() {
    const scroll = $("hex-scroll");
    const most = scroll.scrollHeight - scroll.clientHeight;
    const last = this.#lastLine();
    this.#silent = true;
    scroll.scrollTop = last ? (this.#line / last) * most : 0;
    requestAnimationFrame(() => { this.#silent = false; });
  }
  #silent = false;

  async #refresh() {
    const request = ++this.#request;
    const start = this.#line * WIDTH;
    const end = Math.min(this.#length, start + this.#lines * WIDTH);
    const loaded = end > start ? await this.#load(start, end, MOST_FIELDS) : { bytes: new Uint8Array(), fields: [] };
    if (request !== this.#request) return;
    this.#window = { start, ...loaded };
    this.#paint();
    this.dispatchEvent(new Event("shown"));
  }

  #paint() {
    const { start, bytes, fields } = this.#window;
    this.#cells.clear();
    let field = 0;
    this.#rows.forEach((row, line) => {
      const at = start + line * WIDTH;
      if (at >= this.#length) return row.replaceChildren();
      const cells = [];
      const texts = [];
      for (let offset = at; offset < Math.min(at + WIDTH, start + bytes.length); offset++) {
        while (field < fields.length && fields[field].end <= offset) field += 1;
        const own = fields[field]?.start <= offset ? fields[field] : null;
        const value = bytes[offset - start];
        const classes = this.#classes(offset, own, field);
        const cell = el("span", { className: `byte ${classes}`, data: { at: offset } }, value.toString(16).padStart(2, "0"));
        const printable = value >= 32 && value < 127;
        const text = el("span", { className: `char ${classes}${printable ? "" : " blank"}`, data: { at: offset } }, printable ? String.fromCharCode(value) : "·");
        this.#cells.set(offset, [cell, text]);
        cells.push(cell);
        texts.push(text);
      }
      row.replaceChildren(el("span.offset", {}, at.toString(16).padStart(8, "0")), ...cells,
        ...Array.from({ length: WIDTH - cells.length }, () => el("span.byte.none", {}, "  ")), el("span.text", {}, ...texts));
    });
    this.#list();
  }

  #classes(offset, field, index) {
    const within = ({ start, end }) => offset >= start && offset < end;
    const classes = [field ? `c-${field.class}` : "c-none"];
    if (index % 2) classes.push("odd");
    if (this.#changes.some(within)) classes.push("changed");
    const mark = this.#marks.find(within);
    if (mark) classes.push(`mark-${mark.severity}`);
    if (this.#selected && within(this.#selected)) classes.push("selected");
    if (offset === this.#cursor) classes.push("cursor");
    return classes.join(" ");
  }

  #list() {
    const list = $("list");
    const { fields } = this.#window;
    const rows = fields.map((field, index) => {
      const selected = this.#selected && field.start >= this.#selected.start && field.end <= this.#selected.end;
      const changed = this.#changes.some(({ start, end }) => start < field.end && end > field.start);
      return el(`div.field${selected ? ".selected" : ""}${changed ? ".changed" : ""}`, {
        role: "option", id: `field-${index}`, data: { index }, title: field.doc, aria: { selected: Boolean(selected) },
      },
      el("span.at", {}, hex(field.start)), el("span.path", {}, field.name ?? field.path), el("span.type", {}, field.type),
      el(`span.value.c-${field.class}`, {}, field.cut ? `${field.value}…` : field.value));
    });
    if (!fields.length && this.#length) rows.push(el("p.note", {}, "No field has been decoded here."));
    list.replaceChildren(...rows);
    this.#showCurrent();
  }

  /** Scrolls the list to the selection, or to the cursor if it is outside of the selection. */
  #showCurrent() {
    const list = $("list");
    this.#showRow(list.querySelector(".selected") ?? list.children[this.#window.fields.indexOf(this.#fieldAt(this.#cursor))]);
  }

  /** Scrolls the list, and not the page, to a row. */
  #showRow(row) {
    const list = $("list");
    if (!row || (row.offsetTop >= list.scrollTop && row.offsetTop + row.offsetHeight <= list.scrollTop + list.clientHeight)) return;
    list.scrollTop = row.offsetTop - row.offsetHeight;
  }

  #fieldAt(offset) {
    return this.#window.fields.find(({ start, end }) => offset >= start && offset < end) ?? null;
  }

  /** Highlights the bytes and the row of a field. */
  #hover(field) {
    for (const cell of document.querySelectorAll("#bytes .hover")) cell.classList.remove("hover");
    if (!field) return null;
    for (let offset = Math.max(field.start, this.#window.start); offset < field.end; offset++) {
      const cells = this.#cells.get(offset);
      if (!cells) break;
      cells.forEach((cell) => cell.classList.add("hover"));
    }
    const row = $("list").children[this.#window.fields.indexOf(field)];
    row?.classList.add("hover");
    return row;
  }

  #choose(field, edit = false) {
    this.#cursor = field.start;
    this.#selected = field;
    this.#paint();
    this.dispatchEvent(new CustomEvent("choose", { detail: { field, edit } }));
  }

  /** Selects bytes from the one where a drag started to another. */
  #drag(from, to) {
    this.#cursor = to;
    this.#selected = { start: Math.min(from, to), end: Math.max(from, to) + 1, path: "" };
    this.#paint();
  }

  /** The selected bytes. */
  get selected() {
    return this.#selected;
  }

  #move(delta) {
    this.#cursor = Math.max(0, Math.min(this.#length - 1, this.#cursor + delta));
    this.#selected = null;
    const before = this.#line;
    const line = Math.floor(this.#cursor / WIDTH);
    if (line < this.#line) this.#line = line;
    if (line >= this.#line + this.#lines) this.#line = line - this.#lines + 1;
    const then = () => {
      this.#selected = this.#fieldAt(this.#cursor);
      this.#paint();
      if (this.#selected) this.dispatchEvent(new CustomEvent("choose", { detail: { field: this.#selected, at: this.#cursor, edit: false } }));
    };
    if (this.#line === before) return then();
    this.#syncScroll();
    return this.#refresh().then(then);
  }

  #scrollTo(line) {
    const next = Math.max(0, Math.min(Math.round(line), this.#lastLine()));
    if (next === this.#line) return;
    this.#line = next;
    void this.#refresh();
  }

  #listen() {
    const offsetOf = (event) => event.target.dataset?.at;
    const view = $("hex");
    const scroll = $("hex-scroll");
    scroll.addEventListener("scroll", () => {
      if (this.#silent) return;
      const most = scroll.scrollHeight - scroll.clientHeight;
      this.#scrollTo(most ? (scroll.scrollTop / most) * this.#lastLine() : 0);
    });
    view.addEventListener("wheel", (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? event.deltaY : event.deltaY / 20;
      this.#scrollTo(this.#line + (Math.abs(lines) < 1 ? Math.sign(lines) : lines));
      this.#syncScroll();
    }, { passive: false });
    let touch = null;
    view.addEventListener("touchstart", (event) => { touch = { y: event.touches[0].clientY, line: this.#line }; }, { passive: true });
    view.addEventListener("touchmove", (event) => {
      this.#scrollTo(touch.line + (touch.y - event.touches[0].clientY) / 20);
      this.#syncScroll();
      event.preventDefault();
    }, { passive: false });
    view.addEventListener("mouseover", (event) => {
      const at = offsetOf(event);
      this.#showRow(this.#hover(at === undefined ? null : this.#fieldAt(Number(at))));
    });
    view.addEventListener("mouseleave", () => this.#hover(null));
    let from = null;
    view.addEventListener("pointerdown", (event) => {
      const at = Number(offsetOf(event) ?? NaN);
      from = Number.isNaN(at) ? null : event.shiftKey && this.#selected ? this.#selected.start : at;
      if (event.shiftKey && from !== null) this.#drag(from, at);
    });
    view.addEventListener("pointermove", (event) => {
      if (event.buttons !== 1 || from === null || offsetOf(event) === undefined || Number(offsetOf(event)) === from) return;
      this.#drag(from, Number(offsetOf(event)));
      dragged = true;
    });
    let dragged = false;
    view.addEventListener("click", (event) => {
      if (dragged || event.shiftKey) {
        dragged = false;
        return;
      }
      const field = offsetOf(event) !== undefined && this.#fieldAt(Number(offsetOf(event)));
      if (field) this.#choose(field);
    });
    view.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey) return;
      const page = this.#lines * WIDTH;
      const home = -(this.#cursor % WIDTH);
      const end = WIDTH - 1 - (this.#cursor % WIDTH);
      const deltas = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -WIDTH, ArrowDown: WIDTH, PageUp: -page, PageDown: page, Home: home, End: end };
      if (event.key in deltas) void this.#move(deltas[event.key]);
      else if (event.key === "Enter" && this.#fieldAt(this.#cursor)) this.#choose(this.#fieldAt(this.#cursor), true);
      else return;
      event.preventDefault();
    });
    const list = $("list");
    const rowOf = (event) => this.#window.fields[event.target.closest(".field")?.dataset.index];
    list.addEventListener("mouseover", (event) => this.#hover(rowOf(event) ?? null));
    list.addEventListener("mouseleave", () => this.#hover(null));
    list.addEventListener("click", (event) => rowOf(event) && this.#choose(rowOf(event)));
    list.addEventListener("dblclick", (event) => rowOf(event) && this.#choose(rowOf(event), true));
    list.addEventListener("keydown", (event) => {
      const { fields } = this.#window;
      const at = fields.findIndex((field) => this.#cursor >= field.start && this.#cursor < field.end);
      const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
      if (event.key === "Enter" && fields[at]) this.#choose(fields[at], true);
      else if (next === undefined) return;
      else if (fields[next]) this.#choose(fields[next]);
      else void this.#move(event.key === "ArrowDown" ? (fields[at]?.end ?? 0) - this.#cursor : -1);
      list.setAttribute("aria-activedescendant", `field-${next}`);
      event.preventDefault();
    });
  }
}
