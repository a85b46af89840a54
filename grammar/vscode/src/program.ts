/**
 * Which program is the language server: always an absolute path, so that nobody else looks for it. Windows would take a
 * program of the current folder before that of the PATH, and a PATH may name folders relative to the current one.
 */

import * as nodePath from "node:path";

/** A program, its arguments, and the folder that it is started in. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** What the choice depends on, so that it can be made without an editor. */
export interface Surroundings {
  /** The setting `tfdsl.server.command`; of a workspace that is not trusted VS Code gives the user's only. */
  readonly configured: readonly string[];
  /** Folders of the workspace on disk. */
  readonly folders: readonly string[];
  /** Whether the workspace may say what is run. */
  readonly trusted: boolean;
  readonly platform: NodeJS.Platform;
  /** The environment variable PATH. */
  readonly search: string;
  /** Whether a path is a program that can be started. */
  readonly runs: (file: string) => boolean;
}

/** The configured program, else `tfdsl` of a trusted folder's `.venv`, else that of the `PATH`; if there is one. */
export function serverCommand(around: Surroundings): Command | undefined {
  const [name, ...args] = around.configured;
  if (name !== undefined && name !== "") {
    const found = named(name, around);
    return found === undefined ? undefined : started(found, args, around);
  }
  const found = ofWorkspace(around) ?? onPath("tfdsl", around);
  return found === undefined ? undefined : started(found, ["lsp"], around);
}

/** The arguments of another command of the same program; without any when it is a program that only serves. */
export function otherCommand({ args }: Pick<Command, "args">, ...words: string[]): string[] | undefined {
  const at = args.lastIndexOf("lsp");
  return at < 0 ? undefined : [...args.slice(0, at), ...words];
}

/** There is no package index that has it: README.md, "Install". */
const INSTALL = "in a checkout of tfdsl, run: pip install '.[lsp]'";
/** The oldest tfdsl whose server answers all that the extension asks for. */
const NEEDED = "0.1.0";

/** What the user can do about a program that is not there. */
export function missing({ configured: [name] }: Pick<Surroundings, "configured">): string {
  return name !== undefined && name !== ""
    ? `The program "${name}" of the setting tfdsl.server.command is not there.`
    : `The program tfdsl is not installed, so .tfjob files get colours only. To install it, ${INSTALL}`;
}

/** Whether a server is older than the extension can work with; all that name no version are. */
export function isOlder(version: string | undefined): boolean {
  const [own, needed] = [version ?? "", NEEDED].map((text) => text.split(".", 3).map((part) => parseInt(part, 10) || 0));
  const at = needed?.findIndex((part, index) => part !== (own?.[index] ?? 0)) ?? -1;
  return at >= 0 && (own?.[at] ?? 0) < (needed?.[at] ?? 0);
}

/** What the user can do about a server that is too old. */
export function outdated({ command }: Pick<Command, "command">, version: string | undefined): string {
  return (
    `${command} is tfdsl ${version ?? "of an unknown version"}. The extension needs ${NEEDED} or newer, ` +
    `so some of its commands fail. To update it, ${INSTALL}`
  );
}

/** `python -m tfdsl` looks for modules in its folder: that of the workspace is for a trusted one only. */
function started(command: string, args: readonly string[], around: Surroundings): Command {
  const [folder] = around.trusted ? around.folders : [];
  return { command, args, cwd: folder ?? pathsOf(around).dirname(command) };
}

/** A program by its path, or by its name on the PATH. A path that is relative is one below a trusted folder. */
function named(name: string, around: Surroundings): string | undefined {
  const paths = pathsOf(around);
  if (!/[\\/]/.test(name)) {
    return onPath(name, around);
  }
  const places = absolute(name, around) ? [name] : folders(around).map((folder) => paths.join(folder, name));
  return places.filter((place) => around.trusted || !inside(place, around)).find(around.runs);
}

function ofWorkspace(around: Surroundings): string | undefined {
  const below = around.platform === "win32" ? [".venv", "Scripts", "tfdsl.exe"] : [".venv", "bin", "tfdsl"];
  return folders(around)
    .map((folder) => pathsOf(around).join(folder, ...below))
    .find(around.runs);
}

function onPath(name: string, around: Surroundings): string | undefined {
  const paths = pathsOf(around);
  // A .cmd would need a shell, which reads arguments in its own way.
  const file = around.platform === "win32" && !/\.(?:exe|com)$/i.test(name) ? `${name}.exe` : name;
  return around.search
    .split(paths.delimiter)
    .filter((folder) => absolute(folder, around) && (around.trusted || !inside(folder, around)))
    .map((folder) => paths.join(folder, file))
    .find(around.runs);
}

/** On Windows `\tools` is on the current drive, whichever that is. */
function absolute(place: string, { platform }: Surroundings): boolean {
  return platform === "win32" ? /^(?:[a-z]:[\\/]|\\\\)/i.test(place) : place.startsWith("/");
}

function inside(place: string, around: Surroundings): boolean {
  const paths = pathsOf(around);
  return around.folders.some((folder) => {
    const way = paths.relative(folder, place);
    return way === "" || (way !== ".." && !way.startsWith(`..${paths.sep}`) && !paths.isAbsolute(way));
  });
}

function folders(around: Surroundings): readonly string[] {
  return around.trusted ? around.folders : [];
}

function pathsOf({ platform }: Surroundings): nodePath.PlatformPath {
  return platform === "win32" ? nodePath.win32 : nodePath.posix;
}
