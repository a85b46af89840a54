/** A folder of a stranger: nothing of it is run before the user trusts it. */

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { program } from "./environment";
import { until, VsCode } from "./vscode";

/** Leaves a mark beside itself when it is run. */
const STRANGE = '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n';

test("a folder that is not trusted runs nothing, and has the user's server", async () => {
  const editor = await VsCode.start({
    files: {
      "main.tfjob": "edition 1\nlet steps = 1\n",
      ".venv/bin/tfdsl": STRANGE,
      "tools/tfdsl": STRANGE,
      ".vscode/settings.json": JSON.stringify({ "tfdsl.server.command": ["tools/tfdsl", "lsp"] }),
      ".vscode/tasks.json": JSON.stringify({ version: "2.0.0", tasks: [{ type: "tfdsl", label: "check" }] }),
    },
    search: [program],
    trusted: false,
  });
  try {
    await editor.page.getByRole("button", { name: /Yes, I trust/ }).waitFor();
    await editor.show("main.tfjob");
    await editor.waitFor(
      "an answer of the server",
      (vscode, uri) => vscode.commands.executeCommand<unknown[]>("vscode.executeDocumentSymbolProvider", vscode.Uri.parse(uri)),
      (found) => found !== null && found.length > 0,
      editor.uri("main.tfjob"),
    );
    const ran = (folder: string): boolean => fs.existsSync(path.join(editor.folder, folder, "ran"));
    assert.deepEqual([ran(".venv/bin"), ran("tools")], [false, false]);
    assert.equal(await editor.run((vscode) => vscode.workspace.isTrusted), false);

    await editor.page.getByRole("button", { name: /Yes, I trust/ }).click();
    await until("the program of the trusted folder", () => ran("tools"));
    assert.equal(ran(".venv/bin"), false);
  } finally {
    await editor.stop();
  }
});
