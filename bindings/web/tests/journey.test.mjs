// The way of a person through a folder of a game: finds a model, plays it, sees why a file is broken, and fixes a name.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { atField, chooseClip, corpus, drop, fillValue, goTo, inPage, message, picture, press, root, run, scratch, settled, text, zip } from "./browser.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const damaged = (path) => join(root, "tests/damaged", path);
const character = (name) => join(root, "tests/character", name);

/** Drops an archive of a game: 20 models, a damaged file and a character. */
async function openGame(tab) {
  const tent = readFileSync(corpus("ms3d/tent.ms3d"));
  const models = Array.from({ length: 20 }, (_, at) => ({ name: `models/tent${at}.ms3d`, bytes: tent }));
  const others = [damaged("ms3d/cut_in_keys.ms3d"), character("dragon.iqm"), character("dragon.png"), corpus("psk/rules.psk")]
    .map((path) => ({ name: `others/${path.split("/").pop()}`, bytes: readFileSync(path) }));
  await drop(tab, [{ name: "game.zip", bytes: zip([...models, ...others]) }]);
  await tab.waitForFunction(() => document.querySelector("#table-title").textContent === "23 of 23 files");
}

inPage("sorts the table from its top, and goes to what is searched", async (tab) => {
  await openGame(tab);
  const scroll = () => tab.locator("#table-view").evaluate((view) => view.scrollTop);
  await tab.locator("#table-view").evaluate((view) => { view.scrollTop = 500; });
  await tab.locator("#table-head [data-name=findings] button").click();
  assert.equal(await scroll(), 0);
  const order = await tab.locator("#table-head [data-name=findings] button").evaluate((own) => getComputedStyle(own, "::after").content);
  assert.equal(order, '"▼"');
  await tab.locator("#table-view").evaluate((view) => { view.scrollTop = 500; });
  await tab.locator("#table-filter").fill("tent1");
  assert.equal(await scroll(), 0);
  await tab.locator("#table-filter").fill("rules");
  assert.ok(await tab.locator("#table-rows .dot.error").isVisible());
  assert.ok(await tab.locator("#table-rows td.number .error").isVisible());
  assert.match(await tab.locator("#table-rows td.number[title]").getAttribute("title"), /^\d+ errors?, /);
  for (const [filter, names] of [["damaged", ["others/cut_in_keys.ms3d"]], ["unreal mesh", ["others/rules.psk"]], ["errors", ["others/rules.psk"]]]) {
    await tab.locator("#table-filter").fill(filter);
    assert.deepEqual((await tab.locator("#table-rows button.link").allInnerTexts()).map((name) => name.replace(/\s/g, "")), names.map((name) => `game.zip/${name}`));
  }
  assert.ok(await tab.locator("#table-none").isHidden());
  await tab.locator("#table-filter").fill("no such file");
  assert.match(await text(tab, "#table-none"), /^No file has “no such file”/);
  // The buttons beside the search would change a model that is not visible.
  assert.ok(await tab.locator("#next").isDisabled());
  await press(tab, "Escape", "Control+k");
  await tab.locator("#search-input").fill("dragon.iqm");
  await tab.waitForSelector("#result-0");
  await press(tab, "Enter");
  await tab.waitForFunction(() => document.title.startsWith("dragon.iqm"));
  await settled(tab);
  assert.ok(await tab.locator("#stage").isVisible());
  // Other files are not filtered.
  await tab.locator("#close-all").click();
  await openGame(tab);
  assert.equal(await tab.locator("#table-filter").inputValue(), "");
});

