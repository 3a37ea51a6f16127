// Compares the byte ranges that Kaitai's parsers record with the map of bindpose. See README.md.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const yaml = require('js-yaml');
const compiler = require('kaitai-struct-compiler');
const runtime = require('kaitai-struct');
const KaitaiStream = runtime.KaitaiStream ?? runtime;

const schemas = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../schemas');
const [bindpose, ...places] = process.argv.slice(2);
if (places.length === 0) {
  console.error('usage: agree.mjs BINDPOSE FILE_OR_FOLDER...');
  process.exit(2);
}

const camel = (id) => id.replace(/_+([a-z0-9])/g, (_, c) => c.toUpperCase());

// The parts at offsets, which Kaitai reads when they are asked for. Instances without a condition look ahead at what a field reads.
function placedIn({ instances = {} }) {
  const isPart = ([, { pos, if: condition }]) => pos !== undefined && condition !== undefined;
  return Object.entries(instances).filter(isPart).map(([name]) => camel(name));
}

// A parser made from a schema, with the names of the types that count as one value.
async function load(file) {
  const read = (name) => yaml.load(fs.readFileSync(name, 'utf8'), { schema: yaml.CORE_SCHEMA });
  const schema = read(file);
  const importer = { importYaml: async (name) => read(path.join(schemas, `${name}.ksy`)) };
  const sources = await compiler.compile('javascript', schema, importer, true);
  const linked = {};
  const link = (name) => {
    if (name.startsWith('kaitai-struct')) return require(name);
    const key = `${path.basename(name).replace(/\.js$/, '')}.js`;
    if (!linked[key]) {
      const module = (linked[key] = { exports: {} });
      const wrapped = `(function (module, exports, require) {${sources[key]}\n})`;
      vm.runInThisContext(wrapped, { filename: key })(module, module.exports, link);
    }
    return linked[key].exports;
  };
  const name = camel(`_${schema.meta.id}`);
  const exported = link(name);
  const leafTypes = Object.entries(schema.types ?? {}).filter(([, type]) => type['-leaf']);
  return {
    Root: exported[name] ?? exported,
    leaves: new Set(leafTypes.map(([type]) => camel(`_${type}`))),
    takesParameters: (schema.params ?? []).length > 0,
    placed: new Map(Object.entries(schema.types ?? {}).map(([type, own]) => [camel(`_${type}`), placedIn(own)])),
  };
}

// The ranges of all values that hold bytes of the file itself.
function* ranges(parser, value, debug, buffer) {
  const parts = parser.placed.get(value.constructor.name) ?? [];
  for (const part of parts) {
    try {
      void value[part];
    } catch {
      // As for the file: what was read before still counts.
    }
  }
  for (const [key, range] of Object.entries(debug)) {
    if (key.startsWith('_') && !parts.includes(key.replace('_m_', ''))) continue;
    if (range.arr) {
      for (let i = 0; i < range.arr.length; i++) yield* one(parser, value[key]?.[i], range.arr[i], buffer);
    } else {
      yield* one(parser, value[key], range, buffer);
    }
  }
}

function* one(parser, value, range, buffer) {
  const isRecord = value?._io && value._debug && value._io._buffer === buffer;
  if (isRecord && !parser.leaves.has(value.constructor.name)) {
    yield* ranges(parser, value, value._debug, buffer);
  } else if (range.end > range.start) {
    yield [range.start + (range.ioOffset ?? 0), range.end + (range.ioOffset ?? 0)];
  }
}

function kaitai(parser, file) {
  const bytes = new Uint8Array(file).slice().buffer;
  const io = new KaitaiStream(bytes);
  const root = new parser.Root(io, null, null);
  try {
    root._read();
  } catch {
    // What was read before still counts; the comparison decides whether it was enough.
  }
  const found = [...ranges(parser, root, root._debug, io._buffer)];
  return found.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

const run = (...args) => execFileSync(bindpose, args, { encoding: 'utf8', maxBuffer: 2 ** 32, stdio: ['ignore', 'pipe', 'ignore'] });
const lines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));

// The verdict does not matter here, so neither does the exit code.
function roundtrip(file) {
  try {
    return lines(run('roundtrip', '--format', 'json', file))[0];
  } catch (error) {
    return error.stdout ? lines(error.stdout)[0] : undefined;
  }
}

