"""Statements of other languages: loops, unknown blocks, typed constants, f-strings, keys without quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit
from tfdsl.patterns import regex
from tfdsl.syntax import _tables as tables
from tfdsl.syntax import lexer, repairs, wording
from tfdsl.syntax.block_mistakes import STEP_WORDS
from tfdsl.syntax.brackets import CLOSERS, DECLARATIONS, OPENERS
from tfdsl.syntax.odd_words import is_word
from tfdsl.syntax.similar_keywords import resembling
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery

COMMA, COLON, EQUAL, MINUS, DOT, SLASH = map(lexer.OPERATORS.__getitem__, (",", ":", "=", "-", ".", "/"))
LET, PARAM, ROLE, TARGET = (lexer.KEYWORDS[word] for word in ("let", "param", "role", "target"))
TEXTS = {lexer.STRING, tables.TERMINALS.index("TEXT"), tables.TERMINALS.index("RAW")}
ITEM_STARTS = {lexer.NEWLINE, COMMA, lexer.LBRACE}
ENTRY_STARTS = {*ITEM_STARTS, lexer.LSQB}

STRING_PREFIXES = {"f", "F", "r", "R", "b", "B", "u", "U", "fr", "rf"}

# Attributes that are maps: before a block, only their = is missing.
MAPS = {"labels", "annotations", "env", "node_selector", "ports", "resources"}

LOOPS = {"for", "foreach", "while", "dynamic"}
CONDITIONS = {"if", "else", "elif", "unless", "switch"}
SWEEPS = {"strategy", "sweep", "grid", "parameters", "hyperparameters"}

_RESOURCES = "set cpu, memory and gpu in the role"
_VOLUMES = 'write a mount: mount pvc "data" at "/data"'
_HELPS = {
    **dict.fromkeys(LOOPS, "there are no loops; write replicas = 4 for four copies of a role, matrix for several jobs"),
    **dict.fromkeys(CONDITIONS, "there are no conditional blocks; write when after each item: gpu = 1 when prod"),
    **dict.fromkeys(SWEEPS, f"for several jobs of one block, write {wording.FORMS['matrix']}"),
    **dict.fromkeys(("limits", "requests"), _RESOURCES),
    **dict.fromkeys(("volume", "volumes", "volumeMounts"), _VOLUMES),
    **dict.fromkeys(("container", "containers"), "set image and command in the job or role"),
}
_BLOCKS = "the blocks of a job are role, target, cluster, build, matrix, prepare and sidecar"

NAMED = {lexer.KEYWORDS[word] for word in ("role", "target", "param", "let", "template", "profile", "use")}
QUOTABLE = {*NAMED, *(lexer.KEYWORDS[word] for word in ("mount", "on", "from", "unset"))}
STEP_KEYWORDS = {lexer.KEYWORDS["prepare"], lexer.KEYWORDS["sidecar"]}

_ELEMENTS = regex(r"(\w+)\s*[\[(<]\s*(?:\w+\s*,\s*)?(\w+)\s*[\])>]\Z")
_SUFFIX = regex(r"(\w+)\s*\[\s*\]\Z|\[\s*\]\s*(\w+)\Z")
_MAPS = {"map", "dict", "object", "mapping"}


def string_prefix(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``f"…"``, where the letter was read as a name."""
    lexed = recovery.lexed
    if lexed.types[at] not in TEXTS or recovery.before is None or lexed.types[at - 1] != lexer.NAME:
        return False
    prefix = lexed.text(at - 1)
    if prefix not in STRING_PREFIXES or lexed.ends[at - 1] != lexed.starts[at]:
        return False
    span = Span(lexed.source, lexed.starts[at - 1], lexed.ends[at - 1])
    recovery.report(rules.STRING_PREFIX(span, prefix=prefix).fix("remove it", Edit(span, "")))
    recovery.step_back()
    recovery.delete(at - 1)
    return True


