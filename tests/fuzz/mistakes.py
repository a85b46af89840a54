"""Mistakes that people make, put into a sound text one at a time: who makes one knows the text that was meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tfdsl.vocabulary import attributes, statements

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable

_TOKEN = re.compile(
    r'"""\n.*?"""|\'\'\'\n.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|#[^\n]*|\n[ \t]*|[ \t]+'
    r"|\d+(?:\.\d+)?[A-Za-z]\w*|\d+(?:\.\d+)?|\w+|=>|==|!=|<=|>=|&&|\|\||\.\.|.",
    re.S,
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz_0123456789"


def tokens(text: str) -> list[str]:
    """The text in pieces that nobody would cut: words, strings, numbers, operators, blanks, comments."""
    return _TOKEN.findall(text)


class Mistake(NamedTuple):
    """A text with a mistake of the kind ``name``, and the text that was meant."""

    name: str
    text: str
    meant: str


def mistaken(text: str, name: str, chance: random.Random) -> Mistake | None:
    """``text`` with a mistake of one of the :data:`KINDS`; ``None`` when it has no place for it."""
    parts = tokens(text)
    if name in _OTHER_TEXTS:
        meant = _OTHER_TEXTS[name](parts, chance)
        if meant is None:
            return None
        text = meant
    elif not _MISTAKES[name](parts, chance):
        return None
    return None if "".join(parts) == text else Mistake(name, "".join(parts), text)


def _places(parts: list[str], fits: Callable[[str], object]) -> list[int]:
    return [at for at, part in enumerate(parts) if fits(part)]


def _pick(parts: list[str], chance: random.Random, fits: Callable[[str], object]) -> int | None:
    found = _places(parts, fits)
    return chance.choice(found) if found else None


def _is_word(part: str) -> bool:
    return re.fullmatch(r"[A-Za-z_]\w*", part) is not None


def _is_string(part: str) -> bool:
    return len(part) > 1 and part[0] == '"' and not part.startswith('"""')


def _misspell(word: str, chance: random.Random) -> str:
    at = chance.randrange(len(word))
    match chance.randrange(4):
        case 0:
            return word[:at] + word[at + 1 :]
        case 1:
            return word[:at] + chance.choice(_LETTERS) + word[at:]
        case 2:
            return word[:at] + chance.choice(_LETTERS) + word[at + 1 :]
        case _:
            return word[:at] + word[at : at + 2][::-1] + word[at + 2 :]


def _misspelt(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, _is_word)
    if at is None or parts[max(at - 2, 0)] == "job":  # nobody can know which name was meant
        return False
    for _ in range(chance.choice((1, 1, 1, 2))):
        parts[at] = _misspell(parts[at], chance) or "x"
    return True


def _misspelt_text(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: _is_string(part) and _is_word(part[1:-1]))
    if at is None:
        return False
    parts[at] = f'"{_misspell(parts[at][1:-1], chance)}"'
    return True


def _other_case(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: _is_word(part.strip('"')))
    if at is None:
        return False
    word = parts[at]
    camel = re.sub("_(.)", lambda found: found[1].upper(), word)
    parts[at] = chance.choice((word.upper(), word.title(), camel, word.replace("_", "-"), word.replace("_", "")))
    return True


def _aliases() -> dict[str, tuple[str, ...]]:
    rows: Iterable[tuple[str, tuple[str, ...]]] = [
        *((row.name, (*row.aliases, *row.akin)) for row in attributes.ATTRIBUTES),
        *((row.name, (*row.aliases, *row.akin)) for row in attributes.ROLES),
        *((row.name, (*row.aliases, *row.akin)) for row in statements.EVENTS),
        *((row.name.split()[0], (*row.aliases, *row.akin)) for row in statements.ACTIONS),
        *((row.name, (*row.aliases, *row.akin)) for row in statements.MOUNT_KINDS),
        *((each.name, (*each.aliases, *each.akin)) for row in statements.MOUNT_KINDS for each in row.options),
        *((row.name, (*row.aliases, *row.akin)) for row in statements.PARAM_SETTINGS),
    ]
    table: dict[str, tuple[str, ...]] = {
        "true": ("yes", "on", "True", "TRUE"),
        "false": ("no", "off", "False"),
        "int": ("integer", "Int", "long"),
        "string": ("str", "String", "text"),
        "bool": ("boolean",),
        "let": ("const", "local", "var"),
        "param": ("variable", "input", "params"),
        "mount": ("volume", "mounts"),
        "role": ("task", "replica", "roles"),
        "on": ("when", "if"),
        "include": ("import",),
        "template": ("templates", "class"),
    }
    for name, aliases in rows:
        table[name] = (*table.get(name, ()), *aliases)
    return table


