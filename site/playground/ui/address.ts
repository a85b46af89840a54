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
  private written = location.hash;

  /** `opened`: the reader went to another address of this page. */
  constructor(
    private readonly catalogue: Catalogue,
    opened: () => void,
  ) {
    addEventListener("hashchange", () => {
      if (location.hash !== this.written) {
        this.written = location.hash;
        this.forget();
        opened();
      }
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
    this.written = fragmentOf(next, this.catalogue);
    history.pushState(null, "", this.written);
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
    this.written = location.hash;
    return true;
  }
}
