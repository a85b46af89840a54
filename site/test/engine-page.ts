/** The engine of the playground on a page of its own, as the page of the playground uses it. */

import { execFileSync } from "node:child_process";
import os from "node:os";
import path from "node:path";
import fs from "node:fs";
import type { Page } from "playwright-core";
import type { startEngine } from "../playground/engine/client";
import type { Compiled, Engine, EngineEvent, Input, Question, Questions } from "../playground/protocol";
import { project, type Site } from "./site";

/** What the page has beside the engine. */
interface Shared {
  readonly client: { startEngine: typeof startEngine };
  events: Heard[];
  /** When each revision was given to the engine. */
  sent: Record<number, number>;
  begun: number;
  engine: Engine;
}

/** An event, and the milliseconds since the engine was started. */
export interface Heard {
  readonly at: number;
  readonly event: EngineEvent;
}

/** Milliseconds until something that is waited for has to be there; the machine may be busy. */
const PATIENCE = 120_000;

/** The client as a script for any page. */
function script(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tfdsl-engine-"));
  const to = path.join(folder, "client.js");
  const options = ["--bundle", "--format=iife", "--global-name=client", "--log-level=warning", `--outfile=${to}`];
  const esbuild = path.join(project, "site/node_modules/.bin/esbuild");
  execFileSync(esbuild, [path.join(project, "site/playground/engine/client.ts"), ...options]);
  const text = fs.readFileSync(to, "utf8");
  fs.rmSync(folder, { recursive: true });
  return text;
}

export class EnginePage {
  private revision = 0;

  private constructor(readonly page: Page) {}

  /** Start the engine on a page of its own; `before` may change how the page gets its files. */
  static async open(
    site: Site,
    options: { patience?: number; before?: (page: Page) => Promise<unknown> } = {},
  ): Promise<EnginePage> {
    const page = await (await site.context()).newPage();
    page.setDefaultTimeout(PATIENCE);
    const empty = site.url("playground/engine.html");
    await page.route(empty, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>engine</title>" }));
    await page.goto(empty);
    await options.before?.(page);
    await page.addScriptTag({ content: script() });
    await page.evaluate(
      ([folder, patience]) => {
        const shared = globalThis as unknown as Shared;
        shared.events = [];
        shared.sent = {};
        shared.begun = performance.now();
        shared.engine = shared.client.startEngine({
          folder,
          heard: (event) => shared.events.push({ at: performance.now() - shared.begun, event }),
          ...(patience === 0 ? {} : { patience }),
        });
      },
      [site.url("playground/engine/"), options.patience ?? 0] as const,
    );
    return new EnginePage(page);
  }

  /** Give the engine a text; the revision it has. */
  async update(text: string, more: Partial<Input> = {}): Promise<number> {
    this.revision += 1;
    const input: Input = {
      revision: this.revision,
      files: { "main.tfjob": text },
      main: "main.tfjob",
      target: "volcano",
      profile: null,
      params: {},
      options: {},
      job: null,
      strict: false,
      ...more,
    };
    await this.page.evaluate((given) => {
      const shared = globalThis as unknown as Shared;
      shared.sent[given.revision] = performance.now() - shared.begun;
      shared.engine.update(given);
    }, input);
    return this.revision;
  }

  /** Wait for an event of one of these kinds, about `revision` if that is given. */
  async heard(kinds: readonly EngineEvent["kind"][], revision?: number): Promise<Heard> {
    const found = await this.page.waitForFunction(
      ([kinds, revision]) =>
        (globalThis as unknown as Shared).events.find(
          ({ event }) =>
            kinds.includes(event.kind) &&
            (revision === null || ("revision" in event && event.revision === revision)),
        ),
      [kinds, revision ?? null] as const,
      { polling: 20 },
    );
    return (await found.jsonValue()) as Heard;
  }

  /** Give the engine a text and wait for its output. */
  async compiled(text: string, more: Partial<Input> = {}): Promise<Compiled> {
    const { event } = await this.heard(["compiled", "refused", "restarted", "failed"], await this.update(text, more));
    if (event.kind !== "compiled") {
      throw new Error(`no output: ${JSON.stringify(event)}`);
    }
    return event;
  }

  /** All that was heard so far. */
  async all(): Promise<Heard[]> {
    return this.page.evaluate(() => (globalThis as unknown as Shared).events);
  }

  async ask<Q extends Question>(question: Q, about: Questions[Q]["asks"]): Promise<Questions[Q]["answers"] | null> {
    return (await this.page.evaluate(
      ([question, about]) => (globalThis as unknown as Shared).engine.ask(question, about),
      [question, about] as const,
    )) as Questions[Q]["answers"] | null;
  }

  /** Milliseconds from giving the engine each of `texts`, one after the other, to its output. */
  async times(texts: readonly string[]): Promise<number[]> {
    const times: number[] = [];
    for (const text of texts) {
      const { revision } = await this.compiled(text);
      const { at } = await this.heard(["compiled"], revision);
      const sent = await this.page.evaluate((one) => (globalThis as unknown as Shared).sent[one] ?? 0, revision);
      times.push(at - sent);
    }
    return times;
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
