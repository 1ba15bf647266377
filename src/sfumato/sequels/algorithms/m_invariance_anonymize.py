"""Counterfeited generalization: the next release of a changing table, m-invariant with the fewest invented rows it finds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.built import Built
from sfumato.contracts.engine import RowTable, Table
from sfumato.contracts.facts import Facts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.words import counted
from sfumato.engines import read
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.kernels.arrays import Codes, Ints
from sfumato.sequels.algorithms._group_boxes import Axis, axes_of, boxes_of, halved, places_of
from sfumato.sequels.algorithms._signature_buckets import COUNTERFEIT, Signature, fill_buckets
from sfumato.sequels.models.m_invariance import MInvariance
from sfumato.sequels.releases.counterfeited_table import CounterfeitedTable
from sfumato.sequels.signatures import Signatures
from sfumato.sequels.task import SeriesTask

__all__ = ["CounterfeitFacts", "Counterfeited", "MInvarianceAnonymize", "auxiliary_table"]


GROUP = "group"
"""The column that numbers groups: boxes of two groups may be alike, and their rows are not to be mixed up."""


@frozen(eq=False, repr=False, kw_only=True)
class CounterfeitFacts(Facts):
    """What was made: groups, invented rows, and groups of new records that only invented rows could complete."""

    groups: int
    counterfeits: int
    completed: int


@frozen(eq=False)
class Counterfeited:
    """The next release: ``data`` and ``counterfeits`` are public, ``copy`` is the holder's and names persons."""

    data: Table
    counterfeits: Table
    copy: Table
    facts: CounterfeitFacts


def auxiliary_table(copy: Table, qid: Sequence[str], person: str) -> list[tuple[Hashable, ...]]:
    """Return the groups of a holder's copy that have counterfeits, rows without a person, and how many.

    >>> copy = read({"Id": [1, None], "Age": ["[20-30]", "[20-30]"]})
    >>> auxiliary_table(copy, ["Age"], "Id")
    [('[20-30]', 1)]
    """
    cells = copy.counts([*qid, person])
    invented = cells.keys[-1].codes < 0
    return [(*(held[at] for held in cells.keys[:-1]), int(cells.sizes[at])) for at in np.flatnonzero(invented).tolist()]


