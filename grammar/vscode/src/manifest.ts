/** The request `tfdsl/import`: the text of the jobs that a manifest describes. */

import type { Diagnostic } from "vscode-languageserver-protocol";

export const IMPORT = "tfdsl/import";

export interface Imported {
  /** The text of the jobs, empty when there are none. */
  readonly text: string;
  /** What there is to say about the manifest. */
  readonly diagnostics: Diagnostic[];
  /** The names of the jobs that do not compile to the manifest again. */
  readonly differs: readonly string[];
}

/** What an answer says; what has another form than agreed on is left out. */
export function importedOf(answer: unknown): Imported {
  const { text, jobs, diagnostics } = isRecord(answer) ? answer : {};
  return {
    text: typeof text === "string" ? text : "",
    diagnostics: Array.isArray(diagnostics) ? diagnostics.filter(isDiagnostic) : [],
    differs: Array.isArray(jobs)
      ? jobs.flatMap((job: unknown) => (isRecord(job) && job["kept"] === false ? [String(job["name"])] : []))
      : [],
  };
}

function isDiagnostic(value: unknown): value is Diagnostic {
  return isRecord(value) && isRecord(value["range"]) && typeof value["message"] === "string";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
