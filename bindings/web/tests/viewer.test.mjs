// Uses the viewer as a person does, and verifies the result with the command.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { unzip } from "../page/zip.js";
import { atField, bindpose, chooseClip, corpus, cutCells, downloadSet, drop, executablePath, fillValue, goTo, inPage, message, openPage, picture, press, root, run, scratch, settled, text, viewer, zip } from "./browser.mjs";

assert.ok(executablePath, "no Chromium: install it (Debian: apt-get install chromium)");

test("is one file of at most 2.2 MB", () => assert.ok(statSync(viewer).size <= 2_200_000, `${statSync(viewer).size} bytes`));

/** Samples with surfaces. The page hides the colours of the vertices of PSK files at first, and lights materials that need no light if they have no image. */
const PICTURED = [
  ["ms3d/tent.ms3d"], ["ms3d/crowd.ms3d"], ["psk/rules.psk"], ["cal3d/two.csf", "cal3d/set.cmf"],
  ...["crlf", "misspelled", "moving_cube", "rotating_cube", "scaling_cube", "skinned", "skinned_bin"].map((name) => [`directx/${name}.x`]),
  ...["mr02", "ms10", "ms11", "ms12", "ms13", "ms14", "ms15", "set", "stored"].map((name) => [`unigine/${name}.mesh`]),
];

/** Measures the model in the picture: its share of the stage, that of its pixels that are white, and its mean colour. */
const measure = async (tab) => {
  await press(tab, "Escape", "b", "g");
  const address = await picture(tab);
  await press(tab, "b", "g");
  // The axes are in the upper right corner.
  return measureImage(tab, address.split(",")[1], { skip: 150 });
};

/** Measures an image with a transparent background. */
const measureImage = (tab, base64, { skip = 0 } = {}) => tab.evaluate(async ([text, corner]) => {
  const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type: "image/png" }));
  const { width, height } = image;
  const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = context.getImageData(0, 0, width, height).data;
  let [model, white, edge] = [0, 0, 0];
  const sums = [0, 0, 0];
  for (let at = 0; at < pixels.length; at += 4) {
    const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
    if (pixels[at + 3] < 255 || (x > width - corner && y < corner)) continue;
    model += 1;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) edge += 1;
    sums.forEach((_, channel) => { sums[channel] += pixels[at + channel]; });
    if (Math.min(pixels[at], pixels[at + 1], pixels[at + 2]) >= 252) white += 1;
  }
  return { width, height, edge, share: model / (width * height), white: white / model, mean: sums.map((sum) => sum / model) };
}, [base64, skip]);

inPage("shows models at a good size and brightness", async (tab) => {
  for (const files of [["ms3d/tent.ms3d"], ["ms3d/crowd.ms3d"], ["psk/morphs.pskx"], ["directx/skinned.x"], ["cal3d/two.csf", "cal3d/set.cmf"]]) {
    await drop(tab, files.map(corpus));
    await settled(tab);
    if (await tab.locator("#close-all").isVisible()) await tab.locator(".file .open").last().click();
    await settled(tab);
    // In a clip, the view has room for all of its poses.
    await chooseClip(tab, -1);
    const { share, white } = await measure(tab);
    assert.ok(white < 0.05, `${files}: ${(white * 100).toFixed(1)} % of the pixels are white`);
    assert.ok(share >= 0.15, `${files}: the model covers ${(share * 100).toFixed(1)} % of the stage`);
  }
});

inPage("shows models in the colours of the pictures of preview", async (tab) => {
  for (const paths of PICTURED.map((own) => own.map(corpus))) {
    await drop(tab, paths);
    await settled(tab);
    await chooseClip(tab, -1);
    await press(tab, "Escape", "f");
    const page = await measure(tab);
    const out = join(scratch, "picture.png");
    run("preview", ...paths, "-o", out, "--size", `${page.width}x${page.height}`, "--force", "--quiet");
    const picture = await measureImage(tab, readFileSync(out).toString("base64"), { skip: 150 });
    const apart = Math.max(...page.mean.map((channel, at) => Math.abs(channel - picture.mean[at])));
    assert.ok(apart <= 6, `${paths}: ${page.mean.map(Math.round)} in the page, ${picture.mean.map(Math.round)} in the picture`);
    await tab.locator(paths.length > 1 ? "#close-all" : ".file .close").dispatchEvent("click");
  }
}, { viewport: { width: 1000, height: 560 } });

/** Returns a BMP image of one pixel. */
function bitmap(blue, green, red) {
  const bytes = Buffer.alloc(58);
  bytes.write("BM", "latin1");
  for (const [at, value] of [[2, 58], [10, 54], [14, 40], [18, 1], [22, 1], [34, 4]]) bytes.writeUInt32LE(value, at);
  for (const [at, value] of [[26, 1], [28, 24]]) bytes.writeUInt16LE(value, at);
  return Buffer.concat([bytes.subarray(0, 54), Buffer.from([blue, green, red, 0])]);
}

/** Writes a Cal3D character with a red and a green material, whose list states that the green one is the first. */
function listed() {
  const folder = join(scratch, "listed");
  mkdirSync(folder, { recursive: true });
  for (const name of ["two.csf", "set.cmf"]) copyFileSync(corpus(`cal3d/${name}`), join(folder, name));
  for (const [name, color] of [["a-red", [0, 0, 200]], ["b-green", [0, 200, 0]]]) {
    run("set", corpus("cal3d/skin.crf"), `maps[0].file=${name}.bmp`, "-o", join(folder, `${name}.crf`), "--force");
    writeFileSync(join(folder, `${name}.bmp`), bitmap(...color));
  }
  writeFileSync(join(folder, "hero.cfg"), "skeleton=two.csf\nmesh=set.cmf\nmaterial=b-green.crf\nmaterial=a-red.crf\n");
  return folder;
}

/** Returns whether the model is green, after the clip and the view are those of pictures. */
async function isGreen(tab) {
  await chooseClip(tab, -1);
  await press(tab, "Escape", "f");
  const { mean: [red, green] } = await measure(tab);
  assert.ok(Math.abs(red - green) > 50, `${red} and ${green}`);
  return green > red;
}

inPage("reads the order of Cal3D materials from the list beside them", async (tab) => {
  const folder = listed();
  const out = join(scratch, "listed.png");
  run("preview", folder, "-o", out, "--force", "--quiet");
  const { mean: [red, green] } = await measureImage(tab, readFileSync(out).toString("base64"));
  assert.ok(green > red + 50, "the picture of preview is green");
  const paths = readdirSync(folder).map((name) => join(folder, name));
  await drop(tab, paths.filter((path) => !path.endsWith(".cfg")));
  await settled(tab);
  assert.equal(await isGreen(tab), false, "without the list, the first material is the first by name");
  await drop(tab, paths.filter((path) => path.endsWith(".cfg")));
  await settled(tab);
  assert.equal(await isGreen(tab), true);
  assert.equal(await tab.locator(".file").count(), 4, "the list is not a file of the model");
});

inPage("keeps the order of Cal3D materials in a page of preview", async (tab) => {
  await settled(tab);
  assert.equal(await isGreen(tab), true);
}, {}, () => {
  const out = join(scratch, "listed.html");
  run("preview", listed(), "-o", out, "--viewer", viewer, "--force", "--quiet");
  return out;
});

inPage("blends a material as the text about it states", async (tab) => {
  const image = join(scratch, "cloth.png");
  run("preview", corpus("ms3d/tent.ms3d"), "-o", image, "--size", "64", "--force", "--quiet");
  const pictures = [];
  for (const mode of ["Opaque", "Additive", "Modulate"]) {
    const stated = { name: "cloth.props.txt", bytes: Buffer.from(`BlendMode = BLEND_${mode} (0)\n`) };
    await drop(tab, [corpus("psk/plane.psk"), image, stated]);
    await settled(tab);
    await press(tab, "Escape", "f");
    pictures.push(await picture(tab));
    await tab.locator(".file .close").dispatchEvent("click");
  }
  assert.equal(new Set(pictures).size, pictures.length);
});

inPage("shows a mesh with its clips, plays and scrubs", async (tab) => {
  await drop(tab, [corpus("psk/plane.psk"), corpus("psk/wave.psa")]);
  await settled(tab);
  assert.match(await text(tab, "#panel"), /Unreal mesh/);
  assert.match(await text(tab, "#stage-note"), /2 triangles · \d+ bones · 2 clips/);
  assert.deepEqual(await tab.locator("#clips .chip").allInnerTexts(), ["Bind pose", "Wave", "Grow"]);
  const start = await picture(tab);
  await tab.locator("#time").evaluate((input) => {
    input.value = input.max;
    input.dispatchEvent(new Event("input"));
  });
  await tab.waitForTimeout(200);
  assert.match(await text(tab, "#clock"), /0\.07 \/ 0\.07 s/);
  assert.notEqual(await picture(tab), start, "the last frame differs from the first one");
  await press(tab, "Escape");
  await tab.locator("#play").click();
  await tab.waitForFunction(() => document.querySelector("#play").getAttribute("aria-label") === "Pause");
  await tab.locator("#play").click();
  assert.equal(await tab.locator("#play").getAttribute("aria-label"), "Play");
  for (const look of ["clay", "normals", "uv", "colors", "weights", "lit"]) await tab.locator("#look").selectOption(look);
});

inPage("draws what is near of a model with bones and vertices at absurd places", async (tab) => {
  for (const [place, left] of [["chunks[5].records[1].position[0]", /1 bone\s+too far away/], ["chunks[1].records[1][1]", /1 triangle\s+too far away/]]) {
    const path = join(scratch, "far.psk");
    run("set", corpus("psk/plane.psk"), `${place}=1e35`, "-o", path, "--force");
    await drop(tab, [path]);
    await settled(tab);
    await tab.locator("#tab-model").click();
    assert.match(await text(tab, "#panel"), left);
    await tab.locator("#share").click();
    await message(tab, /^Copied/);
    const [, , radius, ...target] = new URLSearchParams(new URL(tab.url()).hash.slice(1)).get("view").split(",").map(Number);
    assert.ok(radius < 100 && target.every((own) => Math.abs(own) < 100), `the camera is ${radius} away from ${target}`);
    await tab.locator(".file .close").dispatchEvent("click");
    await tab.waitForSelector("#empty:not([hidden])");
  }
});

