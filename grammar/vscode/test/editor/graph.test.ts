/** The picture beside a text: it follows changes and the chosen target, and a click leads to the statement. */

import assert from "node:assert/strict";
import path from "node:path";
import test, { after, before } from "node:test";
import type { FrameLocator } from "playwright-core";
import { project } from "../places";
import { program } from "./environment";
import { until, VsCode } from "./vscode";

const JOB = `edition 1

job mnist {
  image   = "registry.example/mnist:1"
  command = ["python", "train.py"]
  mount pvc "corpus" at "/data"
  role ps { replicas = 2 }
  role worker {
    replicas = 5
    on exit 42 => fail job
  }
}
`;

let editor: VsCode;

before(async () => {
  editor = await VsCode.start({
    files: { "main.tfjob": JOB },
    settings: { "editor.minimap.enabled": false, "workbench.colorTheme": "Default Dark Modern" },
    search: [program],
  });
  await editor.show("main.tfjob");
});

after(() => editor?.stop());

/** Keep a picture for the documentation; only where it is asked for, since no two machines make the same bytes. */
async function picture(name: string): Promise<void> {
  if (process.env["TFDSL_PICTURES"] !== undefined) {
    await editor.page.waitForTimeout(1500);
    await editor.page.screenshot({ path: path.join(project, "docs/images", `${name}.png`) });
  } else {
    assert.ok((await editor.page.screenshot()).length > 0);
  }
}

/** The page with the picture. */
function view(): FrameLocator {
  return editor.page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");
}

/** The texts of the picture. */
async function texts(): Promise<string[]> {
  return view()
    .locator("svg text")
    .evaluateAll((found) => found.map((one) => one.textContent ?? ""));
}

/** The colour of the name of a role. */
async function colour(): Promise<string> {
  return view()
    .locator(".role .name")
    .first()
    .evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).fill ?? "");
}

async function replace(from: string, to: string): Promise<void> {
  await editor.run(
    async (vscode, uri, old, text) => {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
      const at = document.getText().indexOf(old);
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, new vscode.Range(document.positionAt(at), document.positionAt(at + old.length)), text);
      await vscode.workspace.applyEdit(edit);
    },
    editor.uri("main.tfjob"),
    from,
    to,
  );
}

/** The line of the cursor, counted from 0. */
async function cursor(): Promise<number> {
  return editor.run((vscode) => vscode.window.activeTextEditor?.selection.active.line ?? -1);
}

test("the picture is beside the text and shows its roles", async () => {
  await editor.run((vscode, uri) => vscode.commands.executeCommand("tfdsl.graph", vscode.Uri.parse(uri)), editor.uri("main.tfjob"));
  await until("the roles", async () => (await texts()).includes("×5"));
  const shown = await texts();
  assert.ok(["job mnist", "worker", "ps", "corpus", "/data"].every((one) => shown.includes(one)), shown.join());
  await picture("vscode-graph");
});

test("it has the colours of the window", async () => {
  assert.equal(await colour(), "rgb(156, 192, 255)");
  await editor.run((vscode) => vscode.workspace.getConfiguration("workbench").update("colorTheme", "Default Light Modern", true));
  await until("the light colours", async () => (await colour()) === "rgb(31, 78, 158)");
});

test("a click leads to the statement", async () => {
  await view().getByText("worker", { exact: true }).click();
  await until("the role", async () => (await cursor()) === JOB.split("\n").findIndex((line) => line.includes("role worker")));
  await view().getByText("corpus", { exact: true }).click();
  await until("the mount", async () => (await cursor()) === JOB.split("\n").findIndex((line) => line.includes("mount pvc")));
  await view().getByText("on exit 42 → fail job").click();
  await until("the policy", async () => (await cursor()) === JOB.split("\n").findIndex((line) => line.includes("on exit")));
});

test("it follows the text, and says why there is no new picture", async () => {
  await replace("replicas = 5", "replicas = 7");
  await until("the new number", async () => (await texts()).includes("×7"));
  await replace("replicas = 7", "replicas = -7");
  const note = view().locator("#note");
  await until("the error", async () => (await note.textContent()) === "replicas must be from 0 to 100000, not -7");
  assert.ok((await texts()).includes("×7"));
  await replace("replicas = -7", "replicas = 9");
  await until("the next number", async () => (await texts()).includes("×9"));
  assert.equal(await note.textContent(), "");
});

test("it follows the target that is chosen", async () => {
  await editor.run((vscode) => vscode.workspace.getConfiguration("tfdsl").update("targets", ["kubernetes"], true));
  await until("the Jobs", async () => (await texts()).includes("Job mnist-worker"));
  await editor.run((vscode) => vscode.workspace.getConfiguration("tfdsl").update("targets", undefined, true));
  await until("the job as it is written", async () => !(await texts()).includes("Job mnist-worker"));
});
