"""What became of the owners who asked for protection, and what the others paid; for the publisher alone."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from sfumato.contracts.record import Record
from sfumato.data.words import counted, number, percent

__all__ = ["OwnerBlock", "Owners"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OwnerBlock(Record):
    """A block around a protected record: its ``node`` of the lattice, the ``value`` it shows, its ``members``.

    ``seed``, ``members`` and ``donors`` are positions of records; ``added`` are the sensitive values of rows that were added.
    ``resolved_by`` says what made the block safe, in the round ``iteration``.
    """

    seed: int
    node: Sequence[int]
    value: Sequence[str]
    members: Sequence[int]
    added: Sequence[Hashable]
    donors: Sequence[int]
    iteration: int
    resolved_by: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Owners(Record):
    """Counts of records, and how far values climbed.

    ``generalized_protected`` and ``generalized_others`` are shares of the way to the root, over all records of either kind and
    all quasi-identifiers; a record that is left out climbs all the way.
    """

    records: int
    embarrassing: int
    protected: int
    by_generalization: int
    by_added_rows: int
    by_withholding: int
    asked_without_weight: int
    others: int
    others_as_they_are: int
    others_in_blocks: int
    others_left_out: int
    blocks: int
    rows_added: int
    generalized_protected: float
    generalized_others: float

    def rows(self) -> list[tuple[str, str, str]]:
        """Return a row for each fact: what it is, the number, and what it means."""

        def of(part: int, whole: int) -> str:
            return f"{number(part)} ({percent(part, whole)})"

        return [
            ("Records", number(self.records), ""),
            ("Records with an embarrassing value", of(self.embarrassing, self.records), "weight 1"),
            ("Owners who are protected", of(self.protected, self.records), "weight 1 and they mind, or gave no answer"),
            (
                "Protected by generalization",
                of(self.by_generalization, self.protected),
                "in a block that looks like the whole table",
            ),
            ("Protected by added rows", of(self.by_added_rows, self.protected), "in a block that rows were added to"),
            ("Protected by being left out", of(self.by_withholding, self.protected), ""),
            ("Asked, but their value has weight 0", number(self.asked_without_weight), "they get no protection"),
            ("Blocks", number(self.blocks), ""),
            ("Rows that were added", number(self.rows_added), "they stand for nobody"),
            ("Others whose record is as it was", of(self.others_as_they_are, self.others), ""),
            ("Others in blocks", of(self.others_in_blocks, self.others), "their values became less exact"),
            ("Others who are left out", of(self.others_left_out, self.others), ""),
            ("Detail lost by protected owners", percent(self.generalized_protected, 1), "share of the way to the root"),
            ("Detail lost by the others", percent(self.generalized_others, 1), "share of the way to the root"),
        ]

    def words(self) -> str:
        """Return the same in one line."""
        return (
            f"owners: {counted(self.protected, 'record')} protected of {number(self.records)}, "
            f"{number(self.by_generalization)} by generalization, {number(self.by_added_rows)} by added rows, "
            f"{number(self.by_withholding)} by being left out; of {counted(self.others, 'other')} "
            f"{number(self.others_in_blocks)} are in blocks and {number(self.others_left_out)} left out, which cost them "
            f"{percent(self.generalized_others, 1)} of their detail; {counted(self.rows_added, 'row')} added"
        )
