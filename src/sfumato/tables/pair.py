"""A raw table and a release side by side: the same records in the same order where they can be found, as learners take them.

A release is sorted, so its rows are not those of the raw table. Where the recoding is known, the raw rows are recoded again,
which gives the published rows in the order of the raw ones; that they are the published rows is checked.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path

import numpy.typing as npt

from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Unsupported
from sfumato.publishing.published import open_published
from sfumato.tables.open import open_table
from sfumato.tables.perturb import PerturbedResult
from sfumato.tables.policy import Policy, policy_of
from sfumato.tables.prepare import settle_missing
from sfumato.tables.recode import recode_table
from sfumato.utility.features import ColumnKind, readable

__all__ = ["Masking", "Pair", "Side", "open_pair", "prepared", "side", "taken"]

# Recodings of whole records that leave records out; a record that is to be predicted cannot be left out.
_LEAVING_OUT = ("group-suppression", "record-suppression")


@frozen(eq=False)
class Side:
    """Columns of a table as learners take them: values in the form of their kind."""

    columns: dict[str, list[Hashable]]
    kinds: dict[str, ColumnKind]

    def only(self, names: Sequence[str]) -> Side:
        """Keep these columns."""
        return Side({name: self.columns[name] for name in names}, {name: self.kinds[name] for name in names})


@frozen(eq=False)
class Masking:
    """How a table was masked, to be applied to other records."""

    recodings: Mapping[str, ColumnRecoding]
    operations: Sequence[TableRecoding] = ()

    def again(self, table: Table) -> Table:
        """Recode the records the masking was learned on: what is published, in their order."""
        masked = recode_table(table, self.recodings).table if self.recodings else table
        for operation in self.operations:
            masked = operation.apply(masked)
        return masked

    def apply(self, table: Table) -> Table:
        """Recode other records; values without a place get the most general label, and no record is left out."""
        masked = recode_table(table, self.recodings, unknown="root").table if self.recodings else table
        for operation in self.operations:
            if operation.id not in _LEAVING_OUT:
                masked = operation.apply(masked, unknown="root")
        return masked


@frozen(eq=False)
class Pair:
    """A raw table and a release of it.

    ``aligned`` tells whether the rows of ``released`` are those of ``raw``, in the same order. ``qid`` are the masked columns.
    ``masking`` and ``policy`` are there if the release came with them.
    """

    raw: Table
    released: Table
    qid: tuple[str, ...]
    aligned: bool
    policy: Policy | None = None
    masking: Masking | None = None
    notes: tuple[str, ...] = ()

    @property
    def shared(self) -> tuple[str, ...]:
        """The columns that both have, in the order of the release."""
        return tuple(name for name in self.released.columns if name in self.raw.types)

    def side(self, table: Table, names: Sequence[str]) -> Side:
        """Return columns of the raw or of a masked table; numbers that a file holds as text are numbers again."""
        numeric = [name for name in names if name in self.raw.types and self.raw.types[name].numeric]
        return side(table, names, numeric)


def side(table: Table, names: Sequence[str], numeric: Sequence[str] = ()) -> Side:
    """Return columns of a table as learners take them."""
    read = {name: readable(_values(table, name), numeric=name in numeric) for name in names}
    return Side({name: values for name, (_, values) in read.items()}, {name: kind for name, (kind, _) in read.items()})


def taken(table: Table, rows: npt.ArrayLike) -> Table:
    """Return some rows of a table, in the same engine."""
    return table.as_rows().take(rows)


def prepared(source: object, policy: Policy | None, run: Run | None = None) -> Table:
    """Open a raw table; if its policy is known, without identifiers and with missing values settled as it says."""
    table = open_table(source, policy, run=None if run is None else run.part())
    if policy is None:
        return table
    shaped = policy.cells()
    kept = [name for name, entry in policy.columns.items() if not entry.role.hidden and name not in shaped]
    absent = [name for name in kept if name not in table.types]
    if absent:
        raise BadRequest("the table lacks a column of the policy", column=absent[0], available=table.columns)
    return settle_missing(table.select(kept), policy)[0]


def open_pair(
    raw: object,
    release: object,
    *,
    qid: Sequence[str] | None = None,
    policy: Policy | Mapping[str, object] | str | Path | None = None,
    aligned: bool = False,
    run: Run | None = None,
) -> Pair:
    """Open a raw table and a release of it, and bring their rows into the same order if there is a way.

    ``release`` is what ``anonymize``, ``recode``, ``apply`` or ``perturb`` gave, a release folder, or any table. With
    ``aligned`` the caller vouches that the rows of a table are in the order of the raw ones.
    """
    asked = Policy.of(policy) if policy is not None else None
    released, masking, saved = _opened(release, None if run is None else run.memory)
    asked = asked or saved
    table = prepared(raw, asked, run)
    names = _masked_columns(table, released, qid, asked)
    notes: tuple[str, ...] = ()
    if masking is not None and all(name in table.types for name in masking.recodings):
        again = masking.again(table)
        if _same_groups(again, released, [name for name in names if name in released.types]):
            return Pair(table, again, names, True, asked, masking)
        notes = (say("warning.recoding_differs"),)
    fits = table.rows == released.rows and (aligned or _same_order(table, released, names))
    if aligned and not fits:
        raise BadRequest(
            f"has {released.rows:,} rows, the raw table {table.rows:,}; rows cannot be aligned", parameter="release"
        )
    return Pair(table, released, names, fits, asked, masking, notes)


def _opened(release: object, memory: int | None) -> tuple[Table, Masking | None, Policy | None]:
    published = open_published(release.table if isinstance(release, PerturbedResult) else release, memory=memory)
    _refuse_several(published.kind, len(published.tables))
    kept, policy = published.private, policy_of(published)
    masking = Masking(kept.recodings, kept.operations) if kept.recodings or kept.operations or policy else None
    return published.table, masking, policy


def _refuse_several(kind: str, tables: int) -> None:
    if tables > 1:
        raise Unsupported(
            f"a {kind} is published in {tables} tables; learners take one",
            thing=kind,
            alternatives=["sfumato queries"],
        )


def _masked_columns(raw: Table, released: Table, qid: Sequence[str] | None, policy: Policy | None) -> tuple[str, ...]:
    """Return the quasi-identifiers: those named, those of the policy, or the columns whose values changed."""
    if qid is not None:
        for name in qid:
            if name not in raw.types:
                raise BadRequest("is not a column of the raw table", parameter="qid", value=name, available=raw.columns)
        return tuple(qid)
    if policy is not None:
        return policy.of_role(Role.QUASI_IDENTIFIER)
    return tuple(
        name
        for name in released.columns
        if name in raw.types
        and (raw.types[name] != released.types[name] or _counts(raw, name) != _counts(released, name))
    )


def _counts(table: Table, name: str) -> dict[Hashable, int]:
    found = table.dictionary(name)
    return dict(zip(found.values, found.counts.tolist(), strict=True))


def _same_groups(masked: Table, released: Table, names: Sequence[str]) -> bool:
    if masked.rows != released.rows or not names:
        return False
    counted = []
    for table in (masked, released):
        groups = table.groups(names)
        counted.append(
            {
                tuple(None if value is None else to_text(value) for value in groups.key(number)): int(size)
                for number, size in enumerate(groups.sizes)
            }
        )
    return counted[0] == counted[1]


def _same_order(raw: Table, released: Table, masked: Sequence[str]) -> bool:
    """Tell whether every column that was not masked has the same values row by row; with no such column, nobody knows."""
    names = [name for name in released.columns if name in raw.types and name not in masked]
    return bool(names) and all(_values(raw, name) == _values(released, name) for name in names)


def _values(table: Table, name: str) -> list[Hashable]:
    return [value for batch in table.select([name]).batches() for value in batch.column(0).to_pylist()]
