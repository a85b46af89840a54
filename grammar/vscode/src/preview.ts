/** The preview: what a target gets from a `.tfjob` text, beside it, made anew when the text changes. */

import {
  EventEmitter,
  Uri,
  ViewColumn,
  window,
  workspace,
  type CancellationToken,
  type Disposable,
  type TextDocument,
  type TextDocumentContentProvider,
} from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { targetFor } from "./choice";
import { COMPILE, outputsOf, type CompileParams } from "./compile";
import { lineOfFile, previewName, shown, shownLine, type Shown } from "./shown";
import { textOf } from "./texts";
import { madeLines, originLines, WHERE, type SourceLine } from "./where";

export const SCHEME = "tfdsl-preview";
/** Milliseconds without a change after which the output is made anew. */
const QUIET = 300;

/** All previews of a window. */
export class Preview implements TextDocumentContentProvider, Disposable {
  private readonly changed = new EventEmitter<Uri>();
  private readonly subscriptions: Disposable[];
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly last = new Map<string, Shown>();

  readonly onDidChange = this.changed.event;

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.subscriptions = [
      this.changed,
      workspace.registerTextDocumentContentProvider(SCHEME, this),
      workspace.onDidChangeTextDocument(({ document }) => this.later(document)),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("tfdsl")) {
          this.again();
        }
      }),
      workspace.onDidCloseTextDocument(({ uri }) => this.last.delete(uri.toString())),
    ];
  }

  dispose(): void {
    this.timers.forEach(clearTimeout);
    this.subscriptions.forEach((one) => one.dispose());
  }

  /** What a preview shows now. */
  shown(uri: Uri): Shown | undefined {
    return this.last.get(uri.toString());
  }

  /** The lines of a preview that a line of a text made, as the server says it; nothing when it does not answer. */
  async madeBy(preview: Uri, uri: string, line: number, token: CancellationToken): Promise<number[] | undefined> {
    const made = this.shown(preview);
    const answer = await this.ask(preview, { source: { uri, line: line + 1 } }, token);
    return made === undefined || answer === undefined
      ? undefined
      : madeLines(answer).flatMap((one) => shownLine(made, one.name, one.line) ?? []);
  }

  /** The lines of texts that made a line of a preview, the first the nearest; lines are counted from 0. */
  async originsOf(preview: Uri, line: number, token: CancellationToken): Promise<SourceLine[] | undefined> {
    const made = this.shown(preview);
    const output = made === undefined ? undefined : lineOfFile(made, line);
    const answer = output === undefined ? undefined : await this.ask(preview, { output }, token);
    return answer === undefined
      ? undefined
      : originLines(answer).map((one) => ({ uri: Uri.parse(one.uri).toString(), line: one.line - 1 }));
  }

  private async ask(preview: Uri, place: object, token: CancellationToken): Promise<unknown> {
    const params = JSON.parse(preview.query) as CompileParams;
    try {
      return await this.client()?.sendRequest<unknown>(WHERE, { ...params, ...place }, token);
    } catch {
      return undefined; // It was cancelled, or the text is not a part of what is shown.
    }
  }

  /**
   * The command: of the text in the active editor, or of `uri`; for `target`, or for one that is asked for; of `job`,
   * or of all.
   */
  async show(uri?: unknown, target?: unknown, job?: unknown): Promise<void> {
    const document = await textOf(uri);
    if (document === undefined) {
      return;
    }
    const chosen = typeof target === "string" ? target : await targetFor(document);
    if (chosen === undefined) {
      return;
    }
    const params: CompileParams = {
      textDocument: { uri: document.uri.toString() },
      target: chosen,
      ...(typeof job === "string" ? { job } : {}),
    };
    const name = previewName(typeof job === "string" ? job : document.uri.path, chosen);
    const shownAs = Uri.from({ scheme: SCHEME, path: `/${name}`, query: JSON.stringify(params) });
    const preview = await workspace.openTextDocument(shownAs);
    this.changed.fire(shownAs);
    await window.showTextDocument(preview, { viewColumn: ViewColumn.Beside, preserveFocus: true, preview: true });
  }

  async provideTextDocumentContent(uri: Uri, token: CancellationToken): Promise<string> {
    const made = await this.make(JSON.parse(uri.query) as CompileParams, token);
    this.last.set(uri.toString(), made);
    return made.text;
  }

  private async make(params: CompileParams, token: CancellationToken): Promise<Shown> {
    const client = this.client();
    if (client === undefined) {
      return { text: "# The language server does not run.\n", lines: [], parts: [] };
    }
    try {
      return inEditor(shown(outputsOf(await client.sendRequest<unknown>(COMPILE, params, token))));
    } catch (error) {
      // The text was closed, or there is no such target or job any more.
      return { text: `# ${error instanceof Error ? error.message : String(error)}\n`, lines: [], parts: [] };
    }
  }

  /** Make the previews of a text anew, and those of texts that may include it. */
  private later(document: TextDocument): void {
    if (document.languageId === "tfjob") {
      this.again();
    }
  }

  private again(): void {
    for (const { uri } of workspace.textDocuments.filter(({ uri }) => uri.scheme === SCHEME)) {
      const key = uri.toString();
      clearTimeout(this.timers.get(key));
      this.timers.set(
        key,
        setTimeout(() => {
          this.timers.delete(key);
          this.changed.fire(uri);
        }, QUIET),
      );
    }
  }
}

/** With URIs written as VS Code writes them: there is more than one way. */
function inEditor({ text, lines, parts }: Shown): Shown {
  const known = new Map<string, string>();
  const written = (uri: string): string => {
    const found = known.get(uri) ?? Uri.parse(uri).toString();
    known.set(uri, found);
    return found;
  };
  return { text, lines: lines.map((line) => ({ ...line, uri: written(line.uri) })), parts };
}