inPage("keeps the model in the view while a clip plays", async (tab) => {
  const character = (name) => join(root, "tests/character", name);
  for (const files of [[character("dragon.psk"), character("dragon.psa")], [corpus("directx/moving_cube.x")], [corpus("directx/scaling_cube.x")], [corpus("directx/rotating_cube.x")], [runner()]]) {
    await drop(tab, files);
    await settled(tab);
    for (let clip = 0; clip < (await tab.locator("#clips .chip").count()) - 1; clip++) {
      await chooseClip(tab, clip);
      for (let step = 0; step <= 10; step++) {
        await tab.locator("#time").evaluate((input, share) => {
          input.value = input.max * share;
          input.dispatchEvent(new Event("input"));
        }, step / 10);
        const { edge, share } = await measure(tab);
        assert.equal(edge, 0, `${files[0]}: clip ${clip} leaves the view at ${step} tenths`);
        assert.ok(share > 0.01, `${files[0]}: clip ${clip} covers ${share} of the view at ${step} tenths`);
      }
    }
    await tab.locator(files.length > 1 ? "#close-all" : ".file .close").dispatchEvent("click");
    await tab.waitForSelector("#empty:not([hidden])");
  }
});

/** Writes a model that runs many times its size. */
function runner() {
  const path = join(scratch, "runner.x");
  const text = readFileSync(corpus("directx/moving_cube.x"), "latin1").replace(/3; 0\.0+, (-?\d)\.0+, 0\.0+/g, (_, place) => `3; ${40 * place}, 0, ${-20 * place}`);
  writeFileSync(path, text, "latin1");
  return path;
}

inPage("connects bytes, fields, bones and vertices", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await press(tab, "Control+j");
  const map = run("map", corpus("ms3d/tent.ms3d"), "--format", "json").trim().split("\n").map((line) => JSON.parse(line));
  // A byte highlights its field.
  const field = map.find(({ path }) => path === "vertices[1].position.y" || path === "vertices[1].position[1]");
  await tab.locator(`.byte[data-at="${field.start + 1}"]`).hover();
  assert.equal(await text(tab, ".field.hover .path"), field.path);
  assert.equal(await tab.locator(".byte.hover").count(), field.end - field.start);
  // A field highlights its bytes.
  await tab.locator(".field").nth(1).hover();
  assert.equal(await tab.locator(".byte.hover").count(), map[1].end - map[1].start);
  // A bone selects its record.
  await tab.locator("#tree .node", { hasText: await text(tab, "#tree .node >> nth=2") }).first().click();
  await tab.waitForSelector(".byte.selected");
  const record = map.filter(({ path }) => path.startsWith("joints[1]."));
  assert.equal(await tab.locator(".byte.selected").first().getAttribute("data-at"), String(record[0].start));
  await atField(tab, "joints[1].name");
  // The name is not the first field of the record.
  const own = map.find(({ path }) => path === "joints[1].name");
  assert.ok(own.start > record[0].start);
  assert.match(await text(tab, "#where"), new RegExp(`^0x${own.start.toString(16).padStart(8, "0")} .*\\.name = `));
  // The bytes of a bone select the bone.
  await goTo(tab, "joints[0].rotation[0]");
  await tab.waitForFunction(() => document.querySelector(".node.selected .label").textContent === document.querySelectorAll(".node .label")[1].textContent);
  // A vertex selects its record, and its bytes mark the vertex.
  await tab.locator("#drawer-close").click();
  await tab.locator("#bones-on").click();
  const canvas = await tab.locator("#canvas").boundingBox();
  await tab.mouse.click(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
  await tab.waitForFunction(() => /^vertices\[\d+\]\.position/.test(document.querySelector("#field-path").textContent));
  const marked = await picture(tab);
  await goTo(tab, "vertices[2].position[0]");
  await atField(tab, "vertices[2].position[0]");
  await tab.waitForTimeout(200);
  assert.notEqual(await picture(tab), marked, "another vertex is marked");
  // An offset and a path select their fields.
  await goTo(tab, "animation.fps");
  await atField(tab, "animation.fps");
  await goTo(tab, "no.such.field");
  await tab.waitForFunction(() => document.querySelector("#goto-error").textContent.includes("no"));
  await goTo(tab, "animation.fps");
  await tab.waitForFunction(() => document.querySelector("#goto-error").textContent === "");
});

inPage("goes from a reference to its object, and back", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await goTo(tab, "vertices[4].bone_id");
  await atField(tab, "vertices[4].bone_id");
  await tab.locator('#refers-to button[title="joints[1]"]').click();
  await tab.waitForFunction(() => document.querySelector("#field-path").textContent.startsWith("joints[1]"));
  await tab.locator("#referred-to-by a, #referred-to-by button", { hasText: "vertices[4].bone_id" }).click();
  await atField(tab, "vertices[4].bone_id");
});

inPage("goes from a reference to the object of another file", async (tab) => {
  await drop(tab, [corpus("cal3d/two.csf"), corpus("cal3d/set.cmf"), corpus("cal3d/skin.crf")]);
  await settled(tab);
  await tab.locator(".file .open", { hasText: "set.cmf" }).click();
  await settled(tab);
  await goTo(tab, "submeshes[0].vertices[0].influences[1].bone_id");
  await atField(tab, "submeshes[0].vertices[0].influences[1].bone_id");
  const bone = await tab.locator("#tree .node .label").nth(2).innerText();
  await tab.locator("#refers-to button", { hasText: bone }).click();
  await tab.waitForFunction(() => document.title.startsWith("two.csf") && /^bones\[1\]/.test(document.querySelector("#field-path")?.textContent));
});

inPage("shows the paths of objects by their names", async (tab) => {
  await drop(tab, [corpus("psk/plane.psk"), corpus("psk/wave.psa")]);
  await settled(tab);
  // The records of a chunk are named by what they are; nothing is shown for unread bytes that are not there.
  const twist = (title) => tab.locator(`#tree .node[title$="${title}"] .twist`).click();
  const bones = tab.locator('#tree .node[title$="chunks[5]"]');
  await bones.waitFor();
  assert.equal(await bones.locator(".label").innerText(), "bones");
  await twist("chunks[5]");
  await tab.locator('#tree .node[title$="chunks[5].records[1]"]').waitFor();
  assert.equal(await tab.locator("#tree .node .label", { hasText: /^rest$/ }).count(), 0);
  await goTo(tab, 'bones["top"].parent_index');
  await atField(tab, "chunks[5].records[1].parent_index");
  assert.equal(await text(tab, ".friendly"), 'bones["top"].parent_index');
  await tab.locator("#refers-to button").click();
  await atField(tab, "chunks[5].records[0].name");
  assert.match(await text(tab, "#referred-to-by"), /bones\["top"\]\.parent_index/);
  await fillValue(tab, "pelvis");
  await tab.locator("#field-rename").click();
  await message(tab, /^Renamed/);
  await tab.locator("#tab-changes").click();
  assert.match(await text(tab, ".change >> nth=0"), /^bones\["root"\]\.name/);
  await tab.locator("#undo").click();
  await message(tab, /^Undone: bones\["root"\]\.name: root → pelvis/);
  // The places of findings are those of the command.
  await drop(tab, [corpus("psk/rules.psk")]);
  await settled(tab);
  await tab.locator("#tab-findings").click();
  await tab.locator("#panel details").evaluateAll((all) => all.forEach((own) => { own.open = true; }));
  const { stdout } = spawnSync(bindpose, ["check", corpus("psk/rules.psk"), "--format", "json"], { encoding: "utf8" });
  const found = stdout.trim().split("\n").map((line) => JSON.parse(line)).filter(({ rule }) => rule);
  const expected = found.map(({ field, object }) => (object ?? field) || "The file").toSorted();
  assert.deepEqual((await tab.locator(".finding .place").allInnerTexts()).toSorted(), expected);
});

inPage("draws bones and the ground in the colours of the theme", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  const light = await picture(tab);
  await tab.locator("#theme").click();
  assert.notEqual(await picture(tab), light);
  await tab.locator("#theme").click();
  assert.equal(await picture(tab), light);
  // The ground is a grid and a soft shadow.
  const shades = () => tab.locator("#canvas").evaluate((canvas) => {
    const { width, height } = canvas;
    const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
    context.drawImage(canvas, 0, 0);
    // The axes are above.
    return new Set(context.getImageData(0, height >> 1, width, height >> 1).data.filter((_, at) => at % 4 === 3)).size;
  });
  await press(tab, "Escape", "b");
  await tab.waitForTimeout(200);
  const withGround = await shades();
  await press(tab, "g");
  await tab.waitForTimeout(200);
  const without = await shades();
  assert.ok(withGround > without + 15, `${withGround} degrees of opacity with the ground, ${without} without`);
  // Nothing throws no shadow, before another background, too.
  await press(tab, "g");
  await tab.evaluate(() => { location.hash = "#background=%23ffffff"; });
  await settled(tab);
  for (const eye of await tab.locator("#tree .eye").all()) await eye.click();
  await tab.waitForTimeout(300);
  const dark = await tab.locator("#canvas").evaluate((canvas) => {
    const { width, height } = canvas;
    const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
    context.drawImage(canvas, 0, 0);
    return context.getImageData(0, 0, width, height).data.filter((own, at) => at % 4 === 0 && own < 190).length / (width * height);
  });
  assert.ok(dark < 0.1, `${dark} of the pixels are dark`);
});

