"""Statements of other languages: loops, unknown blocks, typed constants, f-strings, keys without quotes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.diagnostics import suggest, syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit
from tfdsl.patterns import regex
from tfdsl.syntax import lexer, repairs, wording
from tfdsl.syntax.brackets import around, block_end, item_end, item_start
from tfdsl.syntax.lexer import (
    AFTER,
    ARROW,
    AT,
    COLON,
    COMMA,
    DECLARATIONS,
    DOT,
    EQUAL,
    INCLUDE,
    ITEM_STARTS,
    LET,
    MATRIX,
    MINUS,
    MOUNT,
    NAMED_BLOCKS,
    NUMBER,
    ON,
    OUTPUT,
    PARAM,
    RAW,
    ROLE,
    SLASH,
    STEPS,
    TARGET,
    TEXT,
    UNIT,
    UNSET,
    WHEN,
    is_word,
)
from tfdsl.syntax.repairs import resembling
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span
from tfdsl.vocabulary import foreign
from tfdsl.vocabulary.attributes import MAPS, ROLES
from tfdsl.vocabulary.statements import MOUNT_KINDS, MOUNTS_BY_NAME

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery


TEXTS = {lexer.STRING, TEXT, RAW}
ENTRY_STARTS = {*ITEM_STARTS, lexer.LSQB}

STRING_PREFIXES = {"f", "F", "r", "R", "b", "B", "u", "U", "fr", "rf"}

_BLOCKS = "the blocks of a job are role, target, cluster, build, matrix, prepare and sidecar"

NAMED = {lexer.KEYWORDS[word] for word in ("role", "target", "param", "let", "template", "profile", "use")}
QUOTABLE = {*NAMED, *(lexer.KEYWORDS[word] for word in ("mount", "on", "from", "unset"))}

_REPLACED = regex(r"(?<![${])\{([A-Za-z_][\w.]*+)\}")
_ELEMENTS = regex(r"(\w+)\s*[\[(<]\s*(?:\w+\s*,\s*)?(\w+)\s*[\])>]\Z")
_SUFFIX = regex(r"(\w+)\s*\[\s*\]\Z|\[\s*\]\s*(\w+)\Z")
_MOUNT_WORDS = suggest.words_of(MOUNT_KINDS)
_ROLE_WORDS = suggest.alias_table((row.name, (row.name, *row.aliases)) for row in ROLES)
_MAPS = {"map", "dict", "object", "mapping"}


def string_prefix(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``f"…"``, where the letter was read as a name."""
    lexed = recovery.lexed
    if lexed.types[at] not in TEXTS or recovery.before is None or lexed.types[at - 1] != lexer.NAME:
        return False
    prefix = lexed.text(at - 1)
    if prefix not in STRING_PREFIXES or lexed.ends[at - 1] != lexed.starts[at]:
        return False
    span = recovery.spanning(at - 1, at)
    text = recovery.text(at)
    edits = [Edit(span, "")]
    if "f" in prefix.lower() and _REPLACED.search(text):
        edits.append(Edit(recovery.span(at), _REPLACED.sub(r"${\1}", text)))
    title = "remove it" if len(edits) == 1 else "write ${…}"
    recovery.report(rules.STRING_PREFIX(span, prefix=prefix).fix(title, *edits))
    recovery.step_back()
    recovery.delete(at - 1)
    if len(edits) > 1:
        recovery.lexed.types[at - 1] = lexer.ERROR
    return True


