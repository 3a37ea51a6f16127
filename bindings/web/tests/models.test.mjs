// What the viewer shows beside the formats of the library: clips, glTF, comparisons, and changes of whole models.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atField, corpus, cutCells, downloadSet, drop, fillValue, goTo, inPage, message, picture, press, root, run, scratch, settled, text, viewer } from "./browser.mjs";

/** Returns a glTF file with a bone that moves in some clips; its buffer is a part of it, or the file `uri`. */
function moving(clips, uri) {
  const numbers = Buffer.from(Float32Array.of(0, 1, 0, 0, 0, 0, 1, 0).buffer);
  const names = Array.from({ length: clips }, (_, at) => `move_${at}${at === 9 ? "_jump" : ""}`);
  const json = {
    asset: { version: "2.0", generator: "a test" }, scenes: [{ nodes: [0] }], nodes: [{ name: "root", children: [1] }, { name: "tip", translation: [0, 1, 0] }],
    buffers: [{ byteLength: numbers.length, uri: uri ?? `data:application/octet-stream;base64,${numbers.toString("base64")}` }],
    bufferViews: [{ buffer: 0, byteLength: 8 }, { buffer: 0, byteOffset: 8, byteLength: 24 }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 2, type: "SCALAR", min: [0], max: [1] }, { bufferView: 1, componentType: 5126, count: 2, type: "VEC3" }],
    animations: names.map((name) => ({ name, samplers: [{ input: 0, output: 1 }], channels: [{ sampler: 0, target: { node: 1, path: "translation" } }] })),
  };
  return { text: Buffer.from(JSON.stringify(json)), numbers, names };
}

const download = async (tab, selector, name) => {
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator(selector).click()]);
  const path = join(scratch, name);
  await saved.saveAs(path);
  return readFileSync(path);
};

inPage("names its manual and its source before and after files are opened", async (tab) => {
  const links = () => tab.locator("a:visible").evaluateAll((own) => own.map(({ href }) => href).filter((href) => href.startsWith("https:")));
  assert.deepEqual(await links(), ["https://github.com/bindpose/bindpose/tree/main/docs", "https://github.com/bindpose/bindpose"]);
  await drop(tab, [corpus("psk/plane.psk")]);
  await settled(tab);
  assert.deepEqual(await links(), ["https://github.com/bindpose/bindpose/tree/main/docs/viewer.md"]);
});

inPage("shows and converts glTF with its images", async (tab) => {
  const embedded = join(scratch, "embedded.glb");
  run("export", join(root, "tests/character/dragon.ms3d"), "-o", embedded, "--force");
  await drop(tab, [embedded]);
  await settled(tab);
  assert.match(await text(tab, "#stage-note"), /^1,632 triangles · 18 bones · 3 clips/);
  assert.match(await text(tab, "#panel"), /Shown and converted[\s\S]*glTF 2\.0/);
  assert.equal(await text(tab, "#status-findings"), "Not checked");
  await tab.locator("#tab-model").click();
  await tab.waitForFunction(() => /dragon\.png shown/.test(document.querySelector("#panel").textContent));
  await tab.locator("#export").click();
  await tab.locator("#export-as").selectOption("ms3d");
  await tab.waitForSelector("#export-save:not([disabled])");
  const saved = await download(tab, "#export-save", "page.ms3d");
  run("convert", embedded, "--to", "ms3d", "-o", join(scratch, "command.ms3d"), "--force");
  assert.equal(saved.length, readFileSync(join(scratch, "command.ms3d")).length);
  await press(tab, "Escape");
  await goTo(tab, "nodes[0]");
  await tab.waitForFunction(() => /parts of glTF files are not shown/.test(document.querySelector("#goto-error").textContent));
});

inPage("reads the buffers beside a glTF file", async (tab) => {
  const { text: json, numbers } = moving(1, "move.bin");
  await drop(tab, [{ name: "move.gltf", bytes: json }]);
  await tab.waitForFunction(() => /open move\.bin, too/.test(document.querySelector("#panel").textContent));
  await tab.locator(".file .close").click();
  await drop(tab, [{ name: "move.gltf", bytes: json }, { name: "move.bin", bytes: numbers }]);
  await settled(tab);
  assert.match(await text(tab, "#stage-note"), /^2 bones · 1 clip/);
});

