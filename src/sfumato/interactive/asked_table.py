"""The table behind a desk: which records a question is about, group by group, and their values."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.messages import say
from sfumato.data.region import Region
from sfumato.data.schema import ColumnType, Role
from sfumato.data.text import as_held, to_text
from sfumato.errors import BadRequest
from sfumato.interactive.policy import DeskPolicy
from sfumato.interactive.question import Aggregate, Question
from sfumato.kernels.arrays import Bools, Codes, Floats, Words

__all__ = ["AskedTable"]


class AskedTable:
    """Records that are counted and added up, and never shown."""

    def __init__(self, table: Table, policy: DeskPolicy) -> None:
        hidden = {name for name, role in policy.roles().items() if role in (Role.IDENTIFIER, Role.DROP, Role.PRIVATE)}
        for name in [*policy.columns, *([policy.person] if policy.person is not None else [])]:
            if name not in table.types:
                raise BadRequest("is not a column of the table", parameter="columns", value=name, available=table.types)
        self.types: Mapping[str, ColumnType] = {
            name: kind for name, kind in table.types.items() if name in policy.columns and name not in hidden
        }
        self.rows = table.rows
        self.policy = policy
        self.domains: Mapping[str, tuple[Hashable, ...]] = {
            name: tuple(_declared(value, self.types[name], name) for value in values)
            for name, values in policy.domains().items()
            if name in self.types
        }
        self.source, self._codes = table, dict[str, Codes]()
        if policy.person is not None and table.distinct([policy.person]) < table.rows:
            raise BadRequest(say("desk.bad.twice"), column=policy.person)

    @cached_property
    def version(self) -> str:
        """The digest of what the table holds."""
        return self.source.content_digest()

    def read(self, question: Question | str) -> Question:
        """Return a question as this table reads it; columns that nobody may ask for are refused."""
        return Question.of(question).typed(self.types)

    # ---- who is asked for --------------------------------------------------------------------------------------------

    def masks(self, asked: Question, aggregate: Aggregate) -> Iterator[tuple[tuple[Hashable, ...], Bools]]:
        """Yield each group of a question with its records; those without a value of the aggregate's column are in none."""
        inside = np.ones(self.rows, np.bool_)
        for column, region in asked.regions(self.types).items():
            inside &= self._within(column, region)
        if aggregate.column is not None:
            inside &= self.known(aggregate.column)
        groups = {column: self._groups(column) for column in asked.by}
        for cell in asked.cells(self.domains):
            mask = inside.copy()
            for column, value in zip(asked.by, cell, strict=True):
                mask &= groups[column] == self.domains[column].index(value)
            yield cell, mask

    def known(self, column: str) -> Bools:
        """Tell which records have a value in a column."""
        return np.asarray(self._coded(column) >= 0)

    def numbers(self, column: str, bounds: tuple[float, float] | None = None) -> Floats:
        """Return the values of a column, those outside of bounds moved to their ends; 0 where there is none."""
        known = np.array([*(float(str(value)) for value in self.source.dictionary(column).values), 0.0])
        if bounds is not None:
            known[:-1] = np.clip(known[:-1], *bounds)
        return np.asarray(known[self._coded(column)])

    def names(self) -> list[str]:
        """Return the persons, row by row."""
        assert self.policy.person is not None
        known = [to_text(value) for value in self.source.dictionary(self.policy.person).values]
        codes = self.source.as_rows().codes([self.policy.person])[:, 0]
        return [known[code] if code >= 0 else "" for code in codes]

    def keys(self, secret: str) -> Words:
        """Return a secret number for each record: of its person, or of all that it says and how many alike stand before it."""
        if self.policy.person is not None:
            texts = self.names()
        else:
            seen: dict[str, int] = {}
            texts = []
            for row in self.source.to_rows():
                text = "\x1f".join("\x00" if value is None else to_text(value) for value in row)
                seen[text] = seen.get(text, 0) + 1
                texts.append(f"{text}\x1e{seen[text]}")
        key = secret.encode()
        digests = b"".join(blake2b(text.encode(), digest_size=8, key=key).digest() for text in texts)
        return np.frombuffer(digests, np.uint64)

    def _coded(self, column: str) -> Codes:
        if column not in self._codes:
            self._codes[column] = np.ascontiguousarray(self.source.as_rows().codes([column])[:, 0])
        return self._codes[column]

    def _within(self, column: str, region: Region) -> Bools:
        """Tell which records have a value in a region; where values are declared, others are in none."""
        known, declared = self.source.dictionary(column).values, self.domains.get(column)
        allowed = [value in region and (declared is None or value in declared) for value in known]
        return np.asarray(np.array([*allowed, False], np.bool_)[self._coded(column)])

    def _groups(self, column: str) -> Codes:
        """Return the place of each record's value among the declared ones; -1 for none of them."""
        place = {value: at for at, value in enumerate(self.domains[column])}
        known: Sequence[Hashable] = self.source.dictionary(column).values
        return np.asarray(np.array([*(place.get(value, -1) for value in known), -1], np.int32)[self._coded(column)])


def _declared(value: Hashable, kind: ColumnType, column: str) -> Hashable:
    found = as_held(value, kind)
    if found is None:
        raise BadRequest(f"declares what is no {kind}", parameter="columns.values", column=column, value=to_text(value))
    return found
