// Compares the active file with another one: values, bytes, and both models under one camera.
import { ask } from "./client.js";
import { $, counted, el } from "./dom.js";
import { Stage } from "./stage.js";
import { Tree } from "./tree.js";

/** The most differences that are listed. */
const MOST = 5000;
/** The most files that are offered beside the list. */
const MOST_OFFERED = 12;
/** The id of the active file before its changes. */
const ORIGINAL = 0;

/** The number of words that two names have in common. */
function shared(a, b) {
  const [own, other] = [a, b].map((name) => new Set(name.toLowerCase().split(/[^a-z0-9]+/)));
  return own.intersection(other).size;
}

/** Returns differences as nodes by the steps of their paths; steps that all have in common are one node. */
function nested(found, from, prefix, jump) {
  return [...Map.groupBy(found, ({ steps }) => steps[from])].flatMap(([step, own]) => {
    if (own.length === 1 || step === undefined) {
      return own.map(({ place, steps, kind, values: [before, after], b: range }) => ({
        key: `${prefix} ${place} ${kind}`, label: steps.slice(from).join("").replace(/^\./, "") || place, title: place,
        text: kind === "value" ? `${before} → ${after}` : kind === "moved" ? `moved: [${before}] → [${after}]` : kind, act: () => jump(range),
      }));
    }
    let to = from + 1;
    while (own.every(({ steps }) => to < steps.length && steps[to] === own[0].steps[to])) to += 1;
    const label = own[0].steps.slice(from, to).join("").replace(/^\./, "");
    const key = `${prefix}${label}/`;
    return [{ key, label, kind: "group", text: counted(own.length, "difference"), children: nested(own, to, key, jump) }];
  });
}

export class Comparison {
  #files;
  #page;
  #active = null;
  #other = null;
  #stage = null;
  #following = false;
  /** The id of the file that was chosen, empty for none; null if nothing was chosen. */
  #chosen = null;
  #tree = new Tree($("diff-list"));
  /** The ranges that differ, as marks, by the ids of files. */
  differences = new Map();

