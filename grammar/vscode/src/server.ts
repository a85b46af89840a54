/** The language server of a window: started, ended, started again, and what is said when that cannot be. */

import { spawn, type ChildProcess } from "node:child_process";
import * as fs from "node:fs";
import { commands, window, workspace, type Disposable } from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
} from "vscode-languageclient/node";
import { missing, serverCommand, type Command, type Surroundings } from "./program";

/** So often within so many milliseconds a server that ends by itself is started again. */
const AGAIN = { times: 3, within: 180_000 };
/** Milliseconds that a server has for ending by itself. */
const PARTING = 1000;
/** Characters of what the server wrote last that a message may quote. */
const QUOTED = 300;

/** A client that writes what goes wrong into its output channel; what the user is told, and once, is told here. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Server implements Disposable {
  private running: LanguageClient | undefined;
  private child: ChildProcess | undefined;
  /** Starts and ends come one after the other. */
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly options: () => LanguageClientOptions) {}

  /** The client of a server that runs. */
  readonly client = (): LanguageClient | undefined => this.running;

  /** Which program it is now, if there is one. */
  program(): Command | undefined {
    return serverCommand(surroundings());
  }

  /** Start the server; one that runs is ended before. Ends when it runs or cannot be started, which is then told. */
  restart(): Promise<void> {
    this.last = this.last.then(() => this.end()).then(() => this.start());
    return this.last;
  }

  dispose(): Promise<void> {
    this.last = this.last.then(() => this.end());
    return this.last;
  }

  private async end(): Promise<void> {
    const { running, child } = this;
    this.running = this.child = undefined;
    try {
      await running?.dispose();
    } catch {
      // It did not answer the good-bye in time.
    }
    child?.kill();
  }

  private async start(): Promise<void> {
    const around = surroundings();
    const command = serverCommand(around);
    if (command === undefined) {
      tell(missing(around), "Try Again");
      return;
    }
    let written = "";
    const server: ServerOptions = async () => {
      const child = await started(command);
      child.stderr?.on("data", (piece: Buffer) => (written = (written + piece.toString()).slice(-QUOTED)));
      this.child = child;
      return child;
    };
    let shaken = false;
    const ends: number[] = [];
    const client = new QuietClient("tfdsl", "tfdsl", server, {
      ...this.options(),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          if (!shaken || this.running !== client) {
            return { action: CloseAction.DoNotRestart, handled: true };
          }
          ends.push(Date.now());
          if (ends.filter((end) => end > Date.now() - AGAIN.within).length <= AGAIN.times) {
            return { action: CloseAction.Restart, handled: true };
          }
          this.running = undefined;
          tell(`The language server ${command.command} has ended again. ${lastLine(written)}`, "Restart");
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    });
    try {
      await client.start();
      shaken = true;
      this.running = client;
    } catch (error) {
      if (this.child !== undefined) {
        await ended(this.child); // What it wrote last says more than that it is gone.
      }
      tell(`The language server ${command.command} cannot be started. ${lastLine(written) || String(error)}`, "Try Again");
    }
  }
}

/** Say it once, and do not wait for an answer: whoever starts a window has other things to do. `again`: starts it again. */
function tell(message: string, again: string): void {
  const settings = "Open Settings";
  void window.showErrorMessage(message, again, settings).then((chosen) => {
    if (chosen === settings) {
      void commands.executeCommand("workbench.action.openSettings", "tfdsl.server.command");
    } else if (chosen !== undefined) {
      void commands.executeCommand("tfdsl.restartServer");
    }
  });
}

function lastLine(written: string): string {
  return written.trim().split("\n").at(-1) ?? "";
}

/** The process, when it really runs. */
async function started({ command, args, cwd }: Command): Promise<ChildProcess> {
  const child = spawn(command, args, { cwd, stdio: "pipe" });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  child.on("error", () => undefined);
  return child;
}

/** Until everything that a process wrote was read, or its time is over; then it is ended. */
async function ended(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, PARTING);
    child.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    if (child.stderr?.closed !== false) {
      clearTimeout(timer);
      resolve();
    }
  });
  child.kill();
}

function surroundings(): Surroundings {
  const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  return {
    configured: workspace.getConfiguration("tfdsl").get<string[]>("server.command", []),
    folders: folders.map(({ uri }) => uri.fsPath),
    trusted: workspace.isTrusted,
    platform: process.platform,
    search: process.env["PATH"] ?? "",
    runs,
  };
}

function runs(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
