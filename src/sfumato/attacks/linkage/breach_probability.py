"""Breach probability: how sure an adversary can be of an owner's sensitive value, counting possible reconstructions."""

from __future__ import annotations

from fractions import Fraction
from math import perm
from typing import ClassVar

import numpy as np

from sfumato.attacks._matching import LookedUp, column_of
from sfumato.attacks.linkage._joining_attack import JoiningAttack
from sfumato.contracts.attack import AttackTraits, Risk
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats

__all__ = ["Breach", "BreachProbability", "Breaches", "Reconstruction"]


@frozen
class Reconstruction:
    """One group that covers an owner: the persons it may stand for, its rows, and how rows can be given to persons."""

    group: tuple[object, ...]
    persons: tuple[object, ...]
    r: int
    y: int
    matching: int

    @property
    def possible(self) -> int:
        """Number of ways to give the rows to distinct persons: ``r! / (r - y)!``."""
        return perm(self.r, self.y)

    @property
    def breaching(self) -> int:
        """Number of ways in which the owner gets a row that tells the value."""
        return self.matching * perm(self.r - 1, self.y - 1)


@frozen
class Breach:
    """The breach probability of one owner, exactly, with the groups that it comes from; for the steward's eyes."""

    name: object
    groups: tuple[Reconstruction, ...]

    @property
    def bp(self) -> Fraction:
        """Share of the possible reconstructions that breach, averaged over the groups by their rows."""
        return self._mean([Fraction(one.matching, one.r) for one in self.groups])

    @property
    def bp_member(self) -> Fraction:
        """The same if the adversary knows that the owner is in the table."""
        return self._mean([Fraction(one.matching, one.y) for one in self.groups])

    @property
    def bp_as_printed(self) -> Fraction:
        """A count of records over a count of reconstructions, as one paper prints it; for comparison only."""
        return self._mean([Fraction(one.matching, one.possible) for one in self.groups])

    def _mean(self, shares: list[Fraction]) -> Fraction:
        rows = sum(one.y for one in self.groups)
        return sum((share * one.y for share, one in zip(shares, self.groups, strict=True)), Fraction(0)) / max(rows, 1)


@frozen(kw_only=True, eq=False)
class Breaches(Risk):
    """The breach probability of every owner, in order; ``per_victim`` is ``bp``.

    Counts may be shown; :meth:`of` and :meth:`names` are for the steward's eyes.
    """

    seen: Seen
    knowledge: TableKnowledge
    owners: Table
    external_found: LookedUp
    owners_found: LookedUp
    bp: Floats
    bp_member: Floats
    breach_set: tuple[str, ...] | None

    def names(self) -> list[object]:
        """Return the names of the owners, in order."""
        assert self.knowledge.name is not None
        return column_of(self.owners, self.knowledge.name)

    def of(self, name: object) -> Breach:
        """Return the breach probability of one owner as exact fractions."""
        names = self.names()
        places = [at for at, known in enumerate(names) if known == name]
        if len(places) != 1:
            raise BadRequest(
                "must name exactly one owner" + (f"; {len(places)} have this name" if places else ""), parameter="name"
            )
        found, groups = self.owners_found, self.owners_found.groups
        wanted = self._wanted(places[0])
        assert self.knowledge.external is not None
        assert self.knowledge.name is not None
        persons = column_of(self.knowledge.external, self.knowledge.name)
        out = []
        for group in found.groups_of(int(found.kind_of_person[places[0]])).tolist():
            inside = self.external_found.persons_in(group).tolist()
            y = int(groups.sizes[group])
            out.append(
                Reconstruction(
                    groups.key(group),
                    tuple(persons[at] for at in inside),
                    max(len(inside), y),
                    y,
                    self._matching(group, wanted),
                )
            )
        return Breach(name, tuple(out))

    def _wanted(self, place: int) -> set[str]:
        if self.breach_set is not None:
            return set(self.breach_set)
        value = column_of(self.owners, self.knowledge.secret)[place]
        return set() if value is None else {to_text(value)}

    def _matching(self, group: int, wanted: set[str]) -> int:
        histogram = self.owners_found.groups.histograms[self.knowledge.secret]
        inside = range(int(histogram.start[group]), int(histogram.start[group + 1]))
        return sum(
            int(histogram.count[at])
            for at in inside
            if (value := histogram.values[histogram.code[at]]) is not None and to_text(value) in wanted
        )


