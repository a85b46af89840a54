/** The request `tfdsl/compile`: what a target gets from an open text as it stands now. */

export const COMPILE = "tfdsl/compile";

export interface CompileParams {
  readonly textDocument: { readonly uri: string };
  /** As `-t` takes it: `volcano`, `tfjob@1.9`. */
  readonly target: string;
  /** The only job that is wanted; all jobs of the text without it. */
  readonly job?: string;
}

/** One file of the output; `name` is its path below the folder that `compile -o` would write to. */
export interface Output {
  readonly name: string;
  readonly text: string;
}

/** The files of an answer, none when the text has errors; what has another form than agreed on is left out. */
export function outputsOf(answer: unknown): Output[] {
  const outputs = isRecord(answer) ? answer["outputs"] : undefined;
  return Array.isArray(outputs) ? outputs.filter(isOutput) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isOutput(value: unknown): value is Output {
  return isRecord(value) && typeof value["name"] === "string" && typeof value["text"] === "string";
}
