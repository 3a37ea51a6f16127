// The model of the shown set: its scene, its conventions and its images.
import { ask } from "./client.js";
import { chips, chooseClip, chosenClip, clips } from "./clips.js";
import { contents } from "./contents.js";
import { panel } from "./details.js";
import { $, counted, el, keep, readable } from "./dom.js";
import { decoded } from "./editing.js";
import { decode, MAX_TOTAL } from "./images.js";
import { isWanted, useWanted } from "./places.js";
import { chooseBone, chooseVertex, jump, showName } from "./selection.js";
import { activate } from "./session.js";
import { active, busy, chosenBone, failed, files, put, ranges, rebuilds, scene, selected, set, shownSet, stage, tree, wanted } from "./state.js";

/** The most influences on a vertex that the graphics card applies. */
const INFLUENCES = 4;

export const rebuild = (keepView) => busy(() => rebuildScene(keepView));

/** Builds the scene of the set again, and shows it with its images. */
async function rebuildScene(keepView = false) {
  const request = rebuilds;
  const sources = decoded();
  if (isWanted() && (wanted.up || wanted.unit)) convene({ up: /^[yz]$/.test(wanted.up) ? wanted.up : "", unit: wanted.unit > 0 ? String(wanted.unit) : "" });
  showConventions();
  const note = $("stage-note");
  if (!sources.length) {
    put({ scene: null });
    stage?.clear();
    clips(null);
    note.textContent = "No model: the file could not be decoded.";
    await showTree();
    return panel();
  }
  const before = { clip: chosenClip(), time: stage?.time ?? 0, bone: chosenBone, bones: scene?.bones.length };
  try {
    const built = await ask("scene", { ids: sources.map(({ id }) => id), ...conventions() });
    // A later change is already on its way.
    if (request !== rebuilds) return;
    put({ scene: built.summary });
    label();
    const most = Math.max(0, ...scene.meshes.map(({ influences }) => influences));
    if (most > INFLUENCES) {
      scene.losses.push({ file: "", what: `influences on a vertex after the ${INFLUENCES} strongest (up to ${most})`, why: "this page draws at most 4; exports keep all" });
    }
    await stage?.show(built.glb, scene);
    if (request !== rebuilds) return;
    for (const [noun, number] of Object.entries(stage?.undrawn ?? {})) if (number) scene.losses.push({ file: "", what: counted(number, noun), why: "too far away to be drawn, or at no finite place" });
    // What is selected stays so after an edit.
    put({ chosenBone: keepView && before.bones === scene.bones.length ? before.bone : -1 });
    stage?.choose(chosenBone);
    if (keepView && selected?.vertex) stage?.mark(selected.vertex.mesh, selected.vertex.vertex);
    note.textContent = describeScene();
    clips(keepView ? before : null);
    put({ shownImages: await attach(stage, scene, sources) });
    if (request !== rebuilds) return;
    stage?.set(keepView ? {} : { colors: null });
    $("colors-on").checked = Boolean(stage?.options.colors ?? stage?.showsColors);
    noteLook();
    if (!keepView) stage?.fit();
    useWanted();
  } catch (error) {
    if (request !== rebuilds) return;
    note.textContent = `The model cannot be shown: ${error.message}`;
    console.warn(error);
  }
  await showTree();
  panel();
}

/** Gives the objects of the scene the texts that are shown for their names. */
export function label() {
  for (const list of [scene.bones, scene.attachments, scene.meshes, scene.materials, scene.clips]) {
    for (const own of list) own.label = readable(own.name, $("names").value) || "unnamed";
  }
}

/** Shows the names of the scene in another encoding. */
export function relabel() {
  keep("names", $("names").value);
  if (!scene) return;
  label();
  chips();
  panel();
  return showTree();
}

export const clipLabel = ({ name }, index) => readable(name, $("names").value) || `clip ${index}`;

/** The up axis and the unit of the shown set, if they are not those of its files. */
export const conventions = () => ({ up: active?.up || undefined, unit: Number(active?.unit) || undefined, ranges });

/** Keeps the up axis and the unit for all files of the set. */
export function convene({ up, unit }) {
  for (const file of set) Object.assign(file, { up, unit });
}

/** Shows the up axis and the unit of the active file in their lists. */
function showConventions() {
  const { up = "", unit = "" } = active;
  if (![...$("unit").options].some(({ value }) => value === unit)) $("unit").append(el("option", { value: unit }, `${unit} m`));
  [$("up").value, $("unit").value] = [up, unit];
}

/** The families whose files have a unit by convention; of others, a unit is a metre unless it is chosen. */
const WITH_UNIT = ["psk", "psa", "unigine", "gltf"];

const hasUnit = () => Boolean(active.unit) || WITH_UNIT.includes((active.kind ?? "").split("-")[0]);

function describeScene() {
  const { meshes, bones, clips: own } = scene;
  if (!meshes.length && !bones.length) {
    return own.length ? "Clips without a skeleton: open the mesh or skeleton, too." : "The file contains no bones and no triangles.";
  }
  const triangles = meshes.reduce((sum, mesh) => sum + mesh.triangles, 0);
  const extent = scene.bounds && scene.bounds.max.map((max, axis) => Number((max - scene.bounds.min[axis]).toPrecision(3))).join(" × ");
  return [triangles && counted(triangles, "triangle"), bones.length && counted(bones.length, "bone"), own.length && counted(own.length, "clip"), extent && `${extent} ${hasUnit() ? "m" : "units"}`].filter(Boolean).join(" · ");
}

/** Gives materials of files their images: by the path of the texture, or else by the name of the material. Returns them by material. */
export async function attach(to, { materials, losses }, sources) {
  const shown = new Map();
  const left = { bytes: MAX_TOTAL };
  for (const [index, { name, textures }] of materials.entries()) {
    const color = textures.find(({ role }) => role === "color")?.path;
    let image = files.image(color ?? name, sources);
    const described = color ? {} : await ask("describe", { material: name, images: [...files.images.keys()] });
    if (described.color) image ??= files.image(described.color, sources);
    if (!image || !to) continue;
    try {
      image.texture ??= decode(image.name, await image.bytes(), left);
      to.texture(index, (await image.texture).clone(), described.alpha);
      shown.set(index, { ...image, alpha: described.alpha });
    } catch (error) {
      // In another scene, there can be room for it.
      delete image.texture;
      losses.push({ file: image.name, what: "the image", why: error.message });
    }
  }
  return shown;
}

export async function showTree() {
  const { nodes, open: opened } = await contents({ files: shownSet(), active, scene, stage, chooseBone, chooseClip, chooseName: showName, chooseVertex: (place) => chooseVertex(place).catch(failed), choosePlace: async (file, place) => {
    if (file !== active) await activate(file);
    await jump(place);
  } });
  tree.show(nodes, opened);
}

export function showLook(look) {
  $("look").value = look;
  stage?.set({ look });
  noteLook();
}

/** Says what the chosen look cannot show. */
export function noteLook() {
  const missing = {
    uv: !stage?.has("uv") && "The model has no texture coordinates.",
    colors: !stage?.has("colors") && "The model has no vertex colours.",
    weights: scene?.bones.length ? chosenBone < 0 && "Select a bone to see its weights." : "The model has no bones.",
  };
  $("look-note").textContent = (scene?.meshes.length && missing[$("look").value]) || "";
}
