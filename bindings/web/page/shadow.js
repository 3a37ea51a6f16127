// The soft shadow of the model on the ground, as of light from everywhere: darker the closer the model is.
import {
  BackSide, DoubleSide, Mesh, MeshBasicMaterial, NoBlending, OrthographicCamera, PlaneGeometry, ShaderMaterial, Vector2, Vector3, WebGLRenderTarget,
} from "three";
import { FullScreenQuad } from "three/addons/postprocessing/Pass.js";

/** The side of the picture of the shadow in pixels. */
const SIDE = 256;
/** The height above the ground from which on a model throws no shadow, as a share of its width. */
const HEIGHT = 0.35;
/** The darkness where the model touches the ground. */
const DARKNESS = 0.5;
/** The distances of the blur in pixels: one pass across and one along for each. */
const BLURS = [5, 2];

/** Black, and the more opaque the nearer it is to the ground, where the camera is. */
function depthMaterial() {
  const material = new MeshBasicMaterial({ color: 0, side: DoubleSide, blending: NoBlending });
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace("#include <dithering_fragment>", "gl_FragColor = vec4(0.0, 0.0, 0.0, 1.0 - gl_FragCoord.z);");
  };
  return material;
}

const blurMaterial = () => new ShaderMaterial({
  uniforms: { picture: { value: null }, step: { value: new Vector2() } }, blending: NoBlending, depthTest: false, depthWrite: false,
  vertexShader: "varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }",
  fragmentShader: `varying vec2 at; uniform sampler2D picture; uniform vec2 step;
    void main() {
      float sum = 0.0;
      float weights = 0.0;
      for (int tap = -4; tap <= 4; tap++) {
        float weight = exp(-float(tap * tap) / 8.0);
        sum += weight * texture2D(picture, at + float(tap) * step).a;
        weights += weight;
      }
      gl_FragColor = vec4(0.0, 0.0, 0.0, sum / weights);
    }`,
});

/** The layer of what throws no shadow. */
export const ASIDE = 1;

export class Shadow {
  #camera = new OrthographicCamera();
  #pictures = [new WebGLRenderTarget(SIDE, SIDE), new WebGLRenderTarget(SIDE, SIDE)];
  #home = new Vector3();
  #depth = depthMaterial();
  #blur = new FullScreenQuad(blurMaterial());
  #plane = new Mesh(new PlaneGeometry().rotateX(Math.PI / 2), new MeshBasicMaterial({ map: this.#pictures[0].texture, side: BackSide, transparent: true, opacity: DARKNESS, depthWrite: false, toneMapped: false }));

  constructor(scene) {
    // Looks up; the picture is then as the plane is seen from above.
    this.#camera.rotation.set(Math.PI / 2, 0, 0);
    this.#plane.renderOrder = -1;
    this.#plane.layers.set(ASIDE);
    scene.add(this.#plane);
  }

  set visible(on) {
    this.#plane.visible = on;
  }

  /** Puts the shadow under a box of a model that has travelled. */
  build({ min, max }, ground, travel) {
    const side = 1.5 * Math.max(max.x - min.x, max.z - min.z, (max.y - min.y) / 4, 1e-6);
    Object.assign(this.#camera, { left: -side / 2, right: side / 2, top: side / 2, bottom: -side / 2, near: -side / 1000, far: side * HEIGHT });
    this.#camera.updateProjectionMatrix();
    this.#plane.scale.set(side, 1, side);
    this.#home.set((min.x + max.x) / 2, ground, (min.z + max.z) / 2).sub(travel);
    this.place(travel);
  }

  /** Moves the shadow with the model. */
  place(travel) {
    for (const object of [this.#camera, this.#plane]) object.position.copy(this.#home).add(travel);
  }

  /** Draws the shadow of a scene, without what is aside. */
  draw(renderer, scene) {
    const [first, second] = this.#pictures;
    const { background } = scene;
    [scene.background, scene.overrideMaterial] = [null, this.#depth];
    const into = (target, act) => {
      renderer.setRenderTarget(target);
      // The background of the scene was the last colour that was cleared to.
      renderer.setClearAlpha(0);
      renderer.clear();
      act();
    };
    into(first, () => renderer.render(scene, this.#camera));
    [scene.background, scene.overrideMaterial] = [background, null];
    const { picture, step } = this.#blur.material.uniforms;
    for (const blur of BLURS) {
      for (const [from, to, x, y] of [[first, second, blur, 0], [second, first, 0, blur]]) {
        picture.value = from.texture;
        step.value.set(x / SIDE, y / SIDE);
        into(to, () => this.#blur.render(renderer));
      }
    }
    renderer.setRenderTarget(null);
  }
}