inPage("keeps what is selected in the model through an edit, and forgets it with the model", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  const plain = await picture(tab);
  await tab.locator("#tree .node").nth(1).click();
  await atField(tab, "joints[0].name");
  const chosen = await picture(tab);
  assert.notEqual(chosen, plain);
  await fillValue(tab, "hips");
  await tab.locator("#field-rename").click();
  await message(tab, /^Renamed/);
  await settled(tab);
  await press(tab, "Escape");
  await tab.waitForTimeout(300);
  assert.equal(await picture(tab), chosen);
  await drop(tab, [corpus("psk/plane.psk"), { name: "none.psk", bytes: Buffer.from("hello worl") }]);
  await tab.waitForFunction(() => document.title.startsWith("plane.psk") && /^2 triangles/.test(document.querySelector("#stage-note").textContent));
  await tab.waitForFunction(() => !document.querySelector("#tree .node.selected"));
  await tab.locator("#table-open").click();
  await tab.waitForFunction(() => /Undecodable/.test(document.querySelector("#table-rows").textContent));
  assert.deepEqual(await cutCells(tab), []);
  // Other files are seen by their summary first.
  await tab.locator("#table-close").click();
  await tab.locator("#tab-changes").click();
  await tab.locator("#close-all").click();
  await tab.locator("#ask-yes").click();
  await tab.waitForFunction(() => document.title === "bindpose viewer");
  await drop(tab, [corpus("psk/plane.psk")]);
  await tab.waitForFunction(() => document.querySelector("#tab-summary").getAttribute("aria-selected") === "true");
});

inPage("edits, undoes, reverts and saves", async (tab) => {
  const original = corpus("ms3d/tent.ms3d");
  await drop(tab, [original]);
  await settled(tab);
  await goTo(tab, "animation.fps");
  await atField(tab, "animation.fps");
  await fillValue(tab, "fast");
  await tab.locator("#field-set").click();
  await tab.waitForFunction(() => document.querySelector("#field-error").textContent.length > 0);
  await fillValue(tab, "30");
  await tab.locator("#field-set").click();
  await tab.waitForSelector(".byte.changed");
  const changed = await tab.locator(".byte.changed").evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.at)));
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#download").click()]);
  assert.equal(saved.suggestedFilename(), "tent.ms3d");
  const path = join(scratch, "edited.ms3d");
  await saved.saveAs(path);
  // What is saved can be closed without a question.
  await message(tab, /^Downloaded tent\.ms3d/);
  assert.equal(await tab.locator(".file .edited").count(), 0);
  assert.equal(await isAskedFor(tab), false);
  const [before, after] = [readFileSync(original), readFileSync(path)];
  const differing = [...after.keys()].filter((at) => before[at] !== after[at]);
  assert.deepEqual(differing, changed, "the highlighted bytes are those that differ");
  assert.equal(run("get", path, "animation.fps").trim(), "30.0");
  assert.match(run("roundtrip", path), /lossless/i);
  await tab.locator("#tab-changes").click();
  assert.match(await text(tab, ".change"), /animation\.fps[\s\S]*→ 30/);
  await tab.locator("#tab-summary").focus();
  await press(tab, "Control+z");
  await message(tab, /^Undone: animation\.fps/);
  assert.equal(await isAskedFor(tab), false, "nothing is changed");
  await tab.waitForFunction(() => !document.querySelector(".byte.changed") && document.querySelector("#download").hidden);
  await press(tab, "Control+y");
  await message(tab, /^Done again/);
  await tab.waitForSelector(".byte.changed");
  assert.equal(await isAskedFor(tab), false, "this state is saved");
  await tab.locator("#tab-selection").click();
  await fillValue(tab, "31");
  await tab.locator("#field-set").click();
  await tab.waitForSelector(".file .edited");
  assert.equal(await isAskedFor(tab), true);
  await tab.locator(".file.active .close").click();
  assert.equal(await text(tab, "#ask .primary"), "Keep");
  await tab.locator("#ask .primary").click();
  await tab.locator("#tab-changes").click();
  await tab.locator("#revert").click();
  await tab.waitForFunction(() => !document.querySelector(".byte.changed") && document.querySelector("#download").hidden);
});

/** Returns whether the page asks before it is left. */
const isAskedFor = (tab) => tab.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })));

inPage("warns of a name that breaks references, and renames them instead", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  const child = run("map", corpus("ms3d/tent.ms3d"), "--format", "json").trim().split("\n").map((line) => JSON.parse(line)).find(({ path, value }) => /parent_name/.test(path) && value);
  assert.ok(child);
  await goTo(tab, "joints[0].name");
  await atField(tab, "joints[0].name");
  await fillValue(tab, "hips");
  await tab.locator("#field-set").click();
  await message(tab, /causes warning ms3d\/unknown-parent/);
  await tab.locator("#message-act").click();
  await message(tab, /^Renamed with \d+ reference/);
  await tab.locator("#tab-changes").click();
  await tab.waitForFunction(() => document.querySelectorAll(".change").length === 1);
  // Edits are not lost without a question.
  await tab.locator(".file.active .close").click();
  await tab.waitForSelector("#ask[open]");
  await tab.locator("#ask button[value=no]").click();
  assert.equal(await tab.locator(".file").count(), 1);
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#download").click()]);
  const path = join(scratch, "renamed.ms3d");
  await saved.saveAs(path);
  const expected = join(scratch, "expected.ms3d");
  const old = run("get", corpus("ms3d/tent.ms3d"), "joints[0].name").trim();
  run("rename", corpus("ms3d/tent.ms3d"), "--bone", `${old}=hips`, "-o", expected, "--force");
  assert.deepEqual(readFileSync(path), readFileSync(expected));
  await tab.locator(".file.active .close").click();
  await tab.waitForSelector("#empty:not([hidden])");
});

inPage("shows each file by itself, and closes files", async (tab) => {
  await tab.locator("#samples button").first().click();
  await settled(tab);
  assert.match(await text(tab, "#stage-note"), /480 triangles · 7 bones · 2 clips/);
  await tab.locator("#tab-model").click();
  assert.match(await text(tab, "#panel"), /skin\.bmp by the name of the material/);
  await drop(tab, [corpus("ms3d/tent.ms3d"), corpus("psk/plane.psk"), corpus("psk/wave.psa")]);
  await settled(tab);
  const titles = async () => (await tab.locator(".file .title").allInnerTexts()).map((name) => name.trim());
  assert.deepEqual(await titles(), ["tent.ms3d", "plane.psk", "wave.psa"]);
  const tent = await text(tab, "#stage-note");
  await tab.locator(".file .open", { hasText: "plane.psk" }).click();
  await tab.waitForFunction((tent) => document.querySelector("#stage-note").textContent !== tent, tent);
  assert.match(await text(tab, "#stage-note"), /^2 triangles/);
  assert.deepEqual(await tab.locator(".file.inset .title").allInnerTexts(), ["plane.psk", "wave.psa"]);
  await press(tab, "[");
  await tab.waitForFunction((tent) => document.querySelector("#stage-note").textContent === tent, tent);
  assert.equal(await tab.title(), "tent.ms3d – bindpose viewer");
  await tab.locator("#close-all").click();
  await tab.waitForSelector("#empty:not([hidden])");
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
});

inPage("lists an archive of many files as a table", async (tab) => {
  const bytes = readFileSync(corpus("ms3d/tent.ms3d"));
  const many = Array.from({ length: 300 }, (_, at) => ({ name: `models/tent${at}.ms3d`, bytes }));
  await drop(tab, [{ name: "game.zip", bytes: zip([...many, { name: "readme.txt", bytes: Buffer.from("notes") }]) }]);
  await tab.waitForSelector("#table:not([hidden])");
  await tab.waitForFunction(() => document.querySelector("#table-title").textContent === "300 of 300 files");
  await message(tab, /^Skipped 1 file of other formats: readme\.txt/);
  await tab.waitForSelector("#table-rows .thumbnail[src^=blob]");
  // The background of the pictures is transparent.
  const corner = await tab.locator("#table-rows .thumbnail[src^=blob]").first().evaluate(async (image) => {
    await image.decode();
    const context = document.createElement("canvas").getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, 1, 1).data[3];
  });
  assert.equal(corner, 0);
  await tab.locator("#table-head button", { hasText: "File" }).click();
  await tab.locator("#table-filter").fill("tent29");
  await tab.waitForFunction(() => document.querySelectorAll("#table-rows .link").length === 11);
  await tab.locator("#table-rows .link").last().click();
  await settled(tab);
  assert.match(await text(tab, "#stage-note"), /triangle/);
  // The next file is that of the table.
  await tab.locator("#table-open").click();
  await tab.locator("#table-filter").fill("tent10");
  await tab.locator("#table-head button", { hasText: "File" }).click();
  assert.equal(await tab.locator("#table-head [data-name=name]").getAttribute("aria-sort"), "descending");
  await tab.locator("#table-rows .link", { hasText: "tent101." }).click();
  await settled(tab);
  await press(tab, "]");
  await tab.waitForFunction(() => document.title.startsWith("tent100.ms3d"));
  await press(tab, "]");
  await tab.waitForFunction(() => document.title.startsWith("tent10.ms3d"));
  await press(tab, "Control+k");
  await tab.locator("#search-input").fill("tent150");
  await tab.waitForSelector("#result-0");
  await press(tab, "Enter");
  await tab.waitForFunction(() => document.title.startsWith("tent150.ms3d"));
});

inPage("opens a folder of one character as a model", async (tab) => {
  const materials = Array.from({ length: 20 }, (_, at) => ({ name: `hero/skin${at}.crf`, bytes: readFileSync(corpus("cal3d/skin.crf")) }));
  const files = ["two.csf", "set.cmf", "walk.caf"].map((name) => ({ name: `hero/${name}`, bytes: readFileSync(corpus(`cal3d/${name}`)) }));
  await drop(tab, [{ name: "hero.zip", bytes: zip([...materials, ...files]) }]);
  await settled(tab);
  assert.ok(await tab.locator("#table").isHidden());
  assert.match(await tab.title(), /^set\.cmf/);
  assert.equal(await tab.locator(".file.inset").count(), 23);
});

