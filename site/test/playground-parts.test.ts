/** Parts of the playground that need no browser: links, first colours, places to fill in. */

import assert from "node:assert/strict";
import test from "node:test";
import { highlightTree } from "@lezer/highlight";
import { tagHighlighter, tags } from "@lezer/highlight";
import { deflateSync, strToU8 } from "fflate";
import type { Catalogue } from "../playground/protocol";
import { template } from "../playground/ui/facts";
import { fragmentOf, LinkError, projectOf } from "../playground/ui/link";
import type { Project } from "../playground/ui/project";
import { usable } from "../playground/ui/project";
import { tfjob } from "../playground/ui/tfjob_mode";

const CATALOGUE: Catalogue = {
  version: "1",
  targets: [
    { name: "volcano", title: "Volcano", versions: ["1.9", "1.8"], defaultVersion: "1.9", options: [] },
    { name: "yarn", title: "YARN", versions: ["3.4"], defaultVersion: "3.4", options: [] },
  ],
  examples: [
    { name: "one", summary: "", files: { "main.tfjob": "job a { }\n" }, main: "main.tfjob", targets: ["volcano"] },
  ],
};

const PROJECT: Project = {
  files: { "main.tfjob": 'job "日本語 😀" { # <script>\n}\r\n', "lib/common.tfjob": "" },
  main: "main.tfjob",
  target: "volcano@1.8",
  profile: "prod",
  params: { workers: '8"}', "": "" },
  options: { queue: "$(x)" },
  job: null,
  strict: true,
};

function linked(value: unknown): string {
  return `#1=${Buffer.from(deflateSync(strToU8(JSON.stringify(value)))).toString("base64url")}`;
}

test("a link gives again what it was made from", () => {
  const fragment = fragmentOf(PROJECT, CATALOGUE);
  assert.match(fragment, /^#1=[\w-]+$/);
  assert.deepEqual(projectOf(fragment, CATALOGUE), PROJECT);
});

test("an example that nobody has changed is named", () => {
  const example = projectOf("#example=one&target=volcano@1.8", CATALOGUE);
  assert.ok(example);
  assert.equal(example.target, "volcano@1.8");
  assert.equal(fragmentOf(example, CATALOGUE), "#example=one&target=volcano@1.8");
  assert.match(fragmentOf({ ...example, strict: true }, CATALOGUE), /^#1=/);
  assert.match(fragmentOf({ ...example, files: { "main.tfjob": "" } }, CATALOGUE), /^#1=/);
});

test("what is left of an example that another text has replaced is not in the link", () => {
  const example = { ...CATALOGUE.examples[0]!, files: { "main.tfjob": "job a { }\n", "train.py": "print()\n" } };
  const catalogue = { ...CATALOGUE, examples: [example] };
  const files = (main: string, program = "print()\n") =>
    Object.keys(projectOf(fragmentOf({ ...PROJECT, files: { "main.tfjob": main, "train.py": program } }, catalogue), catalogue)!.files);
  assert.deepEqual(files("job own { }\n"), ["main.tfjob"]);
  assert.deepEqual(files('job own { command = ["python", "train.py"] }\n'), ["main.tfjob", "train.py"]);
  assert.deepEqual(files("job own { }\n", "print(1)\n"), ["main.tfjob", "train.py"]);
});

test("an example is shown for a target that it is for", () => {
  assert.equal(projectOf("#example=one&target=yarn", CATALOGUE)?.target, "volcano");
  assert.equal(projectOf("#example=one", CATALOGUE)?.target, "volcano");
});

test("a target that is not there is another one, without its options", () => {
  const strange = usable({ ...PROJECT, target: "<b>@9" }, CATALOGUE);
  assert.deepEqual([strange.target, strange.options], ["volcano", {}]);
  assert.equal(usable({ ...PROJECT, target: "volcano@99" }, CATALOGUE).target, "volcano");
  assert.deepEqual(usable(PROJECT, CATALOGUE), PROJECT);
});

test("an address without a project is no link", () => {
  for (const fragment of ["", "#", "#problems", "#a=b&c"]) {
    assert.equal(projectOf(fragment, CATALOGUE), null);
  }
});

test("a damaged or hostile link is told, whatever is in it", () => {
  const good = fragmentOf(PROJECT, CATALOGUE);
  const wrong: unknown[] = [
    null, [], 1, "text", {},
    { ...PROJECT, files: null }, { ...PROJECT, files: { "main.tfjob": 1 } }, { ...PROJECT, files: ["main.tfjob"] },
    { ...PROJECT, main: "other.tfjob" }, { ...PROJECT, main: "toString" }, { ...PROJECT, target: 1 },
    { ...PROJECT, params: { a: 1 } }, { ...PROJECT, params: null }, { ...PROJECT, job: 3 }, { ...PROJECT, profile: undefined },
    ...["../up.tfjob", "/root", "a//b", "a/../b", "", "a\0b", "x".repeat(300), "a\\b"].map((name) => ({
      ...PROJECT,
      files: { ...PROJECT.files, [name]: "" },
    })),
    { ...PROJECT, files: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`${index}`, ""])), main: "0" },
  ];
  const fragments = [
    good.slice(0, -9), `${good}!`, "#1=", "#1=AAAA", "#1=%%%", `#1=${"A".repeat(5000)}`,
    "#2=new", "#example=other", "#example=__proto__",
    ...wrong.map(linked),
  ];
  for (const fragment of fragments) {
    assert.throws(() => projectOf(fragment, CATALOGUE), LinkError, fragment.slice(0, 80));
  }
});

