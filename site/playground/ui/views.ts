/** Parts of the page: on a phone one at a time, elsewhere all; F6 goes from one to the next. */

import { byId } from "./dom";

const VIEWS = ["source", "result", "problems"] as const;
type View = (typeof VIEWS)[number];

/** What has the focus when a part is gone to: the first of these that is there. */
const FOCUS: Readonly<Record<View, readonly string[]>> = {
  source: ["#source .cm-content"],
  result: ["#output:not([hidden]) .cm-editor:not([hidden]) .cm-content", "#output-tabs [aria-selected=true]"],
  problems: ["#problems-list:not([hidden]) .place", "#problems-head"],
};

export class Views {
  constructor() {
    for (const view of VIEWS) {
      byId(`view-${view}`).addEventListener("click", () => this.show(view));
    }
    addEventListener("keydown", (event) => {
      if (event.key === "F6") {
        event.preventDefault();
        this.next(event.shiftKey ? -1 : 1);
      }
    });
    this.show("source");
  }

  show(view: View): void {
    document.body.dataset["view"] = view;
    for (const each of VIEWS) {
      byId(`view-${each}`).setAttribute("aria-pressed", String(each === view));
    }
  }

  private next(step: number): void {
    const panes = VIEWS.map((view) => byId(`${view}-pane`));
    const at = panes.findIndex((pane) => pane.contains(document.activeElement));
    const view = VIEWS[(at + step + VIEWS.length) % VIEWS.length] ?? "source";
    this.show(view);
    const found = FOCUS[view].map((selector) => document.querySelector<HTMLElement>(selector));
    found.find((each) => each !== null)?.focus();
  }
}
