// The nodes of the tree: the model, then every file of the set.
import { ask } from "./client.js";
import { counted } from "./dom.js";
import { count } from "./verdict.js";

/** The most elements of a list that are shown at once. */
const PAGE = 500;
/** The most fields that a filter finds in a file. */
const MOST_FOUND = 200;
/** The most characters of the path of a field in the tree. */
const MOST_OF_PATH = 26;
/** The most objects of a `.x` file. */
const MOST_OBJECTS = 20_000;

/** Returns the nodes of a set, and the keys of those that are open at first. */
export async function contents({ files, active, scene, stage, choosePlace, ...choices }) {
  const nodes = scene ? model({ scene, stage, ...choices }) : [];
  const opened = [];
  for (const file of files.filter(({ opened, error, kind }) => opened && !error && kind !== "gltf")) nodes.push(await fileNode(file, choosePlace, opened));
  // Long skeletons start closed.
  const bones = scene && scene.bones.length <= 100 ? scene.bones.map((_, bone) => `bone ${bone}`) : [];
  return { nodes, open: ["bones", "attachments", "meshes", "materials", "clips", `file ${active?.id}`, ...bones, ...opened] };
}

function model({ scene, stage, chooseBone, chooseClip, chooseName, chooseVertex }) {
  const bones = scene.bones.map(({ label }, bone) => ({ key: `bone ${bone}`, label, act: () => chooseBone(bone), children: [] }));
  const roots = [];
  scene.bones.forEach(({ parent }, bone) => (parent === null ? roots : bones[parent].children).push(bones[bone]));
  const meshes = scene.meshes.map((mesh, index) => ({
    key: `mesh ${index}`, label: mesh.label, text: `${counted(mesh.vertices, "vertex", "vertices")}, ${counted(mesh.triangles, "triangle")}`,
    eye: { visible: () => stage?.isShown(index) ?? true, toggle: () => stage?.show3d(index, !stage.isShown(index)) },
    act: mesh.vertices ? () => chooseVertex({ mesh: index, vertex: 0 }) : undefined,
  }));
  const materials = scene.materials.map(({ name, label, textures }, index) => ({ key: `material ${index}`, label, text: textures[0]?.path ?? "", act: () => chooseName("material", name) }));
  const clips = scene.clips.map(({ name, label, start, end }, index) => ({ key: `clip ${index}`, label, text: `${(end - start).toFixed(2)} s`, act: () => chooseClip(name) }));
  const attachments = scene.attachments.map(({ label, bone }, index) => ({ key: `attachment ${index}`, label, text: bone === null ? "" : scene.bones[bone].label, act: bone === null ? undefined : () => chooseBone(bone) }));
  const group = (key, label, children, text = children.length.toLocaleString("en")) => ({ key, label, kind: "group", text, children });
  const all = [group("bones", "Bones", roots, scene.bones.length.toLocaleString("en")), group("meshes", "Meshes", meshes), group("attachments", "Attachments", attachments), group("materials", "Materials", materials), group("clips", "Clips", clips)];
  return all.filter(({ children }) => children.length);
}

/** Returns the end of a path, which says more than its beginning. */
const ending = (path) => (path.length > MOST_OF_PATH ? `…${path.slice(1 - MOST_OF_PATH)}` : path);

async function fileNode(file, choosePlace, opened) {
  const isXml = file.info?.dialect === "xml";
  const objects = await ask(isXml ? "elements" : "objects", { id: file.id, most: MOST_OBJECTS }).catch(() => []);
  const found = file.report?.findings ?? [];
  const badge = (path) => found.filter((finding) => finding.path === path || finding.path.startsWith(`${path}.`) || finding.path.startsWith(`${path}[`)).length;
  const within = ({ start, end }) => found.filter((finding) => finding.start < end && finding.end > start).length;
  const act = (path) => () => choosePlace(file, { path });
  const search = async (text) => {
    const fields = await ask("search", { id: file.id, text, most: MOST_FOUND, by: "tree" }).catch(() => []);
    return fields.map(({ path, name, value }) => ({ key: `${file.id} ${path}`, label: ending(name || path), text: value, title: name ? `${name}\n${path}` : path, act: act(path), isFound: true }));
  };
  const root = { key: `file ${file.id}`, search, label: file.name, kind: "group", text: "", badge: count(file) ?? 0 };
  if (objects.length) {
    const open = [root];
    root.children = [];
    for (const { depth, kind, name, path, start, end } of objects) {
      open.length = depth + 1;
      const node = isXml
        ? { key: `${file.id} <${start}`, label: kind, text: name, act: () => choosePlace(file, { start, end }), badge: found.length && within({ start, end }), children: [] }
        : { key: `${file.id} ${path}`, label: kind, text: name, act: act(path), badge: badge(path), children: [], title: path };
      if (!depth && isXml) opened.push(node.key);
      open[depth].children.push(node);
      open.push(node);
    }
    return root;
  }
  const partsOf = (path, first = 0) => ask("parts", { id: file.id, path, first, most: PAGE });
  const node = (part) => ({
    key: `${file.id} ${part.path}`, label: part.label, text: [part.text, part.parts && (part.list || !part.text) && `[${part.parts.toLocaleString("en")}]`].filter(Boolean).join(" "), act: act(part.path),
    badge: badge(part.path), title: part.name ? `${part.name}\n${part.path}` : part.path, ...(part.parts && { load: part.list ? loadChunk(part) : load(part.path) }),
  });
  const load = (path) => async (first = 0) => {
    const parts = await partsOf(path, first);
    const nodes = parts.map(node);
    if (parts.length === PAGE) nodes.push({ key: `${file.id} ${path} ${first + PAGE}`, label: "more …", load: () => load(path)(first + PAGE) });
    return nodes;
  };
  // The records of a chunk follow its header, without a level of their own.
  const loadChunk = ({ path, list }) => async () => [...(await partsOf(path)).filter((part) => part.path !== list).map(node), ...(await load(list)())];
  const loadRoot = async () => {
    const parts = await partsOf("");
    return parts.length === 1 && parts[0].parts ? load(parts[0].path)() : parts.map(node);
  };
  return { ...root, load: loadRoot };
}
