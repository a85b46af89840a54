/** Every link of every page leads to a file of the site, and to a place in it. */

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { built } from "./site";

interface Read {
  /** What a reader may follow. */
  readonly links: readonly string[];
  /** What a browser fetches for the page. */
  readonly parts: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

/** Files with links, as `guide/start.html`. The playground is not of the same kind, and has tests of its own. */
const pages = fs
  .readdirSync(built, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".html") && !name.startsWith(`playground${path.sep}`));

const texts = new Map<string, Read>(pages.map((name) => [name, read(fs.readFileSync(path.join(built, name), "utf8"))]));

function read(html: string): Read {
  const text = html.replace(/<!--.*?-->/gs, "");
  const values = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => unescaped(match[1] ?? ""));
  return {
    links: values(/<a\b[^>]*?\shref="?([^"\s>]*)/g),
    parts: values(/<(?!a\b)[a-z][^>]*?\s(?:href|src)="?([^"\s>]*)/g),
    anchors: new Set(values(/<[a-z][^>]*?\s(?:id|name)="?([^"\s>]+)/g)),
  };
}

function unescaped(text: string): string {
  return text.replaceAll("&amp;", "&").replaceAll("&#x2F;", "/");
}

/** What is wrong with a link of a page, if anything. */
function fault(name: string, link: string): string | undefined {
  if (link.startsWith("/")) {
    return `${name}: ${link} is not below the site`;
  }
  const [address = "", anchor = ""] = link.split("#");
  const target = address === "" ? name : path.normalize(path.join(path.dirname(name), decodeURIComponent(address)));
  const file = fs.statSync(path.join(built, target), { throwIfNoEntry: false })?.isDirectory() ? path.join(target, "index.html") : target;
  if (!fs.existsSync(path.join(built, file))) {
    return `${name}: ${link} leads nowhere`;
  }
  const there = texts.get(file);
  return anchor === "" || there === undefined || there.anchors.has(decodeURIComponent(anchor)) ? undefined : `${name}: no #${anchor} in ${file}`;
}

/** All faults of some links of each page. */
function faults(of: (read: Read) => readonly string[]): string[] {
  return [...texts].flatMap(([name, read]) => [...new Set(of(read))].flatMap((link) => fault(name, link) ?? []));
}

test("every link within the site leads somewhere", () => {
  assert.ok(texts.size > 1000, `${texts.size} pages`);
  const within = faults(({ links }) => links.filter((link) => !/^https?:/.test(link)));
  assert.deepEqual(within.slice(0, 20), []);
});

test("all that a page is made of is in the site", () => {
  const parts = faults(({ parts }) => parts.filter((part) => !part.startsWith("data:")));
  assert.deepEqual(parts.slice(0, 20), []);
});

test("no style sheet asks a host", () => {
  const asked = /url\(["']?(?:https?:)?\/\/|@import/;
  const files = fs.readdirSync(built, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".css"));
  assert.deepEqual(
    files.filter((name) => asked.test(fs.readFileSync(path.join(built, name), "utf8"))),
    [],
  );
});
