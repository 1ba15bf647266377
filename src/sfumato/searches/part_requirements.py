"""Would the parts of a cut group meet every requirement? Asked for the parts of many groups at once.

Sizes are looked at by whoever proposes a cut: no part smaller than ``least`` comes here. What sizes do not decide is put to
the models, with the parts of all groups as one partition.

A requirement on some of the quasi-identifiers is met if every part meets it: what is published on fewer columns are unions
of parts, and models that are closed under merging hold for them. A model that parts do not decide may follow from a condition
on single parts (``in_each_group``), which may ask for more than the model does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from sfumato.contracts.model import GroupModel, TableModel
from sfumato.data.compressed import Dictionary
from sfumato.data.frozen import frozen
from sfumato.errors import Infeasible, Unsupported
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Bools, Codes, Ints
from sfumato.searches.validity import uneven_groups

__all__ = ["Check", "CountedRows", "ModelCheck", "PartRequirements", "by_parts"]

_DENSE = 4  # cells of a table of counts, for each row, that are quicker to fill than rows are to sort


@frozen(eq=False)
class CountedRows:
    """Rows by number: the records that each stands for, and the codes of the columns that models read.

    ``records`` is the size of the table to publish; rows of a population may stand beside it.
    """

    weights: Ints
    codes: Mapping[str, Codes]
    dictionaries: Mapping[str, Dictionary]
    records: int

    def stats(self, needs: Sequence[str], rows: Ints, part: Ints, parts: int) -> GroupStats:
        """Return the statistics of parts, given by number, of some rows."""
        weights = self.weights[rows]
        sizes = np.bincount(part, weights=weights, minlength=parts).astype(np.int64)
        histograms = {
            name: _histogram(parts, self.dictionaries[name], part, self.codes[name][rows], weights) for name in needs
        }
        whole = {name: self.dictionaries[name].counts for name in needs}
        return GroupStats(("part",), (range(parts),), sizes, histograms, whole, self.records)


def _histogram(parts: int, known: Dictionary, part: Ints, codes: Codes, weights: Ints) -> Histogram:
    width = max(len(known), 1)
    if parts * width > _DENSE * len(part) + (1 << 12):
        return Histogram.from_pairs(parts, known.values, part, codes.astype(np.int64), weights)
    table = np.bincount(part * width + codes, weights=weights, minlength=parts * width).astype(np.int64)
    held = np.flatnonzero(table)
    start = np.searchsorted(held, np.arange(parts + 1, dtype=np.int64) * width)
    return Histogram(known.values, start.astype(np.int64), held % width, table[held])


class Check(Protocol):
    """A requirement that is asked about parts."""

    def holds(self, counted: CountedRows, rows: Ints, part: Ints, parts: int) -> Bools:
        """Tell for each part, given by number for some rows, whether the requirement holds."""

    def refuse_hopeless(self, counted: CountedRows) -> None:
        """Refuse a table that fails as one single group."""


@frozen(eq=False)
class ModelCheck:
    """A model that is asked about parts; ``among`` says which rows it counts, all if not given.

    A part without such a row is not published, and the model has nothing to say about it.
    """

    model: GroupModel
    among: Bools | None = None

    def holds(self, counted: CountedRows, rows: Ints, part: Ints, parts: int) -> Bools:
        """Tell for each part whether the model holds."""
        if self.among is None:
            stats = counted.stats(self.model.needs(), rows, part, parts)
            return np.asarray(self.model.bound().holds(self.model.measure(stats)))
        inside = self.among[rows]
        present, number = np.unique(part[inside], return_inverse=True)
        out = np.ones(parts, bool)
        if len(present):
            stats = counted.stats(self.model.needs(), rows[inside], number.reshape(-1), len(present))
            out[present] = self.model.bound().holds(self.model.measure(stats))
        return out

    def refuse_hopeless(self, counted: CountedRows) -> None:
        """Refuse a table that fails as one single group: there is nothing to start from."""
        rows = np.arange(len(counted.weights)) if self.among is None else np.flatnonzero(self.among)
        verdict = self.model.check(counted.stats(self.model.needs(), rows, np.zeros(len(rows), np.int64), 1))
        some = rows[:400]
        group = uneven_groups(len(some))
        self.model.refuse_unlocal(counted.stats(self.model.needs(), some, group, int(group.max(initial=-1)) + 1))
        if not verdict.satisfied:
            raise Infeasible(
                f"the whole table as one group fails {self.model.id}: measured {verdict.strongest}, needed "
                f"{verdict.bound}",
                measured=verdict.strongest,
                bound=verdict.bound,
                requirement=self.model.id,
            )


@frozen(eq=False)
class PartRequirements:
    """What every part must meet: a least size, and the models that need more than sizes."""

    counted: CountedRows
    least: int
    checks: tuple[Check, ...]

    @classmethod
    def of(
        cls,
        models: Sequence[TableModel],
        names: Sequence[str],
        counted: CountedRows,
        *,
        thing: str,
        merged: bool = False,
    ) -> PartRequirements:
        """Return the requirements of some models; ``merged`` says that parts may be published alike."""
        asked = by_parts(models, names, thing=thing, merged=merged)
        least = max((model.least_size() for model in asked), default=1)
        return cls(counted, least, tuple(ModelCheck(model) for model in asked if not model.traits.by_size_alone))

    def refuse_hopeless(self) -> None:
        """Refuse a table that fails as one single group."""
        records = int(self.counted.weights.sum())
        if records < self.least:
            raise Infeasible(
                f"a group needs {self.least} records, the table has only {records}",
                measured=records,
                bound=self.least,
            )
        for check in self.checks:
            check.refuse_hopeless(self.counted)

    def hold(self, rows: Ints, part: Ints, parts: int) -> Bools:
        """Tell for each part of some rows whether every model holds."""
        out = np.ones(parts, bool)
        for check in self.checks:
            out &= check.holds(self.counted, rows, part, parts)
        return out


def by_parts(
    models: Sequence[TableModel], names: Sequence[str], *, thing: str, merged: bool = False
) -> list[GroupModel]:
    """Return models that decide part by part, in place of the given ones; refuse what parts cannot promise."""
    out: list[GroupModel] = []
    for model in models:
        asked = model.in_each_group()
        if asked is None:
            able = [] if model.in_search() is None else ["optimal"]
            raise Unsupported(
                f"{thing} needs requirements that are decided group by group", thing=model.id, alternatives=able
            )
        if not asked.traits.closed_under_merge and (merged or not set(names) <= set(model.qid or names)):
            reason = "groups may be published alike" if merged else "it is on some of the quasi-identifiers only"
            raise Unsupported(
                f"{thing} cannot promise {model.id}, which is not kept when groups are merged: {reason}", thing=model.id
            )
        out.append(asked)
    return out
