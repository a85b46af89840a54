// Makes dist/extension.js, and dist/licences.txt with the licences of the packages that are in it, which ask for that.

import { build } from "esbuild";
import fs from "node:fs";
import path from "node:path";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  external: ["vscode"],
  metafile: true,
  logLevel: "warning",
});

/** The innermost package that a file belongs to. */
function packageOf(file) {
  return file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0];
}

const packages = new Set(Object.keys(metafile.inputs).map(packageOf).filter(Boolean));
const parts = [...packages].sort().map((folder) => {
  const { name, version, license } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  const file = fs.readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) {
    throw new Error(`${name} has no licence file`);
  }
  return `${name} ${version} (${license})\n\n${fs.readFileSync(path.join(folder, file), "utf8").trim()}\n`;
});
fs.writeFileSync("dist/licences.txt", parts.join(`\n${"-".repeat(80)}\n\n`));
