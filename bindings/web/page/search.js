// Search: files, objects, findings, paths, offsets, bytes.
import { $, el } from "./dom.js";

/** The most results of each source. */
const MOST = 12;

export class Search {
  #sources;
  #chosen;
  #results = [];
  #at = 0;
  #request = 0;

  /**
   * @param {((text: string) => Promise<{label: string, detail: string, act: () => void}[]>)[]} sources
   * @param {() => void} chosen is called before a result acts
   */
  constructor(sources, chosen) {
    this.#sources = sources;
    this.#chosen = chosen;
    $("search-input").addEventListener("input", () => this.#run());
    $("search-input").addEventListener("keydown", (event) => this.#key(event));
    $("search-results").addEventListener("click", (event) => {
      const row = event.target.closest("[data-at]");
      if (row) this.#act(Number(row.dataset.at));
    });
  }

  open(text = "") {
    $("search").showModal();
    $("search-input").value = text;
    $("search-input").select();
    void this.#run();
  }

  /** Asks all sources; results are shown as they arrive, in the order of the sources. */
  async #run() {
    const request = ++this.#request;
    const text = $("search-input").value.trim();
    const found = this.#sources.map(() => []);
    this.#results = [];
    await Promise.all(this.#sources.map(async (source, at) => {
      found[at] = await source(text).catch(() => []);
      if (request === this.#request && found[at].length) this.#show(found.flatMap((results) => results.slice(0, MOST)));
    }));
    if (request === this.#request && !this.#results.length) this.#show([]);
  }

  /** Shows results; the chosen one stays chosen. */
  #show(results) {
    const chosen = this.#at ? this.#results[this.#at] : null;
    this.#results = results;
    this.#at = Math.max(0, results.indexOf(chosen));
    this.#paint();
  }

  #paint() {
    $("search-results").replaceChildren(...this.#results.map(({ label, detail }, at) => el(`div.result${at === this.#at ? ".selected" : ""}`, {
      role: "option", id: `result-${at}`, data: { at }, aria: { selected: at === this.#at },
    }, el("span.label", {}, label), el("span.note", {}, detail))));
    $("search-status").textContent = this.#results.length ? "" : "Nothing found. Search for names, paths, offsets (0x2e4), bytes (4d 53) or \"text\".";
    if (this.#results.length) $("search-input").setAttribute("aria-activedescendant", `result-${this.#at}`);
    else $("search-input").removeAttribute("aria-activedescendant");
  }

  #act(at) {
    const result = this.#results[at];
    if (!result) return;
    $("search").close();
    this.#chosen();
    result.act();
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") this.#act(this.#at);
    else if (!step || !this.#results.length) return;
    else {
      this.#at = (this.#at + step + this.#results.length) % this.#results.length;
      this.#paint();
      $(`result-${this.#at}`).scrollIntoView({ block: "nearest" });
    }
    event.preventDefault();
  }
}

/** Returns those of a list whose label contains a text. */
export const containing = (list, text) => (text ? list.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase())) : []);

/** Returns the bytes that a search text denotes: pairs of hexadecimal digits, or a text in quotation marks. */
export function pattern(text) {
  const quoted = /^"(.+?)"?$/.exec(text);
  if (quoted) return { pattern: [...new TextEncoder().encode(quoted[1])], ignoreCase: true };
  const digits = text.replace(/\s/g, "");
  return /^([0-9a-f]{2})+$/i.test(digits) && digits.length >= 4 ? { pattern: digits.match(/../g).map((pair) => parseInt(pair, 16)), ignoreCase: false } : null;
}
