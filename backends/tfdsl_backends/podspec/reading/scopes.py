"""Which variables the texts of a container refer to, and which of them is the index of the replica."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.reading import Asked
from tfdsl.record import replace
from tfdsl_backends.podspec.expansion import Scope
from tfdsl_backends.podspec.reading import commands, variables
from tfdsl_backends.podspec.reading.commands import Words
from tfdsl_backends.podspec.reading.texts import refers

if TYPE_CHECKING:
    from tfdsl.manifest.view import View
    from tfdsl_backends.podspec.reading.facts import PodFacts


def scope_of(role: str, container: View, words: Words | None, facts: PodFacts) -> Scope:
    """The scope of the texts of ``container``, which runs ``words``: its variables are those that have a word."""
    names = variables.names(container)
    index = _index(role, container, words, facts)
    any_name = next(container["envFrom"].items(), None) is not None
    named = variables.env_from(container) is not None
    scope = Scope(names, index, any_name, others=facts.variables, named_sources=named)
    written = {one.name for one in variables.variables(container, scope, Asked({}, lambda diagnostic: None))}
    return replace(scope, names=names & written, others=facts.variables | (names - written))


def _index(role: str, container: View, words: Words | None, facts: PodFacts) -> str | None:
    """The variable of the index, if it is one that the compiler would write: it is there, and something refers to it.

    A program that reads it by itself has asked for it: there it is a variable like others.
    """
    if facts.replicas.get(role, 1) <= 1:
        return None
    texts = [*variables.texts(container), *(commands.all_texts(words) if words is not None else ())]
    texts += [place["subPathExpr"].text or "" for place in container["volumeMounts"].items()]
    for name, field in variables.fields(container).items():
        is_index = name.replace("TFDSL_", "") == facts.index_variable and field == facts.index_field
        if is_index and any(refers(text, name) for text in texts):
            return name
    return None
