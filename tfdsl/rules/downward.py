"""The fields of a pod that its own variables can have (Kubernetes, "Downward API", fieldRef)."""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.diagnostics import value_rules
from tfdsl.diagnostics.suggest import closest, fold
from tfdsl.patterns import regex
from tfdsl.rules.broken import Broken
from tfdsl.rules.names import qualified_problem
from tfdsl.vocabulary.downward import FIELDS, KEYED

_MEMBER = regex(r"(metadata\.\w+)\['((?s:.*))'\]")


def pod_field(path: str) -> Broken | None:
    """``path`` must be a field that the API server accepts in ``env`` (core/v1, validateObjectFieldSelector)."""
    if path in FIELDS:
        return None
    member = _MEMBER.fullmatch(path)
    if member is not None and member[1] in KEYED:
        key = member[2].lower() if member[1] == "metadata.annotations" else member[2]
        problem = qualified_problem(key)
        if problem is None:
            return None
        values = {"given": f'"{member[2]}"', "what": f"{KEYED[member[1]]} key", "problem": problem}
        return Broken(value_rules.LABEL_SYNTAX, (), values)
    broken = Broken(value_rules.POD_FIELD, (), {"given": f'"{path}"'})
    return broken.help(_instead(path))


def _instead(path: str) -> str:
    """What to write for a path that is not a field."""
    owner = path.partition("[")[0].rstrip(".")
    if owner in KEYED:
        return f"name one of them: pod_field(\"{owner}['KEY']\")"
    if path.startswith(("limits.", "requests.")):
        return "write the amount itself in env: the job sets it"
    last = {fold(field.rpartition(".")[2]): field for field in FIELDS}
    near = last.get(fold(path.rpartition(".")[2])) or closest(path, FIELDS)
    if near is not None:
        return f'did you mean pod_field("{near}")?'
    return f"fields are {', '.join(FIELDS)}, and {' and '.join(_members())}"


def _members() -> Iterator[str]:
    return (f"{name}['KEY']" for name in KEYED)
