"""Frozen value classes that cost nothing at start-up.

``dataclasses`` pulls in ``inspect`` (about 12 ms cold) and spends half a millisecond on each class; the
front end has dozens of small values and has to answer in the blink that an editor or a shell prompt
allows. A :class:`Record` is written like a dataclass (annotated fields, defaults last) and becomes a
slotted class with ``__init__``, equality, ``repr`` and :func:`replace`. Type checkers treat it as a
frozen dataclass. Modules that define records must use ``from __future__ import annotations``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

R = TypeVar("R", bound="Record")


@dataclass_transform(frozen_default=True, eq_default=True)
class RecordType(type):
    """Metaclass that turns the annotated fields of a class body into slots and an ``__init__``."""

    __fields__: tuple[str, ...]

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> RecordType:
        """Build the class; fields of a base record come first."""
        inherited: tuple[str, ...] = ()
        defaults: dict[str, object] = {}
        for base in bases:
            inherited += getattr(base, "__fields__", ())
            defaults.update(getattr(base, "__defaults__", {}))
        annotations: dict[str, str] = namespace.get("__annotations__", {})
        own = tuple(field for field in annotations if not annotations[field].startswith("ClassVar"))
        slots, own = own, tuple(field for field in own if not field.startswith("_"))  # _private is a slot alone
        fields = inherited + own
        defaults.update({field: namespace.pop(field) for field in own if field in namespace})
        namespace["__slots__"] = slots
        namespace["__fields__"] = fields
        namespace["__defaults__"] = defaults
        if fields and "__init__" not in namespace:
            namespace["__init__"] = _initialiser(fields, defaults)
        return super().__new__(mcs, name, bases, namespace)


def _initialiser(fields: tuple[str, ...], defaults: dict[str, object]) -> object:
    """An ``__init__`` that sets ``fields``; those with defaults come last.

    One is compiled for each number of fields, the others are copies with other names: compiling a hundred of them is a
    sixth of the time that a small job takes.
    """
    if any(default == {} for default in defaults.values()):
        return _compiled(fields, defaults)
    last = fields[len(fields) - len(defaults) :]
    if set(last) != set(defaults):
        raise TypeError(f"a field without a default follows one with a default: {', '.join(fields)}")
    model = _MODELS.get(len(fields))
    if model is None:
        model = _MODELS[len(fields)] = _compiled(tuple(f"field{number}" for number in range(len(fields))), {})
    code = model.__code__.replace(co_varnames=("self", *fields), co_names=fields)
    return type(model)(code, {}, "__init__", tuple(defaults[field] for field in last))


_MODELS: dict[int, FunctionType] = {}


def _compiled(fields: tuple[str, ...], defaults: dict[str, object]) -> FunctionType:
    fresh = {field for field, default in defaults.items() if default == {}}  # a dict of its own for each record
    values = {field: "None" if field in fresh else f"_defaults[{field!r}]" for field in defaults}
    parameters = ", ".join(f"{field}={values[field]}" if field in values else field for field in fields)
    body = "\n".join(
        f"    self.{field} = {{}} if {field} is None else {field}" if field in fresh else f"    self.{field} = {field}"
        for field in fields
    )
    scope: dict[str, Any] = {"_defaults": defaults}
    exec(f"def __init__(self, {parameters}):\n{body}\n", scope)  # the text contains only identifiers
    function_type: FunctionType = scope["__init__"]
    return function_type


class Record(metaclass=RecordType):
    """Base of all value classes of the front end."""

    def __eq__(self, other: object) -> bool:
        """Records are equal when they are of one class and all fields are equal."""
        if self.__class__ is not other.__class__:
            return NotImplemented
        return all(getattr(self, field) == getattr(other, field) for field in type(self).__fields__)

    def __hash__(self) -> int:
        """Hash over all fields; a record with a list or dict is not hashable."""
        return hash((self.__class__, *(getattr(self, field) for field in type(self).__fields__)))

    def __repr__(self) -> str:
        """``Name(field=value, …)``, for failing tests."""
        return f"{type(self).__name__}({', '.join(f'{f}={getattr(self, f)!r}' for f in type(self).__fields__)})"


def fields_of(kind: type) -> tuple[str, ...]:
    """Names of the fields of a record class, those of its bases first."""
    names: tuple[str, ...] = getattr(kind, "__fields__", ())
    return names


def replace(record: R, **changes: object) -> R:
    """A copy of ``record`` in which the named fields have new values."""
    cls = type(record)
    return cls(**{field: changes[field] if field in changes else getattr(record, field) for field in cls.__fields__})
