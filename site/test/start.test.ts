/** The site can be opened. */

import assert from "node:assert/strict";
import test, { after, afterEach, before } from "node:test";
import { Site } from "./site";

let site: Site;

before(async () => {
  site = await Site.start();
});

afterEach(() => site.assertQuiet());

after(() => site?.stop());

test("the first page opens", async () => {
  const page = await site.open();
  assert.match(await page.title(), /tfdsl/);
});
