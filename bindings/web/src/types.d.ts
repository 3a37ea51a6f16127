/** An error of the library. */
export interface BindposeError extends Error {
  /** The kind, such as `truncated` or `unknown-format`. */
  kind: string;
  /** The offset in bytes. */
  offset: number;
  /** The path of the field; empty for the file as a whole. */
  path: string;
  /** What to do with a file of another format. */
  help?: string;
}

/** A supported format. */
export interface FormatInfo {
  name: string;
  title: string;
  extensions: string[];
  dialects: string[];
  family: string;
  /** Whether scenes can be written in the format. */
  written: boolean;
}

/** A summary of a file. */
export interface Info {
  format: string;
  title: string;
  dialect: string | null;
  version: string | null;
  /** The program that wrote the file, if it left marks. */
  writer: string | null;
  /** The length in bytes. */
  bytes: number;
  /** `damaged` files re-encode identically, but decoding stopped at `damage.offset`. */
  verdict: "lossless" | "damaged" | "undecodable" | "limit" | "not-lossless";
  /** Well-delimited bytes without known meaning. */
  opaque: number;
  /** Bytes after the place where decoding stopped. */
  rest: number;
  damage: { offset: number; path: string; name: string | null; message: string } | null;
  /** Lengths of lists, by their paths or by names from the format. */
  counts: [string, number][];
  bones: number | null;
  roots: string[];
  clips: { name: string; frames: number | null; rate: number | null; seconds: number | null }[];
  /** The box around all positions, in the units and axes of the file. */
  bounds: Box | null;
}

/** An axis-aligned box. */
export interface Box {
  min: [number, number, number];
  max: [number, number, number];
}

/** The findings in a file. */
export interface Report {
  findings: Finding[];
  /** The number of further findings of each rule. */
  more: [string, number][];
}

/** A violation of a rule. */
export interface Finding extends Range {
  rule: string;
  severity: "error" | "warning" | "info" | "hint";
  /** What violates the rule. */
  summary: string;
  /** Why it matters, and how tools react. */
  why: string;
  path: string;
  /** The path by the names of objects, where it differs: `bones["hip"].parent_index`. */
  name: string | null;
  message: string;
}

/** A range of bytes; `end` is exclusive. */
export interface Range {
  start: number;
  end: number;
}

/** A place in a file that a path selects. */
export interface Located extends Range {
  path: string;
}

/** A field of the byte map. */
export interface Field extends Located {
  /** The path by the names of objects, where it differs: `bones["hip"].name`. */
  name: string | null;
  /** The type on disk, such as `u16` or `text`. */
  type: string;
  class: "integer" | "float" | "text" | "spelling" | "bytes" | "opaque" | "rest";
  /** The value as `set` accepts it. */
  value: string;
  /** Whether the value was cut because it is long. */
  cut: boolean;
  /** Why the field cannot be set by itself; null if it can. */
  fixed: string | null;
  /** The documentation of the field. */
  doc: string;
  /** The named parts of a flag word; `width` is their number of bits. `path.name` selects one. */
  bits: { name: string; doc: string; value: number; width: number }[];
}

/** A change of a file: of a value, of the name of an object with all references to it, or of everything. */
export type Edit = { verb: "set" | "rename"; path: string; value: string } | ({ verb: "transform" } & Transform);

/** Operations on everything in a file, in the order of `bindpose transform`. */
export interface Transform {
  /** The factor of all lengths. */
  scale?: number;
  /** The frame rate of clips, and whether they keep their length. */
  fps?: number;
  keeps_duration?: boolean;
  /** An axis of the file, and an angle in degrees. */
  rotate?: ["x" | "y" | "z", number];
  /** A translation along the axes of the file. */
  translate?: [number, number, number];
}

/** A glTF file. */
export interface GltfInfo {
  /** The program that wrote the file. */
  writer: string | null;
  bones: number | null;
  clips: string[];
}

/** The fields that contain a text. */
export interface Matches {
  found: Match[];
  /** The offset of the first field that was not searched; null after the last one. */
  next: number | null;
}

/** A field that contains a text. */
export interface Match extends Located {
  /** The path by the names of objects, where it differs. */
  name: string | null;
  value: string;
}

/** The references around a value. */
export interface References {
  /** What the values refer to. */
  to: { path: string; kind: string; status: "object" | "none" | "missing" | "elsewhere"; target: string | null; object: string | null; name: string | null }[];
  /** The first values that refer to the object. */
  from: { path: string; name: string | null }[];
  /** The number of those values. */
  count: number;
}

/** A line of the tree of a file. */
export interface TreePart {
  path: string;
  /** The path by the names of objects, where it differs. */
  name: string | null;
  label: string;
  /** The name of the part, or its value. */
  text: string;
  /** The number of parts that it can be opened to. */
  parts: number;
  /** The path of the list that the part consists of: the records of a chunk, which have a name of their own. */
  list: string | null;
}

/** An object of a `.x` file, after its parent. */
export interface TreeObject {
  depth: number;
  /** The name of the template. */
  kind: string;
  name: string;
  path: string;
}

/** What a written file does not represent. */
export interface Loss {
  /** The file that it comes from. */
  file: string;
  what: string;
  why: string;
}

/** How many of the bones of an animation a mesh or skeleton has. */
export interface Fit {
  matched: number;
  total: number;
  complete: boolean;
}

/** A difference between two files, with its bytes in both. */
export interface Difference {
  place: string;
  /** The place by the names of objects, where it differs. */
  name: string | null;
  kind: "value" | "added" | "removed" | "moved";
  values: [string, string];
  a: Range;
  b: Range;
}

/** The name of an object, where it is defined or where another one refers to it. */
export interface Name {
  entity: "bone" | "material" | "clip" | "texture";
  definition: boolean;
  path: string;
  text: string;
}

/** The record that a vertex of a scene comes from. */
export interface VertexSource {
  /** The index of the file, in the order in which files were added. */
  file: number;
  path: string;
}

/** A vertex of a mesh of a scene. */
export interface Vertex {
  mesh: number;
  vertex: number;
}

/** How a surface looks. */
export interface Look {
  /** Linear red, green and blue, and opacity. */
  color: [number, number, number, number];
  /** Linear; added to the lit colour before the image is multiplied with the sum. */
  emissive: [number, number, number];
  lit: boolean;
}

/** The contents of a scene. */
export interface SceneSummary {
  bones: { name: string; parent: number | null }[];
  /** Places for other models: sockets, tags; without a bone, in model space. */
  attachments: { name: string; bone: number | null }[];
  meshes: {
    name: string;
    vertices: number;
    triangles: number;
    influences: number;
    morphs: string[];
    /** Whether the colours of vertices are those of the surface, if the image of its material is missing and if it is there. */
    shows_colors: [boolean, boolean];
  }[];
  materials: {
    name: string;
    /** Red, green, blue and opacity, each from 0 to 1. */
    color: [number, number, number, number];
    /** The paths of the textures as in the file, that of the colour first, with what they are for: `color`, `normal`, `other` and others. */
    textures: { path: string; role: string }[];
    alpha: "opaque" | "mask" | "blend" | "additive" | "modulate";
    double_sided: boolean;
    unlit: boolean;
    /** How it looks in a picture, if its image is missing and if it is there. */
    looks: [Look, Look];
  }[];
  /** The look of surfaces without a material. */
  plain: Look;
  /** Times are in seconds. */
  clips: { name: string; start: number; end: number; tracks: number; morphs: number }[];
  /** In metres, right-handed with Y up. */
  bounds: Box | null;
  /** What the files contain and the scene does not. */
  losses: Loss[];
}
