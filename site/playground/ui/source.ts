/** The texts that are written: one editor, and a state for each file. */

import { acceptCompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { indentOnInput } from "@codemirror/language";
import { nextDiagnostic, previousDiagnostic } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import type { Diagnostic, Edit, Place, Token } from "../protocol";
import { language, languageOf } from "./colours";
import { facts, fileName, goToDeclaration, type Ask } from "./facts";
import { Fixes } from "./fixes";
import { look } from "./look";
import { marginGutter, showMessages, showTogether, showTokens, sourceMarks, type Together } from "./marks";
import { messageIn } from "./messages";

export interface SourceEvents {
  /** A text has changed. */
  readonly changed: () => void;
  /** Another line or file is looked at. */
  readonly moved: () => void;
  /** Another file is shown. */
  readonly shown: () => void;
  readonly format: () => void;
  /** A line for people. */
  readonly says: (line: string) => void;
}

export class Source {
  readonly view: EditorView;
  readonly fixes: Fixes;
  private readonly states = new Map<string, EditorState>();
  private readonly extensions: Extension;
  private current = "";
  private diagnostics: readonly Diagnostic[] = [];
  /** By files, whose names may be those of the members of any object. */
  private tokens: ReadonlyMap<string, readonly Token[]> = new Map();

  constructor(
    parent: HTMLElement,
    private readonly ask: Ask,
    private readonly events: SourceEvents,
  ) {
    this.fixes = new Fixes(
      ask,
      (edits) => this.edit(edits),
      () => events.says("There is no fix here"),
    );
    this.extensions = this.behaviour();
    this.view = new EditorView({ parent, state: EditorState.create({}) });
  }

  // --- files ------------------------------------------------------------------------------------------------------------

  get file(): string {
    return this.current;
  }

  get names(): readonly string[] {
    return [...this.states.keys()];
  }

  /** All texts as they are now. */
  get files(): Record<string, string> {
    this.keep();
    return Object.fromEntries([...this.states].map(([name, state]) => [name, state.doc.toString()]));
  }

  /** Replace all files. */
  open(files: Readonly<Record<string, string>>, shown: string): void {
    this.states.clear();
    this.diagnostics = [];
    this.tokens = new Map();
    for (const [name, text] of Object.entries(files)) {
      this.states.set(name, this.state(name, text));
    }
    this.current = "";
    this.show(shown);
  }

  add(name: string, text = ""): void {
    this.keep();
    this.states.set(name, this.state(name, text));
    this.show(name);
    this.events.changed();
  }

  rename(before: string, name: string): void {
    this.keep();
    const entries = [...this.states].map(([each, state]): [string, EditorState] =>
      each === before ? [name, this.state(name, state.doc.toString())] : [each, state],
    );
    this.states.clear();
    entries.forEach(([each, state]) => this.states.set(each, state));
    this.current = "";
    this.show(name);
    this.events.changed();
  }

  remove(name: string, next: string): void {
    this.states.delete(name);
    this.current = "";
    this.show(next);
    this.events.changed();
  }

  show(name: string): void {
    const state = this.states.get(name);
    if (name === this.current || state === undefined) {
      return;
    }
    this.keep();
    this.current = name;
    this.view.setState(state);
    this.mark();
    this.events.shown();
    this.events.moved();
  }

  private keep(): void {
    if (this.states.has(this.current)) {
      this.states.set(this.current, this.view.state);
    }
  }

  // --- what is shown in them --------------------------------------------------------------------------------------------

  /** The names of all texts as they are now. */
  setTokens(tokens: Readonly<Record<string, readonly Token[]>>): void {
    this.tokens = new Map(Object.entries(tokens));
    showTokens(this.view, this.tokens.get(this.current) ?? []);
  }

  /** The messages of all texts as they are now. */
  setDiagnostics(diagnostics: readonly Diagnostic[]): void {
    this.diagnostics = diagnostics;
    this.mark();
  }

  private mark(): void {
    showTokens(this.view, this.tokens.get(this.current) ?? []);
    const own = this.diagnostics.filter(({ place }) => place.file === this.current);
    showMessages(this.view, own, (view, diagnostic) =>
      messageIn(diagnostic, (anchor) => {
        const { file, from, to } = diagnostic.place;
        void this.fixes.take(view, file, from, to, diagnostic.code, anchor);
      }),
    );
  }

  together(lines: readonly Together[], scroll: boolean): void {
    showTogether(this.view, lines, scroll);
  }

  // --- places and edits -------------------------------------------------------------------------------------------------

  /** The number of the line of the cursor. */
  get line(): number {
    const { state } = this.view;
    return state.doc.lineAt(state.selection.main.head).number;
  }

  /** Show a place and go on writing there. */
  go(place: Place): void {
    if (!this.states.has(place.file)) {
      return;
    }
    this.show(place.file);
    const { length } = this.view.state.doc;
    const anchor = Math.min(place.from, length);
    this.view.dispatch({
      selection: { anchor, head: Math.min(Math.max(place.to, anchor), length) },
      effects: EditorView.scrollIntoView(anchor, { y: "center" }),
    });
    this.view.focus();
  }

  /** Put edits into the texts; each text can undo its own. One of them is shown. */
  edit(edits: readonly Edit[]): void {
    const [first] = edits;
    if (first !== undefined && !edits.some(({ file }) => file === this.current)) {
      this.show(first.file);
      // Before the edit, so that to undo it leads here too.
      this.view.dispatch({ selection: { anchor: Math.min(first.from, this.view.state.doc.length) } });
    }
    this.keep();
    for (const name of new Set(edits.map(({ file }) => file))) {
      const state = this.states.get(name);
      const own = edits.filter(({ file, to }) => file === name && state !== undefined && to <= state.doc.length);
      const changes = own.map(({ from, to, text }) => ({ from, to, insert: text }));
      if (name === this.current) {
        this.view.dispatch({ changes, userEvent: "input.fix", scrollIntoView: true });
      } else if (state !== undefined) {
        this.states.set(name, state.update({ changes, userEvent: "input.fix" }).state);
        this.events.changed();
      }
    }
    this.view.focus();
  }

  // --- the editor -------------------------------------------------------------------------------------------------------

  private state(name: string, text: string): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [fileName.of(name), language(languageOf(name)), this.extensions],
    });
  }

  private behaviour(): Extension {
    const go = (place: Place) => this.go(place);
    const fix = (view: EditorView, from: number, to: number) => void this.fixes.offer(view, from, to);
    const fixHere = (view: EditorView) => {
      const { from, to, head } = view.state.selection.main;
      const line = view.state.doc.lineAt(head);
      fix(view, from === to ? line.from : from, from === to ? line.to : to);
      return true;
    };
    const format = () => {
      this.events.format();
      return true;
    };
    let line = 0;
    return [
      keymap.of([
        { key: "Tab", run: acceptCompletion },
        ...completionKeymap,
        ...closeBracketsKeymap,
        ...historyKeymap,
        { key: "Mod-.", run: fixHere },
        { key: "Alt-Enter", run: fixHere },
        { key: "Shift-Alt-f", run: format },
        { key: "Mod-s", run: format, preventDefault: true },
        { key: "F8", run: nextDiagnostic },
        { key: "Shift-F8", run: previousDiagnostic },
        { key: "F12", run: (view) => goToDeclaration(this.ask, go)(view) },
        // Escape, then Tab leaves the editor, as the keys' dialog says.
        { key: "Tab", run: indentMore, shift: indentLess },
      ]),
      marginGutter(fix),
      look,
      sourceMarks,
      history(),
      closeBrackets(),
      indentOnInput(),
      facts(this.ask, go),
      EditorView.contentAttributes.of({ "aria-label": "Text of the job", tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) {
          this.events.changed();
        }
        const now = update.state.doc.lineAt(update.state.selection.main.head).number;
        if ((update.selectionSet || update.docChanged) && (now !== line || update.docChanged)) {
          line = now;
          this.events.moved();
        }
      }),
    ];
  }
}
