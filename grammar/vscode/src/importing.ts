/** The command that imports a manifest: the job that it describes, in an editor beside it. */

import {
  commands,
  languages,
  Uri,
  ViewColumn,
  window,
  workspace,
  type Disposable,
  type TextDocument,
} from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { IMPORT, importedOf } from "./manifest";
import { withPages } from "./pages";

export class Importing implements Disposable {
  private readonly problems = languages.createDiagnosticCollection("tfdsl import");
  private readonly subscriptions: Disposable[];

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.subscriptions = [
      this.problems,
      commands.registerCommand("tfdsl.importManifest", (uri) => this.run(uri)),
      // They are about the text as it was; the next import says what is wrong now.
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) {
          this.problems.delete(document.uri);
        }
      }),
      workspace.onDidCloseTextDocument(({ uri }) => this.problems.delete(uri)),
    ];
  }

  dispose(): void {
    this.subscriptions.forEach((one) => one.dispose());
  }

  /** Import `uri`, or what is in the active editor; the text of its jobs, if there are any. */
  private async run(uri: unknown): Promise<string | undefined> {
    const document = await manifestOf(uri);
    const client = this.client();
    if (document === undefined) {
      return undefined;
    }
    if (client === undefined) {
      void window.showErrorMessage("tfdsl: the language server does not run.");
      return undefined;
    }
    const text = document.getText();
    const answer = await client.sendRequest<unknown>(IMPORT, { uri: document.uri.toString(), text });
    const { text: jobs, diagnostics, differs } = importedOf(answer);
    const found = await client.protocol2CodeConverter.asDiagnostics(diagnostics);
    this.problems.set(document.uri, withPages(found));
    if (jobs === "") {
      void window.showErrorMessage("tfdsl: no job was imported. The problems of the manifest say why.");
      return undefined;
    }
    const made = await workspace.openTextDocument({ language: "tfjob", content: jobs });
    await window.showTextDocument(made, { viewColumn: ViewColumn.Beside, preview: false });
    if (differs.length > 0) {
      const names = differs.join(", ");
      void window.showWarningMessage(`tfdsl: ${names} does not compile to the same manifest. Its problems say what differs.`);
    }
    return jobs;
  }
}

async function manifestOf(uri: unknown): Promise<TextDocument | undefined> {
  if (uri instanceof Uri) {
    return workspace.openTextDocument(uri);
  }
  const active = window.activeTextEditor?.document;
  if (active === undefined) {
    await window.showInformationMessage("tfdsl: open a manifest first.");
  }
  return active;
}
