/** Which program is the language server. */

import * as path from "node:path";

/** A program and its arguments. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** What the choice depends on, so that it can be made without an editor. */
export interface Surroundings {
  /** The setting `tfdsl.server.command`. */
  readonly configured: readonly string[];
  /** Folders of the workspace on disk; none when the workspace is not trusted to say what is run. */
  readonly folders: readonly string[];
  readonly platform: NodeJS.Platform;
  readonly exists: (file: string) => boolean;
}

/** The configured command, else `tfdsl` of a folder's `.venv`, else `tfdsl` of the `PATH`. */
export function serverCommand(around: Surroundings): Command {
  const [command, ...args] = around.configured;
  if (command !== undefined && command !== "") {
    return { command, args };
  }
  const windows = around.platform === "win32";
  const inside = windows ? [".venv", "Scripts", "tfdsl.exe"] : [".venv", "bin", "tfdsl"];
  const join = windows ? path.win32.join : path.posix.join;
  const found = around.folders.map((folder) => join(folder, ...inside)).find(around.exists);
  return { command: found ?? "tfdsl", args: ["lsp"] };
}
