/** The search finds what people type, without asking anybody; also when the site is opened from a folder. */

import assert from "node:assert/strict";
import path from "node:path";
import test, { after, afterEach, before } from "node:test";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { built, Site } from "./site";

/** What is typed, and a page that is among the first results. */
const CASES = [
  ["TFJ2104", "messages/TFJ2104.html"],
  ["duplicate-mount-path", "messages/TFJ2104.html"],
  ["volcano-restarts-counted-apart", "messages/VOL121.html"],
  ["queue volcano", "targets/volcano.html"],
  ["policies", "language.html"],
  ["spot nodes", "guide/spot.html"],
  ["simulate", "simulate.html"],
  ["neovim", "editors.html"],
  ["hyperparameter", "guide/sweep.html"],
  ["pvc", "guide/data.html"],
  ["resume", "guide/rerun.html"],
] as const;
const FIRST = 5;

let site: Site;

before(async () => {
  site = await Site.start();
});

afterEach(() => site.assertQuiet());

after(() => site?.stop());

/** The addresses of the results, best first. */
async function results(page: Page, words: string): Promise<string[]> {
  await page.locator(".md-search__input").fill(words);
  const found = page.locator(".md-search-result__item > a.md-search-result__link");
  await found.first().waitFor();
  await page.waitForTimeout(300); // results come in parts
  return found.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href.replace(/[?#].*$/, "")));
}

for (const [words, expected] of CASES) {
  test(`${words} finds ${expected}`, async () => {
    const page = await site.open();
    const found = (await results(page, words)).slice(0, FIRST).map((address) => site.nameOf(address));
    assert.ok(found.includes(expected), found.join());
    await page.context().close();
  });
}

test("with the keyboard alone", async () => {
  const page = await site.open();
  await page.keyboard.press("/");
  await page.keyboard.type("duplicate mount path");
  await page.locator(".md-search-result__link").first().waitFor();
  await page.waitForTimeout(300);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL((address) => address.pathname.endsWith(".html"));
  assert.match((await page.locator("article h1").textContent()) ?? "", /TFJ2104 duplicate-mount-path/);
});

test("in a site that is opened from a folder, without a server", async () => {
  const context = await site.browser.newContext();
  const page = await context.newPage();
  await page.goto(pathToFileURL(path.join(built, "index.html")).href);
  const found = await results(page, "TFJ2104");
  assert.ok(found.some((address) => address.endsWith("messages/TFJ2104.html")), found.join());
});
