/** The parts of the extension that need no editor, and what its manifest promises. */

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { outputsOf, type Output } from "../src/compile";
import { fitting } from "../src/fitting";
import { isOlder, missing, otherCommand, outdated, serverCommand, type Surroundings } from "../src/program";
import { importedOf } from "../src/manifest";
import { clicked, coloured, page, pictureOf } from "../src/picture";
import { choicesOf } from "../src/choices";
import { fileName, linesFrom, linesOf, originOf, previewPath } from "../src/shown";
import { quoted, wordsOf } from "../src/submit";
import { madeLines, originLines } from "../src/where";
import { extension } from "./places";

/** Surroundings in which the programs are exactly `programs`. */
const around = (change: Partial<Surroundings>, ...programs: string[]): Surroundings => ({
  configured: [],
  folders: [],
  trusted: true,
  platform: "linux",
  search: "/usr/local/bin:/usr/bin",
  runs: (file) => programs.includes(file),
  ...change,
});

test("the configured server comes first", () => {
  const configured = ["/opt/py/bin/python", "-m", "tfdsl", "lsp"];
  const found = serverCommand(around({ configured, folders: ["/w"] }, "/opt/py/bin/python", "/w/.venv/bin/tfdsl"));
  assert.deepEqual(found, { command: "/opt/py/bin/python", args: ["-m", "tfdsl", "lsp"], cwd: "/w" });
  assert.equal(serverCommand(around({ configured: ["tfdsl"] }, "/usr/bin/tfdsl"))?.command, "/usr/bin/tfdsl");
  assert.equal(serverCommand(around({ configured: ["bin/x"], folders: ["/w"] }, "/w/bin/x"))?.command, "/w/bin/x");
});

test("a configured server that is not there is no reason to run another", () => {
  const asked = around({ configured: ["/gone/tfdsl", "lsp"], folders: ["/w"] }, "/w/.venv/bin/tfdsl", "/usr/bin/tfdsl");
  assert.equal(serverCommand(asked), undefined);
  assert.match(missing(asked), /\/gone\/tfdsl.*tfdsl\.server\.command/);
});

test("then that of the first folder that has one, else that of the PATH", () => {
  const windows = { platform: "win32", search: "C:\\py;D:\\bin" } as const;
  assert.equal(serverCommand(around({ folders: ["/a", "/b"] }, "/b/.venv/bin/tfdsl", "/usr/bin/tfdsl"))?.command, "/b/.venv/bin/tfdsl");
  const inside = "C:\\b\\.venv\\Scripts\\tfdsl.exe";
  assert.equal(serverCommand(around({ ...windows, folders: ["C:\\b"] }, inside))?.command, inside);
  assert.deepEqual(serverCommand(around({}, "/usr/bin/tfdsl")), { command: "/usr/bin/tfdsl", args: ["lsp"], cwd: "/usr/bin" });
  assert.equal(serverCommand(around(windows, "D:\\bin\\tfdsl.exe"))?.command, "D:\\bin\\tfdsl.exe");
});

test("without a program there is no command, and a sentence that says what to do", () => {
  assert.equal(serverCommand(around({ folders: ["/w"] })), undefined);
  assert.match(missing(around({})), /pip install '\.\[lsp\]'/);
});

test("nothing of a workspace that is not trusted is run, and nothing runs in it", () => {
  const programs = ["/w/.venv/bin/tfdsl", "/w/bin/tfdsl", "/usr/bin/tfdsl"];
  const strange = { folders: ["/w"], trusted: false };
  const found = serverCommand(around({ ...strange, search: "/w/bin:/usr/bin" }, ...programs));
  assert.deepEqual(found, { command: "/usr/bin/tfdsl", args: ["lsp"], cwd: "/usr/bin" });
  assert.equal(serverCommand(around({ ...strange, search: "/w/bin:/w/../w/bin" }, ...programs)), undefined);
  assert.equal(serverCommand(around({ ...strange, configured: ["bin/tfdsl"] }, ...programs)), undefined);
  assert.equal(serverCommand(around({ ...strange, configured: ["/w/bin/tfdsl"] }, ...programs)), undefined);
  assert.equal(serverCommand(around({ ...strange, folders: ["/w/b"], search: "/w/bin" }, ...programs))?.command, "/w/bin/tfdsl");
});

test("the current folder is never searched", () => {
  const everything = { runs: () => true };
  assert.equal(serverCommand(around({ ...everything, search: ".:bin::/usr/bin" }))?.command, "/usr/bin/tfdsl");
  const windows = { ...everything, platform: "win32" } as const;
  assert.equal(serverCommand(around({ ...windows, search: ".;;bin;\\bin;C:bin;C:\\bin" }))?.command, "C:\\bin\\tfdsl.exe");
  assert.equal(serverCommand(around({ ...windows, search: "" })), undefined);
  assert.equal(serverCommand(around({ ...windows, configured: ["bin\\tfdsl.exe"] })), undefined);
});

test("another command of the same program", () => {
  assert.deepEqual(otherCommand({ args: ["-m", "tfdsl", "lsp", "--stdio"] }, "explain", "x"), ["-m", "tfdsl", "explain", "x"]);
  assert.equal(otherCommand({ args: [] }, "check"), undefined);
});

const output = (lines: [number, number, number][]): Output => ({
  name: "a",
  languageId: "yaml",
  text: "",
  executable: false,
  map: { sources: ["file:///w/a.tfjob", "file:///w/b.tfjob"], lines },
});

