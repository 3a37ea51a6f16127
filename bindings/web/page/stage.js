// The model: meshes, bones, clips.
import {
  Color, CustomToneMapping, Group, PerspectiveCamera, Scene, Spherical, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { Axes } from "./axes.js";
import { frame, isDrawable, turn } from "./framing.js";
import { Ground } from "./ground.js";
import { Lights } from "./light.js";
import { Looks } from "./looks.js";
import { BoneLines, VertexMark } from "./overlay.js";
import { Player } from "./player.js";
import { ASIDE } from "./shadow.js";
import { boundTriangles, dropTriangles, influences, posed, posedPoints, vertexAt, weighted } from "./skin.js";

/** The most vertices per mesh that the fit looks at, and those at each of the further times of a clip. */
const MOST_FITTED = 5000;
const MOST_SAMPLED = 1000;
/** The most pixels between the pointer and a joint that is clicked. */
const REACH = 10;

export class Stage extends EventTarget {
  #renderer;
  #scene = new Scene();
  #camera = new PerspectiveCamera(28, 1, 0.01, 1000);
  #lights = new Lights(this.#scene, this.#camera);
  #gizmo;
  #hasGizmo;
  #looks = new Looks();
  #controls;
  #model = null;
  #player = null;
  #bones = [];
  #lines = null;
  #chosen = -1;
  /** The index of the mesh in the scene of each drawn mesh. */
  #meshes = new Map();
  #marker = null;
  /** The number of triangles that cannot be drawn. */
  #dropped = 0;
  #vertex = null;
  #ground = new Ground(this.#scene);
  #options = { bones: true, grid: true, look: "lit", wireframe: false, colors: null, cull: false, loop: true, speed: 1 };
  /** How far the camera has followed. */
  #travel = new Vector3();
  #follows;
  /** The points of the model at the times of the clip, each by the travel at its time. */
  #reach = null;
  /** The direction of the last fit; null since the camera was moved by hand. */
  #fitted = null;
  /** Whether the shadow of the model is that of another pose. */
  #isMoved = true;
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
    this.#camera.layers.enable(ASIDE);
    this.#controls = new OrbitControls(this.#camera, canvas);
    // A swipe up or down scrolls the page of a phone.
    if (matchMedia("(pointer: coarse)").matches) canvas.style.touchAction = "pan-y";
    this.#gizmo = new Axes(this.#camera, canvas);
    this.#hasGizmo = gizmo;
    this.#controls.addEventListener("change", () => {
      this.#draw(false);
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
    this.#ground.paint(style.getPropertyValue("--grid").trim() || "#888", this.#travel);
    this.#lines?.paint(this.#chosen);
    this.#gizmo.color = style.getPropertyValue("--stage-top").trim() || "#fff";
    this.#draw();
  }

  /** Shows a scene in its bind pose. */
  async show(glb, summary) {
    const gltf = await new GLTFLoader().parseAsync(glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.byteLength), "");
    this.clear();
    // A file without nodes has no scene.
    this.#model = gltf.scene ?? new Group();
    this.#scene.add(this.#model);
    this.#bones = Array(summary.bones.length).fill(null);
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
    this.#model.updateMatrixWorld(true);
    const isSuspect = this.undrawn.bone > 0;
    this.#dropped = 0;
    this.#model.traverse((object) => {
      // The bounds of skinned meshes follow the bind pose only.
      object.frustumCulled = false;
      if (!object.isMesh) return;
      this.#dropped += dropTriangles(object, isSuspect);
      boundTriangles(object.geometry);
      this.#meshes.set(object, drawn[gltf.parser.associations.get(object)?.meshes]);
      this.#looks.add(object, gltf.parser.associations.get(object.material)?.materials, summary.meshes[this.#meshes.get(object)], summary);
    });
    const parents = summary.bones.map(({ parent }) => parent);
    this.#player = new Player(this.#model, this.#bones, parents, gltf.animations);
    this.#lines = new BoneLines(this.#scene, this.#bones, parents, this.#colors);
    this.#marker = new VertexMark(this.#scene, this.#colors.chosen);
    this.set({});
  }

  /** The numbers of bones and triangles that cannot be drawn. */
  get undrawn() {
    return { bone: this.#bones.filter((bone) => bone && !isDrawable(bone.getWorldPosition(new Vector3()))).length, triangle: this.#dropped };
  }

  /** The animations. */
  get clips() {
    return this.#player?.clips ?? [];
  }

  /** Removes the model. */
  clear() {
    this.playing = false;
    this.#moveCamera(this.#travel.negate());
    this.#travel.set(0, 0, 0);
    this.#player?.end();
    this.#model?.removeFromParent();
    this.#model?.traverse((object) => {
      object.geometry?.dispose();
      object.skeleton?.dispose();
    });
    this.#looks.clear();
    for (const own of [this.#lines, this.#marker]) own?.remove();
    this.#model = this.#lines = this.#marker = this.#vertex = null;
    this.#bones = [];
    this.#player = this.#reach = null;
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

  /** Returns whether the model has what a look shows: colours of vertices, or texture coordinates. */
  has(look) {
    return this.#looks.has(look);
  }

  /** Sets how the model is shown: bones, grid, look, wireframe, vertex colours, and how clips play. */
  set(options) {
    Object.assign(this.#options, options);
    const { bones, grid, loop, speed } = this.#options;
    if (this.#lines) this.#lines.visible = bones;
    this.#looks.apply({ ...this.#options, bone: this.#chosen });
    this.#ground.visible = grid;
    this.#player?.set({ loop, speed });
    this.#draw();
  }

  /** How the model is shown. */
  get options() {
    return { ...this.#options };
  }

  /** The name of the current clip. */
  get clipName() {
    return this.#player?.name;
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
    return this.alone(options, () => {
      this.#render();
      return new Promise((resolve) => { this.canvas.toBlob(resolve); });
    });
  }

  /** Does work while the stage shows the model, and no more of bones, grid and axes than is wanted. */
  async alone({ bones = false, grid = false } = {}, work) {
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
    this.#player?.choose(index);
    this.playing = this.playing && index in this.clips;
    this.set({});
    this.#moveCamera(this.#travel.negate());
    this.#travel.set(0, 0, 0);
    this.#reach = null;
    this.#player?.lead();
    this.seek(0);
  }

  /** Moves the camera with the model. */
  #follow() {
    if (!this.#follows || !this.#player.travels) return;
    this.#model.updateMatrixWorld(true);
    const travel = this.#player.travelled();
    if (travel.equals(this.#travel) || !isDrawable(travel)) return;
    this.#moveCamera(travel.clone().sub(this.#travel));
    this.#travel = travel;
  }

  #moveCamera(by) {
    if (!by.lengthSq()) return;
    this.#camera.position.add(by);
    this.#controls.target.add(by);
    this.#controls.update();
    this.#ground.place(this.#travel);
  }

  /** Returns the times of the keys of a bone in the current clip. */
  keys(bone) {
    return this.#player?.keys(bone) ?? [];
  }

  /** The time in the clip in seconds. */
  get time() {
    return this.#player?.time ?? 0;
  }

  /** The length of the clip in seconds. */
  get duration() {
    return this.#player?.duration ?? 0;
  }

  seek(seconds) {
    if (this.#player?.seek(seconds)) this.#follow();
    this.#draw();
  }

  play(playing) {
    this.playing = playing && this.duration > 0;
    if (this.playing && this.time >= this.duration) this.seek(0);
    this.#player?.resume();
    this.#last = performance.now();
    this.#draw();
  }

  /** Highlights a bone. */
  choose(bone) {
    this.#chosen = bone;
    this.#lines?.paint(bone);
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
    const found = this.#find(mesh, vertex);
    return found ? influences(found) : [];
  }

  /** Returns the vertices that a bone moves, and those that it moves alone. */
  weighted(bone) {
    return weighted(this.#meshes, bone);
  }

  #find(mesh, index) {
    const object = [...this.#meshes.keys()].find((object) => this.#meshes.get(object) === mesh && index < object.geometry.attributes.position.count);
    return object ? { object, index } : null;
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
    this.#draw(false);
  }

  /** The colour behind the model; null for that of the theme. */
  get background() {
    return this.#scene.background && `#${this.#scene.background.getHexString()}`;
  }

  set background(color) {
    this.#scene.background = color && new Color(color);
    this.#draw(false);
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
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { box, target } = frame(this.#camera, [...this.#points(), ...this.#pointsOfClip()], this.#fitted, { width, height, hasTools: this.#hasGizmo });
    this.#controls.target.copy(target);
    this.#controls.update();
    this.#ground.build(box, this.#travel);
    this.#draw();
  }

  /** Fits the model again, unless the camera was moved by hand. */
  refit() {
    if (this.#fitted && this.#model) this.fit(this.#fitted);
  }

  /** Points of the model at the times of its clip, where the camera is now that follows it. */
  #pointsOfClip() {
    if (!this.duration) return [];
    this.#reach ??= this.#player.sampled(() => {
      const travel = this.#player.travelled();
      return this.#points(MOST_SAMPLED).map((point) => point.sub(travel));
    }).flat();
    return this.#reach.map((point) => point.clone().add(this.#travel));
  }

  /** Points of the model as it is posed: of its visible meshes, at most `most` of each, or else of its bones. */
  #points(most = MOST_FITTED) {
    this.#model?.updateMatrixWorld(true);
    const points = [...this.#meshes.keys()].filter(({ visible }) => visible).flatMap((object) => posedPoints(object, most));
    const joints = () => this.#bones.filter(Boolean).map((bone) => bone.getWorldPosition(new Vector3()));
    const drawable = points.filter(isDrawable);
    const found = drawable.length ? drawable : joints().filter(isDrawable);
    return found.length ? found : [new Vector3(-1, 0, -1), new Vector3(1, 2, 1)];
  }

  /** Marks the corner nearest to the pointer of the triangle under it. */
  #pickVertex({ clientX, clientY }) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    this.#model.updateMatrixWorld(true);
    const vertex = vertexAt([...this.#meshes.keys()], this.#camera, { x: (clientX - left) / width, y: (clientY - top) / height });
    if (!vertex) return;
    this.#vertex = vertex;
    this.#marker.visible = true;
    this.#draw();
    this.dispatchEvent(new CustomEvent("vertex", { detail: { mesh: this.#meshes.get(vertex.object), vertex: vertex.index } }));
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
    // The new size cleared the picture; the next frame would be too late.
    this.#render();
  }

  #pick(event) {
    const moved = this.down && Math.hypot(event.clientX - this.down[0], event.clientY - this.down[1]) > 4;
    if (moved || !this.#model) return;
    const bone = this.#boneAt(event);
    if (this.#gizmo.handleClick(event)) {
      // The camera arrives at once.
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.#gizmo.update(10);
      return this.#draw(false);
    }
    if (bone >= 0) this.dispatchEvent(new CustomEvent("bone", { detail: bone }));
    else this.#pickVertex(event);
  }

  /** Returns the bone whose joint is nearest to the pointer; -1 if none is near. */
  #boneAt({ clientX, clientY }) {
    const distances = [...(this.#options.bones ? this.#bones.keys() : [])].map((bone) => [bone, this.place(bone)])
      .map(([bone, at]) => ({ bone, distance: at ? Math.hypot(at[0] - clientX, at[1] - clientY) : Infinity }));
    return distances.reduce((nearest, own) => (own.distance < nearest.distance ? own : nearest), { bone: -1, distance: REACH }).bone;
  }

  #hover(event) {
    if (event.buttons || this.#bones.length > 1000) return;
    this.dispatchEvent(new CustomEvent("hover", { detail: { bone: this.#boneAt(event), x: event.offsetX, y: event.offsetY } }));
  }

  #key(event) {
    if (!turn(this.#camera, this.#controls.target, event.key)) return;
    this.#fitted = null;
    this.#controls.update();
    this.#draw(false);
    event.preventDefault();
  }

  /** Draws once in the next frame, and on while a clip plays or the camera turns. */
  #draw(isMoved = true) {
    this.#isMoved ||= isMoved;
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame((now) => {
      this.#pending = false;
      const delta = Math.min(0.1, (now - this.#last) / 1000);
      this.#last = now;
      if (this.playing && this.#player) {
        this.#player.advance(delta);
        this.#follow();
        if (this.#player.isPaused) this.playing = false;
      }
      if (this.#gizmo.animating) this.#gizmo.update(delta);
      this.#render();
      this.dispatchEvent(new Event("drawn"));
      if (this.playing || this.#gizmo.animating) this.#draw(this.playing);
    });
  }

  #render() {
    const showsBones = this.#lines && this.#options.bones;
    if (showsBones || this.#vertex) this.#model.updateMatrixWorld(true);
    if (showsBones) this.#lines.place();
    if (this.#vertex) this.#marker.place(posed(this.#vertex));
    this.#lights.follow();
    if (this.#isMoved) this.#ground.shade(this.#renderer);
    this.#isMoved = false;
    this.#renderer.clear();
    this.#renderer.render(this.#scene, this.#camera);
    if (this.#model && this.#hasGizmo) this.#gizmo.render(this.#renderer);
  }
}
