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
import { COMPILE, outputsOf, type CompileParams } from "./compile";
import { previewName, shown, targetsIn } from "./shown";
import { TARGETS } from "./targets";

const SCHEME = "tfdsl-preview";
/** Milliseconds without a change after which the output is made anew. */
const QUIET = 300;

/** All previews of a window. */
export class Preview implements TextDocumentContentProvider, Disposable {
  private readonly changed = new EventEmitter<Uri>();
  private readonly subscriptions: Disposable[];
  private readonly timers = new Map<string, NodeJS.Timeout>();

  readonly onDidChange = this.changed.event;

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.subscriptions = [
      this.changed,
      workspace.registerTextDocumentContentProvider(SCHEME, this),
      workspace.onDidChangeTextDocument(({ document }) => this.later(document)),
    ];
  }

  dispose(): void {
    this.timers.forEach(clearTimeout);
    this.subscriptions.forEach((one) => one.dispose());
  }

  /**
   * The command: of the text in the active editor, or of `uri`; for `target`, or for one that is asked for; of `job`,
   * or of all.
   */
  async show(uri?: unknown, target?: unknown, job?: unknown): Promise<void> {
    const document = await this.source(uri);
    if (document === undefined) {
      return;
    }
    const chosen = typeof target === "string" ? target : await choose(document);
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
    const client = this.client();
    if (client === undefined) {
      return "# The language server does not run.\n";
    }
    const params = JSON.parse(uri.query) as CompileParams;
    try {
      return shown(outputsOf(await client.sendRequest<unknown>(COMPILE, params, token)));
    } catch (error) {
      // The text was closed, or there is no such target or job any more.
      return `# ${error instanceof Error ? error.message : String(error)}\n`;
    }
  }

  private async source(uri: unknown): Promise<TextDocument | undefined> {
    const active = window.activeTextEditor?.document;
    if (uri instanceof Uri) {
      return workspace.openTextDocument(uri);
    }
    if (typeof uri === "string") {
      return workspace.openTextDocument(Uri.parse(uri));
    }
    if (active?.languageId === "tfjob") {
      return active;
    }
    await window.showInformationMessage("tfdsl: open a .tfjob file first.");
    return undefined;
  }

  /** Make the previews of a text anew, and those of texts that may include it. */
  private later(document: TextDocument): void {
    if (document.languageId !== "tfjob") {
      return;
    }
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

/** The only target that the text or the settings name, else one out of all. */
async function choose(document: TextDocument): Promise<string | undefined> {
  const configured = workspace.getConfiguration("tfdsl", document.uri).get<string[]>("targets", []);
  const named = configured.length > 0 ? configured : targetsIn(document.getText());
  if (named.length === 1) {
    return named[0];
  }
  const others = TARGETS.filter((target) => !named.includes(target));
  return window.showQuickPick([...named, ...others], { placeHolder: "Target" });
}
