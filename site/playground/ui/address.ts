/** The address of the page holds the text: it can be kept, sent, and gone back to. */

import type { Catalogue } from "../protocol";
import { fragmentOf } from "./link";
import type { Project } from "./project";

/** Milliseconds after the last key; browsers refuse an address that changes all the time. */
const REST = 500;
/** Characters that every browser takes. */
const MOST = 1_000_000;

export class Address {
  private timer = 0;
  private waiting: Project | null = null;

  /** `opened`: the reader went to another address of this page. */
  constructor(
    private readonly catalogue: Catalogue,
    opened: () => void,
  ) {
    // What is written here does not cause this event.
    addEventListener("hashchange", () => {
      this.forget();
      opened();
    });
    addEventListener("pagehide", () => this.write());
  }

  /** The text has changed: write it when the keys rest. */
  later(project: Project): void {
    this.waiting = project;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.write(), REST);
  }

  /** Write it now; `false` if it is too long for an address. */
  now(project: Project): boolean {
    this.waiting = project;
    return this.write();
  }

  /** Another project begins: going back leads to the one before. */
  leave(next: Project): void {
    this.write();
    this.forget();
    history.pushState(null, "", fragmentOf(next, this.catalogue));
  }

  private forget(): void {
    clearTimeout(this.timer);
    this.waiting = null;
  }

  private write(): boolean {
    const project = this.waiting;
    this.forget();
    if (project === null) {
      return true;
    }
    const fragment = fragmentOf(project, this.catalogue);
    if (fragment.length > MOST) {
      return false;
    }
    if (fragment !== location.hash) {
      history.replaceState(null, "", fragment);
    }
    return true;
  }
}
