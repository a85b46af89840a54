/** What the client (client.ts) and the worker (worker.ts) send each other; the page sees only protocol.ts. */

import type { EngineEvent, Input, Question, Questions } from "../protocol";

/** The files that a worker runs on. They are fetched once, so that a worker can be started again without a network. */
export interface Files {
  /** The interpreter: pyodide.asm.wasm. */
  readonly python: WebAssembly.Module;
  /** The standard library: a zip. */
  readonly library: ArrayBuffer;
  /** The compiler and what it needs: a pack (pack.ts). */
  readonly packages: ArrayBuffer;
}

export type ToWorker =
  | { readonly kind: "start"; readonly files: Files }
  | { readonly kind: "update"; readonly input: Input }
  | { readonly kind: "ask"; readonly id: number; readonly question: Question; readonly about: Questions[Question]["asks"] };

export type FromWorker =
  | { readonly kind: "event"; readonly event: EngineEvent }
  | { readonly kind: "answer"; readonly id: number; readonly answer: unknown }
  /** It is about to call Python, which cannot be interrupted: for an update, or for a question about it. */
  | { readonly kind: "busy"; readonly revision: number; readonly asked: boolean }
  | { readonly kind: "idle" }
  /** Python has ended and cannot be called again; `says` is a line for people. */
  | { readonly kind: "broken"; readonly says: string };
