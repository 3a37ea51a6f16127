// Plays the clips of a model, and finds where they carry it.
import { AnimationMixer, LoopOnce, LoopRepeat, Vector3 } from "three";

/** The number of times of a clip at which the model is in the view. */
const SAMPLES = 6;

/** Returns the place of a bone on the ground. */
const onGround = (bone) => bone.getWorldPosition(new Vector3()).setY(0);

export class Player {
  #model;
  #mixer;
  #bones;
  #parents;
  #action = null;
  /** The bone whose travel the camera follows, and its place on the ground at the start of the clip. */
  #leader = null;
  #home = new Vector3();

  constructor(model, bones, parents, clips) {
    [this.#model, this.#bones, this.#parents, this.clips] = [model, bones, parents, clips];
    this.#mixer = new AnimationMixer(model);
  }

  /** Ends the clips, and frees what belongs to them. */
  end() {
    this.#mixer.stopAllAction();
    this.#mixer.uncacheRoot(this.#model);
  }

  /** Poses the model in a clip; in the bind pose if there is none. */
  choose(index) {
    this.#mixer.stopAllAction();
    this.#action = this.clips[index] ? this.#mixer.clipAction(this.clips[index]).play() : null;
  }

  set({ loop, speed }) {
    this.#mixer.timeScale = speed;
    if (!this.#action) return;
    this.#action.setLoop(loop ? LoopRepeat : LoopOnce);
    this.#action.clampWhenFinished = true;
  }

  /** The name of the current clip. */
  get name() {
    return this.#action?.getClip().name;
  }

  /** The time in the clip in seconds. */
  get time() {
    return this.#action?.time ?? 0;
  }

  /** The length of the clip in seconds. */
  get duration() {
    return this.#action?.getClip().duration ?? 0;
  }

  /** Whether the clip has arrived at its end. */
  get isPaused() {
    return Boolean(this.#action?.paused);
  }

  /** Returns whether there is a clip, which is then at a time. */
  seek(seconds) {
    if (!this.#action) return false;
    this.#action.time = Math.max(0, Math.min(seconds, this.duration));
    this.#mixer.update(0);
    return true;
  }

  resume() {
    if (this.#action) this.#action.paused = false;
  }

  advance(seconds) {
    this.#mixer.update(seconds);
  }

  /** Finds the bone whose travel the camera follows in the current clip: the first one that moves of those that carry most of the others. */
  lead() {
    this.#leader = null;
    if (!this.#action) return;
    const trunk = this.#trunk();
    const places = this.sampled(() => trunk.map((bone) => onGround(bone)));
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
  sampled(read) {
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

  /** Whether there is a bone whose travel the camera follows. */
  get travels() {
    return Boolean(this.#leader);
  }

  /** Returns how far that bone is from its place at the start of the clip. */
  travelled() {
    return this.#leader ? onGround(this.#leader).sub(this.#home) : new Vector3();
  }

  /** Returns the times of the keys of a bone in the current clip. */
  keys(bone) {
    const name = this.#bones[bone]?.name;
    const tracks = this.#action?.getClip().tracks.filter((track) => track.name.slice(0, track.name.lastIndexOf(".")) === name) ?? [];
    return [...new Set(tracks.flatMap(({ times }) => (times.length > 2000 ? [] : [...times])))].sort((a, b) => a - b);
  }
}
