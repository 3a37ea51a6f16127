// Exports files and asks Khronos' validator about the results. See README.md.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const validator = createRequire(import.meta.url)('gltf-validator');
const [bindpose, ...places] = process.argv.slice(2);
if (places.length === 0) {
  console.error('usage: validate.mjs BINDPOSE FILE_OR_FOLDER...');
  process.exit(2);
}

function* walk(place) {
  if (!fs.statSync(place).isDirectory()) return yield place;
  for (const name of fs.readdirSync(place).sort()) yield* walk(path.join(place, name));
}

// Exit codes: unsupported format or undecodable, over a limit, nothing to export.
const passedOver = [4, 5, 6];

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'bindpose-gltf-'));
const glb = path.join(scratch, 'out.glb');
const counts = { valid: 0, invalid: 0, passed: 0 };
const warnings = {};
for (const file of places.flatMap((place) => [...walk(place)])) {
  const { status, stderr } = spawnSync(bindpose, ['export', file, '-o', glb, '--force', '-q'], { encoding: 'utf8' });
  if (passedOver.includes(status)) {
    counts.passed += 1;
    continue;
  }
  const report = status === 0 ? await validator.validateBytes(new Uint8Array(fs.readFileSync(glb)), { maxIssues: 0 }) : null;
  const errors = report?.issues.messages.filter((issue) => issue.severity === 0) ?? [];
  for (const { severity, code } of report?.issues.messages ?? []) if (severity === 1) warnings[code] = (warnings[code] ?? 0) + 1;
  const isValid = report !== null && report.issues.numErrors === 0;
  counts[isValid ? 'valid' : 'invalid'] += 1;
  if (!isValid) console.log(`${file}: ${errors.map(({ pointer, message }) => `${pointer}: ${message}`).slice(0, 10).join('; ') || stderr}`);
}
fs.rmSync(scratch, { recursive: true });
console.log(`${counts.valid} exports are valid, ${counts.invalid} are not, ${counts.passed} files mean nothing by themselves`);
for (const [code, count] of Object.entries(warnings)) console.log(`warning ${code}: ${count}`);
process.exitCode = counts.invalid > 0 || counts.valid === 0 ? 1 : 0;
