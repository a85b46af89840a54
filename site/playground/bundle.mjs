/**
 * Writes the page of the playground into a folder: `node playground/bundle.mjs FOLDER`. Beside it the engine has a folder of
 * its own. licences.txt has the licences of the packages that are in the script, which ask for that.
 */

import { build } from "esbuild";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
if (folder === undefined) {
  throw new Error("usage: node playground/bundle.mjs FOLDER");
}

const { metafile } = await build({
  entryPoints: [path.join(here, "ui/main.ts")],
  outfile: path.join(folder, "playground.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022"],
  metafile: true,
  logLevel: "warning",
});
for (const name of ["index.html", "playground.css"]) {
  fs.copyFileSync(path.join(here, name), path.join(folder, name));
}

/** The innermost package that a file belongs to. */
function packageOf(file) {
  return file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0];
}

const packages = new Set(Object.keys(metafile.inputs).map(packageOf).filter(Boolean));
const parts = [...packages].sort().map((each) => {
  const { name, version, license } = JSON.parse(fs.readFileSync(path.join(each, "package.json"), "utf8"));
  const file = fs.readdirSync(each).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined) {
    throw new Error(`${name} has no licence file`);
  }
  return `${name} ${version} (${license})\n\n${fs.readFileSync(path.join(each, file), "utf8").trim()}\n`;
});
fs.writeFileSync(path.join(folder, "licences.txt"), parts.join(`\n${"-".repeat(80)}\n\n`));
