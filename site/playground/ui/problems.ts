/** The list of messages below the text. */

import type { Diagnostic } from "../protocol";
import { byId, counted, icon, make } from "./dom";
import { messageRow, type MessageEvents } from "./messages";

const LEVELS = ["error", "warning", "info"] as const;
/** Rows that are drawn; nobody reads more, and a page with thousands is slow. */
const MOST = 200;

export class Problems {
  private readonly head = byId<HTMLButtonElement>("problems-head");
  private readonly list = byId("problems-list");
  private readonly badge = byId("problems-badge");
  private shown = "";

  constructor(private readonly events: MessageEvents) {
    this.head.addEventListener("click", () => this.fold(this.list.hidden === true));
    byId("problems-list").addEventListener("keydown", (event) => this.key(event));
  }

  /** Open or close the list. */
  fold(open: boolean): void {
    this.list.hidden = !open;
    this.head.setAttribute("aria-expanded", String(open));
  }

  /** `count`: how many there are, when not all of them were sent. */
  show(diagnostics: readonly Diagnostic[], count: number): void {
    const text = JSON.stringify([diagnostics, count]);
    if (text === this.shown) {
      return;
    }
    this.shown = text;
    const quiet = diagnostics.filter((each) => each.quiet);
    const loud = diagnostics.filter((each) => !each.quiet);
    const sorted = LEVELS.flatMap((level) => loud.filter((each) => each.level === level));
    const rows = sorted.slice(0, MOST).map((each) => messageRow(each, this.events));
    const more = count - rows.length - quiet.length;
    const opened = this.list.querySelector("details")?.open ?? false;
    this.list.replaceChildren(
      ...(rows.length > 0 ? [make("ul", {}, ...rows)] : []),
      ...(more > 0 ? [make("p", { class: "more" }, `and ${counted(more, "more problem")}`)] : []),
      ...(quiet.length > 0 ? [this.notes(quiet, opened)] : []),
      ...(count === 0 ? [make("p", { class: "none" }, icon("done"), "No problems")] : []),
    );
    this.summary(diagnostics);
  }

  /** No edit ends what a note says: it waits until it is asked for. */
  private notes(quiet: readonly Diagnostic[], open: boolean): HTMLElement {
    const title = counted(quiet.length, "note");
    const rows = quiet.slice(0, MOST).map((each) => messageRow(each, this.events));
    return make("details", { open }, make("summary", {}, title), make("ul", {}, ...rows));
  }

  private summary(diagnostics: readonly Diagnostic[]): void {
    const words = { error: "error", warning: "warning", info: "note" };
    const parts = LEVELS.flatMap((level) => {
      const { length } = diagnostics.filter((each) => each.level === level);
      return length === 0 ? [] : [make("span", { class: `count count-${level}` }, icon(level), counted(length, words[level]))];
    });
    byId("problems-counts").replaceChildren(...(parts.length > 0 ? parts : [make("span", {}, "none")]));
    const errors = diagnostics.filter(({ level }) => level === "error").length;
    const { length } = diagnostics.filter(({ level, quiet }) => level !== "info" || !quiet);
    this.badge.textContent = length > 0 ? String(length) : "";
    this.badge.classList.toggle("badge-error", errors > 0);
  }

  /** Arrows go from one message to the next. */
  private key(event: KeyboardEvent): void {
    const places = [...this.list.querySelectorAll<HTMLElement>(".message-head .place")].filter(
      (place) => place.offsetParent !== null,
    );
    const at = places.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step === undefined || at < 0 ? undefined : places[at + step];
    if (next !== undefined) {
      event.preventDefault();
      next.focus();
    }
  }
}
