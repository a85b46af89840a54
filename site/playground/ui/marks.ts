/** What is drawn into a text beside its colours: kinds of names, messages in the margin, lines that belong together. */

import { forceLinting, setDiagnostics, type Diagnostic as Mark } from "@codemirror/lint";
import { RangeSet, RangeSetBuilder, StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, gutter, GutterMarker, type DecorationSet } from "@codemirror/view";
import type { Diagnostic, Token } from "../protocol";
import { icon, make } from "./dom";

// --- kinds of names -----------------------------------------------------------------------------------------------------

const setTokens = StateEffect.define<readonly Token[]>();

const KINDS: Readonly<Record<Token["type"], Decoration>> = {
  namespace: named("namespace"),
  type: named("type"),
  class: named("class"),
  struct: named("struct"),
  parameter: named("parameter"),
  variable: named("variable"),
  property: named("property"),
  enumMember: named("event"),
  event: named("event"),
  function: named("function"),
};

function named(kind: string): Decoration {
  return Decoration.mark({ class: `name-${kind}` });
}

const tokens = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, transaction) {
    let now = before.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setTokens)) {
        now = colouredTokens(effect.value, transaction.state.doc.length);
      }
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function colouredTokens(found: readonly Token[], length: number): DecorationSet {
  const ranges = found.filter((token) => token.from < token.to && token.to <= length);
  return Decoration.set(
    ranges.map((token) => KINDS[token.type].range(token.from, token.to)),
    true,
  );
}

// --- messages in the margin ---------------------------------------------------------------------------------------------

const setMargin = StateEffect.define<RangeSet<GutterMarker>>();
const LEVELS = ["info", "warning", "error"] as const;

/** The worst level of a line; a bulb when something of the line can be fixed. */
class Margin extends GutterMarker {
  constructor(
    readonly level: Diagnostic["level"],
    readonly fixable: boolean,
  ) {
    super();
  }

  override eq(other: Margin): boolean {
    return this.level === other.level && this.fixable === other.fixable;
  }

  override toDOM(): Node {
    const kind = `margin margin-${this.level}`;
    return this.fixable
      ? make("span", { class: `${kind} bulb`, title: "Fixes" }, icon("bulb"))
      : make("span", { class: kind }, icon(this.level));
  }
}

const margin = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(before, transaction) {
    let now = before.map(transaction.changes);
    for (const effect of transaction.effects) {
      now = effect.is(setMargin) ? effect.value : now;
    }
    return now;
  },
});

function marginOf(state: EditorState, diagnostics: readonly Diagnostic[]): RangeSet<GutterMarker> {
  const lines = new Map<number, Margin>();
  for (const { level, fixable, place } of diagnostics) {
    const { from } = state.doc.lineAt(Math.min(place.from, state.doc.length));
    const before = lines.get(from);
    const worse = before !== undefined && LEVELS.indexOf(before.level) > LEVELS.indexOf(level) ? before.level : level;
    lines.set(from, new Margin(worse, fixable || (before?.fixable ?? false)));
  }
  const builder = new RangeSetBuilder<GutterMarker>();
  for (const [from, marker] of [...lines].sort(([one], [other]) => one - other)) {
    builder.add(from, from, marker);
  }
  return builder.finish();
}

/** `fix` is called when the bulb of a line is clicked. */
export function marginGutter(fix: (view: EditorView, from: number, to: number) => void): Extension {
  return [
    margin,
    gutter({
      class: "cm-margin",
      markers: (view) => view.state.field(margin),
      initialSpacer: () => new Margin("error", false),
      domEventHandlers: {
        mousedown(view, { from, to }) {
          fix(view, from, to);
          return true;
        },
      },
    }),
  ];
}

// --- lines that belong together -----------------------------------------------------------------------------------------

/** A line, from 1, and how it belongs to the line that is looked at in the other text. */
export interface Together {
  readonly line: number;
  readonly how: string;
}

const setTogether = StateEffect.define<readonly Together[]>();

const together = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, transaction) {
    let now = before.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setTogether)) {
        const { doc } = transaction.state;
        const inside = effect.value.filter(({ line }) => line >= 1 && line <= doc.lines);
        const marks = inside.map(({ line, how }) =>
          Decoration.line({ class: `together together-${how}` }).range(doc.line(line).from),
        );
        now = Decoration.set(marks, true);
      }
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Mark these lines; the first is scrolled into view if `scroll`. */
export function showTogether(view: EditorView, lines: readonly Together[], scroll: boolean): void {
  const effects: StateEffect<unknown>[] = [setTogether.of(lines)];
  const first = lines[0];
  if (scroll && first !== undefined && first.line <= view.state.doc.lines) {
    const at = view.state.doc.line(first.line).from;
    if (!isVisible(view, at)) {
      effects.push(EditorView.scrollIntoView(at, { y: "center" }));
    }
  }
  view.dispatch({ effects });
}

function isVisible(view: EditorView, at: number): boolean {
  const block = view.lineBlockAt(at);
  const { scrollTop, clientHeight } = view.scrollDOM;
  return block.top >= scrollTop && block.bottom <= scrollTop + clientHeight;
}

// --- all of it ----------------------------------------------------------------------------------------------------------

/** For the text that is written. */
export const sourceMarks: Extension = [tokens, together];
/** For a text that is only shown. */
export const outputMarks: Extension = [together];

/** The names of a text. They are of the text as it is now. */
export function showTokens(view: EditorView, found: readonly Token[]): void {
  view.dispatch({ effects: setTokens.of(found) });
}

/** The messages of a text, as they are shown in it. They are of the text as it is now. */
export function showMessages(
  view: EditorView,
  diagnostics: readonly Diagnostic[],
  draw: (view: EditorView, diagnostic: Diagnostic) => Node,
): void {
  const shown = diagnostics.filter(({ quiet }) => !quiet);
  const { length } = view.state.doc;
  const marks = shown.map((diagnostic): Mark => {
    const { from, to } = diagnostic.place;
    return {
      from: Math.min(from, length),
      to: Math.min(Math.max(to, from), length),
      severity: diagnostic.level,
      message: diagnostic.message,
      ...(diagnostic.unnecessary ? { markClass: "unnecessary" } : {}),
      renderMessage: (where) => draw(where, diagnostic),
    };
  });
  view.dispatch(setDiagnostics(view.state, marks), { effects: setMargin.of(marginOf(view.state, shown)) });
  forceLinting(view);
}
