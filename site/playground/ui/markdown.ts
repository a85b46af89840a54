/** The Markdown of the engine as elements. A text cannot become anything else than text, whatever is in it. */

import { make } from "./dom";

/** First what a backslash makes ordinary, so that it begins nothing. */
const INLINE = /\\[!-/:-@[-`{-~]|(`+)([\s\S]+?)\1(?!`)|\*\*([^*]+(?:\*(?!\*)[^*]*)*)\*\*|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g;

/** The blocks: paragraphs, headings, lists, fenced code. */
export function markdown(text: string): DocumentFragment {
  const made = document.createDocumentFragment();
  const lines = text.split("\n");
  while (lines.length > 0) {
    const line = lines[0] ?? "";
    if (line.trim() === "") {
      lines.shift();
    } else if (line.trimStart().startsWith("```")) {
      made.append(fenced(lines));
    } else if (/^\s*[-*] /.test(line)) {
      made.append(list(lines));
    } else if (/^#{1,6} /.test(line)) {
      lines.shift();
      made.append(make("h3", {}, ...inline(line.replace(/^#+ /, ""))));
    } else if (/^(?:---+|\*\*\*+)\s*$/.test(line)) {
      lines.shift();
      made.append(make("hr"));
    } else {
      made.append(paragraph(lines));
    }
  }
  return made;
}

function fenced(lines: string[]): HTMLElement {
  const mark = (lines.shift() ?? "").trim().match(/^`+/)?.[0] ?? "```";
  const end = lines.findIndex((line) => line.trim() === mark);
  const code = lines.splice(0, end < 0 ? lines.length : end);
  lines.shift();
  return make("pre", {}, make("code", {}, code.join("\n")));
}

function list(lines: string[]): HTMLElement {
  const made = make("ul");
  while (/^\s*[-*] /.test(lines[0] ?? "")) {
    const item = [(lines.shift() ?? "").replace(/^\s*[-*] /, "")];
    while (/^\s+\S/.test(lines[0] ?? "") && !/^\s*[-*] /.test(lines[0] ?? "")) {
      item.push((lines.shift() ?? "").trim());
    }
    made.append(make("li", {}, ...inline(item.join(" "))));
  }
  return made;
}

function paragraph(lines: string[]): HTMLElement {
  const taken: string[] = [];
  while (lines.length > 0 && (lines[0] ?? "").trim() !== "" && !/^\s*(?:```|[-*] )/.test(lines[0] ?? "")) {
    taken.push(lines.shift() ?? "");
  }
  return make("p", {}, ...inline(taken.join("\n")));
}

/** The pieces of a line: text, code, bold and links. */
export function inline(text: string): (Node | string)[] {
  const pieces: (Node | string)[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    pieces.push(plain(text.slice(at, match.index)));
    at = match.index + match[0].length;
    if (match[0].startsWith("\\")) {
      pieces.push(match[0].slice(1));
    } else if (match[2] !== undefined) {
      pieces.push(make("code", {}, match[2].replace(/^ (.*) $/, "$1")));
    } else if (match[3] !== undefined) {
      pieces.push(make("strong", {}, ...inline(match[3])));
    } else {
      pieces.push(make("a", { href: match[5] ?? "", target: "_blank", rel: "noopener" }, ...inline(match[4] ?? "")));
    }
  }
  pieces.push(plain(text.slice(at)));
  return pieces.filter((piece) => piece !== "");
}

/** A line end inside of a paragraph is a space. */
function plain(text: string): string {
  return text.replace(/[ \t]*\n[ \t]*/g, " ");
}
