/** The commands of tfdsl that an editor has no view of its own for: in its terminal, or copied for another one. */

import { commands, env, ProcessExecution, Task, tasks, TaskScope, window, workspace, type Disposable, type TextDocument } from "vscode";
import { choices, targetFor } from "./choice";
import { otherCommand, type Command } from "./program";
import { tellWhy, type Server } from "./server";
import { quoted, wordsOf } from "./submit";
import { textOf } from "./texts";

export class Running implements Disposable {
  private readonly subscriptions: Disposable[];

  constructor(private readonly server: Server) {
    const command = (name: string, run: (uri: unknown, job: unknown, target: unknown) => Promise<unknown>): Disposable =>
      commands.registerCommand(name, (uri, target, job) => run(uri, job, target).catch(tellWhy));
    this.subscriptions = [
      command("tfdsl.run", (uri, job) => this.inTerminal("run", uri, job, () => Promise.resolve([]))),
      command("tfdsl.simulate", (uri, job) => this.inTerminal("simulate", uri, job, (document) => this.targets(document))),
      command("tfdsl.submit", (uri, job, target) => this.inTerminal("submit", uri, job, (document) => this.toSubmit(document, target))),
      command("tfdsl.copySubmitCommand", (uri, job, target) => this.copySubmit(uri, job, target)),
    ];
  }

  dispose(): void {
    this.subscriptions.forEach((one) => one.dispose());
  }

  /** Run a command about the file as it is on disk, where the answers of the user and the output have their place. */
  private async inTerminal(
    command: string,
    uri: unknown,
    job: unknown,
    targetsFor: (document: TextDocument) => Promise<readonly string[] | undefined>,
  ): Promise<void> {
    const document = await textOf(uri);
    const targets = document && (await targetsFor(document));
    if (document === undefined || targets === undefined || !(await document.save())) {
      return;
    }
    const words = wordsFor(command, document, targets, job, document.uri.fsPath);
    await execute(this.server.program(), words, document, typeof job === "string" ? `${command} ${job}` : command);
  }

  private async targets(document: TextDocument): Promise<readonly string[]> {
    return (await choices(this.server, document)).targets;
  }

  /** The target, when the user has confirmed it: nothing else that an editor does leaves this machine. */
  private async toSubmit(document: TextDocument, target: unknown): Promise<readonly string[] | undefined> {
    const chosen = typeof target === "string" ? target : await targetFor(this.server, document);
    const what = `Submit ${workspace.asRelativePath(document.uri, false)} to ${chosen}?`;
    const sure = chosen && (await window.showWarningMessage(what, { modal: true }, "Submit"));
    return sure ? [chosen] : undefined;
  }

  private async copySubmit(uri: unknown, job: unknown, target: unknown): Promise<string | undefined> {
    const document = await textOf(uri);
    const chosen = document && (typeof target === "string" ? target : await targetFor(this.server, document));
    if (document === undefined || chosen === undefined) {
      return undefined;
    }
    const file = workspace.asRelativePath(document.uri, false);
    const command = quoted(["tfdsl", ...wordsFor("submit", document, [chosen], job, file)]);
    await env.clipboard.writeText(command);
    window.setStatusBarMessage(`$(check) ${command}`, 5000);
    return command;
  }
}

function wordsFor(command: string, { uri }: TextDocument, targets: readonly string[], job: unknown, file: string): string[] {
  const settings = workspace.getConfiguration("tfdsl", uri);
  return wordsOf(command, {
    file,
    targets,
    job: typeof job === "string" ? job : undefined,
    profile: settings.get("profile", ""),
    paramsFile: settings.get("paramsFile", ""),
    params: settings.get("params", {}),
  });
}

async function execute(program: Command | undefined, words: readonly string[], { uri }: TextDocument, name: string): Promise<void> {
  const args = program && otherCommand(program, ...words);
  if (program === undefined || args === undefined) {
    throw new Error("there is no program tfdsl that could do it.");
  }
  const folder = workspace.getWorkspaceFolder(uri);
  const execution = new ProcessExecution(program.command, args, { cwd: folder?.uri.fsPath ?? program.cwd });
  const task = new Task({ type: "tfdsl", args: [...words] }, folder ?? TaskScope.Workspace, name, "tfdsl", execution, []);
  task.presentationOptions = { clear: true };
  await tasks.executeTask(task);
}
