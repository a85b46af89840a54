/** The cursor in a text marks the lines of its previews that come from there, and the other way round. */

import {
  OverviewRulerLane,
  Range,
  TextEditorRevealType,
  ThemeColor,
  Uri,
  window,
  type Disposable,
  type TextEditor,
} from "vscode";
import { SCHEME, type Preview } from "./preview";
import { linesFrom, originOf, type Shown } from "./shown";

export class Following implements Disposable {
  private readonly mark = window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new ThemeColor("editor.wordHighlightStrongBackground"),
    overviewRulerColor: new ThemeColor("editorOverviewRuler.wordHighlightStrongForeground"),
    overviewRulerLane: OverviewRulerLane.Center,
  });
  private readonly subscriptions: Disposable[];

  constructor(private readonly preview: Preview) {
    this.subscriptions = [
      this.mark,
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.moved(textEditor)),
      window.onDidChangeVisibleTextEditors(() => this.moved(window.activeTextEditor)),
      window.onDidChangeActiveTextEditor((editor) => this.moved(editor)),
    ];
  }

  dispose(): void {
    this.subscriptions.forEach((one) => one.dispose());
  }

  /** Only the editor with the cursor leads; that others are scrolled or marked moves no cursor. */
  private moved(editor: TextEditor | undefined): void {
    if (editor === undefined || editor !== window.activeTextEditor) {
      return;
    }
    const line = editor.selection.active.line;
    if (editor.document.uri.scheme === SCHEME) {
      this.toSource(editor.document.uri, line);
    } else if (editor.document.languageId === "tfjob") {
      this.toPreviews(editor.document.uri, line);
    }
    editor.setDecorations(this.mark, []);
  }

  private toPreviews(uri: Uri, line: number): void {
    for (const editor of window.visibleTextEditors) {
      const made = this.made(editor);
      if (made !== undefined) {
        this.show(editor, linesFrom(made, uri.toString(), line));
      }
    }
  }

  private toSource(uri: Uri, line: number): void {
    const made = this.preview.shown(uri);
    const origin = made === undefined ? undefined : originOf(made, line);
    for (const editor of window.visibleTextEditors.filter(({ document }) => document.languageId === "tfjob")) {
      const here = origin !== undefined && editor.document.uri.toString() === origin.uri;
      this.show(editor, here ? [origin.line] : []);
    }
  }

  private made(editor: TextEditor): Shown | undefined {
    const { uri } = editor.document;
    return uri.scheme === SCHEME ? this.preview.shown(uri) : undefined;
  }

  private show(editor: TextEditor, lines: readonly number[]): void {
    const ranges = lines.map((line) => new Range(line, 0, line, 0));
    editor.setDecorations(this.mark, ranges);
    if (ranges[0] !== undefined) {
      editor.revealRange(ranges[0], TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }
}