  /** @param {{stage: Stage, add, jump, failed, conventions, attach, compared}} page */
  constructor(files, page) {
    this.#files = files;
    this.#page = page;
    $("diff-with").addEventListener("change", () => this.#choose($("diff-with").value));
    $("diff-models").addEventListener("click", () => this.#models($("other-stage").hidden).catch(page.failed));
    $("diff-open").addEventListener("click", () => $("diff-picker").click());
    $("diff-picker").addEventListener("change", () => {
      void this.#open([...$("diff-picker").files]).catch(page.failed);
      $("diff-picker").value = "";
    });
    page.stage?.addEventListener("drawn", () => this.#time());
    page.stage?.addEventListener("moved", () => this.#follow(page.stage, this.#stage));
  }

  #choose(id) {
    this.#chosen = id;
    this.show(this.#active).catch(this.#page.failed);
  }

  /** Opens a file, and compares the active one with it. */
  async #open(items) {
    const active = this.#active;
    const [other] = await this.#page.add(items);
    if (!other || active !== this.#active) return;
    if (other.about?.error || other.kind !== active.kind) throw new Error(`${other.name} is not a file of the same format as ${active.name}.`);
    this.#chosen = String(other.id);
    await this.show(active);
  }

  /**
   * Lists the differences that lead from the file that is chosen to the active one; files of the most similar names are offered first. A file with
   * changes is compared with its state before them, unless another one is chosen.
   */
  async show(active) {
    this.#active = active;
    const chosen = this.#chosen ?? (active.edits.length ? String(ORIGINAL) : "");
    const alike = (file) => [file.name === active.name, file.path.split("/").at(-2) === active.path.split("/").at(-2), shared(file.name, active.name)];
    const others = this.#files.list.filter((file) => file !== active && file.kind === active.kind && file.kind !== "gltf" && !file.about?.error)
      .map((file) => [file, alike(file)]).sort(([, a], [, b]) => b[0] - a[0] || b[2] - a[2] || b[1] - a[1]).map(([file]) => file);
    if (active.edits.length) others.unshift({ ...active, id: ORIGINAL, path: "the file before its changes", opened: false, edits: [], of: active });
    $("diff-with").replaceChildren(el("option", { value: "" }, others.length ? "Choose a file" : "No file"),
      ...others.map((file) => el("option", { value: file.id, selected: String(file.id) === chosen }, file.path)));
    const other = others.find(({ id }) => String(id) === $("diff-with").value);
    if (other?.id !== this.#other?.id) this.#stop();
    this.#other = other ?? null;
    this.#tree.show([]);
    $("diff-note").textContent = $("diff-head").textContent = "";
    $("diff-models").disabled = !other || !this.#page.stage;
    this.#offer(other ? [] : others);
    if (!other) return;
    await this.#files.open(other);
    const found = await ask("diff", { a: other.id, b: active.id, most: MOST });
    const mark = ({ place, name, b }) => ({ ...b, severity: "info", message: `${name ?? place} differs from ${other.path}` });
    this.differences.set(active.id, found.filter(({ b }) => b.end > b.start).map(mark));
    this.#page.compared(active);
    $("diff-note").textContent = found.length ? `${counted(found.length, "difference")}${found.length === MOST ? " or more" : ""}` : "The files are equal.";
    $("diff-head").textContent = found.length ? `${other.of ? `${active.path} before its changes` : other.path} → ${active.path} as it is shown` : "";
    const nodes = nested(found.map((own) => ({ ...own, steps: (own.name ?? own.place).match(/\.?[^.[\]]+|\[("(\\.|[^"\\])*"|[^\]]*)\]/g) ?? [] })), 0, "", (range) => this.#page.jump(range).catch(this.#page.failed));
    this.#tree.show(nodes, nodes.length <= 12 ? nodes.map(({ key }) => key) : []);
    if (!$("other-stage").hidden) await this.#models(true);
  }

  /** Offers files while none is chosen. */
  #offer(others) {
    $("diff-offers").hidden = Boolean(this.#other);
    $("diff-list").hidden = !this.#other;
    const text = others.length ? `Compare ${this.#active.name} with:` : `Open another version of ${this.#active.name}, or another file of its format, to see what differs.`;
    $("diff-offers").replaceChildren(el("p", {}, text), el("div.buttons.left", {}, ...others.slice(0, MOST_OFFERED)
      .map(({ id, path }) => el("button", { type: "button", onclick: () => this.#choose(String(id)) }, path))));
  }

  /** Ends the comparison if it is with a file that is closed. */
  drop(file) {
    if (this.#other === file) this.end();
  }

  /** Ends the comparison, and shows nothing of it. */
  end() {
    this.#stop();
    this.#chosen = null;
    $("diff-with").value = "";
    $("diff-note").textContent = $("diff-head").textContent = "";
    this.#tree.show([]);
  }

  #stop() {
    this.differences.clear();
    if (this.#other?.of) void ask("close", { id: ORIGINAL });
    this.#other = null;
    void this.#models(false);
  }

  async #models(on) {
    $("other-stage").hidden = $("own-note").hidden = !on;
    $("diff-models").setAttribute("aria-pressed", on);
    if (!on) return this.#stage?.clear();
    const [own, other] = [this.#page.stage, this.#other];
    if (!this.#stage) {
      this.#stage = new Stage($("other-canvas"), { follows: false });
      this.#stage.addEventListener("moved", () => this.#follow(this.#stage, own));
    }
    const set = (await this.#files.set(other.of ?? other)).map((file) => (file === other.of ? other : file));
    await Promise.all(set.map((file) => this.#files.open(file)));
    const { glb, summary } = await ask("glance", { ids: set.map(({ id }) => id), ...this.#page.conventions() });
    if (this.#other !== other) return;
    await this.#stage.show(glb, summary);
    await this.#page.attach(this.#stage, summary, set);
    [$("own-note").textContent, $("other-note").textContent] = [this.#active.path, other.path];
    this.#stage.set(own.options);
    this.clip();
    // The camera is that of the own model.
    this.#following = true;
    this.#stage.fit();
    this.#following = false;
    this.#follow(own, this.#stage);
  }

  /** Poses the other model in the clip of the same name; if both have one clip, in that. */
  clip() {
    const [own, other] = [this.#page.stage, this.#stage];
    const name = own?.clipName;
    const isOnly = name !== undefined && own.clips.length === 1 && other?.clips.length === 1;
    other?.clip(isOnly ? 0 : other.clips.findIndex((clip) => clip.name === name));
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
