"""A publisher who masks no more than the requirements force, as the adversary of the minimality attack thinks of her."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from sfumato.attacks._matching import LookedUp
from sfumato.catalogue import build
from sfumato.contracts.knowledge import TableKnowledge
from sfumato.contracts.model import TableModel
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.models.m_confidentiality import (
    ChecksGroups,
    MConfidentiality,
    MinimalPublisher,
    Person,
    PublishedGroup,
    World,
    checks_groups,
)

__all__ = ["Publisher", "refuse_wide", "requirements", "unanswerable"]

THING = "attack-minimality"
MOST_KINDS = 400  # different persons in one group: each is a step of a nested walk


def _settled(knowledge: TableKnowledge) -> list[TableModel]:
    """Return the requirements; of m-confidentiality the one that made the publisher mask."""
    return [
        build(model.requirement, "model") if isinstance(model, MConfidentiality) else model
        for model in knowledge.models
    ]


def unanswerable(knowledge: TableKnowledge) -> list[str]:
    """Return the ids of requirements on the sensitive column that groups of a raw table do not decide."""
    return [
        model.id
        for model in _settled(knowledge)
        if knowledge.sensitive in model.needs() and not checks_groups(model, knowledge.sensitive)
    ]


def requirements(knowledge: TableKnowledge) -> tuple[list[ChecksGroups], list[ChecksGroups], list[str]]:
    """Return the requirements that read the sensitive column, those that read none, and what is left out."""
    models = _settled(knowledge)
    for model in models:
        for name in model.qid or ():
            if name not in knowledge.known:
                raise BadRequest(
                    "a requirement is on a column that the attack does not link by",
                    parameter="qid",
                    value=name,
                    available=knowledge.known,
                )
    fitting = [model for model in models if checks_groups(model, knowledge.sensitive)]
    asked = [model for model in fitting if model.needs()]
    blind = [model for model in fitting if not model.needs()]
    ignored = sorted({model.id for model in models} - {model.id for model in (*asked, *blind)})
    note = say("warning.requirements_ignored", names=", ".join(ignored), column=knowledge.sensitive)
    return asked, blind, [note] if ignored and asked else []


@frozen(eq=False)
class Publisher:
    """What a publisher does who masks only if the raw table breaks a requirement.

    Requirements that are decided group by group are asked once for each histogram of a raw group; the answers are kept.
    """

    single: tuple[MinimalPublisher, ...]
    whole: tuple[tuple[MinimalPublisher, tuple[int, ...]], ...]
    at_most_worlds: int
    known: dict[tuple[tuple[Hashable, int], ...], bool]
    asked: list[int]

    @classmethod
    def of(
        cls, knowledge: TableKnowledge, found: LookedUp, models: Sequence[ChecksGroups], at_most_worlds: int
    ) -> Publisher:
        """Return the publisher who promised these models."""
        sensitive = knowledge.secret
        histogram = found.groups.histograms[sensitive]
        table = dict(zip(histogram.values, histogram.per_value().tolist(), strict=True))
        single, whole = [], []
        for model in models:
            names = tuple(model.qid or knowledge.known)
            made = MinimalPublisher(model, names, sensitive, table)
            if model.traits.evaluation in ("group", "group+table") and set(names) == set(knowledge.known):
                single.append(made)
            else:
                whole.append((made, tuple(knowledge.known.index(name) for name in names)))
        return cls(tuple(single), tuple(whole), at_most_worlds, {}, [0])

    @property
    def alone(self) -> bool:
        """Whether the raw groups below one published group can be looked at without the others."""
        return not self.whole

    def breaks(self, world: World) -> bool:
        """Tell whether a raw table, or the part of it below one published group, breaks a requirement."""
        self.asked[0] += 1
        if self.asked[0] > self.at_most_worlds:
            raise Unsupported(f"there are more than {self.at_most_worlds} different worlds to look at", thing=THING)
        if any(self._broken(person, counts) for person, counts in world.items()):
            return True
        return any(made.breaks(_projected(world, places)) for made, places in self.whole)

    def holds(self, world: World) -> bool:
        """Tell whether a raw table meets every requirement."""
        return not self.breaks(world)

    def _broken(self, person: Person, counts: Mapping[Hashable, int]) -> bool:
        key = tuple(counts.items())
        if key not in self.known:
            self.known[key] = any(made.breaks({person: counts}) for made in self.single)
        return self.known[key]


def _projected(world: World, places: Sequence[int]) -> World:
    """Return a raw table on some of its quasi-identifiers."""
    out: dict[Person, dict[Hashable, int]] = {}
    for person, counts in world.items():
        here = out.setdefault(tuple(person[at] for at in places), {})
        for value, count in counts.items():
            here[value] = here.get(value, 0) + count
    return out


def refuse_wide(groups: Sequence[PublishedGroup]) -> None:
    widest = max((len(group.persons) for group in groups), default=0)
    if widest > MOST_KINDS:
        raise Unsupported(
            f"a published group holds {widest:,} different raw quasi-identifiers, more than can be gone through",
            thing=THING,
        )
