/** The parts of the extension that need no editor, and what its manifest promises. */

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { outputsOf } from "../src/compile";
import { serverCommand, type Surroundings } from "../src/server";
import { NOTHING, previewName, shown, targetsIn } from "../src/shown";
import { TARGETS } from "../src/targets";
import { examples, extension } from "./places";

const around = (change: Partial<Surroundings>): Surroundings => ({
  configured: [],
  folders: [],
  platform: "linux",
  exists: () => false,
  ...change,
});

test("the configured server comes first", () => {
  const configured = ["/opt/py/bin/python", "-m", "tfdsl", "lsp"];
  const found = serverCommand(around({ configured, folders: ["/w"], exists: () => true }));
  assert.deepEqual(found, { command: "/opt/py/bin/python", args: ["-m", "tfdsl", "lsp"] });
});

test("then that of the first folder that has one, else that of the PATH", () => {
  const exists = (file: string): boolean => file === "/b/.venv/bin/tfdsl" || file === "C:\\b\\.venv\\Scripts\\tfdsl.exe";
  assert.equal(serverCommand(around({ folders: ["/a", "/b"], exists })).command, "/b/.venv/bin/tfdsl");
  assert.equal(
    serverCommand(around({ folders: ["C:\\b"], platform: "win32", exists })).command,
    "C:\\b\\.venv\\Scripts\\tfdsl.exe",
  );
  assert.deepEqual(serverCommand(around({ folders: ["/a"], exists })), { command: "tfdsl", args: ["lsp"] });
});

test("one file is shown as it is, several with their paths, none as a sentence", () => {
  assert.equal(shown([{ name: "a.yaml", text: "a: 1\n" }]), "a: 1\n");
  assert.equal(
    shown([{ name: "a.sh", text: "x" }, { name: "b/c", text: "" }]),
    "# ===== a.sh =====\nx\n\n# ===== b/c =====\n",
  );
  assert.equal(shown([]), NOTHING);
});

test("an answer of another form is no answer", () => {
  for (const answer of [null, undefined, 3, {}, { outputs: "x" }, { outputs: [null, { name: 1, text: "" }, { name: "a" }] }]) {
    assert.deepEqual(outputsOf(answer), []);
  }
});

test("targets are found in a text, not in words", () => {
  assert.deepEqual(targetsIn('job a {\n  target volcano { }\n  target yarn{ }, target volcano { }\n}'), ["volcano", "yarn"]);
  assert.deepEqual(targetsIn('# target volcano {\nlabels = { target = "x" }'), []);
  const named = examples.flatMap((file) => targetsIn(fs.readFileSync(file, "utf8")));
  assert.ok(named.length > 0);
  assert.deepEqual(named.filter((target) => !TARGETS.includes(target)), []);
});

test("a preview is named after its file and target", () => {
  assert.equal(previewName("/w/mnist.tfjob", "volcano@1.9"), "mnist (volcano@1.9).yaml");
  assert.equal(previewName("C:\\w\\mnist.tfjob", "yarn"), "mnist (yarn).txt");
  assert.equal(previewName("", "slider@0.92"), "job (slider@0.92).txt");
});

test("the manifest names files that exist and commands that are registered", () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(extension, "package.json"), "utf8"));
  const { languages, grammars, snippets, commands } = manifest.contributes;
  const files: string[] = [languages[0].configuration, grammars[0].path, snippets[0].path, manifest.main];
  for (const file of files) {
    assert.ok(fs.existsSync(path.join(extension, file)), file);
  }
  const bundle = fs.readFileSync(path.join(extension, manifest.main), "utf8");
  for (const { command } of commands) {
    assert.ok(bundle.includes(`registerCommand("${command}"`), command);
  }
});

test("a word is one word, and a line that opens a block indents the next", () => {
  const configuration = JSON.parse(fs.readFileSync(path.join(extension, "language-configuration.json"), "utf8"));
  const word = new RegExp(`^(?:${configuration.wordPattern})$`);
  for (const text of ["cpu_limit", "1h30m".slice(0, 2), "500m", "1.5Gi"]) {
    assert.match(text, word);
  }
  const indents = new RegExp(configuration.indentationRules.increaseIndentPattern);
  for (const line of ["job a {", "  role worker { # here", '  args = ["a", [', 'let a = join("{",']) {
    assert.equal(indents.test(line), !line.endsWith(","), line);
  }
  for (const line of ["role ps { }", '# job {', 'let a = "{"', 'let a = "x # {"']) {
    assert.equal(indents.test(line), false, line);
  }
});