inPage("keeps a thousand files fluent", async (tab) => {
  const bytes = readFileSync(corpus("ms3d/tent.ms3d"));
  const many = Array.from({ length: 1000 }, (_, at) => ({ name: `models/tent${at}.ms3d`, bytes }));
  const inner = zip([{ name: "deep/last.ms3d", bytes }]);
  await drop(tab, [{ name: "game.zip", bytes: zip([...many, { name: "z.zip", bytes: inner }]) }]);
  await tab.waitForFunction(() => document.querySelector("#table-title").textContent === "1,001 of 1,001 files");
  const title = () => tab.locator("#table-rows .link").first().innerText();
  assert.match(await title(), /models\/tent0\.ms3d$/, "numbers are sorted by their value");
  const steps = {
    open: () => {},
    sort: () => tab.locator("#table-head button", { hasText: "Size" }).click(),
    filter: () => tab.locator("#table-filter").fill("tent"),
    all: () => tab.locator("#table-filter").fill(""),
    scroll: () => tab.locator("#table-view").evaluate((view) => { view.scrollTop = 20_000; }),
  };
  for (const [step, act] of Object.entries(steps)) {
    await act();
    await tab.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
    const rows = await tab.locator("#table-rows tr").count();
    assert.ok(rows > 0 && rows < 60, `${step}: ${rows} rows, and not only those around the visible ones`);
  }
  await tab.locator("#table-filter").fill("deep/last");
  assert.equal(await title(), "game.zip/z.zip/deep/last.ms3d");
  await tab.locator("#table-rows .link").click();
  await settled(tab);
  assert.match(await text(tab, "#stage-note"), /triangle/);
});

inPage("adds the animations of a mesh that are read later", async (tab) => {
  const tent = readFileSync(corpus("ms3d/tent.ms3d"));
  const files = [{ name: "a/a.psk", bytes: readFileSync(corpus("psk/plane.psk")) }, ...Array.from({ length: 80 }, (_, at) => ({ name: `b/tent${at}.ms3d`, bytes: tent })),
    { name: "c/wave.psa", bytes: readFileSync(corpus("psk/wave.psa")) }];
  await drop(tab, [{ name: "game.zip", bytes: zip(files) }]);
  await tab.waitForFunction(() => /^2 triangles · .* · 2 clips/.test(document.querySelector("#stage-note").textContent));
});

inPage("renames a bone in all files of a set", async (tab) => {
  const set = [corpus("psk/plane.psk"), corpus("psk/wave.psa")];
  await drop(tab, set);
  await settled(tab);
  await goTo(tab, "chunks[5].records[0].name");
  await atField(tab, "chunks[5].records[0].name");
  const old = run("get", set[0], "chunks[5].records[0].name").trim();
  await fillValue(tab, "pelvis");
  await tab.locator("#field-rename").click();
  await message(tab, /^Renamed.* in 1 other file of the set/);
  const expected = join(scratch, "renamed-set");
  run("rename", ...set, "--bone", `${old}=pelvis`, "--out-dir", expected, "--force");
  assert.equal(await tab.locator(".file .edited").count(), 2);
  // Whichever file is shown, the changes of all are listed and saved.
  for (const [at, [name, other]] of [["plane.psk", "wave.psa"], ["wave.psa", "plane.psk"]].entries()) {
    await tab.locator(".file .open").nth(at).click();
    await tab.waitForFunction((name) => document.title.startsWith(name), name);
    await settled(tab);
    await tab.locator("#tab-changes").click();
    assert.match(await text(tab, "#panel"), new RegExp(`1 change in ${name}[\\s\\S]*→ pelvis[\\s\\S]*1 change in ${other}[\\s\\S]*→ pelvis`));
    for (const button of ["#download", "#panel .primary"]) {
      assert.deepEqual([...(await downloadSet(tab, button))], ["plane.psk", "wave.psa"].map((own) => [own, readFileSync(join(expected, own))]));
      await message(tab, new RegExp(`^Downloaded ${name.split(".")[0]}\\.zip with plane\\.psk, wave\\.psa`));
    }
  }
  assert.equal(await tab.locator(".file .edited").count(), 0);
  await tab.evaluate(() => { navigator.clipboard.writeText = (copied) => { document.body.dataset.copied = copied; }; });
  await tab.locator("#copy-command").click();
  assert.equal(await tab.locator("body").getAttribute("data-copied"), `bindpose rename plane.psk wave.psa --bone ${old}=pelvis --in-place`);
  await tab.locator("#undo").click();
  await message(tab, /^Undone/);
  await tab.waitForFunction(() => document.querySelector("#download").hidden);
  await tab.locator("#redo").click();
  await message(tab, /^Done again/);
  await tab.locator("#revert").click();
  await tab.waitForFunction(() => document.querySelector("#download").hidden && document.querySelector("#tab-changes").textContent === "Changes");
});

inPage("keeps the unit and the up axis of each set", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d"), corpus("psk/plane.psk")]);
  await settled(tab);
  const open = async (name, note) => {
    await tab.locator(".file .open", { hasText: name }).click();
    await tab.waitForFunction((source) => new RegExp(source).test(document.querySelector("#stage-note").textContent), note);
  };
  await open("plane.psk", "^2 triangles.* m$");
  await open("tent.ms3d", "units$");
  await tab.locator("#more summary").click();
  await tab.locator("#unit").selectOption("0.01");
  await tab.waitForFunction(() => / m$/.test(document.querySelector("#stage-note").textContent));
  await press(tab, "Escape");
  await open("plane.psk", "^2 triangles");
  assert.equal(await tab.locator("#unit").inputValue(), "");
  await open("tent.ms3d", "^(?!2 ).* m$");
  assert.equal(await tab.locator("#unit").inputValue(), "0.01");
});

inPage("decodes names in the encoding that is chosen", async (tab) => {
  const path = join(scratch, "japanese.ms3d");
  run("set", corpus("ms3d/tent.ms3d"), String.raw`joints[0].name=\x93\xaa`, "-o", path, "--force");
  await drop(tab, [path]);
  await settled(tab);
  const name = () => text(tab, "#tree .node .label >> nth=1");
  assert.equal(await name(), String.raw`\x93\xaa`);
  await tab.locator("#more summary").click();
  await tab.locator("#names").selectOption("shift_jis");
  await tab.waitForFunction(() => document.querySelectorAll("#tree .node .label")[1].textContent === "頭");
  // A bone is found by its bytes still.
  await tab.locator("#tree .node .label >> nth=1").click();
  await atField(tab, "joints[0].name");
});

inPage("lists the attachments of bones", async (tab) => {
  await drop(tab, [corpus("psk/morphs.pskx")]);
  await settled(tab);
  await tab.locator("#tree .node", { hasText: "Attachments" }).waitFor();
});

inPage("keeps hidden meshes and morph targets when another file of the set is shown", async (tab) => {
  const morphs = readFileSync(corpus("psk/morphs.pskx"));
  await drop(tab, [{ name: "morphs.pskx", bytes: morphs }, corpus("psk/wave.psa")]);
  await settled(tab);
  await tab.locator("#tab-model").click();
  await tab.locator(".morph input").first().evaluate((input) => { input.value = 0.75; input.dispatchEvent(new Event("input")); });
  const row = tab.locator("#tree .node", { has: tab.locator(".eye") }).first();
  await row.locator(".eye").click();
  assert.equal(await row.locator(".eye.on").count(), 0);
  // The first vertex of a mesh shows where it comes from.
  await row.locator(".label").click();
  await tab.waitForFunction(() => /^chunks\[\d+\]\.records\[0\]/.test(document.querySelector("#field-path")?.textContent));
  await tab.locator("#tab-model").click();
  await tab.evaluate(() => document.querySelector("#names").dispatchEvent(new Event("change")));
  await tab.locator("#tab-summary").click();
  await tab.locator("#tab-model").click();
  assert.equal(await tab.locator(".morph input").first().inputValue(), "0.75");
  assert.equal(await row.locator(".eye.on").count(), 0);
});

inPage("scales the files of a set as the command does", async (tab) => {
  const set = [corpus("psk/plane.psk"), corpus("psk/wave.psa")];
  await drop(tab, set);
  await settled(tab);
  await tab.locator("#tab-model").click();
  await tab.locator("#scale").fill("-2");
  await tab.locator("#transform button").click();
  await tab.waitForFunction(() => /positive number/.test(document.querySelector("#panel").textContent));
  assert.equal(await tab.locator(".file .edited").count(), 0);
  await tab.locator("#scale").fill("2.5");
  await tab.locator("#transform button").click();
  await tab.waitForFunction(() => document.querySelectorAll(".file .edited").length === 2);
  const downloaded = await downloadSet(tab);
  run("transform", set[0], "--scale", "2.5", "-o", join(scratch, "expected.psk"), "--force");
  assert.deepEqual(downloaded.get("plane.psk"), readFileSync(join(scratch, "expected.psk")));
  await tab.locator("#undo").click();
  await message(tab, /^Undone: the model: scale 2\.5/);
  await tab.waitForFunction(() => !document.querySelector(".file .edited"));
});

inPage("compares a file with its state before the changes, and shows both models from the same place", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d"), corpus("ms3d/crowd.ms3d")]);
  await settled(tab);
  await goTo(tab, "joints[0].position[1]");
  await atField(tab, "joints[0].position[1]");
  await fillValue(tab, "5");
  await tab.locator("#field-set").click();
  await tab.waitForSelector(".file .edited");
  await tab.locator("#pane-diff").click();
  await tab.locator("#diff-with").selectOption({ label: "the file before its changes" });
  await tab.waitForSelector("#diff-list .node");
  assert.match(await text(tab, "#diff-list .node"), /joints.*position[\s\S]* → 5\.0/);
  await tab.locator("#undo").click();
  await tab.waitForFunction(() => !document.querySelector("#diff-list .node"));
  // Many differences are a tree.
  await tab.locator("#diff-with").selectOption({ label: "crowd.ms3d" });
  await tab.waitForSelector("#diff-list .node[aria-expanded]");
  await tab.locator("#tab-summary").click();
  await press(tab, "f");
  const alone = await measure(tab);
  await tab.locator("#diff-models").click();
  await tab.waitForFunction(() => document.querySelector("#other-note").textContent === "crowd.ms3d");
  await tab.waitForTimeout(300);
  const both = await measure(tab);
  assert.ok(both.share > alone.share / 2, `the model covers ${both.share} of the stage, ${alone.share} before`);
});

