/** Every page of the navigation, as a reader goes through them. */

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test, { after, afterEach, before } from "node:test";
import type { Page } from "playwright-core";
import { navigated } from "./navigation";
import { built, Site } from "./site";

const PHONE = { width: 360, height: 740 };

let site: Site;
let pages: string[];

before(async () => {
  site = await Site.start();
  pages = await navigated(site);
});

afterEach(() => site.assertQuiet());

after(() => site?.stop());

test("the navigation has the guide, the reference, the examples and the project", () => {
  for (const name of ["guide/start.html", "language.html", "targets/volcano.html", "examples/mnist.html", "project/changelog.html"]) {
    assert.ok(pages.includes(name), name);
  }
});

test("beside a message are those around it, and nothing that makes a thousand pages heavy", async () => {
  const page = await site.open("messages/VOL121.html");
  const beside = await page.locator(".md-nav--primary .md-nav__item--section .md-nav__link[href]").allTextContents();
  const names = beside.map((each) => each.trim());
  assert.equal(names[0], "All messages");
  assert.ok(names.some((each) => each.startsWith("VOL121 ")) && names.length > 10, names.join());
  assert.equal(await page.locator(".md-tabs__item--active").textContent().then((each) => each?.trim()), "Messages of Volcano");
  await page.locator(".md-nav--primary").getByRole("link", { name: names[names.length - 1] ?? "" }).click();
  await page.waitForURL((address) => address.pathname.includes("/messages/VOL"));
  const folder = path.join(built, "messages");
  const sizes = fs.readdirSync(folder).map((name) => fs.statSync(path.join(folder, name)).size);
  const mean = sizes.reduce((sum, each) => sum + each, 0) / sizes.length;
  assert.ok(mean < 30_000, `${Math.round(mean)} bytes`);
});

/** The page that Next at the end of a page leads to. */
function following(name: string): string | undefined {
  const link = /<a href="([^"]+)" class="md-footer__link md-footer__link--next"/.exec(fs.readFileSync(path.join(built, name), "utf8"))?.[1];
  return link === undefined ? undefined : path.posix.join(path.posix.dirname(name), link);
}

test("Next at the end of each page leads through all of them", () => {
  const seen: string[] = [];
  for (let name = pages[1]; name !== undefined && seen.length <= pages.length; name = following(name)) {
    seen.push(name);
  }
  assert.deepEqual(seen, pages.slice(1));
});

test("a reader who clicks Next comes to the next page", async () => {
  const page = await site.open(pages[1]);
  for (const name of pages.slice(2, 5)) {
    await page.locator("a.md-footer__link--next").click();
    await page.waitForURL((address) => address.href.replace(/#.*$/, "") === site.url(name));
  }
});

test("each tab and each page beside the text can be clicked", async () => {
  const page = await site.open(pages[1]);
  const tabs = await page.locator(".md-tabs__link").count();
  for (let tab = 0; tab < tabs; tab++) {
    await page.locator(".md-tabs__link").nth(tab).click();
    await page.waitForLoadState();
    if (!page.url().includes("/playground/")) {
      assert.equal(await page.locator(".md-tabs__item--active").count(), 1, page.url());
    } else {
      await page.goBack();
    }
  }
  await page.goto(site.url("language.html"));
  await page.locator(".md-nav--primary").getByRole("link", { name: "Volcano" }).click();
  await page.waitForURL(site.url("targets/volcano.html"));
});

/** How much wider the page is than its window; a block or a table that scrolls by itself is not wider. */
async function excess(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

test("each page has one title, and on a phone none is wider than the screen", async () => {
  const context = await site.context({ viewport: PHONE, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  const wide: string[] = [];
  for (const name of [...pages, "messages/VOL121.html"]) {
    await page.goto(site.url(name));
    if ((await excess(page)) > 0) {
      wide.push(name);
    }
    assert.ok(name === pages[0] || (await page.locator("article h1").count()) === 1, `${name} has one title`);
  }
  assert.deepEqual(wide, []);
});

test("on a phone the menu leads to a page", async () => {
  const page = await site.open("", { viewport: PHONE, hasTouch: true, isMobile: true });
  await page.locator("label.md-header__button[for=__drawer]").tap();
  const menu = page.locator(".md-nav--primary");
  await menu.getByText("Reference", { exact: true }).first().tap();
  await menu.getByText("Language", { exact: true }).first().tap();
  await menu.getByText("The language", { exact: true }).tap();
  await page.waitForURL(site.url("language.html"));
});
