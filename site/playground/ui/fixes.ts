/** Fixes of messages: asked for at a place, shown in a menu, put into the texts. */

import type { EditorView } from "@codemirror/view";
import type { Action, Edit } from "../protocol";
import { fileName, type Ask } from "./facts";
import { showMenu, type Anchor } from "./menu";

export class Fixes {
  /** `apply` puts edits into the texts; `none` says that there is nothing to do. */
  constructor(
    private readonly ask: Ask,
    private readonly apply: (edits: readonly Edit[]) => void,
    private readonly none: () => void,
  ) {}

  /** The menu of what can be done about the messages that touch a piece of the text. */
  async offer(view: EditorView, from: number, to: number, anchor?: Anchor): Promise<void> {
    const actions = (await this.ask("actions", { file: view.state.facet(fileName), from, to })) ?? [];
    if (actions.length === 0) {
      this.none();
      return;
    }
    const items = actions.map((action) => this.item(action));
    const at = view.coordsAtPos(Math.min(from, view.state.doc.length));
    showMenu("Fixes", items, anchor ?? { left: at?.left ?? 0, bottom: at?.bottom ?? 0 }, view);
  }

  /** Take the best fix for a message, or show them if none is the obvious one. */
  async take(view: EditorView, file: string, from: number, to: number, code: string, anchor: Anchor): Promise<void> {
    const all = (await this.ask("actions", { file, from, to })) ?? [];
    const actions = all.filter((action) => action.code === code);
    const best = actions.filter(({ preferred }) => preferred);
    const only = best.length === 1 ? best[0] : actions.length === 1 ? actions[0] : undefined;
    if (only !== undefined) {
      this.apply(only.edits);
    } else if (actions.length > 0) {
      showMenu("Fixes", actions.map((action) => this.item(action)), anchor, view);
    } else {
      this.none();
    }
  }

  private item(action: Action): { title: string; chosen: () => void } {
    return { title: action.title, chosen: () => this.apply(action.edits) };
  }
}