for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) {
  inPage(`has room for the model at ${width} x ${height}`, async (tab) => {
    const isPhone = width < 760;
    assert.deepEqual(await violations(tab), [], "the start page");
    await drop(tab, [corpus("psk/plane.psk"), corpus("psk/wave.psa")]);
    await settled(tab);
    const share = async () => (await tab.locator("#stage").boundingBox()).height / height;
    assert.ok((await share()) >= (isPhone ? 0.5 : 0.65), `${await share()}`);
    if (!isPhone) await press(tab, "Control+j");
    assert.ok((await share()) >= (isPhone ? 0.5 : 0.65), `${await share()} with the bytes`);
    await tab.evaluate(() => { document.querySelector("#tab-selection").click(); });
    if (isPhone) await tab.locator("#phone [data-sheet=side]").click();
    await tab.locator("#tree .node").nth(1).click();
    if (isPhone) await tab.locator("#phone [data-sheet=details]").click();
    await fillValue(tab, "pelvis");
    await tab.locator("#field-rename").click();
    await message(tab, /^Renamed/);
    assert.ok(await tab.locator("#message").evaluate((own) => own.getBoundingClientRect().top >= 0), "the message is visible");
    // Nothing is wider than its place.
    const wide = await tab.evaluate(() => ["html", "header", ".toolbar", ".timeline", "#tabs", "#side .head", ".bar"].filter((own) => {
      const element = document.querySelector(own);
      return element.getClientRects().length && element.scrollWidth > element.clientWidth + 1;
    }));
    assert.deepEqual(wide, []);
    assert.ok(await tab.locator("#share").isVisible());
    assert.deepEqual(await violations(tab), []);
    // Another clip is in the view, too.
    await chooseClip(tab, -1);
    const still = await measure(tab);
    await chooseClip(tab, 1);
    const { share: posed } = await measure(tab);
    assert.ok(posed >= 0.15 && still.share >= 0.15, `the model covers ${still.share}, and ${posed} of the stage in a clip`);
    if (isPhone) return;
    // The height of the bytes can be changed and is remembered.
    await tab.locator("#drawer-size").focus();
    await press(tab, "ArrowUp", "ArrowUp");
    const own = await tab.locator("#drawer").evaluate(({ offsetHeight }) => offsetHeight);
    await tab.evaluate(() => { document.querySelector("#undo").click(); });
    await message(tab, /^Undone/);
    await tab.evaluate(() => location.reload());
    await tab.waitForSelector("html[data-ready]", { state: "attached" });
    await drop(tab, [corpus("psk/plane.psk")]);
    await settled(tab);
    assert.equal(await tab.locator("#drawer").evaluate(({ offsetHeight }) => offsetHeight), own);
  }, { viewport: { width, height }, bypassCSP: true, ...(width < 760 && { hasTouch: true, isMobile: true }) });
}

for (const [width, height] of [[1280, 800], [900, 600], [768, 1024], [844, 390]]) {
  inPage(`has all tools of the model in reach at ${width} x ${height}`, async (tab) => {
    await drop(tab, [corpus("psk/plane.psk"), corpus("psk/wave.psa")]);
    await settled(tab);
    const hidden = await tab.evaluate(() => [...document.querySelectorAll("#view :is(.timeline, .toolbar) :is(button, select, input, summary)")].filter((tool) => tool.checkVisibility() && tool.closest(".menu") === null).filter((tool) => {
      const { left, right, top, bottom } = tool.getBoundingClientRect();
      return [left + 2, right - 2].some((x) => !tool.contains(document.elementFromPoint(x, (top + bottom) / 2)));
    }).map(({ id }) => id));
    assert.deepEqual(hidden, []);
    assert.ok((await tab.locator("#stage").boundingBox()).height > 0.4 * height, "the model has room");
  }, { viewport: { width, height } });
}

inPage("searches names, paths, bytes and text, and compares files", async (tab) => {
  const edited = join(scratch, "other.ms3d");
  run("set", corpus("ms3d/tent.ms3d"), "animation.fps=31", "-o", edited, "--force");
  await drop(tab, [corpus("ms3d/tent.ms3d"), edited]);
  await settled(tab);
  for (const [query, detail] of [["animation.fps", /path/], ['"ms3d000"', /bytes/], ["4d 53 33 44", /bytes/], ["0x10", /offset/]]) {
    await press(tab, "Control+k");
    await tab.locator("#search-input").fill(query);
    await tab.waitForFunction((source) => new RegExp(source).test(document.querySelector("#result-0 .note")?.textContent), detail.source);
    await press(tab, "Enter");
    await tab.waitForSelector("#search:not([open])", { state: "attached" });
  }
  await press(tab, "Control+j");
  if (await tab.locator("#drawer").isHidden()) await press(tab, "Control+j");
  await tab.locator("#pane-diff").click();
  await tab.waitForFunction(() => document.querySelectorAll("#diff-with option").length === 2);
  await tab.locator("#diff-with").selectOption({ index: 1 });
  await tab.waitForSelector("#diff-list .node");
  // The values lead from the chosen file to the shown one.
  assert.match(await text(tab, "#diff-list .node"), /animation\.fps[\s\S]*31(\.0)? → (?!31)/);
  assert.match(await text(tab, "#diff-head"), /^other\.ms3d → tent\.ms3d/);
  assert.equal(await tab.locator("#diff-list .node").count(), 1);
  // Both models turn together.
  await tab.locator("#diff-models").click();
  await tab.waitForFunction(() => document.querySelector("#other-note").textContent);
  await tab.waitForTimeout(300);
  assert.deepEqual([await text(tab, "#own-note"), await text(tab, "#other-note")], ["tent.ms3d", "other.ms3d"]);
  const still = await picture(tab, "#other-canvas");
  await tab.locator("#canvas").focus();
  await press(tab, "ArrowLeft");
  await tab.waitForTimeout(300);
  assert.notEqual(await picture(tab, "#other-canvas"), still);
  // The comparison ends with another file, which can be compared with others.
  await press(tab, "]");
  await tab.waitForSelector("#other-stage", { state: "hidden" });
  await tab.waitForFunction(() => document.querySelector("#diff-with option:nth-child(2)")?.textContent === "tent.ms3d");
  assert.equal(await tab.locator("#diff-with").inputValue(), "");
  assert.equal(await tab.locator("#diff-list .node").count(), 0);
  assert.equal(await text(tab, "#diff-note"), "");
  // It ends with the closed file, too.
  await tab.locator("#diff-with").selectOption({ label: "tent.ms3d" });
  await tab.waitForSelector("#diff-list .node");
  await tab.locator(".file", { hasText: "tent.ms3d" }).locator(".close").dispatchEvent("click");
  await tab.waitForFunction(() => document.querySelectorAll(".file").length === 1 && !document.querySelector("#diff-list .node"));
  assert.deepEqual(await tab.locator("#diff-with option").allInnerTexts(), ["No file"]);
  assert.equal(await text(tab, "#diff-head"), "");
});

inPage("compares two models in their only clips, whatever their names", async (tab) => {
  const turn = (name) => readFileSync(corpus("directx/rotating_cube.x"), "latin1").replace(/AnimationSet\s+\w*\s*\{/, `AnimationSet ${name} {`);
  await drop(tab, ["one", "two"].map((name) => ({ name: `${name}.x`, bytes: Buffer.from(turn(name), "latin1") })));
  await settled(tab);
  await press(tab, "b", "g", "Control+j");
  if (await tab.locator("#drawer").isHidden()) await press(tab, "Control+j");
  await tab.locator("#pane-diff").click();
  await tab.locator("#diff-with").selectOption({ index: 1 });
  await tab.waitForFunction(() => document.querySelector("#diff-note").textContent);
  await tab.locator("#diff-models").click();
  await tab.waitForFunction(() => document.querySelector("#other-note").textContent);
  const poses = new Set();
  for (const share of [0, 0.3]) {
    await tab.locator("#time").evaluate((input, at) => {
      input.value = input.max * at;
      input.dispatchEvent(new Event("input"));
    }, share);
    await tab.waitForTimeout(300);
    poses.add(await picture(tab, "#other-canvas"));
  }
  assert.equal(poses.size, 2);
});

inPage("finds values before other fields of an object", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await press(tab, "Control+k");
  await tab.locator("#search-input").fill("root");
  await tab.waitForFunction(() => [...document.querySelectorAll(".result .label")].some(({ textContent }) => textContent.startsWith('joints["root"].flags')));
  const labels = await tab.locator(".result .label").allInnerTexts();
  const at = (label) => labels.findIndex((own) => own.startsWith(label));
  assert.ok(at('joints["top"].parent_name = root') >= 0 && at('joints["top"].parent_name = root') < at('joints["root"].flags'), labels.join("\n"));
});

inPage("finds fields in parts of the tree that are not open", async (tab) => {
  for (const [file, query, title, path] of [
    ["ms3d/tent.ms3d", "animation.fps", "animation.fps", "animation.fps"], ["psk/plane.psk", "bone_index", "bone_index", "chunks[6].records[0].bone_index"],
    ["directx/moving_cube.x", "-4.000000", "AnimationKey[0]", null], ["cal3d/light.xsf", "numchilds", "BONE", null],
  ]) {
    await drop(tab, [corpus(file)]);
    await settled(tab);
    await tab.locator("#tree-filter").fill(query);
    const row = tab.locator(`#tree .node[title*="${title}"]`).first();
    await row.waitFor();
    await row.click();
    if (path) await atField(tab, path);
    else await tab.waitForFunction(() => document.querySelector("#field-path")?.textContent);
    await press(tab, "Control+k");
    await tab.locator("#search-input").fill(query);
    await tab.waitForFunction(() => [...document.querySelectorAll(".result .note")].some(({ textContent }) => /^field, 0x/.test(textContent)));
    await press(tab, "Escape");
    await tab.locator("#tree-filter").fill("");
  }
});

