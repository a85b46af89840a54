/** Everything that the server offers, asked for in VS Code through the built extension; the window has two folders. */

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { program } from "./environment";
import { VsCode } from "./vscode";

const COMMON = `edition 1

let steps = 100
let idle  = 3
`;
const JOB = `edition 1

include "common.tfjob"

param size: int = 2

profile big { size = 8 }

job mnist {
  image = "registry.example/mnist:1"
  role worker {
    replicas = size
    command = ["python", "train.py", "--steps=\${steps}"]
  }
  role ps { replicas = 1 }
  target volcano { }
}
`;
const WRONG = `edition 1
job bad {
  image = "x:1"
  role wroker { }
}
`;
const SETTINGS = '[lint]\nunused-lets = "off"\n';
const RENAMED = {
  "includes.tfjob": 'include "other.tfjob"\n',
  "other.tfjob": "let more = 1\n",
  "parts/inner.tfjob": 'include "../common.tfjob"\n',
};
const OTHER = {
  "second.tfjob": 'edition 1\njob second {\n  image = "x:1"\n  role worker { command = ["true"] }\n}\n',
  "closed.tfjob": "edition 1\nlet sum = nothing + 1\n",
  "tfdsl.toml": 'targets = ["slurm"]\n',
};

let editor: VsCode;

before(async () => {
  const files = { "main.tfjob": JOB, "common.tfjob": COMMON, "wrong.tfjob": WRONG, "tfdsl.toml": SETTINGS, ...RENAMED };
  const settings = { "tfdsl.checkAllFiles": true, "editor.formatOnType": true };
  editor = await VsCode.start({ files, other: OTHER, settings, search: [program] });
  await editor.show("wrong.tfjob");
  await editor.show("main.tfjob");
  await editor.waitFor(
    "an answer of the server",
    (vscode, uri) => vscode.commands.executeCommand<unknown[]>("vscode.executeDocumentSymbolProvider", vscode.Uri.parse(uri)),
    (found) => found !== null && found.length > 0,
    editor.uri("main.tfjob"),
  );
});

after(() => editor?.stop());

/** The place of the first `word` of the main file, `further` characters behind its begin. */
function at(word: string, further = 0, text = JOB): [string, number, number] {
  const offset = text.indexOf(word) + further;
  const before = text.slice(0, offset).split("\n");
  return [editor.uri("main.tfjob"), before.length - 1, before.at(-1)?.length ?? 0];
}

/** The answer of a provider that is asked about a place. */
async function ask<Result>(command: string, place: [string, number, number], ...more: (string | null)[]): Promise<Result> {
  return editor.run(
    (vscode, name, uri, line, character, rest) =>
      vscode.commands.executeCommand<Result>(name, vscode.Uri.parse(uri), new vscode.Position(line, character), ...rest),
    command,
    ...place,
    more,
  );
}

/** The answer of a provider that is asked about the main file as a whole. */
async function askAll<Result>(command: string): Promise<Result> {
  return editor.run(
    (vscode, name, uri) => vscode.commands.executeCommand<Result>(name, vscode.Uri.parse(uri), new vscode.Range(0, 0, 99, 0)),
    command,
    editor.uri("main.tfjob"),
  );
}

interface Range {
  readonly 0: { readonly line: number; readonly character: number };
  readonly 1: { readonly line: number; readonly character: number };
}

/** The lines of places, each with the last part of its file's name. */
const lines = (places: readonly { uri: { path: string }; range: Range }[]): string[] =>
  places.map(({ uri, range }) => `${uri.path.split("/").at(-1)}:${range[0].line + 1}`).sort();

test("diagnostics, with codes that lead to their pages", async () => {
  const found = await editor.waitFor(
    "diagnostics",
    (vscode, uri) =>
      vscode.languages.getDiagnostics(vscode.Uri.parse(uri)).map(({ message, code, source }) => ({ message, code, source })),
    (all) => all.length > 0,
    editor.uri("wrong.tfjob"),
  );
  assert.match(found[0]?.message ?? "", /wroker.*worker/s);
  const code = found[0]?.code as { value: string; target: { scheme: string; path: string } };
  assert.deepEqual([code.target.scheme, code.target.path], ["command", "tfdsl.explain"]);
});