inPage("leaves out nodes of glTF that hold nothing, as the command does", async (tab) => {
  const points = Buffer.from(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0).buffer);
  const json = {
    asset: { version: "2.0", generator: "a test" }, scenes: [{ nodes: [0, 1] }], nodes: [{ name: "body", mesh: 0, children: [2] }, { name: "lamp", children: [3] }, { name: "target" }, { name: "bulb" }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    buffers: [{ byteLength: points.length, uri: `data:application/octet-stream;base64,${points.toString("base64")}` }],
    bufferViews: [{ buffer: 0, byteLength: points.length }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] }],
  };
  await drop(tab, [{ name: "lamp.gltf", bytes: Buffer.from(JSON.stringify(json)) }]);
  await settled(tab);
  assert.deepEqual((await tab.locator("#tree .node .label").allInnerTexts()).slice(0, 3), ["Bones", "body", "Meshes"]);
});

inPage("names an image of glTF without a name after the file, as the command does", async (tab) => {
  const points = Buffer.from(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0).buffer);
  const image = readFileSync(join(root, "tests/character/dragon.png"));
  const embedded = (kind, bytes) => `data:${kind};base64,${bytes.toString("base64")}`;
  const json = {
    asset: { version: "2.0", generator: "a test" }, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }], textures: [{ source: 0 }], images: [{ uri: embedded("image/png", image) }],
    buffers: [{ byteLength: points.length, uri: embedded("application/octet-stream", points) }],
    bufferViews: [{ buffer: 0, byteLength: points.length }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] }],
  };
  await drop(tab, [{ name: "lamp.gltf", bytes: Buffer.from(JSON.stringify(json)) }]);
  await settled(tab);
  await tab.locator("#tab-model").click();
  await tab.waitForFunction(() => /lamp\.png shown/.test(document.querySelector("#panel").textContent));
});

inPage("opens glTF in a page of preview, with its buffers and images", async (tab) => {
  await settled(tab);
  assert.deepEqual((await tab.locator(".file .title").allInnerTexts()).map((name) => name.trim()), ["move.gltf", "dragon.glb"]);
  const open = async (name) => {
    await tab.locator(".file .open", { hasText: name }).click();
    await tab.waitForFunction((own) => document.title.startsWith(own), name);
    await settled(tab);
  };
  await open("move.gltf");
  assert.match(await text(tab, "#stage-note"), /^2 bones · 1 clip/);
  await open("dragon.glb");
  assert.match(await text(tab, "#stage-note"), /^1,632 triangles · 18 bones · 3 clips/);
  await tab.locator("#tab-model").click();
  await tab.waitForFunction(() => /dragon\.png shown/.test(document.querySelector("#panel").textContent));
  // Both have pictures.
  await tab.locator("#table-open").click();
  await tab.waitForFunction(() => document.querySelectorAll("#table-rows .thumbnail[src^=blob]").length === 2);
  assert.deepEqual(await cutCells(tab), []);
  assert.deepEqual(await tab.locator("#table-rows td:nth-child(5)").allInnerTexts(), ["", ""], "files that are not checked have no number of findings");
}, {}, () => {
  const folder = join(scratch, "gltf");
  mkdirSync(join(folder, "data"), { recursive: true });
  const { text: json, numbers } = moving(1, "data/move.bin");
  writeFileSync(join(folder, "move.gltf"), json);
  writeFileSync(join(folder, "data/move.bin"), numbers);
  const out = join(scratch, "gltf.html");
  run("preview", join(folder, "move.gltf"), join(root, "tests/character/dragon.glb"), "-o", out, "--viewer", viewer, "--force");
  return out;
});

