// The tree beside the model: what the set contains, and every part of its files. Only the visible rows are in the page.
import { counted, el } from "./dom.js";

const HEIGHT = 22;

/**
 * A node: `{ key, label, text, kind, load(), act(), eye, badge, children }`; one with `load` or `children` can be opened. `search(text)` of
 * a root returns nodes for all its parts that contain a text. Dispatches `shown` with whether there are nodes, or may still be, and `entered` after
 * a key has selected the place of a node.
 */
export class Tree extends EventTarget {
  #view;
  #filter = "";
  #roots = [];
  #open = new Set();
  #rows = [];
  #current = "";

  /** @param {HTMLElement} view the scrolled element with the role of a tree */
  constructor(view) {
    super();
    this.#view = view;
    this.#view.append(el("div.rows", { role: "presentation" }));
    view.addEventListener("scroll", () => this.#paint());
    new ResizeObserver(() => this.#paint()).observe(view);
    view.addEventListener("click", (event) => this.#click(event));
    view.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Shows other nodes; those that were open stay open. */
  show(roots, open = []) {
    this.#roots = roots;
    for (const key of open) this.#open.add(key);
    this.#update();
    if (this.#filter.length > 1) void this.#search();
  }

  /** Shows only the nodes whose text contains a text, with their parents; then what roots find in their parts that are not open. */
  filter(text) {
    this.#filter = text.trim().toLowerCase();
    this.#isSearching = this.#filter.length > 1;
    for (const root of this.#roots) root.found = [];
    this.#update();
    clearTimeout(this.#searching);
    if (this.#isSearching) this.#searching = setTimeout(() => this.#search(), 200);
  }
  #searching;
  #isSearching = false;

  async #search() {
    const [text, roots] = [this.#filter, this.#roots.filter(({ search }) => search)];
    await Promise.all(roots.map(async (root) => {
      const found = await root.search(text);
      if (text !== this.#filter) return;
      root.found = found;
      this.#update();
    }));
    if (text !== this.#filter) return;
    this.#isSearching = false;
    this.#update();
  }

  /** Marks a node, and scrolls to it if it is visible in the tree. */
  choose(key) {
    this.#current = key;
    const at = this.#rows.findIndex(({ node }) => node.key === key);
    if (at >= 0) this.#reveal(at);
    this.#paint();
  }

  /** Ends the mark of a node, if it is still on it. */
  leave(key) {
    if (this.#current === key) this.choose("");
  }

  #update() {
    this.#rows = [];
    const matches = (node) => `${node.label} ${node.text ?? ""}`.toLowerCase().includes(this.#filter);
    const shown = new Set();
    const add = (node, level) => {
      const at = this.#rows.length;
      this.#rows.push({ node, level });
      const children = node.children ?? [];
      let any = !this.#filter || node.isFound || matches(node);
      if (this.#filter || this.#open.has(node.key)) {
        for (const child of children) any = add(child, level + 1) || any;
        for (const part of node.found?.filter(({ key }) => !shown.has(key)) ?? []) any = add(part, level + 1) || any;
        if (!node.children && node.load && this.#open.has(node.key)) void this.#load(node);
      }
      if (any) shown.add(node.key);
      else this.#rows.length = at;
      return any;
    };
    for (const root of this.#roots) add(root, 1);
    this.dispatchEvent(new CustomEvent("shown", { detail: !this.#filter || this.#isSearching || this.#rows.length > 0 }));
    this.#view.firstElementChild.style.setProperty("height", `${this.#rows.length * HEIGHT}px`);
    this.#paint();
  }

  async #load(node) {
    if (node.loading) return;
    node.loading = true;
    node.children = await node.load();
    this.#update();
  }

  #paint() {
    const { scrollTop, clientHeight } = this.#view;
    const first = Math.max(0, Math.floor(scrollTop / HEIGHT) - 2);
    const rows = this.#rows.slice(first, first + Math.ceil(clientHeight / HEIGHT) + 4);
    this.#view.firstElementChild.replaceChildren(...rows.map(({ node, level }, at) => this.#row(node, level, first + at)));
    if (rows.some(({ node }) => node.key === this.#current)) this.#view.setAttribute("aria-activedescendant", `${this.#view.id}-${this.#rows.findIndex(({ node }) => node.key === this.#current)}`);
    else this.#view.removeAttribute("aria-activedescendant");
  }

  #row(node, level, index) {
    const isOpen = this.#open.has(node.key) || Boolean(this.#filter && (node.children?.length || node.found?.length));
    const hasParts = Boolean(node.load || node.children?.length);
    return el(`div.node${node.key === this.#current ? ".selected" : ""}`, {
      role: "treeitem", id: `${this.#view.id}-${index}`, data: { index }, style: { top: `${index * HEIGHT}px`, "--level": Math.min(level - 1, 14) }, title: node.title ?? "",
      aria: { level, selected: node.key === this.#current, ...(hasParts && { expanded: isOpen }), setsize: this.#rows.length, posinset: index + 1 },
    },
    el(`span.twist${hasParts ? (isOpen ? ".open" : ".closed") : ""}`, { aria: { hidden: true } }),
    ...(node.eye ? [el(`span.eye${node.eye.visible() ? ".on" : ""}`, { aria: { hidden: true }, title: "Show or hide (V)" })] : []),
    el(`span.label${node.kind ? `.${node.kind}` : ""}`, {}, node.label),
    el("span.detail", {}, node.text ?? ""),
    ...(node.badge ? [el("span.badge", { title: counted(node.badge, "finding") }, node.badge.toLocaleString("en"))] : []));
  }

  #reveal(at) {
    const { scrollTop, clientHeight } = this.#view;
    if (at * HEIGHT < scrollTop || (at + 1) * HEIGHT > scrollTop + clientHeight) this.#view.scrollTop = Math.max(0, at * HEIGHT - clientHeight / 3);
  }

  #toggle(node, open = !this.#open.has(node.key)) {
    if (open) this.#open.add(node.key);
    else this.#open.delete(node.key);
    this.#update();
  }

  #act(at) {
    const node = this.#rows[at]?.node;
    if (!node) return;
    this.#current = node.key;
    this.#paint();
    return node.act?.();
  }

  async #enter(at) {
    const done = this.#act(at);
    // Not all nodes have a place in a file.
    if (!(done instanceof Promise)) return;
    await done;
    this.dispatchEvent(new Event("entered"));
  }

  #click(event) {
    const row = event.target.closest(".node");
    if (!row) return;
    const at = Number(row.dataset.index);
    const { node } = this.#rows[at];
    this.#current = node.key;
    if (event.target.classList.contains("eye")) {
      node.eye.toggle();
      this.#paint();
    } else if (event.target.classList.contains("twist") || (!node.act && (node.load || node.children?.length))) this.#toggle(node);
    else this.#act(at);
  }

  #key(event) {
    const at = Math.max(0, this.#rows.findIndex(({ node }) => node.key === this.#current));
    const row = this.#rows[at];
    if (!row) return;
    const isOpen = this.#open.has(row.node.key);
    const parent = () => this.#rows.slice(0, at).findLastIndex(({ level }) => level < row.level);
    const page = Math.floor(this.#view.clientHeight / HEIGHT);
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.#rows.length - 1, PageDown: Math.min(at + page, this.#rows.length - 1), PageUp: Math.max(0, at - page) };
    const hasParts = row.node.load || row.node.children?.length;
    let next = moves[event.key];
    if (event.key === "ArrowRight" && hasParts && !isOpen) this.#toggle(row.node, true);
    else if (event.key === "ArrowRight") next = at + 1;
    else if (event.key === "ArrowLeft" && hasParts && isOpen) this.#toggle(row.node, false);
    else if (event.key === "ArrowLeft") next = parent();
    else if (event.key === "Enter") void this.#enter(at);
    else if (event.key.toLowerCase() === "v" && row.node.eye) row.node.eye.toggle();
    else if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.#rows[next]) {
      this.#current = this.#rows[next].node.key;
      this.#reveal(next);
    }
    this.#paint();
  }
}
