// Builds the npm package (pkg/) and the viewer (dist/viewer.html).
//
//   npm install && npm run build
//
// Needs Rust with the target wasm32-unknown-unknown, which is installed with rustup if it can be. Otherwise the standard library is
// compiled from its sources, which Debian's packages rustc-web, cargo-web, rust-web-src and lld-22 provide. Set PROFILE=dev for a faster
// and larger build.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import lzma from "lzma/src/lzma_worker.js";
import { unlzma } from "./page/lzma.js";
import { samples } from "./samples.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const TRIPLE = "wasm32-unknown-unknown";

const succeeds = (command, args) => spawnSync(command, args, { stdio: "ignore" }).status === 0;
const run = (command, args, env = {}) => {
  console.log(`$ ${command} ${args.join(" ")}`);
  execFileSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
};

/** Returns the commands and variables that compile for the browser; null if there are none. */
function toolchain() {
  const sysroot = spawnSync("rustc", ["--print", "sysroot"], { encoding: "utf8" }).stdout?.trim();
  const hasStd = () => existsSync(join(sysroot, "lib/rustlib", TRIPLE, "lib"));
  if (sysroot && (hasStd() || (succeeds("rustup", ["target", "add", TRIPLE]) && hasStd()))) {
    return { cargo: "cargo", args: [], env: {} };
  }
  // Debian: sources of the standard library, and a linker as new as the compiler.
  const linker = debianLinker();
  if (existsSync("/usr/lib/rustlib/src/rust/library") && existsSync("/usr/bin/rustc") && linker) {
    const env = {
      RUSTC: "/usr/bin/rustc",
      RUSTC_BOOTSTRAP: "1",
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker,
    };
    return { cargo: "/usr/bin/cargo", args: ["-Z", "build-std=std,panic_abort"], env };
  }
  return null;
}

function debianLinker() {
  const names = existsSync("/usr/bin") ? readdirSync("/usr/bin").filter((name) => /^wasm-ld-\d+$/.test(name)) : [];
  const version = (name) => Number(name.slice("wasm-ld-".length));
  const newest = names.sort((a, b) => version(b) - version(a))[0];
  return newest && version(newest) >= 19 ? join("/usr/bin", newest) : null;
}

function buildWasm() {
  const tools = toolchain();
  if (!tools) {
    console.error(`No Rust toolchain for ${TRIPLE}: run \`rustup target add ${TRIPLE}\`.`);
    process.exit(77);
  }
  const profile = process.env.PROFILE ?? "web";
  const directory = profile === "dev" ? "debug" : profile;
  run(tools.cargo, ["build", "-p", "bindpose-web", "--profile", profile, "--target", TRIPLE, ...tools.args], {
    ...tools.env,
    CARGO_TARGET_DIR: join(target, "web"),
  });
  const wasm = join(target, "web", TRIPLE, directory, "bindpose_web.wasm");
  run("cargo", ["run", "-p", "bindpose-bindgen", "--quiet", "--", wasm, join(here, "pkg")]);
  const optimised = join(here, "pkg/bindpose_bg.wasm");
  const optimiser = join(here, "node_modules/.bin/wasm-opt");
  if (profile !== "dev" && existsSync(optimiser)) {
    // The features that rustc enables by default, and no others: browsers reject modules with features they do not know.
    const features = ["bulk-memory", "multivalue", "mutable-globals", "nontrapping-float-to-int", "reference-types", "sign-ext"];
    // The second time removes what the first one has made superfluous.
    for (let round = 0; round < 2; round++) run(optimiser, ["-Oz", ...features.map((name) => `--enable-${name}`), optimised, "-o", optimised]);
  }
  writeFileSync(join(here, "pkg/package.json"), `${JSON.stringify(packageJson(), null, 2)}\n`);
}

