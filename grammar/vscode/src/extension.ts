/** The extension: one language server for all `.tfjob` files, and what the editor shows beside them. */

import { commands, workspace, type ExtensionContext } from "vscode";
import type { LanguageClientOptions } from "vscode-languageclient/node";
import { checkTask } from "./checking";
import { Choice } from "./choice";
import { Compare } from "./compare";
import { Following } from "./follow";
import { Graphs } from "./graph";
import { Importing } from "./importing";
import { Outputs } from "./output";
import { Pages, withPages } from "./pages";
import { Preview } from "./preview";
import { Running } from "./running";
import { Server } from "./server";

/** The server's command of its code lenses, which writes files and opens the first. Here there is a preview for that. */
const OPEN_OUTPUT = "tfdsl.openOutput";
let server: Server | undefined;

/** Start the server; a server that cannot be started costs everything but the colours, and is told once. */
export async function activate(context: ExtensionContext): Promise<void> {
  const started = (server = new Server(() => options(preview, choice)));
  const preview = new Preview(started);
  const choice = new Choice(started);
  const program = (): ReturnType<Server["program"]> => started.program();
  context.subscriptions.push(
    preview,
    choice,
    new Following(preview),
    new Graphs(started),
    new Outputs(started),
    new Running(started),
    new Compare(preview, started),
    new Importing(started),
    new Pages(program),
    checkTask(program),
    commands.registerCommand("tfdsl.restartServer", () => started.restart()),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("tfdsl.server.command")) {
        await started.restart();
      }
    }),
    workspace.onDidGrantWorkspaceTrust(() => started.restart()),
  );
  await started.restart();
}

/** End the server. */
export async function deactivate(): Promise<void> {
  await server?.dispose();
}

function options(preview: Preview, choice: Choice): LanguageClientOptions {
  return {
    documentSelector: [
      { language: "tfjob", scheme: "file" },
      { language: "tfjob", scheme: "untitled" },
    ],
    initializationOptions: workspace.getConfiguration("tfdsl"),
    synchronize: { configurationSection: "tfdsl" },
    middleware: {
      handleDiagnostics: (uri, diagnostics, next) => next(uri, withPages(diagnostics)),
      provideDiagnostics: async (document, previous, token, next) => {
        const report = await next(document, previous, token);
        // They are asked for anew whenever something changes that the choice depends on, settings of a project too.
        void choice.update();
        return report?.kind === "full" ? { ...report, items: withPages(report.items) } : report;
      },
      executeCommand: (command, args: unknown[], next) =>
        command === OPEN_OUTPUT ? preview.show(args[0], args[1], args[2]) : next(command, args),
    },
  };
}
