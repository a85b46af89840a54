/** The TextMate grammar with the engine that VS Code has: on all examples, and on texts that want to do harm. */

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import * as oniguruma from "vscode-oniguruma";
import { INITIAL, Registry, parseRawGrammar, type IGrammar, type IToken } from "vscode-textmate";
import { extension, examples } from "./places";

interface Word {
  readonly text: string;
  readonly scopes: readonly string[];
}

async function grammar(): Promise<IGrammar> {
  const wasm = fs.readFileSync(path.join(extension, "node_modules/vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) as ArrayBuffer);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns: string[]) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text: string) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const file = path.join(extension, "syntaxes/tfjob.tmLanguage.json");
      return scope === "source.tfjob" ? parseRawGrammar(fs.readFileSync(file, "utf8"), file) : null;
    },
  });
  const loaded = await registry.loadGrammar("source.tfjob");
  assert.ok(loaded);
  return loaded;
}

const ready = grammar();

async function words(text: string): Promise<Word[]> {
  const loaded = await ready;
  let state = INITIAL;
  const found: Word[] = [];
  for (const line of text.split(/\r?\n/)) {
    const { tokens, ruleStack } = loaded.tokenizeLine(line, state);
    state = ruleStack;
    found.push(...tokens.map((token: IToken) => ({ text: line.slice(token.startIndex, token.endIndex), scopes: token.scopes })));
  }
  return found;
}

for (const file of examples) {
  test(`every word of ${path.basename(path.dirname(file))} has a colour, and none is a mistake`, async () => {
    const found = await words(fs.readFileSync(file, "utf8"));
    const bare = found.filter(({ text, scopes }) => /\S/.test(text) && scopes.length === 1);
    assert.deepEqual(bare, []);
    assert.deepEqual(found.filter(({ scopes }) => scopes.some((scope) => scope.startsWith("invalid"))), []);
  });
}

const OPENINGS = {
  "an open string": 'let a = "open',
  "an open interpolation": 'let a = "${open',
  "an open map in an interpolation": 'let a = "${{ k = 1',
  "a quote in a shell line": 'job x { command = """\n  echo "it\'s\n  """ }',
  "a heredoc in a shell program": 'job x { command = """\n  cat <<EOF\n  """ }',
  "an apostrophe in a raw shell program": "job x { command = '''\n  echo it's\n  ''' }",
  "an open param type": "param x: list<",
};

for (const [name, opening] of Object.entries(OPENINGS)) {
  test(`${name} does not reach the next declaration`, async () => {
    const found = await words(`${opening}\nlet after = 1`);
    const word = found.find(({ text }) => text === "let" || text === "after");
    assert.ok(word);
    assert.ok(found.some(({ text, scopes }) => text === "after" && scopes.includes("variable.other.constant.tfjob")));
  });
}

test("a long line takes time in proportion", async () => {
  const seconds = async (times: number): Promise<number> => {
    const start = performance.now();
    await words(`let a = ${'"${join(1, [x])}" + '.repeat(times)}1`);
    return performance.now() - start;
  };
  await seconds(10);
  const [short, long] = [await seconds(500), await seconds(4000)];
  assert.ok(long < 40 * Math.max(short, 5), `${short} ms for 500, ${long} ms for 4000`);
});
