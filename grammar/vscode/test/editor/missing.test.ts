/** Without a program, and with one that does not serve: one message that says what to do, and the editor goes on. */

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { until, VsCode } from "./vscode";

const CASES = [
  { name: "no program", command: [], message: /tfdsl is not installed.*pip install '\.\[lsp\]'/s },
  { name: "a path that is not there", command: ["/nowhere/tfdsl", "lsp"], message: /\/nowhere\/tfdsl.*is not there/s },
  {
    name: "a program that ends",
    command: ["/bin/sh", "-c", "echo 'tfdsl: the language server needs pygls' >&2; exit 2"],
    message: /cannot be started.*needs pygls/s,
  },
];

let editor: VsCode;

before(async () => {
  editor = await VsCode.start({ files: { "main.tfjob": "edition 1\n" } });
  await editor.show("main.tfjob");
});

after(() => editor?.stop());

test("the activation ends without a program", async () => {
  await editor.waitFor(
    "the end of the activation",
    (vscode) => vscode.extensions.getExtension("tfdsl.tfjob")?.isActive,
    (active) => active === true,
  );
});

for (const { name, command, message } of CASES) {
  test(name, async () => {
    const toasts = editor.page.locator(".notification-list-item-message");
    await editor.run(async (vscode, words) => {
      const settings = vscode.workspace.getConfiguration("tfdsl");
      await settings.update("server.command", words, vscode.ConfigurationTarget.Global);
    }, command);
    await toasts.first().waitFor();
    await editor.page.waitForTimeout(2000); // a second one would come now
    const told = await toasts.allInnerTexts();
    assert.equal(told.length, 1, told.join("\n"));
    assert.match(told[0] ?? "", message);
    await editor.run((vscode) => vscode.commands.executeCommand("notifications.clearAll"));
    await until("no message", async () => (await toasts.count()) === 0);
  });
}
