/** The extension: one language server for all `.tfjob` files, and what the editor shows beside them. */

import * as fs from "node:fs";
import { commands, window, workspace, type ExtensionContext } from "vscode";
import { LanguageClient, TransportKind, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { Preview } from "./preview";
import { serverCommand } from "./server";

let client: LanguageClient | undefined;
/** The server's command of its code lenses, which writes files and opens the first. Here there is a preview for that. */
const OPEN_OUTPUT = "tfdsl.openOutput";

/** Start the server; a server that cannot be started costs everything but the colours, and is told once. */
export async function activate(context: ExtensionContext): Promise<void> {
  const preview = new Preview(() => client);
  context.subscriptions.push(
    preview,
    commands.registerCommand("tfdsl.preview", preview.show, preview),
    commands.registerCommand("tfdsl.restartServer", () => restart(preview)),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("tfdsl.server.command")) {
        await restart(preview);
      }
    }),
    workspace.onDidGrantWorkspaceTrust(() => restart(preview)),
  );
  await start(preview);
}

/** End the server. */
export async function deactivate(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

async function restart(preview: Preview): Promise<void> {
  await deactivate();
  await start(preview);
}

async function start(preview: Preview): Promise<void> {
  const { command, args } = serverCommand({
    configured: workspace.getConfiguration("tfdsl").get<string[]>("server.command", []),
    folders: workspace.isTrusted ? folders() : [],
    platform: process.platform,
    exists: fs.existsSync,
  });
  const server: ServerOptions = { command, args: [...args], transport: TransportKind.stdio };
  const starting = new LanguageClient("tfdsl", "tfdsl", server, options(preview));
  client = starting;
  try {
    await starting.start();
  } catch (error) {
    if (client === starting) {
      client = undefined;
    }
    const chosen = await window.showErrorMessage(
      `tfdsl: cannot start "${command}" (${String(error)}). Install it with: pip install 'tfdsl[lsp]'`,
      "Open Settings",
    );
    if (chosen !== undefined) {
      await commands.executeCommand("workbench.action.openSettings", "tfdsl.server.command");
    }
  }
}

function folders(): string[] {
  return (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
}

function options(preview: Preview): LanguageClientOptions {
  return {
    documentSelector: [
      { language: "tfjob", scheme: "file" },
      { language: "tfjob", scheme: "untitled" },
    ],
    initializationOptions: workspace.getConfiguration("tfdsl"),
    synchronize: { configurationSection: "tfdsl" },
    middleware: {
      executeCommand: (command, args: unknown[], next) =>
        command === OPEN_OUTPUT ? preview.show(args[0], args[1], args[2]) : next(command, args),
    },
  };
}