test("the code of a problem opens its page", async () => {
  await editor.run((vscode) => vscode.commands.executeCommand("workbench.actions.view.problems"));
  await editor.page.locator(".markers-panel").getByText("TFJ1503").click();
  await editor.page.locator(".tab", { hasText: "TFJ1503" }).waitFor();
  await editor.run((vscode) => vscode.commands.executeCommand("workbench.action.closePanel"));
  await editor.show("main.tfjob");
});

test("hover", async () => {
  const found = await editor.run(
    async (vscode, uri, line, character) => {
      const place = new vscode.Position(line, character);
      const hovers = await vscode.commands.executeCommand<{ contents: { value: string }[] }[]>(
        "vscode.executeHoverProvider",
        vscode.Uri.parse(uri),
        place,
      );
      return hovers.flatMap(({ contents }) => contents.map(({ value }) => value)).join();
    },
    ...at("replicas", 2),
  );
  assert.match(found, /replicas.*- volcano [\d.]+ kept as `spec\.tasks\[\]\.replicas`/s);
});

test("completion", async () => {
  const found = await ask<{ items: { label: string | { label: string } }[] }>(
    "vscode.executeCompletionItemProvider",
    at("  role ps", 0),
  );
  const labels = found.items.map(({ label }) => (typeof label === "string" ? label : label.label));
  for (const label of ["role", "retries"]) {
    assert.ok(labels.includes(label), labels.join(" "));
  }
});

test("signature help", async () => {
  await editor.run(async (vscode, uri) => {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(vscode.Uri.parse(uri), new vscode.Position(3, 13), "\nlet names = join(");
    await vscode.workspace.applyEdit(edit);
  }, editor.uri("common.tfjob"));
  const found = await ask<{ signatures: { label: string }[] }>("vscode.executeSignatureHelpProvider", [
    editor.uri("common.tfjob"),
    4,
    17,
  ]);
  assert.match(found.signatures[0]?.label ?? "", /^join\(/);
  await editor.show("common.tfjob");
  await editor.run((vscode) => vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor"));
  await editor.show("main.tfjob");
});

test("inlay hints", async () => {
  const found = await askAll<{ label: string | { value: string }[] }[]>("vscode.executeInlayHintProvider");
  assert.ok(found.length > 0);
});

test("definition, in another file", async () => {
  const found = await ask<{ uri: { path: string }; range: Range }[]>("vscode.executeDefinitionProvider", at("steps}", 2));
  assert.deepEqual(lines(found), ["common.tfjob:3"]);
});

test("references and highlights", async () => {
  const place = at("param size", 7);
  const found = await ask<{ uri: { path: string }; range: Range }[]>("vscode.executeReferenceProvider", place);
  assert.deepEqual(lines(found), ["main.tfjob:12", "main.tfjob:5", "main.tfjob:7"]);
  const marked = await ask<unknown[]>("vscode.executeDocumentHighlights", place);
  assert.equal(marked.length, 3);
});

test("rename", async () => {
  const found = await ask<{ path: string }[][]>("vscode.executeDocumentRenameProvider", at("steps}", 2), "count");
  const files = found.map(([uri]) => uri?.path.split("/").at(-1)).sort();
  assert.deepEqual(files, ["common.tfjob", "main.tfjob"]);
});

test("renaming a file rewrites the includes of it", async () => {
  const done = editor.run(
    async (vscode, from, to) => {
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(vscode.Uri.parse(from), vscode.Uri.parse(to));
      return vscode.workspace.applyEdit(edit);
    },
    editor.uri("other.tfjob"),
    editor.uri("parts/other.tfjob"),
  );
  await editor.page.locator(".monaco-dialog-box").getByRole("button", { name: "OK" }).click(); // VS Code asks once
  assert.ok(await done);
  const text = await editor.run(
    async (vscode, uri) => (await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))).getText(),
    editor.uri("includes.tfjob"),
  );
  assert.equal(text, 'include "parts/other.tfjob"\n');
});

