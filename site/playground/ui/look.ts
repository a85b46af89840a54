/** How both texts look and behave: what the source and the output have in common. */

import { defaultKeymap } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, foldService, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { colours } from "./colours";

/** A line with more indentation below it can be folded away. */
const byIndentation = foldService.of((state, from) => {
  const line = state.doc.lineAt(from);
  const own = indentation(line.text);
  let end = line.to;
  for (let number = line.number + 1; number <= Math.min(state.doc.lines, line.number + 5000); number += 1) {
    const next = state.doc.line(number);
    if (next.text.trim() === "") {
      continue;
    }
    if (indentation(next.text) <= own) {
      break;
    }
    end = next.to;
  }
  return line.text.trim() !== "" && end > line.to ? { from: line.to, to: end } : null;
});

function indentation(text: string): number {
  return text.length - text.trimStart().length;
}

export const look: Extension = [
  lineNumbers(),
  highlightSpecialChars(),
  drawSelection(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSelectionMatches(),
  bracketMatching(),
  byIndentation,
  foldGutter({ openText: "▾", closedText: "▸" }),
  search({ top: true }),
  indentUnit.of("  "),
  EditorState.tabSize.of(4),
  colours,
  keymap.of([...defaultKeymap, ...searchKeymap, ...foldKeymap]),
  // All other looks are in style.css, which has both schemes.
  EditorView.theme({ "&": { height: "100%" }, ".cm-scroller": { overflow: "auto" } }),
];
