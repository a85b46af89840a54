/** What a preview shows, where its lines come from, and how its document is called. */

import type { CompileParams, Output } from "./compile";

/** What stands in place of a file when there is none. */
export const NOTHING = "# The job has errors, or this file is not written any more. See the problems of the job's file.\n";

/** Lines are counted from 0, as VS Code does. */
export interface Line {
  /** The line of the preview. */
  readonly shown: number;
  /** The URI of the text that it comes from, and the line there. */
  readonly uri: string;
  readonly line: number;
}

/** The lines of a file that come from somewhere, in order. */
export function linesOf({ map }: Output): Line[] {
  return map.lines.flatMap(([to, index, from]) => {
    const uri = map.sources[index];
    return uri === undefined ? [] : [{ shown: to - 1, uri, line: from - 1 }];
  });
}

/** The lines of the preview that come from a line of a text. */
export function linesFrom(lines: readonly Line[], uri: string, line: number): number[] {
  return [...new Set(lines.filter((one) => one.uri === uri && one.line === line).map((one) => one.shown))];
}

/** Where a line of the preview comes from: it, or the last line before it that comes from anywhere. */
export function originOf(lines: readonly Line[], line: number): Line | undefined {
  return lines.findLast((one) => one.shown <= line);
}

/** The path of the preview of a file: `/mnist (volcano)/mnist.yaml`, in which the last part is what the tab shows. */
export function previewPath({ textDocument, target, job, profile }: CompileParams, name?: string): string {
  const base = job ?? (textDocument.uri.split("/").at(-1)?.replace(/\.tfjob$/, "") || "job");
  const folder = [target, profile].filter(Boolean).join(", ");
  return `/${decodeURIComponent(base)} (${folder})${name === undefined ? "" : `/${name}`}`;
}

/** The file that the path of a preview is about; none for the one in front. */
export function fileName(path: string): string | undefined {
  return path.split("/").slice(2).join("/") || undefined;
}
