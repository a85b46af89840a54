"""The arguments of a call as the compiler takes them: a target, values of params and options, and what to hide."""

from __future__ import annotations

from collections.abc import Mapping

from tfdsl import diagnostics
from tfdsl.api.errors import usage_error
from tfdsl.api.values import Value, named_texts, source_of
from tfdsl.compiling.front_end import choice_of
from tfdsl.compiling.masking import Hidden, hidden_values
from tfdsl.compiling.pipeline import Choice
from tfdsl.semantics.params import Given
from tfdsl.semantics.target_options import GivenOption
from tfdsl.text import Source, Span


def argument(name: str, text: str) -> Span:
    """The place of an argument in messages."""
    return Span(Source(f"{name}=", text), 0, len(text))


def target_of(target: str) -> Choice:
    """The target and version that ``volcano@1.9`` names.

    Raises:
        UsageError: There is no such target or version.
    """
    choice = choice_of(target, argument("target", target))
    if isinstance(choice, diagnostics.Diagnostic):
        raise usage_error(choice)
    return choice


def params_of(params: Mapping[str, Value]) -> tuple[Given, ...]:
    """Values for params, read as literals."""
    return tuple(Given(name, source_of("params", name, value), "literal") for name, value in params.items())


def options_of(target: str, options: Mapping[str, Value]) -> tuple[GivenOption, ...]:
    """Values for the options of a target, read as literals."""
    return tuple(
        GivenOption(target, name, source_of("options", name, value), "literal") for name, value in options.items()
    )


def secrets_in(values: Mapping[str, Value]) -> Hidden:
    """The secrets among values that a program gives, which no message and no traceback may show."""
    return hidden_values(pair for name, value in values.items() for pair in named_texts(name, value))