inPage("shows the bones of a vertex, and the vertices of a bone", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await tab.locator("#bones-on").click();
  const canvas = await tab.locator("#canvas").boundingBox();
  await tab.mouse.click(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
  await tab.waitForSelector(".influence");
  const shares = await tab.locator(".influence .note").allInnerTexts();
  assert.ok(Math.abs(shares.reduce((sum, share) => sum + parseFloat(share), 0) - 100) < 0.2, shares.join(" "));
  await tab.locator(".influence .link").first().click();
  await tab.waitForFunction(() => /^[1-9]\d* vertices/.test(document.querySelector("#panel h2 + .note")?.textContent));
  await tab.locator("#panel button", { hasText: "Show its weights" }).click();
  assert.equal(await tab.locator("#look").inputValue(), "weights");
});

/** Returns the numbers of vertices that the shown bone moves, and of those that it moves alone. */
const movedBy = async (tab) => (await text(tab, "#panel h2:has-text('Moves') + .note")).match(/\d+/g).map(Number);

inPage("counts the vertices of the file that a bone moves", async (tab) => {
  // The triangles of this file have two materials.
  const path = corpus("ms3d/tent.ms3d");
  const values = run("map", path, "--format", "json").trim().split("\n").map((line) => JSON.parse(line));
  const ids = values.filter(({ path: own }) => /^vertices\[\d+\]\.bone_id$/.test(own)).map(({ value }) => Number(value));
  const used = new Set(values.filter(({ path: own }) => /^triangles\[\d+\]\.vertex_indices\[/.test(own)).map(({ value }) => Number(value)));
  await drop(tab, [path]);
  await settled(tab);
  for (const bone of new Set(ids.filter((id) => id >= 0))) {
    await goTo(tab, `joints[${bone}].name`);
    await atField(tab, `joints[${bone}].name`);
    await tab.waitForSelector("#panel h2:has-text('Moves')");
    assert.equal((await movedBy(tab))[0], ids.filter((id, vertex) => id === bone && used.has(vertex)).length, `bone ${bone}`);
  }
});

inPage("forgets a bone when an object of another kind is selected", async (tab) => {
  await drop(tab, [corpus("psk/plane.psk"), corpus("psk/wave.psa")]);
  await settled(tab);
  const [unmarked, empty] = [await picture(tab), await picture(tab, "#ticks")];
  await tab.locator("#tree .node").nth(1).click();
  await tab.waitForSelector("#panel h2:has-text('Moves')");
  assert.notEqual(await picture(tab, "#ticks"), empty);
  assert.notEqual(await picture(tab), unmarked);
  await tab.locator("#tree .node", { hasText: "Materials" }).first().scrollIntoViewIfNeeded();
  const material = await tab.locator("#tree .node .label").allInnerTexts().then((labels) => labels.indexOf("Materials") + 1);
  await tab.locator("#tree .node").nth(material).click();
  await tab.waitForFunction(() => !/bones/.test(document.querySelector(".friendly")?.textContent ?? "bones"));
  await tab.waitForTimeout(300);
  assert.doesNotMatch(await text(tab, "#panel"), /Moves/);
  assert.equal(await picture(tab, "#ticks"), empty);
  assert.equal(await picture(tab), unmarked);
});

inPage("says what a look cannot show", async (tab) => {
  const notes = async (file) => {
    await drop(tab, [corpus(file)]);
    await settled(tab);
    const found = [];
    for (const look of ["colors", "weights", "lit"]) {
      await tab.locator("#look").selectOption(look);
      found.push(await tab.locator("#look-note").textContent());
    }
    return found;
  };
  assert.deepEqual(await notes("ms3d/tent.ms3d"), ["The model has no vertex colours.", "Select a bone to see its weights.", ""]);
  await tab.locator("#look").selectOption("weights");
  await tab.locator("#tree .node").nth(1).click();
  await tab.waitForFunction(() => !document.querySelector("#look-note").textContent);
  await tab.locator(".file .close").dispatchEvent("click");
  assert.deepEqual(await notes("psk/colored.psk").then(([colors]) => colors), "");
});

inPage("sets the parts of a point at once", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await goTo(tab, "vertices[1].position[0]");
  await tab.waitForSelector(".components");
  const inputs = tab.locator(".components input");
  for (const [at, value] of ["1.5", "2.5", "-3"].entries()) await inputs.nth(at).fill(value);
  await tab.locator(".components button").click();
  await tab.waitForSelector(".byte.changed");
  await tab.locator("#tab-changes").click();
  assert.equal(await tab.locator(".change").count(), 1);
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#download").click()]);
  const path = join(scratch, "moved.ms3d");
  await saved.saveAs(path);
  assert.deepEqual(run("get", path, "vertices[1].position").trim().split(/\s+/).map((text) => parseFloat(text.split("=").pop())), [1.5, 2.5, -3]);
  await press(tab, "Escape");
  await tab.locator("#undo").click();
  await message(tab, /^Undone: vertices\[1\]\.position/);
  await tab.waitForFunction(() => !document.querySelector(".byte.changed"));
});

inPage("sets angles in degrees, and names what is undone", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await goTo(tab, "joints[1].rotation[0]");
  await tab.waitForSelector(".components");
  assert.match(await text(tab, ".components label >> nth=0"), /x in degrees/);
  await tab.locator(".components input").first().fill("90");
  await tab.locator(".components button").click();
  await tab.waitForFunction(() => /^1\.57079/.test(document.querySelector("#field-value")?.value));
  assert.equal(await tab.locator(".components input").first().inputValue(), "90");
  assert.match(await tab.locator("#undo").getAttribute("title"), /^Undo joints\["[^"]+"\]\.rotation: .* → 1\.57079.* \(Ctrl\+Z\)$/);
});

inPage("sets single flags", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await goTo(tab, "vertices[1].flags");
  await tab.locator(".flag", { hasText: "hidden" }).locator("input").check();
  await tab.waitForSelector(".byte.changed");
  await tab.waitForFunction(() => document.querySelector("#field-value")?.value === "2");
  assert.ok(await tab.locator(".flag", { hasText: "hidden" }).locator("input").isChecked());
  await tab.locator("#tab-changes").click();
  assert.match(await text(tab, ".change"), /vertices\[1\]\.flags\.hidden[\s\S]*0 → 1/);
});

inPage("remembers the layout", async (tab) => {
  await drop(tab, [corpus("psk/plane.psk")]);
  await settled(tab);
  await press(tab, "Control+j", "Escape", "b");
  // A weight shows its bone.
  await goTo(tab, "chunks[6].records[2].weight");
  await tab.waitForFunction(() => document.querySelector(".node.selected .label")?.textContent === document.querySelectorAll(".node .label")[2].textContent);
  await tab.evaluate(() => location.reload());
  await tab.waitForSelector("html[data-ready]", { state: "attached" });
  await drop(tab, [corpus("psk/plane.psk")]);
  await settled(tab);
  assert.ok(await tab.locator("#drawer").isVisible());
  assert.equal(await tab.locator("#bones-on").getAttribute("aria-pressed"), "false");
});

inPage("converts the model as the command does", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await tab.locator("#export").click();
  for (const family of ["psk", "cal3d", "directx", "unigine"]) {
    await tab.locator("#export-as").selectOption(family);
    await tab.waitForFunction(() => !document.querySelector("#export-save").disabled);
    const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#export-save").click()]);
    const path = join(scratch, `${family}-${saved.suggestedFilename()}`);
    await saved.saveAs(path);
    const to = join(scratch, `${family}-command`);
    run("convert", corpus("ms3d/tent.ms3d"), "--to", { psk: "unreal", directx: "x" }[family] ?? family, "--out-dir", to, "--force");
    const made = path.endsWith(".zip") ? await unzip(readFileSync(path)) : [{ name: saved.suggestedFilename(), bytes: () => readFileSync(path) }];
    for (const { name, bytes } of made) {
      // The sines of browsers are not those of the command.
      const own = join(scratch, `${family}-${name}`);
      writeFileSync(own, await bytes());
      run("diff", own, join(to, name), "--tolerance", "1e-6");
    }
    assert.equal(made.length, readdirSync(to).length, family);
  }
  await tab.locator("#export-as").selectOption("webm");
  const [video] = await Promise.all([tab.waitForEvent("download"), tab.locator("#export-save").click()]);
  assert.match(video.suggestedFilename(), /\.webm$/);
});

inPage("exports a model with its images", async (tab) => {
  await tab.locator("#samples button").first().click();
  await settled(tab);
  await tab.locator("#export").click();
  await tab.waitForFunction(() => !document.querySelector("#export-save").disabled);
  assert.match(await text(tab, "#export-note"), /Nothing is lost/);
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#export-save").click()]);
  const path = join(scratch, "images.glb");
  await saved.saveAs(path);
  const bytes = readFileSync(path);
  const { images, materials } = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
  assert.deepEqual(images.map(({ mimeType }) => mimeType), ["image/png", "image/png"]);
  assert.ok(materials.every(({ pbrMetallicRoughness }) => pbrMetallicRoughness.baseColorTexture));
  // Without its images, the textures are a loss.
  await press(tab, "Escape");
  await drop(tab, [corpus("cal3d/two.csf"), corpus("cal3d/set.cmf"), corpus("cal3d/skin.crf")]);
  await settled(tab);
  await tab.locator("#export").click();
  await tab.waitForFunction(() => !document.querySelector("#export-save").disabled);
  assert.match(await text(tab, "#export-losses"), /textures/);
});

inPage("exports a picture of the model alone", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  await tab.locator("#export").click();
  await tab.locator("#export-as").selectOption("png");
  const save = async () => {
    await tab.waitForFunction(() => !document.querySelector("#export-save").disabled);
    const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#export-save").click()]);
    const path = join(scratch, "alone.png");
    await saved.saveAs(path);
    return measureImage(tab, readFileSync(path).toString("base64"));
  };
  const alone = await save();
  await tab.locator("#export-grid").check();
  await tab.locator("#export-bones").check();
  const both = await save();
  assert.notDeepEqual(both.mean, alone.mean);
  await press(tab, "Escape");
  const shown = await measure(tab);
  assert.ok(Math.abs(alone.share - shown.share) < 0.002, `${alone.share} of the picture, ${shown.share} of the stage`);
  assert.equal(await tab.locator("#bones-on").getAttribute("aria-pressed"), "true");
});