test("moving a folder rewrites the includes of its files and in them", async () => {
  const done = editor.run(
    async (vscode, from, to) => {
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(vscode.Uri.parse(from), vscode.Uri.parse(to));
      return vscode.workspace.applyEdit(edit);
    },
    editor.uri("parts"),
    editor.uri("deep/pieces"),
  );
  const asked = editor.page.locator(".monaco-dialog-box").getByRole("button", { name: "OK" });
  assert.ok(await Promise.race([done, asked.click().then(() => done)]));
  const texts = await editor.run(
    async (vscode, ...uris) =>
      Promise.all(uris.map(async (uri) => (await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))).getText())),
    ...["includes.tfjob", "deep/pieces/inner.tfjob"].map((name) => editor.uri(name)),
  );
  assert.deepEqual(texts, ['include "deep/pieces/other.tfjob"\n', 'include "../../common.tfjob"\n']);
});

test("the second folder has its own settings, and its problems are shown though nothing of it is open", async () => {
  const found = await editor.waitFor(
    "the problem of a file that is not open",
    (vscode, uri) => vscode.languages.getDiagnostics(vscode.Uri.parse(uri)).map(({ message }) => message),
    (all) => all.length > 0,
    editor.uri("../other/closed.tfjob"),
  );
  assert.match(found.join(), /nothing/);
  await editor.show("../other/second.tfjob");
  await editor.page.locator(".statusbar-item", { hasText: "slurm" }).waitFor();
  const names = await editor.run(async (vscode) => {
    const all = ["idl", "second"].map((query) =>
      vscode.commands.executeCommand<{ name: string }[]>("vscode.executeWorkspaceSymbolProvider", query),
    );
    return (await Promise.all(all)).flat().map(({ name }) => name);
  });
  assert.ok(names.some((name) => name.includes("idle")) && names.some((name) => name.includes("second")), names.join());
  const folders = await editor.run(async (vscode) => {
    const tasks = await vscode.tasks.fetchTasks({ type: "tfdsl" });
    return tasks.map(({ scope }) => (typeof scope === "object" ? scope.name : "")).sort();
  });
  assert.deepEqual(folders, ["other", "work"]);
  await editor.page.locator(".statusbar-item", { hasText: "volcano" }).waitFor({ state: "detached" });
  await editor.show("main.tfjob");
  await editor.page.locator(".statusbar-item", { hasText: "volcano" }).waitFor();
});

test("files of jobs have their icon", async () => {
  const label = editor.page.locator(".tab .monaco-icon-label", { hasText: "main.tfjob" });
  const image = await label.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element, "::before").backgroundImage ?? "");
  assert.match(image, /tfjob.*icon\.png/);
});

test("symbols of a file and of the workspace", async () => {
  const found = await askAll<{ name: string }[]>("vscode.executeDocumentSymbolProvider");
  assert.ok(found.some(({ name }) => name.includes("mnist")));
  const all = await editor.run((vscode) =>
    vscode.commands.executeCommand<{ name: string }[]>("vscode.executeWorkspaceSymbolProvider", "idl"),
  );
  assert.ok(all.some(({ name }) => name.includes("idle")));
});

test("folding and selection", async () => {
  const folds = await askAll<{ start: number; end: number }[]>("vscode.executeFoldingRangeProvider");
  assert.ok(folds.some(({ start }) => start === 8));
  const selections = await editor.run(
    (vscode, uri, line, character) =>
      vscode.commands.executeCommand<{ parent?: unknown }[]>("vscode.executeSelectionRangeProvider", vscode.Uri.parse(uri), [
        new vscode.Position(line, character),
      ]),
    ...at("replicas", 2),
  );
  assert.ok(selections[0]?.parent !== undefined);
});

test("semantic tokens", async () => {
  const found = await askAll<{ data: Record<string, number> }>("vscode.provideDocumentSemanticTokens");
  assert.ok(Object.keys(found.data).length > 0);
});

