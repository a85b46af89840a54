/**
 * The worker: Python, and the order in which it does things. What people wait for comes first: questions, then the check of
 * the newest text, then its output. Between two calls of Python it looks whether there is a newer input, and drops the older.
 */

import type { EngineEvent, Input, Question, Questions } from "../protocol";
import { type Bridge, importBridge, startPython } from "./python";
import type { Files, FromWorker, ToWorker } from "./wire";

/** Milliseconds of one piece of a check. */
const PIECE = 40;
/** An output that takes less is waited for: the diagnostics of the text alone would be gone at once. */
const QUICK = 250;
/** The first output for a target takes so long only because it loads what it needs. */
const LOADING = 2000;
/** An output that takes more is begun only when nothing has been typed for a moment. */
const SLOW = 500;
const PAUSE = 300;

interface Asked {
  readonly id: number;
  readonly question: Question;
  readonly about: Questions[Question]["asks"];
}

class Engine {
  private newest: Input | undefined;
  /** The input that Python has. */
  private applied: Input | undefined;
  /** The input that nothing is left to do for. */
  private finished: Input | undefined;
  private readonly questions: Asked[] = [];
  private running = false;
  /** Milliseconds that the next output will probably take; nobody knows about the first one. */
  private last = Number.POSITIVE_INFINITY;
  private target = "";
  private heard = 0;

  constructor(
    private readonly bridge: Bridge,
    private readonly prepared: () => void,
  ) {}

  take(message: ToWorker): void {
    if (message.kind === "update") {
      this.newest = message.input;
      this.heard = performance.now();
    } else if (message.kind === "ask") {
      this.questions.push(message);
    }
    void this.run();
  }

  private async run(): Promise<void> {
    if (this.running) {
      return;
    }
    this.running = true;
    try {
      await breath();
      while (this.questions.length > 0 || this.finished !== this.newest) {
        this.answer();
        const input = this.newest;
        if (input !== undefined && input !== this.finished) {
          await this.process(input);
        }
      }
    } catch (error) {
      send({ kind: "broken", says: endingOf(error) });
    } finally {
      this.running = false;
    }
  }

  /** Answer the questions that are there. */
  private answer(): void {
    for (let asked = this.questions.shift(); asked !== undefined; asked = this.questions.shift()) {
      const { id, question, about } = asked;
      let answer: unknown = null;
      if (this.newest !== undefined && this.apply(this.newest)) {
        const revision = this.newest.revision;
        const text = this.call(revision, true, () => this.bridge.ask(question, JSON.stringify(about)));
        answer = text === undefined ? null : JSON.parse(text);
      }
      send({ kind: "answer", id, answer });
    }
  }

  /** Give `input` to Python; false: it does not take it. */
  private apply(input: Input): boolean {
    if (this.applied !== input) {
      const says = this.call(input.revision, false, () => this.bridge.update(JSON.stringify(input)));
      if (says !== "") {
        this.finished = input;
        if (says !== undefined) {
          tell({ kind: "refused", revision: input.revision, says });
        }
        return false;
      }
      this.applied = input;
    }
    return true;
  }

  /** Check and compile `input`, as far as it stays the newest. */
  private async process(input: Input): Promise<void> {
    const begun = performance.now();
    if (!this.apply(input)) {
      return;
    }
    const { revision } = input;
    const quick = this.last < QUICK;
    if (!quick) {
      while (this.call(revision, false, () => this.bridge.work(PIECE)) === true) {
        if (await this.overtaken(input)) {
          return;
        }
      }
    }
    const checked = this.call(revision, false, () => this.bridge.checked(!quick));
    if (checked !== undefined) {
      tell(JSON.parse(checked) as EngineEvent);
      if (this.last > SLOW && Number.isFinite(this.last)) {
        await this.pause();
      }
      if (!(await this.overtaken(input))) {
        this.compile(input, begun);
      }
    }
  }

