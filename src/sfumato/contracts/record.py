"""Records of what was found: typed fields to whoever knows them, a mapping to whoever asks by name, plain data in a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, Self, TypeVar, get_args, get_type_hints

from sfumato.data.frozen import frozen

__all__ = ["ByName", "Record"]

R = TypeVar("R", bound="Record")
V = TypeVar("V", covariant=True)


class ByName(Mapping[str, V]):
    """Something with typed fields that merges like the dictionary it also is; ``document`` is what ``json.dumps`` takes."""

    def __or__(self, other: Mapping[str, object]) -> dict[str, object]:
        return {**self, **other} if isinstance(other, Mapping) else NotImplemented

    def __ror__(self, other: Mapping[str, object]) -> dict[str, object]:
        return {**other, **self} if isinstance(other, Mapping) else NotImplemented


@frozen(eq=False, repr=False, kw_only=True)
class Record(ByName[object]):
    """Fields of which each has a meaning; they can also be asked for by name, and compare like a dictionary.

    A field without a default is always told; one with a default is told unless it is ``None`` (or marked ``told``). ``more``
    holds what a file tells and no field knows, and is read by its own names.
    """

    more: Mapping[str, object] | None = None

    def __iter__(self) -> Iterator[str]:
        for name, always in _told(type(self)).items():
            if always or getattr(self, name) is not None:
                yield name
        yield from self.more or ()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> object:
        always = _told(type(self)).get(name)
        if always is None:
            return (self.more or {})[name]
        value: object = getattr(self, name)
        if value is None and not always:
            raise KeyError(name)
        return value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.items())})"

    def document(self) -> dict[str, object]:
        """Return what is told as plain data for a file."""
        return {name: _plain(value) for name, value in self.items()}

    @classmethod
    def read(cls, document: Mapping[str, object]) -> Self:
        """Return what a file told, as the kind of record that knows most of it; a file that fits none is kept as it is."""
        fitting = [
            one for one in _kinds(cls) if all(name in document for name, always in _needed(one).items() if always)
        ]
        kind = max(fitting, key=lambda one: len(_told(one).keys() & document.keys()), default=cls)
        inner = _inner(kind)
        try:
            known: dict[str, Any] = {
                name: _opened(document[name], inner.get(name)) for name in _told(kind) if name in document
            }
            return kind(**known, more={name: document[name] for name in document if name not in known} or None)
        except TypeError:  # something inside is not what it is now
            return cls(more=dict(document))


@cache
def _needed(kind: type[Record]) -> dict[str, bool]:
    """Return the names of the fields, and whether each must be given."""
    return {
        one.name: one.default is MISSING and one.default_factory is MISSING
        for one in fields(kind)
        if one.name != "more"
    }


@cache
def _told(kind: type[Record]) -> dict[str, bool]:
    """Return the names of the fields, and whether each is told even if it is ``None``."""
    marked = {one.name for one in fields(kind) if "told" in one.metadata}
    return {name: needed or name in marked for name, needed in _needed(kind).items()}


@cache
def _inner(kind: type[Record]) -> dict[str, type[Record]]:
    """Return which fields hold records, and of which kind."""
    found = {name: _record_in(hint) for name, hint in get_type_hints(kind).items()}
    return {name: one for name, one in found.items() if one is not None}


def _record_in(hint: object) -> type[Record] | None:
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint
    return next((one for one in map(_record_in, get_args(hint)) if one is not None), None)


def _kinds(kind: type[R]) -> Iterator[type[R]]:
    """Yield a kind and those that extend it beside it; what others add does not change how a file is read."""
    yield kind
    for one in kind.__subclasses__():
        if one.__module__ == kind.__module__:
            yield from _kinds(one)


def _opened(value: Any, kind: type[Record] | None) -> Any:
    if kind is None:
        return value
    return kind.read(value) if isinstance(value, Mapping) else [kind.read(entry) for entry in value]


def _plain(value: object) -> object:
    if isinstance(value, Record):
        return value.document()
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value
