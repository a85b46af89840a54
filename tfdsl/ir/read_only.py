"""Maps of the IR: dicts that nobody can change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

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
    def __get_pydantic_core_schema__(cls, _: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validated like any dict; this describes the default of a field."""
        return handler(dict[Any, Any])

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        message = "a map of the IR cannot be changed"
        raise TypeError(message)

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse


EMPTY: ReadOnlyMap[Any, Any] = ReadOnlyMap()
