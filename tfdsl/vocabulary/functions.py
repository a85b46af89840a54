"""The functions of expressions (language reference, "Expressions")."""

from __future__ import annotations

from tfdsl.record import Record


class Function(Record):
    """One function. ``least`` and ``most`` bound the number of arguments (``most`` ``None``: no bound)."""

    name: str
    signature: str
    doc: str
    least: int
    most: int | None


FUNCTIONS = (
    Function("secret", "secret(name, key)", "A key of a Secret; in `env` only.", 2, 2),
    Function("configmap", "configmap(name, key)", "A key of a ConfigMap; in `env` only.", 2, 2),
    Function("min", "min(a, b, …)", "The smallest of numbers, quantities or durations.", 1, None),
    Function("max", "max(a, b, …)", "The largest of numbers, quantities or durations.", 1, None),
    Function("len", "len(list|map|string)", "How many elements, entries or characters.", 1, 1),
    Function("lower", "lower(text)", "In small letters.", 1, 1),
    Function("upper", "upper(text)", "In capital letters.", 1, 1),
    Function("trim", "trim(text)", "Without white space at both ends.", 1, 1),
    Function("join", "join(separator, list)", "The elements as one text.", 2, 2),
    Function("split", "split(separator, text)", "The parts of a text.", 2, 2),
    Function("replace", "replace(text, old, new)", "With every `old` replaced.", 3, 3),
    Function("format", 'format("%s %d", …)', "`%s` any value, `%d` an int, `%%` a percent sign.", 1, None),
    Function("file", 'file("path")', "Text of a file beside the source (UTF-8, at most 1 MiB).", 1, 1),
)
BY_NAME = {row.name: row for row in FUNCTIONS}
