/**
 * The engine of the playground in a browser: how fast it is, that it says what tfdsl says elsewhere, and what it does about a
 * text that takes too long, files that are missing and a network that is gone.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test, { after, afterEach, before } from "node:test";
import zlib from "node:zlib";
import type { Catalogue, Compiled } from "../playground/protocol";
import { FIRST_OUTPUT, KEY_TO_OUTPUT } from "./budgets";
import { EnginePage } from "./engine-page";
import { built, project, Site } from "./site";

const ENGINE = path.join(built, "playground/engine");
const JOB = 'job a {\n  image = "x:1"\n  command = ["python", "a.py"]\n  role worker { replicas = 2 }\n}\n';
/** 900 jobs: for YARN, minutes of work and 55 million characters. */
const SWEEP =
  'job "s-${matrix.a}-${matrix.b}" {\n  image = "x:1"\n  command = ["python", "a.py"]\n' +
  `  matrix {\n    a = [${numbers(30)}]\n    b = [${numbers(30)}]\n  }\n  role worker { replicas = 2 }\n}\n`;
const MNIST = fs.readFileSync(path.join(project, "examples/mnist/main.tfjob"), "utf8");

let site: Site;

before(async () => {
  site = await Site.start();
});

afterEach(() => site.assertQuiet());

after(() => site?.stop());

function numbers(count: number): string {
  return Array.from({ length: count }, (_, at) => at).join(", ");
}

test("the first output is there in seconds, and a changed text at once", async (t) => {
  let first = Number.POSITIVE_INFINITY;
  let median = Number.POSITIVE_INFINITY;
  // What else the machine does for a moment is not the engine's fault.
  for (let round = 0; round < 3 && (first >= FIRST_OUTPUT || median >= KEY_TO_OUTPUT); round += 1) {
    const engine = await EnginePage.open(site);
    const revision = await engine.update(MNIST);
    const { at } = await engine.heard(["compiled"], revision);
    const checked = await engine.heard(["checked"], revision);
    const times = await engine.times(Array.from({ length: 10 }, (_, at) => `${MNIST}# ${"x".repeat(at)}\n`));
    times.sort((one, other) => one - other);
    t.diagnostic(`checked ${ms(checked.at)}, first output ${ms(at)}, then ${times.map(ms).join(", ")}`);
    first = Math.min(first, at);
    median = Math.min(median, times[5] ?? median);
    const order = (await engine.all()).map(({ event }) => event.kind).filter((kind) => kind !== "loading");
    assert.deepEqual(order.slice(0, 3), ["checked", "ready", "compiled"], "the text is checked before all is loaded");
    await engine.close();
  }
  assert.ok(first < FIRST_OUTPUT, `the first output took ${ms(first)}`);
  assert.ok(median < KEY_TO_OUTPUT, `an output took ${ms(median)}`);
});

function ms(time: number): string {
  return `${Math.round(time)} ms`;
}

test("every example gives what tfdsl gives elsewhere", async () => {
  const python = process.env["TFDSL_PYTHON"] ?? path.join(project, ".venv/bin/python");
  const script =
    "import json; from tfdsl_playground import asked, catalogue, session; one = session.Session(); " +
    "print(json.dumps([[example['name'], target, one.update(asked.Input(0, example['files'], example['main'], target)) or " +
    "one.compiled()] for example in catalogue.catalogue()['examples'] for target in example['targets']]))";
  const expected = JSON.parse(
    execFileSync(python, ["-c", script], {
      env: { ...process.env, PYTHONPATH: path.join(project, "site/playground/engine"), PYTHONDONTWRITEBYTECODE: "1" },
      encoding: "utf8",
      maxBuffer: 1 << 28,
    }),
  ) as [string, string, Compiled][];
  const { examples } = JSON.parse(fs.readFileSync(path.join(ENGINE, "catalogue.json"), "utf8")) as Catalogue;
  assert.ok(expected.length > 40, `${expected.length} outputs`);
  const engine = await EnginePage.open(site);
  for (const [name, target, wanted] of expected) {
    const example = examples.find((one) => one.name === name);
    assert.ok(example !== undefined);
    const { milliseconds, ...answer } = await engine.compiled("", { files: example.files, main: example.main, target });
    assert.ok(milliseconds > 0);
    assert.deepEqual(answer, { ...wanted, revision: answer.revision }, `${name} for ${target}`);
    assert.ok(answer.outputs !== null && answer.outputs.length > 0, `${name} for ${target} has no output`);
  }
  await engine.close();
});