class MInvarianceAnonymize(Search[SeriesTask]):
    """Group the records of the next release so that everybody keeps her signature, and invent rows where a value is lacking.

    1. *Division*: records that were in the last release, by the signature that hosted them; the others are new.
    2. *Balancing*: in each bucket every value of the signature must occur equally often. A value that is lacking is filled by a
       new record, if the others can still be parted (no value in more than 1/m of them), else by a counterfeit.
    3. *Assignment*: new records go to buckets by their most frequent values, m or more.
    4. *Split*: a bucket is halved along quasi-identifiers until each group has one record of each value.
    5. A group shows the span of its real records; one with a single real record is widened by a neighbour.

    A value that left the table can always be restored, so that a critical absence never occurs; the price is that not every row
    is true. Only quasi-identifiers, the sensitive column and the number of the group are published.

    Adversary: has every release, knows the quasi-identifiers of a person and in which releases she is, and intersects.
    Cost: records times the logarithm of the size of a bucket.

    Examples
    --------
    >>> model = MInvariance(m=2, group="group")
    >>> first = read({"Id": [1, 2, 3, 4], "Age": [21, 23, 45, 48], "Disease": ["Flu", "HIV", "Flu", "Cold"]})
    >>> columns = {"qid": ("Age",), "sensitive": "Disease", "person": "Id"}
    >>> begin = SeriesTask(first, None, [model], **columns)
    >>> series = begin.after(MInvarianceAnonymize().publish(begin).copy)
    >>> then = read({"Id": [1, 5, 6], "Age": [21, 45, 47], "Disease": ["Flu", "Cold", "Flu"]})
    >>> two = MInvarianceAnonymize().publish(SeriesTask(then, series, [model]))
    >>> model.judge(series.with_next(two.copy)).satisfied, two.facts.counterfeits
    (True, 1)

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", 2007,
    doi:10.1145/1247480.1247556.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.3.2.
    """

    id: ClassVar[str] = "m-invariance-anonymize"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="counterfeited-table",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="records times the logarithm of the size of a bucket",
    )

    returning: str = param(
        default="refuse", choices=("refuse", "restore"), doc="what to do with persons who were away for a release"
    )

    def run(self, task: SeriesTask, run: Run) -> Outcome:
        """Make the next release; the generator is not used."""
        run.checkpoint()
        made = self.publish(task)
        tables = {"data": made.data, "counterfeits": made.counterfeits}
        kind = CounterfeitedTable(sensitive=task.protected)
        completed = made.facts.completed
        return Outcome(
            built=Built(kind, tables, linking=lambda: made.copy),
            facts=made.facts,
            warnings=[say("warning.completed_groups", groups=completed)] if completed else [],
        )

    def publish(self, task: SeriesTask) -> Counterfeited:
        """Return the next release and the holder's copy of it."""
        series = task.earlier
        model = _model(task)
        if task.person is None:
            raise BadRequest("say which column tells the rows of one person", parameter="person")
        names, protected, who = list(task.qid), task.protected, task.person
        batch = task.batch.as_rows()
        lacking = [name for name in (*names, protected, who) if name not in batch.types]
        if lacking:
            raise BadRequest("is not a column of the records", column=lacking[0], available=batch.columns)
        _refuse_records(batch, who, protected)
        if GROUP in (*names, protected, who):
            raise BadRequest("is the name of the column that numbers groups; call yours otherwise", column=GROUP)
        numbered = series is not None and all(GROUP in table.types for table in series.releases)
        found = None if series is None else Signatures(series, GROUP if numbered else model.group)
        values = _values(batch, protected, found)
        if len(values) < model.m:
            raise Infeasible(
                f"m={model.m} needs as many different sensitive values, there are {len(values)}",
                measured=len(values),
                bound=model.m,
                requirement=model.id,
            )
        axes = axes_of(batch, names, task.trees)
        codes = batch.codes(names)
        value, owners = _coded(batch, protected, values), batch.codes([who])[:, 0]
        old = {} if found is None else self._old(found, batch, who, value, values)
        order = np.lexsort(places_of(axes, codes).T[::-1]) if names else np.arange(batch.rows)
        new = [record for record in order.tolist() if record not in old]
        buckets = fill_buckets(old, value, new, len(values), model.m)
        places = places_of(axes, codes)
        groups = [
            (signature, members)
            for signature in sorted(buckets.held)
            for members in halved(buckets.held[signature], places)
        ]
        return _written(axes, codes, groups, values, (protected, who), owners, batch, buckets.completed)

    def _old(
        self, found: Signatures, batch: RowTable, who: str, value: Ints, values: Sequence[Hashable]
    ) -> dict[int, Signature]:
        """Return the signature that last hosted each record which was published before."""
        place = {one: code for code, one in enumerate(values)}
        numbers = [tuple(sorted(place[one] for one in signature)) for signature in found.signatures]
        person, release, signature = found.stays
        hosted: dict[Hashable, tuple[int, int]] = {
            found.persons[code]: (at, held)
            for code, at, held in zip(person.tolist(), release.tolist(), signature.tolist(), strict=True)
        }
        last, known = len(found.releases) - 1, batch.dictionary(who).values
        before = _last_values(found)
        out: dict[int, Signature] = {}
        back = changed = 0
        for record, code in enumerate(batch.codes([who])[:, 0].tolist()):
            if known[code] not in hosted:
                continue
            at, held = hosted[known[code]]
            back += at < last
            changed += values[value[record]] != before[known[code]]
            out[record] = numbers[held]
        if changed:
            raise BadRequest(
                f"{counted(changed, 'person has', 'persons have')} another sensitive value than before; hd-composition lets "
                "values change"
            )
        if back and self.returning == "refuse":
            raise BadRequest(
                f"{counted(back, 'person was away for a release and comes', 'persons were away for a release and come')} back",
                parameter=f"{self.id}.returning",
                available=["restore"],
            )
        return out


