/**
 * The part of an address after `#`, which browsers send to nobody: `#example=mnist&target=volcano` for an example as it is,
 * `#1=…` for anything else: a {@link Project} as JSON, compressed (deflate), in the letters of base64url.
 */

import { deflateSync, Inflate, strFromU8, strToU8 } from "fflate";
import { LIMITS, type Catalogue } from "../protocol";
import { exampleOf, FIRST, started, withoutLeftOvers, type Project } from "./project";

/** Files that a link may have; each has a tab. */
const MOST_FILES = 100;
/** Bytes of UTF-8 for one character and its escapes in JSON, at most. */
const MOST_BYTES = LIMITS.input * 6;
/** A path below the folder of the project. */
const FILE = /^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))(?!.*\/\/)[^\0-\x1f\\]{1,200}$/;

/** A link that nobody can open; the message is for people. */
export class LinkError extends Error {}

/** The fragment, with its `#`, that gives the project again. */
export function fragmentOf(project: Project, catalogue: Catalogue): string {
  const example = exampleOf(project, catalogue);
  if (example !== null) {
    return `#${new URLSearchParams({ example: example.name, target: project.target })}`.replace("%40", "@");
  }
  const needed = withoutLeftOvers(project, catalogue);
  return `#1=${base64(deflateSync(strToU8(JSON.stringify(needed)), { level: 9 }))}`;
}

/** The project that a fragment names; `null`: it names none. A wrong one is a {@link LinkError}. */
export function projectOf(fragment: string, catalogue: Catalogue): Project | null {
  const words = fragment.replace(/^#/, "");
  if (words.startsWith("1=")) {
    return checked(parsed(inflated(bytes(words.slice(2)))));
  }
  if (/^[0-9]+=/.test(words)) {
    throw new LinkError("this link is from a newer playground");
  }
  const asked = new URLSearchParams(words);
  const name = asked.get("example");
  if (name === null) {
    return null;
  }
  const example = catalogue.examples.find((each) => each.name === name);
  if (example === undefined) {
    throw new LinkError(`there is no example ${JSON.stringify(name.slice(0, 40))}`);
  }
  return started(example, asked.get("target") ?? FIRST.target);
}

function base64(data: Uint8Array): string {
  let letters = "";
  for (let at = 0; at < data.length; at += 0x8000) {
    letters += String.fromCharCode(...data.subarray(at, at + 0x8000));
  }
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function bytes(letters: string): Uint8Array {
  try {
    return Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
  } catch {
    throw new LinkError("this link is damaged: a part of it is missing");
  }
}

/** What is compressed, at most so much that a small link cannot fill the memory. */
function inflated(data: Uint8Array): string {
  const parts: Uint8Array[] = [];
  let size = 0;
  let complete = false;
  const inflate = new Inflate((part, last) => {
    size += part.length;
    complete = last;
    parts.push(part);
  });
  try {
    for (let at = 0; at < data.length && size <= MOST_BYTES; at += 4096) {
      inflate.push(data.subarray(at, at + 4096), at + 4096 >= data.length);
    }
  } catch {
    complete = false;
  }
  if (size > MOST_BYTES) {
    throw new LinkError("this link holds more text than the playground can take");
  }
  if (!complete) {
    throw new LinkError("this link is damaged: a part of it is missing");
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return strFromU8(all);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LinkError("this link is damaged: it does not hold a project");
  }
}

function checked(value: unknown): Project {
  const { files, main, target, profile, params, options, job, strict } = isObject(value) ? value : {};
  const whole =
    isTexts(files) &&
    Object.keys(files).length <= MOST_FILES &&
    Object.keys(files).every((name) => FILE.test(name)) &&
    typeof main === "string" &&
    Object.hasOwn(files, main) &&
    typeof target === "string" &&
    isTextOrNull(profile) &&
    isTexts(params) &&
    isTexts(options) &&
    isTextOrNull(job);
  if (!whole) {
    throw new LinkError("this link is damaged: it does not hold a project");
  }
  const size = Object.values(files).reduce((sum, text) => sum + text.length, 0);
  if (size > LIMITS.input) {
    throw new LinkError("this link holds more text than the playground can take");
  }
  return { files, main, target, profile, params, options, job, strict: strict === true };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((each) => typeof each === "string");
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
