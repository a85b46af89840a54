/**
 * The pages of the messages, from `tfdsl explain`. The server names the page's file, which is where the server is; a browser
 * or a window on another machine does not have it, so the code of a message leads to a command here.
 */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { commands, Uri, window, workspace, type Diagnostic, type Disposable, type TextDocumentContentProvider } from "vscode";
import { otherCommand, type Command } from "./program";

const SCHEME = "tfdsl-page";
const EXPLAIN = "tfdsl.explain";
/** Milliseconds that the program may take. */
const PATIENCE = 30_000;

export class Pages implements TextDocumentContentProvider, Disposable {
  private readonly subscriptions: Disposable[];

  constructor(private readonly program: () => Command | undefined) {
    this.subscriptions = [
      workspace.registerTextDocumentContentProvider(SCHEME, this),
      commands.registerCommand("tfdsl.explain", show),
    ];
  }

  dispose(): void {
    this.subscriptions.forEach((one) => one.dispose());
  }

  async provideTextDocumentContent(uri: Uri): Promise<string> {
    const program = this.program();
    const word = /^\/([\w-]+)\.md$/.exec(uri.path)?.[1];
    const args = program === undefined || word === undefined ? undefined : otherCommand(program, "explain", word, "--format", "markdown");
    if (program === undefined || args === undefined) {
      return "There is no program `tfdsl` that could explain it.\n";
    }
    try {
      const { stdout } = await promisify(execFile)(program.command, args, { cwd: program.cwd, timeout: PATIENCE });
      return stdout;
    } catch (error) {
      return `${(error as { stderr?: string }).stderr ?? String(error)}\n`;
    }
  }
}

/** The same diagnostics; their codes lead to the pages. */
export function withPages(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  for (const diagnostic of diagnostics) {
    const { code } = diagnostic;
    const value = typeof code === "object" ? code.value : code;
    if (value !== undefined) {
      const target = Uri.parse(`command:${EXPLAIN}?${encodeURIComponent(JSON.stringify([value]))}`);
      diagnostic.code = { value, target };
    }
  }
  return [...diagnostics];
}

/** The command: of a message's code or name, which is asked for when it is not given. */
async function show(given?: unknown): Promise<void> {
  const word = typeof given === "string" ? given : await window.showInputBox({ prompt: "Code or name of a message, or a word" });
  if (word === undefined || !/^[\w-]+$/.test(word)) {
    return;
  }
  const uri = Uri.from({ scheme: SCHEME, path: `/${word}.md` });
  try {
    await commands.executeCommand("markdown.showPreview", uri);
  } catch {
    await window.showTextDocument(uri); // VS Code's own Markdown extension is turned off.
  }
}
