/** What the extension itself adds to the server: the preview, the status bar, pages, a folder, a command, a task. */

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test, { after, before } from "node:test";
import { project } from "../places";
import { program } from "./environment";
import { until, VsCode } from "./vscode";

const JOB = `edition 1
include "common.tfjob"
param workers: int = 2

profile big {
  workers = 16
}

job mnist {
  image     = "${"${registry}"}/mnist:1"
  namespace = "research"
  queue     = "training"
  role ps {
    cpu    = 1
    memory = 2Gi
    command = ["python", "train.py"]
  }
  role worker {
    replicas = workers
    cpu      = 4
    memory   = 8Gi
    command = ["python", "train.py"]
  }
  target volcano { }
}
`;
const COMMON = 'let registry = "registry.example"\n';
const MANIFEST = `apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: imported
spec:
  tfReplicaSpecs:
    Worker:
      replicas: 3
      restartPolicy: Sometimes
      template:
        spec:
          containers:
          - name: tensorflow
            image: registry.example/imported:1
`;
const MARKED = ".view-overlays [class*='ced-']";

let editor: VsCode;

before(async () => {
  editor = await VsCode.start({
    files: {
      "main.tfjob": JOB,
      "common.tfjob": COMMON,
      "manifest.yaml": MANIFEST,
      "broken.yaml": "kind: TFJob\nspec: [\n",
      "unopened.tfjob": 'edition 1\njob bad {\n  image = "x:1"\n  role wroker { }\n}\n',
    },
    settings: { "editor.minimap.enabled": false, "workbench.colorTheme": "Default Light Modern" },
    search: [program],
  });
  await editor.show("main.tfjob");
  await editor.waitFor(
    "an answer of the server",
    (vscode, uri) => vscode.commands.executeCommand<unknown[]>("vscode.executeDocumentSymbolProvider", vscode.Uri.parse(uri)),
    (found) => found !== null && found.length > 0,
    editor.uri("main.tfjob"),
  );
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

/** Put the cursor at the begin of a line, counted from 0, of the editor whose file ends so. */
async function cursorTo(ending: string, line: number): Promise<void> {
  await editor.run(
    async (vscode, end, to) => {
      const found = vscode.window.visibleTextEditors.find(({ document }) => document.uri.path.endsWith(end));
      if (found === undefined) {
        throw new Error(`no editor shows ${end}`);
      }
      const place = new vscode.Range(to, 0, to, 0);
      await vscode.window.showTextDocument(found.document, { viewColumn: found.viewColumn ?? 1, selection: place });
    },
    ending,
    line,
  );
}

/** The lines, by their text, that are marked in the editor of the group: 0 is the left one. */
async function marked(group: number): Promise<string[]> {
  return editor.page
    .locator(".editor-group-container")
    .nth(group)
    .evaluate((element, selector) => {
      const tops = [...element.querySelectorAll(selector)].map((mark) => mark.getBoundingClientRect().top);
      return [...element.querySelectorAll(".view-line")]
        .filter((line) => tops.some((top) => Math.abs(top - line.getBoundingClientRect().top) < 2))
        .map((line) => (line.textContent ?? "").replaceAll("\u00a0", " ").trim());
    }, MARKED);
}

test("the preview follows the cursor of the text, and the other way round", async () => {
  await editor.run(
    (vscode, uri) => vscode.commands.executeCommand("tfdsl.preview", vscode.Uri.parse(uri), "volcano"),
    editor.uri("main.tfjob"),
  );
  const text = await editor.waitFor(
    "the preview",
    (vscode) => vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "tfdsl-preview")?.getText() ?? "",
    (shown) => shown.includes("kind: Job"),
  );
  await cursorTo("main.tfjob", JOB.split("\n").findIndex((line) => line.includes("training")));
  await until("the marked queue", async () => (await marked(1)).includes("queue: training"));
  await picture("vscode-preview");

  const line = text.split("\n").findIndex((each) => each.includes("namespace: research"));
  await cursorTo(".yaml", line);
  await until("the marked namespace", async () => (await marked(0)).some((each) => each.startsWith("namespace")));

  // What the map does not say, the server does: through names, into an included file and back.
  await cursorTo("main.tfjob", JOB.split("\n").findIndex((each) => each.startsWith("param workers")));
  await until("the marked replicas", async () => (await marked(1)).includes("replicas: 2"));
  await editor.show("common.tfjob");
  await cursorTo("common.tfjob", 0);
  await until("the marked images", async () => (await marked(1)).includes("image: registry.example/mnist:1"));
  await cursorTo(".yaml", text.split("\n").findIndex((each) => each.includes("image: registry.example")));
  await until("the marked let", async () => (await marked(0)).some((each) => each.startsWith("let registry")));
  await editor.run((vscode) => vscode.commands.executeCommand("workbench.action.closeActiveEditor"));
  await editor.show("main.tfjob");
});

test("a manifest is imported into an editor beside it", async () => {
  await editor.show("manifest.yaml");
  await editor.run((vscode) => vscode.commands.executeCommand("tfdsl.importManifest"));
  const shown = await editor.waitFor(
    "the job",
    (vscode) => {
      const found = vscode.window.activeTextEditor;
      return [found?.document.languageId, found?.document.isUntitled, found?.viewColumn, found?.document.getText() ?? ""] as const;
    },
    ([language]) => language === "tfjob",
  );
  assert.deepEqual(shown.slice(0, 3), ["tfjob", true, 2]);
  assert.match(shown[3], /job imported \{[\s\S]*replicas = 3/);
  const problems = await editor.waitFor(
    "what is wrong with the manifest",
    (vscode, uri) => vscode.languages.getDiagnostics(vscode.Uri.parse(uri)).map(({ message, range }) => [message, range.start.line] as const),
    (all) => all.length > 0,
    editor.uri("manifest.yaml"),
  );
  assert.ok(problems.some(([message, line]) => message.includes("Sometimes") && line === 8), JSON.stringify(problems));
  await editor.run((vscode) => vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor"));

  // From the menu of the explorer, with a manifest that cannot be read.
  await editor.pick(editor.page.locator(".explorer-folders-view").getByText("broken.yaml"), "Import Manifest");
  await editor.page.locator(".notification-list-item-message", { hasText: "no job was imported" }).waitFor();
  const broken = await editor.run(
    (vscode, uri) => vscode.languages.getDiagnostics(vscode.Uri.parse(uri)).map(({ severity }) => severity),
    editor.uri("broken.yaml"),
  );
  assert.ok(broken.includes(0), JSON.stringify(broken));
  await editor.run((vscode) => vscode.commands.executeCommand("notifications.clearAll"));
  await editor.run((vscode) => vscode.commands.executeCommand("workbench.action.closeAllEditors"));
  await editor.show("main.tfjob");
});

test("target and profile stand in the status bar and are chosen there", async () => {
  const entry = (name: string): ReturnType<typeof editor.page.locator> => editor.page.locator(`.statusbar-item[id='tfdsl.tfjob.tfdsl.${name}']`);
  await entry("target").getByText("volcano").waitFor();
  await entry("profile").getByText("no profile").click();
  await editor.page.locator(".quick-input-list").getByText("big", { exact: true }).waitFor();
  await picture("vscode-profile");
  await editor.page.locator(".quick-input-list").getByText("big", { exact: true }).click();
  await entry("profile").getByText("big").waitFor();
  await entry("target").getByText("volcano").click();
  await editor.page.locator(".quick-input-list").getByText("kubernetes", { exact: true }).click();
  await entry("target").getByText("kubernetes").waitFor();
  const settings = await editor.run((vscode) => {
    const all = vscode.workspace.getConfiguration("tfdsl");
    return [all.get("targets"), all.get("profile")];
  });
  assert.deepEqual(settings, [["kubernetes"], "big"]);
});

test("a message's page opens in the editor", async () => {
  await editor.run((vscode) => vscode.commands.executeCommand("tfdsl.explain", "unknown-name"));
  const page = await editor.waitFor(
    "the page",
    (vscode) => vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "tfdsl-page")?.getText() ?? "",
    (text) => text !== "",
  );
  assert.match(page, /^# TFJ1201 unknown-name/);
  await editor.page.locator(".tab", { hasText: "unknown-name" }).waitFor();
  await editor.show("main.tfjob");
});

test("compile to a folder", async () => {
  const files = await editor.run(
    async (vscode, uri, folder) =>
      vscode.commands.executeCommand<string[]>("tfdsl.compileToFolder", vscode.Uri.parse(uri), "volcano", vscode.Uri.parse(folder)),
    editor.uri("main.tfjob"),
    editor.uri("out"),
  );
  assert.deepEqual(files, [path.join(editor.folder, "out/mnist.yaml")]);
  assert.match(fs.readFileSync(path.join(editor.folder, "out/mnist.yaml"), "utf8"), /replicas: 16/);
});

test("copy the submit command", async () => {
  const command = await editor.run(
    (vscode, uri) => vscode.commands.executeCommand<string>("tfdsl.copySubmitCommand", vscode.Uri.parse(uri), "volcano"),
    editor.uri("main.tfjob"),
  );
  assert.equal(command, "tfdsl compile main.tfjob -t volcano --profile big | kubectl create -f -");
  assert.equal(await editor.run((vscode) => vscode.env.clipboard.readText()), command);
});

test("the task shows problems of files that are not open", async () => {
  const count = await editor.run(async (vscode) => {
    const found = await vscode.tasks.fetchTasks({ type: "tfdsl" });
    await Promise.all(found.map((task) => vscode.tasks.executeTask(task)));
    return found.length;
  });
  assert.equal(count, 1);
  const found = await editor.waitFor(
    "problems of the file that is not open",
    (vscode, uri) => vscode.languages.getDiagnostics(vscode.Uri.parse(uri)).map(({ message, range }) => [message, range.start.line]),
    (all) => all.length > 0,
    editor.uri("unopened.tfjob"),
  );
  assert.match(String(found[0]?.[0]), /wroker/);
  assert.equal(found[0]?.[1], 3);
});
