/** How a message looks: beside its place in the text, and in the list of problems. */

import type { Diagnostic, Label, Place } from "../protocol";
import { icon, make } from "./dom";

/** The page of a message, on the site that the playground is a part of. */
export function pageOf(code: string): string {
  return `../messages/${code}.html`;
}

function codeOf({ code, slug }: Diagnostic): HTMLElement {
  return make("a", { class: "message-code", href: pageOf(code), target: "_blank", title: `${slug}: what it means` }, code);
}

/** The target is chosen on the same page, so its name before the message says nothing. */
function textOf({ message, target }: Diagnostic): string {
  const prefix = `${target}: `;
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}

/** What is between backquotes is to be written as it is. */
function coded(text: string): (Node | string)[] {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 0 ? part : make("code", {}, part)));
}

function helpsOf({ helps }: Diagnostic): HTMLElement[] {
  return helps.map((help) => make("p", { class: "help" }, make("b", {}, "help"), " ", ...coded(help)));
}

function fixButton(diagnostic: Diagnostic, fix: (anchor: Element) => void): HTMLElement[] {
  if (!diagnostic.fixable) {
    return [];
  }
  const run = (event: Event) => fix(event.currentTarget as Element);
  return [make("button", { type: "button", class: "fix", click: run }, icon("bulb"), "Fix")];
}

/** In the tooltip of its place. */
export function messageIn(diagnostic: Diagnostic, fix: (anchor: Element) => void): HTMLElement {
  const line = make("p", {}, textOf(diagnostic), " ", codeOf(diagnostic));
  return make("div", { class: "message" }, line, ...helpsOf(diagnostic), ...fixButton(diagnostic, fix));
}

/** A value from outside of the texts. */
export interface Value {
  readonly kind: "params" | "options";
  readonly name: string;
}

/** The value from outside that a place is in; `null`: it is in a text. */
export function valueOf({ file }: Place): Value | null {
  const [, kind, name] = file.match(/^(setting|option) (.*)$/s) ?? [];
  return name === undefined ? null : { kind: kind === "option" ? "options" : "params", name };
}

/** `main.tfjob:14:3`. */
function written(place: Place): string {
  const value = valueOf(place);
  if (value !== null) {
    return `value of ${value.name}`;
  }
  return place.line > 0 ? `${place.file}:${place.line}:${place.column}` : place.file;
}

export interface MessageEvents {
  readonly go: (place: Place) => void;
  readonly fix: (diagnostic: Diagnostic, anchor: Element) => void;
}

function placeButton(place: Place, text: string, go: (place: Place) => void): HTMLElement {
  return make("button", { type: "button", class: "place", click: () => go(place) }, text);
}

function label(one: Label, events: MessageEvents): HTMLElement {
  return make("p", { class: "label" }, placeButton(one.place, written(one.place), events.go), " ", one.message);
}

/** In the list. */
export function messageRow(diagnostic: Diagnostic, events: MessageEvents): HTMLElement {
  const { level, place, labels } = diagnostic;
  const said = { error: "Error", warning: "Warning", info: "Note" }[level];
  const head = make(
    "p",
    { class: "message-head" },
    placeButton(place, textOf(diagnostic), events.go),
    " ",
    codeOf(diagnostic),
    " ",
    make("span", { class: "where" }, written(place)),
  );
  return make(
    "li",
    { class: `message message-${level}` },
    icon(level),
    make("span", { class: "for-readers" }, `${said}: `),
    make(
      "div",
      {},
      head,
      ...labels.map((each) => label(each, events)),
      ...helpsOf(diagnostic),
    ),
    ...fixButton(diagnostic, (anchor) => events.fix(diagnostic, anchor)),
  );
}
