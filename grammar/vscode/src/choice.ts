/** The target and the profile that are chosen: in the status bar, and as a choice from a list. */

import {
  commands,
  ConfigurationTarget,
  StatusBarAlignment,
  Uri,
  window,
  workspace,
  type DocumentLink,
  type Disposable,
  type TextDocument,
} from "vscode";
import { profilesIn, targetsIn } from "./shown";
import { TARGETS } from "./targets";

/** Included files in which profiles are looked for. */
const MOST = 50;

/** The two entries of the status bar; they are there while a `.tfjob` text is in front. */
export class Choice implements Disposable {
  private readonly target = window.createStatusBarItem("tfdsl.target", StatusBarAlignment.Right, 101);
  private readonly profile = window.createStatusBarItem("tfdsl.profile", StatusBarAlignment.Right, 100);
  private readonly subscriptions: Disposable[];

  constructor() {
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
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("tfdsl")) {
          this.update();
        }
      }),
      workspace.onDidChangeTextDocument(({ document }) => {
        if (document === window.activeTextEditor?.document) {
          this.update();
        }
      }),
      commands.registerCommand("tfdsl.chooseTarget", chooseTarget),
      commands.registerCommand("tfdsl.chooseProfile", chooseProfile),
    ];
    this.update();
  }

  dispose(): void {
    this.subscriptions.forEach((one) => one.dispose());
  }

  private update(): void {
    const document = window.activeTextEditor?.document;
    if (document?.languageId !== "tfjob") {
      this.target.hide();
      this.profile.hide();
      return;
    }
    const chosen = targets(document);
    const named = chosen.length > 0 ? chosen : targetsIn(document.getText());
    this.target.text = `$(server) ${named.join(", ") || "no target"}`;
    this.profile.text = `$(symbol-parameter) ${profile(document) || "no profile"}`;
    this.target.show();
    this.profile.show();
  }
}

/** The targets of the settings. */
function targets(document: TextDocument | undefined): readonly string[] {
  return workspace.getConfiguration("tfdsl", document?.uri).get<string[]>("targets", []);
}

/** The profile of the settings; empty without one. */
export function profile(document: TextDocument | undefined): string {
  return workspace.getConfiguration("tfdsl", document?.uri).get<string>("profile", "");
}

/** The target that is shown without asking: the first of the settings, or the only one of the text. */
export function shownTarget(document: TextDocument): string | undefined {
  const named = targetsIn(document.getText());
  return targets(document)[0] ?? (named.length === 1 ? named[0] : undefined);
}

/** The only target that the text or the settings name, else one out of all. */
export async function targetFor(document: TextDocument): Promise<string | undefined> {
  const configured = targets(document);
  const named = configured.length > 0 ? configured : targetsIn(document.getText());
  if (named.length === 1) {
    return named[0];
  }
  const others = TARGETS.filter((target) => !named.includes(target));
  return window.showQuickPick([...named, ...others], { placeHolder: "Target" });
}

async function chooseTarget(): Promise<void> {
  const own = "Those of the file";
  const before = targets(window.activeTextEditor?.document);
  const chosen = await window.showQuickPick(
    [
      { label: own, description: "for which it has target blocks", targets: [] as string[] },
      ...TARGETS.map((label) => ({ label, description: before.includes(label) ? "chosen" : "", targets: [label] })),
    ],
    { placeHolder: "Check .tfjob files for" },
  );
  if (chosen !== undefined) {
    await remember("targets", chosen.targets.length > 0 ? chosen.targets : undefined);
  }
}

async function chooseProfile(): Promise<void> {
  const document = window.activeTextEditor?.document;
  const before = profile(document);
  const found = document === undefined ? [] : await profilesOf(document);
  const chosen = await window.showQuickPick(
    [
      { label: "No profile", description: "", profile: undefined },
      ...found.map((label) => ({ label, description: label === before ? "chosen" : "", profile: label })),
    ],
    { placeHolder: found.length > 0 ? "Check .tfjob files with" : "The file has no profile" },
  );
  if (chosen !== undefined) {
    await remember("profile", chosen.profile);
  }
}

/** Into the settings of the workspace if there is one, else into those of the user. */
async function remember(setting: string, value: unknown): Promise<void> {
  const there = workspace.workspaceFolders === undefined ? ConfigurationTarget.Global : ConfigurationTarget.Workspace;
  await workspace.getConfiguration("tfdsl").update(setting, value, there);
}

/** The profiles of a text and of what it includes. */
async function profilesOf(document: TextDocument): Promise<string[]> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const waiting = [document.uri];
  for (let uri = waiting.pop(); uri !== undefined && seen.size < MOST; uri = waiting.pop()) {
    if (seen.has(uri.toString())) {
      continue;
    }
    seen.add(uri.toString());
    try {
      profilesIn((await workspace.openTextDocument(uri)).getText()).forEach((name) => found.add(name));
    } catch {
      continue; // It includes a file that is not there.
    }
    const links = await commands.executeCommand<DocumentLink[]>("vscode.executeLinkProvider", uri);
    waiting.push(...links.flatMap(({ target }) => (target instanceof Uri && target.scheme === "file" ? [target] : [])));
  }
  return [...found];
}
