/** Pictures of the site for the documentation; only where they are asked for, since no two machines make the same bytes. */

import assert from "node:assert/strict";
import path from "node:path";
import test, { after, afterEach, before } from "node:test";
import type { BrowserContextOptions } from "playwright-core";
import { project, Site } from "./site";

const WINDOW = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };

/** Name, page, and the window in which it is seen. */
const PICTURES: readonly (readonly [string, string, BrowserContextOptions])[] = [
  ["site-light", "", { viewport: WINDOW, colorScheme: "light" }],
  ["site-dark", "guide/spot.html", { viewport: WINDOW, colorScheme: "dark" }],
  ["site-phone", "guide/start.html", { viewport: PHONE, colorScheme: "light", isMobile: true, hasTouch: true }],
];

let site: Site;

before(async () => {
  site = await Site.start();
});

afterEach(() => site.assertQuiet());

after(() => site?.stop());

for (const [name, address, options] of PICTURES) {
  test(`the picture ${name}`, async () => {
    const page = await site.open(address, options);
    const kept = process.env["TFDSL_PICTURES"] === undefined ? {} : { path: path.join(project, "docs/images", `${name}.png`) };
    assert.ok((await page.screenshot(kept)).length > 0);
  });
}