def typed_let(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``let n: int = 4``."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at] != COLON or at < 2 or types[at - 2] != LET or not is_word(types[at + 1]):
        return False
    end = recovery.line_end(at)
    equal = next((i for i in range(at, end) if types[i] == EQUAL), None)
    if equal is None:
        return False
    span = Span(lexed.source, lexed.starts[at], lexed.ends[equal - 1])
    name = shortened(lexed.text(at - 1))
    recovery.report(rules.TYPED_LET(span, name=name).fix("remove the type", Edit(span, "")))
    recovery.delete(at, equal - at)
    return True


def type_brackets(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``list[string]``, ``string[]``, ``map<string, int>`` as the type of a param."""
    lexed = recovery.lexed
    types = lexed.types
    start = recovery.line_start(at)
    if at < start + 3 or types[start] != PARAM or types[start + 2] != COLON:
        return False
    first = end = start + 3
    while types[end] not in (EQUAL, lexer.LBRACE, lexer.NEWLINE, lexer.END):
        end += 1
    if end <= at or end - first < 3:
        return False
    span = Span(lexed.source, lexed.starts[first], lexed.ends[end - 1])
    wanted = _type_of(span.text)
    if wanted is None or not recovery.cut_behind(start + 2):
        return False
    text = f"{wanted[0]}<{wanted[1]}>"
    recovery.report(rules.TYPE_BRACKETS(span, wanted=text).fix(f"write {text}", Edit(span, text)))
    recovery.delete(first + 1, end - first - 1)
    recovery.replace(first, lexer.NAME)
    lexed.ends[first] = span.start + 1
    for offset, type_ in enumerate((lexer.OPERATORS["<"], lexer.NAME, lexer.OPERATORS[">"]), 1):
        recovery.insert(first + offset, type_)
        lexed.starts[first + offset] = span.start + offset
        lexed.ends[first + offset] = span.start + offset + 1 if offset < 3 else span.end
    lexed.meant[span.start], lexed.meant[span.start + 2] = wanted
    return True


def _type_of(text: str) -> tuple[str, str] | None:
    """``list`` or ``map`` and the type of the elements."""
    suffix = _SUFFIX.match(text)
    if suffix is not None:
        return "list", suffix[1] or suffix[2]
    match = _ELEMENTS.match(text)
    return None if match is None else ("map" if match[1].lower() in _MAPS else "list", match[2])


def declaration_inside(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``let n = 4`` among the items of a job, where ``let`` was read as an attribute."""
    lexed = recovery.lexed
    types = lexed.types
    if at < 2 or types[at - 1] not in DECLARATIONS or types[at - 2] not in ITEM_STARTS or recovery.before is None:
        return False
    if not (is_word(types[at]) or types[at] in (lexer.STRING, tables.TERMINALS.index("NUMBER"))):
        return False
    if not repairs.fits(recovery.before.states, ROLE, lexer.NAME):
        return False
    span = Span(lexed.source, lexed.starts[at - 1], lexed.ends[at])
    diagnostic = rules.DECLARATION_INSIDE(span, word=lexed.text(at - 1))
    recovery.report(diagnostic.help("move it out of the job, to the top of the file"))
    return _leave_out(recovery, at - 1)


def unknown_statement(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``for … { }``, ``init { }``, ``container "main" { }``, ``worker { }`` among the items of a job."""
    lexed = recovery.lexed
    types = lexed.types
    if at < 2 or types[at - 1] != lexer.NAME or types[at - 2] not in ENTRY_STARTS or recovery.before is None:
        return False
    word = lexed.text(at - 1)
    is_item = repairs.fits(recovery.before.states, ROLE, lexer.NAME)
    if not is_item and (word not in LOOPS | CONDITIONS or not is_word(types[at])):
        return False
    if is_item and word not in LOOPS | CONDITIONS and not _is_block(recovery, at):
        return False
    alike = (repairs.fits(recovery.before.states, keyword, types[at]) for keyword in resembling(recovery, at - 1))
    if word in MAPS or any(alike):
        return False
    span = Span(lexed.source, lexed.starts[at - 1], lexed.ends[at - 1])
    keyword = "role" if word in wording.ROLES else "target" if word in targets.every_name() else None
    if keyword is not None and types[at] == lexer.LBRACE:
        recovery.report(
            rules.UNKNOWN_STATEMENT(span, found=word).fix(f"write {keyword} {word}", Edit(span, f"{keyword} {word}"))
        )
        recovery.step_back()
        recovery.insert(at - 1, lexer.KEYWORDS[keyword])
        return True
    diagnostic = rules.UNKNOWN_STATEMENT(span, found=shortened(word))
    meant = STEP_WORDS.get(word)
    if meant is None:
        diagnostic = diagnostic.help(_HELPS.get(word, _BLOCKS))
    else:
        text = meant if types[at] != lexer.LBRACE else f"{meant} {'fetch' if meant == 'prepare' else 'helper'}"
        diagnostic = diagnostic.help(f"for example: {wording.FORMS[meant]}").fix(f"write {text}", Edit(span, text))
    recovery.report(diagnostic)
    return _leave_out(recovery, at - 1, whole=not is_item)


def _is_block(recovery: Recovery, at: int) -> bool:
    """Whether words or texts and then a block follow on the line."""
    types = recovery.lexed.types
    while is_word(types[at]) or types[at] == lexer.STRING:
        at += 1
    return types[at] == lexer.LBRACE


def _leave_out(recovery: Recovery, at: int, *, whole: bool = False) -> bool:
    """Undo the token ``at`` and remove its item, or (``whole``) all items up to the closing bracket."""
    types = recovery.lexed.types
    end, depth = at, 0
    while types[end] != lexer.END:
        depth += (types[end] in CLOSERS) - (types[end] in OPENERS)
        if depth < 0 or (depth == 0 and not whole and types[end] in (lexer.NEWLINE, COMMA)):
            break
        end += 1
    if types[end] in (lexer.NEWLINE, COMMA) and not whole:
        end += 1
    recovery.step_back()
    recovery.delete(at, end - at)
    return True


def quoted_name(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``role "worker" { }``."""
    lexed = recovery.lexed
    if lexed.types[at] != lexer.STRING or lexer.NAME not in acceptable or lexed.types[at - 1] not in QUOTABLE:
        return False
    span = recovery.span(at)
    name = span.text.strip('"')
    diagnostic = rules.QUOTED_NAME(span)
    if name.isidentifier() and name.isascii():
        diagnostic = diagnostic.fix("remove the quotes", Edit(span, name), safe=True)
    lexed.meant[span.start] = name if diagnostic.fixes else ""
    recovery.report(diagnostic)
    recovery.replace(at, lexer.NAME)
    return True


def unquoted_key(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``app.kubernetes.io/name = …`` in a map, and ``batch-size = …`` where no quotes are possible."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at] not in (MINUS, DOT, SLASH) or at < 2 or lexed.ends[at - 1] != lexed.starts[at]:
        return False
    before = types[at - 2]
    heads = NAMED | STEP_KEYWORDS
    if not is_word(types[at - 1]) or before not in ITEM_STARTS | heads or recovery.before is None:
        return False
    end = at
    while types[end] not in {*repairs.FIXED, EQUAL, COLON} and lexed.ends[end - 1] == lexed.starts[end]:
        end += 1
    if types[end] not in (EQUAL, COLON) and not (before in heads and types[end] in repairs.FIXED):
        return False
    span = Span(lexed.source, lexed.starts[at - 1], lexed.ends[end - 1])
    in_map = lexer.STRING in recovery.acceptable_before()
    recovery.report(_key_report(span, in_map=in_map, step=before in STEP_KEYWORDS))
    recovery.step_back()
    recovery.replace(at - 1, lexer.NAME, end - at + 1)
    plain = span.text.replace("-", "_")
    lexed.meant[span.start] = span.text if in_map else plain if before in (LET, PARAM) and plain.isidentifier() else ""
    return True


def _key_report(span: Span, *, in_map: bool, step: bool) -> Diagnostic:
    if in_map:
        diagnostic = rules.UNQUOTED_KEY(span, what="name" if step else "key", key=shortened(span.text))
        # Offered only: TF-CONFIG may be TF_CONFIG misspelt, and a variable of either name is legal.
        return diagnostic.fix("quote it" if step else "quote the key", Edit(span, f'"{span.text}"'))
    plain = span.text.replace("-", "_")
    diagnostic = rules.ODD_NAME(span, found=shortened(span.text))
    return diagnostic.fix(f"write {shortened(plain)}", Edit(span, plain)) if plain.isidentifier() else diagnostic


def param_block(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``param n { default = 4 }``."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at] != lexer.LBRACE or at < 2 or types[at - 2] != PARAM:
        return False
    missing = f": and {wording.put_in(lexer.NAME, ':')}"
    diagnostic = rules.UNFINISHED(recovery.span(at), expected=missing, before=shortened(lexed.text(at - 1)))
    recovery.report(diagnostic.help(f"for example: {wording.FORMS['param']}"))
    end, depth = at, 0
    while types[end] != lexer.END:
        depth += (types[end] in CLOSERS) - (types[end] in OPENERS)
        end += 1
        if depth == 0:
            break
    recovery.delete(at, end - at)
    for offset, type_ in enumerate((COLON, lexer.NAME, EQUAL, lexer.ERROR)):
        recovery.insert(at + offset, type_)
    return True


def target_version(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``target volcano 1.9 { }``."""
    lexed = recovery.lexed
    types = lexed.types
    numbers = {lexer.STRING, tables.TERMINALS.index("NUMBER"), tables.TERMINALS.index("UNIT")}
    if types[at] not in numbers or at < 2 or types[at - 2] != TARGET or types[at + 1] != lexer.LBRACE:
        return False
    span = recovery.span(at)
    number = span.text.strip('"')
    diagnostic = rules.TARGET_VERSION(span, target=shortened(lexed.text(at - 1)))
    recovery.report(diagnostic.help(f'write version = "{shortened(number)}" in the block'))
    recovery.delete(at)
    return True
