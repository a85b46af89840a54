/** Fetch and build the programs of these tests; what cannot be had is told in one line. */

import path from "node:path";
import { chromiumFolder } from "../../../../tests/browser/chromium";
import { programs } from "./programs";

async function get(work: string): Promise<void> {
  await chromiumFolder(work);
  await programs(work);
}

get(path.resolve(process.env["WORK"] ?? ".editors")).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
