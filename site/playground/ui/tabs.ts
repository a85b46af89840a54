/** A row of tabs: one is chosen, arrows move between them (the pattern "tabs" of the ARIA authoring practices). */

import { make } from "./dom";

export interface Tab {
  readonly key: string;
  readonly title: string;
  /** Shown as a dot: there is something to see in it. */
  readonly marked?: boolean;
}

export class Tabs {
  private tabs: readonly Tab[] = [];
  private current = "";

  /** `row` has `role="tablist"`; `panel` is the id of what a tab shows. */
  constructor(
    private readonly row: HTMLElement,
    private readonly panel: (key: string) => string,
    private readonly chosen: (key: string) => void,
  ) {
    row.addEventListener("keydown", (event) => this.key(event));
    // A mouse has no wheel for the way that many tabs go.
    row.addEventListener("wheel", ({ deltaX, deltaY }) => row.scrollBy({ left: deltaX === 0 ? deltaY : 0 }), { passive: true });
  }

  show(tabs: readonly Tab[], current: string): void {
    if (current === this.current && JSON.stringify(tabs) === JSON.stringify(this.tabs)) {
      return;
    }
    const focused = this.row.contains(document.activeElement);
    this.tabs = tabs;
    this.current = current;
    this.row.replaceChildren(...tabs.map((tab) => this.button(tab)));
    const selected = this.row.querySelector<HTMLElement>("[aria-selected=true]");
    if (focused) {
      selected?.focus();
    }
    selected?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  private button(tab: Tab): HTMLElement {
    const selected = tab.key === this.current;
    const button = make(
      "button",
      {
        type: "button",
        role: "tab",
        class: "tab",
        "aria-selected": String(selected),
        "aria-controls": this.panel(tab.key),
        tabindex: selected ? "0" : "-1",
        "data-key": tab.key,
        click: () => this.chosen(tab.key),
      },
      tab.title,
    );
    if (tab.marked) {
      button.append(make("span", { class: "dot", title: "has lines of the line at the cursor" }));
    }
    return button;
  }

  private key(event: KeyboardEvent): void {
    const at = this.tabs.findIndex((tab) => tab.key === this.current);
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: (at + 1) % this.tabs.length,
      ArrowLeft: (at - 1 + this.tabs.length) % this.tabs.length,
      Home: 0,
      End: this.tabs.length - 1,
    };
    const tab = this.tabs[steps[event.key] ?? -1];
    if (tab !== undefined) {
      event.preventDefault();
      this.chosen(tab.key);
    }
  }
}