def _model(task: SeriesTask) -> MInvariance:
    models = [model for model in task.models if isinstance(model, MInvariance)]
    if len(models) != 1 or len(task.models) != 1:
        raise Unsupported(
            "needs m-invariance as its one requirement", thing="m-invariance-anonymize", alternatives=["m-invariance"]
        )
    return models[0]


def _refuse_records(batch: RowTable, who: str, protected: str) -> None:
    """Refuse records without a person or a value, and persons with several."""
    for name in (who, protected):
        if batch.missing()[name]:
            raise BadRequest(f"{counted(batch.missing()[name], 'record has', 'records have')} no value", column=name)
    if batch.rows == 0:
        raise BadRequest("there is no record to publish", parameter="batch")
    twice = int((batch.dictionary(who).counts > 1).sum())
    if twice:
        raise BadRequest(f"{counted(twice, 'person has', 'persons have')} several records", column=who)


def _values(batch: RowTable, protected: str, found: Signatures | None) -> list[Hashable]:
    """Return the sensitive values, those of the records first, the most frequent leading; counterfeits take them in order."""
    held = batch.dictionary(protected)
    now = [held.values[at] for at in np.argsort(-held.counts, kind="stable").tolist()]
    return list(dict.fromkeys([*now, *(found.values if found is not None else ())]))


def _coded(batch: RowTable, name: str, values: Sequence[Hashable]) -> Ints:
    place = {one: code for code, one in enumerate(values)}
    renamed = np.array([place[one] for one in batch.dictionary(name).values], np.int64)
    return np.asarray(renamed[batch.codes([name])[:, 0]])


def _last_values(found: Signatures) -> dict[Hashable, Hashable]:
    """Return the value with which each person was published last."""
    return {
        found.persons[code]: found.values[value]
        for hosts in found.releases
        for code, value in zip(hosts.person.tolist(), hosts.value.tolist(), strict=True)
        if code >= 0
    }


def _written(
    axes: Sequence[Axis],
    codes: Codes,
    groups: Sequence[tuple[Signature, Ints]],
    values: Sequence[Hashable],
    named: tuple[str, str],
    owners: Codes,
    batch: RowTable,
    completed: int,
) -> Counterfeited:
    """Return the tables; groups are numbered in the order of what they show, which tells nothing of how they were made."""
    protected, who = named
    boxes = boxes_of(axes, codes, [members[members != COUNTERFEIT] for _, members in groups])
    shown = [(box, *group) for box, group in zip(boxes, groups, strict=True)]
    shown.sort(key=lambda one: one[:2])
    known = batch.dictionary(who).values
    rows = [
        (number, box, values[kind], None if record == COUNTERFEIT else known[owners[record]])
        for number, (box, signature, members) in enumerate(shown, 1)
        for kind, record in sorted(zip(signature, members.tolist(), strict=True), key=lambda one: str(values[one[0]]))
    ]
    copy: dict[str, list[object]] = {GROUP: [row[0] for row in rows]}
    copy |= {axis.name: [row[1][at] for row in rows] for at, axis in enumerate(axes)}
    copy |= {protected: [row[2] for row in rows], who: [row[3] for row in rows]}
    invented = [(at, int((members == COUNTERFEIT).sum())) for at, (_, _, members) in enumerate(shown, 1)]
    facts = CounterfeitFacts(groups=len(shown), counterfeits=sum(count for _, count in invented), completed=completed)
    written = read(copy)
    listed = read({GROUP: [at for at, _ in invented], "counterfeits": [count for _, count in invented]}).as_rows()
    aside = listed.take([at for at, (_, count) in enumerate(invented) if count])
    return Counterfeited(written.select([name for name in copy if name != who]), aside, written, facts)
