/** A language server in a process of its own, spoken to with the library that VS Code speaks with. */

import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import {
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ConfigurationRequest,
  RegistrationRequest,
  ShutdownRequest,
  ExitNotification,
  StreamMessageReader,
  StreamMessageWriter,
  type InitializeResult,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
} from "vscode-languageserver-protocol/node";
import { project } from "./places";

/** Milliseconds without any news after which a test gives up. */
const PATIENCE = 20_000;

/** One session: a server that was started, and what it said so far. */
export class Session {
  private readonly published: PublishDiagnosticsParams[] = [];
  private waiting: (() => void)[] = [];

  private constructor(
    readonly process: ChildProcess,
    readonly connection: ProtocolConnection,
    readonly ended: Promise<number | null>,
  ) {
    connection.onNotification(PublishDiagnosticsNotification.type, (params) => {
      this.published.push(params);
      this.waiting.splice(0).forEach((wake) => wake());
    });
  }

  /** Start `$TFDSL_PYTHON -m tfdsl lsp`; `settings` is what the server gets when it asks for section `tfdsl`. */
  static start(settings: object = {}): Session {
    const python = process.env["TFDSL_PYTHON"];
    if (python === undefined) {
      throw new Error("TFDSL_PYTHON is not set: it names the Python that has tfdsl[lsp]");
    }
    const search = [project, path.join(project, "backends")].join(path.delimiter);
    const child = spawn(python, ["-m", "tfdsl", "lsp"], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, PYTHONPATH: search },
    });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    connection.onRequest(ConfigurationRequest.type, ({ items }) => items.map(() => settings));
    connection.onRequest(RegistrationRequest.type, () => undefined);
    connection.listen();
    return new Session(child, connection, ended);
  }

  async initialize(): Promise<InitializeResult> {
    const result = await this.connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: null,
      workspaceFolders: null,
      capabilities: {
        workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true } },
        textDocument: {
          publishDiagnostics: { relatedInformation: true, versionSupport: true },
          completion: { completionItem: { snippetSupport: true } },
          hover: { contentFormat: ["markdown"] },
        },
      },
    });
    await this.connection.sendNotification(InitializedNotification.type, {});
    return result;
  }

  async open(uri: string, text: string): Promise<void> {
    const textDocument = { uri, languageId: "tfjob", version: 1, text };
    await this.connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
  }

  /** The first diagnostics of a version of a text that fulfil the condition. */
  async diagnostics(
    uri: string,
    accept: (params: PublishDiagnosticsParams) => boolean = () => true,
  ): Promise<PublishDiagnosticsParams> {
    while (this.process.exitCode === null) {
      const found = this.published.findLast((params) => params.uri === uri && accept(params));
      if (found !== undefined) {
        return found;
      }
      await this.news(`diagnostics of ${uri}`);
    }
    throw new Error(`the server has ended with ${this.process.exitCode}`);
  }

  /** Wait for the next diagnostics or the end of the server, but not for ever: a test that hangs tells nothing. */
  private async news(what: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no ${what}; so far: ${JSON.stringify(this.published)}`)), PATIENCE);
    });
    try {
      await Promise.race([new Promise<void>((resolve) => this.waiting.push(resolve)), this.ended, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Say good-bye; gives the exit status. */
  async end(): Promise<number | null> {
    await this.connection.sendRequest(ShutdownRequest.type);
    await this.connection.sendNotification(ExitNotification.type);
    return this.ended;
  }

  /** For the end of a test, however it ended. */
  dispose(): void {
    this.connection.dispose();
    this.process.kill();
  }
}
