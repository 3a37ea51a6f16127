// The light on the model, and how its brightness is shown.
import { Color, DirectionalLight, HemisphereLight, Quaternion, ShaderChunk } from "three";

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

/** The lights of a scene; they follow its camera. */
export class Lights {
  #camera;
  #sky = new HemisphereLight(0xffffff, new Color().setScalar(LIGHT.ground / LIGHT.sky), LIGHT.sky * Math.PI);

  constructor(scene, camera) {
    this.#camera = camera;
    const sun = new DirectionalLight(0xffffff, LIGHT.key * Math.PI);
    sun.position.set(...LIGHT.from);
    camera.add(sun, sun.target);
    scene.add(camera, this.#sky);
  }

  /** Turns the light from above with the camera. */
  follow() {
    this.#sky.position.set(0, 1, 0).applyQuaternion(this.#camera.getWorldQuaternion(new Quaternion()));
  }
}
