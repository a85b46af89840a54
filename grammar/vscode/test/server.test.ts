/** What the extension needs of the server, asked for as VS Code asks. */

import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import {
  CodeLensRequest,
  CompletionRequest,
  DidChangeTextDocumentNotification,
  DiagnosticSeverity,
  HoverRequest,
  type CompletionItem,
  type CompletionList,
} from "vscode-languageserver-protocol/node";
import { CHOICES, choicesOf } from "../src/choices";
import { COMPILE, outputsOf } from "../src/compile";
import { IMPORT, importedOf } from "../src/manifest";
import { madeLines, originLines, WHERE } from "../src/where";
import { examples } from "./places";
import { Session } from "./session";

const URI = "file:///nowhere/job.tfjob";
const TEXT = `job mnist {
  image = "registry.example.com/mnist:1.4"
  command = ["python", "train.py"]
  role worker { replicas = 2, gpuu = 1 }
}
`;
const LIMIT = { timeout: 60_000 };

async function within(run: (session: Session) => Promise<void>, settings: object = {}): Promise<void> {
  const session = Session.start(settings);
  try {
    const { capabilities } = await session.initialize();
    assert.ok(capabilities.completionProvider);
    assert.ok(capabilities.hoverProvider);
    await run(session);
    assert.equal(await session.end(), 0);
  } finally {
    session.dispose();
  }
}

test("a mistake is told at its place, and goes away when it is mended", LIMIT, () =>
  within(async (session) => {
    await session.open(URI, TEXT);
    const { diagnostics } = await session.diagnostics(URI, (params) => params.diagnostics.length > 0);
    const wrong = diagnostics.find(({ severity }) => severity === DiagnosticSeverity.Error);
    assert.ok(wrong);
    assert.deepEqual(wrong.range, { start: { line: 3, character: 30 }, end: { line: 3, character: 34 } });
    await session.connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri: URI, version: 2 },
      contentChanges: [{ range: wrong.range, text: "gpu" }],
    });
    const mended = await session.diagnostics(URI, ({ version }) => version === 2);
    assert.deepEqual(mended.diagnostics.filter(({ severity }) => severity === DiagnosticSeverity.Error), []);
  }),
);

test("places count in UTF-16, as the editor does", LIMIT, () =>
  within(async (session) => {
    await session.open(URI, 'job mnist { image = "😀", role worker { gpuu = 1 } }\n');
    const { diagnostics } = await session.diagnostics(URI, (params) => params.diagnostics.length > 0);
    const starts = diagnostics.map(({ range }) => range.start.character);
    assert.ok(starts.includes('job mnist { image = "😀", role worker { '.length), JSON.stringify(starts));
  }),
);

test("attributes are completed, and told about", LIMIT, () =>
  within(async (session) => {
    await session.open(URI, TEXT.replace("gpuu = 1", "gp"));
    const position = { line: 3, character: 32 };
    const answer = await session.connection.sendRequest(CompletionRequest.type, { textDocument: { uri: URI }, position });
    const items: CompletionItem[] = Array.isArray(answer) ? answer : ((answer as CompletionList | null)?.items ?? []);
    assert.ok(items.some(({ label }) => label === "gpu"));
    const hover = await session.connection.sendRequest(HoverRequest.type, {
      textDocument: { uri: URI },
      position: { line: 1, character: 4 },
    });
    assert.match(JSON.stringify(hover), /[Ii]mage/);
  }),
);

test("the preview gets what the target gets, from the text as it stands", LIMIT, () =>
  within(async (session) => {
    const text = TEXT.replace(", gpuu = 1", "").replace("mnist:1.4", "mnist:from-the-editor");
    await session.open(URI, text);
    const answer = await session.connection.sendRequest(COMPILE, { textDocument: { uri: URI }, target: "volcano" });
    const files = outputsOf(answer);
    assert.equal(files.length, 1);
    assert.match(files[0]?.text ?? "", /kind: Job[\s\S]*mnist:from-the-editor/);
    await session.open("file:///nowhere/wrong.tfjob", TEXT);
    const wrong = { textDocument: { uri: "file:///nowhere/wrong.tfjob" }, target: "volcano" };
    assert.deepEqual(outputsOf(await session.connection.sendRequest(COMPILE, wrong)), []);
  }),
);

