// The tree-sitter grammar of .tfjob, edition 1: grammar/tfjob.lark, the source of truth, in tree-sitter's terms.
//
// It accepts a little more than the compiler (which explains what it refuses), never less. Names of rules are those of
// tfjob.lark where both have the rule. Keywords are contextual in both: `word` makes tree-sitter take a keyword only in
// a state that can take it, else the word is a name. Strings and text blocks are rules here, not tokens, so that what
// stands in `${…}` has a tree; all of it fits into regular tokens, so there is no scanner in C.

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const PREC = { choice: 1, or: 2, and: 3, compare: 4, add: 5, multiply: 6, unary: 7, postfix: 8 };

/** The content of `{ … }`: nothing, or elements with separators between them and at most one behind the last. */
const braces = ($, elements) => seq("{", optional($._gap), optional(elements), "}");

/** Elements with a new line or a comma (and then new lines) between them. */
const separated = ($, element) => seq(repeat(seq(element, $._end)), element, optional($._end));

/** `left operator right`, where new lines may follow the operator. */
const infix = ($, rank, operator) =>
  prec.left(
    rank,
    seq(
      field("left", $._expression),
      field("operator", operator),
      optional($._gap),
      field("right", $._expression),
    ),
  );

module.exports = grammar({
  name: "tfjob",

  extras: ($) => [/[ \t]/, $.comment],

  word: ($) => $.name,

  supertypes: ($) => [$._declaration, $._item, $._build_item, $._flow_item, $._expression],

  rules: {
    file: ($) =>
      seq(optional($._gap), optional(seq($._declaration, repeat(seq($._gap, $._declaration)), optional($._gap)))),

    // --- declarations ---

    _declaration: ($) => choice($.edition, $.include, $.param, $.let, $.template, $.profile, $.job, $.flow),

    edition: ($) => seq("edition", field("number", $.number)),
    include: ($) => seq("include", field("path", $.string)),
    param: ($) =>
      seq(
        "param",
        field("name", $.name),
        ":",
        field("type", $.type),
        optional(seq("=", field("default", $._expression))),
        optional(field("settings", $.settings)),
      ),
    let: ($) => seq("let", field("name", $.name), "=", field("value", $._expression)),
    template: ($) => seq("template", field("name", $.name), field("body", $.body)),
    profile: ($) => seq("profile", field("name", $.name), field("settings", $.settings)),
    job: ($) =>
      seq("job", field("name", choice($.job_name, $.string)), optional($.condition), field("body", $.body)),

    flow: ($) => seq("flow", field("name", choice($.job_name, $.string)), braces($, separated($, $._flow_item))),
    _flow_item: ($) => choice($.attribute, $.flow_run),
    flow_run: ($) =>
      seq(
        "run",
        field("job", $._expression),
        optional(seq("after", field("after", $._expression), optional(field("ending", $.name)))),
        optional($.condition),
      ),

    job_name: () => /[A-Za-z_][A-Za-z0-9_-]*/,
    type: ($) => seq(field("name", $.name), optional(seq("<", field("of", $.type), ">"))),

    // --- blocks ---

    body: ($) => braces($, separated($, $._item)),
    _item: ($) =>
      choice(
        $.attribute,
        $.role,
        $.target,
        $.cluster,
        $.build,
        $.matrix,
        $.use,
        $.mount,
        $.output,
        $.policy,
        $.prepare,
        $.sidecar,
        $.unset,
        $.patch,
        $.unpatch,
      ),

    settings: ($) => braces($, separated($, $.entry)),
    entry: ($) => seq(field("key", choice($.name, $.string)), "=", field("value", $._expression)),

    attribute: ($) => seq(field("name", $.name), "=", field("value", $._expression), optional($.condition)),
    condition: ($) => seq("when", field("value", $._expression)),
    role: ($) => seq("role", field("name", $.name), optional($.condition), field("body", $.body)),
    target: ($) => seq("target", field("name", $.name), field("body", $.body)),
    cluster: ($) => seq("cluster", field("settings", $.settings)),
    matrix: ($) => seq("matrix", field("axes", $.settings)),
    use: ($) => seq("use", field("name", $.name), optional($.condition)),

    prepare: ($) => seq("prepare", field("name", $._key), optional($.condition), field("body", $.body)),
    sidecar: ($) => seq("sidecar", field("name", $._key), optional($.condition), field("body", $.body)),
    _key: ($) => choice($.name, $.string),

    mount: ($) =>
      seq(
        "mount",
        field("kind", $.name),
        optional(field("source", $._expression)),
        "at",
        field("path", $._expression),
        optional("readonly"),
        optional($.condition),
        optional(field("settings", $.settings)),
      ),

    output: ($) =>
      seq(
        "output",
        field("source", $._expression),
        "to",
        field("destination", $._expression),
        optional(seq("on", field("when", $.name))),
        optional(seq("from", field("from", $.subject))),
        optional($.condition),
        optional(field("settings", $.settings)),
      ),

    subject: ($) => seq(field("role", $.name), optional(seq("[", field("index", $.number), "]"))),

    policy: ($) =>
      seq(
        "on",
        optional(field("subject", $.subject)),
        field("event", $.event),
        optional(seq("after", field("delay", $._expression))),
        optional($.condition),
        "=>",
        field("action", $.action),
      ),
    event: ($) =>
      choice(
        $.name,
        seq("exit", choice($.number, seq($.number, "..", $.number), $.list)),
        seq("restarted", $.number),
      ),
    action: ($) => repeat1($.name),

    build: ($) => seq("build", braces($, separated($, $._build_item))),
    _build_item: ($) => choice($.entry, $.copy, $.run),
    copy: ($) => seq("copy", field("source", $._expression), "to", field("destination", $._expression)),
    run: ($) => seq("run", field("command", $._expression)),

    patch: ($) =>
      seq(
        "patch",
        optional("pod"),
        field("path", $.string),
        field("operator", choice("=", "+=")),
        field("value", $._expression),
        optional("unchecked"),
        optional($.condition),
      ),
    unpatch: ($) => seq("unpatch", optional("pod"), field("path", $.string), optional($.condition)),

    unset: ($) =>
      seq(
        "unset",
        choice(
          field("name", $.name),
          seq(field("name", $.name), "[", optional($._gap), field("key", $._expression), optional($._gap), "]"),
          seq("mount", field("path", $._expression)),
          seq("output", field("source", $._expression), "to", field("destination", $._expression)),
          seq("on", optional(field("subject", $.subject)), field("event", alias($._any_event, $.event))),
          seq(choice("prepare", "sidecar"), field("step", $._key)),
        ),
        optional($.condition),
      ),
    // No number of restarts: a policy is known by its event.
    _any_event: ($) =>
      choice($.name, seq("exit", choice($.number, seq($.number, "..", $.number), $.list)), "restarted"),

    // --- expressions ---

    _expression: ($) =>
      choice(
        $.string,
        $.text,
        $.raw,
        $.number,
        $.unit,
        $.boolean,
        $.reference,
        $.list,
        $.map,
        $.call,
        $.group,
        $.member,
        $.index,
        $.unary,
        $.binary,
        $.choice,
      ),

    choice: ($) =>
      prec.right(
        PREC.choice,
        seq(
          field("condition", $._expression),
          "?",
          optional($._gap),
          field("then", $._expression),
          optional($._gap),
          ":",
          optional($._gap),
          field("else", $._expression),
        ),
      ),
    binary: ($) =>
      choice(
        infix($, PREC.or, "||"),
        infix($, PREC.and, "&&"),
        infix($, PREC.compare, choice("==", "!=", "<", "<=", ">", ">=")),
        infix($, PREC.add, choice("+", "-")),
        infix($, PREC.multiply, choice("*", "/", "%")),
      ),
    unary: ($) => prec(PREC.unary, seq(field("operator", choice("!", "-")), field("operand", $._expression))),
    member: ($) => prec(PREC.postfix, seq(field("of", $._expression), ".", field("name", $.name))),
    index: ($) =>
      prec(
        PREC.postfix,
        seq(field("of", $._expression), "[", optional($._gap), field("at", $._expression), optional($._gap), "]"),
      ),
    group: ($) => seq("(", optional($._gap), $._expression, optional($._gap), ")"),
    call: ($) =>
      seq(
        field("function", $.name),
        "(",
        optional($._gap),
        optional(
          seq(
            $._expression,
            repeat(seq($._comma, $._expression)),
            optional(choice($._comma, $._gap)),
          ),
        ),
        ")",
      ),
    list: ($) => seq("[", optional($._gap), optional(separated($, $._expression)), "]"),
    map: ($) => braces($, separated($, $.entry)),

    reference: ($) => $.name,
    boolean: () => choice("true", "false"),
    // Before unit, which takes 1e5 too: of two tokens of one length the first wins.
    number: () => /[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/,
    unit: () => /[0-9]+(\.[0-9]+)?[A-Za-z_][A-Za-z0-9_]*/,
    name: () => /[A-Za-z_][A-Za-z0-9_]*/,

    // --- texts ---

    string: ($) =>
      seq(
        '"',
        repeat(choice(alias($._string_piece, $.string_content), $.escape_sequence, $.interpolation)),
        token.immediate('"'),
      ),
    _string_piece: () =>
      prec.right(repeat1(choice(token.immediate(prec(1, /[^"\\\r\n$]+/)), token.immediate(prec(1, "$"))))),

    // The first line of a text block ends with its opening mark.
    text: ($) =>
      seq(
        alias(token(/"""[ \t]*\r?\n/), '"""'),
        repeat(choice(alias($._text_piece, $.text_content), $.escape_sequence, $.interpolation)),
        token.immediate('"""'),
      ),
    _text_piece: () =>
      prec.right(
        repeat1(
          choice(token.immediate(prec(1, /[^"\\$]+/)), token.immediate(prec(1, "$")), token.immediate('"')),
        ),
      ),

    raw: ($) =>
      seq(
        alias(token(/'''[ \t]*\r?\n/), "'''"),
        optional(alias($._raw_piece, $.text_content)),
        token.immediate("'''"),
      ),
    _raw_piece: () =>
      prec.right(repeat1(choice(token.immediate(prec(1, /[^']+/)), token.immediate("'")))),

    // A `\` at the end of a line joins it with the next (in text blocks); which letters may follow is the compiler's.
    escape_sequence: () => token.immediate(prec(2, /\\(u\{[0-9A-Fa-f]*\}|\r?\n|[^\r\n])/)),
    interpolation: ($) =>
      seq(alias(token.immediate(prec(2, "${")), "${"), optional($._gap), $._expression, optional($._gap), "}"),

    // --- line ends and separators ---

    comment: () => /#[^\r\n]*/,
    _newline: () => /\r?\n/,
    _gap: ($) => repeat1($._newline),
    _comma: ($) => seq(",", optional($._gap)),
    _end: ($) => choice($._gap, $._comma),
  },
});
