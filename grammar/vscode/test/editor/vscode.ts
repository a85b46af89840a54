/** A VS Code with the built extension in it, and what a test does with it. */

import { execFile, spawn, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { chromium, type Browser, type Locator, type Page } from "playwright-core";
import type * as vscodeApi from "vscode";
import { extension, project } from "../places";
import { chromiumOptions } from "../../../../tests/browser/chromium";
import { programs } from "./programs";

type Vscode = typeof vscodeApi;

/** Milliseconds until something that is waited for has to be there; the machine may be busy. */
export const PATIENCE = 90_000;

export interface Start {
  /** Files of the workspace folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Files of a second folder of the window, which is called `other` and lies beside the first one. */
  readonly other?: Readonly<Record<string, string>>;
  /** Settings of the user. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Whether the workspace is trusted from the start. Without it VS Code asks. */
  readonly trusted?: boolean;
  /** Folders in front of the PATH; without any there is no tfdsl on it. */
  readonly search?: readonly string[];
}

/** One window. */
export class VsCode {
  private constructor(
    /** The workspace folder. */
    readonly folder: string,
    readonly page: Page,
    private readonly browser: Browser,
    private readonly server: ChildProcess,
    private readonly scratch: string,
    private readonly socket: string,
  ) {}

  static async start(start: Start): Promise<VsCode> {
    const work = process.env["WORK"];
    if (work === undefined) {
      throw new Error("WORK is not set: it names the folder for the programs that these tests drive");
    }
    const found = await programs(path.resolve(work));
    const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "tfdsl-vscode-"));
    const folder = path.join(scratch, "work");
    write(folder, start.files);
    const folders = [{ path: folder }, { path: path.join(scratch, "other") }];
    write(scratch, { "both.code-workspace": JSON.stringify({ folders }) });
    write(path.join(scratch, "other"), start.other ?? {});
    write(path.join(scratch, "user"), { "User/settings.json": JSON.stringify({ ...QUIET, ...start.settings }) });
    write(path.join(scratch, "extensions/probe"), {
      "package.json": JSON.stringify(PROBE),
      "probe.cjs": fs.readFileSync(path.join(extension, "test/editor/probe.cjs"), "utf8"),
    });
    const socket = path.join(scratch, "probe");
    const environment = {
      ...process.env,
      HOME: scratch,
      TFDSL_PROBE: socket,
      // Started from a shell, so it does not ask a login shell for another PATH.
      VSCODE_CLI: "1",
      PATH: [...(start.search ?? []), "/usr/local/bin", "/usr/bin", "/bin"].join(path.delimiter),
      PYTHONPATH: [project, path.join(project, "backends")].join(path.delimiter),
    };
    const places = ["--user-data-dir", path.join(scratch, "user"), "--extensions-dir", path.join(scratch, "extensions")];
    const vsix = path.join(extension, "tfjob.vsix");
    await promisify(execFile)(found.node, [found.codeServer, ...places, "--install-extension", vsix], {
      env: environment,
    });
    const port = await freePort();
    const log = fs.openSync(path.join(scratch, "log"), "w");
    const server = spawn(
      found.node,
      [
        found.codeServer,
        ...places,
        ...["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check"],
        ...(start.trusted === false ? [] : ["--disable-workspace-trust"]),
      ],
      { env: environment, stdio: ["ignore", log, log] },
    );
    await until(`VS Code at port ${port}`, () => answers(port));
    const browser = await startBrowser(path.resolve(work), scratch);
    const page = await browser.newPage({
      viewport: { width: 1280, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const editor = new VsCode(folder, page, browser, server, scratch, socket);
    try {
      const query = start.other === undefined ? { folder } : { workspace: path.join(scratch, "both.code-workspace") };
      await page.goto(`http://127.0.0.1:${port}/?${new URLSearchParams(query)}`);
      await until("the probe extension", () => fs.existsSync(socket));
    } catch (error) {
      await editor.stop();
      throw error;
    }
    return editor;
  }

  /** Run `code` in VS Code's extension host; it is sent as text, so it may use nothing but its arguments. */
  async run<Args extends unknown[], Result>(
    code: (vscode: Vscode, ...args: Args) => Result | PromiseLike<Result>,
    ...args: Args
  ): Promise<Result> {
    const body = JSON.stringify({ code: code.toString(), args });
    const answer = await post(this.socket, body);
    if (answer.error !== undefined) {
      throw new Error(answer.error);
    }
    return answer.value as Result;
  }

  /** Run `code` until its result is accepted; gives that result. */
  async waitFor<Args extends unknown[], Result>(
    what: string,
    code: (vscode: Vscode, ...args: Args) => Result | PromiseLike<Result>,
    accept: (result: Result) => boolean,
    ...args: Args
  ): Promise<Result> {
    let last: Result | undefined;
    await until(
      what,
      async () => accept((last = await this.run(code, ...args))),
      () => JSON.stringify(last),
    );
    return last as Result;
  }

  /** The URI of a file, by its path from the (first) folder of the window. */
  uri(name: string): string {
    return `file://${path.resolve(this.folder, name)}`;
  }

  /** Open a file of the workspace in an editor. */
  async show(name: string): Promise<void> {
    await this.run(async (vscode, uri) => {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
      await vscode.window.showTextDocument(document, { preview: false });
    }, this.uri(name));
  }

  /**
   * Choose `entry` in the context menu of `element`.
   *
   * A menu of VS Code ignores the mouse for 100 ms after it has opened, so the entry is clicked until the menu closes.
   */
  async pick(element: Locator, entry: string): Promise<void> {
    const menu = this.page.locator(".monaco-menu");
    await element.click({ button: "right" });
    await menu.waitFor();
    await until(`the end of the menu with ${entry}`, async () => {
      await menu.getByText(entry).click({ timeout: 1000 }).catch(() => undefined); // it may close just now
      return menu.waitFor({ state: "hidden", timeout: 500 }).then(
        () => true,
        () => false,
      );
    });
  }

  async stop(): Promise<void> {
    await this.browser.close();
    const ended = new Promise((resolve) => this.server.once("exit", resolve));
    this.server.kill();
    await ended;
    fs.rmSync(this.scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What makes a window that shows nothing but the work. */
const QUIET = {
  "editor.fontFamily": "DejaVu Sans Mono",
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
};

const PROBE = {
  name: "probe",
  publisher: "tfdsl-test",
  version: "1.0.0",
  engines: { vscode: "^1.91.0" },
  main: "./probe.cjs",
  activationEvents: ["*"],
  capabilities: { untrustedWorkspaces: { supported: true } },
};

/** The browser, without a window. */
export async function startBrowser(work: string, home: string): Promise<Browser> {
  return chromium.launch(await chromiumOptions(work, home));
}

/** Wait until `ready` is true, and say what was waited for when it never is. */
export async function until(
  what: string,
  ready: () => boolean | Promise<boolean>,
  seen: () => string | undefined = () => undefined,
): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await ready())) {
    if (Date.now() > end) {
      throw new Error(`${what} did not come in ${PATIENCE / 1000} s; last: ${seen()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Write files below a folder. */
function write(folder: string, files: Readonly<Record<string, string>>): void {
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    http
      .get({ host: "127.0.0.1", port, path: "/healthz" }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      })
      .on("error", () => resolve(false));
  });
}

interface Answer {
  readonly value?: unknown;
  readonly error?: string;
}

async function post(socketPath: string, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, method: "POST" }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => (text += piece));
      response.on("end", () => resolve(JSON.parse(text) as Answer));
    });
    request.on("error", reject);
    request.end(body);
  });
}
