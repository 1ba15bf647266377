"""The joint search as one holder sees it: own columns are refined, those of others follow as they are told.

Every holder keeps the same groups of record numbers. What a step would cost is counted for own columns only; how another's
column parts arrives as one number for each record that carries the value.
"""

from __future__ import annotations

import hashlib

import numpy as np

from sfumato.contracts.algorithm import Attribute
from sfumato.contracts.metric import Refinement, SearchMetric
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.frozen import frozen
from sfumato.errors import InternalError
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.parties.collaboration import Proposal
from sfumato.parties.conversation.message import OutOfProtocol
from sfumato.parties.holding import Holding
from sfumato.searches.columns import Column, IntervalColumn, TaxonomyColumn, open_column
from sfumato.searches.refinement import Refinery, quantized
from sfumato.searches.validity import Step

__all__ = ["HolderRefinery", "Parting", "TheirColumn", "packed", "unpacked"]


@frozen(eq=False)
class Parting:
    """How a shown value parts: the column, the value by its number of birth, its children, and the child of each record.

    ``parts`` has one number for each record that carries the value, in the order of record numbers.
    """

    index: int
    born: int
    value: str
    children: tuple[str, ...]
    parts: Codes


class TheirColumn(Column):
    """A column of another holder: which of its values, numbered by birth, each record carries, and what they are called."""

    def __init__(self, attribute: Attribute, records: int) -> None:
        super().__init__(attribute, ("",), np.zeros((1, 1), np.int64), 1)
        self.shown = np.zeros(records, np.int32)
        self.labels = [""]

    def refine(self, slot: int) -> Codes:
        raise InternalError("only its holder refines a column")

    def label(self, slot: int) -> str:
        return self.labels[slot]

    def parts(self, slot: int) -> tuple[str, ...]:
        raise InternalError("only its holder knows how a column parts")

    def label_of_code(self, code: int) -> str:
        raise InternalError("only its holder knows the values of a column")

    def recoding(self) -> ColumnRecoding:
        raise InternalError("only its holder knows the recoding of a column")


