/** The language server of a window: started, ended, started again, and what is said when that cannot be. */

import { spawn, type ChildProcess } from "node:child_process";
import * as fs from "node:fs";
import {
  commands,
  EventEmitter,
  window,
  workspace,
  type CancellationToken,
  type Diagnostic,
  type Disposable,
} from "vscode";
import {
  CloseAction,
  ErrorAction,
  ErrorCodes,
  LanguageClient,
  ResponseError,
  type Diagnostic as ProtocolDiagnostic,
  type LanguageClientOptions,
  type StaticFeature,
} from "vscode-languageclient/node";
import { isOlder, missing, outdated, serverCommand, type Command, type Surroundings } from "./program";

/** So often within so many milliseconds a server that ends by itself is started again. */
const AGAIN = { times: 3, within: 180_000 };
/** Milliseconds that a server has for ending by itself. */
const PARTING = 1000;
/** Milliseconds that it has for its first answer. */
const SILENCE = 60_000;
/** Characters of what the server wrote last that a message may quote. */
const QUOTED = 300;
const DOWN = "the language server is not running";
/** What the library says when there is nobody who could answer. */
const GONE: readonly number[] = [ErrorCodes.ConnectionInactive, ErrorCodes.PendingResponseRejected];

/** The commands that lenses may lead to; they take the URI of a text, a target or nothing, and the name of a job. */
const LENSES = ["tfdsl.simulate", "tfdsl.run", "tfdsl.graph", "tfdsl.submit"];
/** That the lenses of this editor lead to more than the server does itself (docs/editors.md). */
const OWN_LENSES: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { ...capabilities.experimental, commands: { commands: LENSES } };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};

/** A client that writes what goes wrong into its output channel; what the user is told, and once, is told here. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** A server that is not there. */
class Down extends Error {
  constructor() {
    super(DOWN);
  }
}

export class Server implements Disposable {
  private readonly news = new EventEmitter<void>();
  private readonly log = window.createOutputChannel("tfdsl", { log: true });
  private running: LanguageClient | undefined;
  private child: ChildProcess | undefined;
  /** Starts and ends come one after the other. */
  private last: Promise<void> = Promise.resolve();
  /** When servers have ended by themselves. */
  private ends: number[] = [];

  /** A server runs that was not there before, or none does any more. */
  readonly onDidChange = this.news.event;

  constructor(private readonly options: () => LanguageClientOptions) {}

  /** The answer to a request. An error says in words for the user why there is none. */
  async request(method: string, params: object, token?: CancellationToken): Promise<unknown> {
    await this.last;
    if (this.running === undefined) {
      throw new Down();
    }
    try {
      return await this.running.sendRequest<unknown>(method, params, ...(token === undefined ? [] : [token]));
    } catch (error) {
      throw error instanceof ResponseError && GONE.includes(error.code) ? new Down() : error;
    }
  }

  /** Diagnostics of the protocol as VS Code takes them. */
  async diagnostics(found: ProtocolDiagnostic[]): Promise<Diagnostic[]> {
    return (await this.running?.protocol2CodeConverter.asDiagnostics(found)) ?? [];
  }

  /** Which program it is now, if there is one. */
  program(): Command | undefined {
    return serverCommand(surroundings());
  }

  /** Start the server; one that runs is ended before. Ends when it runs or cannot be started, which is then told. */
  restart(): Promise<void> {
    this.ends = [];
    return this.then(() => this.start());
  }

  dispose(): Promise<void> {
    return this.then(() => Promise.resolve());
  }

  /** End the server, and go on. */
  private then(next: () => Promise<void>): Promise<void> {
    this.last = this.last.then(() => this.end()).then(next);
    return this.last.then(() => this.news.fire());
  }

  private async end(): Promise<void> {
    const { running, child } = this;
    this.running = this.child = undefined;
    try {
      await running?.dispose();
    } catch {
      // It did not answer the good-bye in time, or is gone.
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
    for (let failure = await this.attempt(command); failure !== undefined; failure = await this.attempt(command)) {
      if (!failure.again || this.isEnough()) {
        tell(`The language server ${command.command} cannot be started. ${failure.why}`, "Try Again");
        return;
      }
    }
  }

  /** Whether a server has ended so often that it is not started again. */
  private isEnough(): boolean {
    this.ends = [...this.ends.filter((end) => end > Date.now() - AGAIN.within), Date.now()];
    return this.ends.length > AGAIN.times;
  }

  /** Start it once; why it does not run, and whether it may the next time. */
  private async attempt(command: Command): Promise<{ why: string; again: boolean } | undefined> {
    let written = "";
    let child: ChildProcess | undefined;
    let silent = false;
    const timer = setTimeout(() => (silent = child?.kill("SIGKILL") ?? true), SILENCE);
    const client = new QuietClient(
      "tfdsl",
      "tfdsl",
      async () => {
        this.child = child = await started(command);
        child.stderr?.on("data", (piece: Buffer) => (written = (written + piece.toString()).slice(-QUOTED)));
        return child;
      },
      {
        ...this.options(),
        outputChannel: this.log,
        initializationFailedHandler: () => false,
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue, handled: true }),
          closed: () => {
            if (this.running === client) {
              void this.then(async () => {
                if (this.isEnough()) {
                  tell(`The language server ${command.command} has ended again. ${lastLine(written)}`, "Restart");
                } else {
                  await this.start();
                }
              });
            }
            // A client of the library that starts a server again does not count those that end before they answer.
            return { action: CloseAction.DoNotRestart, handled: true };
          },
        },
      },
    );
    client.registerFeature(OWN_LENSES);
    try {
      await client.start();
    } catch (error) {
      await client.dispose().catch(() => undefined); // It says that it does not run.
      if (child === undefined) {
        return { why: `The system says: ${error instanceof Error ? error.message : String(error)}`, again: false };
      }
      await ended(child); // What it wrote last says more than that it is gone.
      const end = silent ? "It does not answer." : `It ended ${howEnded(child)} before it had answered.`;
      return { why: lastLine(written) || end, again: !silent };
    } finally {
      clearTimeout(timer);
    }
    this.running = client;
    const version = client.initializeResult?.serverInfo?.version;
    if (isOlder(version)) {
      tell(outdated(command, version), "Restart");
    }
    return undefined;
  }
}

/** Tell why a command was not done. */
export function tellWhy(error: unknown): void {
  if (error instanceof Down) {
    tell(`tfdsl: ${error.message}.`, "Restart");
  } else {
    void window.showErrorMessage(`tfdsl: ${error instanceof Error ? error.message : String(error)}`);
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

function howEnded({ exitCode, signalCode }: ChildProcess): string {
  return signalCode === null ? `with status ${exitCode}` : `by ${signalCode}`;
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
    if (child.stderr?.closed !== false && (child.exitCode ?? child.signalCode) !== null) {
      clearTimeout(timer);
      resolve();
    }
  });
  child.kill("SIGKILL");
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
