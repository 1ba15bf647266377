"""Incremental attack: two releases of a table that changed, and who was there when, leave fewer values than each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.sequels.attack import SeriesAttack, SeriesKnowledge
from sfumato.sequels.attacks._correspondence_attack import sought
from sfumato.sequels.classes import SeriesClasses, nodes_of
from sfumato.sequels.comparable import comparable
from sfumato.sequels.correspondence import FAR, by_value, components, least_common
from sfumato.sequels.series import Series

__all__ = ["Candidates", "IncrementalAttack", "IncrementalDetails", "candidates_of"]


@frozen
class Candidates:
    """The sensitive values that two releases leave to one victim, together and each alone (``None`` where she is not).

    ``fits`` tells whether somebody like her can be in the releases at all: without a value, or with records of before that the
    later release lacks, the releases or what is known of her are not as assumed.
    """

    earlier: tuple[Hashable, ...] | None
    later: tuple[Hashable, ...] | None
    candidates: tuple[Hashable, ...]
    fits: bool

    def violates(self, l: int) -> bool:
        """Tell whether fewer than l values are left."""
        return len(self.candidates) < l


def candidates_of(
    series: Series,
    victim: Sequence[Hashable],
    *,
    in_earlier: bool,
    in_later: bool = True,
    earlier: int = 0,
    later: int = -1,
) -> Candidates:
    """Return the values that two releases leave to a victim of whom quasi-identifiers and times are known.

    In both releases: values of her class in each, ``set(e1) & set(e2)``. Only in the later one, which holds everybody of the
    earlier one: ``e2`` less all classes of the earlier release that lie inside it, as multisets. Only in the earlier one,
    after which nobody came: the same the other way round. Labels of the victim may be as general as published ones; her class
    is then every class comparable with them.

    >>> before = {"Job": ["Professional"] * 2, "Disease": ["Cancer", "Diabetes"]}
    >>> after = {"Job": ["Professional"] * 3, "Disease": ["Cancer", "Diabetes", "HIV"]}
    >>> series = Series.of([before, after], qid=["Job"], sensitive="Disease")
    >>> candidates_of(series, ["Professional"], in_earlier=False).candidates
    ('HIV',)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.1.
    Byun, Sohn, Bertino, Li, "Secure anonymization for incremental datasets", 2006, doi:10.1007/11844662_4.
    """
    if len(series) < 2:
        raise BadRequest("two releases are compared: give a series of them", parameter="series")
    if not (in_earlier or in_later):
        raise BadRequest("must be in one of the releases", parameter="victim")
    if len(victim) != len(series.qid):
        raise BadRequest(
            f"needs a value for each of {len(series.qid)} quasi-identifiers", parameter="victim", value=len(victim)
        )
    whole = SeriesClasses.of(series)
    later %= len(series)
    asked = [
        int(nodes_of(tree, [label], column=name)[0])
        for name, tree, label in zip(series.qid, whole.trees, victim, strict=True)
    ]
    mine = [_classes(whole, number, asked) for number in (earlier, later)]
    held = [_counted(whole, number, classes) for number, classes in zip((earlier, later), mine, strict=True)]
    alone = [tuple(_sorted(one)) if there else None for one, there in zip(held, (in_earlier, in_later), strict=True)]
    if in_earlier and in_later:
        common = _sorted(held[0].keys() & held[1].keys())
        return Candidates(alone[0], alone[1], tuple(common), bool(common))
    own, other, at = (held[1], earlier, mine[1]) if in_later else (held[0], later, mine[0])
    inside = _counted(whole, other, _inside(whole, other, later if in_later else earlier, at))
    left = Counter(own)
    left.subtract(inside)
    values = _sorted(value for value, count in left.items() if count > 0)
    return Candidates(alone[0], alone[1], tuple(values), bool(values) and min(left.values()) >= 0)


def _sorted(values: Iterable[Hashable]) -> list[Hashable]:
    return sorted(values, key=lambda value: (str(type(value)), value))


def _classes(whole: SeriesClasses, release: int, asked: Sequence[int]) -> list[int]:
    """Return the classes that somebody with these nodes can be in."""
    return [
        number
        for number, nodes in enumerate(whole.nodes[release].tolist())
        if all(map(comparable, whole.trees, nodes, asked))
    ]


def _inside(whole: SeriesClasses, release: int, other: int, classes: Sequence[int]) -> list[int]:
    """Return the classes of a release that lie inside some classes of another one."""
    out = []
    for number, nodes in enumerate(whole.nodes[release].tolist()):
        for outer in whole.nodes[other][list(classes)].tolist():
            if all(
                tree.leaf_first[above] <= tree.leaf_first[node] and tree.leaf_last[node] <= tree.leaf_last[above]
                for tree, above, node in zip(whole.trees, outer, nodes, strict=True)
            ):
                out.append(number)
                break
    return out


def _counted(whole: SeriesClasses, release: int, classes: Sequence[int]) -> Counter[Hashable]:
    out: Counter[Hashable] = Counter()
    for number in classes:
        out.update(whole.releases[release].histogram.row(number))
    return out


# ---- everybody -------------------------------------------------------------------------------------------------------------


@frozen(eq=False)
class IncrementalDetails(Details):
    """Counts of the attack: records of the newest release, those with fewer than l values left, with one, and what is odd.

    ``by_intersection`` and ``by_difference`` are the fewest values left to somebody in both releases and to a newcomer;
    ``alone`` the fewest values in a class of the newest release. In ``odd`` parts of an earlier release somebody left.
    """

    releases: int
    records: int
    below: int
    certain: int
    by_intersection: int | None
    by_difference: int | None
    alone: int
    odd: int


class IncrementalAttack(SeriesAttack):
    """Compare each earlier release with the newest one: what intersections and differences of classes leave to a victim.

    Whoever is in both releases has one of the values ``set(e1) & set(e2)`` of her two classes. Whoever came later has one of
    ``multiset(e2) - multiset(e1)``, all comparable classes taken together, if nobody left. Frequencies are not used beyond
    that. The risk of a record is one over the fewest values left to its class by any comparison. Releases are cuts of shared
    hierarchies; :func:`candidates_of` answers for one victim and any recoding along trees.

    Adversary: has all releases, knows a victim's quasi-identifier and in which releases the victim is.

    Examples
    --------
    >>> from sfumato.contracts.run import Run
    >>> before = {"Job": ["Professional"] * 2, "Disease": ["Cancer", "Diabetes"]}
    >>> after = {"Job": ["Professional"] * 3, "Disease": ["Cancer", "Diabetes", "HIV"]}
    >>> series = Series.of([before, after], qid=["Job"], sensitive="Disease")
    >>> found = IncrementalAttack(l=2).on(series, SeriesKnowledge(), Run())
    >>> found.details["by_intersection"], found.details["by_difference"], found.highest
    (2, 1, 1.0)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.1.
    Byun, Sohn, Bertino, Li, "Secure anonymization for incremental datasets", 2006, doi:10.1007/11844662_4.
    """

    id: ClassVar[str] = "incremental-attack"
    about: ClassVar[tuple[str, ...]] = ("continuous",)
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="all releases, the quasi-identifiers of a victim, and in which releases the victim is",
        needs=frozenset(),
        victims="records",
        quick=True,
    )
    adversary: ClassVar[str] = say("adversary.incremental-attack")
    title: ClassVar[str] = "intersections and differences"

    l: int = param(default=2, ge=1, doc="fewer sensitive values than this, left to a victim, are counted as a breach")

    def on(self, series: Series, knowledge: SeriesKnowledge, run: Run) -> Risk:
        """Compare; every record of the newest release is a victim."""
        if len(series) < 2:
            raise BadRequest(f"{self.id} compares releases: give at least two of them", parameter="series")
        whole = SeriesClasses.of(sought(series, knowledge))
        whole.refuse_uncut()
        newest = whole.releases[-1]
        both, new = np.full(len(newest), FAR), np.full(len(newest), FAR)
        odd = 0
        for earlier in range(len(series) - 1):
            run.checkpoint()
            shared, differ, strange = _left(whole, earlier)
            both, new = np.minimum(both, shared), np.minimum(new, differ)
            odd += strange
        alone = newest.histogram.distinct()
        left = np.minimum(np.minimum(both, new), alone)
        risk = 1 / left
        details = IncrementalDetails(
            releases=len(series),
            records=int(newest.sizes.sum()),
            below=int(newest.sizes[left < self.l].sum()),
            certain=int(newest.sizes[left == 1].sum()),
            by_intersection=_least(both),
            by_difference=_least(new),
            alone=int(alone.min()),
            odd=odd,
        )
        highest, mean = spread(risk, newest.sizes)
        return Risk(
            attack=self.id,
            per_victim=risk,
            counts=newest.sizes,
            highest=highest,
            mean=mean,
            reading=say(
                "reading.incremental",
                releases=details.releases,
                records=details.records,
                below=details.below,
                l=self.l,
                certain=details.certain,
            ),
            details=details,
        )


def _left(whole: SeriesClasses, earlier: int) -> tuple[Ints, Ints, int]:
    """Return the fewest values that an earlier release leaves to somebody in both, and to a newcomer, by newest class.

    A newcomer has a value of which the comparable classes hold more now than before. Where they hold fewer of some value,
    somebody left, nothing can be taken away, and the components are counted.
    """
    one, two = whole.releases[earlier], whole.releases[-1]
    component1, component2, count = components(whole, earlier, len(whole.releases) - 1)
    _, both, _, _ = least_common(one, two, component1, component2, count, most=1, positive=True)
    before, after, _, short = by_value(one, two, component1, component2, count)
    left = np.bincount(two.histogram.group(), after > before, len(two)).astype(np.int64)
    gone = np.zeros(count, bool)
    gone[component1[one.histogram.group()[short]]] = True
    return both, np.where(gone[component2] | (left == 0), FAR, left), int(np.count_nonzero(gone))


def _least(left: Ints) -> int | None:
    known = left[left < FAR]
    return int(known.min()) if len(known) else None