_ALIASES = _aliases()
_SIBLINGS = (
    tuple(row.name for row in attributes.ATTRIBUTES),
    attributes.ROLE_NAMES,
    tuple(row.name for row in statements.EVENTS),
)


def _foreign(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: _ALIASES.get(part))
    if at is None:
        return False
    parts[at] = chance.choice(_ALIASES[parts[at]])
    return True


def _left_out(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: not part.isspace() and part[0] != "#")
    if at is None:
        return False
    del parts[at]
    return True


def _line_end_left_out(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: part[0] == "\n")
    if at is None:
        return False
    parts[at] = " "
    return True


def _doubled(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: not part.isspace() and part[0] != "#")
    if at is None:
        return False
    parts[at:at] = [parts[at], chance.choice((" ", ""))]
    return True


def _broken_line(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: part.isspace() and part[0] != "\n")
    if at is None:
        return False
    parts[at] = chance.choice(("\n", "\n    "))
    return True


_TYPED = {
    "=": (":", "==", ":=", "", "=>"),
    "==": ("=", "==="),
    ":": ("=", "", " "),
    "=>": ("->", "=", "", "==>", "→", "do"),
    ",": (";", "", ",,", "，"),
    "..": ("…", "-", "..."),
    "&&": ("and", "&"),
    "||": ("or", "|"),
    "!": ("not ",),
    "[": ("(", "{", ""),
    "]": (")", "}", ""),
    "{": ("[", "", "(", ":"),
    "}": ("]", "", ")", "end"),
    "-": ("–", "−"),
    "*": ("×",),
    " ": ("\u00a0", "\u200b ", "\u3000"),
}


def _other_sign(parts: list[str], chance: random.Random) -> bool:
    present = sorted(_TYPED.keys() & set(parts))
    if not present:
        return False
    at = chance.choice(_places(parts, chance.choice(present).__eq__))
    parts[at] = chance.choice(_TYPED[parts[at]])
    return True


_LINKS = {
    "=>": ("->", "=", "→"),
    "==": ("=", "==="),
    "&&": ("and",),
    ",": (";",),
    "true": ("yes", "True"),
    "false": ("no",),
}


def _other_link(parts: list[str], chance: random.Random) -> bool:
    """Signs that stand seldom and are mistaken often."""
    at = _pick(parts, chance, _LINKS.__contains__)
    if at is None:
        return False
    parts[at] = chance.choice(_LINKS[parts[at]])
    return True


def _statement_end(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: part[0] == "\n")
    if at is None:
        return False
    parts[at] = chance.choice((";", ",", ";;")) + parts[at]
    return True


def _other_quotes(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, _is_string)
    if at is None:
        return False
    inner = parts[at][1:-1]
    left, right = chance.choice(("''", "“”", "``", "„“", ("", ""), ('"', ""), ("", '"'), ('"', "'"), "«»"))
    parts[at] = f"{left}{inner}{right}"
    return True


def _quoted(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: re.fullmatch(r"\d\w*|true|false", part) or part in _ALIASES)
    if at is None:
        return False
    parts[at] = f'"{parts[at]}"'
    return True


def _other_comment(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: part[0] == "#")
    if at is None:
        return False
    parts[at] = chance.choice((f"//{parts[at][1:]}", f"/*{parts[at][1:]} */", f"--{parts[at][1:]}"))
    return True


def _comment_added(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: part[0] == "\n")
    if at is None:
        return False
    parts.insert(at, chance.choice((" // why", " /* why */", " /* why\n * and how\n */", " -- why", "\n/* a\nb */")))
    return True


_UNITS = {
    "Gi": ("GiB", "gi", "GIB", " Gi", "Gib", "g", "gib", "Ki"),
    "Mi": ("MiB", "mi", "mb", " Mi", "m"),
    "G": ("GB", "g", " G", "gb"),
    "M": ("MB", " M", "mb"),
    "h": ("hours", "hr", " h", "H", "hour"),
    "m": ("min", "minutes", " m", "mins", "M"),
    "s": ("sec", "seconds", " s", "S"),
    "d": ("days", "day", " d", "D"),
}


def _other_unit(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: re.fullmatch(r"\d+(Gi|Mi|G|M|h|m|s|d)", part))
    if at is None:
        return False
    number = parts[at].rstrip("GiMhmsd")
    parts[at] = number + chance.choice((*_UNITS[parts[at][len(number) :]], ""))
    return True


