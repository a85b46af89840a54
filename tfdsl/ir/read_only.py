"""Maps of the IR: dicts that nobody can change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, get_args

from pydantic_core import core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

K = TypeVar("K")
V = TypeVar("V")


class ReadOnlyMap(dict[K, V]):
    """A dict that cannot be changed, and so can be hashed; a model that holds one is as frozen as it says."""

    def __hash__(self) -> int:  # type: ignore[override]  # a dict says None, for it can change
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[ReadOnlyMap[K, V]], tuple[dict[K, V]]]:
        """Copied and pickled as a whole: the usual way fills an empty one."""
        return type(self), (dict(self),)

    @classmethod
    def __get_pydantic_core_schema__(cls, _: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Validated like any dict; this describes the default of a field."""
        return handler(dict[Any, Any])


def _refuse(*_: Any, **__: Any) -> NoReturn:
    message = "a map of the IR cannot be changed"
    raise TypeError(message)


for _name in ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"):
    setattr(ReadOnlyMap, _name, _refuse)


EMPTY: ReadOnlyMap[Any, Any] = ReadOnlyMap()


class ReadOnly:
    """Annotates a mapping that is taken of any kind, and kept so that it cannot be changed."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """The schema of its keys and values, and the copy."""
        keys, values = (handler.generate_schema(part) for part in get_args(source))
        return core_schema.no_info_after_validator_function(
            ReadOnlyMap, core_schema.dict_schema(keys, values, strict=False)
        )