inPage("rescues a damaged file as the command does", async (tab) => {
  const cut = join(scratch, "cut.ms3d");
  writeFileSync(cut, readFileSync(corpus("ms3d/tent.ms3d")).subarray(0, 700));
  await drop(tab, [cut]);
  await settled(tab);
  await tab.locator("#rescue").click();
  await message(tab, /^Rescued with \d+ loss/);
  const close = tab.locator(".file.active .close");
  await close.click();
  assert.equal(await text(tab, "#ask-text"), "rescued_cut.ms3d has changes that are not saved.");
  await tab.locator("#ask .primary").click();
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#download").click()]);
  const path = join(scratch, "rescued.ms3d");
  await saved.saveAs(path);
  run("rescue", cut, "-o", join(scratch, "expected.ms3d"), "--force", "--quiet");
  assert.deepEqual(readFileSync(path), readFileSync(join(scratch, "expected.ms3d")));
  assert.match(await text(tab, "#panel"), /Rescued from cut\.ms3d/);
  await close.click();
  assert.equal(await tab.locator(".file").count(), 1, "what was saved closes without a question");
});

inPage("moves among the visible tabs by the arrow keys", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d"), corpus("directx/moving_cube.x")]);
  await settled(tab);
  if (await tab.locator("#drawer").isHidden()) await press(tab, "Control+j");
  for (const [name, panes] of [["tent.ms3d", ["bytes", "diff"]], ["moving_cube.x", ["bytes", "text", "diff"]]]) {
    await tab.locator(".file .open", { hasText: name }).click();
    await settled(tab);
    await tab.locator("#pane-bytes").click();
    const visited = [];
    for (const key of ["ArrowRight", "ArrowRight", "ArrowRight"]) {
      visited.push(await tab.evaluate(() => document.activeElement.dataset.pane));
      assert.ok(await tab.locator(`#${visited.at(-1)}`).isVisible());
      await press(tab, key);
    }
    assert.deepEqual([...new Set(visited)], panes);
    assert.equal(await tab.locator("#panes [aria-selected=true]").getAttribute("data-pane"), "diff");
    await press(tab, "ArrowLeft");
    assert.equal(await tab.locator("#panes [aria-selected=true]").getAttribute("data-pane"), panes.at(-2));
  }
});

inPage("folds the blocks of text files", async (tab) => {
  await drop(tab, [corpus("directx/skinned.x")]);
  await settled(tab);
  await press(tab, "Control+j");
  await tab.locator("#pane-text").click();
  const numbers = async () => (await tab.locator(".codeline .number").allInnerTexts()).map(Number);
  await tab.waitForSelector(".codeline button.fold");
  const before = await numbers();
  const [line, label] = await tab.locator(".codeline button.fold").first().evaluate((button) => [Number(button.parentElement.dataset.line), button.title]);
  assert.equal(label, "Hide the block");
  await tab.locator(".codeline button.fold").first().click();
  await tab.waitForSelector(".codeline .fold[aria-expanded=false]");
  const hidden = Number(/(\d+) lines$/.exec(await tab.locator(".codeline .code").nth(before.indexOf(line + 1)).innerText())[1]);
  assert.deepEqual((await numbers()).slice(0, 5), before.map((number) => (number > line + 1 ? number + hidden : number)).slice(0, 5));
  await tab.locator(".codeline .fold[aria-expanded=false]").click();
  await tab.waitForFunction((second) => document.querySelectorAll(".codeline .number")[1].textContent === second, String(before[1]));
});

inPage("shows the selected line of a text file, and where lines are cut", async (tab) => {
  const lines = Array.from({ length: 300 }, (_, at) => `// line ${at}`);
  const bytes = Buffer.concat([readFileSync(corpus("directx/moving_cube.x")), Buffer.from(`${lines.join("\n")}\n// ${"x".repeat(500)}\nFrame Last {}\n`)]);
  await drop(tab, [{ name: "long.x", bytes }]);
  await settled(tab);
  await press(tab, "Control+j");
  await goTo(tab, String(bytes.length - 10));
  await tab.locator("#pane-text").click();
  await tab.waitForFunction(() => document.querySelector(".codeline.selected .code")?.textContent === "Frame Last {}");
  assert.match(await tab.locator(".codeline", { hasText: "xxxx" }).locator(".code").innerText(), /x…$/);
});

inPage("shows the elements of XML files", async (tab) => {
  await drop(tab, [corpus("cal3d/light.xsf")]);
  await settled(tab);
  await tab.locator("#tree-filter").fill("bone");
  await tab.locator("#tree .node .label", { hasText: /^BONE$/ }).first().click();
  await tab.waitForFunction(() => /SKELETON \/ BONE /.test(document.querySelector("#where").textContent));
});

inPage("shows a damaged file up to the damage", async (tab) => {
  const bytes = readFileSync(corpus("ms3d/tent.ms3d")).subarray(0, 700);
  await drop(tab, [{ name: "damaged.ms3d", bytes }]);
  await settled(tab);
  assert.match(await text(tab, "#panel"), /Damaged/);
  assert.match(await text(tab, "#stage-note"), /triangle/);
  await press(tab, "Control+j");
  await tab.locator(".verdict .link").click();
  await tab.waitForSelector(".byte.cursor");
  await tab.locator("#tab-findings").click();
  assert.match(await text(tab, "#panel"), /finding|no rule/);
  await drop(tab, [{ name: "none.ms3d", bytes: Buffer.from("hello worl") }]);
  await tab.waitForFunction(() => document.querySelectorAll(".file").length === 2 && document.title.startsWith("none"));
  await tab.locator("#tab-summary").click();
  assert.match(await text(tab, "#panel"), /Undecodable/);
  assert.equal(await tab.locator(".byte[data-at]").count(), 10);
  await drop(tab, [{ name: "scene.fbx", bytes: Buffer.from("; FBX 7.4.0 project file") }]);
  await tab.waitForFunction(() => document.title.startsWith("scene.fbx") && /convert it to glTF/.test(document.querySelector("#panel").textContent));
  await tab.locator(".file.active .close").click();
  await drop(tab, [{ name: "skin.png", bytes: Buffer.from("") }]);
  await tab.waitForFunction(() => document.querySelectorAll(".file").length === 2);
});

inPage("names the object in which a file is damaged", async (tab) => {
  const mesh = corpus("psk/plane.psk");
  const [top] = run("map", mesh, "--format", "json").trim().split("\n").map((line) => JSON.parse(line)).filter(({ path }) => path === "chunks[5].records[1].name");
  await drop(tab, [{ name: "cut.psk", bytes: readFileSync(mesh).subarray(0, top.start + 10) }]);
  await settled(tab);
  assert.match(await text(tab, ".verdict .link"), /^0x[0-9a-f]{8} bones\[1\]\.name$/);
});

inPage("treats names in files as text", async (tab) => {
  const hostile = "<img src=x onerror=hacked=1>";
  const path = join(scratch, "hostile.ms3d");
  run("set", corpus("ms3d/tent.ms3d"), `joints[0].name=${hostile}`, `groups[0].name=${hostile}`, "-o", path, "--force");
  await drop(tab, [{ name: `${hostile}"'&lt;.ms3d`, bytes: readFileSync(path) }]);
  await settled(tab);
  assert.equal(await text(tab, "#tree .node .label >> nth=1"), hostile);
  for (const name of ["summary", "findings", "selection", "model", "changes"]) await tab.locator(`#tab-${name}`).click();
  assert.equal(await tab.evaluate(() => window.hacked), undefined);
  assert.equal(await tab.locator("img").count(), 0);
});

const axe = readFileSync(join(root, "bindings/web/node_modules/axe-core/axe.min.js"), "utf8");
/** Returns the violations of accessibility rules. */
const violations = (tab) => tab.evaluate(async (source) => {
  // The policy of the page forbids foreign elements, but not functions of the test.
  if (!window.axe) (0, eval)(source);
  const { violations } = await window.axe.run(document);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}, axe);

for (const colorScheme of ["light", "dark"]) {
  inPage(`has no violations of accessibility rules (${colorScheme})`, async (tab) => {
    assert.deepEqual(await violations(tab), [], "the start page");
    await drop(tab, [corpus("ms3d/tent.ms3d"), corpus("psk/plane.psk")]);
    await settled(tab);
    await press(tab, "Control+j");
    await goTo(tab, "joints[0].name");
    await atField(tab, "joints[0].name");
    for (const name of ["selection", "summary", "findings", "model", "changes"]) {
      await tab.locator(`#tab-${name}`).click();
      assert.deepEqual(await violations(tab), [], name);
    }
    await tab.locator("#pane-diff").click();
    assert.deepEqual(await violations(tab), [], "the comparison");
    await press(tab, "Control+k");
    await tab.locator("#search-input").fill("joint");
    assert.deepEqual(await violations(tab), [], "the search");
    await press(tab, "Escape");
    await tab.locator("#export").click();
    assert.deepEqual(await violations(tab), [], "the export");
    await press(tab, "Escape");
    await tab.locator("#table-open").click();
    assert.deepEqual(await violations(tab), [], "the table");
    await tab.locator("#help").click();
    assert.deepEqual(await violations(tab), [], "the help");
  }, { colorScheme, bypassCSP: true });
}

/** Returns a `.x` file with 1,200 rotations that are not of unit length. */
function turning() {
  const keys = Array.from({ length: 1200 }, (_, at) => `${at + 1}; 4; 2.0, 0.0, 0.0, 0.0;;,`).join("\n");
  const animation = `AnimationSet Turn { Animation { {CubeFrame} AnimationKey { 0; 1200; ${keys} } } }\n`;
  return { name: "turning.x", bytes: Buffer.concat([readFileSync(corpus("directx/moving_cube.x")), Buffer.from(animation)]) };
}

