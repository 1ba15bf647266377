"""Multidimensional generalization: one function on whole records, so that equal records are published alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import Recoding
from sfumato.contracts.thing import columns, param
from sfumato.errors import BadRequest, InternalError, Unsupported
from sfumato.kernels.arrays import Codes, Ints
from sfumato.recodings._boxes import first_box
from sfumato.recodings._records import Labels, Records, Row
from sfumato.recodings.record_recoding import RecordRecoding

__all__ = ["MultidimensionalGeneralization"]

_PORTION = 1 << 20  # pairs of a record and a box that are compared at once

Box = tuple[str, ...]
Cut = tuple[Box, str] | tuple[Box, str, object]


class MultidimensionalGeneralization(RecordRecoding):
    """Records that agree on all quasi-identifiers are published alike; equal values of different records need not be.

    A box has one label for each column of ``qid``: a node of a tree, an interval of numbers such as ``[30-35)`` or ``[1-6]``, a
    run ``first..last`` of an order. A record ``(v_1, ..., v_m)`` is published as the first box ``(u_1, ..., u_m)`` with every
    ``v_i`` at or below ``u_i``; an earlier box is an exception inside a later one. A record in no box is ``outside``: refused,
    or published as the roots of all columns, or as the ``nearest`` box. That is the one with the smallest sum over columns of
    how far its side is from the value: for numbers the gap over the width of the range, for other values 1 where they lie
    outside; of several the first. Its label need not hold the value then.

    A step is named by the box and the column that falls into parts, with the first value of the second part where the
    column has no tree: ``refine((("ANY", "[30-40)"), "Age", 35))``.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> job = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
    >>> table = from_rows(["Job", "Age"], [("Engineer", 35), ("Engineer", 38), ("Lawyer", 38)])
    >>> recoding = MultidimensionalGeneralization(
    ...     qid=("Job", "Age"),
    ...     trees={"Job": job},
    ...     ranges={"Age": (30, 40)},
    ...     boxes=(("Engineer", "[35-38)"), ("Professional", "[38-40]")),
    ... )
    >>> recoding.apply(table).to_rows()
    [('Engineer', '[35-38)'), ('Professional', '[38-40]'), ('Professional', '[38-40]')]
    >>> recoding.refine((("Professional", "[38-40]"), "Job")).boxes
    (('Engineer', '[35-38)'), ('Engineer', '[38-40]'), ('Lawyer', '[38-40]'))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", 2006, doi:10.1109/ICDE.2006.101.
    """

    id: ClassVar[str] = "multidimensional-generalization"

    qid: tuple[str, ...] = columns("quasi-identifier", doc="columns of the boxes, in order")
    boxes: tuple[tuple[str, ...], ...] = param(
        doc="one label per column for each box; the first box that fits is published"
    )
    outside: str = param(
        default="refuse", choices=("refuse", "root", "nearest"), doc="what happens to later records that lie in no box"
    )

    def validate(self) -> None:
        """Refuse boxes that are no boxes of these columns."""
        super().validate()
        for name in self.qid:
            if name not in self.scales:
                raise BadRequest(
                    "needs a tree, a range or an order", parameter=f"{self.id}.qid", value=name, available=self.scales
                )
        if len(set(self.qid)) != len(self.qid) or set(self.qid) != set(self.scales):
            raise BadRequest(
                "must name every column with a tree, a range or an order once",
                parameter=f"{self.id}.qid",
                value=self.qid,
                available=self.scales,
            )
        for box in self.boxes:
            if len(box) != len(self.qid):
                raise BadRequest(f"must have {len(self.qid)} labels", parameter=f"{self.id}.boxes", value=box)
        for at, name in enumerate(self.qid):
            for label in self._sides(at):
                if not self.scales[name].knows(label):
                    raise BadRequest("is not a label", column=name, parameter=f"{self.id}.boxes", value=label)

    @property
    def recoded(self) -> tuple[str, ...]:
        """The columns of the boxes, in order."""
        return self.qid

    @property
    def mixed_granularity(self) -> bool:
        """Whether two boxes have different labels of a column, one inside the other."""
        return any(self.scales[name].nested(self._sides(at)) for at, name in enumerate(self.qid))

    @cached_property
    def _numbered(self) -> tuple[dict[str, int], ...]:
        """Column by column, the different labels that the boxes have, numbered in the order of their first box."""
        return tuple(
            {label: number for number, label in enumerate(dict.fromkeys(box[at] for box in self.boxes))}
            for at in range(len(self.qid))
        )

    def _sides(self, at: int) -> dict[str, int]:
        return self._numbered[at]

    @cached_property
    def _side_of(self) -> Codes:
        """The number of the label of each box, boxes x columns."""
        out = np.empty((len(self.boxes), len(self.qid)), np.int32)
        for at, sides in enumerate(self._numbered):
            out[:, at] = [sides[box[at]] for box in self.boxes]
        return out

    def published(self, column: str) -> tuple[str, ...] | None:
        """Return the labels that the boxes have in a column, and the root where it is the refuge of other records."""
        if column not in self.qid:
            return None
        root = [self.scales[column].root] if self.outside == "root" else []
        return tuple(dict.fromkeys([*self._sides(self.qid.index(column)), *root]))

    def publishes(self, column: str, label: str) -> bool:
        """Tell whether a text may appear in a column: as the side of a box, or as the root that is a refuge."""
        if column not in self.qid:
            return True
        refuge = self.outside == "root" and label == self.scales[column].root
        return refuge or label in self._sides(self.qid.index(column))

    # ---- which box a record lies in ----------------------------------------------------------------------------------

    def shown(self, records: Records, *, unknown: str = "declared") -> Labels:
        """Return the box of each record; the roots, if so declared, where there is none."""
        known = getattr(self, "_known", None)
        box_of = known[1] if known is not None and known[0] == records.source else self._find(records)
        self._keep(records, box_of)  # who applies a recoding often asks for its numbers next
        return self._of_boxes(records, box_of, unknown)

    def remember(self, table: Table, box_of: npt.ArrayLike) -> None:
        """Take the box of each different record, in their order, from a search that knows it; it is not looked for again.

        It must be the first box that holds the record; that it holds the record is checked. The memory is of this
        very table, whether or not what it counted is kept, and belongs to this object alone.
        """
        records = self._records(table, self.qid)
        given = np.asarray(box_of, np.int64)
        if given.shape != (len(records),) or (len(given) and not 0 <= given.min() <= given.max() < len(self.boxes)):
            raise InternalError(f"{self.id}: a search must give one box for each record")
        points, low, high = self._space(records)
        if not ((points >= low[given]) & (points < high[given])).all():
            raise InternalError(f"{self.id}: a search gives a box that does not hold its record")
        self._keep(records, given)

    def _keep(self, records: Records, box_of: Ints) -> None:
        if records.source is not None:
            object.__setattr__(self, "_known", (records.source, box_of.astype(np.int32, copy=False)))

    def box_of(self, rows: Sequence[Row]) -> Ints:
        """Return the number of the first box that holds each row, -1 where there is none."""
        return self._find(Records.from_rows(self.qid, rows))

    def _of_boxes(self, records: Records, box_of: Ints, unknown: str) -> Labels:
        """Return the labels of records whose boxes are known."""
        lost = int(records.sizes[box_of < 0].sum())
        rule = self.outside if unknown == "declared" else unknown
        if lost and rule not in ("root", "nearest"):
            raise BadRequest(
                f"{lost} record{'s lie' if lost > 1 else ' lies'} in no box",
                parameter=self.id,
                available=[f"{len(self.boxes)} boxes of {', '.join(self.qid)}", "unknown: root", "unknown: nearest"],
            )
        if lost and rule == "nearest" and self.boxes:
            box_of = self._nearest(records, box_of)
        out = {}
        for at, name in enumerate(self.qid):
            sides = dict(self._sides(at))
            root = sides.setdefault(self.scales[name].root, len(sides))
            side_of = np.append(self._side_of[:, at], np.int32(root))  # the last one answers for -1
            out[name] = (side_of[box_of], list(sides))
        return out

    def _nearest(self, records: Records, box_of: Ints) -> Ints:
        """Return the boxes of records, and the nearest ones of those that lie in none."""
        out = box_of.copy()
        gone = np.flatnonzero(box_of < 0)
        size = max(_PORTION // len(self.boxes), 1)
        apart = [self.scales[name].apart(list(self._sides(at)), records.values[at]) for at, name in enumerate(self.qid)]
        for start in range(0, len(gone), size):
            rows = gone[start : start + size]
            far = np.zeros((len(rows), len(self.boxes)))
            for at, gaps in enumerate(apart):
                codes = records.codes[rows, at]
                # A missing value is far from every side.
                far += np.where(codes < 0, 1.0, gaps[:, codes])[self._side_of[:, at]].T
            out[rows] = far.argmin(axis=1)
        return out

    def misplaced(self, table: Table) -> dict[str, int]:
        """Return how many records lie in no box, counted in each column that the nearest one misses."""
        records = self._records(table, self.qid)
        points, low, high = self._space(records)
        found = self._find(records)
        if not self.boxes or not (found < 0).any():
            return {}
        box_of = self._nearest(records, found)
        missed = (points < low[box_of]) | (points >= high[box_of])
        counts = records.sizes @ missed
        return {name: int(count) for name, count in zip(self.qid, counts.tolist(), strict=True) if count}

    def _find(self, records: Records) -> Ints:
        """Return the first box of each record, -1 where there is none; equal records are looked for once."""
        points, low, high = self._space(records)
        if records.weights is not None:
            return first_box(points, low, high)
        first, number = records.distinct
        return first_box(points[first], low, high)[number]

    def _space(self, records: Records) -> tuple[Codes, Codes, Codes]:
        """Return records as points, and boxes by their lowest corners and the corners just beyond the highest."""
        points = np.empty(records.codes.shape, np.int32)
        low, high = (np.empty((len(self.boxes), len(self.qid)), np.int32) for _ in range(2))
        for at, name in enumerate(self.qid):
            sides = self._sides(at)
            ranks, first, last = self.scales[name].runs(list(sides), records.values[at])
            side_of = self._side_of[:, at]
            points[:, at] = np.append(ranks, np.int32(-1))[records.codes[:, at]]  # a missing value lies nowhere
            low[:, at], high[:, at] = first[side_of], last[side_of]
        return points, low, high

    # ---- states ------------------------------------------------------------------------------------------------------

    def refine(self, value: Cut) -> MultidimensionalGeneralization:
        """Let one box fall into parts along one column: ``(box, column)``, or ``(box, column, at)`` without a tree."""
        box, parts = self._step(value)
        if box not in self.boxes:
            raise BadRequest("is not a box of the recoding", parameter="value", value=box, available=self.boxes)
        at = self.boxes.index(box)
        return replace(self, boxes=(*self.boxes[:at], *parts, *self.boxes[at + 1 :]))

    def generalize(self, value: Cut) -> MultidimensionalGeneralization:
        """Join the parts of a box again: the inverse of :meth:`refine`."""
        box, parts = self._step(value)
        for at in range(len(self.boxes) - len(parts) + 1):
            if self.boxes[at : at + len(parts)] == parts:
                return replace(self, boxes=(*self.boxes[:at], box, *self.boxes[at + len(parts) :]))
        raise BadRequest(
            "needs all parts of the box, one after the other", parameter="value", value=parts, available=self.boxes
        )

    def _step(self, value: Cut) -> tuple[Box, tuple[Box, ...]]:
        try:
            box, name, *point = value
            box = tuple(box)
        except (TypeError, ValueError):
            raise BadRequest("must be a box and a column", parameter="value", value=str(value)) from None
        if name not in self.qid or len(box) != len(self.qid) or len(point) > 1:
            raise BadRequest("must be a box and a column", parameter="value", value=str(value), available=self.qid)
        at = self.qid.index(name)
        scale = self.scales[name]
        if not scale.knows(box[at]):
            raise BadRequest("is not a label", column=name, parameter="value", value=box[at])
        parts = scale.parts(box[at], *point)
        if not parts:
            raise BadRequest("is a leaf and has no parts", column=name, parameter="value", value=box[at])
        return box, tuple((*box[:at], part, *box[at + 1 :]) for part in parts)

    def is_finer_than(self, other: Recoding) -> bool:
        """Tell whether each box lies in the first box of the other that it meets.

        Exact where no box is an exception inside another; otherwise a box counts whole, so the answer may be a cautious no.
        """
        if not isinstance(other, MultidimensionalGeneralization) or not self._comparable(other):
            raise Unsupported(f"{self.id} is compared with its like over the same columns only", thing=self.id)
        for box in self.boxes:
            met = next((wide for wide in other.boxes if self._meet(box, wide) is not None), None)
            if met is None or not self._within(box, met):
                return False
        return True

    def common_refinement(self, other: Recoding) -> MultidimensionalGeneralization:
        """Return the boxes that the two have in common, pair by pair."""
        if not isinstance(other, MultidimensionalGeneralization) or not self._comparable(other):
            raise Unsupported(f"{self.id} is compared with its like over the same columns only", thing=self.id)
        shared = [self._meet(mine, theirs) for mine in self.boxes for theirs in other.boxes]
        return replace(self, boxes=tuple(dict.fromkeys(box for box in shared if box is not None)))

    def _comparable(self, other: MultidimensionalGeneralization) -> bool:
        return self._same_scales(other) and self.qid == other.qid

    def _within(self, box: Box, other: Box) -> bool:
        return all(self.scales[name].within(a, b) for name, a, b in zip(self.qid, box, other, strict=True))

    def _meet(self, box: Box, other: Box) -> Box | None:
        sides = [self.scales[name].meet(a, b) for name, a, b in zip(self.qid, box, other, strict=True)]
        return None if None in sides else tuple(side for side in sides if side is not None)

    def draw(self) -> str:
        """Return the boxes as a table, one to a line."""
        lines = [self.qid, *self.boxes]
        widths = [max(len(line[at]) for line in lines) for at in range(len(self.qid))]
        return "\n".join(
            "  ".join(label.ljust(width) for label, width in zip(line, widths, strict=True)).rstrip() for line in lines
        )