test("a text that takes too long is given up, and the next one is done, without a network", async () => {
  const engine = await EnginePage.open(site, { patience: 2500 });
  await engine.compiled(JOB);
  await engine.page.context().setOffline(true);
  const revision = await engine.update(SWEEP, { target: "yarn" });
  await engine.heard(["checked"], revision);
  const answer = engine.ask("hover", { file: "main.tfjob", offset: 1 });
  const { event } = await engine.heard(["restarted"], revision);
  assert.match(event.kind === "restarted" ? event.says : "", /took more than \d seconds, so it was stopped$/);
  assert.ok((await answer) === null || (await answer)?.markdown !== "");
  const compiled = await engine.compiled(JOB, { target: "yarn" });
  assert.ok(compiled.outputs !== null);
  assert.match((await engine.ask("hover", { file: "main.tfjob", offset: JOB.indexOf("image") }))?.markdown ?? "", /image/);
  await engine.close();
});

test("a text that needs too much memory is given up, and the next one is done", async () => {
  const engine = await EnginePage.open(site);
  await engine.compiled(JOB);
  const doubled = Array.from({ length: 16 }, (_, at) => `let a${at + 1} = "\${a${at}}\${a${at}}"\n`).join("");
  const large = Array.from({ length: 2000 }, (_, at) => `let b${at} = "\${a16}${at}"\n`).join("");
  const revision = await engine.update(`let a0 = "xxxxxxxxxx"\n${doubled}${large}${JOB}`);
  const { event } = await engine.heard(["restarted", "compiled"], revision);
  assert.equal(event.kind === "restarted" && event.says, "This text needs more memory than the playground has");
  assert.ok((await engine.compiled(JOB)).outputs !== null);
  await engine.close();
});

test("ten thousand lines are checked before they are compiled, and only the newest text is", async () => {
  const engine = await EnginePage.open(site);
  const text = Array.from({ length: 400 }, (_, at) => JOB.replace("job a", `job j${at}`) + "#\n".repeat(20)).join("");
  assert.ok(text.split("\n").length > 10_000);
  const first = await engine.compiled(text, { target: "kubernetes" });
  assert.equal(first.outputs?.length, 400);
  const typed: number[] = [];
  for (const letters of ["r", "ro", "rol", "role"]) {
    typed.push(await engine.update(text + letters, { target: "kubernetes" }));
  }
  const last = typed.at(-1) ?? 0;
  const { event } = await engine.heard(["compiled"], last);
  assert.ok(event.kind === "compiled" && event.outputs === null);
  const done = (await engine.all()).flatMap(({ event }) => (event.kind === "compiled" ? [event.revision] : []));
  assert.ok(done.length < typed.length + 1, `every text was compiled: ${done.join(", ")}`);
  await engine.close();
});

test("a result that is too large is cut, and a text that is too large refused", async () => {
  const engine = await EnginePage.open(site);
  const compiled = await engine.compiled(SWEEP.replace(numbers(30), numbers(8)), { target: "yarn" });
  assert.match(compiled.cut ?? "", /files are shown: all of them have [\d.]+ million characters$/);
  const { event } = await engine.heard(["refused"], await engine.update("#".repeat(2_000_001)));
  assert.match(event.kind === "refused" ? event.says : "", /too large/);
  assert.ok((await engine.compiled(JOB)).outputs !== null);
  await engine.close();
});

test("a server may send the files unpacked", async () => {
  const engine = await EnginePage.open(site, {
    before: (page) =>
      page.route("**/*.gz", (route) => {
        const name = path.basename(new URL(route.request().url()).pathname);
        return route.fulfill({ body: zlib.gunzipSync(fs.readFileSync(path.join(ENGINE, name))) });
      }),
  });
  assert.ok((await engine.compiled(JOB)).outputs !== null);
  await engine.close();
});

test("a file that is missing is told", async () => {
  const engine = await EnginePage.open(site, {
    before: (page) => page.route("**/packages.bin.gz", (route) => route.fulfill({ status: 404 })),
  });
  const { event } = await engine.heard(["failed"]);
  assert.equal(event.kind === "failed" && event.says, "The playground cannot load packages.bin.gz (status 404)");
  assert.equal(await engine.ask("hover", { file: "main.tfjob", offset: 0 }), null);
  assert.match(site.takeComplaints().join("\n"), /404/);
  await engine.close();
});

test("a file that is damaged, or a page in its place, is told by its name", async () => {
  for (const [name, body] of [
    ["packages.bin.gz", Buffer.from([0x1f, 0x8b, 1, 2, 3])],
    ["pyodide.asm.wasm.gz", "<!doctype html><title>Log in</title>"],
  ] as const) {
    const engine = await EnginePage.open(site, { before: (page) => page.route(`**/${name}`, (route) => route.fulfill({ body })) });
    const { event } = await engine.heard(["failed"]);
    assert.match(event.kind === "failed" ? event.says : "", new RegExp(`^The playground cannot load ${name}: it is damaged`));
    await engine.close();
  }
});

test("a browser that is too old is told", async () => {
  const engine = await EnginePage.open(site, {
    before: (page) => page.evaluate(() => Reflect.deleteProperty(globalThis, "DecompressionStream")),
  });
  const { event } = await engine.heard(["failed"]);
  assert.match(event.kind === "failed" ? event.says : "", /^This browser is too old for the playground/);
  await engine.close();
});