inPage("chooses among many clips by the filter, the pointer and the keyboard", async (tab) => {
  const { text: json, names } = moving(40);
  await drop(tab, [{ name: "moves.gltf", bytes: json }]);
  await settled(tab);
  const chosen = () => text(tab, "#clips [aria-checked=true]");
  assert.equal(await tab.locator("#clips .chip").count(), 41);
  assert.equal((await tab.locator("#clips-bar").boundingBox()).height < 40, true, "one line");
  assert.equal(await chosen(), names[0]);
  // The pointer is on the chip that it chooses.
  await tab.locator("#clips .chip").nth(1).click();
  const background = (selector) => tab.locator(selector).evaluate((chip) => getComputedStyle(chip).backgroundColor);
  const ofChosen = await background("#clips .chip[aria-checked=true]:hover");
  await tab.locator("#clips .chip").nth(2).hover();
  assert.notEqual(await background("#clips .chip:hover"), ofChosen, "the chosen clip differs from others below the pointer");
  await tab.locator("#clips [aria-checked=true]").focus();
  await press(tab, "ArrowRight", "ArrowRight");
  assert.equal(await chosen(), names[2]);
  await press(tab, "End");
  assert.equal(await chosen(), names[39]);
  const isInRow = () => tab.locator("#clips").evaluate((row) => {
    const [own, box] = [row.querySelector("[aria-checked=true]").getBoundingClientRect(), row.getBoundingClientRect()];
    return own.left >= box.left - 1 && own.right <= box.right + 1;
  });
  assert.ok(await isInRow(), "the chosen clip is in the row");
  await press(tab, "ArrowRight");
  assert.equal(await chosen(), "Bind pose");
  await tab.locator("#clip-filter").fill("JUMP");
  assert.deepEqual(await tab.locator("#clips .chip").allInnerTexts(), [names[9]]);
  await press(tab, "ArrowDown", "Enter");
  assert.equal(await chosen(), names[9]);
  await tab.locator("#clip-filter").fill("nothing");
  assert.match(await text(tab, "#clips"), /No clip has this name/);
});

inPage("opens a link to the bind pose in the bind pose", async (tab) => {
  const set = [corpus("psk/plane.psk"), corpus("psk/wave.psa")];
  await drop(tab, set);
  await settled(tab);
  await tab.locator("#clips [data-clip='-1']").click();
  await tab.locator("#share").click();
  await message(tab, /^Copied a link/);
  await tab.evaluate(() => location.reload());
  await tab.waitForSelector("html[data-ready]", { state: "attached" });
  await drop(tab, set);
  await settled(tab);
  assert.equal(await text(tab, "#clips [aria-checked=true]"), "Bind pose");
});

inPage("names the file that a link is about", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await goTo(tab, "animation.fps");
  await atField(tab, "animation.fps");
  await tab.locator("#share").click();
  await message(tab, /^Copied a link\. .*on this machine only\. It asks for tent\.ms3d\.$/);
  await tab.evaluate(() => location.reload());
  await tab.waitForSelector("html[data-ready]", { state: "attached" });
  assert.match(await text(tab, "#empty"), /The link is about tent\.ms3d/);
  // Another file is shown as usual, after one reminder.
  await drop(tab, [corpus("psk/plane.psk")]);
  await settled(tab);
  assert.match(await text(tab, "#message-text"), /about another file, tent\.ms3d/);
  await drop(tab, [corpus("psk/skeleton.psk")]);
  await tab.waitForFunction(() => document.querySelectorAll(".file").length === 2);
  await settled(tab);
  assert.doesNotMatch(await tab.locator("#message-text").textContent(), /another file/);
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await atField(tab, "animation.fps");
  // Without a link, nothing is asked for.
  await tab.locator("#close-all").click();
  await tab.waitForSelector("#empty:not([hidden])");
  assert.ok(await tab.locator("#wanted").isHidden());
});

inPage("offers files to compare with", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await press(tab, "Control+j");
  await tab.locator("#pane-diff").click();
  assert.match(await text(tab, "#diff-offers"), /Open another version of tent\.ms3d/);
  // The shown file stays when another one is opened to compare with.
  const changed = join(scratch, "other", "tent.ms3d");
  mkdirSync(join(scratch, "other"), { recursive: true });
  run("set", corpus("ms3d/tent.ms3d"), "joints[0].position[1]=5", "-o", changed, "--force");
  await tab.locator("#diff-picker").setInputFiles(changed);
  await tab.waitForSelector("#diff-list .node");
  assert.match(await text(tab, "#diff-note"), /^1 difference/);
  assert.equal(await tab.locator(".file").count(), 2);
  assert.equal(await tab.locator(".file.active").count(), 1);
  await tab.locator("#diff-with").selectOption("");
  await tab.locator("#diff-offers button").first().click();
  await tab.waitForSelector("#diff-list .node");
  await tab.locator("#diff-with").selectOption("");
  assert.ok(await tab.locator("#diff-offers").isVisible());
});

