"""What is a secret: decided once for the lint rule, the masks in messages and the modes of files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tfdsl.patterns import regex
from tfdsl.vocabulary.secret_names import group
from tfdsl.vocabulary.secret_values import secret_in

__all__ = ["in_command", "in_words", "is_secret", "secret_in"]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SWITCHES: Final = _set(
    "0 1 true false yes no on off none null nil auto always never optional required enabled disabled"
)
_SCHEMES: Final = _set(
    "default basic bearer digest kerberos gssapi negotiate ntlm oauth oauth2 oidc ldap saml sasl simple md5 trust token"
    " jwt anonymous"
)
"""Values that name a way to authenticate, which is not a secret."""

_PATH: Final = regex(r"(?:file:/*)?(?:~|\.{0,2})(?:/[a-z0-9._@-]+)+/?|(?:file:|[~.]{0,2}/)\S*\.[A-Za-z]\w{0,9}")
_ELSEWHERE: Final = regex(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|<[^<>]*>|\*+|\{\{.*\}\}|`[^`]*`", re.S)
"""A reference to a value elsewhere, or a placeholder."""
_ADDRESS: Final = regex(r"(?:jdbc:)?[A-Za-z][A-Za-z0-9+.-]*:/{0,2}[^\s]*")

_QUOTED: Final = r"\"[^\"\n]*\"|'[^'\n]*'|[^\s;&|\"'()]+"
_SET: Final = regex(rf"(?:^|(?<=[\s;&|(\"'?,]))-{{0,2}}([A-Za-z_][\w.-]*)=({_QUOTED})")
_FLAG: Final = regex(rf"(?:^|(?<=\s))--?([A-Za-z][\w-]*)[ \t]+(?!-)({_QUOTED})")


def is_secret(name: str, value: str) -> bool:
    """Whether ``value`` under ``name`` (of a variable, an option, a key) must be kept secret.

    A path only says where a secret is; a switch, a reference and an address without a password are not secrets either.
    """
    if secret_in(value) is not None:
        return True
    kind = group(name)
    text = value.strip()
    if kind is None or not text or _ELSEWHERE.fullmatch(text) or _PATH.fullmatch(text):
        return False
    if kind == "connection":
        return not _ADDRESS.fullmatch(text) or next(in_command(text), None) is not None
    if text.lower() in _SWITCHES:
        return False
    return kind == "password" or not (text.lower() in _SCHEMES or re.fullmatch(r"[0-9.]{1,9}", text))


def in_words(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The secrets in the words of a command: the number of the word, and the name of the secret.

    ``--password=x``, ``--password x``, ``PGPASSWORD=x``; a secret recognized by its form is named by its description.
    """
    for at, word in enumerate(words):
        flag = words[at - 1] if at else ""
        follows = flag.startswith("-") and "=" not in flag and not word.startswith("-")
        if follows and is_secret(flag.lstrip("-"), word):
            yield at, flag
        else:
            for name in in_command(word):
                yield at, name


def in_command(text: str) -> Iterator[str]:
    """The names of the secrets in the text of a command, or in one word of it."""
    found = False
    for pattern in (_SET, _FLAG):
        for match in pattern.finditer(text):
            value = match[2].strip("\"'")
            if group(match[1]) is not None and value[:1] not in ("$", "`", "") and is_secret(match[1], value):
                found = True
                yield match[0][: match.end(1) - match.start()]
    what = None if found else secret_in(text)
    if what is not None:
        yield what
