/** What the target gets: the files of the output, read-only, with lines that belong to the line of the source. */

import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { MadeLine, Output } from "../protocol";
import { language } from "./colours";
import { byId } from "./dom";
import { look } from "./look";
import { outputMarks, showTogether, type Together } from "./marks";
import { Tabs } from "./tabs";

/** The key of the tab with the picture; no file is called so, for it has a slash at its end. */
export const GRAPH = "graph/";

export interface OutputEvents {
  /** Another line is looked at, by the reader. */
  readonly moved: (output: string, line: number) => void;
  /** Another tab is shown; {@link GRAPH} for the picture. */
  readonly shown: (tab: string) => void;
}

export class OutputPane {
  private readonly view: EditorView;
  private readonly tabs: Tabs;
  private outputs: readonly Output[] = [];
  private made: readonly MadeLine[] = [];
  /** The file that is chosen, as long as it is there. */
  private file = "";
  private graph = false;
  private of = "";

  constructor(private readonly events: OutputEvents) {
    this.tabs = new Tabs(
      byId("output-tabs"),
      (key) => (key === GRAPH ? "graph" : "output"),
      (key) => this.show(key),
    );
    this.view = new EditorView({ parent: byId("output"), state: this.state(null) });
    this.view.dom.hidden = true;
  }

  /** The files of the output, which are `of` a target; the place stays where it is as long as that does. */
  set(outputs: readonly Output[], of = ""): void {
    this.outputs = outputs;
    if (of !== this.of) {
      this.of = of;
      delete this.view.dom.dataset["name"];
    }
    if (this.current === undefined) {
      this.file = outputs[0]?.name ?? "";
    }
    this.draw();
  }

  /** The file that is shown, also behind the picture. */
  get current(): Output | undefined {
    return this.outputs.find(({ name }) => name === this.file);
  }

  get all(): readonly Output[] {
    return this.outputs;
  }

  get showsGraph(): boolean {
    return this.graph;
  }

  show(tab: string): void {
    this.graph = tab === GRAPH;
    this.file = this.graph ? this.file : tab;
    this.draw();
    this.events.shown(tab);
  }

  /** Mark the lines that a line of the source made; `scroll` to the first. */
  together(made: readonly MadeLine[], scroll: boolean): void {
    this.made = made;
    this.row();
    showTogether(this.view, this.own(), scroll);
  }

  private own(): Together[] {
    return this.made.filter(({ output }) => output === this.current?.name).map(({ line, how }) => ({ line, how }));
  }

  /** Mark one line, which the reader looks at. */
  lookAt(line: number): void {
    showTogether(this.view, [{ line, how: "made" }], false);
  }

  private row(): void {
    const marked = new Set(this.made.map(({ output }) => output));
    const files = this.outputs.map(({ name }) => ({ key: name, title: name, marked: marked.has(name) && (this.graph || name !== this.file) }));
    this.tabs.show([...files, { key: GRAPH, title: "Graph" }], this.graph ? GRAPH : this.file);
  }

  private draw(): void {
    this.row();
    byId("graph").hidden = !this.showsGraph;
    byId("output").hidden = this.showsGraph;
    if (this.showsGraph) {
      return;
    }
    const { current } = this;
    byId("empty").hidden = current !== undefined;
    this.view.dom.hidden = current === undefined;
    const shown = this.view.dom.dataset["name"];
    if (current === undefined || shown !== current.name) {
      this.view.setState(this.state(current ?? null));
      this.view.scrollDOM.scrollTo(0, 0);
      this.view.dom.dataset["name"] = current?.name ?? "";
    } else {
      this.replace(current.text);
    }
    showTogether(this.view, this.own(), false);
  }

  /** Only what is different, so that the place stays where it is. */
  private replace(text: string): void {
    const before = this.view.state.doc.toString();
    if (before === text) {
      return;
    }
    let from = 0;
    const most = Math.min(before.length, text.length);
    while (from < most && before.charCodeAt(from) === text.charCodeAt(from)) {
      from += 1;
    }
    let back = 0;
    while (back < most - from && before.charCodeAt(before.length - 1 - back) === text.charCodeAt(text.length - 1 - back)) {
      back += 1;
    }
    this.view.dispatch({
      changes: { from, to: before.length - back, insert: text.slice(from, text.length - back) },
    });
  }

  private state(output: Output | null): EditorState {
    return EditorState.create({
      doc: output?.text ?? "",
      extensions: [
        output === null ? [] : language(output.language),
        look,
        outputMarks,
        EditorState.readOnly.of(true),
        // With a cursor, so that keys move in it; without the keyboard of a phone.
        EditorView.contentAttributes.of({ "aria-label": "Output", "aria-readonly": "true", tabindex: "0", inputmode: "none" }),
        EditorView.updateListener.of((update) => {
          const byReader = update.transactions.some((one) => one.isUserEvent("select"));
          if (byReader && this.current !== undefined) {
            this.events.moved(this.current.name, update.state.doc.lineAt(update.state.selection.main.head).number);
          }
        }),
      ],
    });
  }
}
