// Compares the active file with another one: values, bytes, and both models under one camera.
import { ask } from "./client.js";
import { $, counted, el } from "./dom.js";
import { Stage } from "./stage.js";

/** The most differences that are listed. */
const MOST = 1000;

export class Comparison {
  #files;
  #page;
  #active = null;
  #other = null;
  #stage = null;
  #following = false;
  /** The ranges that differ, as marks, by the ids of files. */
  differences = new Map();

  /** @param {{stage: Stage, jump, failed, conventions, attach, compared}} page */
  constructor(files, page) {
    this.#files = files;
    this.#page = page;
    $("diff-with").addEventListener("change", () => this.show(this.#active).catch(page.failed));
    $("diff-models").addEventListener("click", () => this.#models($("other-stage").hidden).catch(page.failed));
    page.stage?.addEventListener("drawn", () => this.#time());
    page.stage?.addEventListener("moved", () => this.#follow(page.stage, this.#stage));
  }

  /** Lists the differences between a file and the one that is chosen. */
  async show(active) {
    this.#active = active;
    const others = this.#files.list.filter((file) => file !== active && file.kind === active.kind && !file.about?.error);
    const chosen = $("diff-with").value;
    $("diff-with").replaceChildren(el("option", { value: "" }, others.length ? "Choose a file" : "Open another file of this format"),
      ...others.map((file) => el("option", { value: file.id, selected: String(file.id) === chosen }, file.name)));
    const other = others.find(({ id }) => String(id) === $("diff-with").value);
    if (other !== this.#other) this.end();
    this.#other = other ?? null;
    $("diff-list").replaceChildren();
    $("diff-note").textContent = "";
    $("diff-models").disabled = !other || !this.#page.stage;
    if (!other) return;
    await this.#files.open(other);
    const found = await ask("diff", { a: active.id, b: other.id, most: MOST });
    const mark = ({ place, a }) => ({ ...a, severity: "info", message: `${place} differs from ${other.name}` });
    this.differences.set(active.id, found.filter(({ a }) => a.end > a.start).map(mark));
    this.#page.compared(active);
    $("diff-note").textContent = found.length ? `${counted(found.length, "difference")}${found.length === MOST ? " or more" : ""}` : "The files are equal.";
    $("diff-list").replaceChildren(...found.map(({ place, kind, values: [a, b], a: range }) => el("button.difference", { type: "button", onclick: () => this.#page.jump(range).catch(this.#page.failed) },
      el("span.note", {}, kind), el("span", {}, place), el("span", {}, kind === "value" ? `${a} → ${b}` : kind === "moved" ? `[${a}] → [${b}]` : ""))));
    if (!$("other-stage").hidden) await this.#models(true);
  }

  /** Ends the comparison. */
  end() {
    this.differences.clear();
    this.#other = null;
    void this.#models(false);
  }

  async #models(on) {
    $("other-stage").hidden = !on;
    $("diff-models").setAttribute("aria-pressed", on);
    if (!on) return this.#stage?.clear();
    const [own, other] = [this.#page.stage, this.#other];
    if (!this.#stage) {
      this.#stage = new Stage($("other-canvas"));
      this.#stage.addEventListener("moved", () => this.#follow(this.#stage, own));
    }
    const set = await this.#files.set(other);
    await Promise.all(set.map((file) => this.#files.open(file)));
    const { glb, summary } = await ask("glance", { ids: set.map(({ id }) => id), ...this.#page.conventions() });
    if (this.#other !== other) return;
    await this.#stage.show(glb, summary);
    await this.#page.attach(this.#stage, summary);
    $("other-note").textContent = other.name;
    this.#stage.set(own.options);
    this.#stage.fit();
    this.clip();
    this.#follow(own, this.#stage);
  }

  /** Poses the other model in the clip of the same name. */
  clip() {
    const name = this.#page.stage?.clipName;
    this.#stage?.clip(this.#stage.clips.findIndex((clip) => clip.name === name));
    this.#time();
  }

  #time() {
    if (!this.#stage || $("other-stage").hidden) return;
    this.#stage.set(this.#page.stage.options);
    this.#stage.seek(this.#page.stage.time);
  }

  #follow(from, to) {
    if (this.#following || !to || $("other-stage").hidden) return;
    this.#following = true;
    to.view = from.view;
    this.#following = false;
  }
}
