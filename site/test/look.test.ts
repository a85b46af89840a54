/** Both colour schemes, and what a reader does without a mouse. */

import assert from "node:assert/strict";
import test, { after, afterEach, before } from "node:test";
import type { Page } from "playwright-core";
import { faults } from "./axe";
import { Site } from "./site";

const SCHEMES = ["light", "dark"] as const;
/** Pages of each kind. */
const KINDS = ["", "guide/start.html", "run.html", "targets/index.html", "examples/mnist.html", "messages/TFJ2104.html"];

let site: Site;

before(async () => {
  site = await Site.start();
});

afterEach(() => site.assertQuiet());

after(() => site?.stop());

/** The colour behind the text. */
async function background(page: Page): Promise<string> {
  return page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
}

test("the colours are those of the system, until the reader chooses others", async () => {
  const page = await site.open("graph.html", { colorScheme: "dark" });
  const dark = await background(page);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await background(page);
  assert.notEqual(light, dark);

  const picture = page.locator("article img").first();
  await picture.scrollIntoViewIfNeeded();
  const bright = await picture.screenshot();
  await page.getByTitle("Use the light colours").click();
  await page.getByTitle("Use the dark colours").click();
  assert.equal(await background(page), dark);
  assert.notDeepEqual(await picture.screenshot(), bright, "a picture has the colours that the reader chose");
  await page.goto(site.url("language.html"));
  assert.equal(await background(page), dark, "the choice holds on the next page");
});

for (const colorScheme of SCHEMES) {
  test(`people who see little or use other devices can read the pages: ${colorScheme}`, async () => {
    const found: string[] = [];
    for (const name of KINDS) {
      const page = await site.open(name, { colorScheme });
      found.push(...(await faults(page)).map((fault) => `${name}: ${fault}`));
      await page.context().close();
    }
    assert.deepEqual(found, []);
  });
}

test("the first key leads past the navigation", async () => {
  const page = await site.open("language.html");
  await page.keyboard.press("Tab");
  const skip = page.locator(".md-skip");
  assert.equal(await skip.evaluate((link) => link === document.activeElement), true);
  await page.keyboard.press("Enter");
  assert.match(page.url(), /#/);
});

test("what is copied from a screen is the commands", async () => {
  const page = await site.open("project/readme.html", { permissions: ["clipboard-read", "clipboard-write"] });
  const block = page.locator(".highlight", { hasText: "tfdsl new digits" }).first();
  await block.hover();
  await block.locator("[data-clipboard-target], .md-clipboard, button[title*=opy]").first().click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.deepEqual(copied.trim().split(/\n+/), ["tfdsl new digits", "tfdsl check digits.tfjob -t kubernetes --set workers=100"]);
});

test("what a program writes is never copied, also if it begins as a prompt of root does", async () => {
  for (const [name, command] of [
    ["project/readme.html", "tfdsl compile examples/mnist/main.tfjob -t volcano"],
    ["run.html", "tfdsl run main.tfjob --profile laptop"],
  ] as const) {
    const page = await site.open(name, { permissions: ["clipboard-read", "clipboard-write"] });
    const block = page.locator(".highlight", { hasText: `$ ${command}` }).first();
    await block.hover();
    await block.locator("[data-clipboard-target], .md-clipboard, button[title*=opy]").first().click();
    assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trim(), command);
    await page.context().close();
  }
});

test("an error on a page leads to its explanation", async () => {
  const page = await site.open("project/readme.html");
  await page.locator("a.message", { hasText: "TFJ2021" }).first().click();
  await page.waitForURL(site.url("messages/TFJ2021.html"));
  assert.match((await page.locator("article").textContent()) ?? "", /param-out-of-range/);
});
