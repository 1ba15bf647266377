"""Exact answers under audit: what was answered about a table, in all its versions, and what may still be."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.interactive.answered_sums import AnsweredSums
from sfumato.interactive.answering import Answering, Given, refuse_secret_conditions
from sfumato.interactive.asked_table import AskedTable
from sfumato.interactive.decision import Decision
from sfumato.interactive.models.query_audit_online import SumAudit
from sfumato.interactive.models.simulatable_audit import AnsweredMaxima, MaximumAudit, SimulatableAudit
from sfumato.interactive.policy import DeskPolicy
from sfumato.interactive.question import Aggregate, Part, Question, reckoned
from sfumato.kernels.arrays import Array, Bools, Floats, Ints
from sfumato.releases.statistical_table import complementary

__all__ = ["ExactAnswers"]

Number = TypeVar("Number", np.uint8, np.uint64)


class ExactAnswers(Answering):
    """True counts, sums, averages, maxima and minima, as long as no value of one record follows from all of them.

    Unknowns of a column are persons with the value they had: a value that changed is a new unknown, a person who came is one
    more. How many of some records have a value (``count(column)``) is a sum of zeros and ones over all of them, and audited as
    one. Without a column that names persons the table cannot change. Sums, maxima and minima of one column are not mixed:
    nobody knows a quick test for what they tell together. A cell that was left empty once stays empty.
    """

    def __init__(self, table: AskedTable, policy: DeskPolicy, version: str, secret: str) -> None:
        super().__init__(table, policy, version)
        self.rule = policy.rule()
        self._secret = secret
        self._sums: dict[Aggregate, SumAudit] = {}
        self._extremes: dict[str, MaximumAudit] = {}
        self._family: dict[str, str] = {}
        self._closed: set[str] = set()  # columns with maxima of an earlier version, whose answers nobody kept
        self._empty: set[bytes] = set()
        self._unknowns: dict[Aggregate, dict[Hashable, int]] = {}
        self._own: dict[Aggregate, Ints] = {}
        self._rosters: dict[tuple[str, Aggregate], list[int]] = {}  # tags of all records, by version

    def refuse_unfit(self, asked: Question) -> None:
        refuse_secret_conditions(asked, self.policy.roles())
        for one in asked.aggregates:
            if one.function == "median":
                raise BadRequest(say("desk.bad.medians"), parameter="question")

    def mechanism(self, aggregate: Aggregate, epsilon: float) -> str:
        return "exact"

    # ---- deciding ----------------------------------------------------------------------------------------------------

    def answer(self, asked: Question, part: Part, epsilon: float) -> Given:
        cells, masks = zip(*self._masks(asked, part.aggregate), strict=True)
        decisions = self._decided(part.aggregate, cells, masks)
        for mask, decision in zip(masks, decisions, strict=True):
            if not decision and part.aggregate.column is None:
                self._empty.add(_packed(mask))
        true = self._true(part.aggregate, masks)
        values = [value if decision else None for value, decision in zip(true, decisions, strict=True)]
        follows = tuple(at for at, decision in enumerate(decisions) if decision.follows)
        return Given(tuple(values), tuple(decision.refused for decision in decisions), follows)

    def _masks(self, asked: Question, aggregate: Aggregate) -> Iterator[tuple[tuple[Hashable, ...], Bools]]:
        """Yield the records of each group that an answer is about: who has a value is not what chooses those of a count."""
        return self.table.masks(asked, Aggregate("count") if aggregate.function == "count" else aggregate)

    def _values(self, aggregate: Aggregate) -> Floats:
        """Return what is added up: values, or for a count whether there is one."""
        assert aggregate.column is not None
        return (
            self.table.known(aggregate.column).astype(np.float64)
            if aggregate.function == "count"
            else self.table.numbers(aggregate.column)
        )

    def _decided(
        self, aggregate: Aggregate, cells: Sequence[tuple[Hashable, ...]], masks: Sequence[Bools]
    ) -> list[Decision]:
        column, family = aggregate.column, aggregate.function
        if column is None:
            return self._counted(cells, masks)
        if family == "count":
            return self._sum(aggregate).ask_cells(cells, [self._spread(aggregate, mask) for mask in masks])
        if self._family.get(column, family) != family:
            return [Decision(say("desk.refused.family", column=column))] * len(masks)
        if column in self._closed:
            return [Decision(say("desk.refused.changed", column=column))] * len(masks)
        if family != "sum":
            audit, values = self._extreme(aggregate), self.table.numbers(column)
            found = [
                Decision(refused) if refused is not None else audit.ask(mask, values)
                for mask in masks
                for refused in [self.rule.size_refusal(int(mask.sum()), self.table.rows)]
            ]
        else:
            sums, numbers = self._sum(aggregate), self.table.numbers(column)
            contributions = [numbers[mask] for mask in masks]
            found = sums.ask_cells(cells, [self._spread(aggregate, mask) for mask in masks], contributions)
        if any(found):
            self._family[column] = family
        return found

    def _counted(self, cells: Sequence[tuple[Hashable, ...]], masks: Sequence[Bools]) -> list[Decision]:
        """Decide about counts by size; a cell that would tell an empty one is left empty, and was so before."""
        found = [Decision(self.rule.size_refusal(int(mask.sum()), self.table.rows)) for mask in masks]
        found = [
            Decision(say("desk.refused.beside")) if one and _packed(mask) in self._empty else one
            for one, mask in zip(found, masks, strict=True)
        ]
        hidden = np.array([not one for one in found])
        if hidden.any() and len(masks) > 1:
            for at in np.flatnonzero(complementary(cells, hidden, [float(mask.sum()) for mask in masks]) & ~hidden):
                found[at] = Decision(say("desk.refused.beside"))
        return found

    def _true(self, aggregate: Aggregate, masks: Sequence[Bools]) -> list[float | None]:
        if aggregate.column is None:
            return [int(mask.sum()) for mask in masks]
        values = self._values(aggregate)
        if aggregate.function == "count":
            return [int(values[mask].sum()) for mask in masks]
        return [reckoned(aggregate.function, values[mask]) for mask in masks]

    # ---- remembering -------------------------------------------------------------------------------------------------

    def kept(self, asked: Question, part: Part, given: Given) -> dict[str, Json]:
        """Return which cells were answered and, where versions may follow, of whom; never an answer."""
        out: dict[str, Json] = {"refused": list(given.refused)}
        if given.follows:
            out["follows"] = list(given.follows)
        if self.policy.person is not None and _added_up(part.aggregate):
            here = self.version, part.aggregate
            if here not in self._rosters:
                self._rosters[here] = self._tagged(part.aggregate)
                out["roster"] = _written(np.array(self._rosters[here], np.uint64))
            out["rows"] = [
                None if refused or at in given.follows else _written(np.packbits(mask))
                for at, ((_, mask), refused) in enumerate(
                    zip(self._masks(asked, part.aggregate), given.refused, strict=True)
                )
            ]
        return out

    def again(self, asked: Question, part: Part, kept: Mapping[str, Json]) -> Given:
        refused = _refusals(kept)
        true = self._true(part.aggregate, [mask for _, mask in self._masks(asked, part.aggregate)])
        values = [None if why else value for why, value in zip(refused, true, strict=True)]
        return Given(tuple(values), tuple(refused))

    def recall(self, kept: Mapping[str, Json], version: str) -> None:
        aggregate = Question.of(str(json.loads(str(kept["part"]))[0])).aggregates[0]
        refused, column = _refusals(kept), aggregate.column
        if "roster" in kept and column is not None:
            self._rosters[version, aggregate] = _read(kept["roster"], np.uint64).tolist()
        if version == self.version:
            self._recall_own(kept, aggregate, refused)
        elif column is not None and aggregate.function in ("max", "min"):
            self._closed |= set() if all(refused) else {column}
        elif _added_up(aggregate):
            for packed in _texts(kept.get("rows")):
                if packed is not None:
                    tags = self._rosters[version, aggregate]
                    held = np.unpackbits(_read(packed, np.uint8), count=len(tags)).astype(np.bool_)
                    self._add(aggregate, self._recalled(aggregate, [tags[at] for at in np.flatnonzero(held)]))
        if column is not None and aggregate.function != "count" and not all(refused):
            self._family[column] = aggregate.function

    def _recall_own(self, kept: Mapping[str, Json], aggregate: Aggregate, refused: Sequence[str | None]) -> None:
        """Learn what was answered about the table as it is now; what tells nothing new is not worked out again."""
        past = _numbers(kept.get("follows"))
        counted = aggregate.column is None  # of these the refused cells are remembered, of all else the answered ones
        told = [at for at, why in enumerate(refused) if bool(why) == counted and at not in past]
        if not told:
            return
        masks = [mask for _, mask in self._masks(self.table.read(str(kept["question"])), aggregate)]
        for at in told:
            if counted:
                self._empty.add(_packed(masks[at]))
            elif _added_up(aggregate):
                self._add(aggregate, self._spread(aggregate, masks[at]))
            else:
                audit, numbers = self._extreme(aggregate), self._values(aggregate)
                audit.past.add(masks[at], float((audit.rule.sign * numbers[masks[at]]).max()))

    def _add(self, aggregate: Aggregate, mask: Bools) -> None:
        audit = self._sum(aggregate)
        audit.keep(mask, audit.sums.asking(mask))

    # ---- unknowns ----------------------------------------------------------------------------------------------------

    def _sum(self, aggregate: Aggregate) -> SumAudit:
        if aggregate not in self._sums:
            if self.policy.person is not None:
                self._unknowns[aggregate] = {tag: at for at, tag in enumerate(self._tagged(aggregate))}
            self._own[aggregate] = np.arange(self.table.rows)
            self._sums[aggregate] = SumAudit(self.rule, AnsweredSums(self.table.rows), self.table.rows)
        return self._sums[aggregate]

    def _extreme(self, aggregate: Aggregate) -> MaximumAudit:
        assert aggregate.column is not None
        if aggregate.column not in self._extremes:
            rule = SimulatableAudit(extreme=aggregate.function)
            self._extremes[aggregate.column] = MaximumAudit(rule, AnsweredMaxima(self.table.rows))
        return self._extremes[aggregate.column]

    def _spread(self, aggregate: Aggregate, mask: Bools) -> Bools:
        """Return records of the table as it is now among all unknowns of an aggregate."""
        out = np.zeros(self._sum(aggregate).sums.records, np.bool_)
        out[self._own[aggregate][mask]] = True
        return out

    def _recalled(self, aggregate: Aggregate, tags: Sequence[int]) -> Bools:
        """Return records of an earlier version among all unknowns; those that are none yet become some."""
        audit = self._sum(aggregate)
        place = self._unknowns[aggregate]
        new = [tag for tag in tags if tag not in place]
        place.update({tag: audit.sums.records + at for at, tag in enumerate(new)})
        if new:
            audit.grow(len(new))
        out = np.zeros(audit.sums.records, np.bool_)
        out[[place[tag] for tag in tags]] = True
        return out

    def _tagged(self, aggregate: Aggregate) -> list[int]:
        """Return a keyed number for each record: of the person together with the value, so that another value is another."""
        pairs = zip(self.table.names(), self._values(aggregate).tolist(), strict=True)
        key = self._secret.encode()
        return [
            int.from_bytes(blake2b(f"{name}\x1f{value!r}".encode(), digest_size=8, key=key).digest(), "little")
            for name, value in pairs
        ]


def _added_up(aggregate: Aggregate) -> bool:
    """Tell whether answers are sums over records: of values, or of whether there is one."""
    return aggregate.column is not None and aggregate.function in ("sum", "count")


def _refusals(kept: Mapping[str, Json]) -> list[str | None]:
    return _texts(kept["refused"])


def _numbers(given: Json) -> frozenset[int]:
    return frozenset(int(str(one)) for one in given) if isinstance(given, list) else frozenset()


def _texts(given: Json) -> list[str | None]:
    return [None if one is None else str(one) for one in given] if isinstance(given, list) else []


def _packed(mask: Bools) -> bytes:
    return blake2b(np.packbits(mask).tobytes(), digest_size=16).digest()


def _written(held: Array) -> str:
    return base64.b64encode(zlib.compress(held.tobytes())).decode()


def _read(text: Json, kind: type[Number]) -> npt.NDArray[Number]:
    return np.frombuffer(zlib.decompress(base64.b64decode(str(text))), kind)
