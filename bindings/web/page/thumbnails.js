// Small pictures of files, drawn one after another when their rows are seen.
import { ask } from "./client.js";
import { Stage } from "./stage.js";

/** The size of a larger file that gets no picture. */
const MOST_BYTES = 32 << 20;

export class Thumbnails {
  #attach;
  #beside;
  #stage = null;
  #queue = new Set();
  #busy = false;
  #seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) isIntersecting ? this.#queue.add(target) : this.#queue.delete(target);
    void this.#run();
  }, { rootMargin: "100px" });
  #files = new WeakMap();

  /**
   * @param {(stage: Stage, scene: object, files: object[]) => Promise<object>} attach gives the materials their images
   * @param {(file: object) => Promise<object[]>} beside returns the files that a file refers to
   */
  constructor(attach, beside) {
    this.#attach = attach;
    this.#beside = beside;
  }

  /** Returns the element with the picture of a file. */
  element(file) {
    const image = document.createElement("img");
    image.className = "thumbnail";
    image.alt = "";
    this.#files.set(image, file);
    if (file.thumbnail) image.src = file.thumbnail;
    else if (file.thumbnail === undefined) this.#seen.observe(image);
    return image;
  }

  async #run() {
    if (this.#busy) return;
    this.#busy = true;
    for (let image = this.#next(); image; image = this.#next()) {
      this.#queue.delete(image);
      this.#seen.unobserve(image);
      const file = this.#files.get(image);
      file.thumbnail ??= await this.#draw(file).catch(() => "");
      if (file.thumbnail) image.src = file.thumbnail;
    }
    this.#busy = false;
  }

  #next() {
    // Rows that were filled anew are not in the page any more.
    for (const image of this.#queue) if (!image.isConnected) this.#queue.delete(image);
    return this.#queue.values().next().value;
  }

  /** Returns the address of a picture; empty if there is nothing to see. */
  async #draw(file) {
    if (file.size > MOST_BYTES || file.about?.error) return "";
    const bytes = await file.bytes();
    const { glb, summary } = await ask("glance", { file: { bytes, name: file.name, format: file.format, beside: await this.#beside(file) } });
    // Bones without parents are the places of an animation without its skeleton.
    if (!summary.meshes.some(({ triangles }) => triangles) && summary.bones.every(({ parent }) => parent === null)) return "";
    this.#stage ??= this.#create();
    await this.#stage.show(glb, summary);
    await this.#attach(this.#stage, summary, [file]);
    this.#stage.fit();
    const picture = await this.#stage.picture({ bones: !summary.meshes.some(({ triangles }) => triangles) });
    this.#stage.clear();
    return URL.createObjectURL(picture);
  }

  #create() {
    const canvas = document.getElementById("thumbnail-canvas");
    return new Stage(canvas, { gizmo: false });
  }
}
