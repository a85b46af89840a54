/** Without a program, and with one that does not serve: one message that says what to do, and the editor goes on. */

import assert from "node:assert/strict";
import test from "node:test";
import { VsCode } from "./vscode";

const CASES = [
  { name: "no program", command: [], message: /tfdsl is not installed.*pip install 'tfdsl\[lsp\]'/s },
  { name: "a path that is not there", command: ["/nowhere/tfdsl", "lsp"], message: /\/nowhere\/tfdsl.*is not there/s },
  {
    name: "a program that ends",
    command: ["/bin/sh", "-c", "echo 'tfdsl: the language server needs pygls' >&2; exit 2"],
    message: /cannot be started.*needs pygls/s,
  },
];

for (const { name, command, message } of CASES) {
  test(name, async () => {
    const editor = await VsCode.start({
      files: { "main.tfjob": "edition 1\n" },
      settings: { "tfdsl.server.command": command },
    });
    try {
      await editor.show("main.tfjob");
      await editor.waitFor(
        "the end of the activation",
        (vscode) => vscode.extensions.getExtension("tfdsl.tfjob")?.isActive,
        (active) => active === true,
      );
      const toasts = editor.page.locator(".notification-list-item-message");
      await toasts.first().waitFor();
      await editor.page.waitForTimeout(2000); // a second one would come now
      const told = await toasts.allInnerTexts();
      assert.equal(told.length, 1, told.join("\n"));
      assert.match(told[0] ?? "", message);
    } finally {
      await editor.stop();
    }
  });
}
