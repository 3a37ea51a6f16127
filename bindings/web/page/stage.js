// The model: meshes, bones, clips.
import {
  AnimationMixer, Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, GridHelper, Group, HemisphereLight, LineBasicMaterial,
  LineSegments, PerspectiveCamera, Points, PointsMaterial, Raycaster, SRGBColorSpace, Scene, Sphere, Spherical, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

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

export class Stage extends EventTarget {
  #renderer;
  #scene = new Scene();
  #camera = new PerspectiveCamera(40, 1, 0.01, 1000);
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
  #options = { bones: true, wireframe: false, grid: true };
  #pending = false;
  #last = 0;
  #materials = new Map();
  #colors = { line: new Color(), joint: new Color(), chosen: new Color() };
  playing = false;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    super();
    this.canvas = canvas;
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.#scene.add(new HemisphereLight(0xffffff, 0x8a8f98, 2.2));
    const sun = new DirectionalLight(0xffffff, 1.8);
    sun.position.set(0.6, 1, 0.8);
    this.#camera.add(sun);
    this.#scene.add(this.#camera);
    this.#controls = new OrbitControls(this.#camera, canvas);
    this.#controls.addEventListener("change", () => this.#draw());
    new ResizeObserver(() => this.#resize()).observe(canvas.parentElement);
    canvas.addEventListener("pointerdown", (event) => { this.down = [event.clientX, event.clientY]; });
    canvas.addEventListener("click", (event) => this.#pick(event));
    canvas.addEventListener("keydown", (event) => this.#key(event));
    this.theme();
  }

  /** Reads the colours of the theme. */
  theme() {
    const style = getComputedStyle(document.documentElement);
    for (const name of Object.keys(this.#colors)) this.#colors[name].set(style.getPropertyValue(`--bone-${name}`).trim() || "#f80");
    this.#gridColor = style.getPropertyValue("--grid").trim() || "#888";
    this.#buildGrid(this.#bounds());
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
    for (const [object, association] of gltf.parser.associations) {
      const { nodes, materials } = association ?? {};
      if (object.isObject3D && nodes !== undefined && nodes < this.#bones.length && !object.isMesh) this.#bones[nodes] = object;
      if (object.isMaterial && materials !== undefined) {
        this.#materials.set(materials, [...(this.#materials.get(materials) ?? []), object]);
      }
    }
    // Meshes without triangles are not in the file.
    const drawn = summary.meshes.flatMap(({ triangles }, index) => (triangles ? [index] : []));
    this.#model.traverse((object) => {
      // The bounds of skinned meshes follow the bind pose only.
      object.frustumCulled = false;
      if (object.isMesh) boundTriangles(object.geometry);
      if (object.isMesh) this.#meshes.set(object, drawn[gltf.parser.associations.get(object)?.meshes]);
    });
    this.clips = gltf.animations;
    this.#mixer = new AnimationMixer(this.#model);
    this.#buildBones();
    this.set(this.#options);
    this.#draw();
  }

  /** The animations. */
  clips = [];

  /** Removes the model. */
  clear() {
    this.playing = false;
    this.#mixer?.stopAllAction();
    this.#mixer = null;
    this.#action = null;
    this.clips = [];
    for (const object of [this.#model, this.#lines, this.#joints, this.#marker]) if (object) this.#scene.remove(object);
    this.#model?.traverse((object) => {
      object.geometry?.dispose();
      for (const material of [object.material].flat().filter(Boolean)) material.dispose();
    });
    this.#model = this.#lines = this.#joints = this.#marker = this.#vertex = null;
    this.#bones = [];
    this.#meshes.clear();
    this.#materials.clear();
    this.#chosen = -1;
    this.#draw();
  }

  /** Sets the colour texture of a material. */
  texture(material, texture) {
    for (const own of this.#materials.get(material) ?? []) {
      texture.colorSpace = SRGBColorSpace;
      own.map = texture;
      own.needsUpdate = true;
    }
    this.#draw();
  }

  /** Shows or hides bones, wireframe and grid. */
  set(options) {
    Object.assign(this.#options, options);
    const { bones, wireframe, grid } = this.#options;
    for (const object of [this.#lines, this.#joints]) if (object) object.visible = bones;
    for (const material of [...this.#materials.values()].flat()) material.wireframe = wireframe;
    this.#model?.traverse((object) => {
      for (const material of [object.material].flat().filter(Boolean)) if ("wireframe" in material) material.wireframe = wireframe;
    });
    if (this.#grid) this.#grid.visible = grid;
    this.#draw();
  }

  /** Poses the model in a clip; in the bind pose if there is none. */
  clip(index) {
    this.#mixer?.stopAllAction();
    const clip = this.clips[index];
    this.#action = clip ? this.#mixer.clipAction(clip).play() : null;
    this.playing = this.playing && Boolean(clip);
    this.seek(0);
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
    }
    this.#draw();
  }

  play(playing) {
    this.playing = playing && this.duration > 0;
    this.#last = performance.now();
    this.#draw();
  }

  /** Highlights a bone. */
  choose(bone) {
    this.#chosen = bone;
    this.#paintBones();
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

  /** Fits the whole model into the view, in all poses of the clip. */
  fit() {
    const box = this.#bounds();
    const sphere = box.getBoundingSphere(new Sphere());
    const radius = sphere.radius > 0 && Number.isFinite(sphere.radius) ? sphere.radius : 1;
    const half = Math.min(this.#camera.fov / 2, (Math.atan(Math.tan((this.#camera.fov * Math.PI) / 360) * this.#camera.aspect) * 180) / Math.PI);
    const distance = (radius / Math.sin((half * Math.PI) / 180)) * 1.02;
    this.#camera.near = distance / 1000;
    this.#camera.far = distance * 100;
    this.#camera.updateProjectionMatrix();
    this.#controls.target.copy(sphere.center);
    this.#camera.position.setFromSpherical(new Spherical(distance, (75 * Math.PI) / 180, Math.PI / 6)).add(sphere.center);
    this.#controls.update();
    this.#buildGrid(box);
    this.#draw();
  }

  /** The box around the model in several frames of the clip. */
  #bounds() {
    const now = this.time;
    const box = new Box3();
    for (const share of this.#action ? [0, 0.25, 0.5, 0.75, 1] : [0]) {
      if (this.#action) {
        this.#action.time = share * this.duration;
        this.#mixer.update(0);
      }
      box.union(this.#posed());
    }
    this.seek(now);
    if (box.isEmpty() || ![...box.min, ...box.max].every(Number.isFinite)) box.set(new Vector3(-1, 0, -1), new Vector3(1, 2, 1));
    return box;
  }

  /** The box around the model as it is posed. */
  #posed() {
    const box = new Box3();
    if (this.#model) {
      this.#model.updateMatrixWorld(true);
      this.#model.traverse((object) => {
        if (!object.isMesh) return;
        if (object.isSkinnedMesh) {
          object.computeBoundingBox();
          box.union(object.boundingBox.clone().applyMatrix4(object.matrixWorld));
        } else {
          box.expandByObject(object);
        }
      });
      if (box.isEmpty()) for (const bone of this.#bones) if (bone) box.expandByPoint(bone.getWorldPosition(new Vector3()));
    }
    return box;
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
    this.#scene.add(this.#grid);
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
    const over = { depthTest: false, depthWrite: false, transparent: true, vertexColors: true };
    this.#lines = new LineSegments(geometry(links.length * 2), new LineBasicMaterial(over));
    this.#joints = new Points(geometry(this.#bones.length), new PointsMaterial({ ...over, size: 5, sizeAttenuation: false }));
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
    this.#renderer.setSize(width, height, false);
    this.#camera.aspect = width / height;
    this.#camera.updateProjectionMatrix();
    this.#draw();
  }

  #pick(event) {
    const moved = this.down && Math.hypot(event.clientX - this.down[0], event.clientY - this.down[1]) > 4;
    if (moved || !this.#model) return;
    const pointer = new Vector2(event.clientX, event.clientY);
    let nearest = { bone: -1, distance: REACH };
    for (const bone of this.#options.bones ? this.#bones.keys() : []) {
      const at = this.place(bone);
      const distance = at ? pointer.distanceTo(new Vector2(...at)) : Infinity;
      if (distance < nearest.distance) nearest = { bone, distance };
    }
    if (nearest.bone >= 0) this.dispatchEvent(new CustomEvent("bone", { detail: nearest.bone }));
    else this.#pickVertex(event);
  }

  #key(event) {
    const offset = this.#camera.position.clone().sub(this.#controls.target);
    const angle = new Spherical().setFromVector3(offset);
    const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    const zoom = { "+": 0.9, "=": 0.9, "-": 1.1 }[event.key];
    if (!turn && !zoom) return;
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

  /** Draws once in the next frame, and on while a clip plays. */
  #draw() {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame((now) => {
      this.#pending = false;
      if (this.playing && this.#mixer) {
        this.#mixer.update(Math.min(0.1, (now - this.#last) / 1000));
        this.#last = now;
      }
      this.#placeBones();
      this.#placeMarker();
      this.#renderer.render(this.#scene, this.#camera);
      this.dispatchEvent(new Event("drawn"));
      if (this.playing) this.#draw();
    });
  }
}