class BreachProbability(JoiningAttack):
    """How sure an adversary can be of an owner's sensitive value, counting possible reconstructions.

    Let a published group with ``y`` rows cover the owner and ``r`` persons of the external table, and let ``a`` of its rows
    carry the value. A *reconstruction* gives the rows to ``y`` distinct persons out of ``r``. Of all ``r! / (r - y)!`` ones,
    ``a (r - 1)! / (r - y)!`` give the owner such a row, so

    ``bp = a / r``, and ``bp_member = a / y`` if the adversary knows that the owner is in the table.

    Where several groups cover an owner, their probabilities are averaged by their rows; without any it is 0. If a group has
    more rows than the external table has persons for it, the table is incomplete or rows were added: ``r = y`` is used and
    said. The value is the owner's own, read from the sensitive column of the owners' table, or one of ``values``.

    Adversary: has a table of names and quasi-identifiers that holds everybody who is published.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["Age", "Disease"], [("[20-30)", "Ulcer"), ("[20-30)", "Cancer")])
    >>> voters = sfumato.from_rows(["Name", "Age"], [("Rama", 26), ("Suresh", 28), ("Nagesh", 22), ("Sita", 42)])
    >>> found = sfumato.attack(
    ...     table, BreachProbability(values=("Ulcer",)), external=voters, name="Name", sensitive="Disease"
    ... )
    >>> found.highest == 1 / 3, str(found.of("Rama").bp), str(found.of("Rama").bp_member)
    (True, '1/3', '1/2')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.9.
    Xiao, Tao, "Personalized privacy preservation", 2006, doi:10.1145/1142473.1142500.
    """

    id: ClassVar[str] = "breach-probability"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="a table of names and quasi-identifiers that holds everybody who is published",
        needs=frozenset({"qid", "external", "name", "sensitive"}),
    )
    adversary: ClassVar[str] = say("adversary.breach-probability")

    values: tuple[str, ...] | None = param(
        default=None, entry="value", doc="values that breach an owner's privacy; the owner's own value if not given"
    )

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Breaches:
        """Return the breach probability of every owner."""
        self.refuse_unfit(seen, knowledge)
        assert knowledge.external is not None
        owners = knowledge.external if knowledge.owners is None else knowledge.owners
        self._refuse_owners(knowledge, owners)
        external = self.looked_up(seen, knowledge)
        found = external if knowledge.owners is None else self.looked_up(seen, knowledge, owners)
        bp, member = self._probabilities(knowledge, owners, external, found)
        used = np.unique(found.pair_group)
        missing = int(np.count_nonzero(external.covered[used] < external.groups.sizes[used]))
        warnings = (say("warning.owners_incomplete", missing=missing, groups=len(used)),) if missing else ()
        return Breaches(
            attack=self.id,
            per_victim=bp,
            highest=float(bp.max(initial=0.0)),
            mean=float(bp.mean()) if len(bp) else 0.0,
            reading=say(
                "reading.breaches", persons=len(bp), certain=int(np.count_nonzero(bp >= 1)), highest=bp.max(initial=0.0)
            ),
            details={
                "owners": len(bp),
                "covered": int(np.count_nonzero(found.rows[found.kind_of_person])),
                "certain": int(np.count_nonzero(bp >= 1)),
                "certain_if_member": int(np.count_nonzero(member >= 1)),
                "highest_if_member": float(member.max(initial=0.0)),
                "mean_if_member": float(member.mean()) if len(member) else 0.0,
            },
            warnings=warnings,
            seen=seen,
            knowledge=knowledge,
            owners=owners,
            external_found=external,
            owners_found=found,
            bp=bp,
            bp_member=member,
            breach_set=self.values,
        )

    def _refuse_owners(self, knowledge: TableKnowledge, owners: Table) -> None:
        for name in (*knowledge.known, str(knowledge.name)):
            if name not in owners.types:
                raise BadRequest("is not a column of the owners' table", column=name, available=owners.columns)
        if self.values is None and knowledge.sensitive not in owners.types:
            raise BadRequest(
                "the owners' table does not tell their values; give one that does, or values",
                parameter="owners",
                column=knowledge.sensitive,
                available=owners.columns,
            )

    def _probabilities(
        self, knowledge: TableKnowledge, owners: Table, external: LookedUp, found: LookedUp
    ) -> tuple[Floats, Floats]:
        histogram = found.groups.histograms[knowledge.secret]
        texts = [None if value is None else to_text(value) for value in histogram.values]
        sizes = found.groups.sizes
        reached = np.maximum(external.covered, sizes)
        if self.values is not None:
            kind, target = np.arange(found.kinds), np.zeros(found.kinds, np.int64)
            breaching = np.array([text in self.values for text in texts], bool)
            counts = np.zeros((len(sizes), 1))
            np.add.at(counts[:, 0], histogram.group(), histogram.count * breaching[histogram.code])
            of_owner = found.kind_of_person
        else:
            own = column_of(owners, knowledge.secret)
            place = {text: code for code, text in enumerate(texts) if text is not None}
            wanted = np.array([-1 if value is None else place.get(to_text(value), -1) for value in own], np.int64)
            # Owners with equal quasi-identifiers and equal values share one probability.
            key = found.kind_of_person * (len(texts) + 1) + wanted + 1
            distinct, of_owner = np.unique(key, return_inverse=True)
            kind, target = np.divmod(distinct, len(texts) + 1)
            target = target - 1
            counts = np.zeros((0, 0))
        first = np.searchsorted(found.pair_kind, kind)
        count = np.searchsorted(found.pair_kind, kind + 1) - first
        entry = np.repeat(np.arange(len(kind)), count)
        place_of = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(len(entry))
        group = found.pair_group[place_of]
        if self.values is not None:
            rows = counts[group, 0]
        else:
            stored = histogram.group() * len(texts) + histogram.code
            asked = group * len(texts) + target[entry]
            at = np.minimum(np.searchsorted(stored, asked), max(len(stored) - 1, 0))
            hit = (target[entry] >= 0) & (stored[at] == asked if len(stored) else False)
            rows = np.where(hit, histogram.count[at] if len(stored) else 0, 0).astype(np.float64)
        total = np.bincount(entry, weights=sizes[group].astype(np.float64), minlength=len(kind))
        total = np.maximum(total, 1)
        # Each group counts with its rows: y (a / r) over the sum of y, and y (a / y) = a.
        bp = np.bincount(entry, weights=rows * sizes[group] / reached[group], minlength=len(kind)) / total
        member = np.bincount(entry, weights=rows, minlength=len(kind)) / total
        return bp[of_owner.reshape(-1)], member[of_owner.reshape(-1)]