inPage("compares a file that has changes with its state before them", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await goTo(tab, "joints[0].position[1]");
  await atField(tab, "joints[0].position[1]");
  await fillValue(tab, "5");
  await tab.locator("#field-set").click();
  await tab.waitForSelector(".file .edited");
  await tab.locator("#pane-diff").click();
  await tab.waitForSelector("#diff-list .node");
  assert.match(await text(tab, "#diff-list .node"), / → 5\.0/);
  assert.match(await text(tab, "#diff-head"), /^tent\.ms3d before its changes → tent\.ms3d/);
});

inPage("asks before changes are lost with the page", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await goTo(tab, "joints[0].position[1]");
  await atField(tab, "joints[0].position[1]");
  await fillValue(tab, "5");
  await tab.locator("#field-set").click();
  await tab.waitForSelector(".file .edited");
  const asked = new Promise((resolve) => {
    tab.once("dialog", async (dialog) => {
      resolve(dialog.type());
      await dialog.dismiss();
    });
  });
  await tab.close({ runBeforeUnload: true });
  assert.equal(await asked, "beforeunload");
  assert.equal(await tab.locator(".file .edited").count(), 1);
});

inPage("turns to an axis at once if motion is reduced", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  const { x, y, width } = await tab.locator("#stage").boundingBox();
  const before = await picture(tab);
  // The tip of the Y axis; the picture of the next frame.
  const first = await tab.locator("#canvas").evaluate(async (canvas, [clientX, clientY]) => {
    canvas.dispatchEvent(new MouseEvent("click", { clientX, clientY }));
    await new Promise(requestAnimationFrame);
    return canvas.toDataURL();
  }, [x + width - 70, y + 40]);
  assert.notEqual(first, before);
  await tab.waitForTimeout(500);
  assert.equal(await picture(tab), first);
}, { reducedMotion: "reduce" });

inPage("transforms the files of a set as the command does", async (tab) => {
  const names = ["two.csf", "walk.caf", "set.cmf"];
  const folder = join(scratch, "transformed");
  mkdirSync(folder, { recursive: true });
  for (const name of names) copyFileSync(corpus(`cal3d/${name}`), join(folder, name));
  const set = names.map((name) => join(folder, name));
  await drop(tab, set);
  await settled(tab);
  await tab.locator("#tab-model").click();
  await tab.locator("#transform button").click();
  assert.match(await text(tab, "#transform"), /Nothing to change/);
  await tab.locator("#scale").fill("two");
  await tab.locator("#transform button").click();
  assert.match(await text(tab, "#transform"), /“two” is not a number/);
  await tab.locator("#scale").fill("2.5");
  await tab.locator("#rotation").selectOption("About Z");
  await tab.locator("#angle").fill("-90");
  await tab.locator("#y").fill("-1.5");
  await tab.locator("#transform button").click();
  await tab.waitForFunction(() => document.querySelectorAll(".file .edited").length === 3);
  run("transform", ...set, "--scale", "2.5", "--rotate", "z=-90", "--translate", "0,-1.5,0", "--out-dir", join(folder, "expected"), "--force");
  const downloaded = await downloadSet(tab);
  for (const name of names) assert.deepEqual(downloaded.get(name), readFileSync(join(folder, "expected", name)), name);
  await tab.locator("#tab-changes").click();
  assert.match(await text(tab, "#panel"), /scale 2\.5; rotate z by -90°; move by 0, -1\.5, 0/);
  await tab.locator("#copy-command").click();
  await message(tab, /^Copied the commands/);
  await tab.locator("#tree-filter").focus();
  await press(tab, "Control+v");
  const copied = await tab.locator("#tree-filter").inputValue();
  await tab.locator("#tree-filter").fill("");
  const inOrder = [...names].sort((a, b) => copied.indexOf(a) - copied.indexOf(b));
  assert.equal(copied, `bindpose transform ${inOrder.join(" ")} --scale 2.5 --rotate z=-90 --translate 0,-1.5,0 --in-place`);
  await tab.locator("#undo").click();
  await message(tab, /^Undone: the model: scale 2\.5/);
  await tab.waitForFunction(() => document.querySelector("#tab-changes").textContent === "Changes");
  await tab.locator("#redo").click();
  await tab.waitForFunction(() => document.querySelector("#tab-changes").textContent === "Changes 3");
  assert.deepEqual(await downloadSet(tab), downloaded);
});