/** The description of the published npm package. */
function packageJson() {
  const own = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  const { description, license, homepage, repository, keywords } = own;
  const version = /\nversion = "([^"]+)"/.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))[1];
  return {
    name: "bindpose", version, description, license, homepage, repository, keywords,
    type: "module", main: "bindpose.js", types: "bindpose.d.ts", sideEffects: false,
    files: ["bindpose.js", "bindpose.d.ts", "bindpose_bg.wasm", "bindpose_bg.wasm.d.ts"],
  };
}

/** Shaders of three.js for what the page does not use: their code is compiled under conditions that never hold. */
const UNUSED_SHADERS = new RegExp(`^(?:(?:${[
  "lights_physical", "lights_toon", "lights_phong", "shadowmap", "transmission", "iridescence", "envmap", "lightprobes", "clearcoat", "clipping_planes",
  "alphahash", "alphamap", "aomap", "batching", "bumpmap", "displacementmap", "dithering", "fog", "gradientmap", "lightmap", "logdepthbuf", "map_particle",
  "metalnessmap", "morphinstance", "normalmap", "roughnessmap",
].join("|")})_|normal_fragment_maps$)`);
/** The shaders of materials that the page does not use. */
const UNUSED_MATERIALS = /#define (?:STANDARD|TOON|PHONG|MATCAP|DISTANCE)\b/;
/** Parts of three.js that the page does not use, with what is called of them. */
const UNUSED_PARTS = {
  WebXRManager: "class WebXRManager extends EventDispatcher { enabled = false; isPresenting = false; setAnimationLoop() {} getEnvironmentBlendMode() {} dispose() {} }",
  WebXRDepthSensing: "class WebXRDepthSensing {}",
  PMREMGenerator: "class PMREMGenerator {}",
  WebGLShadowMap: "function WebGLShadowMap() { this.render = () => {}; }",
};
const patched = (path, patches) => patches.reduce((text, [pattern, by]) => {
  const next = text.replace(pattern, by);
  if (next === text) throw new Error(`${path} has no ${pattern}`);
  return next;
}, readFileSync(path, "utf8"));
const withoutUnused = {
  name: "unused",
  setup: ({ onLoad }) => {
    onLoad({ filter: /three\.module\.js$/ }, ({ path }) => ({ contents: patched(path, [
      [/^((?:const|var) ([\w$]+) = )"(?:[^"\\]|\\.)*";/gm, (text, start, name) => (UNUSED_SHADERS.test(name) || UNUSED_MATERIALS.test(text) ? `${start}"";` : text.replace(/\\n(?:\\t)+/g, "\\n"))],
      ...Object.entries(UNUSED_PARTS).map(([name, stub]) => [new RegExp(`^(?:class|function) ${name}\\b[^]*?^}$`, "m"), stub]),
    ]) }));
    // The library writes plain glTF, and its looks replace the materials.
    onLoad({ filter: /GLTFLoader\.js$/ }, ({ path }) => ({ contents: patched(path, [[/^\t\tthis\.register\( function[^]*?^\t\t\} \);$/gm, ""]]) }));
  },
};

