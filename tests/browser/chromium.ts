/**
 * The browser of the tests of editors and of the site: Chromium and a font, from npm by name and exact version, without a
 * display, root or a system package, in a work folder that later runs use again.
 */

import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { INSTALL, run } from "./fetch";

const PACKAGES = { "@sparticuz/chromium": "153.0.0", "dejavu-fonts-ttf": "2.37.3" };

/** How playwright-core launches the browser. Every package has its own playwright-core, so none is imported here. */
export interface LaunchOptions {
  readonly executablePath: string;
  readonly env: Record<string, string>;
  readonly args: string[];
}

/** The options for the browser below `work`, which is fetched if it is not there; `home` is its scratch folder. */
export async function chromiumOptions(work: string, home: string): Promise<LaunchOptions> {
  const browser = path.join(await chromiumFolder(work), "browser");
  return {
    executablePath: path.join(browser, "chromium"),
    env: { HOME: home, LD_LIBRARY_PATH: path.join(browser, "lib"), FONTCONFIG_FILE: path.join(browser, "fonts.conf") },
    args: ["--no-sandbox", "--no-zygote", "--font-render-hinting=none"],
  };
}

/** Fetch the browser if it is not there; an error says in one line what cannot be had. */
export async function chromiumFolder(work: string): Promise<string> {
  const folder = path.join(work, `chromium-${PACKAGES["@sparticuz/chromium"]}`);
  const ready = path.join(folder, "ready");
  if (!fs.existsSync(ready)) {
    if (process.platform !== "linux" || process.arch !== "x64") {
      throw new Error("these tests need Linux on x86-64: the browser is built for nothing else");
    }
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, dependencies: PACKAGES }));
    await run("Chromium", folder, "npm", "install", ...INSTALL);
    await unpack(folder);
    fs.writeFileSync(ready, "");
  }
  return folder;
}

async function unpack(folder: string): Promise<void> {
  const from = path.join(folder, "node_modules/@sparticuz/chromium/bin");
  const to = path.join(folder, "browser");
  fs.mkdirSync(to, { recursive: true });
  for (const name of fs.readdirSync(from).filter((each) => each.endsWith(".br"))) {
    const file = path.join(to, path.basename(name, ".br"));
    fs.writeFileSync(file, zlib.brotliDecompressSync(fs.readFileSync(path.join(from, name))));
    if (file.endsWith(".tar")) {
      await run("Chromium", to, "tar", "-xf", file);
      fs.rmSync(file);
    }
  }
  fs.chmodSync(path.join(to, "chromium"), 0o755);
  const fonts = [path.join(to, "fonts"), path.join(folder, "node_modules/dejavu-fonts-ttf/ttf")];
  fs.writeFileSync(
    path.join(to, "fonts.conf"),
    `<?xml version="1.0"?>\n<fontconfig>\n${fonts.map((each) => `<dir>${each}</dir>\n`).join("")}` +
      `<cachedir>${path.join(to, "font-cache")}</cachedir>\n</fontconfig>\n`,
  );
}
