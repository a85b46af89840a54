/** Taking the output away: into a folder, or as the command that submits it. */

import * as fs from "node:fs/promises";
import * as path from "node:path";
import { commands, env, Uri, window, workspace, type Disposable, type TextDocument } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { profile, targetFor } from "./choice";
import { COMPILE, outputsOf, type CompileParams, type Output } from "./compile";
import { submitCommand } from "./submit";
import { textOf } from "./texts";

interface Made {
  readonly document: TextDocument;
  readonly target: string;
  readonly outputs: readonly Output[];
}

export class Outputs implements Disposable {
  private readonly subscriptions: Disposable[];

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.subscriptions = [
      commands.registerCommand("tfdsl.compileToFolder", (uri, target, folder) => this.toFolder(uri, target, folder)),
      commands.registerCommand("tfdsl.copySubmitCommand", (uri, target) => this.copySubmit(uri, target)),
    ];
  }

  dispose(): void {
    this.subscriptions.forEach((one) => one.dispose());
  }

  /** Write the files into `folder`, or into one that is asked for; gives their paths. */
  private async toFolder(uri: unknown, target: unknown, folder: unknown): Promise<string[]> {
    const made = await this.make(uri, target);
    const chosen = made === undefined ? undefined : folder instanceof Uri ? folder : await askForFolder();
    if (made === undefined || chosen === undefined) {
      return [];
    }
    const files = made.outputs.map((output) => ({ output, file: below(chosen.fsPath, output.name) }));
    if (!(await mayReplace(files.map(({ file }) => file)))) {
      return [];
    }
    for (const { output, file } of files) {
      await fs.mkdir(path.dirname(file), { recursive: true });
      await fs.writeFile(file, output.text);
      await fs.chmod(file, output.executable ? 0o755 : 0o644);
    }
    const what = files.length === 1 ? "1 file" : `${files.length} files`;
    void window.showInformationMessage(`tfdsl: wrote ${what} for ${made.target} to ${chosen.fsPath}`, "Open").then((open) => {
      if (open !== undefined && files[0] !== undefined) {
        void window.showTextDocument(Uri.file(files[0].file));
      }
    });
    return files.map(({ file }) => file);
  }

  private async copySubmit(uri: unknown, target: unknown): Promise<string | undefined> {
    const made = await this.make(uri, target);
    if (made === undefined) {
      return undefined;
    }
    const { document } = made;
    const command = submitCommand(
      {
        file: workspace.asRelativePath(document.uri, false),
        target: made.target,
        profile: profile(document),
        paramsFile: workspace.getConfiguration("tfdsl", document.uri).get("paramsFile", ""),
        params: workspace.getConfiguration("tfdsl", document.uri).get("params", {}),
        folder: "build",
      },
      made.outputs,
    );
    await env.clipboard.writeText(command);
    window.setStatusBarMessage(`$(check) ${command}`, 5000);
    return command;
  }

  private async make(uri: unknown, target: unknown): Promise<Made | undefined> {
    const document = await textOf(uri);
    const chosen = document === undefined ? undefined : typeof target === "string" ? target : await targetFor(document);
    if (document === undefined || chosen === undefined) {
      return undefined;
    }
    const params: CompileParams = { textDocument: { uri: document.uri.toString() }, target: chosen };
    const outputs = outputsOf(await this.client()?.sendRequest<unknown>(COMPILE, params));
    if (outputs.length === 0) {
      void window.showErrorMessage(`tfdsl: there is no output for ${chosen}: see the problems of the file.`);
      return undefined;
    }
    return { document, target: chosen, outputs };
  }
}

async function askForFolder(): Promise<Uri | undefined> {
  const [chosen] =
    (await window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, openLabel: "Compile Into" })) ?? [];
  return chosen;
}

/** The path of an output; a server that names another folder is not followed. */
function below(folder: string, name: string): string {
  const file = path.resolve(folder, name);
  if (!file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep)) {
    throw new Error(`${name} is not below ${folder}`);
  }
  return file;
}

async function mayReplace(files: readonly string[]): Promise<boolean> {
  const there = await Promise.all(files.map((file) => fs.access(file).then(() => true, () => false)));
  const count = there.filter(Boolean).length;
  if (count === 0) {
    return true;
  }
  const what = count === 1 ? "A file of that name is" : `${count} files of those names are`;
  const chosen = await window.showWarningMessage(`${what} there already.`, { modal: true }, "Replace");
  return chosen !== undefined;
}
