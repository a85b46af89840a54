/** Lines that follow each other: what the line at the cursor became, and where a line of the output is from. */

import type { Line, Made, Origin, Output } from "../protocol";
import { counted } from "./dom";
import type { Ask } from "./facts";
import type { OutputPane } from "./output";
import type { Source } from "./source";

export class Following {
  /** Counts questions, so that a late answer is left alone. */
  private asked = 0;
  /** Set while the source is moved from here. */
  private leading = false;
  /** The outputs that are shown are those of the texts. */
  private current = false;

  constructor(
    private readonly ask: Ask,
    private readonly source: Source,
    private readonly output: OutputPane,
    private readonly says: (line: string) => void,
  ) {}

  /** The output is of the texts as they are, or of older ones: lines of those cannot be told. */
  setCurrent(current: boolean): void {
    this.current = current;
    if (!current) {
      this.asked += 1;
      this.output.together([], false);
      this.source.together([], false);
      this.says("");
    }
  }

  /** The cursor of the source is on another line, or the output has changed. */
  async fromSource(scroll: boolean): Promise<void> {
    if (this.leading || !this.current) {
      return;
    }
    const { file, line } = this.source;
    const mine = (this.asked += 1);
    this.source.together([], false);
    const made = await this.ask("made", { file, line });
    if (mine === this.asked) {
      this.output.together(made?.lines ?? [], scroll);
      this.says(made === null ? "" : tellMade(line, made));
    }
  }

  /** The reader looks at a line of the output. */
  async fromOutput(output: string, line: number): Promise<void> {
    if (!this.current) {
      return;
    }
    const mine = (this.asked += 1);
    this.output.lookAt(line);
    const origin = await this.ask("origin", { output, line });
    if (mine !== this.asked) {
      return;
    }
    this.lead(origin);
    this.says(origin === null ? "" : tellOrigin(line, origin));
  }

  private lead(origin: Origin | null): void {
    const place = origin?.place ?? null;
    this.leading = true;
    if (place !== null && this.source.names.includes(place.file)) {
      this.source.show(place.file);
    }
    this.leading = false;
    const all: { at: Line; how: string }[] = [
      ...(place === null ? [] : [{ at: place, how: "made" }]),
      ...(origin?.uses ?? []).map((at) => ({ at, how: "through" })),
    ];
    const own = all.filter(({ at }) => at.file === this.source.file);
    this.source.together(
      own.map(({ at, how }) => ({ line: at.line, how })),
      true,
    );
  }
}

function tellMade(line: number, { lines, reason }: Made): string {
  if (lines.length === 0) {
    return reason === null ? "" : `Line ${line}: ${reason}`;
  }
  const files = new Set(lines.map(({ output }: { output: Output["name"] }) => output));
  const where = files.size === 1 ? [...files][0] : counted(files.size, "file");
  return `Line ${line} is in ${counted(lines.length, "line")} of ${where}`;
}

function tellOrigin(line: number, { place, reason }: Origin): string {
  return place === null ? `Line ${line}: ${reason ?? "no line made it"}` : `Line ${line} is from ${place.file}:${place.line}`;
}
