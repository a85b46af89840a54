/** What axe finds on a page that would be in the way of people who see little or use other devices. */

import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { project } from "./site";

const PROGRAM = path.join(project, "site/node_modules/axe-core/axe.min.js");

/** One line for each kind of fault. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(fs.readFileSync(PROGRAM, "utf8"));
  return page.evaluate(violations);
}

/** In the page. */
async function violations(): Promise<string[]> {
  const { axe } = globalThis as unknown as {
    axe: { run(where: object, options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
  };
  const found = await axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa"] });
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.length} × ${nodes[0]?.html.slice(0, 160)}`);
}