  private compile(input: Input, begun: number): void {
    const { revision } = input;
    const before = performance.now();
    this.prepared();
    const text = this.call(revision, false, () => this.bridge.compiled());
    const took = performance.now() - before;
    this.last = input.target !== this.target && took < LOADING ? 0 : took;
    this.target = input.target;
    this.finished = input;
    if (text !== undefined) {
      const answer = JSON.parse(text) as { kind?: string; says: string };
      const milliseconds = performance.now() - begun;
      tell(
        answer.kind === undefined
          ? { kind: "refused", revision, says: answer.says }
          : ({ ...answer, milliseconds } as unknown as EngineEvent),
      );
    }
  }

  /** Wait until nothing has been typed for a moment. */
  private async pause(): Promise<void> {
    for (let left = PAUSE; left > 0; left = this.heard + PAUSE - performance.now()) {
      await new Promise((done) => setTimeout(done, Math.min(left, PAUSE)));
      this.answer();
      if (this.applied !== this.newest) {
        return;
      }
    }
  }

  /** Take what has come meanwhile; whether there is a newer input than `input`. */
  private async overtaken(input: Input): Promise<boolean> {
    await breath();
    this.answer();
    return this.newest !== input || this.finished === input;
  }

  /** Call Python. An error of Python's is told and gives nothing; any other, or too little memory, ends the engine. */
  private call<T>(revision: number, asked: boolean, work: () => T): T | undefined {
    send({ kind: "busy", revision, asked });
    try {
      return work();
    } catch (error) {
      if (!isPythonError(error) || isMemoryError(error)) {
        throw error;
      }
      console.error(error);
      if (!asked) {
        this.finished = this.newest;
        tell({ kind: "refused", revision, says: `tfdsl stopped with an error of its own: ${lineOf(error)}` });
      }
      return undefined;
    } finally {
      send({ kind: "idle" });
    }
  }
}

async function start(files: Files, waiting: readonly ToWorker[]): Promise<Engine> {
  tell({ kind: "loading", part: 0.75, says: "Starting Python" });
  const python = await startPython(files);
  tell({ kind: "loading", part: 0.85, says: "Loading the compiler" });
  const bridge = importBridge(python);
  let ready = false;
  const engine = new Engine(bridge, () => {
    if (!ready) {
      ready = true;
      bridge.prepare();
      tell({ kind: "ready", version: bridge.version() });
    }
  });
  for (const message of waiting) {
    engine.take(message);
  }
  return engine;
}

/** Until the next task: what was sent meanwhile has arrived. */
function breath(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = (): void => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}

function isPythonError(error: unknown): boolean {
  return error instanceof Error && error.name === "PythonError";
}

/** Python goes on after it, but keeps the memory that it has. */
function isMemoryError(error: unknown): boolean {
  return lineOf(error).startsWith("MemoryError");
}

/** Why the engine ends, in a line for people. */
function endingOf(error: unknown): string {
  return isMemoryError(error) ? "This text needs more memory than the playground has" : `The engine stopped: ${lineOf(error)}`;
}

/** The last line of an error: of Python's, the one that says what it is. */
function lineOf(error: unknown): string {
  const { message } = error as { message?: unknown };
  const text = typeof message === "string" ? message : String(error);
  return text.trimEnd().split("\n").at(-1) ?? text;
}

function tell(event: EngineEvent): void {
  send({ kind: "event", event });
}

function send(message: FromWorker): void {
  postMessage(message);
}

let engine: Engine | undefined;
const waiting: ToWorker[] = [];

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if (engine !== undefined) {
    engine.take(data);
  } else if (data.kind === "start") {
    start(data.files, waiting).then(
      (started) => {
        engine = started;
      },
      (error: unknown) => {
        console.error(error);
        send({ kind: "broken", says: endingOf(error) });
      },
    );
  } else {
    waiting.push(data);
  }
});
