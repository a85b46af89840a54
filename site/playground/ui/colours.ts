/** The classes of highlighted text; `playground.css` has their colours, of both schemes. */

import { StreamLanguage, syntaxHighlighting, type StreamParser } from "@codemirror/language";
import { json } from "@codemirror/legacy-modes/mode/javascript";
import { dockerFile } from "@codemirror/legacy-modes/mode/dockerfile";
import { python } from "@codemirror/legacy-modes/mode/python";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { xml } from "@codemirror/legacy-modes/mode/xml";
import { yaml } from "@codemirror/legacy-modes/mode/yaml";
import type { Extension } from "@codemirror/state";
import { tagHighlighter, tags } from "@lezer/highlight";
import { tfjob } from "./tfjob_mode";

export const colours: Extension = syntaxHighlighting(
  tagHighlighter([
    { tag: [tags.keyword, tags.modifier, tags.definitionKeyword], class: "hl-keyword" },
    { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.propertyName)], class: "hl-property" },
    { tag: [tags.string, tags.attributeValue], class: "hl-string" },
    { tag: [tags.escape, tags.special(tags.string)], class: "hl-escape" },
    { tag: [tags.number, tags.atom, tags.bool, tags.null], class: "hl-number" },
    { tag: tags.unit, class: "hl-unit" },
    { tag: tags.comment, class: "hl-comment" },
    { tag: tags.docComment, class: "hl-waiver" },
    { tag: [tags.className, tags.tagName], class: "hl-class" },
    { tag: tags.typeName, class: "hl-type" },
    { tag: tags.namespace, class: "hl-namespace" },
    { tag: tags.macroName, class: "hl-struct" },
    { tag: [tags.function(tags.variableName), tags.standard(tags.variableName)], class: "hl-function" },
    { tag: tags.special(tags.variableName), class: "hl-parameter" },
    { tag: tags.constant(tags.variableName), class: "hl-event" },
    { tag: [tags.variableName, tags.definition(tags.variableName)], class: "hl-variable" },
    { tag: [tags.operator, tags.bracket, tags.punctuation, tags.meta], class: "hl-mark" },
  ]),
);

/** A language of another editor. What it calls a property is one here, too. */
function stream<State>(mode: StreamParser<State>, keys: "atom" | "property" = "property"): Extension {
  return StreamLanguage.define({ ...mode, tokenTable: { ...mode.tokenTable, [keys]: tags.propertyName } });
}

const LANGUAGES: Readonly<Record<string, Extension>> = {
  tfjob,
  toml: stream(toml),
  // Its keys are atoms.
  yaml: stream(yaml, "atom"),
  json: stream(json),
  xml: stream(xml),
  shellscript: stream(shell),
  python: stream(python),
  dockerfile: stream(dockerFile),
};

const ENDINGS: Readonly<Record<string, string>> = {
  ".yml": "yaml",
  ".sh": "shellscript",
  ".env": "shellscript",
  ".py": "python",
};

/** A language by its name; an empty extension when it has no colours. */
export function language(name: string): Extension {
  return LANGUAGES[name] ?? [];
}

/** The name of the language of a file. */
export function languageOf(file: string): string {
  const name = file.slice(file.lastIndexOf("/") + 1);
  const ending = name.slice(name.lastIndexOf("."));
  return name === "Dockerfile" ? "dockerfile" : (ENDINGS[ending] ?? ending.slice(1));
}
