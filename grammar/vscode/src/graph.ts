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
import type { LanguageClient } from "vscode-languageclient/node";
import { shownTarget } from "./choice";
import { clicked, coloured, GRAPH, page, pictureOf, type GraphParams, type Picture } from "./picture";
import { textOf } from "./texts";

/** Milliseconds without a change after which the picture is made anew. */
const QUIET = 300;
/** Milliseconds after which a server that does not run yet is asked again. */
const LATER = 1000;

/** All pictures of a window, one for each text. */
export class Graphs implements Disposable {
  private readonly open = new Map<string, Graph>();
  private readonly subscriptions: Disposable[];

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.subscriptions = [
      commands.registerCommand("tfdsl.graph", (uri, target) => this.show(uri, target)),
      // A text may include the one that has changed.
      workspace.onDidChangeTextDocument(({ document }) => document.languageId === "tfjob" && this.again()),
      workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("tfdsl") && this.again()),
      window.onDidChangeActiveColorTheme(() => this.again()),
    ];
  }

  dispose(): void {
    this.subscriptions.forEach((one) => one.dispose());
    this.open.forEach((one) => one.panel.dispose());
  }

  /** The command: of the text in the active editor, or of `uri`; for `target`, or for the one that is chosen. */
  private async show(uri: unknown, target: unknown): Promise<void> {
    const document = await textOf(uri);
    if (document === undefined) {
      return;
    }
    const key = document.uri.toString();
    const asked = typeof target === "string" ? target : undefined;
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
    this.open.set(key, new Graph(panel, document, asked, this.client));
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
    public asked: string | undefined,
    private readonly client: () => LanguageClient | undefined,
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
  later(wait = QUIET): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.draw(), wait);
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
    const client = this.client();
    if (client === undefined) {
      this.later(LATER);
      return { svg: "", error: "The language server does not run.", places: [] };
    }
    const target = this.asked ?? shownTarget(this.document);
    const params: GraphParams = {
      textDocument: { uri: this.document.uri.toString() },
      ...(target === undefined ? {} : { target }),
    };
    try {
      const picture = pictureOf(await client.sendRequest<unknown>(GRAPH, params));
      return picture.svg === "" && picture.error === "" ? { ...picture, error: "There is no job in the file." } : picture;
    } catch (error) {
      // The text was closed, or there is no such target any more.
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
