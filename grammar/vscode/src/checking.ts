/** The task that checks all `.tfjob` files of a folder, so that files that are not open have their problems shown too. */

import {
  ProcessExecution,
  Task,
  TaskGroup,
  tasks,
  TaskScope,
  workspace,
  type Disposable,
  type TaskDefinition,
  type WorkspaceFolder,
} from "vscode";
import { fitting } from "./fitting";
import { otherCommand, type Command } from "./program";

const TYPE = "tfdsl";
const MATCHER = "$tfdsl";
/** Files of one folder that are looked for. */
const MOST = 2000;

/** `{ "type": "tfdsl", "files": ["jobs/*.tfjob"], "args": ["--strict"] }` */
interface CheckDefinition extends TaskDefinition {
  readonly files?: readonly string[];
  readonly args?: readonly string[];
}

/** Offer the task for each folder, if there is a program that does it. */
export function checkTask(program: () => Command | undefined): Disposable {
  return tasks.registerTaskProvider(TYPE, {
    provideTasks: async () => {
      const made = (workspace.workspaceFolders ?? []).map((folder) => task({ type: TYPE }, folder, program()));
      return (await Promise.all(made)).filter((one) => one !== undefined);
    },
    resolveTask: async ({ definition, scope }) => {
      const folder = typeof scope === "object" ? scope : workspace.workspaceFolders?.[0];
      return folder === undefined ? undefined : task(definition as CheckDefinition, folder, program(), scope);
    },
  });
}

async function task(
  definition: CheckDefinition,
  folder: WorkspaceFolder,
  program: Command | undefined,
  scope: WorkspaceFolder | TaskScope = folder,
): Promise<Task | undefined> {
  const all = definition.files ?? (await filesOf(folder));
  const named = fitting(all);
  const args = program && otherCommand(program, "check", ...named, "--format", "concise", ...(definition.args ?? []));
  if (program === undefined || args === undefined || named.length === 0) {
    return undefined;
  }
  const execution = new ProcessExecution(program.command, args, { cwd: folder.uri.fsPath });
  const name = named.length < all.length ? `check the first ${named.length} files` : "check all files";
  const made = new Task(definition, scope, name, "tfdsl", execution, MATCHER);
  made.group = TaskGroup.Build;
  return made;
}

async function filesOf(folder: WorkspaceFolder): Promise<string[]> {
  const found = await workspace.findFiles({ baseUri: folder.uri, base: folder.uri.fsPath, pattern: "**/*.tfjob" }, undefined, MOST);
  return found.map((uri) => workspace.asRelativePath(uri, false)).sort();
}