test("the settings of the project", async () => {
  await editor.show("tfdsl.toml");
  await editor.waitFor(
    "the problem of tfdsl.toml",
    (vscode, uri) => vscode.languages.getDiagnostics(vscode.Uri.parse(uri)).map(({ message }) => message),
    (messages) => messages.some((message) => message.includes("there is no message unused-lets")),
    editor.uri("tfdsl.toml"),
  );
  const list = await ask<{ items: { label: unknown }[] }>("vscode.executeCompletionItemProvider", [editor.uri("tfdsl.toml"), 2, 0]);
  assert.ok(list.items.some(({ label }) => label === "unused-let"), JSON.stringify(list));
  const hovers = await editor.run(
    async (vscode, uri) => {
      const place = new vscode.Position(1, 16);
      const found = await vscode.commands.executeCommand<{ contents: { value: string }[] }[]>(
        "vscode.executeHoverProvider",
        vscode.Uri.parse(uri),
        place,
      );
      return found.flatMap(({ contents }) => contents.map(({ value }) => value)).join();
    },
    editor.uri("tfdsl.toml"),
  );
  assert.match(hovers, /not reported/);
});

test("formatting", async () => {
  await editor.show("common.tfjob");
  const found = await editor.run(
    async (vscode, uri) =>
      vscode.commands.executeCommand<{ newText: string }[]>("vscode.executeFormatDocumentProvider", vscode.Uri.parse(uri), {
        tabSize: 2,
        insertSpaces: true,
      }),
    editor.uri("common.tfjob"),
  );
  assert.ok(found.length > 0, "two spaces before an equals sign");
});

test("formatting while typing", async () => {
  await editor.run(async (vscode) => {
    const settings = vscode.workspace.getConfiguration("editor");
    for (const name of ["quickSuggestions", "suggestOnTriggerCharacters"]) {
      await settings.update(name, false, true); // Enter would take what is offered
    }
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "tfjob", content: "edition 1\n" }));
    await vscode.commands.executeCommand("cursorBottom");
  });
  const lines = { "job  a {": "job a {", 'image="x:1"': '  image = "x:1"', "role   worker {": "  role worker {", "cpu  =2": "    cpu = 2" };
  for (const [typed, formatted] of Object.entries(lines)) {
    await editor.page.keyboard.type(typed);
    await editor.page.keyboard.press("Enter");
    await editor.waitFor(
      `the line ${formatted}`, // VS Code drops what comes while more is typed
      (vscode) => vscode.window.activeTextEditor?.document.getText() ?? "",
      (text) => text.split("\n").includes(formatted),
    );
  }
  await editor.run(async (vscode) => {
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    const settings = vscode.workspace.getConfiguration("editor");
    for (const name of ["quickSuggestions", "suggestOnTriggerCharacters"]) {
      await settings.update(name, undefined, true);
    }
  });
});

test("code actions: the fix of a message", async () => {
  const found = await editor.run(
    (vscode, uri) =>
      vscode.commands.executeCommand<{ title: string }[]>(
        "vscode.executeCodeActionProvider",
        vscode.Uri.parse(uri),
        new vscode.Range(3, 0, 3, 20),
      ),
    editor.uri("wrong.tfjob"),
  );
  assert.ok(found.some(({ title }) => title.includes("worker")), JSON.stringify(found));
});

test("code lens and links", async () => {
  const lenses = await editor.run(
    (vscode, uri) =>
      vscode.commands.executeCommand<{ command?: { title: string } }[]>("vscode.executeCodeLensProvider", vscode.Uri.parse(uri), 9),
    editor.uri("main.tfjob"),
  );
  assert.ok(lenses.some(({ command }) => command?.title.includes("volcano")));
  const links = await editor.run(
    (vscode, uri) => vscode.commands.executeCommand<{ target?: { path: string } }[]>("vscode.executeLinkProvider", vscode.Uri.parse(uri)),
    editor.uri("main.tfjob"),
  );
  assert.match(links[0]?.target?.path ?? "", /common\.tfjob$/);
});
