/** The real Mermaid, from npm by exact version, kept beside the other programs. */

import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const VERSION = "11.17.2";
/** Milliseconds that npm may take. */
const PATIENCE = 300_000;

/** The script for pages, which needs no other file; fetched if it is not there. */
export async function mermaidScript(work: string): Promise<string> {
  const home = path.join(work, `mermaid-${VERSION}`);
  const script = path.join(home, "package/dist/mermaid.min.js");
  if (!fs.existsSync(script)) {
    fs.rmSync(home, { recursive: true, force: true });
    fs.mkdirSync(home, { recursive: true });
    const run = (program: string, ...args: string[]) => promisify(execFile)(program, args, { cwd: home, timeout: PATIENCE });
    const { stdout } = await run("npm", "pack", "--silent", `mermaid@${VERSION}`);
    await run("tar", "-xzf", stdout.trim());
  }
  return script;
}
