/**
 * What the page of the playground and its engine say to each other.
 *
 * The engine is tfdsl itself, in a web worker. `startEngine` (client.ts) starts it and gives an {@link Engine}: `update` is
 * called with every change of the text, target or values; what comes of it arrives as {@link EngineEvent}; `ask` is for
 * questions about the last update.
 *
 * Offsets count UTF-16 units from 0, as JavaScript's strings and CodeMirror do; lines and columns count from 1. Files are
 * named by their path below the folder of the project, with `/`: `main.tfjob`, `common/roles.tfjob`, `tfdsl.toml`.
 */

// --- what is asked for --------------------------------------------------------------------------------------------------

/** All that an output depends on. */
export interface Input {
  /** Counts up with every update; what comes of it names it again. */
  readonly revision: number;
  /** The texts by the names of their files. */
  readonly files: Readonly<Record<string, string>>;
  /** The file that is checked and compiled; one of `files`. */
  readonly main: string;
  /** As `-t` takes it: `volcano`, `volcano@1.9`. */
  readonly target: string;
  /** As `--profile`; `null`: none. */
  readonly profile: string | null;
  /** As `--set NAME=VALUE`; one that the text does not have is passed over, so that it can be kept while a text is edited. */
  readonly params: Readonly<Record<string, string>>;
  /** As `-O TARGET.NAME=VALUE` without the target; of the target alone, so clear them when another is chosen. */
  readonly options: Readonly<Record<string, string>>;
  /** As `--job`: a job's name or pattern; `null`: all jobs. One that the text does not have counts as `null`. */
  readonly job: string | null;
  /** As `--strict`. */
  readonly strict: boolean;
}

// --- what comes of it ---------------------------------------------------------------------------------------------------

/** A piece of a text. `line` and `column` are those of `from`. */
export interface Place {
  /** One of the files of the input; or where a value came from: `setting lr` for a param, `option queue` for an option. */
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly column: number;
}

export interface Label {
  readonly place: Place;
  readonly message: string;
}

export interface Diagnostic {
  /** `TFJ2104`. */
  readonly code: string;
  /** `duplicate-mount-path`. */
  readonly slug: string;
  readonly level: "error" | "warning" | "info";
  readonly message: string;
  /** What to write instead: each is a line that begins with "help:" on a terminal. */
  readonly helps: readonly string[];
  readonly place: Place;
  /** Other places that explain it. */
  readonly labels: readonly Label[];
  /** The target that refuses or changes something, or `null`: it is about the text alone. */
  readonly target: string | null;
  /** What is marked has no effect and can be shown faded. */
  readonly unnecessary: boolean;
  /** It is a note: it needs no mark in the text. */
  readonly quiet: boolean;
  /** `actions` at its place can give a fix; a fix that would cause a new error is not offered. */
  readonly fixable: boolean;
}

/** The types of names, in the words of the Language Server Protocol. */
export type TokenType =
  | "namespace"
  | "type"
  | "class"
  | "struct"
  | "parameter"
  | "variable"
  | "property"
  | "enumMember"
  | "event"
  | "function";

/** A name, for colours that no grammar can give; what is not a name (strings, numbers, comments, keywords) has no token. */
export interface Token {
  readonly from: number;
  readonly to: number;
  readonly type: TokenType;
}

export interface Param {
  readonly name: string;
  /** As it is written: `int`, `duration`, `string`. */
  readonly type: string;
  /** What it is for, in the words of its `description`; may be empty. */
  readonly description: string;
  /** As it is written; `null`: it needs a value. */
  readonly default: string | null;
  /** The value with the profile and params of the input, as it would be written; `null`: none yet, or it is wrong. */
  readonly value: string | null;
  /** Values that are allowed, as they would be written; empty: any of the type. */
  readonly choices: readonly string[];
  /** As they are written. */
  readonly min: string | null;
  readonly max: string | null;
  readonly place: Place;
}

export interface Job {
  readonly name: string;
  readonly place: Place;
}

/** What the text declares, for choosers. */
export interface Contents {
  readonly params: readonly Param[];
  readonly profiles: readonly string[];
  /** The jobs that are compiled; of a matrix each, at most the first thousand. */
  readonly jobs: readonly Job[];
  /** How many jobs there are. */
  readonly jobCount: number;
  /** The targets that the text has blocks for. */
  readonly targets: readonly string[];
}

/** The text has been read and checked. */
export interface Checked {
  readonly kind: "checked";
  readonly revision: number;
  /**
   * Of all files, in their order, at most {@link LIMITS.diagnostics}. `null`: they come with `compiled`, which will be there
   * in a moment. Else they are those of the text alone, so keep those of the target (`target !== null`) until then.
   */
  readonly diagnostics: readonly Diagnostic[] | null;
  /** By the names of files. */
  readonly tokens: Readonly<Record<string, readonly Token[]>>;
  readonly contents: Contents;
}

