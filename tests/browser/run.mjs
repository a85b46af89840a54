/**
 * Run the bundled tests of a folder, a file at a time: node run.mjs FOLDER. With TFDSL_LAST_FAILED=1, only the files of which
 * a test failed in the run before, as node's own runner does not know them.
 */

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const folder = path.resolve(process.argv[2] ?? "dist/test");
const failed = `${folder}-failed`;
const all = fs.readdirSync(folder).filter((name) => name.endsWith(".test.js")).sort().map((name) => path.join(folder, name));
const before = process.env["TFDSL_LAST_FAILED"] && fs.existsSync(failed) ? fs.readFileSync(failed, "utf8").split("\n") : [];
const again = all.filter((file) => before.includes(file));

const done = spawnSync(
  process.execPath,
  [
    ...["--test", "--test-concurrency=1", "--test-force-exit"],
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    ...[`--test-reporter=${path.join(path.dirname(fileURLToPath(import.meta.url)), "failed.mjs")}`, `--test-reporter-destination=${failed}`],
    ...(again.length > 0 ? again : all),
  ],
  { stdio: "inherit" },
);
process.exitCode = done.status ?? 1;
