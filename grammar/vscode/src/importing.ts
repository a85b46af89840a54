/** The command that imports a manifest: the job that it describes, in an editor beside it. */

import {
  commands,
  env,
  languages,
  Position,
  Range,
  Uri,
  ViewColumn,
  window,
  workspace,
  type Disposable,
  type TextDocument,
} from "vscode";
import { IMPORT, importedOf, type Imported } from "./manifest";
import { withPages } from "./pages";
import { tellWhy, type Server } from "./server";

export class Importing implements Disposable {
  private readonly problems = languages.createDiagnosticCollection("tfdsl import");
  private readonly subscriptions: Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      this.problems,
      commands.registerCommand("tfdsl.importManifest", (uri) => this.run(uri).catch(tellWhy)),
      commands.registerCommand("tfdsl.pasteManifest", () => this.paste().catch(tellWhy)),
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
    if (document === undefined) {
      return undefined;
    }
    const { text, diagnostics, differs } = await this.imported(document.uri, document.getText());
    this.problems.set(document.uri, withPages(await this.server.diagnostics(diagnostics)));
    if (text === "") {
      throw new Error("no job was imported. The problems of the manifest say why.");
    }
    const made = await workspace.openTextDocument({ language: "tfjob", content: text });
    await window.showTextDocument(made, { viewColumn: ViewColumn.Beside, preview: false });
    if (differs.length > 0) {
      const names = differs.join(", ");
      void window.showWarningMessage(`tfdsl: ${names} does not compile to the same manifest. Its problems say what differs.`);
    }
    return text;
  }

  /** Put the jobs of a manifest that is in the clipboard where the cursor is. */
  private async paste(): Promise<string | undefined> {
    const editor = window.activeTextEditor;
    if (editor === undefined) {
      return undefined;
    }
    const { text, diagnostics, differs } = await this.imported(Uri.parse("untitled:clipboard"), await env.clipboard.readText());
    if (text === "") {
      throw new Error(`no job was imported from the clipboard: ${diagnostics[0]?.message ?? "it is empty"}`);
    }
    const place = editor.selection;
    const alone = editor.document.getText(new Range(new Position(0, 0), place.start)).trim() === "";
    // The edition can only be the first line of a file.
    const jobs = alone ? text : text.replace(/^edition .*\n+/, "");
    await editor.edit((edit) => edit.replace(place, jobs));
    if (differs.length > 0) {
      void window.showWarningMessage(`tfdsl: ${differs.join(", ")} does not compile to the same manifest: ${diagnostics[0]?.message ?? ""}`);
    }
    return jobs;
  }

  private async imported(uri: Uri, text: string): Promise<Imported> {
    return importedOf(await this.server.request(IMPORT, { uri: uri.toString(), text }));
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