def _number_written_otherwise(parts: list[str], chance: random.Random) -> bool:
    form = chance.choice((r"\d+\.\d+", r"\d+"))
    at = _pick(parts, chance, lambda part: re.fullmatch(form, part))
    if at is None:
        return False
    number = parts[at]
    parts[at] = chance.choice((f"0{number}", number.removeprefix("0"), f"{number}.0", f"-{number}"))
    return True


def _unlike_type(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: re.fullmatch(r"\d\S*|true|false", part) or _is_string(part))
    if at is None:
        return False
    parts[at] = f"[{parts[at]}]" if chance.random() < 0.5 or parts[at][0] == '"' else f'"{parts[at]}"'
    return True


def _swapped(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: part == " ")
    if at is None or not 0 < at < len(parts) - 1:
        return False
    parts[at - 1], parts[at + 1] = parts[at + 1], parts[at - 1]
    return True


def _other_word(parts: list[str], chance: random.Random) -> str | None:
    """Put in another word of the same table, misspelt; gives the text with it rightly spelt, which is seldom sound."""
    at = _pick(parts, chance, lambda part: any(part in table for table in _SIBLINGS))
    if at is None:
        return None
    table = next(table for table in _SIBLINGS if parts[at] in table)
    parts[at] = chance.choice(table)
    meant = "".join(parts)
    parts[at] = _misspell(parts[at], chance)
    return meant


def _bare_job_name(parts: list[str], chance: random.Random) -> str | None:
    """A name that has to stand in quotes."""
    if "job" not in parts[:-2]:
        return None
    at = parts.index("job") + 2
    name = chance.choice(("2nd", "my.job", "cats-and-dogs", "a.b.c"))
    parts[at] = f'"{name}"'
    meant = "".join(parts)
    parts[at] = name
    return meant


def _brace_below(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: part == "{")
    if at is None:
        return False
    parts[at] = "\n{"
    return True


def _as_yaml(parts: list[str], chance: random.Random) -> bool:
    """``key = ["a", "b"]`` as lines that begin with ``-``."""
    text = "".join(parts)
    found = list(re.finditer(r'(\w+)[ \t]*(=|:)[ \t]*\[((?:"[^"\n]*"(?:, )?)+)\]', text))
    if not found:
        return False
    one = chance.choice(found)
    items = re.findall(r'"[^"\n]*"', one[3])
    mark = chance.choice((":", " ="))
    lines = "".join(f"\n      - {item if chance.random() < 0.5 else item[1:-1]}" for item in items)
    parts[:] = [f"{text[: one.start()]}{one[1]}{mark}{lines}{text[one.end() :]}"]
    return True


def _late_delay(parts: list[str], chance: random.Random) -> bool:
    text = "".join(parts)
    found = [*re.finditer(r" (after \w+) => ([a-z]+(?: [a-z]+)?)", text)]
    if not found:
        return False
    one = chance.choice(found)
    parts[:] = [f"{text[: one.start()]} => {one[2]} {one[1]}{text[one.end() :]}"]
    return True


def _never_used(parts: list[str], chance: random.Random) -> bool:
    line = chance.choice(("let spare = 1", "param spare: int = 1", "template spare { cpu = 1 }"))
    text = "".join(parts)
    begin = text.find("job ")
    if begin < 0:
        return False
    parts[:] = [f"{text[:begin]}{line}\n{text[begin:]}"]
    return True


def _less_indented(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: part.startswith(('"""', "'''")))
    if at is None:
        return False
    lines = parts[at].split("\n")
    one = chance.randrange(1, len(lines))
    lines[one] = lines[one].lstrip()
    parts[at] = "\n".join(lines)
    return True


def _bad_escape(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, _is_string)
    if at is None:
        return False
    place = chance.randrange(1, len(parts[at]))
    parts[at] = parts[at][:place] + chance.choice(("\\d", "\\", "${", "\\x", "$", "'", "${x}")) + parts[at][place:]
    return True


def _misspelt_waiver(parts: list[str], chance: random.Random) -> bool:
    at = _pick(parts, chance, lambda part: part[0] == "\n")
    if at is None:
        return False
    parts.insert(at, f" # tfdsl: allow[{_misspell('floating-image-tag', chance)}] it is pinned elsewhere")
    return True


