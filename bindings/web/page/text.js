// The lines of a text file. Only the visible ones are requested and shown.
import { el } from "./dom.js";

const HEIGHT = 18;
/** The height of the scrolled content in pixels; browsers limit it. */
const MOST_HEIGHT = 4_000_000;

export class TextView extends EventTarget {
  #view;
  #load;
  #lines = { total: 0, first: 0, lines: [] };
  #request = 0;
  #selected = null;
  #marks = [];
  /** The lines that open folded blocks. */
  #folded = new Set();

  /**
   * @param {HTMLElement} view
   * @param {(wanted: {first?: number, at?: number, most: number, folded: number[]}) => Promise<object>} load
   */
  constructor(view, load) {
    super();
    this.#view = view;
    this.#load = load;
    view.append(el("div.rows"));
    view.addEventListener("scroll", () => this.#refresh());
    new ResizeObserver(() => this.#refresh()).observe(view);
    view.addEventListener("click", (event) => {
      const at = event.target.closest("[data-start]")?.dataset;
      if (!at) return;
      if (event.target.closest(".fold")) return this.#fold(Number(at.line));
      // A click on a word selects the field that contains it.
      const { focusOffset, focusNode } = getSelection();
      const within = focusNode?.parentElement?.classList.contains("code") ? focusOffset : 0;
      this.dispatchEvent(new CustomEvent("choose", { detail: Number(at.start) + within }));
    });
  }

  /** Shows a file from its start. */
  show(marks, keep) {
    this.#marks = marks;
    this.#selected = null;
    if (!keep) {
      this.#lines = { total: 0, first: 0, lines: [] };
      this.#folded.clear();
      this.#view.scrollTop = 0;
    }
    return this.#refresh();
  }

  /** Marks the lines of findings. */
  mark(marks) {
    this.#marks = marks;
    this.#paint();
  }

  /** Scrolls to a range of bytes, and marks its lines. */
  async select(range) {
    this.#selected = range;
    if (!this.#view.clientHeight) return;
    const { first, total } = await this.#load({ at: range.start, most: 1, folded: [...this.#folded] });
    // The number of lines is not known before the first ones are shown.
    if (!this.#lines.total) this.#resize({ total, first: 0, lines: [] });
    const { scrollTop, clientHeight } = this.#view;
    const top = this.#topOf(first);
    if (top < scrollTop || top + HEIGHT > scrollTop + clientHeight) this.#view.scrollTop = Math.max(0, top - clientHeight / 3);
    this.#paint();
  }

  get #height() {
    return Math.min(this.#lines.total * HEIGHT, MOST_HEIGHT);
  }

  #topOf(line) {
    return this.#lines.total ? (line / this.#lines.total) * this.#height : 0;
  }

  async #refresh() {
    const { clientHeight, scrollTop } = this.#view;
    if (!clientHeight) return;
    const request = ++this.#request;
    const first = this.#height ? Math.floor((scrollTop / this.#height) * this.#lines.total) : 0;
    const lines = await this.#load({ first, most: Math.ceil(clientHeight / HEIGHT) + 1, folded: [...this.#folded] });
    if (request !== this.#request || !lines) return;
    this.#resize(lines);
    this.#paint();
  }

  #resize(lines) {
    this.#lines = lines;
    this.#view.firstElementChild.style.setProperty("height", `${this.#height}px`);
  }

  #fold(line) {
    if (!this.#folded.delete(line)) this.#folded.add(line);
    return this.#refresh();
  }

  #paint() {
    const top = Math.min(this.#topOf(this.#lines.first), this.#height);
    this.#view.firstElementChild.replaceChildren(...this.#lines.lines.map(({ line, start, end, text, isCut, until, isFolded }, at) => {
      const overlaps = (range) => range && range.start < end && range.end > start;
      const mark = this.#marks.find(overlaps);
      return el(`div.codeline${overlaps(this.#selected) ? ".selected" : ""}`, { data: { start, line }, style: { top: `${top + at * HEIGHT}px` } },
        el(`span.number${mark ? `.mark-${mark.severity}` : ""}`, { title: mark?.message ?? "" }, String(line + 1)),
        until ? el("button.fold", { type: "button", title: isFolded ? `Show ${until - line - 1} lines` : "Hide the block", aria: { expanded: !isFolded, label: `Block at line ${line + 1}` } }, isFolded ? "▸" : "▾") : el("span.fold"),
        el("span.code", {}, isFolded ? `${text} … ${until - line - 1} lines` : isCut ? `${text}…` : text));
    }));
  }
}
