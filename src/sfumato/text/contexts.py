"""What the public knows of entities: for each of them its context, the terms that speak of it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Self

from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.engines import read
from sfumato.errors import BadRequest

__all__ = ["Contexts"]


@frozen(eq=False)
class Contexts:
    """Entities with their contexts; some of them are protected: no document may be traced to one of these.

    Terms are compared without regard to case. Sets of entities and of terms are long numbers here, one bit for each.

    >>> contexts = Contexts.of({"flu": ["fever", "cough"], "cold": ["cough"], "rash": ["itching"]}, protected=["flu"])
    >>> contexts.covered("flu", ["cough"])
    ('cold',)
    """

    entities: tuple[str, ...]
    terms: tuple[str, ...]
    held: tuple[int, ...] = field(repr=False)
    """The terms of each entity, as bits."""
    protected: tuple[str, ...]

    @classmethod
    def of(cls, source: object, protected: Collection[str] | None = None) -> Self:
        """Return the contexts of a mapping, a JSON file of lists, or a table of entities and terms.

        A table has its entities in the first column and a term of theirs in the second. All entities are protected if it is
        not said which.
        """
        known = _contexts(source)
        if not known:
            raise BadRequest("names no entity", parameter="contexts")
        strange = sorted(set(protected or ()) - set(known))
        if strange:
            raise BadRequest("is not an entity of the contexts", parameter="protected", values=strange)
        terms = tuple(sorted({term for context in known.values() for term in context}))
        place = {term: at for at, term in enumerate(terms)}
        held = tuple(sum(1 << place[term] for term in context) for context in known.values())
        chosen = set(known if protected is None else protected)
        return cls(tuple(known), terms, held, tuple(name for name in known if name in chosen))

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Where each entity stands."""
        return {name: at for at, name in enumerate(self.entities)}

    @cached_property
    def bit_of(self) -> Mapping[str, int]:
        """The bit of each term."""
        return {term: 1 << at for at, term in enumerate(self.terms)}

    @cached_property
    def holders(self) -> Mapping[int, int]:
        """By the bit of each term, the entities whose context holds it, as bits."""
        out = dict.fromkeys(self.bit_of.values(), 0)
        for at, terms in enumerate(self.held):
            for bit in bits(terms):
                out[bit] |= 1 << at
        return out

    @cached_property
    def telling(self) -> int:
        """The terms of protected entities, as bits: all others may stay in a document."""
        out = 0
        for name in self.protected:
            out |= self.held[self.place[name]]
        return out

    def mask(self, terms: Iterable[str]) -> int:
        """Return the terms as bits; those that no entity has are left out."""
        out = 0
        for term in terms:
            out |= self.bit_of.get(term.casefold(), 0)
        return out

    def cover(self, entity: int, terms: int) -> int:
        """Return the other entities whose contexts hold what an entity's own one shares with ``terms``, as bits."""
        out = (1 << len(self.entities)) - 1
        for bit in bits(self.held[entity] & terms):
            out &= self.holders[bit]
        return out & ~(1 << entity)

    def covered(self, entity: str, terms: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the entities that ``terms`` could speak of as well as of this one."""
        found = self.cover(self.place[entity], self.mask(terms))
        return tuple(name for at, name in enumerate(self.entities) if found >> at & 1)


def bits(number: int) -> Iterable[int]:
    """Yield the bits of a number, lowest first."""
    while number:
        low = number & -number
        yield low
        number ^= low


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of JSON; of an entity that is named twice one half of its terms would be forgotten."""
    out = dict(pairs)
    if len(out) < len(pairs):
        raise BadRequest("names an entity twice", parameter="contexts")
    return out


def _contexts(source: object) -> dict[str, set[str]]:
    if isinstance(source, (str, Path)) and Path(source).suffix == ".json":
        try:
            source = json.loads(Path(source).read_text("utf-8-sig"), object_pairs_hook=_once)
        except FileNotFoundError:
            raise BadRequest("there is no such file", parameter="contexts", value=str(source)) from None
        except (OSError, ValueError):
            raise BadRequest("is not a JSON file", parameter="contexts", value=Path(str(source)).name) from None
    if isinstance(source, Mapping):
        for terms in source.values():
            if isinstance(terms, (str, bytes)) or not isinstance(terms, Iterable):
                raise BadRequest("must be a list of terms for each entity", parameter="contexts")
        return {str(name): {to_text(term).casefold() for term in terms} for name, terms in source.items()}
    table = read(source)
    if len(table.columns) < 2:
        raise BadRequest("needs a column of entities and a column of terms", parameter="contexts")
    out: dict[str, set[str]] = {}
    for row in table.select(table.columns[:2]).to_rows():
        if row[0] is None:
            raise BadRequest("a row names no entity", parameter="contexts")
        held = out.setdefault(to_text(row[0]), set())
        if row[1] is not None:
            held.add(to_text(row[1]).casefold())
    return out