inPage("says that a filter finds nothing, and how many files are skipped", async (tab) => {
  const others = ["a/readme.md", "b/readme.md", "c/notes.md"].map((name) => ({ name, bytes: Buffer.from("text") }));
  await drop(tab, [{ name: "game.zip", bytes: zip([...others, { name: "tent.ms3d", bytes: readFileSync(corpus("ms3d/tent.ms3d")) }]) }]);
  await message(tab, /^Skipped 3 files of other formats: readme\.md, notes\.md and 1 more\.$/);
  await settled(tab);
  await tab.locator("#tree-filter").fill("no such part");
  await tab.waitForFunction(() => document.querySelector("#tree-none").textContent === "Nothing contains “no such part”." && !document.querySelector("#tree-none").hidden);
  await tab.locator("#tree-filter").fill("animation.fps");
  await tab.waitForSelector("#tree .node");
  assert.ok(await tab.locator("#tree-none").isHidden());
});

inPage("shows why a file is broken, whatever was shown before", async (tab) => {
  await drop(tab, [corpus("psk/plane.psk"), damaged("ms3d/cut_in_keys.ms3d"), damaged("ms3d/other_magic.ms3d")]);
  await settled(tab);
  await tab.locator("#tree .node").nth(1).click();
  await tab.waitForSelector("#field-path");
  await tab.locator(".file .open", { hasText: "cut_in_keys" }).click();
  await settled(tab);
  assert.match(await text(tab, "#panel"), /Damaged[\s\S]*file ends inside the value/);
  await tab.locator("#tab-findings").click();
  const shown = await tab.locator(".rule .severity").allInnerTexts();
  assert.deepEqual(shown, shown.toSorted((a, b) => ["Error", "Warning", "Info", "Hint"].indexOf(a) - ["Error", "Warning", "Info", "Hint"].indexOf(b)));
  assert.equal(shown[0], "Error");
  await tab.locator(".file .open", { hasText: "other_magic" }).click();
  await tab.waitForFunction(() => /Undecodable/.test(document.querySelector("#status-verdict").textContent));
  assert.equal(await text(tab, "#status-findings"), "Not checked");
});