class HolderRefinery(Refinery):
    """A top-down search of which this holder takes the steps in its own columns, and follows those of others."""

    def __init__(self, holding: Holding, metric: SearchMetric) -> None:
        self.own = frozenset(holding.own)
        super().__init__(holding.together, metric)
        # Values are numbered by birth, alike at every holder: places in a tree may tell how many values come before.
        self.births: list[list[int]] = [[0] for _ in self.columns]
        # Codes of a record lie side by side; to find who carries a value, those of a column are read again and again.
        self._codes = {at: np.ascontiguousarray(self.task.table.codes[:, at]) for at in holding.own}
        target = holding.together.target
        extra = self.task.table.extra_codes
        self._classes = (
            extra[:, self.task.table.extra.index(target)].astype(np.int64) if target else np.empty(0, np.int64)
        )
        self._digest = hashlib.sha256()

    def _opened(self, midpoint: bool) -> list[Column]:
        return [
            open_column(self.task, at, self.metric, midpoint=midpoint)
            if at in self.own
            else TheirColumn(attribute, len(self.task.table))
            for at, attribute in enumerate(self.task.attributes)
        ]

    def _refinable(self, index: int) -> bool:
        return index in self.own and super()._refinable(index)

    def _loss_and_validity(self, index: int, slots: Ints) -> tuple[Floats, Bools]:
        if len(slots) == 0:  # as always in columns of others
            return np.empty(0), np.empty(0, bool)
        return super()._loss_and_validity(index, slots)

    # ---- own steps ---------------------------------------------------------------------------------------------------

    def proposal(self, chosen: tuple[int, int]) -> Proposal:
        """Return an own step with what it is worth."""
        index, slot = chosen
        column, slots = self.columns[index], np.array([slot])
        score = self._score(index, slots, self._loss_and_validity(index, slots)[0])
        return Proposal(column.name, column.label(slot), float(score[0]))

    def parting(self, chosen: tuple[int, int]) -> Parting:
        """Return how the value of an own step parts; nothing is done yet."""
        index, slot = chosen
        column = self.columns[index]
        carried = self._codes[index][(_slots(column) == slot)[self._codes[index]]]
        parts = column.child[carried]
        return Parting(index, self.births[index].index(slot), column.label(slot), column.parts(slot), parts)

    def take(self, chosen: tuple[int, int]) -> None:
        """Take an own step."""
        self.apply(*chosen)
        self._note(chosen[0])

    def _part(self, index: int, slot: int, slots: Codes, child: Codes) -> None:
        self.births[index] += slots.tolist()
        super()._part(index, slot, slots, child)

    def drop(self, chosen: tuple[int, int]) -> None:
        """Give an own step up for good: another holder has rejected it."""
        index, slot = chosen
        self.columns[index].alive[slot] = False

    # ---- steps of others ---------------------------------------------------------------------------------------------

    def told(self, parting: Parting) -> Ints:
        """Look at a step of another holder; return the records it concerns. What cannot be is refused."""
        column = self.columns[parting.index] if 0 <= parting.index < len(self.columns) else None
        if not isinstance(column, TheirColumn):
            raise OutOfProtocol("parts a column that its sender does not hold", parameter="instruct")
        rows = np.flatnonzero(column.shown == parting.born)
        ways = len(parting.children)
        if len(rows) == 0 or len(rows) != len(parting.parts) or int(parting.parts.max(initial=0)) >= ways:
            raise OutOfProtocol("does not fit the records that carry the value", parameter="instruct")
        self.task.table.codes[rows, parting.index] = parting.parts
        return rows

    def accepts(self, parting: Parting) -> bool:
        """Tell whether what only this holder can judge would hold after a step of another that was told."""
        column = self.columns[parting.index]
        column.child, before = np.arange(len(parting.children), dtype=np.int32), column.child
        held = self.validity.would_hold(Step(column, parting.index, parting.born, self.partitions))
        column.child = before
        return held

    def gain(self, parting: Parting, rows: Ints) -> Floats | None:
        """Return what a step gives, from what everybody knows; ``None`` if that needs more than classes."""
        task = self.task
        if task.target is None or not self.metric.traits.needs_target:
            return None
        classes = self._classes[rows]
        width = max(len(task.table.dictionaries[task.target]), 1)
        ways = len(parting.children)
        counts = np.bincount(parting.parts.astype(np.int64) * width + classes, minlength=ways * width)
        children = counts.reshape(1, ways, width)
        step = Refinement(children[0].sum(axis=0), children, 1.0, np.full((1, ways), 1.0 / ways))
        return self.metric.gain(step)

    def follow(self, parting: Parting, rows: Ints) -> float | None:
        """Take a step of another holder that was told; return its score as everybody can count it, if classes decide it.

        A step that breaks a requirement on sizes is refused.
        """
        gain, loss = self.gain(parting, rows), 0.0
        index, column = parting.index, self.columns[parting.index]
        assert isinstance(column, TheirColumn)
        born = len(column.labels)
        slots = np.arange(born, born + len(parting.children), dtype=np.int32)
        column.labels[parting.born] = parting.value
        column.labels += parting.children
        column.shown[rows] = slots[parting.parts]
        for at in self.own:
            self.layout.refresh(at, all_slots=False)
        touching = self._touching(index)
        for qid, partition in touching:
            before = partition.smallest
            partition.look_ahead(partition.split(index, parting.born, slots, slots - born))
            if partition.smallest < self.validity.least.get(qid, 1):
                raise OutOfProtocol("breaks a requirement that was agreed on", parameter="instruct")
            loss += before - partition.smallest
        self.steps += 1
        self._note(index)
        return None if gain is None else float(self.metric.score(gain, np.array([loss / len(touching)]))[0])

    # ---- the state ---------------------------------------------------------------------------------------------------

    def _note(self, index: int) -> None:
        for _, partition in self._touching(index):
            self._digest.update(np.ascontiguousarray(partition.sizes).tobytes())
        self._digest.update(b"|%d" % index)

    def digest(self) -> str:
        """Return a hash of the groups after every step: equal at all holders, or one of them is wrong."""
        return self._digest.hexdigest()

    def labels(self, index: int) -> tuple[Codes, list[str]]:
        """Return what a column shows, record by record: numbers, and what they are called."""
        column = self.columns[index]
        if isinstance(column, TheirColumn):
            return column.shown, column.labels
        return self.task.table.codes[:, index], [column.label_of_code(code) for code in range(len(column.values))]

    def key(self, proposal: Proposal | None) -> int:
        """Return the number by which own steps are compared with those of others: 0 is none, no two holders have the same."""
        if proposal is None:
            return 0
        rank = list(self.task.qids).index(proposal.attribute)
        score = int(quantized(np.array([proposal.score * self.unit]))[0])
        if score < 0 or rank > 65534:
            raise InternalError(f"{self.metric.id} gives scores that cannot be compared between holders")
        return (score << 16) | (65535 - rank)


def _slots(column: Column) -> Codes:
    """Return the slot that each code of an own column shows."""
    if isinstance(column, TaxonomyColumn):
        return column.node_of_code
    assert isinstance(column, IntervalColumn)
    return column.slot_of_code


def packed(parts: Codes, ways: int) -> bytes:
    """Return the child of each record in as few bits as the number of children needs.

    >>> packed(np.array([0, 1, 1, 0, 1], np.int32), 2)
    b'h'
    """
    bits = max((ways - 1).bit_length(), 0)
    return np.packbits((parts[:, None] >> np.arange(bits)[::-1]) & 1).tobytes() if bits else b""


def unpacked(content: bytes, ways: int, records: int) -> Codes:
    """Return what was packed; refuse what has another length, or names a child that there is not.

    >>> unpacked(b"h", 2, 5).tolist()
    [0, 1, 1, 0, 1]
    """
    bits = max((ways - 1).bit_length(), 0)
    if records < 0 or ways < 1 or len(content) != -(-records * bits // 8):
        raise OutOfProtocol("does not have a number for each record", parameter="instruct")
    if not bits:
        return np.zeros(records, np.int32)
    found = np.unpackbits(np.frombuffer(content, np.uint8), count=records * bits).reshape(records, bits)
    return np.asarray((found.astype(np.int32) << np.arange(bits, dtype=np.int32)[::-1]).sum(axis=1, dtype=np.int32))
