// Saves the model: as glTF, in the formats of the library, as a picture or a video.
import { ask } from "./client.js";
import { $, counted, el, save, size } from "./dom.js";
import { encode } from "./images.js";
import { turntable } from "./video.js";
import { zip } from "./zip.js";

/** The seconds of a turn in a video. */
const TURN = 6;
/** The most losses that are listed. */
const MOST = 200;

/** The names of families by their formats. */
const FAMILIES = { psk: "Unreal (.psk, .psa)", ms3d: "MilkShape 3D (.ms3d)", directx: "DirectX (.x)", cal3d: "Cal3D (.csf, .cmf, .caf, .crf)", iqm: "Inter-Quake Model (.iqm)", unigine: "UNIGINE (.skeleton, .mesh_skinned, .anim)", max: "3ds Max streams (.skel, .mesh, .anim)" };

/** Returns what a picture shows beside the model. */
const withParts = () => ({ bones: $("export-bones").checked, grid: $("export-grid").checked });

const scenes = {
  glb: ["glTF (.glb)", async ({ images }) => ask("glb", { images: await encoded(images) })],
  png: ["Picture (.png)", async ({ stage }) => ({ files: [{ name: ".png", bytes: new Uint8Array(await (await stage.picture(withParts())).arrayBuffer()) }], losses: [] })],
  webm: ["Turntable video (.webm)", async ({ stage }) => ({ files: [{ name: ".webm", bytes: new Uint8Array(await (await turntable(stage, TURN, withParts())).arrayBuffer()) }], losses: [] })],
};

/** Returns the images that are shown on materials as PNG or JPEG; without those that cannot be converted. */
async function encoded(images) {
  const found = [];
  for (const [material, { name, bytes, texture, alpha }] of images) {
    const own = await encode(name, await bytes(), await texture);
    if (own) found.push({ material, name, bytes: own, alpha });
  }
  return found;
}

export class Exporter {
  #model;
  #failed;
  #made = null;
  #request = 0;

  /** @param {{model: () => object, failed: (error: Error) => void}} page */
  constructor({ model, failed }) {
    this.#model = model;
    this.#failed = failed;
    $("export-as").append(...Object.entries(scenes).map(([value, [label]]) => el("option", { value }, label)));
    for (const id of ["export-as", "export-bones", "export-grid"]) $(id).addEventListener("change", () => this.#make());
    $("export-save").addEventListener("click", () => this.#save().catch(failed));
  }

  /** Offers the families whose formats can be written. */
  offer(formats) {
    const families = new Set(formats.filter(({ written }) => written).map(({ family }) => family));
    $("export-as").append(...[...families].map((value) => el("option", { value }, FAMILIES[value] ?? value)));
  }

  open() {
    if (!this.#model().scene) return this.#failed(new Error("There is no model to export."));
    $("exports").showModal();
    void this.#make();
  }

  /** Makes the files, so that what they do not contain is known before they are saved. A video is recorded when it is saved. */
  async #make() {
    const request = ++this.#request;
    const format = $("export-as").value;
    const model = this.#model();
    this.#made = null;
    $("export-parts").hidden = !["png", "webm"].includes(format);
    $("export-save").disabled = true;
    $("export-note").textContent = "Converting…";
    $("export-losses").replaceChildren();
    try {
      const made = format === "webm" ? { files: [], losses: [] } : scenes[format] ? await scenes[format][1](model) : await ask("convert", { format, name: model.name });
      if (request !== this.#request) return;
      // The files of a family can lack the same.
      const losses = [...new Map(made.losses.map((loss) => [JSON.stringify(loss), loss])).values()];
      this.#made = { format, ...made };
      const total = made.files.reduce((sum, { bytes }) => sum + bytes.length, 0);
      const names = made.files.length > 1 ? `: ${made.files.map(({ name }) => name).slice(0, 8).join(", ")}${made.files.length > 8 ? ", …" : ""}, in a ZIP archive` : "";
      $("export-note").textContent = format === "webm" ? `A turn of ${TURN} seconds, recorded as it is shown.`
        : `${counted(made.files.length, "file")}, ${size(total)}${names}. ${losses.length ? "Not contained:" : "Nothing is lost."}`;
      $("export-losses").replaceChildren(...losses.slice(0, MOST).map(({ file, what, why }) => el("li", {}, el("span.name", {}, what), el("div.note", {}, file ? `${file}: ${why}` : why))));
      $("export-save").disabled = false;
    } catch (error) {
      if (request !== this.#request) return;
      $("export-note").textContent = error.message;
    }
  }

  async #save() {
    const { format, files } = this.#made;
    const model = this.#model();
    if (format === "webm") {
      $("exports").close();
      const [video] = (await scenes.webm[1](model)).files;
      return save(`${model.name}.webm`, video.bytes);
    }
    const [only] = files;
    if (files.length > 1) return save(`${model.name}.zip`, zip(files));
    return save(scenes[format] ? `${model.name}${only.name}` : only.name, only.bytes);
  }
}