test("a small link cannot fill the memory", () => {
  const bomb = `#1=${Buffer.from(deflateSync(new Uint8Array(400_000_000), { level: 9 })).toString("base64url")}`;
  const before = process.memoryUsage().arrayBuffers;
  assert.throws(() => projectOf(bomb, CATALOGUE), /more text than the playground can take/);
  assert.ok(process.memoryUsage().arrayBuffers - before < 60_000_000);
});

test("a link to a large text is opened, and one to a larger one is not", () => {
  const line = "# a line of words that are not all the same 0123456789\n";
  const large = { ...PROJECT, files: { "main.tfjob": line.repeat(30_000) } };
  assert.deepEqual(projectOf(fragmentOf(large, CATALOGUE), CATALOGUE), large);
  const larger = { ...PROJECT, files: { "main.tfjob": line.repeat(40_000) } };
  assert.throws(() => projectOf(linked(larger), CATALOGUE), /more text/);
});

test("places to fill in are written as the editor knows them", () => {
  assert.equal(template('min($1)'), "min(${1})");
  assert.equal(template('role ${1:worker} {\n\t$0\n}'), "role ${1:worker} {\n\t${0}\n}");
});

/** The pieces of a text with the names of their colours. */
function coloured(text: string): string[] {
  const names = Object.entries({
    keyword: tags.keyword,
    property: tags.propertyName,
    string: tags.string,
    escape: tags.escape,
    number: tags.number,
    unit: tags.unit,
    comment: tags.comment,
    waiver: tags.docComment,
    job: tags.className,
    type: tags.typeName,
    target: tags.namespace,
    event: tags.constant(tags.variableName),
    parameter: tags.special(tags.variableName),
    function: tags.function(tags.variableName),
    atom: tags.atom,
  }).map(([name, tag]) => ({ tag, class: name }));
  const pieces: string[] = [];
  highlightTree(tfjob.parser.parse(text), tagHighlighter(names), (from, to, name) => {
    pieces.push(`${name}:${text.slice(from, to)}`);
  });
  return pieces;
}

test("first colours need no engine", () => {
  assert.deepEqual(coloured("param rates: list<number>"), ["keyword:param", "parameter:rates", "type:list", "type:number"]);
  assert.deepEqual(coloured('param workers: int = 4 { min = 1 } # how many'), [
    "keyword:param", "parameter:workers", "type:int", "number:4", "property:min", "number:1", "comment:# how many",
  ]);
  assert.deepEqual(coloured('job my-job { memory = 2Gi, args = ["--a=${role.name}\\n"] }'), [
    "keyword:job", "job:my-job", "property:memory", "number:2", "unit:Gi", "property:args",
    'string:"--a=', "escape:${", "parameter:role", "escape:}\\n", 'string:"',
  ]);
  assert.deepEqual(coloured("on failed after 1h30m => restart container"), [
    "keyword:on", "event:failed", "keyword:after", "number:1", "unit:h30m", "event:restart", "event:container",
  ]);
  assert.deepEqual(coloured('mount pvc "runs" at "/runs"'), [
    "keyword:mount", "event:pvc", 'string:"runs"', "keyword:at", 'string:"/runs"',
  ]);
  assert.deepEqual(coloured("target volcano { queue = lower(\"A\") } # tfdsl: allow[x] y").slice(0, 4), [
    "keyword:target", "target:volcano", "property:queue", "function:lower",
  ]);
  assert.deepEqual(coloured("role = true"), ["property:role", "atom:true"]);
});

test("a text that is not closed ends where it has to", () => {
  assert.deepEqual(coloured('a = "open\nb = 1'), ["property:a", 'string:"open', "property:b", "number:1"]);
  assert.deepEqual(coloured('a = "${open\nb = 1').slice(-2), ["property:b", "number:1"]);
  assert.deepEqual(coloured('a = """\n  x = 1 # not\n  """\nb = 1'), [
    "property:a", 'string:"""', "string:  x = 1 # not", 'string:  """', "property:b", "number:1",
  ]);
  assert.deepEqual(coloured("a = '''\n  ${x} \\n\n'''\n# end").at(-1), "comment:# end");
});
