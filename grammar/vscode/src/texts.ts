/** The text that a command is about. */

import { Uri, window, workspace, type TextDocument } from "vscode";

/** The text of `uri`, as a URI or written; without it that of the active editor, if it is a `.tfjob` text. */
export async function textOf(uri: unknown): Promise<TextDocument | undefined> {
  const active = window.activeTextEditor?.document;
  if (uri instanceof Uri) {
    return workspace.openTextDocument(uri);
  }
  if (typeof uri === "string") {
    return workspace.openTextDocument(Uri.parse(uri));
  }
  if (active?.languageId === "tfjob") {
    return active;
  }
  await window.showInformationMessage("tfdsl: open a .tfjob file first.");
  return undefined;
}