def _misspelt_function(parts: list[str], chance: random.Random) -> bool:
    calls = [at for at, part in enumerate(parts[:-1]) if _is_word(part) and parts[at + 1] == "("]
    if not calls:
        return False
    at = chance.choice(calls)
    parts[at] = _misspell(parts[at], chance)
    return True


def _misspelt_member(parts: list[str], chance: random.Random) -> bool:
    """Inside and outside of texts."""
    text = "".join(parts)
    found = list(re.finditer(r"\b(?:job|role|roles\.\w+)\.(\w+)", text))
    if not found:
        return False
    one = chance.choice(found)
    parts[:] = [f"{text[: one.start(1)]}{_misspell(one[1], chance)}{text[one.end(1) :]}"]
    return True


def _mark_left_out(parts: list[str], chance: random.Random) -> bool:
    """One of the two marks of a block of text."""
    at = _pick(parts, chance, lambda part: part.startswith(('"""', "'''")))
    if at is None:
        return False
    parts[at] = parts[at][3:] if chance.random() < 0.7 else parts[at][:-3]
    return True


def _brace_left_out(parts: list[str], chance: random.Random) -> bool:
    """At the head of a block of several lines."""
    heads = [at for at, part in enumerate(parts[:-1]) if part == "{" and parts[at + 1][0] == "\n"]
    if not heads:
        return False
    del parts[chance.choice(heads)]
    return True


def _misspelt_patch(parts: list[str], chance: random.Random) -> bool:
    text = "".join(parts)
    found = list(re.finditer(r'patch "[^"\n]*" \+= \{ (\w+)', text))
    if not found:
        return False
    one = chance.choice(found)
    parts[:] = [f"{text[: one.start(1)]}{_misspell(one[1], chance)}{text[one.end(1) :]}"]
    return True


def _braces_left_out(parts: list[str], chance: random.Random) -> bool:
    """``key = { a = "b" }`` by indentation alone."""
    text = "".join(parts)
    found = list(re.finditer(r"\b(?:env|labels|annotations|node_selector) = \{ ?([^{}\n]+?) ?\}", text))
    if not found:
        return False
    one = chance.choice(found)
    entries = "".join(f"\n        {entry}" for entry in one[1].split(", "))
    parts[:] = [
        f"{text[: one.start()]}{one[0].partition(' ')[0]}{chance.choice((' =', ''))}{entries}{text[one.end() :]}"
    ]
    return True


_MISTAKES: dict[str, Callable[[list[str], random.Random], bool]] = {
    "a misspelt word": _misspelt,
    "a misspelt text": _misspelt_text,
    "another case": _other_case,
    "another tool's word": _foreign,
    "something left out": _left_out,
    "a line end left out": _line_end_left_out,
    "something doubled": _doubled,
    "a broken line": _broken_line,
    "another sign": _other_sign,
    "another link": _other_link,
    "an end of a statement": _statement_end,
    "other quotes": _other_quotes,
    "quoted": _quoted,
    "another comment": _other_comment,
    "a comment added": _comment_added,
    "another unit": _other_unit,
    "a number written otherwise": _number_written_otherwise,
    "another type": _unlike_type,
    "two words swapped": _swapped,
    "the brace below": _brace_below,
    "as in YAML": _as_yaml,
    "the delay behind the action": _late_delay,
    "never used": _never_used,
    "less indented": _less_indented,
    "a bad escape": _bad_escape,
    "a misspelt waiver": _misspelt_waiver,
    "a misspelt function": _misspelt_function,
    "a misspelt member": _misspelt_member,
    "a mark left out": _mark_left_out,
    "a brace left out": _brace_left_out,
    "braces left out": _braces_left_out,
    "a misspelt patch": _misspelt_patch,
}


def _hidden_direction(parts: list[str], chance: random.Random) -> str | None:
    """A mark that turns the direction of writing as it is, where its escape was meant."""
    at = _pick(parts, chance, lambda part: re.fullmatch(r'"[^"\\$\n]*"', part))
    if at is None:
        return None
    inner = parts[at][1:-1]
    parts[at] = f'"{inner}\\u{{202E}}"'
    meant = "".join(parts)
    parts[at] = f'"{inner}\u202e"'
    return meant


_OTHER_TEXTS: dict[str, Callable[[list[str], random.Random], str | None]] = {
    "another word, misspelt": _other_word,
    "a job name without quotes": _bare_job_name,
    "a hidden direction": _hidden_direction,
}
"""Mistakes in a text that is another one than the text to begin with; they give that one."""

KINDS = (*_MISTAKES, *_OTHER_TEXTS)
