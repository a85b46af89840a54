/**
 * The engine as the page has it: a worker, and the patience with it. Python cannot be interrupted from outside without headers
 * that a server of static files does not send, so a worker that takes too long is ended and another one is started.
 */

import type { Engine, EngineEvent, EngineOptions, Input, Question, Questions } from "../protocol";
import { LIMITS } from "../protocol";
import { type Fetched, fetchFiles } from "./files";
import type { FromWorker, ToWorker } from "./wire";

/** Of the start, the part that is fetching. */
const FETCHING = 0.7;
/** So often in a row a worker may end before Python is there. */
const MOST_FAILURES = 3;

/** Start the engine whose files are in `options.folder`. */
export function startEngine(options: EngineOptions): Engine {
  return new Client(options);
}

/** Why the engine cannot run here, in a line for people. */
function unable(): string | undefined {
  if (location.protocol === "file:") {
    return "The playground needs a server: a browser does not run its engine from a file";
  }
  const there = [typeof WebAssembly, typeof Worker, typeof DecompressionStream].every((kind) => kind !== "undefined");
  return there ? undefined : "This browser is too old for the playground: it lacks WebAssembly, workers or DecompressionStream";
}

class Client implements Engine {
  private fetched: Fetched | undefined;
  private worker: Worker | undefined;
  private newest: Input | undefined;
  /** The worker is not given this one again. */
  private offender: Input | undefined;
  private readonly answers = new Map<number, (answer: unknown) => void>();
  private asked = 0;
  private failures = 0;
  private ended = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly patience: number;

  constructor(private readonly options: EngineOptions) {
    this.patience = options.patience ?? LIMITS.patience;
    // Later, so that whoever is told has the engine.
    queueMicrotask(() => void this.begin());
  }

  update(input: Input): void {
    this.newest = input;
    this.send({ kind: "update", input });
  }

  ask<Q extends Question>(question: Q, about: Questions[Q]["asks"]): Promise<Questions[Q]["answers"] | null> {
    return new Promise((done) => {
      if (this.ended) {
        done(null);
        return;
      }
      this.asked += 1;
      this.answers.set(this.asked, done as (answer: unknown) => void);
      if (this.worker === undefined) {
        this.questions.push({ kind: "ask", id: this.asked, question, about });
      } else {
        this.send({ kind: "ask", id: this.asked, question, about });
      }
    });
  }

  close(): void {
    this.ended = true;
    this.end();
    if (this.fetched !== undefined) {
      URL.revokeObjectURL(this.fetched.program);
    }
  }

  /** Questions from before there is a worker. */
  private questions: ToWorker[] = [];

  private async begin(): Promise<void> {
    const reason = unable();
    if (reason !== undefined) {
      this.fail(reason);
      return;
    }
    this.heard({ kind: "loading", part: 0, says: "Loading Python" });
    let shown = 0;
    try {
      this.fetched = await fetchFiles(new URL(this.options.folder, document.baseURI).href, (part) => {
        if (part - shown > 0.02) {
          shown = part;
          this.heard({ kind: "loading", part: part * FETCHING, says: "Loading Python" });
        }
      });
      this.startWorker(this.fetched);
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  private startWorker({ program, files }: Fetched): void {
    if (this.ended) {
      return;
    }
    const worker = new Worker(program, { type: "module", name: "tfdsl" });
    this.worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
      if (this.worker === worker) {
        this.take(data);
      }
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      if (this.worker === worker) {
        this.restart(this.newest, `The engine stopped: ${event.message || "its program cannot be loaded"}`);
      }
    });
    this.send({ kind: "start", files });
    if (this.newest !== undefined && this.newest !== this.offender) {
      this.send({ kind: "update", input: this.newest });
    }
    for (const question of this.questions.splice(0)) {
      this.send(question);
    }
  }

  private take(message: FromWorker): void {
    switch (message.kind) {
      case "event":
        this.heard(message.event);
        break;
      case "answer":
        this.answers.get(message.id)?.(message.answer);
        this.answers.delete(message.id);
        break;
      case "busy": {
        const { revision, asked } = message;
        this.failures = 0; // Python has started: if it ends now, it is because of a text, and there will be another one
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
          this.tooLong(revision, asked);
        }, this.patience);
        break;
      }
      case "idle":
        clearTimeout(this.timer);
        break;
      case "broken":
        this.restart(this.newest, message.says);
        break;
    }
  }

  private tooLong(revision: number, asked: boolean): void {
    const seconds = Math.round(this.patience / 1000);
    const what = asked ? "An answer" : "The output of this text";
    // After a question the text is fine: the new worker gets it again.
    const offender = !asked && this.newest?.revision === revision ? this.newest : undefined;
    this.restart(offender, `${what} took more than ${seconds} seconds, so it was stopped`, revision);
  }

  private restart(offender: Input | undefined, says: string, revision = offender?.revision ?? 0): void {
    this.end();
    this.failures += 1;
    if (this.failures > MOST_FAILURES || this.fetched === undefined) {
      this.fail(says);
      return;
    }
    this.offender = offender;
    this.heard({ kind: "restarted", revision, says });
    this.startWorker(this.fetched);
  }

  /** End the worker; what has been asked has no answer. */
  private end(): void {
    clearTimeout(this.timer);
    this.worker?.terminate();
    this.worker = undefined;
    this.questions = [];
    for (const done of this.answers.values()) {
      done(null);
    }
    this.answers.clear();
  }

  private fail(says: string): void {
    this.end();
    this.ended = true;
    this.heard({ kind: "failed", says });
  }

  private heard(event: EngineEvent): void {
    this.options.heard(event);
  }

  private send(message: ToWorker): void {
    this.worker?.postMessage(message);
  }
}
