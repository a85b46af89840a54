/** What two targets or two profiles get of the same text, side by side. */

import { commands, window, type Disposable } from "vscode";
import { choices, pickTarget, targetFor } from "./choice";
import type { CompileParams } from "./compile";
import type { Preview } from "./preview";
import { tellWhy, type Server } from "./server";
import { textOf } from "./texts";

export class Compare implements Disposable {
  private readonly subscriptions: Disposable[];

  constructor(
    private readonly preview: Preview,
    private readonly server: Server,
  ) {
    this.subscriptions = [
      commands.registerCommand("tfdsl.compareTargets", (uri, one, other) => this.targets(uri, one, other).catch(tellWhy)),
      commands.registerCommand("tfdsl.compareProfiles", (uri, one, other) => this.profiles(uri, one, other).catch(tellWhy)),
    ];
  }

  dispose(): void {
    this.subscriptions.forEach((one) => one.dispose());
  }

  private async targets(given: unknown, ...asked: unknown[]): Promise<void> {
    const document = await textOf(given);
    const named = document === undefined ? [] : (await choices(this.server, document)).targets;
    const one = typeof asked[0] === "string" ? asked[0] : document && (await pickTarget(named, "Compare this target"));
    const other = typeof asked[1] === "string" ? asked[1] : one && (await pickTarget(named.filter((name) => name !== one), "with this one"));
    if (document !== undefined && one && other) {
      const textDocument = { uri: document.uri.toString() };
      await this.show({ textDocument, target: one }, { textDocument, target: other }, `${one} ↔ ${other}`);
    }
  }

  private async profiles(given: unknown, ...asked: unknown[]): Promise<void> {
    const document = await textOf(given);
    if (document === undefined) {
      return;
    }
    const { profiles, profile } = await choices(this.server, document);
    const pick = async (placeHolder: string, without?: string): Promise<string | undefined> =>
      window.showQuickPick([NONE, ...profiles].filter((name) => name !== without), { placeHolder });
    const one = typeof asked[0] === "string" ? asked[0] : (profile ?? (await pick("Compare this profile")));
    const other = typeof asked[1] === "string" ? asked[1] : one && (await pick("with this one", one));
    const target = one && other && (await targetFor(this.server, document));
    if (target) {
      const of = (name: string): CompileParams => ({
        textDocument: { uri: document.uri.toString() },
        target,
        profile: name === NONE ? "" : name,
      });
      await this.show(of(one), of(other), `${one} ↔ ${other} (${target})`);
    }
  }

  /** The files in front, which follow the text as all previews do. */
  private async show(one: CompileParams, other: CompileParams, title: string): Promise<void> {
    await commands.executeCommand("vscode.diff", this.preview.named(one)(), this.preview.named(other)(), title);
  }
}

const NONE = "no profile";
