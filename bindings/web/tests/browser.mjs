// A browser with the built viewer. Counts errors on the console and requests to a network.
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { execFileSync } from "node:child_process";
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { chromium } from "playwright-core";
import { unzip } from "../page/zip.js";

const here = dirname(fileURLToPath(import.meta.url));
export const root = resolve(here, "../../..");
export const viewer = process.env.BINDPOSE_VIEWER ?? resolve(here, "../dist/viewer.html");
export const bindpose = process.env.BINDPOSE ?? resolve(root, "target/release/bindpose");
export const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

const ARGS = [
  "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic",
];

export const scratch = mkdtempSync(join(tmpdir(), "bindpose-viewer-"));
export const corpus = (path) => join(root, "tests/corpus", path);
export const run = (...args) => execFileSync(bindpose, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

let browser;
after(() => browser?.close());

/** Opens a page with a profile of its own; `problems` collects what must not happen. */
export async function openPage(options = {}, page = viewer) {
  if (!browser?.isConnected()) browser = await chromium.launch({ executablePath, headless: true, args: ARGS });
  const context = await browser.newContext({ acceptDownloads: true, viewport: { width: 1280, height: 800 }, ...options });
  // Waiting ends when what is waited for happens, which takes long while other programs use the processors.
  context.setDefaultTimeout(120_000);
  const tab = await context.newPage();
  const problems = [];
  tab.on("console", (message) => ["error", "warning"].includes(message.type()) && !/GPU stall|GL Driver/.test(message.text()) && problems.push(message.text()));
  tab.on("pageerror", (error) => problems.push(String(error)));
  tab.on("request", (request) => /^(file|blob|data):/.test(request.url()) || problems.push(`request: ${request.url()}`));
  await tab.goto(pathToFileURL(page).href);
  await tab.waitForSelector("html[data-ready]", { state: "attached" });
  return { tab, problems, close: () => context.close() };
}

/** Drops files on the page: paths, or `{ name, bytes }`. */
export async function drop(tab, files) {
  const contents = files.map((file) => (typeof file === "string" ? { name: basename(file), bytes: readFileSync(file) } : file));
  const list = contents.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString("base64") }));
  await tab.evaluate((items) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of items) {
      transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
    }
    dispatchEvent(new DragEvent("dragenter", { dataTransfer: transfer }));
    dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
  }, list);
}

/** Waits until the files are read, checked and shown. */
export async function settled(tab) {
  await tab.waitForFunction(() => {
    const files = document.querySelectorAll(".file");
    return files.length && !document.querySelector('.file .dot.busy, #stage[aria-busy="true"], #stage-note:empty') && !/Checking/.test(document.querySelector("#status-findings").textContent);
  });
  await tab.waitForTimeout(150);
}

/** Returns the picture of a canvas once changes are drawn. */
export const picture = (tab, canvas = "#canvas") => tab.locator(canvas).evaluate(async (canvas) => {
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
  return canvas.toDataURL();
});

/** Returns a ZIP archive of files: stored, or deflated if that is shorter. */
export function zip(files) {
  const [locals, entries] = [[], []];
  let offset = 0;
  for (const { name, bytes } of files) {
    const packed = deflateRawSync(bytes);
    const [method, content] = packed.length < bytes.length ? [8, packed] : [0, bytes];
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(content.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields, Buffer.from(name), content]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields, rest, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...entries, end]);
}

/** Downloads the changed files of the set; returns their bytes by their names. */
export async function downloadSet(tab, button = "#download") {
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator(button).click()]);
  const path = join(scratch, "set.zip");
  await saved.saveAs(path);
  return new Map(await Promise.all(unzip(readFileSync(path)).map(async ({ name, bytes }) => [name, Buffer.from(await bytes())])));
}

/**
 * Runs a test in a page, and fails if it logs an error or requests anything. What a busy machine never did in time is tried once more,
 * and said.
 */
export const inPage = (name, body, options, page) => test(name, { timeout: 600_000 }, async (context) => {
  const once = async () => {
    const opened = await openPage(options, page?.());
    try {
      await body(opened.tab);
      assert.deepEqual(opened.problems, []);
    } finally {
      await opened.close();
    }
  };
  await once().catch((problem) => {
    if (problem.name !== "TimeoutError") throw problem;
    context.diagnostic(`tried again: ${problem.message}`);
    return once();
  });
});

/** Returns the texts in cells of the table that do not fit. */
export const cutCells = (tab) => tab.evaluate(() => [...document.querySelectorAll("#table :is(td, th)")].filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent));

export const text = (tab, selector) => tab.locator(selector).innerText();

/** Chooses a clip by its index, if there are clips; -1 for the bind pose. */
export const chooseClip = async (tab, index) => {
  const chip = tab.locator(`#clips [data-clip="${index}"]`);
  if (await chip.isVisible()) await chip.click();
};

export const press = (tab, ...presses) => presses.reduce((done, key) => done.then(() => tab.keyboard.press(key)), Promise.resolve());
export const message = (tab, expected) => tab.waitForFunction((source) => new RegExp(source).test(document.querySelector("#message-text").textContent), expected.source);

export const goTo = async (tab, place) => {
  await press(tab, "Escape", "/");
  await tab.locator("#goto-input").fill(place);
  await press(tab, "Enter");
};
export const atField = (tab, path) => tab.waitForFunction((path) => document.querySelector("#field-path")?.textContent === path, path);

/** Replaces the value of the field. */
export const fillValue = (tab, value) => tab.locator("#field-value").fill(value);
