/** Without a program, and with one that does not serve well: a message of ours that says what to do, and the editor goes on. */

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test, { after, before } from "node:test";
import { program } from "./environment";
import { until, VsCode } from "./vscode";

/** Writes the numbers of its processes, and ends before it has answered; from the third time on it serves. */
const LATE = `#!/bin/sh
echo $$ >> "$(dirname "$0")/late-pids"
[ "$(wc -l < "$(dirname "$0")/late-pids")" -lt 3 ] && exit 7
exec "${program}/python" -m tfdsl lsp
`;
/** Counts how often it was started, and ends before it has answered. */
const NEVER = `#!/bin/sh
echo x >> "$(dirname "$0")/never-starts"
exit 7
`;
/** Does not answer, and does not end when it is told to. */
const SILENT = `#!/bin/sh
trap '' TERM
echo $$ > "$(dirname "$0")/silent-pid"
while :; do sleep 1; done
`;
/** A server of an older release. */
const OLD = `#!/bin/sh
exec "${program}/python" -c 'import tfdsl
tfdsl.__version__ = "0.0.9"
from tfdsl.cli.main import main
main(["lsp"])'
`;
const JOB = 'edition 1\njob a {\n  image = "x:1"\n  role worker { command = ["true"] }\n  target volcano { }\n}\n';

const CASES = [
  { name: "no program", command: [], message: /tfdsl is not installed.*in a checkout of tfdsl, run: pip install '\.\[lsp\]'/s },
  { name: "a path that is not there", command: ["/nowhere/tfdsl", "lsp"], message: /\/nowhere\/tfdsl.*is not there/s },
  {
    name: "a program that ends and says why",
    command: ["/bin/sh", "-c", "echo 'tfdsl: the language server needs pygls' >&2; exit 2"],
    message: /cannot be started.*needs pygls/s,
  },
  {
    name: "a program that ends before it has answered, each of the four times that it is started",
    command: ["never", "lsp"],
    message: /^The language server \S+\/never cannot be started\. It ended with status 7 before it had answered\.$/,
  },
  { name: "an old tfdsl", command: ["old", "lsp"], message: /old is tfdsl 0\.0\.9\. The extension needs 0\.1\.0 or newer.*pip install '\.\[lsp\]'/s },
];

let editor: VsCode;

before(async () => {
  editor = await VsCode.start({
    files: { "main.tfjob": JOB, "bin/late": LATE, "bin/never": NEVER, "bin/old": OLD, "bin/silent": SILENT },
  });
  await editor.show("main.tfjob");
});

after(() => editor?.stop());

const toasts = (): ReturnType<typeof editor.page.locator> => editor.page.locator(".notification-list-item-message");

async function serve(command: readonly string[]): Promise<void> {
  await editor.run(
    async (vscode, words) => {
      const settings = vscode.workspace.getConfiguration("tfdsl");
      await settings.update("server.command", words, vscode.ConfigurationTarget.Global);
    },
    command.map((word) => (/^(?:late|never|old|silent)$/.test(word) ? path.join(editor.folder, "bin", word) : word)),
  );
}

async function clear(): Promise<void> {
  await editor.run((vscode) => vscode.commands.executeCommand("notifications.clearAll"));
  await until("no message", async () => (await toasts().count()) === 0);
}

/** The only message; a second one would come within two seconds. */
async function told(): Promise<string> {
  await toasts().first().waitFor();
  await editor.page.waitForTimeout(2000);
  const all = await toasts().allInnerTexts();
  assert.equal(all.length, 1, all.join("\n"));
  await clear();
  return all[0] ?? "";
}

test("the activation ends without a program", async () => {
  await editor.waitFor(
    "the end of the activation",
    (vscode) => vscode.extensions.getExtension("tfdsl.tfjob")?.isActive,
    (active) => active === true,
  );
});

for (const { name, command, message } of CASES) {
  test(name, async () => {
    await serve(command);
    assert.match(await told(), message);
  });
}

test("a server that does not answer within a minute is ended", async () => {
  await editor.run(() => {
    const { setTimeout: real } = globalThis;
    // The minute of the extension is half a second here; all else has its time.
    const short = (done: () => void, time?: number, ...more: []): unknown => real(done, time === 60_000 ? 500 : time, ...more);
    Object.assign(globalThis, { setTimeout: short, inTime: () => Object.assign(globalThis, { setTimeout: real }) });
  });
  await serve(["silent", "lsp"]);
  assert.match(await told(), /silent cannot be started\. It does not answer\.$/);
  await editor.run(() => void (globalThis as unknown as { inTime: () => void }).inTime());
  const pid = Number(fs.readFileSync(path.join(editor.folder, "bin/silent-pid"), "utf8"));
  await until("the end of the server", () => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  });
});

test("a server that is always gone was started four times", () => {
  assert.equal(fs.readFileSync(path.join(editor.folder, "bin/never-starts"), "utf8"), "x\n".repeat(4));
});

test("without a server, what would need it says so and blames no file", async () => {
  await serve(["/nowhere/tfdsl", "lsp"]);
  await told();
  for (const command of ["tfdsl.compileToFolder", "tfdsl.copySubmitCommand", "tfdsl.submit", "tfdsl.importManifest", "tfdsl.chooseProfile"]) {
    await editor.run((vscode, name) => void vscode.commands.executeCommand(name), command);
    assert.match(await told(), /^tfdsl: the language server is not running\.$/, command);
  }
  await editor.page.locator(".statusbar-item", { hasText: "no language server" }).waitFor();
  await editor.run((vscode, uri) => vscode.commands.executeCommand("tfdsl.preview", vscode.Uri.parse(uri), "volcano"), editor.uri("main.tfjob"));
  await preview(/^# the language server is not running$/m);
});

async function preview(text: RegExp): Promise<void> {
  await editor.waitFor(
    `${text} in the preview`,
    (vscode) => vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "tfdsl-preview")?.getText() ?? "",
    (shown) => text.test(shown),
  );
}

test("a server that ends before it has answered is started again, and what waits for it goes on", async () => {
  await serve(["late", "lsp"]);
  await preview(/kind: Job/);
  await editor.page.locator(".statusbar-item", { hasText: "volcano" }).waitFor();
  assert.equal(await toasts().count(), 0);
});

test("a server that is killed is started again", async () => {
  await editor.run((vscode) => vscode.commands.executeCommand("workbench.action.closeAllEditors"));
  await editor.show("main.tfjob");
  const starts = (): number => fs.readFileSync(path.join(editor.folder, "bin/late-pids"), "utf8").trim().split("\n").length;
  const pids = fs.readFileSync(path.join(editor.folder, "bin/late-pids"), "utf8").trim().split("\n");
  process.kill(Number(pids.at(-1)), "SIGKILL");
  await until("another start", () => starts() > pids.length);
  await editor.waitFor(
    "an answer of the new server",
    (vscode, uri) => vscode.commands.executeCommand<unknown[]>("vscode.executeDocumentSymbolProvider", vscode.Uri.parse(uri)),
    (found) => found !== null && found.length > 0,
    editor.uri("main.tfjob"),
  );
  assert.equal(await toasts().count(), 0);
});
