/** Taking the output away: into a folder, at each save too. */

import * as fs from "node:fs/promises";
import * as path from "node:path";
import { commands, Uri, window, workspace, type Disposable, type TextDocument } from "vscode";
import { choices, targetFor } from "./choice";
import { COMPILE, outputsOf, type CompileParams, type Output } from "./compile";
import { tellWhy, type Server } from "./server";
import { textOf } from "./texts";

export class Outputs implements Disposable {
  private readonly subscriptions: Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      commands.registerCommand("tfdsl.compileToFolder", (uri, target, folder) =>
        this.toFolder(uri, target, folder).catch((error: unknown) => (tellWhy(error), [])),
      ),
      workspace.onDidSaveTextDocument((document) => void this.saved(document).catch(tellWhy)),
    ];
  }

  dispose(): void {
    this.subscriptions.forEach((one) => one.dispose());
  }

  /** Write the files into `folder`, or into one that is asked for; gives their paths. */
  private async toFolder(uri: unknown, target: unknown, folder: unknown): Promise<string[]> {
    const document = await textOf(uri);
    const chosen = document && (typeof target === "string" ? target : await targetFor(this.server, document));
    if (document === undefined || chosen === undefined) {
      return [];
    }
    const outputs = await this.outputs(document, chosen);
    if (outputs.length === 0) {
      throw new Error(`there is no output for ${chosen}: see the problems of the file.`);
    }
    const into = folder instanceof Uri ? folder : await askForFolder();
    if (into === undefined || !(await mayReplace(outputs.map(({ name }) => below(into.fsPath, name))))) {
      return [];
    }
    const files = await write(into.fsPath, outputs);
    const what = files.length === 1 ? "1 file" : `${files.length} files`;
    void window.showInformationMessage(`tfdsl: wrote ${what} for ${chosen} to ${into.fsPath}`, "Open").then((open) => {
      if (open !== undefined && files[0] !== undefined) {
        void window.showTextDocument(Uri.file(files[0]));
      }
    });
    return files;
  }

  /** What `compileOnSave` names gets what each target gets; a text with errors leaves what is there. */
  private async saved(document: TextDocument): Promise<void> {
    const named = workspace.getConfiguration("tfdsl", document.uri).get("compileOnSave", "");
    const folder = workspace.getWorkspaceFolder(document.uri);
    if (document.languageId !== "tfjob" || named === "" || folder === undefined || !workspace.isTrusted) {
      return;
    }
    const { targets } = await choices(this.server, document);
    for (const target of targets) {
      const outputs = await this.outputs(document, target);
      // As `compile -o` does with several targets: a folder for each.
      const into = below(folder.uri.fsPath, targets.length > 1 ? path.join(named, target) : named);
      await write(into, outputs);
      window.setStatusBarMessage(`$(${outputs.length > 0 ? "check" : "error"}) ${target}: ${outputs.length} files`, 5000);
    }
  }

  private async outputs(document: TextDocument, target: string): Promise<Output[]> {
    const params: CompileParams = { textDocument: { uri: document.uri.toString() }, target };
    return outputsOf(await this.server.request(COMPILE, params));
  }
}

async function write(folder: string, outputs: readonly Output[]): Promise<string[]> {
  const files: string[] = [];
  for (const { name, text, executable } of outputs) {
    const file = below(folder, name);
    await fs.mkdir(path.dirname(file), { recursive: true });
    await fs.writeFile(file, text);
    await fs.chmod(file, executable ? 0o755 : 0o644);
    files.push(file);
  }
  return files;
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