/** One file of the output. */
export interface Output {
  readonly job: string;
  /** Its path below the folder that `compile -o` writes to: `mnist.yaml`, `mnist/submit.sh`. */
  readonly name: string;
  readonly language: "yaml" | "json" | "xml" | "shellscript" | "python" | "plaintext";
  readonly executable: boolean;
  readonly text: string;
}

/** The text has been compiled, or cannot be. */
export interface Compiled {
  readonly kind: "compiled";
  readonly revision: number;
  /** The target's name and the version that was compiled for. */
  readonly target: string;
  readonly version: string;
  /** Of the text and of the target, of all files, in their order, at most {@link LIMITS.diagnostics}. */
  readonly diagnostics: readonly Diagnostic[];
  /** How many there are. */
  readonly diagnosticCount: number;
  /** `null`: there is an error, so nothing was made: go on to show what was there before. Empty: the text has no jobs. */
  readonly outputs: readonly Output[] | null;
  /** A line for people, when not all outputs are sent because they are too large; else `null`. */
  readonly cut: string | null;
  /** Milliseconds that the engine took for this update. */
  readonly milliseconds: number;
}

/** How far the start is: `part` of 1. `says` is a line for people: "Loading Python". */
export interface Loading {
  readonly kind: "loading";
  readonly part: number;
  readonly says: string;
}

/** From now on questions are answered. The first `checked` may come earlier. */
export interface Ready {
  readonly kind: "ready";
  readonly version: string;
}

/**
 * The engine was ended and is started again: an update or question took too long or too much memory. Questions that had no
 * answer are answered with `null`. The update that did it is not tried again; the next one is.
 */
export interface Restarted {
  readonly kind: "restarted";
  /** The update that did it. */
  readonly revision: number;
  /** A line for people. */
  readonly says: string;
}

/** An update that nothing comes of: it is too large, or tfdsl has stopped with an error of its own. Later ones are done. */
export interface Refused {
  readonly kind: "refused";
  readonly revision: number;
  /** A line for people. */
  readonly says: string;
}

/** Nothing will work: the browser cannot, a file is missing. Updates are ignored from now on. */
export interface Failed {
  readonly kind: "failed";
  /** A line for people. */
  readonly says: string;
}

export type EngineEvent = Loading | Ready | Checked | Compiled | Refused | Restarted | Failed;

// --- questions ----------------------------------------------------------------------------------------------------------

/** Markdown: paragraphs, `**bold**`, `` `code` ``, fenced blocks, lists with `-`. */
export type Markdown = string;

export interface Hover {
  readonly from: number;
  readonly to: number;
  readonly markdown: Markdown;
}

export type CompletionKind =
  | "attribute"
  | "keyword"
  | "snippet"
  | "role"
  | "template"
  | "param"
  | "let"
  | "event"
  | "action"
  | "mount"
  | "unit"
  | "target"
  | "option"
  | "word"
  | "function"
  | "member"
  | "type"
  | "file";

export interface Completion {
  readonly label: string;
  readonly kind: CompletionKind;
  readonly detail: string;
  /** May be empty. */
  readonly markdown: Markdown;
  /** What replaces `from`…`to`. */
  readonly insert: string;
  /**
   * `insert` has places to fill in: `${1:text}` and `$1`, the last is `$0`; a tab is one step of indentation, and its lines
   * are to be indented as the line is that it stands in.
   */
  readonly snippet: boolean;
}

export interface Completions {
  readonly from: number;
  readonly to: number;
  /** The best first. Those that do not begin with what is typed are among them: filter by `label` without quotes. */
  readonly items: readonly Completion[];
}

export interface Signature {
  /** `lookup(map, key, default)`. */
  readonly text: string;
  readonly markdown: Markdown;
  /** The parameters, as pieces of `text`. */
  readonly parameters: readonly (readonly [number, number])[];
  /** Index of the one that is being written. */
  readonly active: number;
}

