/** The request `tfdsl/where`: which lines of a preview a line of a text made, and which line made a line of it. */

export const WHERE = "tfdsl/where";

/** A line of a file of the output; lines are counted from 1. */
export interface OutputLine {
  readonly name: string;
  readonly line: number;
}

/** A line of a text; lines are counted from 1. */
export interface SourceLine {
  readonly uri: string;
  readonly line: number;
}

/** The lines of an answer about a line of a text; what has another form than agreed on is left out. */
export function madeLines(answer: unknown): OutputLine[] {
  const lines = isRecord(answer) ? answer["lines"] : undefined;
  return Array.isArray(lines)
    ? lines.flatMap((one: unknown) => {
        const { name, line } = isRecord(one) ? one : {};
        return typeof name === "string" && Number.isInteger(line) ? [{ name, line: Number(line) }] : [];
      })
    : [];
}

/** The lines of an answer about a line of the output: the one that made it, then those that it uses. */
export function originLines(answer: unknown): SourceLine[] {
  const { source, uses } = isRecord(answer) ? answer : {};
  return [source, ...(Array.isArray(uses) ? uses : [])].flatMap((one: unknown) => {
    const { uri, line } = isRecord(one) ? one : {};
    return typeof uri === "string" && Number.isInteger(line) ? [{ uri, line: Number(line) }] : [];
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