inPage("shows the state of a file by the same dot and words everywhere", async (tab) => {
  const states = {
    "tent.ms3d": ["fine", /^Lossless$/], "rules.psk": ["error", /^Lossless, \d+ errors$/], "rules_habits.ms3d": ["warning", /^Lossless, \d+ warnings?$/],
    "cut_in_keys.ms3d": ["damaged", /^Damaged/], "other_magic.ms3d": ["undecodable", /^Undecodable$/],
  };
  await drop(tab, [corpus("ms3d/tent.ms3d"), corpus("psk/rules.psk"), corpus("ms3d/rules_habits.ms3d"), damaged("ms3d/cut_in_keys.ms3d"), damaged("ms3d/other_magic.ms3d")]);
  await settled(tab);
  const looks = new Set();
  for (const [name, [look, words]] of Object.entries(states)) {
    const own = tab.locator(".file .open", { hasText: name });
    await own.click();
    await tab.waitForFunction((name) => document.title.startsWith(name), name);
    await settled(tab);
    await tab.locator("#tab-summary").click();
    assert.match(await text(tab, ".verdict strong"), words);
    assert.match(await text(tab, "#status-verdict"), words);
    assert.match((await own.getAttribute("title")).split(": ")[1], words);
    for (const place of [".file.active", "#status-verdict", ".verdict"]) assert.ok(await tab.locator(`${place} .dot.${look}`).isVisible(), `${name} in ${place}`);
    looks.add(await tab.locator(".verdict .dot").evaluate((dot) => ["backgroundColor", "backgroundImage", "clipPath"].map((property) => getComputedStyle(dot)[property]).join()));
  }
  assert.equal(looks.size, Object.keys(states).length);
  await tab.locator("#table-open").click();
  for (const [name, [look, words]] of Object.entries(states)) {
    const row = tab.locator("#table-rows tr", { hasText: name });
    assert.ok(await row.locator(`.dot.${look}`).isVisible());
    assert.match((await row.locator("td").nth(3).innerText()).trim(), words);
  }
  // One error comes before many warnings.
  await tab.locator("#table-head [data-name=findings] button").click();
  const worst = await tab.locator("#table-rows td.number[title]").evaluateAll((cells) => cells.map(({ title }) => title.match(/[a-z]+/)?.[0].replace(/s$/, "")));
  const order = ["error", "warning", "info", "hint", undefined];
  assert.deepEqual(worst, worst.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
});

inPage("shows, plays, renames and exports Inter-Quake models", async (tab) => {
  const path = character("dragon.iqm");
  await drop(tab, [path, character("dragon.png")]);
  await settled(tab);
  assert.match(await text(tab, "#stage-note"), /^1,632 triangles · 18 bones · 3 clips/);
  assert.deepEqual(await tab.locator("#clips .chip").allInnerTexts(), ["Bind pose", "idle", "walk", "wave"]);
  await tab.locator("#tab-model").click();
  await tab.waitForFunction(() => /dragon\.png shown/.test(document.querySelector("#panel").textContent));
  await chooseClip(tab, 1);
  const start = await picture(tab);
  await tab.locator("#time").evaluate((input) => {
    input.value = input.max / 4;
    input.dispatchEvent(new Event("input"));
  });
  assert.notEqual(await picture(tab), start);
  await tab.locator("#tree .node .label", { hasText: /^chest$/ }).click();
  await atField(tab, "sections.joints[6].name");
  // The value is an offset; the name is beside it.
  assert.equal(await tab.locator("#field-value").inputValue(), "36");
  assert.equal(await tab.locator("#field-name").inputValue(), "chest");
  await tab.locator("#field-name").fill("torso");
  await tab.locator("#field-rename").click();
  await message(tab, /^Renamed/);
  await settled(tab);
  await tab.locator("#tree .node .label", { hasText: /^torso$/ }).waitFor();
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#download").click()]);
  const [own, expected] = ["renamed.iqm", "expected.iqm"].map((name) => join(scratch, name));
  await saved.saveAs(own);
  run("rename", path, "--bone", "chest=torso", "-o", expected, "--force");
  assert.deepEqual(readFileSync(own), readFileSync(expected));
  await tab.locator("#tab-findings").click();
  await tab.waitForFunction(() => /The file breaks no rule/.test(document.querySelector("#panel").textContent));
  await tab.locator("#export").click();
  await tab.locator("#export-as").selectOption("iqm");
  await tab.waitForSelector("#export-save:not([disabled])");
  assert.match(await text(tab, "#export-note"), /^1 file/);
});

inPage("keeps what is typed while the panel is shown again", async (tab) => {
  await drop(tab, [character("dragon.psk")]);
  await settled(tab);
  const again = async (unit) => {
    await tab.locator("#panel").evaluate((panel) => { panel.firstElementChild.dataset.former = ""; });
    await tab.locator("#more summary").click();
    await tab.locator("#unit").selectOption(unit);
    await tab.waitForFunction(() => !document.querySelector("#panel [data-former]"));
    await press(tab, "Escape");
    await settled(tab);
  };
  await goTo(tab, "chunks[1].records[0][0]");
  await atField(tab, "chunks[1].records[0][0]");
  await fillValue(tab, "1.25");
  await tab.locator("#part-1").fill("2.5");
  await again("0.0254");
  assert.equal(await tab.locator("#field-value").inputValue(), "1.25");
  assert.equal(await tab.locator("#part-1").inputValue(), "2.5");
  // Another field shows its own value.
  await goTo(tab, "chunks[1].records[1][0]");
  await atField(tab, "chunks[1].records[1][0]");
  assert.notEqual(await tab.locator("#field-value").inputValue(), "1.25");
  await tab.locator("#tab-model").click();
  await tab.locator("#scale").fill("3");
  await tab.locator("#rotation").selectOption("About X");
  await tab.locator("#angle").fill("45");
  await again("0.01");
  assert.deepEqual(await Promise.all(["#scale", "#rotation", "#angle"].map((id) => tab.locator(id).inputValue())), ["3", "About X", "45"]);
  // What is applied is not applied again.
  await tab.locator("#transform button").click();
  await settled(tab);
  await tab.waitForFunction(() => document.querySelector("#scale").value === "1");
});

inPage("keeps the selected text and the pressed control while the panel is shown again", async (tab) => {
  await drop(tab, [character("dragon.psk")]);
  await settled(tab);
  await goTo(tab, "chunks[1].records[0][0]");
  await atField(tab, "chunks[1].records[0][0]");
  await settled(tab);
  const again = () => tab.locator("#findings-filter").dispatchEvent("input");
  const isFormer = () => tab.evaluate(() => Boolean(document.querySelector("#panel [data-former]")));
  await tab.locator("#panel").evaluate((panel) => { panel.firstElementChild.dataset.former = ""; });
  await tab.locator("#field-value").selectText();
  await again();
  assert.equal(await isFormer(), false);
  await tab.keyboard.type("1.25");
  assert.equal(await tab.locator("#field-value").inputValue(), "1.25");
  await tab.locator("#panel").evaluate((panel) => { panel.firstElementChild.dataset.former = ""; });
  await tab.locator("#field-set").hover();
  await tab.mouse.down();
  await again();
  assert.equal(await isFormer(), true);
  await tab.mouse.up();
  await tab.locator("#tab-changes", { hasText: "Changes 1" }).waitFor();
  await tab.waitForFunction(() => !document.querySelector("#panel [data-former]"));
});

inPage("says that no material has a texture", async (tab) => {
  await drop(tab, [character("dragon.psk")]);
  await settled(tab);
  const image = readFileSync(character("dragon.png"));
  await drop(tab, [{ name: "stranger.png", bytes: image }]);
  await message(tab, /^No material of the model has the texture stranger\.png\./);
  await drop(tab, [{ name: "dragon.png", bytes: image }, { name: "stranger.png", bytes: image }]);
  await settled(tab);
  await tab.locator("#tab-model").click();
  await tab.waitForFunction(() => /dragon\.png/.test(document.querySelector("#panel").textContent));
  assert.ok(await tab.locator("#message").isHidden());
});

inPage("lists what several files of an export lack once", async (tab) => {
  await drop(tab, [corpus("iqm/rules.iqm")]);
  await settled(tab);
  await tab.locator("#export").click();
  await tab.locator("#export-as").selectOption("psk");
  await tab.waitForSelector("#export-save:not([disabled])");
  const losses = await tab.locator("#export-losses li").allInnerTexts();
  assert.ok(losses.length > 1);
  assert.equal(new Set(losses).size, losses.length);
});

inPage("describes its gestures on a telephone", async (tab) => {
  await tab.locator("#help").tap();
  const help = await text(tab, "#shortcuts");
  assert.match(help, /Two fingers/);
  assert.doesNotMatch(help, /Ctrl/);
  await tab.locator("#shortcuts button").tap();
  await drop(tab, [corpus("ms3d/tent.ms3d")]);
  await settled(tab);
  // A key that opens the bytes shows them here, too.
  await goTo(tab, "animation.fps");
  await atField(tab, "animation.fps");
  await tab.locator("#phone [data-sheet=details]").tap();
  await fillValue(tab, "30");
  await tab.locator("#field-set").tap();
  await tab.waitForSelector("#download:not([hidden])");
  assert.ok(await tab.locator("#help").isVisible());
  assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the screen");
}, { ...PHONE, viewport: { width: 360, height: 740 } });

inPage("leaves room for the filter and the order of the table on a telephone", async (tab) => {
  await openGame(tab);
  const { width } = await tab.locator("#table-filter").boundingBox();
  assert.ok(width > 200, `${width} pixels`);
  for (const name of ["name", "verdict", "findings", "size"]) {
    await tab.locator(`#table-head [data-name=${name}] button`).tap();
    const cut = await tab.locator(`#table-head [data-name=${name}] button`).evaluate((own) => own.scrollWidth > own.clientWidth || own.parentElement.scrollWidth > own.parentElement.clientWidth);
    assert.equal(cut, false, `${name} and its arrow fit`);
  }
}, PHONE);