def command_line_option(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``--nodes=2``, an option of a command, and ``-- text``, a comment of SQL or Lua."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at : at + 2] != [MINUS, MINUS] or lexed.ends[at] != lexed.starts[at + 1]:
        return False
    end = recovery.line_end(at)
    if (at and types[at - 1] not in ITEM_STARTS) or types[at + 2] == MINUS:
        return False
    if end == at + 2 or lexed.ends[at + 1] < lexed.starts[at + 2]:
        span = recovery.spanning(at, at + 2)
        recovery.report(rules.FOREIGN_COMMENT(span, mark="--").fix("write #", Edit(span, "#"), safe=True))
    else:
        name = item_end(types, at, (EQUAL,))
        span = recovery.spanning(at, name)
        end = item_end(types, at)
        diagnostic = rules.UNKNOWN_STATEMENT(span, found=shortened(span.text))
        recovery.report(diagnostic.help("options of other tools are attributes here, for example: replicas = 2"))
    recovery.delete(at, end - at + (types[end] == lexer.NEWLINE))
    return True


def typed_let(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``let n: int = 4``."""
    types = recovery.types
    if types[at] != COLON or at < 2 or types[at - 2] != LET or not is_word(types[at + 1]):
        return False
    end = recovery.line_end(at)
    equal = next((i for i in range(at, end) if types[i] == EQUAL), None)
    if equal is None:
        return False
    span = recovery.spanning(at, equal)
    name = shortened(recovery.text(at - 1))
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
    span = recovery.spanning(first, end)
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
    types = recovery.types
    if at < 2 or types[at - 1] not in DECLARATIONS or types[at - 2] not in ITEM_STARTS or recovery.before is None:
        return False
    if not (is_word(types[at]) or types[at] in (lexer.STRING, NUMBER)):
        return False
    if not repairs.fits(recovery.before.states, ROLE, lexer.NAME):
        return False
    diagnostic = rules.DECLARATION_INSIDE(recovery.spanning(at - 1, at + 1), word=recovery.text(at - 1))
    recovery.report(diagnostic.help("move it out of the job, to the top of the file"))
    recovery.step_back()
    return recovery.drop_item(at - 1)


def unknown_statement(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``for … { }``, ``init { }``, ``container "main" { }``, ``worker { }`` among the items of a job."""
    types = recovery.types
    if at < 2 or types[at - 1] != lexer.NAME or types[at - 2] not in ENTRY_STARTS or recovery.before is None:
        return False
    word = recovery.text(at - 1)
    is_item = repairs.fits(recovery.before.states, ROLE, lexer.NAME)
    if not is_item and (word not in foreign.LOOPS | foreign.CONDITIONS or not is_word(types[at])):
        return False
    if is_item and word not in foreign.LOOPS | foreign.CONDITIONS and not _is_block(recovery, at):
        return False
    alike = (repairs.fits(recovery.before.states, keyword, types[at]) for keyword in resembling(recovery, at - 1))
    if (word in MAPS and not _has_blocks(types, at)) or any(alike):  # before the block of a map, only its = is missing
        return False
    span = recovery.spanning(at - 1, at)
    role = _ROLE_WORDS.get(suggest.fold(word))
    text = f"role {role}" if role is not None else f"target {word}" if word in targets.every_name() else None
    if text is not None and types[at] == lexer.LBRACE:
        recovery.report(rules.UNKNOWN_STATEMENT(span, found=word).fix(f"write {text}", Edit(span, text)))
        recovery.step_back()
        if role is not None:
            recovery.lexed.meant[span.start] = role
        recovery.insert(at - 1, ROLE if role is not None else TARGET)
        return True
    diagnostic = rules.UNKNOWN_STATEMENT(span, found=shortened(word))
    meant = STEP_WORDS.get(word)
    if meant is None:
        diagnostic = diagnostic.help(foreign.advice(word) or _BLOCKS)
    else:
        text = meant if types[at] != lexer.LBRACE else f"{meant} {'fetch' if meant == 'prepare' else 'helper'}"
        diagnostic = diagnostic.help(f"for example: {wording.FORMS[meant]}").fix(f"write {text}", Edit(span, text))
    recovery.report(diagnostic)
    recovery.step_back()
    if is_item:
        return recovery.drop_item(at - 1)
    recovery.delete(at - 1, block_end(types, at - 1) - at + 1)
    return True


def _has_blocks(types: Sequence[int], at: int) -> bool:
    """Whether the first entry of the block at token ``at`` is a block itself: ``resources { limits { } }``."""
    if types[at] != lexer.LBRACE:
        return False
    first = at + 1 + (types[at + 1] == lexer.NEWLINE)
    return is_word(types[first]) and types[first + 1] == lexer.LBRACE


def entry_of_map(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``env.A = "x"`` and ``env["A"] = "x"``."""
    types = recovery.types
    start = item_start(types, at)
    if types[at] not in (DOT, lexer.LSQB) or at != start + 1 or recovery.text(start) not in MAPS:
        return False
    equal = item_end(types, at, (EQUAL,))
    if types[equal] == lexer.LSQB or types[equal] != EQUAL or not at + 2 <= equal <= at + 3 or recovery.before is None:
        return False
    end = item_end(types, equal + 1)
    key = recovery.text(at + 1)
    if end == equal + 1:
        return False
    span = recovery.spanning(start, equal)
    text = f"{recovery.text(start)} = {{ {key} = {recovery.spanning(equal + 1, end).text} }}"
    diagnostic = rules.UNKNOWN_STATEMENT(span, found=shortened(span.text)).help(f"write {text}")
    recovery.report(diagnostic.fix(f"write {shortened(text)}", Edit(recovery.spanning(start, end), text)))
    recovery.step_back()
    return recovery.drop_item(start)


def _is_block(recovery: Recovery, at: int) -> bool:
    """Whether words or texts and then a block follow on the line."""
    types = recovery.types
    while is_word(types[at]) or types[at] == lexer.STRING:
        at += 1
    return types[at] == lexer.LBRACE


def quoted_name(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``role "worker" { }``."""
    lexed = recovery.lexed
    if lexed.types[at] != lexer.STRING or lexer.NAME not in acceptable or lexed.types[at - 1] not in QUOTABLE:
        return False
    span = recovery.span(at)
    name = span.text.strip('"')
    if lexed.types[at - 1] == MOUNT and suggest.closest(name, MOUNTS_BY_NAME, _MOUNT_WORDS) is None:
        expected = wording.put_in(lexer.NAME, "mount")
        diagnostic = rules.UNFINISHED(recovery.spanning(at - 1, at), expected=expected, before="mount")
        place = Edit(Span(span.source, span.start, span.start), "pvc ")
        recovery.report(diagnostic.help(f"for example: {wording.FORMS['mount']}").fix("write pvc", place))
        if AT not in lexed.types[at : item_end(lexed.types, at)]:
            return recovery.cut_item(at - 1)
        recovery.insert(at, lexer.NAME)
        return True
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
    heads = NAMED | STEPS
    if not is_word(types[at - 1]) or before not in ITEM_STARTS | heads or recovery.before is None:
        return False
    end = at
    while types[end] not in {*repairs.FIXED, EQUAL, COLON} and lexed.ends[end - 1] == lexed.starts[end]:
        end += 1
    if types[end] not in (EQUAL, COLON) and not (before in heads and types[end] in repairs.FIXED):
        return False
    span = recovery.spanning(at - 1, end)
    in_map = lexer.STRING in recovery.acceptable_before()
    recovery.report(_key_report(span, in_map=in_map, step=before in STEPS))
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
    types = recovery.types
    if types[at] != lexer.LBRACE or at < 2 or types[at - 2] != PARAM:
        return False
    missing = f": and {wording.put_in(lexer.NAME, ':')}"
    diagnostic = rules.UNFINISHED(recovery.span(at), expected=missing, before=shortened(recovery.text(at - 1)))
    recovery.report(diagnostic.help(f"for example: {wording.FORMS['param']}"))
    end = block_end(types, at + 1)
    recovery.delete(at, end - at + (types[end] != lexer.END))
    for offset, type_ in enumerate((COLON, lexer.NAME, EQUAL, lexer.ERROR)):
        recovery.insert(at + offset, type_)
    return True


def target_version(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``target volcano 1.9 { }``."""
    types = recovery.types
    numbers = {lexer.STRING, NUMBER, UNIT}
    if types[at] not in numbers or at < 2 or types[at - 2] != TARGET or types[at + 1] != lexer.LBRACE:
        return False
    span = recovery.span(at)
    number = span.text.strip('"')
    diagnostic = rules.TARGET_VERSION(span, target=shortened(recovery.text(at - 1)))
    recovery.report(diagnostic.help(f'write version = "{shortened(number)}" in the block'))
    recovery.delete(at)
    return True


def run_with_block(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``run train { … }``."""
    types = recovery.types
    start = item_start(types, at)
    flow = around(types, start)
    if types[at] != lexer.LBRACE or types[start] != lexer.KEYWORDS["run"] or flow is None:
        return False
    if types[item_start(types, flow)] != lexer.KEYWORDS["flow"]:
        return False
    diagnostic = rules.STATEMENT_FORM(recovery.span(at), found="a block", word="run")
    recovery.report(diagnostic.help("a job is the same in every flow: write this in the job"))
    end = block_end(types, at + 1)
    recovery.delete(at, end - at + (types[end] != lexer.END))
    return True


# --- block mistakes ---
#
# ``matrix``, ``prepare`` and ``sidecar`` written as attributes, without names, or with names that need quotes.

# Containers before and beside the command in other languages, with the statement that is meant.
STEP_WORDS = {
    **dict.fromkeys(("init", "init_container", "init_containers", "initContainer", "initContainers"), "prepare"),
    **dict.fromkeys(("before", "setup", "pre_start", "prestart", "preStart"), "prepare"),
    **dict.fromkeys(("sidecars", "helper", "extra_container", "extraContainers"), "sidecar"),
}
WITH_SETTINGS = {MATRIX, *(lexer.KEYWORDS[word] for word in ("cluster", "profile"))}
ITEMS = {lexer.KEYWORDS[word] for word in (*wording.STATEMENTS, "let", "param", "include", "template", "profile")}
HEADS = {*STEPS, *(lexer.KEYWORDS[word] for word in ("role", "target", "template", "profile", "param", "let", "use",
                                                     "mount", "output", "on", "include", "unset"))}  # fmt: skip
WITH_NAME = {*STEPS, *(lexer.KEYWORDS[word] for word in ("role", "use", "mount", "output", "on"))}
WITHOUT_NAME = {MATRIX, lexer.KEYWORDS["cluster"], lexer.KEYWORDS["build"]}


def block_with_equals(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``matrix = { … }`` and ``prepare = …``."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at] in (EQUAL, COLON) and types[at + 1] == lexer.LBRACE and at > 1 and types[at - 2] in NAMED_BLOCKS:
        return _sign_before_block(recovery, at)
    word = at - 1 if types[at] in (EQUAL, COLON) else at
    if word < 0 or types[word] not in WITHOUT_NAME | WITH_NAME or types[word + 1] not in (EQUAL, COLON):
        return False
    if item_start(types, word + 1) != word:
        return False
    keyword = lexed.text(word)
    sign = recovery.spanning(word + 1, word + 2)
    diagnostic = rules.BLOCK_FORM(sign, word=keyword, form=_form(keyword))
    if types[word] not in {*WITHOUT_NAME, *NAMED_BLOCKS}:
        diagnostic = rules.UNSET_FORM(sign, wanted=_form(keyword))
    if types[word] in WITHOUT_NAME and types[word + 2] == lexer.LBRACE:
        gap = Span(lexed.source, lexed.ends[word], lexed.starts[word + 2])
        recovery.report(diagnostic.fix("remove it", Edit(gap, " "), safe=True))
        if word < at:
            recovery.delete(at)
        else:
            recovery.delete(word + 1)
        return True
    recovery.report(diagnostic)
    if word < at:  # the keyword has been read already
        if recovery.before is None:
            return False
        recovery.step_back()
    recovery.drop_item(word)
    return True


def _sign_before_block(recovery: Recovery, at: int) -> bool:
    """``role worker = { }`` and ``job mnist: { }``."""
    keyword = recovery.text(at - 2)
    diagnostic = rules.BLOCK_FORM(recovery.span(at), word=keyword, form=_form(keyword))
    recovery.report(diagnostic.fix("remove it", recovery.removal(at), safe=True))
    recovery.delete(at)
    return True


def names_in_head(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``role worker, ps { }`` and ``param int n = 4``."""
    types = recovery.types
    if at > 1 and types[at - 2 : at + 1] == [PARAM, lexer.NAME, lexer.NAME] and types[at + 1] == EQUAL:
        span = recovery.spanning(at - 1, at + 1)
        type_, name = recovery.text(at - 1), recovery.text(at)
        if type_ not in _TYPE_NAMES:
            return False
        text = f"{name}: {type_}"
        diagnostic = rules.STATEMENT_FORM(recovery.span(at - 1), found=type_, word="param")
        recovery.report(diagnostic.help(f"write {text}").fix(f"write {text}", Edit(span, text)))
        recovery.insert(at, COLON)
        lexed = recovery.lexed
        lexed.meant[lexed.starts[at - 1]], lexed.meant[lexed.starts[at + 1]] = name, type_
        return True
    if types[at] != COMMA or at < 2 or types[at - 2] != ROLE:
        return False
    end = item_end(types, at + 1, (lexer.LBRACE,))
    if end != at + 2 or types[end] not in (lexer.LBRACE, COMMA):
        return False
    span = recovery.spanning(at, end)
    recovery.report(rules.STATEMENT_FORM(span, found=span.text, word="role").help("write a block for each role"))
    recovery.delete(at, end - at)
    return True


_TYPE_NAMES = {"int", "string", "bool", "number", "quantity", "duration", "list", "map"}


def unquoted_include(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``include common.tfjob`` and ``include("common.tfjob")``."""
    types = recovery.types
    if not at or types[at - 1] != INCLUDE or lexer.STRING not in acceptable:
        return False
    end = recovery.line_end(at)
    if end == at:
        return False
    span = recovery.spanning(at, end)
    name = span.text.strip("()[]<>\"' ")
    recovery.report(rules.UNQUOTED_TEXT(span).fix("write it in quotes", Edit(span, f'"{name}"')))
    return recovery.cut_item(at - 1)


def _form(keyword: str) -> str:
    return wording.FORMS.get(keyword, f"{keyword} {{ … }}")


def matrix_axis(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``matrix lr = [0.1, 0.01]``; behind ``matrix``, or before it where the word was not taken as the keyword."""
    types = recovery.types
    word = at if types[at] == MATRIX else at - 1
    if word < 0 or types[word] != MATRIX or item_start(types, word + 1) != word:
        return False
    if not is_word(types[word + 1]) or types[word + 2] != EQUAL:
        return False
    end = item_end(types, word)
    axis = recovery.spanning(word + 1, end)
    edit = Edit(axis, f"{{ {axis.text} }}")
    recovery.report(rules.BLOCK_FORM(axis, word="matrix", form=_form("matrix")).fix("add braces", edit, safe=True))
    recovery.insert(end, lexer.RBRACE)
    recovery.insert(word + 1, lexer.LBRACE)
    return True


def yaml_steps(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``initContainers:`` and then deeper lines: one report, and all of it is left out."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at : at + 2] != [COLON, lexer.NEWLINE] or not at or recovery.before is None:
        return False
    meant = STEP_WORDS.get(lexed.text(at - 1))
    start = recovery.line_start(at)
    if meant is None or start != at - 1:
        return False
    indent = recovery.column(start)
    end = at
    while types[end] == lexer.NEWLINE or end == at:
        if types[end + 1] == lexer.END or (end > at and recovery.column(end + 1) <= indent):
            break
        end = recovery.line_end(end + 1)
    word = recovery.spanning(at - 1, at)
    recovery.report(rules.UNKNOWN_STATEMENT(word, found=word.text).help(f"for example: {_form(meant)}"))
    stop = lexed.ends[end - 1]
    lexed.diagnostics[:] = [each for each in lexed.diagnostics if not word.end <= each.span.start < stop]
    recovery.step_back()
    recovery.delete(start, end - start + (types[end] == lexer.NEWLINE))
    return True


def statement_without_name(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``prepare { … }``, ``role { … }``, ``mount { … }``, ``param { … }``."""
    types = recovery.types
    if types[at] != lexer.LBRACE or not at or types[at - 1] not in HEADS or item_start(types, at) != at - 1:
        return False
    keyword = recovery.text(at - 1)
    expected = wording.missing((lexer.NAME,), keyword, keyword) if types[at - 1] != OUTPUT else "a file or folder"
    diagnostic = rules.UNFINISHED(recovery.span(at), expected=expected, before=keyword)
    recovery.report(diagnostic.help(f"for example: {wording.FORMS[keyword]}"))
    if types[at - 1] in NAMED_BLOCKS:
        recovery.insert(at, lexer.NAME)
        return True
    return recovery.cut_item(at - 1)


def untyped_param(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``param n = 4``."""
    types = recovery.types
    if types[at] != EQUAL or at < 2 or types[at - 2] != PARAM:
        return False
    value = recovery.text(at + 1)
    type_ = "bool" if value in ("true", "false") else _TYPES.get(types[at + 1])
    missing = f": and {wording.put_in(lexer.NAME, ':')}"
    diagnostic = rules.UNFINISHED(recovery.span(at - 1), expected=missing, before=shortened(recovery.text(at - 1)))
    diagnostic = diagnostic.help(f"for example: {wording.FORMS['param']}")
    if type_ is not None:
        place = recovery.span(at - 1)
        text = f": {'number' if type_ == 'int' and not value.isdecimal() else type_}"
        diagnostic = diagnostic.fix(f"add {text}", Edit(Span(place.source, place.end, place.end), text))
    recovery.report(diagnostic)
    recovery.insert(at, lexer.NAME)
    recovery.insert(at, COLON)
    return True


_TYPES = {lexer.STRING: "string", TEXT: "string", RAW: "string", NUMBER: "int"}


def item_among_settings(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``profile p { unset n }``, ``matrix { role worker { } }``."""
    types = recovery.types
    start = item_start(types, at)
    block = around(types, at)
    if not block or at == start or lexer.STRING not in recovery.acceptable_before() or recovery.before is None:
        return False
    head = item_start(types, block)
    if types[head] not in WITH_SETTINGS or at != start + 1 or types[start] not in ITEMS:
        return False
    keyword = recovery.text(head)
    span = recovery.spanning(start, at + 1)
    recovery.report(rules.BLOCK_FORM(span, word=keyword, form=_form(keyword)))
    recovery.step_back()
    return recovery.drop_item(start)


# --- unset mistakes ---
#
# What people write behind ``unset``: a dot for brackets, a value, several names, what cannot be unset.

# What cannot be unset, with what to do.
KINDS = {
    "role": "give the role a condition instead: role ps when … { }",
    "use": "give the use a condition instead: use gpu_node when …",
    "patch": "give the patch a condition instead, or remove what it adds with unpatch",
    "unpatch": "give the unpatch a condition instead",
    "target": "give the items of the target block conditions instead",
    "template": "give the use of the template a condition instead: use gpu_node when …",
    "let": "change its value instead",
    "param": "change its value instead",
}
KIND_WORDS = {lexer.KEYWORDS[word]: word for word in KINDS}


def unset_form(recovery: Recovery, at: int, _: set[int]) -> bool:
    """Anything that does not fit behind ``unset`` and the first word after it."""
    types = recovery.types
    start = item_start(types, at)
    if types[start] != UNSET:
        return _next_name(recovery, at)
    if at < start + 2:
        return _policy_word(recovery, at) if at == start + 1 else False
    kind = KIND_WORDS.get(types[start + 1])
    if types[at] == DOT and recovery.text(start + 1) == "roles":
        kind = "role"
    if kind is not None:
        return _impossible(recovery, start, kind)
    if types[start + 1] == MOUNT:
        return _mount(recovery, start, at)
    if _policy_word(recovery, start + 1) or _extra(recovery, start, at):
        return True
    return at == start + 2 and (_entry(recovery, at) or _second_name(recovery, at))


def _impossible(recovery: Recovery, start: int, kind: str) -> bool:
    """``unset`` of something that cannot be unset: ``unset role ps``."""
    end = item_end(recovery.types, start)
    span = recovery.spanning(start, end)
    if not recovery.cut_behind(start):
        return False
    what = "an unpatch" if kind == "unpatch" else f"a {kind}"
    recovery.report(rules.UNSET_KIND(span, what=what).help(KINDS[kind]))
    _forget(recovery, start + 1, end)
    return True


def _report_form(recovery: Recovery, span: Span, wanted: str) -> None:
    """Report a statement that is written in another form, with that form as the fix."""
    diagnostic = rules.UNSET_FORM(span, wanted=shortened(wanted))
    recovery.report(diagnostic.fix(f"write {shortened(wanted)}", Edit(span, wanted)))


def _forget(recovery: Recovery, at: int, end: int) -> None:
    """Read the tokens as a name that nobody wrote, so that the statement is left out."""
    recovery.delete(at, end - at)
    recovery.insert(at, lexer.NAME)


def _mount(recovery: Recovery, start: int, at: int) -> bool:
    """``unset mount pvc "data" at "/data"``: a mount is known by its path."""
    types = recovery.types
    end = item_end(types, start, (WHEN,))
    path = next((i + 1 for i in range(start + 2, end) if types[i] == AT), None)
    if at >= end or not (types[at] == lexer.STRING or types[at] == AT):
        return False
    span = recovery.spanning(start, end)
    if path is None or path >= end:
        diagnostic = rules.UNSET_FORM(span, wanted='unset mount "/data", with the path')
        if not recovery.cut_behind(start + 1):
            return False
        recovery.report(diagnostic)
        recovery.delete(start + 2, end - start - 2)
        recovery.insert(start + 2, lexer.ERROR)
        return True
    path_end = item_end(types, path, (WHEN, lexer.LBRACE, lexer.KEYWORDS["readonly"]))
    wanted = f"unset mount {recovery.spanning(path, path_end).text}"
    if not recovery.cut_behind(start + 1):
        return False
    _report_form(recovery, span, wanted)
    recovery.delete(path_end, end - path_end)
    recovery.delete(start + 2, path - start - 2)
    return True


def _policy_word(recovery: Recovery, at: int) -> bool:
    """``unset policy on failed`` and ``unset policy failed``."""
    types = recovery.types
    if recovery.text(at) != "policy":
        return False
    end = item_end(types, at, (WHEN,))
    rest = at + 2 if types[at + 1] == ON else at + 1
    if rest >= end or (recovery.machine.at > at and not recovery.cut_behind(at - 1)):
        return False
    span = recovery.spanning(at - 1, end)
    _report_form(recovery, span, f"unset on {recovery.spanning(rest, end).text}")
    recovery.replace(at, ON, rest - at)
    return True


def _extra(recovery: Recovery, start: int, at: int) -> bool:
    """``unset image = 3``, ``unset on failed => restart job``, ``unset prepare fetch { }``."""
    lexed = recovery.lexed
    types = lexed.types
    policy = types[start + 1] == ON
    what = {
        EQUAL: "a value",
        COLON: "a value",
        ARROW: "an action",
        AFTER: "a delay",
        lexer.LBRACE: "a block",
    }.get(types[at])
    if what is None and policy and lexed.text(at - 1) == "restarted":
        what = "a number of restarts"
    if what is None or (types[at] == AFTER and not policy):
        return False
    end = item_end(types, at, (WHEN,))
    span = recovery.spanning(at, end)
    removed = Edit(Span(span.source, lexed.ends[at - 1], span.end), "")
    recovery.report(rules.UNSET_EXTRA(span, what=what).fix("remove it", removed))
    recovery.delete(at, end - at)
    return True


def _entry(recovery: Recovery, at: int) -> bool:
    """``unset env.A``, ``unset env "A"`` and ``unset env A``."""
    types = recovery.types
    name = recovery.text(at - 1)
    if types[at] != DOT and name not in MAPS:
        return False
    end = item_end(types, at, (WHEN,))
    if types[at] == DOT and end - at < 2:
        return False
    key = recovery.spanning(at + (types[at] == DOT), end).text
    quoted = key if key.startswith('"') else f'"{key}"'
    span = recovery.spanning(at - 2, end)
    _report_form(recovery, span, f"unset {name}[{quoted}]")
    recovery.delete(at, end - at)
    for offset, type_ in enumerate((lexer.LSQB, lexer.ERROR, lexer.RSQB)):
        recovery.insert(at + offset, type_)
    return True


def _second_name(recovery: Recovery, at: int) -> bool:
    """Several names after one ``unset``: ``unset image command``."""
    lexed = recovery.lexed
    if not is_word(lexed.types[at]) or (lexed.types[at] == UNSET and is_word(lexed.types[at + 1])):
        return False  # the latter lacks only a separator
    between = Span(lexed.source, lexed.ends[at - 1], lexed.starts[at])
    wanted = f"unset {lexed.text(at - 1)}, unset {lexed.text(at)}"
    diagnostic = rules.UNSET_FORM(recovery.span(at), wanted=shortened(wanted))
    recovery.report(diagnostic.fix("add unset", Edit(between, ", unset ")))
    recovery.insert(at, UNSET)
    recovery.insert(at, COMMA)
    return True


def _next_name(recovery: Recovery, at: int) -> bool:
    """``unset image, command``, where ``command`` was read as an attribute."""
    types = recovery.types
    if at < 4 or not is_word(types[at - 1]) or types[at - 2] != COMMA or recovery.before is None:
        return False
    start = item_start(types, at - 2)
    if types[start] != UNSET or start + 2 != at - 2 or types[at] not in (lexer.NEWLINE, COMMA, lexer.RBRACE):
        return False
    span = recovery.spanning(at - 1, at)
    wanted = f"unset {recovery.text(start + 1)}, unset {span.text}"
    place = Span(span.source, span.start, span.start)
    recovery.report(rules.UNSET_FORM(span, wanted=shortened(wanted)).fix("add unset", Edit(place, "unset ")))
    recovery.step_back()
    recovery.insert(at - 1, UNSET)
    return True
