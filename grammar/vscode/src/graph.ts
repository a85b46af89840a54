/** The picture of a `.tfjob` text beside it: it follows changes and the chosen target, and leads to the statements. */

import { randomBytes } from "node:crypto";
import {
  ColorThemeKind,
  commands,
  Range,
  Uri,
  ViewColumn,
  window,
  workspace,
  type Disposable,
  type TextDocument,
  type WebviewPanel,
} from "vscode";
import { choices } from "./choice";
import { clicked, coloured, GRAPH, page, pictureOf, type GraphParams, type Picture } from "./picture";
import type { Server } from "./server";
import { textOf } from "./texts";

/** Milliseconds without a change after which the picture is made anew. */
const QUIET = 300;

/** All pictures of a window, one for each text. */
export class Graphs implements Disposable {
  private readonly open = new Map<string, Graph>();
  private readonly subscriptions: Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      commands.registerCommand("tfdsl.graph", (uri, target, job) => this.show(uri, target, job)),
      // A text may include the one that has changed.
      workspace.onDidChangeTextDocument(({ document }) => document.languageId === "tfjob" && this.again()),
      workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("tfdsl") && this.again()),
      window.onDidChangeActiveColorTheme(() => this.again()),
      server.onDidChange(() => this.again()),
    ];
  }

  dispose(): void {
    this.subscriptions.forEach((one) => one.dispose());
    this.open.forEach((one) => one.panel.dispose());
  }

  /** The command: of the text in the active editor, or of `uri`; for `target`, or for the one that is chosen. */
  private async show(uri: unknown, target: unknown, job: unknown): Promise<void> {
    const document = await textOf(uri);
    if (document === undefined) {
      return;
    }
    const key = document.uri.toString();
    const asked = {
      ...(typeof target === "string" ? { target } : {}),
      ...(typeof job === "string" ? { job } : {}),
    };
    const there = this.open.get(key);
    if (there !== undefined) {
      there.asked = asked;
      there.panel.reveal(undefined, true);
      there.later();
      return;
    }
    const place = { viewColumn: ViewColumn.Beside, preserveFocus: true };
    const panel = window.createWebviewPanel("tfdsl.graph", `Graph ${name(document)}`, place, {
      enableScripts: true,
      localResourceRoots: [],
      retainContextWhenHidden: true,
    });
    this.open.set(key, new Graph(panel, document, asked, this.server));
    panel.onDidDispose(() => {
      this.open.get(key)?.end();
      this.open.delete(key);
    });
  }

  private again(): void {
    this.open.forEach((one) => one.later());
  }
}

/** The picture of one text. */
class Graph {
  private timer: NodeJS.Timeout | undefined;
  private turn = 0;
  private places: Picture["places"] = [];

  constructor(
    readonly panel: WebviewPanel,
    private readonly document: TextDocument,
    public asked: Omit<GraphParams, "textDocument">,
    private readonly server: Server,
  ) {
    panel.webview.onDidReceiveMessage((message: unknown) => {
      const part = clicked(message);
      void (part === undefined ? this.draw() : this.lead(part.job, part.path));
    });
    panel.webview.html = page(randomBytes(16).toString("hex"));
  }

  end(): void {
    clearTimeout(this.timer);
  }

  /** Draw it anew when nothing has changed for a while. */
  later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.draw(), QUIET);
  }

  private async draw(): Promise<void> {
    const turn = ++this.turn;
    const { svg, error, places } = await this.ask();
    if (turn !== this.turn) {
      return; // A later one is on its way.
    }
    if (svg !== "") {
      this.places = places;
    }
    const { kind } = window.activeColorTheme;
    const dark = kind === ColorThemeKind.Dark || kind === ColorThemeKind.HighContrast;
    await this.panel.webview.postMessage({ svg: coloured(svg, dark), note: error });
  }

  private async ask(): Promise<Picture> {
    try {
      const { targets } = await choices(this.server, this.document);
      const textDocument = { uri: this.document.uri.toString() };
      const [target, other] = targets;
      const only = target !== undefined && other === undefined ? { target } : {};
      const params: GraphParams = { textDocument, ...only, ...this.asked };
      const picture = pictureOf(await this.server.request(GRAPH, params));
      return picture.svg === "" && picture.error === "" ? { ...picture, error: "There is no job in the file." } : picture;
    } catch (error) {
      // There is no server, the text was closed, or there is no such target any more.
      return { svg: "", error: error instanceof Error ? error.message : String(error), places: [] };
    }
  }

  /** Show the statement of a part, in the editor that has its text, if there is one. */
  private async lead(job: number, path: string): Promise<void> {
    const place = this.places[job]?.get(path);
    if (place === undefined) {
      return;
    }
    const uri = Uri.parse(place.uri);
    const editor = window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
    await window.showTextDocument(uri, {
      viewColumn: editor?.viewColumn ?? ViewColumn.One,
      selection: new Range(place.line, place.character, place.line, place.character),
    });
  }
}

function name({ uri }: TextDocument): string {
  return uri.path.split("/").at(-1) ?? "";
}
