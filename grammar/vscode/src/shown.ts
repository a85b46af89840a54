/** What a preview shows, where its lines come from, and how its document is called. */

import type { Output } from "./compile";

/** What stands in place of the output when there is none. */
export const NOTHING = "# The job has errors, or nothing is written for this target. See the problems of its file.\n";

/** Lines are counted from 0, as VS Code does. */
export interface Line {
  /** The line of the preview. */
  readonly shown: number;
  /** The URI of the text that it comes from, and the line there. */
  readonly uri: string;
  readonly line: number;
}

/** A file of the output, and the line of the preview that is its first. */
export interface Part {
  readonly name: string;
  readonly first: number;
}

/** A text, its lines that come from somewhere, and the files that it consists of, each in order. */
export interface Shown {
  readonly text: string;
  readonly lines: readonly Line[];
  readonly parts: readonly Part[];
}

/** One text out of the files; several get a line with their path before each. */
export function shown(files: readonly Output[]): Shown {
  if (files.length === 0) {
    return { text: NOTHING, lines: [], parts: [] };
  }
  const lines: Line[] = [];
  const parts: Part[] = [];
  let text = "";
  for (const { name, text: own, map } of files) {
    if (files.length > 1) {
      text += `${text === "" ? "" : "\n"}# ===== ${name} =====\n`;
    }
    const before = text.split("\n").length - 1;
    parts.push({ name, first: before });
    for (const [to, index, from] of map.lines) {
      const uri = map.sources[index];
      if (uri !== undefined) {
        lines.push({ shown: before + to - 1, uri, line: from - 1 });
      }
    }
    text += files.length > 1 ? withEnd(own) : own;
  }
  return { text, lines, parts };
}

/** The line of a file, counted from 1, that a line of the preview is. */
export function lineOfFile({ parts }: Shown, line: number): { name: string; line: number } | undefined {
  const part = parts.findLast(({ first }) => first <= line);
  return part && { name: part.name, line: line - part.first + 1 };
}

/** The line of the preview that a line of a file, counted from 1, is. */
export function shownLine({ parts }: Shown, name: string, line: number): number | undefined {
  const part = parts.find((one) => one.name === name);
  return part && part.first + line - 1;
}

/** The lines of the preview that come from a line of a text. */
export function linesFrom({ lines }: Shown, uri: string, line: number): number[] {
  return [...new Set(lines.filter((one) => one.uri === uri && one.line === line).map((one) => one.shown))];
}

/** Where a line of the preview comes from: it, or the last line before it that comes from anywhere. */
export function originOf({ lines }: Shown, line: number): Line | undefined {
  return lines.findLast((one) => one.shown <= line);
}

function withEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The targets that a text has blocks for, each once, in order. */
export function targetsIn(text: string): string[] {
  const found = text.matchAll(/(?:^|[{,])[ \t]*target[ \t]+([A-Za-z_]\w*)[ \t]*\{/gm);
  return [...new Set([...found].map((match) => match[1] ?? ""))];
}

/** The profiles that a text declares, each once, in order. */
export function profilesIn(text: string): string[] {
  const found = text.matchAll(/^[ \t]*profile[ \t]+([A-Za-z_][\w-]*)[ \t]*\{/gm);
  return [...new Set([...found].map((match) => match[1] ?? ""))];
}

/** The name of the preview of a file for a target; its ending chooses the colours. */
export function previewName(file: string, target: string): string {
  const base = file.split(/[\\/]/).at(-1)?.replace(/\.tfjob$/, "") || "job";
  return `${base} (${target}).${/^(?:slider|yarn)(?:@|$)/.test(target) ? "txt" : "yaml"}`;
}
