/** What the engine knows about the text at a place: hover, completion, arguments, declarations. */

import {
  autocompletion,
  snippet,
  type Completion as Shown,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { Facet, StateEffect, StateField, type Extension } from "@codemirror/state";
import { EditorView, hoverTooltip, showTooltip, ViewPlugin, type Tooltip, type ViewUpdate } from "@codemirror/view";
import type { Completion, Engine, Place, Signature } from "../protocol";
import { make } from "./dom";
import { markdown } from "./markdown";

export type Ask = Engine["ask"];

/** The name of the file that a state is of. */
export const fileName = Facet.define<string, string>({ combine: (names) => names[0] ?? "" });

// --- completion ---------------------------------------------------------------------------------------------------------

/** Words, and what opens a place where something is completed without being asked for. */
const WORD = /[A-Za-z_][\w-]*$/;
const OPENS = /(?:[.@"]|\$\{)$/;

/** What CodeMirror calls the icons. */
const ICONS: Readonly<Partial<Record<Completion["kind"], string>>> = {
  attribute: "property",
  snippet: "text",
  role: "class",
  template: "class",
  param: "variable",
  let: "constant",
  event: "enum",
  action: "enum",
  mount: "enum",
  unit: "constant",
  target: "namespace",
  option: "property",
  word: "enum",
  member: "property",
  file: "text",
};

async function complete(ask: Ask, context: CompletionContext): Promise<CompletionResult | null> {
  const { state, pos, explicit } = context;
  const before = state.doc.lineAt(pos).text.slice(0, pos - state.doc.lineAt(pos).from);
  if (!explicit && !WORD.test(before) && !OPENS.test(before)) {
    return null;
  }
  const found = await ask("complete", { file: state.facet(fileName), offset: pos });
  if (found === null || context.aborted || found.items.length === 0) {
    return null;
  }
  const options = found.items.map((item, index) => shown(item, index, found.items.length, Math.max(0, found.to - pos)));
  return { from: found.from, to: pos, options, validFor: /^"?[\w.@-]*$/ };
}

/** `behind`: how many characters after the cursor are replaced, too. */
function shown(item: Completion, index: number, count: number, behind: number): Shown {
  const text = item.snippet ? template(item.insert) : null;
  return {
    label: item.label,
    detail: item.detail,
    type: ICONS[item.kind] ?? item.kind,
    // The engine knows the best; CodeMirror's own score only decides between matches of another quality.
    boost: Math.round(99 - (198 * index) / Math.max(1, count)),
    info: () => (item.markdown === "" ? null : make("div", { class: "markdown" }, markdown(item.markdown))),
    apply(view, completion, from, to) {
      const until = Math.min(to + behind, view.state.doc.length);
      if (text !== null) {
        snippet(text)(view, completion, from, until);
      } else {
        view.dispatch({
          changes: { from, to: until, insert: item.insert },
          selection: { anchor: from + item.insert.length },
          userEvent: "input.complete",
          scrollIntoView: true,
        });
      }
    },
  };
}

/** The places to fill in, as CodeMirror writes them: `$1` is `${1}`. */
export function template(insert: string): string {
  return insert.replace(/\$(\d+)/g, "${$1}");
}

// --- hover --------------------------------------------------------------------------------------------------------------

function hover(ask: Ask): Extension {
  return hoverTooltip(
    async (view, pos): Promise<Tooltip | null> => {
      const found = await ask("hover", { file: view.state.facet(fileName), offset: pos });
      if (found === null || found.to > view.state.doc.length) {
        return null;
      }
      return {
        pos: found.from,
        end: found.to,
        above: true,
        create: () => ({ dom: make("div", { class: "markdown hover" }, markdown(found.markdown)) }),
      };
    },
    { hoverTime: 250 },
  );
}

// --- arguments of a function --------------------------------------------------------------------------------------------

const setSignature = StateEffect.define<Tooltip | null>();

const signatureField = StateField.define<Tooltip | null>({
  create: () => null,
  update(before, transaction) {
    let now = before && transaction.docChanged ? { ...before, pos: transaction.changes.mapPos(before.pos) } : before;
    for (const effect of transaction.effects) {
      now = effect.is(setSignature) ? effect.value : now;
    }
    return now;
  },
  provide: (field) => showTooltip.from(field),
});

function signature(ask: Ask): Extension {
  return ViewPlugin.define((view) => {
    let asked = 0;
    const look = async () => {
      const mine = (asked += 1);
      const { head } = view.state.selection.main;
      const { from } = view.state.doc.lineAt(head);
      const calls = view.hasFocus && /[a-z_]\w*\s*\(/.test(view.state.sliceDoc(from, head));
      const found = calls ? await ask("signature", { file: view.state.facet(fileName), offset: head }) : null;
      if (mine !== asked || (found === null && view.state.field(signatureField) === null)) {
        return;
      }
      view.dispatch({ effects: setSignature.of(found && tooltip(found, head)) });
    };
    return {
      update(update: ViewUpdate) {
        if (update.docChanged || update.selectionSet || update.focusChanged) {
          // An update must be over before the next one begins.
          void Promise.resolve().then(look);
        }
      },
      destroy() {
        asked += 1;
      },
    };
  });
}

function tooltip(found: Signature, pos: number): Tooltip {
  const [from, to] = found.parameters[found.active] ?? [0, 0];
  const { text } = found;
  return {
    pos,
    above: true,
    create: () => ({
      dom: make(
        "div",
        { class: "markdown signature" },
        make("code", {}, text.slice(0, from), make("strong", {}, text.slice(from, to)), text.slice(to)),
        markdown(found.markdown),
      ),
    }),
  };
}

// --- declarations -------------------------------------------------------------------------------------------------------

/** F12, or a click with Ctrl or ⌘: where the name is declared. */
export function goToDeclaration(ask: Ask, go: (place: Place) => void): (view: EditorView, offset?: number) => boolean {
  return (view, offset = view.state.selection.main.head) => {
    void ask("definition", { file: view.state.facet(fileName), offset }).then((place) => {
      if (place !== null) {
        go(place);
      }
    });
    return true;
  };
}

/** All of it for one editor. */
export function facts(ask: Ask, go: (place: Place) => void): Extension {
  const declaration = goToDeclaration(ask, go);
  return [
    autocompletion({ override: [(context) => complete(ask, context)], maxRenderedOptions: 200, icons: true }),
    hover(ask),
    signatureField,
    signature(ask),
    EditorView.domEventHandlers({
      mousedown(event, view) {
        const pos = event.ctrlKey || event.metaKey ? view.posAtCoords({ x: event.clientX, y: event.clientY }) : null;
        return pos !== null && event.button === 0 && declaration(view, pos);
      },
    }),
  ];
}
