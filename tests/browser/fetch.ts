/** Run npm, tar and compilers for the programs that tests drive. */

import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

/** Without scripts, so nothing that is fetched runs before it is used. */
export const INSTALL = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
/** Milliseconds that one program may take. */
const PATIENCE = 600_000;

/** Run a program in a folder; an error says in one line why `what` cannot be had. */
export async function run(what: string, cwd: string, program: string, ...args: string[]): Promise<{ stdout: string }> {
  try {
    return await promisify(execFile)(program, args, { cwd, timeout: PATIENCE, maxBuffer: 1 << 27 });
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const why = stderr.split("\n").find((line) => /error|ERR!/i.test(line)) ?? String(error).split("\n")[0];
    throw new Error(`cannot get ${what} for the tests: ${path.basename(program)} ${args.join(" ")}: ${why}`);
  }
}
