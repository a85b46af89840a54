/** What a preview shows, and how its document is called. */

import type { Output } from "./compile";

/** What stands in place of the output when there is none. */
export const NOTHING = "# The job has errors, or nothing is written for this target. See the problems of its file.\n";

/** One text out of the files; several get a line with their path before each. */
export function shown(files: readonly Output[]): string {
  const [first, ...others] = files;
  if (first === undefined) {
    return NOTHING;
  }
  if (others.length === 0) {
    return first.text;
  }
  return files.map((file) => `# ===== ${file.name} =====\n${withEnd(file.text)}`).join("\n");
}

function withEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The targets that a text has blocks for, each once, in order. */
export function targetsIn(text: string): string[] {
  const found = text.matchAll(/(?:^|[{,])[ \t]*target[ \t]+([A-Za-z_]\w*)[ \t]*\{/gm);
  return [...new Set([...found].map((match) => match[1] ?? ""))];
}

/** The name of the preview of a file for a target; its ending chooses the colours. */
export function previewName(file: string, target: string): string {
  const base = file.split(/[\\/]/).at(-1)?.replace(/\.tfjob$/, "") || "job";
  return `${base} (${target}).${/^(?:slider|yarn)(?:@|$)/.test(target) ? "txt" : "yaml"}`;
}
