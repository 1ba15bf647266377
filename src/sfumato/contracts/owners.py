"""What became of the owners who asked for protection, and what the others paid; for the publisher alone."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from sfumato.contracts.record import Record
from sfumato.data.frozen import frozen
from sfumato.data.messages import say

__all__ = ["OwnerBlock", "Owners"]


@frozen(eq=False, repr=False, kw_only=True)
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


@frozen(eq=False, repr=False, kw_only=True)
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

        def number(value: int) -> str:
            return say("owner.number", value=value)

        def share(value: float) -> str:
            return say("owner.share", value=value)

        def of(part: int, whole: int) -> str:
            return say("owner.part", part=part, share=part / whole if whole else 0.0)

        return [
            (say("owner.records"), number(self.records), ""),
            (say("owner.embarrassing"), of(self.embarrassing, self.records), say("owner.embarrassing_means")),
            (say("owner.protected"), of(self.protected, self.records), say("owner.protected_means")),
            (
                say("owner.generalized"),
                of(self.by_generalization, self.protected),
                say("owner.generalized_means"),
            ),
            (say("owner.added_rows"), of(self.by_added_rows, self.protected), say("owner.added_rows_means")),
            (say("owner.left_out"), of(self.by_withholding, self.protected), ""),
            (say("owner.without_weight"), number(self.asked_without_weight), say("owner.without_weight_means")),
            (say("owner.blocks"), number(self.blocks), ""),
            (say("owner.new_rows"), number(self.rows_added), say("owner.new_rows_means")),
            (say("owner.others_unchanged"), of(self.others_as_they_are, self.others), ""),
            (
                say("owner.others_in_blocks"),
                of(self.others_in_blocks, self.others),
                say("owner.others_in_blocks_means"),
            ),
            (say("owner.others_left_out"), of(self.others_left_out, self.others), ""),
            (say("owner.detail_protected"), share(self.generalized_protected), say("owner.detail_means")),
            (say("owner.detail_others"), share(self.generalized_others), say("owner.detail_means")),
        ]

    def words(self) -> str:
        """Return the same in one line."""
        return say(
            "owner.words",
            protected=self.protected,
            records=self.records,
            by_generalization=self.by_generalization,
            by_added_rows=self.by_added_rows,
            by_withholding=self.by_withholding,
            others=self.others,
            others_in_blocks=self.others_in_blocks,
            others_left_out=self.others_left_out,
            generalized_others=self.generalized_others,
            rows_added=self.rows_added,
        )
