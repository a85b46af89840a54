/** The cursor in a text marks the lines of its previews that come from there, and the other way round. */

import {
  CancellationTokenSource,
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
import { linesFrom, originOf, type Line } from "./shown";
import type { SourceLine } from "./where";

export class Following implements Disposable {
  private readonly mark = window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new ThemeColor("editor.wordHighlightStrongBackground"),
    overviewRulerColor: new ThemeColor("editorOverviewRuler.wordHighlightStrongForeground"),
    overviewRulerLane: OverviewRulerLane.Center,
  });
  private readonly subscriptions: Disposable[];
  private waiting: CancellationTokenSource | undefined;

  constructor(private readonly preview: Preview) {
    this.subscriptions = [
      this.mark,
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.moved(textEditor)),
      window.onDidChangeVisibleTextEditors(() => this.moved(window.activeTextEditor)),
      window.onDidChangeActiveTextEditor((editor) => this.moved(editor)),
    ];
  }

  dispose(): void {
    this.waiting?.dispose();
    this.subscriptions.forEach((one) => one.dispose());
  }

  /** Only the editor with the cursor leads; that others are scrolled or marked moves no cursor. */
  private moved(editor: TextEditor | undefined): void {
    if (editor === undefined || editor !== window.activeTextEditor) {
      return;
    }
    const line = editor.selection.active.line;
    if (editor.document.uri.scheme === SCHEME) {
      void this.toSource(editor.document.uri, line);
    } else if (editor.document.languageId === "tfjob") {
      void this.toPreviews(editor.document.uri, line);
    }
    editor.setDecorations(this.mark, []);
  }

  /** What the map says is marked at once; what else a line made (a `let`, an option …) when the server answers. */
  private async toPreviews(uri: Uri, line: number): Promise<void> {
    const { token } = this.anew();
    for (const editor of window.visibleTextEditors) {
      const made = this.made(editor);
      if (made === undefined) {
        continue;
      }
      this.show(editor, linesFrom(made, uri.toString(), line));
      const lines = await this.preview.madeBy(editor.document.uri, uri.toString(), line, token);
      if (lines !== undefined && !token.isCancellationRequested && made === this.made(editor)) {
        this.show(editor, lines);
      }
    }
  }

  private async toSource(uri: Uri, line: number): Promise<void> {
    const { token } = this.anew();
    const made = this.preview.lines(uri);
    const origin = made === undefined ? undefined : originOf(made, line);
    this.showSources(origin === undefined ? [] : [origin]);
    const origins = await this.preview.originsOf(uri, line, token);
    if (origins !== undefined && origins.length > 0 && !token.isCancellationRequested) {
      this.showSources(origins);
    }
  }

  private showSources(places: readonly SourceLine[]): void {
    for (const editor of window.visibleTextEditors.filter(({ document }) => document.languageId === "tfjob")) {
      const uri = editor.document.uri.toString();
      this.show(editor, places.filter((one) => one.uri === uri).map((one) => one.line));
    }
  }

  /** End the question that waits for an answer: the cursor has moved on. */
  private anew(): CancellationTokenSource {
    this.waiting?.cancel();
    this.waiting?.dispose();
    return (this.waiting = new CancellationTokenSource());
  }

  private made(editor: TextEditor): readonly Line[] | undefined {
    const { uri } = editor.document;
    return uri.scheme === SCHEME ? this.preview.lines(uri) : undefined;
  }

  private show(editor: TextEditor, lines: readonly number[]): void {
    const ranges = lines.map((line) => new Range(line, 0, line, 0));
    editor.setDecorations(this.mark, ranges);
    if (ranges[0] !== undefined) {
      editor.revealRange(ranges[0], TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }
}