inPage("shows thousands of findings by their number", async (tab) => {
  await drop(tab, [turning()]);
  await settled(tab);
  assert.equal(await text(tab, "#tab-findings"), "Findings 1.2K");
  assert.ok(await tab.locator("#tabs").evaluate((own) => own.scrollWidth <= own.clientWidth), "all tabs are visible");
  assert.match(await text(tab, "#tree .badge >> nth=0"), /^1,2\d\d$/);
  await tab.locator("#tab-findings").click();
  const rule = tab.locator("#panel details", { hasText: "x/quaternion-not-unit" });
  await rule.evaluate((own) => { own.open = true; });
  await rule.locator(".finding").last().click();
  await tab.locator("#tab-selection").click();
  assert.match(await text(tab, "#panel"), /Findings here[\s\S]*x\/quaternion-not-unit/);
  assert.ok((await tab.locator("#panel .why").count()) > 0, "the reason is shown");
}, { viewport: { width: 1440, height: 900 } });

inPage("closes the menu by Escape, and by a click outside", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  const isOpen = () => tab.locator("#more").evaluate((own) => own.open);
  await tab.locator("#more summary").click();
  await tab.locator("#up").focus();
  assert.equal(await isOpen(), true);
  await press(tab, "Escape");
  assert.equal(await isOpen(), false);
  await tab.locator("#more summary").click();
  await tab.locator("#tab-model").click();
  assert.equal(await isOpen(), false);
});

inPage("shows objects by their texts", async (tab) => {
  const sets = [["ms3d/tent.ms3d"], ["ms3d/crowd.ms3d"], ["psk/rules.psk"], ["psk/morphs.pskx"], ["directx/skinned.x"], ["cal3d/two.csf", "cal3d/set.cmf", "cal3d/skin.crf"]];
  for (const files of sets) {
    await drop(tab, files.map(corpus));
    await settled(tab);
    for (const name of ["summary", "findings", "selection", "model", "changes"]) {
      await tab.locator(`#tab-${name}`).click();
      assert.doesNotMatch(await tab.evaluate(() => document.body.innerText), /\[object/, `${files}: ${name}`);
    }
  }
});

inPage("shows the words of the table and the model beside a sheet on a telephone", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d"), { name: "none.ms3d", bytes: Buffer.from("hello worl") }]);
  await settled(tab);
  await tab.locator("#phone [data-sheet=side]").tap();
  await tab.locator("#table-open").tap();
  await tab.waitForFunction(() => document.querySelectorAll("#table-rows .link").length === 2);
  assert.deepEqual(await cutCells(tab), []);
  assert.equal(await tab.locator("#table-rows .link").first().innerText(), "tent.ms3d");
  await tab.locator("#table-rows .link", { hasText: "tent" }).tap();
  await settled(tab);
  await tab.locator("#phone [data-sheet=side]").tap();
  const [stage, side] = await Promise.all(["#stage", "#side"].map((part) => tab.locator(part).boundingBox()));
  assert.ok(stage.y + stage.height <= side.y, "the contents are below the model");
  await tab.locator("#tree .node").nth(1).tap();
  await tab.waitForFunction(() => document.body.dataset.sheet === "details" && /^joints/.test(document.querySelector("#field-path")?.textContent));
  await tab.evaluate(() => scrollTo(0, 200));
  await tab.waitForTimeout(200);
  const { y, height } = await tab.locator("#stage").boundingBox();
  assert.ok(y >= 0 && height > 200 && height < 400, `the stage is at ${y}, ${height} high`);
}, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

inPage("scrolls and works on a telephone", async (tab) => {
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  assert.equal(await tab.locator("#canvas").evaluate((canvas) => getComputedStyle(canvas).touchAction), "pan-y");
  assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the screen");
  for (const name of ["side", "drawer", "details"]) {
    await tab.locator(`#phone [data-sheet=${name}]`).click();
    assert.ok(await tab.locator(`#${name}`).isVisible());
  }
  assert.ok((await tab.locator("#stage-note").boundingBox()).height < 20, "the note has one line, below the model");
  await tab.locator("#export").click();
  const [dialog, choice] = await Promise.all(["#exports", "#export-as"].map((part) => tab.locator(part).boundingBox()));
  assert.ok(choice.x + choice.width < dialog.x + dialog.width, "the formats are within the dialog");
}, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

inPage("works by keyboard alone", async (tab) => {
  for (let presses = 0; presses < 14; presses++) {
    await press(tab, "Tab");
    if (await tab.evaluate(() => document.activeElement.closest("#samples"))) break;
  }
  await press(tab, "Enter");
  await settled(tab);
  await tab.locator("#tree").focus();
  await press(tab, "ArrowDown", "ArrowDown", "Enter");
  await tab.waitForFunction(() => document.querySelector("#field-path")?.textContent);
  await tab.waitForFunction(() => document.activeElement.id === "field-value");
  await tab.keyboard.type("other");
  await tab.locator("#field-rename").focus();
  await press(tab, "Enter");
  await message(tab, /^Renamed/);
  await settled(tab);
  assert.equal(await tab.evaluate(() => document.activeElement.id), "field-rename");
  await press(tab, "Control+j");
  await tab.locator("#hex").focus();
  await press(tab, "ArrowDown");
  await tab.waitForFunction(() => /^0x/.test(document.querySelector("#where").textContent));
  await press(tab, "Enter");
  await tab.waitForFunction(() => document.activeElement.id === "field-value");
});

inPage("returns the memory of closed files", async (tab) => {
  const path = join(scratch, "large.psk");
  writeFileSync(path, large());
  const workers = () => tab.workers().length;
  await tab.locator("#picker").setInputFiles(path);
  await settled(tab);
  const [first] = tab.workers();
  await tab.locator(".file.active .close").click();
  await tab.waitForSelector("#empty:not([hidden])");
  await tab.waitForTimeout(300);
  assert.equal(workers(), 1);
  assert.notEqual(tab.workers()[0], first, "a new worker has a new memory");
});

inPage("keeps 64 MB usable", async (tab) => {
  const path = join(scratch, "large.psk");
  writeFileSync(path, large());
  const { size } = statSync(path);
  const elements = () => tab.locator("*").count();
  await drop(tab, [corpus("psk/rules.psk")]);
  await settled(tab);
  await press(tab, "Control+j");
  const usual = await elements();
  await tab.locator("#picker").setInputFiles(path);
  await settled(tab);
  for (const offset of [...[0.5, 0.1, 0.9, 0.3, 0.7].map((share) => Math.floor(size * share)), size - 180]) {
    await goTo(tab, String(offset));
    await tab.waitForSelector(`.byte[data-at="${offset}"]`);
    const shown = await elements();
    assert.ok(shown < 1.5 * usual, `${shown} elements, and ${usual} for a small file`);
  }
  assert.match(await text(tab, "#where"), /points\[/);
});

inPage("opens the files embedded by preview", async (tab) => {
  await settled(tab);
  assert.deepEqual(await tab.locator(".file .title").allInnerTexts().then((names) => names.map((name) => name.trim())), ["wave.psa", "a&b.psk"]);
  assert.match(await text(tab, "#stage-note"), /2 clips/);
  assert.equal(await text(tab, "#clips [aria-checked=true]"), "Grow");
  assert.match(await text(tab, "#clock"), /^0\.02/);
  // A copied link opens the same place.
  await goTo(tab, "chunks[5].records[0].name");
  await atField(tab, "chunks[5].records[0].name");
  assert.match(await text(tab, "#stage-note"), / 0\.02 .*m$/, "the unit and the up axis are those of the command");
  assert.equal(await tab.locator("#unit").inputValue(), "0.02");
  await tab.locator("#bones-on").click();
  await tab.locator("#more summary").click();
  await tab.locator("#colors-on").click();
  await tab.locator("#unit").selectOption("0.0254");
  await tab.waitForFunction(() => / 0\.0254 .*m$/.test(document.querySelector("#stage-note").textContent));
  await press(tab, "Escape");
  await tab.locator("#share").click();
  await message(tab, /^Copied a link/);
  await tab.evaluate(() => location.reload());
  await tab.waitForSelector("html[data-ready]", { state: "attached" });
  await settled(tab);
  await atField(tab, "chunks[5].records[0].name");
  assert.equal(await text(tab, "#clips [aria-checked=true]"), "Grow");
  assert.match(await text(tab, "#stage-note"), / 0\.0254 .*m$/);
  assert.equal(await tab.locator("#up").inputValue(), "y");
  assert.equal(await tab.locator("#bones-on").getAttribute("aria-pressed"), "false");
  assert.equal(await tab.locator("#colors-on").isChecked(), true);
}, {}, () => {
  const out = join(scratch, "page.html");
  const mesh = join(scratch, "a&b.psk");
  copyFileSync(corpus("psk/plane.psk"), mesh);
  run("preview", corpus("psk/wave.psa"), mesh, "-o", out, "--viewer", viewer, "--force", "--clip", "Grow", "--time", "0.02", "--unit", "0.02", "--up", "y");
  return out;
});

/** A PSK of 64 MB: points, without triangles. */
function large() {
  const count = 5_600_000;
  const chunk = (id, size, number) => {
    const header = Buffer.alloc(32);
    header.write(id, "latin1");
    header.writeUInt32LE(20_100_422, 20);
    header.writeUInt32LE(size, 24);
    header.writeUInt32LE(number, 28);
    return header;
  };
  const points = Buffer.alloc(count * 12);
  for (let at = 0; at < points.length; at += 4096) points.writeFloatLE(at / 1e6, at);
  return Buffer.concat([
    chunk("ACTRHEAD", 0, 0), chunk("PNTS0000", 12, count), points, chunk("VTXW0000", 16, 0), chunk("FACE0000", 12, 0), chunk("MATT0000", 88, 0),
    chunk("REFSKELT", 120, 0), chunk("RAWWEIGHTS", 12, 0),
  ]);
}

assert.ok(bindpose);
