/** The request `tfdsl/compile`: what a target gets from an open text as it stands now. */

export const COMPILE = "tfdsl/compile";

export interface CompileParams {
  readonly textDocument: { readonly uri: string };
  /** As `-t` takes it: `volcano`, `tfjob@1.9`. */
  readonly target: string;
  /** The only job that is wanted; all jobs of the text without it. */
  readonly job?: string;
  /** As `--profile` takes it; without it that of the settings. */
  readonly profile?: string;
}

/** Where lines of an output come from. */
export interface LineMap {
  /** The URIs of the texts. */
  readonly sources: readonly string[];
  /** Line of the output, index into `sources`, line of the source; lines are counted from 1. */
  readonly lines: readonly (readonly [number, number, number])[];
}

/** One file of the output; `name` is its path below the folder that `compile -o` would write to. */
export interface Output {
  readonly name: string;
  readonly languageId: string;
  readonly text: string;
  readonly executable: boolean;
  readonly map: LineMap;
}

/** The files of an answer, none when the text has errors; what has another form than agreed on is left out. */
export function outputsOf(answer: unknown): Output[] {
  const outputs = isRecord(answer) ? answer["outputs"] : undefined;
  return Array.isArray(outputs) ? outputs.flatMap(outputOf) : [];
}

function outputOf(value: unknown): Output[] {
  if (!isRecord(value)) {
    return [];
  }
  const { name, languageId, text, executable, map } = value;
  return typeof name === "string" && typeof text === "string"
    ? [{ name, languageId: String(languageId), text, executable: executable === true, map: mapOf(map) }]
    : [];
}

function mapOf(value: unknown): LineMap {
  const { sources, lines } = isRecord(value) ? value : {};
  return Array.isArray(sources) && Array.isArray(lines)
    ? { sources: sources.map(String), lines: lines.filter(isLine).map(([to, index, from]) => [to, index, from]) }
    : { sources: [], lines: [] };
}

function isLine(value: unknown): value is [number, number, number] {
  return Array.isArray(value) && value.length >= 3 && value.every(Number.isInteger);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
