"""The persons of a release by their raw quasi-identifiers: in which published group they are, and how many look alike."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from sfumato.attacks._matching import LookedUp
from sfumato.contracts.knowledge import TableKnowledge
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Codes, Ints
from sfumato.models.m_confidentiality import ChecksGroups, Person, PublishedGroup

__all__ = ["RawKinds", "refuse_misfits"]


def refuse_misfits(found: LookedUp) -> None:
    """Refuse persons who are not those of the release: worlds hand its values out to exactly these."""
    several = np.bincount(found.pair_kind, minlength=found.kinds) > 1
    if several.any():
        raise BadRequest(
            f"{int(found.persons[several].sum()):,} of the persons fit more than one published group",
            parameter="external",
        )
    wrong = np.flatnonzero(found.covered != found.groups.sizes)
    if len(wrong):
        at = int(wrong[0])
        raise BadRequest(
            f"{len(wrong):,} of {len(found.groups):,} published groups do not fit the persons, such as one of "
            f"{int(found.groups.sizes[at]):,} records that fits {int(found.covered[at]):,}; needed are the persons of the "
            "table, no more and no fewer, and what its labels stand for",
            parameter="external",
        )


@frozen(eq=False)
class RawKinds:
    """The distinct raw quasi-identifiers of the persons in the release: codes, values, how many persons, and their group."""

    columns: tuple[str, ...]
    values: tuple[Sequence[Hashable], ...]
    codes: Codes
    sizes: Ints
    kind: Ints
    group: Ints
    number: dict[Person, int]

    @classmethod
    def of(cls, knowledge: TableKnowledge, found: LookedUp, group_of: Ints) -> RawKinds:
        """Return the kinds of persons that some group covers."""
        assert knowledge.external is not None
        held = {name: knowledge.external.dictionary(name) for name in knowledge.known}
        codes = knowledge.external.as_rows().codes(knowledge.known, held)
        somebody = np.empty(found.kinds, np.int64)
        somebody[found.kind_of_person] = np.arange(len(found.kind_of_person))
        kind = np.flatnonzero(group_of >= 0)
        values = tuple(held[name].values for name in knowledge.known)
        return cls(knowledge.known, values, codes[somebody[kind]], found.persons[kind], kind, group_of[kind], {})

    def always_breaks(self, asked: Sequence[ChecksGroups], blind: Sequence[ChecksGroups]) -> bool:
        """Tell whether the raw table breaks a requirement whatever the sensitive values are."""
        if any(not model.check(self._groups(model.qid or self.columns)).satisfied for model in blind):
            return True
        return any(
            model.traits.by_group
            and int(self._groups(model.qid or self.columns).sizes.min(initial=model.least_size())) < model.least_size()
            for model in asked
        )

    def _groups(self, columns: Sequence[str]) -> GroupStats:
        """Return the groups of the raw table on some columns."""
        at = [self.columns.index(name) for name in columns]
        distinct, sizes = self.codes[:, at], self.sizes
        if set(columns) != set(self.columns):
            distinct, inverse = np.unique(distinct, axis=0, return_inverse=True)
            sizes = np.bincount(inverse.reshape(-1), weights=sizes, minlength=len(distinct)).astype(np.int64)
        keys = tuple(CodedKeys(self.values[place], distinct[:, number]) for number, place in enumerate(at))
        return GroupStats(tuple(columns), keys, sizes)

    def published(self, found: LookedUp, sensitive: str) -> list[PublishedGroup]:
        """Return the published groups with their persons; what is published as it was is known by its raw value."""
        histogram = found.groups.histograms[sensitive]
        inside: list[dict[Person, int]] = [{} for _ in range(len(found.groups))]
        for at, (kind, group, size) in enumerate(
            zip(self.kind.tolist(), self.group.tolist(), self.sizes.tolist(), strict=True)
        ):
            person = tuple(
                None if code < 0 else values[code]
                for values, code in zip(self.values, self.codes[at].tolist(), strict=True)
            )
            self.number[person] = kind
            inside[group][person] = size
        return [
            PublishedGroup(_key(found.groups.key(group), persons), persons, histogram.row(group))
            for group, persons in enumerate(inside)
        ]


def _key(shown: tuple[Hashable, ...], persons: Mapping[Person, int]) -> tuple[Hashable, ...]:
    """Return the raw quasi-identifier if the published labels are its texts, else the labels."""
    if len(persons) != 1:
        return shown
    (person,) = persons
    texts = [None if one is None else to_text(one) for one in shown]
    return person if texts == [None if one is None else to_text(one) for one in person] else shown
