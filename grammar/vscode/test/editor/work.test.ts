/** What the extension itself adds to the server: the preview, the status bar, pages, a folder, a command, a task. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test, { after, before } from "node:test";
import { promisify } from "node:util";
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
/** Prints what `tfdsl explain WORD --format markdown` prints for each message and each word. */
const PAGES = `
import contextlib, io, json
from tfdsl.cli.explain import words
from tfdsl.cli.main import main
from tfdsl.compiling.pipeline import every_rule
pages = {}
for name in [*every_rule(), *words()]:
    with contextlib.redirect_stdout(io.StringIO()) as text:
        main(["explain", name, "--format", "markdown"])
    pages[text.getvalue()] = name
print(json.dumps({name: text for text, name in pages.items()}))
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
      "bare.tfjob": 'edition 1\njob bare {\n  image = "x:1"\n  role worker { command = ["true"] }\n}\n',
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

test("each file of an output is a document in its language, and in front is the one with what is written", async () => {
  const tabs = async (target: string): Promise<unknown> => {
    await editor.run(
      (vscode, uri, to) => vscode.commands.executeCommand("tfdsl.preview", vscode.Uri.parse(uri), to),
      editor.uri("main.tfjob"),
      target,
    );
    return editor.waitFor(
      `the previews for ${target}`,
      (vscode) => {
        const found = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === "tfdsl-preview");
        const group = vscode.window.tabGroups.all[1];
        const shown = (group?.tabs ?? []).flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri.toString()] : []));
        const there = found.filter(({ uri }) => shown.includes(uri.toString()));
        return [
          group?.activeTab?.label,
          ...there.map(({ uri, languageId }) => [uri.path, languageId].join(" ")).sort(),
        ];
      },
      (found) => found.some((one) => one?.includes(target)) && !found.some((one) => one?.endsWith("plaintext")),
    );
  };
  assert.deepEqual(await tabs("slurm"), [
    "job.sbatch",
    "/main (slurm)/mnist/job.sbatch shellscript",
    "/main (slurm)/mnist/submit.sh shellscript",
    "/main (slurm)/mnist/task.sh shellscript",
  ]);
  const script = await editor.run(
    (vscode) => vscode.workspace.textDocuments.find(({ uri }) => uri.path.endsWith("/job.sbatch"))?.getText() ?? "",
  );
  assert.match(script, /^#!.*\n[^]*#SBATCH/);
  assert.doesNotMatch(script, /=====/);
  assert.deepEqual(await tabs("volcano"), ["mnist.yaml", "/main (volcano)/mnist.yaml yaml"]);
});

test("two targets and two profiles are compared side by side", async () => {
  const sides = async (command: string, one: string, other: string): Promise<readonly string[]> => {
    await editor.run(
      (vscode, name, uri, ...both) => vscode.commands.executeCommand(name, vscode.Uri.parse(uri), ...both),
      ...([command, editor.uri("main.tfjob"), one, other] as const),
    );
    const shown = await editor.waitFor(
      `the sides of ${command}`,
      (vscode) => {
        const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
        const uris = input instanceof vscode.TabInputTextDiff ? [input.original, input.modified] : [];
        const texts = uris.map((uri) => vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString()));
        return texts.map((text) => text?.getText() ?? "");
      },
      (found) => found.length === 2 && found.every((text) => text !== ""),
    );
    await editor.run((vscode) => vscode.commands.executeCommand("workbench.action.closeActiveEditor"));
    return shown;
  };
  const [volcano, tfjob] = await sides("tfdsl.compareTargets", "volcano", "tfjob");
  assert.match(volcano ?? "", /batch\.volcano\.sh/);
  assert.match(tfjob ?? "", /kind: TFJob/);
  const [none, big] = await sides("tfdsl.compareProfiles", "no profile", "big");
  assert.match(none ?? "", /replicas: 2/);
  assert.match(big ?? "", /replicas: 16/);
});

test("YAML in the clipboard is pasted as a job", async () => {
  const text = await editor.run(
    async (vscode, manifest) => {
      const made = await vscode.workspace.openTextDocument({ language: "tfjob", content: "edition 1\n\n" });
      const shown = await vscode.window.showTextDocument(made);
      shown.selection = new vscode.Selection(2, 0, 2, 0);
      await vscode.env.clipboard.writeText(manifest);
      await vscode.commands.executeCommand("tfdsl.pasteManifest");
      return made.getText();
    },
    MANIFEST.replace("Sometimes", "Never"),
  );
  assert.match(text, /^edition 1\n\njob imported \{[^]*replicas = 3/);
  assert.equal(text.match(/edition/g)?.length, 1);
  await editor.run((vscode) => vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor"));
  await editor.run((vscode) => vscode.env.clipboard.writeText("nothing: here"));
  await editor.show("main.tfjob");
  await editor.run((vscode) => vscode.commands.executeCommand("tfdsl.pasteManifest"));
  await editor.page.locator(".notification-list-item-message", { hasText: "no job was imported from the clipboard" }).waitFor();
  await editor.run((vscode) => vscode.commands.executeCommand("notifications.clearAll"));
});

test("one lens compiles a job without a target for one that is picked, and others beside it simulate, run, draw and submit", async () => {
  await editor.show("bare.tfjob");
  const lens = (title: string): ReturnType<typeof editor.page.locator> => editor.page.locator(".codelens-decoration a", { hasText: title });
  await lens("compile to …").waitFor();
  const titles = await editor.page.locator(".codelens-decoration a").allInnerTexts();
  assert.deepEqual(titles, ["compile to …", "simulate", "run", "graph", "submit"]);
  await lens("compile to …").click();
  await editor.page.locator(".quick-input-list").getByText("jobset", { exact: true }).click();
  await editor.page.locator(".tab", { hasText: "bare.yaml" }).waitFor();
  await editor.run((vscode) => {
    const ended: [string, number | undefined][] = [];
    vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => ended.push([execution.task.name, exitCode]));
    Object.assign(globalThis, { ended });
  });
  for (const [title, name] of [["simulate", "simulate bare"], ["run", "run bare"]] as const) {
    await lens(title).click();
    await editor.waitFor(
      `the end of ${name}`,
      () => (globalThis as unknown as { ended: [string, number][] }).ended,
      (ended) => ended.some(([task, status]) => task === name && status === 0),
    );
  }
  await lens("graph").click();
  await editor.page.locator(".tab", { hasText: "Graph bare.tfjob" }).waitFor();
  await lens("submit").click();
  await editor.page.locator(".quick-input-list").getByText("volcano", { exact: true }).click();
  await editor.page.getByText("Submit bare.tfjob to volcano?").waitFor();
  await editor.page.keyboard.press("Escape");
  await editor.run((vscode) => vscode.commands.executeCommand("workbench.action.closePanel"));
  await editor.run((vscode) => vscode.commands.executeCommand("workbench.action.closeAllEditors"));
  await editor.show("main.tfjob");
});

test("what a target gets is written at each save, where that is asked for", async () => {
  const file = path.join(editor.folder, "made/mnist.yaml");
  const save = async (): Promise<void> =>
    editor.run(async (vscode) => {
      const shown = vscode.window.activeTextEditor;
      await shown?.edit((edit) => edit.insert(new vscode.Position(0, 0), " "));
      await shown?.edit((edit) => edit.delete(new vscode.Range(0, 0, 0, 1)));
      await shown?.document.save();
    });
  const set = async (folder: string | undefined): Promise<void> =>
    editor.run(
      (vscode, to) => vscode.workspace.getConfiguration("tfdsl").update("compileOnSave", to, vscode.ConfigurationTarget.Global),
      folder,
    );
  await save();
  assert.equal(fs.existsSync(path.join(editor.folder, "made")), false);
  await set("made");
  await save();
  await until("the output", () => fs.existsSync(file) && fs.readFileSync(file, "utf8").includes("kind: Job"));
  await set(undefined);
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

test("the status bar follows the settings of the project on disk", async () => {
  const entry = editor.page.locator(".statusbar-item[id='tfdsl.tfjob.tfdsl.target']");
  await editor.show("bare.tfjob");
  await editor.run((vscode) =>
    vscode.workspace.getConfiguration("tfdsl").update("targets", undefined, vscode.ConfigurationTarget.Workspace),
  );
  await entry.getByText("no target").waitFor();
  const settings = path.join(editor.folder, "tfdsl.toml");
  fs.writeFileSync(settings, 'targets = ["yarn", "volcano@1.9"]\n');
  await entry.getByText("yarn, volcano@1.9").waitFor();
  fs.writeFileSync(settings, 'targets = ["slurm"]\n');
  await entry.getByText("slurm").waitFor();
  fs.rmSync(settings);
  await entry.getByText("no target").waitFor();
  await editor.show("main.tfjob");
});

test("every page of explain is shown as it is meant: no table collapses", async () => {
  const python = path.join(program, "python");
  const { stdout } = await promisify(execFile)(python, ["-c", PAGES], { maxBuffer: 1 << 28 });
  const pages = JSON.parse(stdout) as Record<string, string>;
  const rendered = await editor.run(
    async (vscode, texts) => {
      const all: [string, string][] = [];
      for (const [name, text] of Object.entries(texts)) {
        all.push([name, await vscode.commands.executeCommand<string>("markdown.api.render", text)]);
      }
      return all;
    },
    pages,
  );
  const wrong = rendered.filter(([name, html]) => {
    const lines = (pages[name] ?? "").replaceAll(/^ *```[^]*?^ *```/gm, "").match(/^\|.*\|$/gm)?.length ?? 0;
    const [rows, tables] = [/<tr/g, /<table/g].map((tag) => html.match(tag)?.length ?? 0);
    return lines !== (rows ?? 0) + (tables ?? 0); // the line below the head of a table is not a row
  });
  assert.deepEqual(wrong.map(([name]) => name), []);
  assert.ok(rendered.filter(([, html]) => html.includes("<table")).length > 100);
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
  assert.equal(command, "tfdsl submit main.tfjob -t volcano --profile big");
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
