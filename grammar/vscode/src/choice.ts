/** The target and the profile that are chosen: in the status bar, and as a choice from a list. */

import { commands, ConfigurationTarget, StatusBarAlignment, window, workspace, type Disposable, type TextDocument } from "vscode";
import { CHOICES, choicesOf, type Choices } from "./choices";
import { tellWhy, type Server } from "./server";
import { TARGETS } from "./targets";

/** The two entries of the status bar; they are there while a `.tfjob` text is in front. */
export class Choice implements Disposable {
  private readonly target = window.createStatusBarItem("tfdsl.target", StatusBarAlignment.Right, 101);
  private readonly profile = window.createStatusBarItem("tfdsl.profile", StatusBarAlignment.Right, 100);
  private readonly subscriptions: Disposable[];
  private turn = 0;

  constructor(private readonly server: Server) {
    this.target.name = "tfdsl Target";
    this.target.command = "tfdsl.chooseTarget";
    this.target.tooltip = "Target that .tfjob files are checked for";
    this.profile.name = "tfdsl Profile";
    this.profile.command = "tfdsl.chooseProfile";
    this.profile.tooltip = "Profile that .tfjob files are checked with";
    this.subscriptions = [
      this.target,
      this.profile,
      window.onDidChangeActiveTextEditor(() => this.update()),
      server.onDidChange(() => this.update()),
      commands.registerCommand("tfdsl.chooseTarget", () => this.chooseTarget().catch(tellWhy)),
      commands.registerCommand("tfdsl.chooseProfile", () => this.chooseProfile().catch(tellWhy)),
    ];
    void this.update();
  }

  dispose(): void {
    this.subscriptions.forEach((one) => one.dispose());
  }

  /** Show what counts now: of the settings, of the project and of the text, which the server knows. */
  async update(): Promise<void> {
    const turn = ++this.turn;
    const document = window.activeTextEditor?.document;
    if (document?.languageId !== "tfjob") {
      this.target.hide();
      this.profile.hide();
      return;
    }
    const found = await choices(this.server, document).catch(() => undefined);
    if (turn === this.turn) {
      this.target.text = found === undefined ? "$(warning) no language server" : `$(server) ${found.targets.join(", ") || "no target"}`;
      this.profile.text = `$(symbol-parameter) ${found?.profile ?? "no profile"}`;
      this.target.show();
      this.profile.show();
    }
  }

  private async chooseTarget(): Promise<void> {
    const document = window.activeTextEditor?.document;
    const before = document?.languageId === "tfjob" ? (await choices(this.server, document)).targets : [];
    const chosen = await window.showQuickPick(
      [
        { label: "Those of the project or the file", description: "", targets: undefined },
        ...TARGETS.map((label) => ({ label, description: before.includes(label) ? "chosen" : "", targets: [label] })),
      ],
      { placeHolder: "Check .tfjob files for" },
    );
    if (chosen !== undefined) {
      await remember("targets", chosen.targets);
    }
  }

  private async chooseProfile(): Promise<void> {
    const document = window.activeTextEditor?.document;
    const found = document?.languageId === "tfjob" ? await choices(this.server, document) : undefined;
    const profiles = found?.profiles ?? [];
    const chosen = await window.showQuickPick(
      [
        { label: "No profile", description: "", profile: undefined },
        ...profiles.map((label) => ({ label, description: label === found?.profile ? "chosen" : "", profile: label })),
      ],
      { placeHolder: profiles.length > 0 ? "Check .tfjob files with" : "The file has no profile" },
    );
    if (chosen !== undefined) {
      await remember("profile", chosen.profile);
    }
  }
}

/** What the server says can be chosen for a text, and what is. */
export async function choices(server: Server, document: TextDocument): Promise<Choices> {
  return choicesOf(await server.request(CHOICES, { textDocument: { uri: document.uri.toString() } }));
}

/** The only target that a text is checked for, else one out of all; an error says why there is none. */
export async function targetFor(server: Server, document: TextDocument): Promise<string | undefined> {
  const { targets } = await choices(server, document);
  return targets.length === 1 ? targets[0] : pickTarget(targets);
}

/** One out of all targets, `first` those. */
export async function pickTarget(first: readonly string[], placeHolder = "Target"): Promise<string | undefined> {
  return window.showQuickPick([...first, ...TARGETS.filter((target) => !first.includes(target))], { placeHolder });
}

/** Into the settings of the workspace if there is one, else into those of the user. */
async function remember(setting: string, value: unknown): Promise<void> {
  const there = workspace.workspaceFolders === undefined ? ConfigurationTarget.Global : ConfigurationTarget.Workspace;
  await workspace.getConfiguration("tfdsl").update(setting, value, there);
}