test("lines are followed through what a text includes and names, and a manifest is imported", LIMIT, () =>
  within(async (session) => {
    const text = `let version = "7"\n${TEXT.replace(", gpuu = 1", "").replace("mnist:1.4", "mnist:${version}")}`;
    await session.open(URI, text);
    const preview = { textDocument: { uri: URI }, target: "volcano" };
    const [file] = outputsOf(await session.connection.sendRequest(COMPILE, preview));
    const made = madeLines(await session.connection.sendRequest(WHERE, { ...preview, source: { uri: URI, line: 1 } }));
    assert.deepEqual(
      made.map(({ name, line }) => [name, file?.text.split("\n")[line - 1]?.trim()]),
      [["mnist.yaml", "image: registry.example.com/mnist:7"]],
    );
    const origins = originLines(await session.connection.sendRequest(WHERE, { ...preview, output: made[0] }));
    assert.deepEqual(origins, [{ uri: URI, line: 3 }, { uri: URI, line: 1 }]);
    const manifest = { uri: "file:///nowhere/mnist.yaml", text: outputsOf(await session.connection.sendRequest(COMPILE, { ...preview, target: "tfjob" }))[0]?.text };
    assert.match(importedOf(await session.connection.sendRequest(IMPORT, manifest)).text, /job mnist \{/);
  }),
);

test("settings are asked for and heeded", LIMIT, () =>
  within(
    async (session) => {
      const role = "role worker { replicas = n, min_available = 2 }";
      await session.open(URI, `param n: int = 2\njob a { image = "x:1", ${role} }\n`);
      // The text may be checked once before the settings come, without anything to say.
      const { diagnostics } = await session.diagnostics(URI, (params) => params.diagnostics.length > 0);
      assert.match(diagnostics.map(({ message }) => message).join(), /min_available/);
    },
    { params: { n: 1 } },
  ),
);

test("no example has an error of the language", LIMIT, () =>
  within(async (session) => {
    for (const file of examples) {
      const uri = `file://${file}`;
      await session.open(uri, fs.readFileSync(file, "utf8"));
      const { diagnostics } = await session.diagnostics(uri);
      // A target may refuse what another takes.
      const wrong = diagnostics.filter(({ severity, code }) => severity === DiagnosticSeverity.Error && /^TFJ/.test(`${code}`));
      assert.deepEqual(wrong, []);
    }
  }),
);

test("a code lens names the text, the target and the job, as the preview takes them", LIMIT, () =>
  within(async (session) => {
    await session.open(URI, TEXT.replace(", gpuu = 1", "").replace("\n}\n", "\n  target volcano { }\n}\n"));
    const lenses = await session.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri: URI } });
    const found = (lenses ?? []).map(({ command }) => command);
    assert.deepEqual(
      found.map((command) => [command?.command, command?.arguments]),
      [["tfdsl.openOutput", [URI, "volcano", "mnist"]]],
    );
    const choices = choicesOf(await session.connection.sendRequest(CHOICES, { textDocument: { uri: URI } }));
    assert.deepEqual(choices, { targets: ["volcano"], profile: undefined, profiles: [] });
  }),
);

test("what cannot be compiled is told in words", LIMIT, () =>
  within(async (session) => {
    await session.open(URI, TEXT);
    const ask = (uri: string, target: string): Promise<unknown> =>
      session.connection.sendRequest(COMPILE, { textDocument: { uri }, target });
    await assert.rejects(ask(URI, "nowhere"), /there is no target nowhere/);
    await assert.rejects(ask("file:///nowhere/closed.tfjob", "volcano"), /not open/);
  }),
);
