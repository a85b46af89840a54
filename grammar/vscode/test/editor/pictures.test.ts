/** What `tfdsl graph` writes, read by those who draw it: Mermaid takes its text, and a browser shows its SVG. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test, { after, before } from "node:test";
import type { Browser } from "playwright-core";
import { examples, project } from "../places";
import { program } from "./environment";
import { mermaidScript } from "./mermaid";
import { startBrowser } from "./vscode";

const HOSTILE = `job mnist {
  image = "registry.example/mnist:1"
  command = ["true"]
  env = { A = secret("hub", "t") }
  mount pvc "data" at "/<b>end</b>/&amp;/\\"'\`#35; %% ]] )] graph subgraph --> \\u{1F600} 日本語"
  mount host "/a${"/very/long".repeat(30)}" at "/h"
  role ps { }
  role worker { replicas = 4000 }
}
`;

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "tfdsl-pictures-"));
const hostile = path.join(scratch, "hostile.tfjob");
const files = [...examples, hostile];
let browser: Browser;
let script: string;

before(async () => {
  fs.writeFileSync(hostile, HOSTILE);
  const work = path.resolve(process.env["WORK"] ?? ".editors");
  browser = await startBrowser(work, scratch);
  script = await mermaidScript(work);
});

after(async () => {
  await browser?.close();
  fs.rmSync(scratch, { recursive: true, force: true });
});

/** A job as a picture. */
function graph(file: string, ...words: string[]): string {
  const env = { ...process.env, PYTHONPATH: [project, path.join(project, "backends")].join(path.delimiter) };
  return execFileSync(path.join(program, "tfdsl"), ["graph", file, ...words], { env, encoding: "utf8" });
}

test("Mermaid draws every picture, and shows the names as they are", async () => {
  const page = await browser.newPage();
  await page.setContent("<div></div>");
  await page.addScriptTag({ path: script });
  const texts = files.map((file) => graph(file));
  const drawn = await page.evaluate(async (all) => {
    const { mermaid } = globalThis as unknown as {
      mermaid: { initialize(how: object): void; render(id: string, text: string): Promise<{ svg: string }> };
    };
    mermaid.initialize({ startOnLoad: false });
    const found: string[] = [];
    for (const [number, text] of all.entries()) {
      found.push((await mermaid.render(`g${number}`, text)).svg);
    }
    return found;
  }, texts);
  assert.equal(drawn.filter((svg) => svg.includes("worker")).length > 0, true);
  await page.setContent(drawn.at(-1) ?? "");
  const shown = (await page.locator("svg").textContent()) ?? "";
  assert.ok(shown.includes("/<b>end</b>/&amp;/\"'`#35; %% ]] )] graph subgraph --> 😀 日本語"), shown);
  assert.ok(shown.includes("worker ×4,000"));
});

test("in a browser every text of a picture is inside its box", async () => {
  const page = await browser.newPage();
  for (const file of files) {
    await page.setContent(graph(file, "--format", "svg"));
    const outside = await page.locator(".role, .store, .object").evaluateAll((boxes) =>
      boxes.flatMap((box) => {
        const { left, right, top, bottom } = box.querySelector(".body")!.getBoundingClientRect();
        return [...box.querySelectorAll("text")].flatMap((text) => {
          const at = text.getBoundingClientRect();
          const inside = at.left >= left - 12 && at.right <= right + 12 && at.top >= top - 12 && at.bottom <= bottom + 12;
          return inside ? [] : [text.textContent];
        });
      }),
    );
    assert.deepEqual(outside, [], file);
  }
});

test("a picture has other colours on a dark page", async () => {
  const svg = graph(hostile, "--format", "svg");
  const colours: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ colorScheme });
    await page.setContent(svg);
    const paper = page.locator(".paper");
    colours.push(await paper.evaluate((one) => one.ownerDocument.defaultView?.getComputedStyle(one).fill ?? ""));
  }
  assert.deepEqual(colours, ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]);
});
