/** The picture of the jobs; what is drawn leads to its place in the text. */

import type { Drawn, Place } from "../protocol";
import { byId, make } from "./dom";

/** The picture knows a light and a dark page by the colours of the system; here the page itself says which it is. */
const DARK = /@media\s*\(prefers-color-scheme:\s*dark\)/g;

export class Graph {
  private readonly box = byId("graph");
  private drawn: Drawn | null = null;
  private dark = false;

  constructor(private readonly go: (place: Place) => void) {}

  /** What was drawn is of another text. */
  forget(): void {
    this.drawn = null;
  }

  /** `null`: there is none; what was there before stays. */
  show(drawn: Drawn | null, dark: boolean): void {
    const kept = drawn === null || drawn.svg === "" ? this.drawn : drawn;
    if (kept === null) {
      this.box.replaceChildren(make("p", { class: "empty" }, "A picture needs a text without errors, and a job in it."));
      return;
    }
    if (kept === this.drawn && dark === this.dark) {
      return;
    }
    this.drawn = kept;
    this.dark = dark;
    this.draw(kept);
  }

  private draw({ svg, jobs, cut }: Drawn): void {
    const text = svg.replace(DARK, this.dark ? "@media all" : "@media not all");
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    if (parsed.querySelector("parsererror") !== null) {
      this.box.replaceChildren(make("p", { class: "empty" }, "This picture cannot be shown."));
      return;
    }
    const picture = document.importNode(parsed.documentElement, true);
    picture.querySelectorAll("script, foreignObject").forEach((each) => each.remove());
    for (const part of picture.querySelectorAll("[data-path]")) {
      const job = jobs.find(({ name }) => name === part.closest("[data-job]")?.getAttribute("data-job")) ?? jobs[0];
      const place = job?.places[part.getAttribute("data-path") ?? ""];
      if (place !== undefined) {
        this.lead(part, place);
      }
    }
    // As an image it would hide its parts from screen readers.
    picture.setAttribute("role", "group");
    this.box.replaceChildren(...(cut === null ? [] : [make("p", { class: "cut" }, cut)]), picture);
  }

  private lead(part: Element, place: Place): void {
    part.classList.add("leads");
    part.setAttribute("tabindex", "0");
    part.setAttribute("role", "link");
    part.setAttribute("aria-label", `${part.querySelector("text")?.textContent ?? "part"}: line ${place.line}`);
    part.addEventListener("click", () => this.go(place));
    part.addEventListener("keydown", (event) => {
      if ((event as KeyboardEvent).key === "Enter") {
        this.go(place);
      }
    });
  }
}
