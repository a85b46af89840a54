/** What the page says about itself: how far the start is, what went wrong, what has just been done. */

import { byId } from "./dom";

/** Milliseconds that a short line stays. */
const STAYS = 4000;

export class Says {
  private timer = 0;

  /** Something that has just been done, or cannot be: for a moment. */
  toast(line: string): void {
    const box = byId("toast");
    box.textContent = line;
    box.classList.add("shown");
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => box.classList.remove("shown"), STAYS);
  }

  /** How far the start is, of 1; `null`: it has started. */
  progress(part: number | null, line = ""): void {
    const box = byId("progress");
    box.hidden = part === null;
    byId<HTMLProgressElement>("progress-bar").value = part ?? 1;
    byId("progress-line").textContent = line;
  }

  /** Above the output, as long as it is true; an empty line takes it away. */
  banner(line: string, kind: "stale" | "trouble" | "plain" = "plain"): void {
    const box = byId("banner");
    if (box.textContent !== line) {
      box.textContent = line;
    }
    box.hidden = line === "";
    box.className = `banner banner-${kind}`;
  }

  /** In the last line of the page. */
  status(part: "engine" | "follow", line: string): void {
    byId(`status-${part}`).textContent = line;
  }
}
