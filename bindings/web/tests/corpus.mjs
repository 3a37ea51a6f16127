// Opens every file of folders in the viewer, one after another, and reports those that show nothing.
//
//   node tests/corpus.mjs FOLDER...
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { drop, openPage } from "./browser.mjs";

const paths = process.argv.slice(2).flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)));
const { tab, problems, close } = await openPage();
const supported = await tab.locator("#extensions").innerText().then((text) => text.split(/\s+/));
const counts = { shown: 0, empty: 0, undecodable: 0, foreign: 0, slowest: 0 };
for (const path of paths.filter((path) => supported.some((extension) => path.endsWith(extension)))) {
  const started = Date.now();
  await drop(tab, [{ name: basename(path), bytes: readFileSync(path) }]);
  await tab.waitForFunction(() => {
    const state = document.querySelector(".dot")?.className;
    return state && state !== "dot busy" && !document.querySelector("#stage-note").matches(":empty");
  }, undefined, { timeout: 120_000 });
  const note = await tab.locator("#stage-note").innerText();
  const panel = await tab.locator("#panel").innerText();
  const kind = /cannot be shown/.test(note) ? "failed" : panel.startsWith("Undecodable") ? (/unrecognised/.test(panel) ? "foreign" : "undecodable") : /triangle|bone/.test(note) ? "shown" : "empty";
  counts[kind] = (counts[kind] ?? 0) + 1;
  counts.slowest = Math.max(counts.slowest, Date.now() - started);
  if (problems.length || kind === "failed") console.log(path, note, problems.splice(0));
  while (await tab.locator(".file.active .close").count()) await tab.locator(".file.active .close").click();
  await tab.evaluate(() => { document.querySelector("#stage-note").textContent = ""; });
}
console.log(counts);
await close();
process.exit(counts.failed ? 1 : 0);
