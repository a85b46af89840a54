/** The previews: what a target gets from a `.tfjob` text, beside it, a document for each file, made anew when the text changes. */

import {
  commands,
  EventEmitter,
  languages,
  TabInputText,
  Uri,
  ViewColumn,
  window,
  workspace,
  type CancellationToken,
  type Disposable,
  type TextDocument,
  type TextDocumentContentProvider,
} from "vscode";
import { targetFor } from "./choice";
import { COMPILE, outputsOf, type CompileParams, type Output } from "./compile";
import type { Server } from "./server";
import { fileName, linesOf, NOTHING, previewPath, type Line } from "./shown";
import { textOf } from "./texts";
import { madeLines, originLines, WHERE, type SourceLine } from "./where";

export const SCHEME = "tfdsl-preview";
/** Milliseconds without a change after which the output is made anew. */
const QUIET = 300;
/** Files that are opened at once; a button of each shows the others. */
const MOST = 12;

/** What one file of the output shows, and its lines that come from somewhere. */
interface Shown {
  readonly name: string;
  readonly lines: readonly Line[];
}

/** All previews of a window. */
export class Preview implements TextDocumentContentProvider, Disposable {
  private readonly changed = new EventEmitter<Uri>();
  private readonly subscriptions: Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private readonly last = new Map<string, Shown>();
  /** The answers for what the texts are now, by what was asked for: the files of an output are asked for one by one. */
  private answers = new Map<string, Promise<Output[]>>();

  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {
    this.subscriptions = [
      this.changed,
      workspace.registerTextDocumentContentProvider(SCHEME, this),
      commands.registerCommand("tfdsl.preview", this.show, this),
      commands.registerCommand("tfdsl.previewFile", this.showFile, this),
      // A text may include the one that has changed.
      workspace.onDidChangeTextDocument(({ document }) => document.languageId === "tfjob" && this.later()),
      workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("tfdsl") && this.later()),
      workspace.onDidCloseTextDocument(({ uri }) => this.last.delete(uri.toString())),
      server.onDidChange(() => this.later()),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.forEach((one) => one.dispose());
  }

  /** The lines of a preview that come from somewhere, as it is now. */
  lines(uri: Uri): readonly Line[] | undefined {
    return this.last.get(uri.toString())?.lines;
  }

  /** The lines of a preview that a line of a text made, as the server says it; nothing when it does not answer. */
  async madeBy(preview: Uri, uri: string, line: number, token: CancellationToken): Promise<number[] | undefined> {
    const answer = await this.ask(preview, { source: { uri, line: line + 1 } }, token);
    const name = this.last.get(preview.toString())?.name;
    return answer === undefined
      ? undefined
      : madeLines(answer).flatMap((one) => (one.name === name ? [one.line - 1] : []));
  }

  /** The lines of texts that made a line of a preview, the first the nearest; lines are counted from 0. */
  async originsOf(preview: Uri, line: number, token: CancellationToken): Promise<SourceLine[] | undefined> {
    const name = this.last.get(preview.toString())?.name;
    const answer = name && (await this.ask(preview, { output: { name, line: line + 1 } }, token));
    return answer
      ? originLines(answer).map((one) => ({ uri: Uri.parse(one.uri).toString(), line: one.line - 1 }))
      : undefined;
  }

  private async ask(preview: Uri, place: object, token: CancellationToken): Promise<unknown> {
    try {
      return await this.server.request(WHERE, { ...paramsOf(preview), ...place }, token);
    } catch {
      return undefined; // It was cancelled, or the text is not a part of what is shown.
    }
  }

  /**
   * The command: of the text in the active editor, or of `uri`; for `target`, or for one that is asked for; of `job`,
   * or of all. In front is the file that has most of what is written in the text.
   */
  async show(uri?: unknown, target?: unknown, job?: unknown): Promise<void> {
    const document = await textOf(uri);
    const chosen = document && (typeof target === "string" ? target : await targetFor(this.server, document));
    if (document === undefined || chosen === undefined) {
      return;
    }
    const params: CompileParams = {
      textDocument: { uri: document.uri.toString() },
      target: chosen,
      ...(typeof job === "string" ? { job } : {}),
    };
    const named = this.named(params);
    this.answers = new Map();
    const outputs = await this.answer(named()).catch(() => []); // The preview says why there is none.
    const [first] = outputs; // the server puts it there
    const others = outputs.filter((one) => one !== first && one.map.lines.length > 0).slice(0, MOST - 1);
    await closeOthers(document);
    for (const { name } of others) {
      await open(named(name), false);
    }
    await open(named(first?.name), others.length === 0);
  }

  /** The command of a preview: another file of the same output. */
  private async showFile(): Promise<void> {
    const preview = window.activeTextEditor?.document.uri;
    if (preview?.scheme !== SCHEME) {
      return;
    }
    const names = (await this.answer(preview).catch(() => [])).map(({ name }) => name);
    const name = await window.showQuickPick(names, { placeHolder: "File of the output" });
    if (name !== undefined) {
      await open(this.named(paramsOf(preview))(name), false);
    }
  }

  /** The URIs of the files of an output; without a name of the one in front, whichever that is. */
  named(params: CompileParams): (name?: string) => Uri {
    const query = JSON.stringify(params);
    return (name) => Uri.from({ scheme: SCHEME, path: previewPath(params, name), query });
  }

  async provideTextDocumentContent(uri: Uri): Promise<string> {
    try {
      const outputs = await this.answer(uri);
      const name = fileName(uri.path);
      const output = name === undefined ? outputs[0] : outputs.find((one) => one.name === name);
      if (output === undefined) {
        this.last.delete(uri.toString());
        return NOTHING;
      }
      const lines = linesOf(output).map((line) => ({ ...line, uri: Uri.parse(line.uri).toString() }));
      this.last.set(uri.toString(), { name: output.name, lines });
      void colour(uri, output.languageId);
      return output.text;
    } catch (error) {
      // There is no server, the text was closed, or there is no such target or job any more.
      this.last.delete(uri.toString());
      return `# ${error instanceof Error ? error.message : String(error)}\n`;
    }
  }

  private answer(uri: Uri): Promise<Output[]> {
    const known = this.answers.get(uri.query);
    const answer = known ?? this.server.request(COMPILE, paramsOf(uri)).then(outputsOf);
    this.answers.set(uri.query, answer);
    return answer;
  }

  /** Make all previews anew when nothing has changed for a while. */
  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.answers = new Map();
      const open = workspace.textDocuments.filter(({ uri }) => uri.scheme === SCHEME);
      open.forEach(({ uri }) => this.changed.fire(uri));
    }, QUIET);
  }
}

function paramsOf({ query }: Uri): CompileParams {
  return JSON.parse(query) as CompileParams;
}

/** The colours of a preview: what the server says its file is, as far as this editor knows that. */
async function colour(uri: Uri, language: string): Promise<void> {
  const document = await workspace.openTextDocument(uri);
  if (document.languageId !== language && (await languages.getLanguages()).includes(language)) {
    await languages.setTextDocumentLanguage(document, language);
  }
}

async function open(uri: Uri, preview: boolean): Promise<void> {
  await window.showTextDocument(uri, { viewColumn: ViewColumn.Beside, preserveFocus: true, preview });
}

/** Close the previews of a text that were opened before. */
async function closeOthers({ uri }: TextDocument): Promise<void> {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
  const before = tabs.filter(
    ({ input }) =>
      input instanceof TabInputText &&
      input.uri.scheme === SCHEME &&
      paramsOf(input.uri).textDocument.uri === uri.toString(),
  );
  await window.tabGroups.close(before, true);
}
