"""Differencing: what two releases about the same persons tell together that neither tells alone."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import ClassVar

import numpy as np

from sfumato.attacks._matching import names_of
from sfumato.attacks.differences._release_differences import Difference, Differences, differences_of
from sfumato.attacks.differences._two_releases import Joint, joint_of, other_seen
from sfumato.contracts.attack import AttackTraits, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Floats

__all__ = ["AttackDifferencing", "Compared"]


@frozen(kw_only=True, eq=False)
class Compared(Risk):
    """What two releases tell of each person. Counts may be shown; persons, beliefs and groups are for the steward's eyes.

    ``per_victim`` is the highest belief about each person of the external table.
    """

    seen: Seen
    knowledge: TableKnowledge
    joint: Joint
    beliefs: Floats
    differences: Differences
    k: int

    def names(self) -> list[object]:
        """Return the names of the persons, in the order of the external table."""
        return names_of(self.knowledge)

    def common(self, person: int) -> set[Hashable]:
        """Return the sensitive values that both releases leave to a person, given by the row in the external table."""
        return set(self.posterior(person))

    def posterior(self, person: int) -> dict[Hashable, float]:
        """Return the belief in each common value; empty if the releases contradict, or one of them misses the person."""
        kind = int(self.joint.kind_of_person[person])
        cell = int(self.joint.cell_of_kind[kind])
        inside = slice(*np.searchsorted(self.joint.cell, [cell, cell + 1])) if cell >= 0 else slice(0)
        values = self.joint.one.histogram.values
        return {
            values[code]: belief
            for code, belief in zip(self.joint.code[inside].tolist(), self.beliefs[inside].tolist(), strict=True)
        }

    def isolated(self) -> list[Difference]:
        """Return the groups of which one release shows fewer than k records beside those of the other, and these."""
        return self.differences.shown(self.differences.isolated(self.k))


class AttackDifferencing(TableAttack):
    """Compare two releases about the same persons: what both leave possible is less than what each does.

    Let a person be covered by rows of both releases, and let ``S_1`` and ``S_2`` be the sensitive values of these rows. If she
    is in both releases and has one value, it lies in ``S_1 & S_2``:

    - *certain*: one common value is left; *newly certain* if neither release alone leaves only one;
    - *shrunk*: fewer common values than in either release;
    - *certain by counting*: one value is left when values are taken away that others in the group certainly have. This
      needs groups with as many persons as rows.

    The belief in a common value is estimated: persons with the same rows in both releases form a cell, and beliefs are the
    evenest ones with which the persons of each group have its values as often as its rows do (``estimate="balanced"``,
    iterative proportional fitting, after what counting rules out). A second release that repeats the first, or that has a
    single group, then changes nothing. ``estimate="product"`` takes the product of the two shares instead, as is often done;
    it counts the same evidence twice where groups are alike. The risk of a person is her highest belief; that of one
    release where only one covers her, or where they contradict (no common value: she is not in both, or her value changed).

    The same labels in both releases tell more: if one release has all rows of a group of the other, and fewer than ``k`` rows
    beside, these few are isolated. So a release before and after one person joined shows her value. Such groups are counted;
    who the few persons are is not guessed. Groups are compared by quasi-identifiers and the sensitive column alone.

    Known limits: values that changed between the releases are not modelled. Beliefs are estimates; what is counted as
    certain follows from the two releases, if she is in both.

    Adversary: has both releases and a table of persons who are in both.

    Examples
    --------
    >>> import sfumato
    >>> one = sfumato.from_rows(["Age", "Disease"], [("[20-40)", "Flu"), ("[20-40)", "HIV"), ("[40-60)", "Flu")])
    >>> two = sfumato.from_rows(["Age", "Disease"], [("[20-30)", "Flu"), ("[30-60)", "HIV"), ("[30-60)", "Flu")])
    >>> persons = sfumato.from_rows(["Name", "Age"], [("Ann", 25), ("Bob", 35), ("Eve", 45)])
    >>> found = sfumato.attack(
    ...     one, AttackDifferencing(), other=two, external=persons, name="Name", qid=["Age"], sensitive="Disease"
    ... )
    >>> found.details["certain"], found.details["newly_certain"], sorted(found.common(1))
    (2, 0, ['Flu', 'HIV'])
    >>> found.details["certain_by_counting"], found.posterior(1)
    (3, {'Flu': 0.0, 'HIV': 1.0})

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, chapters 8 and 9, section 17.1.
    Ganta, Kasiviswanathan, Smith, "Composition attacks and auxiliary information in data privacy", 2008,
    doi:10.1145/1401890.1401926.
    """

    id: ClassVar[str] = "attack-differencing"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="a second release about the same persons, and a table of these persons and their quasi-identifiers",
        needs=frozenset({"qid", "sensitive", "external", "other"}),
    )
    adversary: ClassVar[str] = say("adversary.attack-differencing")

    estimate: str = param(
        default="balanced",
        choices=("balanced", "product"),
        doc="how beliefs of two releases are put together, see above",
    )
    k: int = param(default=5, ge=2, doc="fewer records than this, that one release has beside the other, are isolated")

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Compared:
        """Compare; every person of the external table is a victim."""
        self.refuse_unfit(seen, knowledge)
        assert knowledge.other is not None
        for part, table in (("published", seen.table), ("other", knowledge.other.table)):
            for name in (*knowledge.known, knowledge.secret):
                if name not in table.types:
                    raise BadRequest("lacks a column", parameter=part, value=name, available=table.columns)
        second = other_seen(seen, knowledge)
        joint = joint_of(seen, knowledge, second)
        beliefs = joint.balanced() if self.estimate == "balanced" else joint.product()
        kind_risk, counted = self._risks(joint, beliefs)
        risk = kind_risk[joint.kind_of_person]
        differences = differences_of(seen.groups(knowledge), second.groups(knowledge), knowledge.secret)
        isolated = differences.isolated(self.k)
        persons = len(risk)
        details = {
            "persons": persons,
            **counted,
            "groups_in_both": differences.shared_groups,
            "rows_only_in_published": differences.only_first,
            "rows_only_in_other": differences.only_second,
            "isolated_groups": len(isolated),
            "isolated_rows": int(np.abs(differences.more[np.isin(differences.key, isolated)]).sum()),
        }
        highest, mean = spread(risk)
        return Compared(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=_reading(details, self.k),
            details=details,
            seen=seen,
            knowledge=knowledge,
            joint=joint,
            beliefs=beliefs,
            differences=differences,
            k=self.k,
        )

    def _risks(self, joint: Joint, beliefs: Floats) -> tuple[Floats, dict[str, int]]:
        """Return the risk of each kind of person, and how many persons are told what."""
        one, two = joint.one, joint.two
        weight = np.bincount(joint.kind_of_person, minlength=len(joint.cell_of_kind))
        both = joint.cell_of_kind >= 0
        common = np.where(both, np.append(joint.common, 0)[joint.cell_of_kind], 0)
        agreed = both & (common > 0)
        first, second = one.distinct(), two.distinct()
        alone = np.where(one.set_of_kind >= 0, one.risk(), two.risk())
        together = np.append(joint.highest(beliefs), 0.0)[joint.cell_of_kind]
        certain = agreed & (common == 1)
        left = np.bincount(joint.cell, joint.possible, len(joint.persons))
        counted_out = agreed & (np.append(left, 0.0)[joint.cell_of_kind] == 1)

        def persons(kinds: Bools) -> int:
            return int(weight[kinds].sum())

        counted = {
            "in_both": persons(both),
            "only_in_published": persons((one.set_of_kind >= 0) & ~both),
            "only_in_other": persons((two.set_of_kind >= 0) & ~both),
            "contradicted": persons(both & ~agreed),
            "certain": persons(certain),
            "newly_certain": persons(certain & (first > 1) & (second > 1)),
            "certain_by_counting": persons(counted_out),
            "shrunk": persons(agreed & (common < np.minimum(first, second))),
        }
        return np.minimum(np.where(agreed, together, alone), 1.0), counted


def _reading(details: Mapping[str, float], k: int) -> str:
    return say(
        "reading.differencing",
        in_both=details["in_both"],
        certain=details["certain"],
        newly_certain=details["newly_certain"],
        certain_by_counting=details["certain_by_counting"],
        shrunk=details["shrunk"],
        isolated_groups=details["isolated_groups"],
        k=k,
    )