/** Replace a piece of a file; several are for the text as it was, in its order, and do not overlap. */
export interface Edit {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Something that can be done about diagnostics. */
export interface Action {
  readonly title: string;
  /** `fix`: of one diagnostic; `all`: every safe fix of the text. */
  readonly kind: "fix" | "all";
  /** The code of its diagnostic. */
  readonly code: string | null;
  /** It keeps or restores the meaning: it can be taken without looking. */
  readonly preferred: boolean;
  readonly edits: readonly Edit[];
}

/** A line of an output that a line of the text made. */
export interface MadeLine {
  readonly output: string;
  readonly line: number;
  /** By the line itself, by a line that uses what is written there, or it is there because of the line. */
  readonly how: "made" | "through" | "decided";
}

export interface Made {
  readonly lines: readonly MadeLine[];
  /** Why it made nothing: a sentence. */
  readonly reason: string | null;
}

export interface Line {
  readonly file: string;
  readonly line: number;
}

export interface Origin {
  readonly place: Line | null;
  /** Lines that gave it its values: of params, lets, profiles. */
  readonly uses: readonly Line[];
  /** Why there is no place: a sentence. */
  readonly reason: string | null;
}

export interface DrawnJob {
  readonly name: string;
  /** With its version: `volcano 1.15`; empty for a picture of the text alone. */
  readonly target: string;
  /** Where what is drawn is written, by the `data-path` of its part of the SVG. */
  readonly places: Readonly<Record<string, Place>>;
}

export interface Drawn {
  /** Empty: there is an error, or no job. Jobs are `<g data-job>` in it. */
  readonly svg: string;
  readonly jobs: readonly DrawnJob[];
  /** As in {@link Compiled}. */
  readonly cut: string | null;
}

/** The questions, with what is asked and what is answered; `null`: there is no answer (or no longer, see {@link Restarted}). */
export interface Questions {
  hover: { asks: { file: string; offset: number }; answers: Hover };
  complete: { asks: { file: string; offset: number }; answers: Completions };
  signature: { asks: { file: string; offset: number }; answers: Signature };
  /** Where the name at the offset is declared. */
  definition: { asks: { file: string; offset: number }; answers: Place };
  /** For the diagnostics that touch a piece of a text; for all of them when it is the whole text. */
  actions: { asks: { file: string; from: number; to: number }; answers: readonly Action[] };
  /** The edits that format a file; what has syntax errors is left alone. */
  format: { asks: { file: string }; answers: readonly Edit[] };
  /** The lines of the outputs that a line of a text made, for the input's target. */
  made: { asks: { file: string; line: number }; answers: Made };
  /** What made a line of an output. */
  origin: { asks: { output: string; line: number }; answers: Origin };
  /** The picture, as the text says or as the input's target has it. */
  graph: { asks: { forTarget: boolean }; answers: Drawn };
  /** The page of a message, by its code or slug, as `tfdsl explain` has it. */
  explain: { asks: { word: string }; answers: Markdown };
}

export type Question = keyof Questions;

// --- what is known without the engine -----------------------------------------------------------------------------------

export interface Option {
  readonly name: string;
  /** In words: `string`, `bool`, `one of none, service, all`. */
  readonly type: string;
  readonly doc: string;
  /** As it would be written; `null`: the target decides. */
  readonly default: string | null;
  /** Values that are allowed; empty: any of the type. */
  readonly choices: readonly string[];
}

export interface Target {
  readonly name: string;
  readonly title: string;
  /** The newest first. */
  readonly versions: readonly string[];
  readonly defaultVersion: string;
  readonly options: readonly Option[];
}

export interface Example {
  /** `mnist`. */
  readonly name: string;
  /** A line about it. */
  readonly summary: string;
  readonly files: Readonly<Record<string, string>>;
  readonly main: string;
  /** Names of the targets that it is for. */
  readonly targets: readonly string[];
}

/** Written when the site is built (`catalogue.json` beside the worker), so that the page can show it before Python is there. */
export interface Catalogue {
  /** Of tfdsl. */
  readonly version: string;
  readonly targets: readonly Target[];
  readonly examples: readonly Example[];
}

// --- the engine, as the page has it -------------------------------------------------------------------------------------

export interface Engine {
  /** Check and compile this. Call it with every change, without waiting: what is behind is left out, the newest counts. */
  update(input: Input): void;
  /** Ask about the last update. It never rejects. */
  ask<Q extends Question>(question: Q, about: Questions[Q]["asks"]): Promise<Questions[Q]["answers"] | null>;
  /** End it. */
  close(): void;
}

/** Where the files of the engine are and who hears of it; `folder` ends in `/` and may be relative to the page. */
export interface EngineOptions {
  readonly folder: string;
  readonly heard: (event: EngineEvent) => void;
  /** Milliseconds that an update or a question may take before the engine is started again; {@link LIMITS.patience}. */
  readonly patience?: number;
}

export const LIMITS = {
  /** Diagnostics of one result. */
  diagnostics: 500,
  /** Characters of all outputs of one result, and of one picture. */
  outputs: 4_000_000,
  /** Characters of all files of an input; a larger one is refused. */
  input: 2_000_000,
  /** Milliseconds. */
  patience: 15_000,
} as const;
