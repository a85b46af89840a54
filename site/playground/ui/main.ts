/** Starts the engine and the page. */

import { startEngine } from "../engine/client";
import type { Catalogue, EngineEvent } from "../protocol";
import { byId } from "./dom";
import { Playground } from "./playground";
import { splitter } from "./splitter";

/** Beside the page. */
const FOLDER = "engine/";

async function start(): Promise<void> {
  let playground: Playground | null = null;
  const early: EngineEvent[] = [];
  // At once: it is what takes long.
  const engine = startEngine({
    folder: FOLDER,
    heard: (event) => (playground === null ? early.push(event) : playground.heard(event)),
  });
  splitter();
  const answer = await fetch(`${FOLDER}catalogue.json`);
  if (!answer.ok) {
    throw new Error(`${FOLDER}catalogue.json: status ${answer.status}`);
  }
  const catalogue = (await answer.json()) as Catalogue;
  byId("source").replaceChildren();
  playground = new Playground(catalogue, engine);
  early.forEach((event) => playground?.heard(event));
  // Only after what the reader waits for. Where there is none (no https), the page works as long as there is a network.
  const keep = () => void navigator.serviceWorker?.register("offline.js").catch(() => undefined);
  document.readyState === "complete" ? keep() : addEventListener("load", keep, { once: true });
}

start().catch((error: unknown) => {
  byId("source").textContent = `The playground cannot start: ${error instanceof Error ? error.message : String(error)}`;
});