/** Bundles a script into one text. */
async function bundle(entry, format, define = {}) {
  const result = await build({
    entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, format, define, plugins: [withoutUnused],
    target: "es2022", legalComments: "none", logLevel: "warning",
  });
  // The text must not end the script element.
  return result.outputFiles[0].text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

/** Compresses a part of the page; in quick builds, fast. */
function packed(part) {
  const bytes = Buffer.from(part);
  const result = Uint8Array.from(lzma.LZMA.compress(bytes, process.env.PROFILE === "dev" ? 1 : 7));
  if (!bytes.equals(unlzma(result))) throw new Error("the page cannot decompress what was compressed");
  return sevenBits(result);
}

/** The characters that HTML changes or gives a meaning in scripts: NUL, CR and `<`. */
const RESERVED = [0, 13, 60];

/**
 * Encodes seven bits as a character. One that is reserved becomes, with the one after it, a character of two bytes: 128 for each of the
 * reserved ones follow the first 128 characters, and then those of reserved ones at the end.
 */
function sevenBits(bytes) {
  const codes = [];
  let [word, width, reserved] = [0, 0, -1];
  const push = (code) => {
    const own = RESERVED.indexOf(code);
    if (reserved >= 0) codes.push(128 * (reserved + 1) + code);
    else if (own < 0) codes.push(code);
    reserved = reserved < 0 ? own : -1;
  };
  for (const byte of bytes) {
    word = (word << 8) | byte;
    width += 8;
    while (width >= 7) {
      width -= 7;
      push(word >> width);
      word &= (1 << width) - 1;
    }
  }
  if (width) push(word << (7 - width));
  if (reserved >= 0) codes.push(128 * (RESERVED.length + 1) + reserved);
  return codes.map((code) => String.fromCharCode(code)).join("");
}
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Returns the number that a source file of Rust states for a name. */
function stated(path, name) {
  const [, number] = new RegExp(`\\b${name}:(?: \\w+ =)? ([\\d_]+(?: << \\d+)?)[;,]`).exec(readFileSync(join(root, path), "utf8")) ?? [];
  if (!number) throw new Error(`${path} does not state ${name}`);
  const [value, bits = 0] = number.replaceAll("_", "").split(" << ");
  return value * 2 ** bits;
}

/** The limits of images, which are those of the library. */
const imageLimits = () => ({
  maxSide: stated("src/depot/decode.rs", "MAX_SIDE"),
  maxTotal: stated("src/depot/decode.rs", "MAX_TOTAL"),
  maxMemory: stated("core/src/codec/limits.rs", "max_memory"),
  maxMemoryPerByte: stated("core/src/codec/limits.rs", "max_memory_per_byte"),
});

async function buildPage() {
  const wasm = readFileSync(join(here, "pkg/bindpose_bg.wasm"));
  const worker = await bundle("page/worker.js", "iife", { "import.meta.url": '""' });
  const styleOf = async (path) => (await build({
    entryPoints: [join(here, path)], bundle: true, minify: true, write: false, logLevel: "warning",
  })).outputFiles[0].text;
  const script = await bundle("page/main.js", "iife", {
    STYLE: JSON.stringify(await styleOf("page/style.css")), IMAGE_LIMITS: JSON.stringify(imageLimits()),
  });
  const loader = await bundle("page/loader.js", "iife");
  const style = await styleOf("page/start.css");
  const data = samples().flatMap(([label, files]) => Object.entries(files).map(([name, bytes]) => sample(label, name, bytes)));
  const page = readFileSync(join(here, "page/viewer.html"), "utf8");
  // Only these scripts and styles run, and nothing is sent anywhere: blob: and data: are the page's own.
  const policy = [
    "default-src 'none'", `script-src ${hash(loader)} blob: 'wasm-unsafe-eval'`, "worker-src blob:",
    `style-src ${hash(style)}`, "img-src blob: data:", "connect-src blob:", "base-uri 'none'", "form-action 'none'",
  ].join("; ");
  const parts = {
    POLICY: policy,
    STYLE: style,
    SAMPLES: data.join("\n"),
    WASM: packed(wasm),
    WORKER: packed(worker),
    SCRIPT: packed(script),
    LOADER: loader,
  };
  const text = page.replace(/\{\{([A-Z]+)\}\}/g, (_, name) => parts[name]);
  mkdirSync(join(here, "dist"), { recursive: true });
  writeFileSync(join(here, "dist/viewer.html"), text);
  const kib = (length) => `${(length / 1024).toFixed(0)} KiB`;
  console.log(`dist/viewer.html: ${kib(Buffer.byteLength(text))} (script ${kib(script.length)}, module ${kib(wasm.length)} uncompressed)`);
}

/** A file of a built-in sample. */
const sample = (label, name, bytes) =>
  `<script type="application/octet-stream" data-sample="${name}" data-label="${label}">${sevenBits(gzipSync(bytes))}</script>`;

const only = process.argv[2];
if (only !== "page") buildWasm();
if (only !== "wasm") await buildPage();
