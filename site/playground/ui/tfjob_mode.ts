/**
 * Colours, indentation and brackets of `.tfjob` without the engine: at once, also while it loads. What a name is (param, let,
 * template …) comes later from the engine.
 */

import { StreamLanguage, type StringStream } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import { ACTIONS, EVENTS, FUNCTIONS, KEYWORDS, MOUNT_KINDS, RESERVED, ROLES, TARGETS, TYPES, UNITS } from "./words";

/** What the position is inside of: a text of one line, a text block, a raw text block, or `${}`. */
type Inside = '"' | '"""' | "'''" | "${";

interface State {
  /** The innermost is the last. */
  inside: readonly Inside[];
  /** Brackets that are open. */
  depth: number;
  /** The keyword before, on the same line: it says what the next name is. */
  keyword: string;
}

const WORDS = {
  keyword: new Set(KEYWORDS),
  role: new Set(ROLES),
  target: new Set(TARGETS),
  event: new Set(EVENTS),
  action: new Set(ACTIONS),
  mount: new Set(MOUNT_KINDS),
  type: new Set(TYPES),
  function: new Set(FUNCTIONS),
  reserved: new Set(RESERVED),
};

const NAME = /^[A-Za-z_][A-Za-z0-9_]*/;
const KEY = /^[A-Za-z_][A-Za-z0-9_]*(?=\s*=(?![=>]))/;
const NUMBER = /^[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/;
const UNIT = new RegExp(`^(?:${longestFirst(UNITS)})(?:[0-9]+(?:${longestFirst(UNITS)}))*(?![A-Za-z0-9_])`);
const JOB_NAME = /^[A-Za-z_][A-Za-z0-9_-]*/;
const ESCAPE = /^\\(?:u\{[0-9A-Fa-f]{1,6}\}|.)/;
/** What a name after a keyword is. */
const DECLARES: Readonly<Record<string, string>> = {
  job: "className",
  role: "className",
  target: "namespace",
  template: "struct",
  use: "struct",
  profile: "namespace",
  param: "parameter",
  let: "variableName",
  prepare: "className",
  sidecar: "className",
};

function longestFirst(words: readonly string[]): string {
  return [...words].sort((one, other) => other.length - one.length).join("|");
}

function text(stream: StringStream, state: State, within: Inside): string {
  if (within !== '"' && stream.match(within)) {
    state.inside = state.inside.slice(0, -1);
    return "string";
  }
  if (within === '"' && stream.eat('"')) {
    state.inside = state.inside.slice(0, -1);
    return "string";
  }
  if (within !== "'''" && stream.match("${")) {
    state.inside = [...state.inside, "${"];
    return "escape";
  }
  if (within !== "'''" && stream.match(ESCAPE)) {
    return "escape";
  }
  stream.next();
  stream.match(within === "'''" ? /^[^']+/ : /^[^"\\$]+/);
  return "string";
}

function afterKeyword(stream: StringStream, state: State): string | null {
  const { keyword } = state;
  if (keyword === "job" && stream.match(JOB_NAME)) {
    return "className";
  }
  if (keyword === "on" || keyword === "=>") {
    const word = stream.match(NAME, false);
    const names = keyword === "on" ? WORDS.event : WORDS.action;
    if (Array.isArray(word) && names.has(word[0])) {
      stream.match(NAME);
      state.keyword = keyword;
      return "event";
    }
  }
  if (keyword === "mount") {
    const word = stream.match(NAME, false);
    if (Array.isArray(word) && WORDS.mount.has(word[0])) {
      stream.match(NAME);
      return "event";
    }
  }
  if (keyword === ":" || keyword === "<") {
    const word = stream.match(NAME, false);
    if (Array.isArray(word) && WORDS.type.has(word[0])) {
      stream.match(NAME);
      return "typeName";
    }
  }
  const kind = DECLARES[keyword];
  if (kind !== undefined && stream.match(NAME)) {
    return kind;
  }
  return null;
}

function word(stream: StringStream, state: State, name: string): string {
  if (name === "true" || name === "false") {
    return "atom";
  }
  // `job` and `role` are keywords, too.
  if (WORDS.reserved.has(name) && stream.match(/^\s*\./, false)) {
    return "parameter";
  }
  if (WORDS.keyword.has(name)) {
    state.keyword = name;
    return "keyword";
  }
  if (WORDS.function.has(name) && stream.match(/^\s*\(/, false)) {
    return "function";
  }
  return "variableName";
}

function bracket(state: State, mark: string): string {
  if ("{[(".includes(mark)) {
    state.depth += 1;
  } else {
    state.depth = Math.max(0, state.depth - 1);
  }
  return "bracket";
}

function code(stream: StringStream, state: State): string | null {
  if (stream.eatSpace()) {
    return null;
  }
  if (stream.match("}", false) && state.inside.at(-1) === "${") {
    stream.next();
    state.inside = state.inside.slice(0, -1);
    return "escape";
  }
  if (stream.peek() === "#") {
    const waiver = stream.match(/^#\s*tfdsl:/, false);
    stream.skipToEnd();
    return waiver ? "waiver" : "comment";
  }
  const opened = stream.match(/^"""(?=\s*$)|^'''(?=\s*$)|^"/);
  if (Array.isArray(opened)) {
    state.inside = [...state.inside, opened[0] as Inside];
    state.keyword = "";
    return "string";
  }
  const declared = afterKeyword(stream, state);
  if (declared !== null) {
    state.keyword = declared === "event" ? state.keyword : "";
    return declared;
  }
  if (stream.match(KEY)) {
    state.keyword = "";
    return "propertyName";
  }
  if (stream.match(NUMBER)) {
    return "number";
  }
  const name = stream.match(NAME);
  if (Array.isArray(name)) {
    state.keyword = "";
    return word(stream, state, name[0]);
  }
  if (stream.match("=>")) {
    state.keyword = "=>";
    return "operator";
  }
  const mark = stream.next() ?? "";
  state.keyword = mark === ":" || mark === "<" ? mark : "";
  if ("{[()]}".includes(mark)) {
    return bracket(state, mark);
  }
  return "+-*/%=<>!?:&|".includes(mark) ? "operator" : null;
}

export const tfjob = StreamLanguage.define<State>({
  name: "tfjob",
  startState: () => ({ inside: [], depth: 0, keyword: "" }),
  copyState: (state) => ({ ...state }),
  token(stream, state) {
    if (stream.sol()) {
      state.keyword = "";
      // A text of one line ends with it, also when its closing quote is missing.
      const open = state.inside.findIndex((each) => each === '"' || each === "${");
      state.inside = open < 0 ? state.inside : state.inside.slice(0, open);
    }
    const within = state.inside.at(-1);
    if (within !== undefined && within !== "${") {
      return text(stream, state, within);
    }
    if (stream.start > 0 && /[0-9]/.test(stream.string.charAt(stream.start - 1)) && stream.match(UNIT)) {
      return "unit";
    }
    return code(stream, state);
  },
  indent(state, after, context) {
    if (state.inside.length > 0) {
      return null;
    }
    const closing = /^\s*[}\])]/.test(after) ? 1 : 0;
    return Math.max(0, state.depth - closing) * context.unit;
  },
  languageData: {
    commentTokens: { line: "#" },
    closeBrackets: { brackets: ["(", "[", "{", '"', '"""', "'''"] },
    indentOnInput: /^\s*[}\])]$/,
  },
  tokenTable: {
    parameter: tags.special(tags.variableName),
    struct: tags.macroName,
    function: tags.function(tags.variableName),
    event: tags.constant(tags.variableName),
    waiver: tags.docComment,
    namespace: tags.namespace,
    unit: tags.unit,
    escape: tags.escape,
    bracket: tags.bracket,
  },
});
