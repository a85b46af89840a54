"""Names of tokens for messages: what was found and what was expected."""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl import targets
from tfdsl.syntax import _tables as tables, lexer
from tfdsl.syntax.lexer import Lexed

_TEXTS = {number: text for text, number in (*tables.KEYWORDS, *tables.OPERATORS)}
_number = tables.TERMINALS.index
_LITERALS = ("STRING", "TEXT", "RAW", "NUMBER", "UNIT", "TRUE", "FALSE", "NAME", "ERROR")
_VALUE_STARTS = {_number(name) for name in (*_LITERALS, "LSQB", "LPAR", "LBRACE", "BANG", "MINUS")}
_OPERATORS = ("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "?", ".", "[", "(")
_INFIX = {lexer.OPERATORS[text] for text in _OPERATORS}
_BLOCKS = ("role", "target", "cluster", "build", "matrix", "prepare", "sidecar")
STATEMENTS = (*_BLOCKS, "use", "mount", "output", "on", "unset", "patch", "unpatch")
_ITEMS = {lexer.KEYWORDS[word] for word in STATEMENTS}
_DECLARATIONS = lexer.DECLARATIONS
_BUILD_ITEMS = {lexer.KEYWORDS[word] for word in ("copy", "run")}
_EVENTS = {lexer.KEYWORDS[word] for word in ("exit", "restarted")}
_JOB_NAMES = {lexer.JOB_NAME, lexer.STRING}

# What a name names, by the token before it.
_NAMES_AFTER = {
    "=>": "an action such as restart job",
    "on": "an event such as failed",
    "mount": "a kind of mount such as pvc",
    ":": "a type such as int or string",
    "<": "a type such as int or string",
    "use": "the name of a template",
    **{word: f"the name of a {word}" for word in ("role", "target", "param", "template", "profile")},
    "prepare": "the name of the step",
    "sidecar": "the name of the sidecar",
    "unset": "what to remove, such as an attribute",
    "let": "the name of a constant",
    "from": "a role",
    ".": "the key of a map",
}
_TEXTS_AFTER: dict[str, str] = dict.fromkeys(("include", "patch", "unpatch", "pod"), "a path in quotes")
_NUMBERS_AFTER = {
    "edition": "the number of the edition",
    "exit": "an exit status",
    "..": "an exit status",
    "restarted": "a number of restarts",
    "[": "the index of a replica",
}

# What a value is, by the statement and the token before it.
_VALUES = {
    ("mount", "at"): "a path",
    ("output", "output"): "a file or folder",
    ("output", "to"): "a destination",
    ("copy", "copy"): "a file or folder",
    ("copy", "to"): "a path in the image",
    ("run", "run"): "a command, or in a flow a job",
    ("run", "after"): "a job, or several in brackets",
    ("on", "after"): "a duration such as 10m",
    ("unset", "mount"): "a path",
    ("unset", "output"): "a file or folder",
    ("unset", "to"): "a destination",
}

# Signs that are named together with what follows them.
_LINKS = {lexer.OPERATORS[text] for text in ("=", "=>", ":")} | {lexer.KEYWORDS[word] for word in ("at", "to")}

# A complete example of each statement.
FORMS = {
    "edition": "edition 1",
    "include": 'include "common.tfjob"',
    "param": "param workers: int = 2",
    "let": "let steps = 5000",
    "template": "template gpu_node { gpu = 1 }",
    "profile": "profile prod { workers = 16 }",
    "job": 'job mnist { image = "example/mnist:1", role worker { } }',
    "role": "role worker { replicas = 2 }",
    "target": f'target {targets.names()[0]} {{ queue = "research" }}',
    "use": "use gpu_node",
    "mount": 'mount pvc "data" at "/data"',
    "output": 'output "/tmp/model" to "/data/model"',
    "on": "on failed => restart job",
    "copy": 'copy "main.py" to "/app/main.py"',
    "run": 'run "pip install -r requirements.txt"',
    "run job": "run train after fetch",
    "flow": "flow nightly { run fetch, run train after fetch }",
    "patch": 'patch "spec.schedulerName" = "default"',
    "unpatch": 'unpatch "spec.schedulerName"',
    "matrix": "matrix { lr = [0.1, 0.01] }",
    "prepare": 'prepare fetch { command = "python fetch.py" }',
    "sidecar": 'sidecar proxy { image = "example/proxy:1" }',
    "unset": 'unset env["DEBUG"]',
    "unset mount": 'unset mount "/data"',
    "unset output": 'unset output "/tmp/model" to "/data/model"',
    "unset on": "unset on failed",
    "unset prepare": "unset prepare fetch",
    "unset sidecar": "unset sidecar proxy",
}

_LONGEST = 30


def found(lexed: Lexed, i: int) -> str:
    """A name for token ``i``."""
    type_ = lexed.types[i]
    if type_ == lexer.NEWLINE:
        return "the end of the line"
    if type_ == lexer.END:
        return "the end of the file"
    return shortened(lexed.text(i))


def form_of(lexed: Lexed, start: int) -> str | None:
    """An example of the statement that begins with token ``start``; ``run`` of a build has a text behind it."""
    word = lexed.text(start)
    if lexed.types[start] == lexer.END:
        return None
    if word == "run" and lexed.types[start + 1] in (lexer.NAME, lexer.JOB_NAME):
        word = "run job"
    return FORMS.get(f"{word} {lexed.text(start + 1)}") or FORMS.get(word)


def shortened(text: str) -> str:
    """``text``, or its beginning if it is long or has several lines."""
    first = text[: _LONGEST + 1].split("\n", 1)[0].rstrip("\r")
    return first[:_LONGEST] + "…" if len(text) > _LONGEST or first != text else text


def put_in(type_: int, after: str = "") -> str:
    """A name for a token of one type that is missing after the token ``after``."""
    if type_ == lexer.NAME and after in _NAMES_AFTER:
        return _NAMES_AFTER[after]
    if type_ == lexer.ERROR:
        return "a value"
    if type_ in _JOB_NAMES and after in ("job", "flow"):
        return f"the name of the {after}"
    special = {"STRING": _TEXTS_AFTER, "NUMBER": _NUMBERS_AFTER}.get(tables.TERMINALS[type_], {}).get(after)
    if special is not None:
        return special
    names = {"NAME": "a name", "NUMBER": "a number", "STRING": "a string", "_NEWLINE": "a new line"}
    return _TEXTS.get(type_) or names.get(tables.TERMINALS[type_], "a value")


def missing(put: Sequence[int], before: str, statement: str) -> str:
    """What an unfinished statement needs next, given the tokens ``put`` that complete it after the token ``before``."""
    type_ = put[0]
    if type_ in _LINKS and len(put) > 1:
        sign = _TEXTS[type_]
        return f"{sign} and {missing(put[1:], sign, statement)}"
    if type_ == lexer.ERROR and statement == "mount" and before not in ("at", "when"):
        return "a source, at and a path"
    if type_ == lexer.ERROR:
        return "a condition" if before == "when" else _VALUES.get((statement, before), "a value")
    if type_ == lexer.NAME and statement == "on" and before != "=>":
        return _NAMES_AFTER["on"]
    if type_ == lexer.NAME and statement == "output" and before == "on":
        return "success, failure or always"
    return put_in(type_, before)


def expected(types: set[int], after: str = "") -> str:
    """The tokens that could follow the token ``after``, as one phrase."""
    rest = set(types)
    words: list[str] = []
    if rest >= _DECLARATIONS - {lexer.KEYWORDS["edition"]}:
        words.append("a declaration such as job, param or let")
        rest -= _DECLARATIONS
    elif rest >= _ITEMS:
        words.append("an attribute or a statement")
        rest -= _ITEMS | {lexer.NAME}
    elif rest >= _BUILD_ITEMS:
        words.append("an attribute, copy or run")
        rest -= _BUILD_ITEMS | {lexer.NAME, lexer.STRING}
    elif rest >= {lexer.ERROR, lexer.STRING}:
        words.append("a value")
        rest -= _VALUE_STARTS
    elif rest >= _EVENTS:
        words.append("a role or an event" if lexer.LSQB not in rest else "an event")
        rest -= _EVENTS | {lexer.NAME}
    elif rest == _JOB_NAMES:
        return f"the name of the {'flow' if after == 'flow' else 'job'}"
    if lexer.OPERATORS["+"] in rest:
        rest -= _INFIX
    words.extend(_separators(rest, alone=not words))
    words.extend(sorted(put_in(type_, after) for type_ in rest))
    return _either(words)


def _separators(rest: set[int], *, alone: bool) -> list[str]:
    """The words for comma and line end, which are removed from ``rest``. ``alone``: nothing else is expected."""
    comma = lexer.OPERATORS[","] in rest
    line = lexer.NEWLINE in rest
    rest -= {lexer.OPERATORS[","], lexer.NEWLINE}
    closers = rest & {lexer.RBRACE, lexer.RSQB, lexer.RPAR}
    if lexer.END in rest:
        rest.discard(lexer.END)
        return ["the end of the line"] if alone else []
    if not (comma or line):
        return []
    if not comma:
        return ["the end of the line"] if alone and not rest else []
    rest -= closers
    return ["a comma", *([] if not line else ["a new line"]), *sorted(put_in(type_) for type_ in closers)]


def _either(words: list[str]) -> str:
    if not words:
        return "the end of the file"
    if len(words) == 1:
        return words[0]
    return f"{', '.join(words[:-1])} or {words[-1]}"