// The leaves of a damaged file before the damage. The schema does not know how much of a damaged part can be decoded.
function compare(parser, file, bytes, { verdict, offset, field: damaged }) {
  const map = lines(run('map', '--format', 'json', file)).filter((leaf) => leaf.path !== undefined);
  const limit = verdict === 'damaged' ? offset : Infinity;
  // Bytes that no offset leads to are not in a schema.
  const isGap = (leaf) => /\.gap_\d+$/.test(leaf.path);
  const isPartial = (leaf) => leaf.type === 'rest' || (leaf.type === 'blob' && damaged && leaf.path.startsWith(`${damaged}.`));
  const valid = map.filter((leaf) => !isGap(leaf) && !isPartial(leaf) && leaf.end <= limit);
  const end = valid.at(-1)?.end ?? 0;
  const theirs = kaitai(parser, bytes).filter(([start, stop]) => start < end && (stop <= end || valid.length === map.length));
  for (let i = 0; i < Math.max(valid.length, theirs.length); i++) {
    const [ours, other] = [valid[i], theirs[i]];
    if (ours?.start !== other?.[0] || ours?.end !== other?.[1]) {
      const said = ours ? `${ours.path} ${ours.start}..${ours.end}` : 'nothing';
      return `bindpose has ${said}, Kaitai has ${other ? `${other[0]}..${other[1]}` : 'nothing'}`;
    }
  }
  return null;
}

function* walk(place) {
  if (!fs.statSync(place).isDirectory()) return yield place;
  for (const name of fs.readdirSync(place).sort()) yield* walk(path.join(place, name));
}

const parsers = new Map();
for (const name of fs.readdirSync(schemas).filter((name) => name.endsWith('.ksy'))) {
  try {
    parsers.set(name.replace(/\.ksy$/, ''), await load(path.join(schemas, name)));
  } catch (error) {
    console.error(`schemas/${name} does not compile: ${error.message ?? error}`);
    process.exit(1);
  }
}
console.log(`${parsers.size} schemas compile`);

// A schema opens a file alone, so it reads Cal3D in the dialect of the file's version. Returns the bytes of a file as they are
// read in its own dialect; null if its schema has no such layout.
function published(file, { format, dialect }) {
  const bytes = fs.readFileSync(file);
  if (!format.startsWith('cal3d-')) return bytes;
  if (bytes.length < 8) return null;
  const version = bytes.readInt32LE(4);
  const own = version > 1300 ? 'mp1301' : version === 1300 ? 'svn1300' : version > 910 && version < 1000 ? 'imvu' : 'classic';
  if (dialect === own) return bytes;
  if (format !== 'cal3d-mesh' || dialect !== 'mp1301' || version !== 1300) return null;
  bytes.writeInt32LE(1301, 4);
  return bytes;
}

// To Kaitai a text is one run of bytes; its grammar is described in words.
const isText = (file, format) =>
  format === 'psa-config' || (format === 'x' && fs.readFileSync(file).toString('latin1', 8, 12) === 'txt ');

const counts = { agree: 0, differ: 0, skipped: 0 };
for (const file of places.flatMap((place) => [...walk(place)])) {
  const outcome = roundtrip(file);
  const parser = parsers.get(outcome?.format?.replaceAll('-', '_'));
  const readable = ['lossless', 'damaged'].includes(outcome?.verdict);
  // A schema with a dialect parameter cannot open a file alone.
  // What of a damaged file precedes the damage is not known where parts are at offsets.
  const isScattered = [...(parser?.placed.values() ?? [])].some((parts) => parts.length > 0);
  const comparable = parser && readable && !(isScattered && outcome.verdict === 'damaged') && !parser.takesParameters && outcome.dialect !== 'xml';
  const bytes = comparable && !isText(file, outcome.format) && published(file, outcome);
  if (!bytes) {
    counts.skipped += 1;
    continue;
  }
  const difference = compare(parser, file, bytes, outcome);
  counts[difference ? 'differ' : 'agree'] += 1;
  if (difference) console.log(`${file}: ${difference}`);
}
console.log(`${counts.agree} files agree, ${counts.differ} differ, ${counts.skipped} skipped`);
process.exitCode = counts.differ > 0 || counts.agree === 0 ? 1 : 0;