test("lines are followed both ways", () => {
  const one = linesOf(output([[1, 0, 7], [3, 1, 7]]));
  assert.deepEqual(linesFrom(one, "file:///w/a.tfjob", 6), [0]);
  assert.deepEqual(linesFrom(one, "file:///w/b.tfjob", 6), [2]);
  assert.deepEqual(linesFrom(one, "file:///w/a.tfjob", 7), []);
  assert.equal(originOf(one, 1)?.uri, "file:///w/a.tfjob");
  assert.equal(originOf(one, 2)?.uri, "file:///w/b.tfjob");
  assert.equal(originOf(linesOf(output([[2, 0, 3], [3, 2, 3]])), 0), undefined);
});

test("a preview is named after its file, target and job, and knows the file that it shows", () => {
  const textDocument = { uri: "file:///w/my%20job.tfjob" };
  const path = previewPath({ textDocument, target: "volcano@1.9" }, "a/job.sbatch");
  assert.deepEqual([path, fileName(path)], ["/my job (volcano@1.9)/a/job.sbatch", "a/job.sbatch"]);
  const front = previewPath({ textDocument, target: "yarn", job: "b", profile: "big" });
  assert.deepEqual([front, fileName(front)], ["/b (yarn, big)", undefined]);
});

test("a server is too old or not", () => {
  const old = ["0.0.9", "0.0.99.dev1", undefined, "", "x"];
  assert.deepEqual([...old, "0.1.0", "0.1", "0.1.0rc1", "0.10.0", "1.0", "1.0.0+local"].filter(isOlder), old);
  assert.match(outdated({ command: "/opt/tfdsl" }, "0.0.9"), /\/opt\/tfdsl is tfdsl 0\.0\.9.*needs 0\.1\.0.*pip install '\.\[lsp\]'/);
});

test("answers of the server are read with care", () => {
  assert.deepEqual(madeLines({ lines: [{ name: "a", line: 3, how: "made" }, { name: 1 }, null, 5] }), [{ name: "a", line: 3 }]);
  assert.deepEqual(madeLines(null), []);
  const place = { uri: "file:///a", line: 2 };
  assert.deepEqual(originLines({ source: place, uses: [place, {}, null] }), [place, place]);
  assert.deepEqual(originLines({ source: null, uses: 5 }), []);
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const answer = { text: "job a { }", jobs: [{ name: "a", kept: false }, { name: "b", kept: null }, 3], diagnostics: [{ range, message: "m" }, {}] };
  assert.deepEqual(importedOf(answer), { text: "job a { }", differs: ["a"], diagnostics: [{ range, message: "m" }] });
  assert.deepEqual(importedOf("no"), { text: "", differs: [], diagnostics: [] });
});

test("a command line has what the settings choose, quoted for a shell", () => {
  const chosen = { file: "a b.tfjob", targets: ["volcano"], profile: "", paramsFile: "", params: {} };
  assert.equal(quoted(wordsOf("submit", chosen)), "submit 'a b.tfjob' -t volcano");
  const more = { ...chosen, targets: [], job: "j", profile: "big", paramsFile: "p.params", params: { n: 3, q: "it's" } };
  assert.equal(
    quoted(wordsOf("run", more)),
    "run 'a b.tfjob' --job j --profile big --params p.params --set n=3 --set 'q=it'\\''s'",
  );
});

test("a command line takes as many files as fit", () => {
  assert.deepEqual(fitting(["a", "b"]), ["a", "b"]);
  const many = Array.from({ length: 2000 }, (_, index) => `folder/${index}/main.tfjob`);
  const line = ["tfdsl", "check", ...fitting(many)].map((word) => `"${word}"`).join(" ");
  assert.ok(line.length > 29_000 && line.length < 32_767, String(line.length));
});

test("an answer of another form is no answer", () => {
  for (const answer of [null, undefined, 3, {}, { outputs: "x" }, { outputs: [null, { name: 1, text: "" }, { name: "a" }], targets: [1], profiles: {} }]) {
    assert.deepEqual(outputsOf(answer), []);
    assert.deepEqual(choicesOf(answer), { targets: [], profile: undefined, profiles: [] });
  }
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
    assert.ok(bundle.includes(`"${command}"`), command);
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

test("the answer of tfdsl/graph is taken as far as it has the form agreed on", () => {
  const range = { start: { line: 4, character: 7 }, end: { line: 4, character: 9 } };
  const places = { "roles[ps]": { uri: "file:///a", range }, "": { uri: 5, range }, x: null, y: { uri: "file:///a" } };
  const found = pictureOf({ svg: "<svg/>", error: null, jobs: [{ name: "a", places }, 3, { places: [] }] });
  assert.deepEqual([found.svg, found.error, found.places.length], ["<svg/>", "", 3]);
  assert.deepEqual([...(found.places[0] ?? [])], [["roles[ps]", { uri: "file:///a", line: 4, character: 7 }]]);
  assert.deepEqual([undefined, [], { svg: 1, jobs: {} }].map(pictureOf), Array(3).fill({ svg: "", error: "", places: [] }));
});

test("a click names a part of a picture, and other messages are none", () => {
  assert.deepEqual(clicked({ job: 1, path: "roles[ps]" }), { job: 1, path: "roles[ps]" });
  assert.deepEqual([{ ready: true }, null, "x", { job: "1", path: "" }, { job: 0 }].map(clicked), Array(5).fill(undefined));
});

test("a picture has the colours of the window, and its page loads nothing", () => {
  const svg = "<style>.a{}@media(prefers-color-scheme:dark){.a{}}</style>";
  assert.equal(coloured(svg, true), "<style>.a{}@media all{.a{}}</style>");
  assert.equal(coloured(svg, false), "<style>.a{}@media not all{.a{}}</style>");
  assert.match(page("abc"), /default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-abc'/);
  assert.doesNotMatch(page("abc"), /https?:|src=|href=/);
});
