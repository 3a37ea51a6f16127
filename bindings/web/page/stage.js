// The model: meshes, bones, clips.
import {
  AnimationMixer, Box3, BufferAttribute, BufferGeometry, Color, CustomToneMapping, DirectionalLight, GridHelper, Group, HemisphereLight, LineBasicMaterial,
  LineSegments, LoopOnce, LoopRepeat, PerspectiveCamera, Points, PointsMaterial, Quaternion, Raycaster, Scene, ShaderChunk, Spherical,
  Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { ViewHelper } from "three/addons/helpers/ViewHelper.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { Looks } from "./looks.js";

/** The lights of the pictures that `preview` draws: from above, from below, and over the viewer's left shoulder. */
const LIGHT = { sky: 0.34, ground: 0.12, key: 0.62, from: [-0.45, 0.6, 0.66] };
/** Colours are those of the pictures of `preview` up to a brightness of 0.9; brighter ones approach white as in Khronos' neutral tone mapping. */
ShaderChunk.tonemapping_pars_fragment = ShaderChunk.tonemapping_pars_fragment.replace("vec3 CustomToneMapping( vec3 color ) { return color; }", `
  vec3 CustomToneMapping( vec3 color ) {
    float peak = max( color.r, max( color.g, color.b ) );
    if ( peak < 0.9 ) return color;
    float compressed = 1.0 - 0.01 / ( peak - 0.8 );
    return mix( color * compressed / peak, vec3( compressed ), 1.0 - 1.0 / ( 0.15 * ( peak - compressed ) + 1.0 ) );
  }`);

/** The share of the stage that a model fills. */
const FILL = 0.86;
/** The height of the tools over the stage in pixels. */
const TOOLS = 54;
/** The most vertices per mesh that the fit looks at, and those at each of the further times of a clip. */
const MOST_FITTED = 5000;
const MOST_SAMPLED = 1000;
/** The number of times of a clip at which the model is in the view. */
const SAMPLES = 6;

/** The most pixels between the pointer and a joint that is clicked. */
const REACH = 10;

/** Sets the bounds of a geometry to those of its triangles: truncated files also have vertices without triangles. */
function boundTriangles(geometry) {
  const { index, attributes: { position }, morphAttributes } = geometry;
  if (!index || morphAttributes.position) return;
  const point = new Vector3();
  geometry.boundingBox = new Box3();
  for (let corner = 0; corner < index.count; corner++) geometry.boundingBox.expandByPoint(point.fromBufferAttribute(position, index.getX(corner)));
}

/** Returns the place of a bone on the ground. */
const onGround = (bone) => bone.getWorldPosition(new Vector3()).setY(0);

export class Stage extends EventTarget {
  #renderer;
  #scene = new Scene();
  #camera = new PerspectiveCamera(28, 1, 0.01, 1000);
  #sky = new HemisphereLight(0xffffff, new Color().setScalar(LIGHT.ground / LIGHT.sky), LIGHT.sky * Math.PI);
  #gizmo;
  #hasGizmo;
  #looks = new Looks();
  #controls;
  #model = null;
  #mixer = null;
  #action = null;
  #bones = [];
  #parents = [];
  #lines = null;
  #joints = null;
  #chosen = -1;
  /** The index of the mesh in the scene of each drawn mesh. */
  #meshes = new Map();
  #marker = null;
  #vertex = null;
  #grid = null;
  #options = { bones: true, grid: true, look: "lit", wireframe: false, colors: null, cull: false, loop: true, speed: 1 };
  /** The bone whose travel the camera follows, and its place on the ground where the camera was fitted. */
  #leader = null;
  #home = new Vector3();
  /** How far the camera has followed. */
  #travel = new Vector3();
  #follows;
  /** The points of the model at the times of the clip, each by the travel at its time. */
  #reach = null;
  /** The direction of the last fit; null since the camera was moved by hand. */
  #fitted = null;
  #pending = false;
  #last = 0;
  #colors = { line: new Color(), joint: new Color(), chosen: new Color() };
  playing = false;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas, { gizmo = true, follows = true } = {}) {
    super();
    this.canvas = canvas;
    this.#follows = follows;
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.#renderer.toneMapping = CustomToneMapping;
    this.#renderer.autoClear = false;
    // Otherwise the first picture is black.
    this.#renderer.setClearAlpha(0);
    // To ask for errors waits for the compiler.
    this.#renderer.debug.checkShaderErrors = false;
    const sun = new DirectionalLight(0xffffff, LIGHT.key * Math.PI);
    sun.position.set(...LIGHT.from);
    this.#camera.add(sun, sun.target);
    this.#scene.add(this.#camera, this.#sky);
    this.#controls = new OrbitControls(this.#camera, canvas);
    // A swipe up or down scrolls the page of a phone.
    if (matchMedia("(pointer: coarse)").matches) canvas.style.touchAction = "pan-y";
    this.#gizmo = new ViewHelper(this.#camera, canvas);
    this.#hasGizmo = gizmo;
    this.#gizmo.setLabels("X", "Y", "Z");
    this.#gizmo.location = { top: 6, right: 6, bottom: null, left: null };
    this.#controls.addEventListener("change", () => {
      this.#draw();
      this.dispatchEvent(new Event("moved"));
    });
    this.#controls.addEventListener("start", () => { this.#fitted = null; });
    new ResizeObserver(() => this.#resize()).observe(canvas.parentElement);
    canvas.addEventListener("pointerdown", (event) => { this.down = [event.clientX, event.clientY]; });
    canvas.addEventListener("click", (event) => this.#pick(event));
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("pointermove", (event) => this.#hover(event));
    this.theme();
    this.#resize();
  }

  /** Reads the colours of the theme. */
  theme() {
    const style = getComputedStyle(document.documentElement);
    for (const name of Object.keys(this.#colors)) this.#colors[name].set(style.getPropertyValue(`--bone-${name}`).trim() || "#f80");
    this.#gridColor = style.getPropertyValue("--grid").trim() || "#888";
    this.#buildGrid(new Box3().setFromPoints(this.#points()));
    this.#paintBones();
    this.#draw();
  }
  #gridColor = "#888";

  /** Shows a scene in its bind pose. */
  async show(glb, summary) {
    const gltf = await new GLTFLoader().parseAsync(glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.byteLength), "");
    this.clear();
    // A file without nodes has no scene.
    this.#model = gltf.scene ?? new Group();
    this.#scene.add(this.#model);
    this.#bones = Array(summary.bones.length).fill(null);
    this.#parents = summary.bones.map(({ parent }) => parent);
    this.#looks.clear();
    // Meshes without triangles are not in the file.
    const drawn = summary.meshes.flatMap(({ triangles }, index) => (triangles ? [index] : []));
    for (const [object, association] of gltf.parser.associations) {
      const { nodes } = association ?? {};
      if (object.isObject3D && nodes !== undefined && nodes < this.#bones.length && !object.isMesh) {
        this.#bones[nodes] = object;
        object.userData.bone = nodes;
      }
    }
    this.#model.traverse((object) => {
      // The bounds of skinned meshes follow the bind pose only.
      object.frustumCulled = false;
      if (!object.isMesh) return;
      boundTriangles(object.geometry);
      this.#meshes.set(object, drawn[gltf.parser.associations.get(object)?.meshes]);
      this.#looks.add(object, gltf.parser.associations.get(object.material)?.materials, summary.meshes[this.#meshes.get(object)], summary);
    });
    this.clips = gltf.animations;
    this.#mixer = new AnimationMixer(this.#model);
    this.#buildBones();
    this.set({});
  }

  /** The animations. */
  clips = [];

  /** Removes the model. */
  clear() {
    this.playing = false;
    this.#moveCamera(this.#travel.negate());
    this.#travel.set(0, 0, 0);
    this.#mixer?.stopAllAction();
    this.#action = null;
    this.clips = [];
    for (const object of [this.#model, this.#lines, this.#joints, this.#marker]) if (object) this.#scene.remove(object);
    this.#mixer?.uncacheRoot(this.#model);
    this.#model?.traverse((object) => {
      object.geometry?.dispose();
      object.skeleton?.dispose();
    });
    this.#looks.clear();
    for (const object of [this.#lines, this.#joints, this.#marker]) {
      object?.geometry.dispose();
      object?.material.dispose();
    }
    this.#model = this.#lines = this.#joints = this.#marker = this.#vertex = null;
    this.#bones = [];
    this.#mixer = this.#leader = this.#reach = null;
    this.#meshes.clear();
    this.#chosen = -1;
    this.#draw();
  }

  /** Sets the colour texture of a material, and how it is blended if a text states it. */
  texture(material, texture, alpha) {
    this.#looks.texture(material, texture, alpha);
    this.set({});
  }

  /** Returns whether colours of vertices are those of a surface, rather than masks. */
  get showsColors() {
    return this.#looks.showsColors;
  }

  /** Sets how the model is shown: bones, grid, look, wireframe, vertex colours, and how clips play. */
  set(options) {
    Object.assign(this.#options, options);
    const { bones, grid, loop, speed } = this.#options;
    for (const object of [this.#lines, this.#joints]) if (object) object.visible = bones;
    this.#looks.apply({ ...this.#options, bone: this.#chosen });
    if (this.#grid) this.#grid.visible = grid;
    if (this.#mixer) this.#mixer.timeScale = speed;
    if (this.#action) {
      this.#action.setLoop(loop ? LoopRepeat : LoopOnce);
      this.#action.clampWhenFinished = true;
    }
    this.#draw();
  }

  /** How the model is shown. */
  get options() {
    return { ...this.#options };
  }

  /** The name of the current clip. */
  get clipName() {
    return this.#action?.getClip().name;
  }

  /** Shows or hides a mesh of the scene. */
  show3d(mesh, visible) {
    for (const object of this.#objects(mesh)) object.visible = visible;
    this.#reach = null;
    this.#draw();
  }

  /** Returns whether a mesh of the scene is shown. */
  isShown(mesh) {
    return this.#objects(mesh).every(({ visible }) => visible);
  }

  /** Returns the weight of a morph target. */
  morphed(mesh, target) {
    return this.#objects(mesh)[0]?.morphTargetInfluences?.[target] ?? 0;
  }

  #objects(mesh) {
    return [...this.#meshes].filter(([, own]) => own === mesh).map(([object]) => object);
  }

  /** Sets the weight of a morph target. */
  morph(mesh, target, weight) {
    for (const { morphTargetInfluences } of this.#objects(mesh)) if (morphTargetInfluences) morphTargetInfluences[target] = weight;
    this.#draw();
  }

  /** Returns the current picture as a PNG image: without the axes, and without bones and grid unless they are wanted. */
  picture(options) {
    return this.#alone(options, () => {
      this.#render();
      return new Promise((resolve) => { this.canvas.toBlob(resolve); });
    });
  }

  /** Does work while the stage shows the model, and no more of bones, grid and axes than is wanted. */
  async #alone({ bones = false, grid = false } = {}, work) {
    const { bones: hadBones, grid: hadGrid } = this.#options;
    const [hadGizmo, hadVertex] = [this.#hasGizmo, this.#vertex];
    this.#hasGizmo = false;
    if (this.#marker) this.#marker.visible = bones && Boolean(hadVertex);
    this.set({ bones, grid });
    try {
      return await work();
    } finally {
      this.#hasGizmo = hadGizmo;
      if (this.#marker) this.#marker.visible = Boolean(hadVertex);
      this.set({ bones: hadBones, grid: hadGrid });
    }
  }

  /** Poses the model in a clip; in the bind pose if there is none. */
  clip(index) {
    this.#mixer?.stopAllAction();
    const clip = this.clips[index];
    this.#action = clip ? this.#mixer.clipAction(clip).play() : null;
    this.playing = this.playing && Boolean(clip);
    this.set({});
    this.#lead();
    this.seek(0);
  }

  /** Finds the bone whose travel the camera follows in the current clip: the first one that moves of those that carry most of the others. */
  #lead() {
    this.#moveCamera(this.#travel.negate());
    this.#travel.set(0, 0, 0);
    this.#leader = this.#reach = null;
    if (!this.#action) return;
    const trunk = this.#trunk();
    const places = this.#sampled(() => trunk.map((bone) => onGround(bone)));
    const first = trunk.findIndex((_, at) => places.some((own) => own[at].distanceTo(places[0][at]) > 1e-6));
    this.#leader = trunk[first] ?? null;
    this.#home = places[0][first] ?? new Vector3();
  }

  /** Returns the bones, each a parent of the next one, that carry at least half of all bones. */
  #trunk() {
    const size = Array(this.#bones.length).fill(1);
    for (const bone of [...size.keys()].reverse()) if (this.#parents[bone] !== null) size[this.#parents[bone]] += size[bone];
    return [...size.keys()].filter((bone) => this.#bones[bone] && size[bone] * 2 >= size.length).sort((a, b) => size[b] - size[a]).map((bone) => this.#bones[bone]);
  }

  /** Returns what `read` returns in the pose of each of several times of the clip, the first one at its start. */
  #sampled(read) {
    const { time } = this.#action;
    const pose = (at) => {
      this.#action.time = at;
      this.#mixer.update(0);
      this.#model.updateMatrixWorld(true);
    };
    const results = Array.from({ length: SAMPLES }, (_, at) => {
      pose((this.duration * at) / (SAMPLES - 1));
      return read();
    });
    pose(time);
    return results;
  }

  /** Returns how far the leader is from its place at the start of the clip. */
  #travelled() {
    return this.#leader ? onGround(this.#leader).sub(this.#home) : new Vector3();
  }

  /** Moves the camera with the model. */
  #follow() {
    if (!this.#follows || !this.#leader) return;
    this.#model.updateMatrixWorld(true);
    const travel = this.#travelled();
    if (travel.equals(this.#travel) || !travel.toArray().every(Number.isFinite)) return;
    this.#moveCamera(travel.clone().sub(this.#travel));
    this.#travel = travel;
  }

  #moveCamera(by) {
    if (!by.lengthSq()) return;
    this.#camera.position.add(by);
    this.#controls.target.add(by);
    this.#controls.update();
    this.#placeGrid();
  }

  /** Returns the times of the keys of a bone in the current clip. */
  keys(bone) {
    const name = this.#bones[bone]?.name;
    const tracks = this.#action?.getClip().tracks.filter((track) => track.name.slice(0, track.name.lastIndexOf(".")) === name) ?? [];
    return [...new Set(tracks.flatMap(({ times }) => (times.length > 2000 ? [] : [...times])))].sort((a, b) => a - b);
  }

  /** The time in the clip in seconds. */
  get time() {
    return this.#action?.time ?? 0;
  }

  /** The length of the clip in seconds. */
  get duration() {
    return this.#action?.getClip().duration ?? 0;
  }

  seek(seconds) {
    if (this.#action) {
      this.#action.time = Math.max(0, Math.min(seconds, this.duration));
      this.#mixer.update(0);
      this.#follow();
    }
    this.#draw();
  }

  play(playing) {
    this.playing = playing && this.duration > 0;
    if (this.playing && this.time >= this.duration) this.seek(0);
    if (this.#action) this.#action.paused = false;
    this.#last = performance.now();
    this.#draw();
  }

  /** Highlights a bone. */
  choose(bone) {
    this.#chosen = bone;
    this.#paintBones();
    this.set({});
  }

  /** Marks a vertex of a mesh of the scene; none if there is no such mesh. */
  mark(mesh, index) {
    this.#vertex = this.#find(mesh, index);
    if (this.#marker) this.#marker.visible = Boolean(this.#vertex);
    this.#draw();
  }

  /** Returns the bones that move a vertex, the strongest first, each with its share. */
  influences(mesh, vertex) {
    const { object, index } = this.#find(mesh, vertex) ?? {};
    if (!object?.isSkinnedMesh) return [];
    const { skinIndex, skinWeight } = object.geometry.attributes;
    const slots = [0, 1, 2, 3].map((slot) => ({ bone: object.skeleton.bones[skinIndex.getComponent(index, slot)]?.userData.bone, weight: skinWeight.getComponent(index, slot) }));
    return slots.filter(({ bone, weight }) => weight > 0 && bone !== undefined).sort((a, b) => b.weight - a.weight);
  }

  /** Returns the number of vertices that a bone moves, and of those that it moves alone. */
  weighted(bone) {
    let [all, alone] = [0, 0];
    for (const object of this.#meshes.keys()) {
      const joint = object.skeleton?.bones.findIndex((own) => own.userData.bone === bone) ?? -1;
      const { skinIndex, skinWeight } = object.geometry.attributes;
      if (joint < 0) continue;
      for (let vertex = 0; vertex < skinIndex.count; vertex++) {
        let share = 0;
        for (let slot = 0; slot < 4; slot++) if (skinIndex.getComponent(vertex, slot) === joint) share += skinWeight.getComponent(vertex, slot);
        if (share > 0) all += 1;
        if (share > 0.999) alone += 1;
      }
    }
    return { all, alone };
  }

  #find(mesh, index) {
    const object = [...this.#meshes.keys()].find((object) => this.#meshes.get(object) === mesh && index < object.geometry.attributes.position.count);
    return object ? { object, index } : null;
  }

  /** Records a turn of the model around the vertical axis as a video, with what a picture shows; the clip plays on. */
  turntable(seconds, options) {
    return this.#alone(options, () => this.#record(seconds));
  }

  async #record(seconds) {
    const recorder = new MediaRecorder(this.canvas.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
    const chunks = [];
    recorder.addEventListener("dataavailable", ({ data }) => chunks.push(data));
    const [yaw, ...rest] = this.view;
    const started = performance.now();
    recorder.start();
    for (let share = 0; share < 1;) {
      await new Promise(requestAnimationFrame);
      share = Math.min(1, (performance.now() - started) / 1000 / seconds);
      this.view = [yaw + 360 * share, ...rest];
    }
    const stopped = new Promise((resolve) => { recorder.addEventListener("stop", resolve, { once: true }); });
    recorder.stop();
    await stopped;
    return new Blob(chunks, { type: "video/webm" });
  }

  /** The direction and the distance of the camera, and the point that it looks at. */
  get view() {
    const { theta, phi, radius } = new Spherical().setFromVector3(this.#camera.position.clone().sub(this.#controls.target));
    const degrees = (angle) => (angle * 180) / Math.PI;
    return [degrees(theta), 90 - degrees(phi), radius, ...this.#controls.target.toArray()].map((number) => Number(number.toPrecision(5)));
  }

  set view([yaw, pitch, radius, ...target]) {
    const radians = (degrees) => (degrees * Math.PI) / 180;
    if (target.length < 3) {
      this.fit({ yaw, pitch });
      return;
    }
    this.#fitted = null;
    this.#controls.target.fromArray(target);
    this.#camera.position.setFromSpherical(new Spherical(radius, radians(90 - pitch), radians(yaw)).makeSafe()).add(this.#controls.target);
    this.#controls.update();
    this.#draw();
  }

  /** The colour behind the model; null for that of the theme. */
  get background() {
    return this.#scene.background && `#${this.#scene.background.getHexString()}`;
  }

  set background(color) {
    this.#scene.background = color && new Color(color);
    this.#draw();
  }

  /** Returns the position of a bone in the page, in pixels. */
  place(bone) {
    const object = this.#bones[bone];
    return object ? this.#project(object.getWorldPosition(new Vector3())) : null;
  }

  #project(position) {
    const box = this.canvas.getBoundingClientRect();
    const at = position.project(this.#camera);
    return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  }

  /** Moves the camera as close as possible while the whole model, as it is posed and at all times of its clip, is in the view. */
  fit({ yaw = 30, pitch = 15 } = {}) {
    this.#fitted = { yaw, pitch };
    const points = [...this.#points(), ...this.#pointsOfClip()];
    const box = new Box3().setFromPoints(points);
    const { clientWidth, clientHeight } = this.canvas;
    const half = Math.tan((this.#camera.fov * Math.PI) / 360);
    const [across, down] = [half * this.#camera.aspect * FILL, half * FILL];
    // On narrow stages the tools are above the model.
    const up = this.#hasGizmo && clientWidth < 700 ? half * Math.min(FILL, 1 - (2 * TOOLS) / Math.max(clientHeight, 4 * TOOLS)) : down;
    const back = new Vector3().setFromSpherical(new Spherical(1, ((90 - pitch) * Math.PI) / 180, (yaw * Math.PI) / 180));
    this.#camera.position.copy(back);
    this.#camera.lookAt(0, 0, 0);
    const turn = this.#camera.quaternion.clone().invert();
    // A point is in the view if |x - eye.x| <= across * (eye.z - z); each side bounds eye.z and eye.x. The same holds for y, with up and down.
    const most = [-Infinity, -Infinity, -Infinity, -Infinity];
    let front = -Infinity;
    for (const point of points) {
      const { x, y, z } = point.applyQuaternion(turn);
      [x + across * z, -x + across * z, y + up * z, -y + down * z].forEach((side, at) => { most[at] = Math.max(most[at], side); });
      front = Math.max(front, z);
    }
    const [right, left, top, bottom] = most;
    const extent = box.getSize(new Vector3()).length() || 1;
    const depth = Math.max((right + left) / (2 * across), (top + bottom) / (up + down), front + extent / 50);
    const eye = new Vector3((right - left) / 2, (top - bottom + (down - up) * depth) / 2, depth).applyQuaternion(this.#camera.quaternion);
    const middle = box.getCenter(new Vector3());
    const distance = Math.max(eye.clone().sub(middle).dot(back), extent / 50);
    this.#camera.near = extent / 1000;
    this.#camera.far = extent * 100;
    this.#camera.updateProjectionMatrix();
    this.#controls.target.copy(eye).addScaledVector(back, -distance);
    this.#camera.position.copy(eye);
    this.#controls.update();
    this.#buildGrid(box);
    this.#draw();
  }

  /** Fits the model again, unless the camera was moved by hand. */
  refit() {
    if (this.#fitted && this.#model) this.fit(this.#fitted);
  }

  /** Points of the model at the times of its clip, where the camera is now that follows it. */
  #pointsOfClip() {
    if (!this.#action || !this.duration) return [];
    this.#reach ??= this.#sampled(() => {
      const travel = this.#travelled();
      return this.#points(MOST_SAMPLED).map((point) => point.sub(travel));
    }).flat();
    return this.#reach.map((point) => point.clone().add(this.#travel));
  }

  /** Points of the model as it is posed: of its visible meshes, at most `most` of each, or else of its bones. */
  #points(most = MOST_FITTED) {
    this.#model?.updateMatrixWorld(true);
    const points = [];
    for (const object of this.#meshes.keys()) {
      if (!object.visible) continue;
      const { index, attributes: { position } } = object.geometry;
      const count = index?.count ?? position.count;
      const step = Math.max(1, Math.floor(count / most));
      for (let at = 0; at < count; at += step) points.push(this.#posedVertex({ object, index: index ? index.getX(at) : at }));
    }
    const joints = () => this.#bones.filter(Boolean).map((bone) => bone.getWorldPosition(new Vector3()));
    const finite = (list) => list.filter((point) => point.toArray().every(Number.isFinite));
    const found = finite(points).length ? finite(points) : finite(joints());
    return found.length ? found : [new Vector3(-1, 0, -1), new Vector3(1, 2, 1)];
  }

  #buildGrid(box) {
    if (this.#grid) {
      this.#scene.remove(this.#grid);
      this.#grid.dispose();
    }
    const extent = Math.max(box.max.x - box.min.x, box.max.z - box.min.z, (box.max.y - box.min.y) / 2, 1e-6);
    const cell = 10 ** Math.floor(Math.log10(extent / 2));
    const cells = 2 * Math.ceil(extent / cell);
    this.#grid = new GridHelper(cells * cell, cells, this.#gridColor, this.#gridColor);
    this.#grid.material.transparent = true;
    this.#grid.material.opacity = 0.35;
    this.#grid.position.y = Math.min(0, box.min.y);
    this.#grid.visible = this.#options.grid;
    this.#cell = cell;
    this.#placeGrid();
    this.#scene.add(this.#grid);
  }
  #cell = 1;

  /** Moves the grid with the camera, by whole cells. */
  #placeGrid() {
    if (!this.#grid) return;
    const { x, z } = this.#travel;
    [this.#grid.position.x, this.#grid.position.z] = [x, z].map((way) => Math.round(way / this.#cell) * this.#cell);
  }

  #buildBones() {
    const links = this.#parents.flatMap((parent, bone) => (parent === null ? [] : [[parent, bone]]));
    this.links = links;
    const geometry = (points) => {
      const own = new BufferGeometry();
      own.setAttribute("position", new BufferAttribute(new Float32Array(points * 3), 3));
      own.setAttribute("color", new BufferAttribute(new Float32Array(points * 3), 3));
      return own;
    };
    const over = { depthTest: false, depthWrite: false, transparent: true, vertexColors: true, toneMapped: false };
    this.#lines = new LineSegments(geometry(links.length * 2), new LineBasicMaterial({ ...over, opacity: 0.75 }));
    this.#joints = new Points(geometry(this.#bones.length), new PointsMaterial({ ...over, size: 3.5, sizeAttenuation: false }));
    for (const object of [this.#lines, this.#joints]) {
      object.renderOrder = 10;
      object.frustumCulled = false;
      this.#scene.add(object);
    }
    const one = new BufferGeometry();
    one.setAttribute("position", new BufferAttribute(new Float32Array(3), 3));
    this.#marker = new Points(one, new PointsMaterial({ ...over, vertexColors: false, color: this.#colors.chosen, size: 9, sizeAttenuation: false }));
    this.#marker.visible = false;
    this.#marker.renderOrder = 11;
    this.#marker.frustumCulled = false;
    this.#scene.add(this.#marker);
    this.#paintBones();
  }

  #paintBones() {
    if (!this.#lines) return;
    const { line, joint, chosen } = this.#colors;
    const paint = (attribute, index, color) => attribute.setXYZ(index, color.r, color.g, color.b);
    const lines = this.#lines.geometry.getAttribute("color");
    this.links.forEach(([parent], link) => {
      const color = parent === this.#chosen ? chosen : line;
      paint(lines, 2 * link, color);
      paint(lines, 2 * link + 1, color);
    });
    lines.needsUpdate = true;
    const joints = this.#joints.geometry.getAttribute("color");
    this.#bones.forEach((_, bone) => paint(joints, bone, bone === this.#chosen ? chosen : joint));
    joints.needsUpdate = true;
  }

  #placeBones() {
    if (!this.#lines || !this.#options.bones) return;
    this.#model.updateMatrixWorld(true);
    const joints = this.#joints.geometry.getAttribute("position");
    const at = new Vector3();
    this.#bones.forEach((bone, index) => {
      if (bone) at.setFromMatrixPosition(bone.matrixWorld);
      joints.setXYZ(index, at.x, at.y, at.z);
    });
    joints.needsUpdate = true;
    const lines = this.#lines.geometry.getAttribute("position");
    this.links.forEach((link, index) => link.forEach((bone, end) => {
      lines.setXYZ(2 * index + end, joints.getX(bone), joints.getY(bone), joints.getZ(bone));
    }));
    lines.needsUpdate = true;
  }

  /** Returns the position of a vertex in the current pose. */
  #posedVertex({ object, index }) {
    return object.localToWorld(object.getVertexPosition(index, new Vector3()));
  }

  #placeMarker() {
    if (!this.#vertex) return;
    this.#model.updateMatrixWorld(true);
    const position = this.#marker.geometry.getAttribute("position");
    position.setXYZ(0, ...this.#posedVertex(this.#vertex));
    position.needsUpdate = true;
  }

  /** Marks the corner nearest to the pointer of the triangle under it. */
  #pickVertex(event) {
    const box = this.canvas.getBoundingClientRect();
    const share = new Vector2((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(2 * share.x - 1, 1 - 2 * share.y), this.#camera);
    this.#model.updateMatrixWorld(true);
    // The sphere around a skinned mesh is that of the pose in which it was last asked for.
    for (const object of this.#meshes.keys()) if (object.isSkinnedMesh) object.computeBoundingSphere();
    const [hit] = ray.intersectObjects([...this.#meshes.keys()], false);
    if (!hit) return;
    const corners = [hit.face.a, hit.face.b, hit.face.c].map((index) => ({ object: hit.object, index }));
    const distance = (corner) => this.#posedVertex(corner).distanceTo(hit.point);
    this.#vertex = corners.sort((a, b) => distance(a) - distance(b))[0];
    this.#marker.visible = true;
    this.#draw();
    this.dispatchEvent(new CustomEvent("vertex", { detail: { mesh: this.#meshes.get(hit.object), vertex: this.#vertex.index } }));
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    // On narrow stages the axes are below the toolbar.
    this.#gizmo.location.top = width < 480 ? 48 : 6;
    this.#renderer.setSize(width, height, false);
    this.#camera.aspect = width / height;
    this.#camera.updateProjectionMatrix();
    this.refit();
    this.#draw();
  }

  #pick(event) {
    const moved = this.down && Math.hypot(event.clientX - this.down[0], event.clientY - this.down[1]) > 4;
    if (moved || !this.#model) return;
    const bone = this.#boneAt(event);
    if (this.#gizmo.handleClick(event)) {
      // The camera arrives at once.
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.#gizmo.update(10);
      return this.#draw();
    }
    if (bone >= 0) this.dispatchEvent(new CustomEvent("bone", { detail: bone }));
    else this.#pickVertex(event);
  }

  /** Returns the bone whose joint is nearest to the pointer; -1 if none is near. */
  #boneAt({ clientX, clientY }) {
    const pointer = new Vector2(clientX, clientY);
    let nearest = { bone: -1, distance: REACH };
    for (const bone of this.#options.bones ? this.#bones.keys() : []) {
      const at = this.place(bone);
      const distance = at ? pointer.distanceTo(new Vector2(...at)) : Infinity;
      if (distance < nearest.distance) nearest = { bone, distance };
    }
    return nearest.bone;
  }

  #hover(event) {
    if (event.buttons || this.#bones.length > 1000) return;
    this.dispatchEvent(new CustomEvent("hover", { detail: { bone: this.#boneAt(event), x: event.offsetX, y: event.offsetY } }));
  }

  #key(event) {
    const offset = this.#camera.position.clone().sub(this.#controls.target);
    const angle = new Spherical().setFromVector3(offset);
    const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    const zoom = { "+": 0.9, "=": 0.9, "-": 1.1 }[event.key];
    if (!turn && !zoom) return;
    this.#fitted = null;
    if (turn) {
      angle.theta += turn[0];
      angle.phi += turn[1];
    }
    angle.radius *= zoom ?? 1;
    this.#camera.position.setFromSpherical(angle.makeSafe()).add(this.#controls.target);
    this.#controls.update();
    this.#draw();
    event.preventDefault();
  }

  /** Draws once in the next frame, and on while a clip plays or the camera turns. */
  #draw() {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame((now) => {
      this.#pending = false;
      const delta = Math.min(0.1, (now - this.#last) / 1000);
      this.#last = now;
      if (this.playing && this.#mixer) {
        this.#mixer.update(delta);
        this.#follow();
        if (this.#action?.paused) this.playing = false;
      }
      if (this.#gizmo.animating) this.#gizmo.update(delta);
      this.#render();
      this.dispatchEvent(new Event("drawn"));
      if (this.playing || this.#gizmo.animating) this.#draw();
    });
  }

  #render() {
    this.#placeBones();
    this.#placeMarker();
    this.#sky.position.set(0, 1, 0).applyQuaternion(this.#camera.getWorldQuaternion(new Quaternion()));
    this.#renderer.clear();
    this.#renderer.render(this.#scene, this.#camera);
    if (this.#model && this.#hasGizmo) this.#gizmo.render(this.#renderer);
  }
}
