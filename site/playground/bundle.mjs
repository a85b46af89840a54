/**
 * Writes the page of the playground into a folder: `node playground/bundle.mjs FOLDER`. The engine, which has a folder of its
 * own beside it, is there before: offline.js keeps what both are made of. licences.txt has the licences of the packages that are in the script, which ask for that.
 */

import { build } from "esbuild";
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
if (folder === undefined) {
  throw new Error("usage: node playground/bundle.mjs FOLDER");
}

/** Bundle a script; `define` sets its constants. */
function bundled(from, to, define = {}) {
  return build({
    entryPoints: [path.join(here, from)],
    outfile: path.join(folder, to),
    bundle: true,
    minify: true,
    format: "iife",
    target: ["es2022"],
    metafile: true,
    logLevel: "warning",
    define,
  });
}

const { metafile } = await bundled("ui/main.ts", "playground.js");
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

const loaded = fs.readdirSync(folder, { recursive: true }).filter((name) => /\.(html|css|js|json|gz)$/.test(name));
const files = loaded.map((name) => name.split(path.sep).join("/")).filter((name) => name !== "offline.js").sort();
const digest = crypto.createHash("sha256");
for (const file of files) {
  digest.update(`${file}\n`).update(fs.readFileSync(path.join(folder, file)));
}
await bundled("offline.js", "offline.js", { FILES: JSON.stringify(files), BUILD: JSON.stringify(digest.digest("hex").slice(0, 16)) });