inPage("re-times the clips of a set as the command does", async (tab) => {
  const set = [corpus("psk/plane.psk"), corpus("psk/wave.psa")];
  await drop(tab, set);
  await settled(tab);
  await tab.locator("#tab-model").click();
  await tab.locator("#fps").fill("60");
  await tab.locator("#rotation").selectOption("Y up, from Z up");
  await tab.locator("#transform button").click();
  await tab.waitForFunction(() => document.querySelectorAll(".file .edited").length === 2);
  const moved = join(scratch, "moved");
  run("transform", ...set, "--up", "y", "--out-dir", moved, "--force");
  run("transform", join(moved, "wave.psa"), "--fps", "60", "-o", join(moved, "fast.psa"), "--force");
  const downloaded = await downloadSet(tab);
  for (const [name, expected] of [["plane.psk", "plane.psk"], ["wave.psa", "fast.psa"]]) assert.deepEqual(downloaded.get(name), readFileSync(join(moved, expected)), name);
});

inPage("shows the records of chunks without a level of their own", async (tab) => {
  await drop(tab, [corpus("psk/plane.psk")]);
  await settled(tab);
  const node = (name) => tab.locator("#tree .node").filter({ has: tab.locator(".label", { hasText: new RegExp(`^${name}$`) }) });
  assert.match(await node("points").innerText(), /points\s*PNTS0000 \[4\]/);
  await node("points").locator(".twist").click();
  await node("\\[3\\]").locator(".label").click();
  await tab.waitForFunction(() => document.querySelector("#field-path")?.textContent.startsWith("chunks[1].records[3]"));
});

inPage("keeps the axes visible over a model that fills the stage", async (tab) => {
  await drop(tab, [join(root, "tests/character/dragon.glb")]);
  await settled(tab);
  await press(tab, "b", "g");
  await tab.locator("#canvas").focus();
  for (let count = 0; count < 8; count++) await press(tab, "+");
  const address = await picture(tab);
  const [corner, model, wanted] = await tab.evaluate(async (url) => {
    const image = await createImageBitmap(await (await fetch(url)).blob());
    const context = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height }).getContext("2d", { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    const at = (x, y) => [...context.getImageData(x, y, 1, 1).data];
    // Within the disc, between the axes; and in the middle of the stage.
    const middle = [image.width - 70, 70];
    const color = getComputedStyle(document.documentElement).getPropertyValue("--stage-top").trim();
    return [at(middle[0] - 18, middle[1] - 30), at(image.width / 2, image.height / 2), color];
  }, address);
  const hex = `#${corner.slice(0, 3).map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  assert.equal(hex, wanted);
  assert.equal(model[3], 255, "the model fills the stage");
}, { bypassCSP: true });

inPage("shows the model while its place changes its size", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  // The observer of the test comes after that of the stage, before the frame is painted.
  const share = await tab.evaluate(() => new Promise((resolve) => {
    const canvas = document.querySelector("#canvas");
    const height = canvas.height;
    new ResizeObserver(() => {
      if (canvas.height === height) return;
      const context = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height }).getContext("2d");
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      resolve(data.filter((value, at) => at % 4 === 3 && value === 255).length / (data.length / 4));
    }).observe(document.querySelector("#stage"));
    document.querySelector("#drawer-toggle").click();
  }));
  assert.ok(share > 0.1, `${share} of the stage is drawn`);
});
