"""Record linkage: which published records may be those of a person, and what they tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.attacks.linkage._joining_attack import JoiningAttack
from sfumato.attacks.linkage.linking_attack import Linkage, joined
from sfumato.contracts.attack import AttackTraits
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest

__all__ = ["AttackRecordLinkage", "Link", "RecordLinkage"]


@frozen
class Link:
    """What the published records say of one person; for the steward's eyes.

    ``sensitive_distribution`` holds the share of each sensitive value among the matching records, nothing without any.
    """

    name: object
    match_count: int
    sensitive_distribution: Mapping[object, float]

    @property
    def record_link_probability(self) -> float | None:
        """One over the number of matching records; ``None`` without any."""
        return 1 / self.match_count if self.match_count else None


@frozen(kw_only=True, eq=False)
class RecordLinkage(Linkage):
    """What a join gives, person by person. Counts may be shown; names and values are for the steward's eyes."""

    def links(self) -> list[Link]:
        """Return what is found of every person, in the order of the external table."""
        return [self._link(place, name) for place, name in enumerate(self.names())]

    def of(self, name: object) -> Link:
        """Return what is found of one person, by name."""
        places = [place for place, known in enumerate(self.names()) if known == name]
        if len(places) != 1:
            raise BadRequest(
                "must name exactly one person" + (f"; {len(places)} have this name" if places else ""), parameter="name"
            )
        return self._link(places[0], name)

    def uniquely_linked(self) -> list[object]:
        """Return the names of the persons with exactly one matching record."""
        return self.reidentified()

    def certain_sensitive_value(self) -> list[tuple[object, object]]:
        """Return name and value of the persons whose matching records, one or several, all carry one sensitive value."""
        return [
            (name, next(iter(self.candidates(place))))
            for place, (name, one) in enumerate(zip(self.names(), self.one_value.tolist(), strict=True))
            if one
        ]

    def _link(self, place: int, name: object) -> Link:
        matching = int(self.matching_rows[place])
        told = self.knowledge.sensitive is not None and self.knowledge.sensitive in self.looked_up.groups.histograms
        values = self.candidates(place) if told else {}
        return Link(name, matching, {value: count / matching for value, count in values.items()})


class AttackRecordLinkage(JoiningAttack):
    """Look for the published records that may be a person's: the fewer there are, the surer the link.

    The *candidates* of a person are the published records whose labels cover all her values: the value itself, a node above
    it, an interval that holds it, or ``*``. With ``m`` candidates the probability of the right link is ``1 / m``; without
    any there is none and the risk is 0. If all candidates carry one sensitive value, it is certain, though no record may be.

    A missing value is a value of its own: whoever has none matches the records that show none, or ``?``, or ``*``. With
    ``missing="wildcard"`` a missing value on either side, or the ``?`` that is published for one, matches anything: the
    adversary keeps every record that does not contradict what she knows. With ``missing="nothing"`` it matches nothing.
    Persons without names are numbered by their place in the table, from 0. A person who is in the adversary's table and not
    in the published one may have candidates as well; the risk is that of somebody who is published.

    Adversary: knows the quasi-identifiers of persons and that they are in the published table.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("Lawyer", 38, "HIV"), ("Dancer", 30, "HIV"), ("Dancer", 30, "HIV")]
    >>> people = [("Doug", "Lawyer", 38), ("Emily", "Dancer", 30), ("Irene", "Dancer", 32)]
    >>> table = sfumato.from_rows(["Job", "Age", "Disease"], rows)
    >>> voters = sfumato.from_rows(["Name", "Job", "Age"], people)
    >>> found = sfumato.attack(table, AttackRecordLinkage(), external=voters, name="Name", sensitive="Disease")
    >>> found.uniquely_linked(), found.unmatched(), found.certain_sensitive_value()
    (['Doug'], ['Irene'], [('Doug', 'HIV'), ('Emily', 'HIV')])
    >>> found.of("Emily").record_link_probability
    0.5

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.
    Sweeney, "k-anonymity: a model for protecting privacy", 2002, doi:10.1142/S0218488502001648.
    """

    id: ClassVar[str] = "attack-record-linkage"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="a table of persons and their quasi-identifiers, and what published labels stand for",
        needs=frozenset({"qid", "external"}),
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.attack-record-linkage")

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> RecordLinkage:
        """Join; every person of the external table is a victim."""
        self.refuse_unfit(seen, knowledge)
        return joined(RecordLinkage, self.id, seen, knowledge, self.looked_up(seen, knowledge))
