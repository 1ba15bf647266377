"""Free-form anonymity: whatever observable values an adversary knows, no sensitive value follows with too much certainty."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import field, replace
from typing import Any, ClassVar, Self

import numpy as np

from sfumato.contracts.model import TableModel, TableTraits, Verdict, Violation, at_most
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Ints
from sfumato.models._value_combinations import coded_keys, refined
from sfumato.models.sensitive_model import Value

__all__ = ["FFAnonymity", "FreeFormAttack"]


@frozen
class FreeFormAttack:
    """The surest way to one sensitive value: the observable values to know, how many records fit, how many of them have it."""

    column: str
    value: Hashable
    threshold: float
    probability: float
    given: Mapping[str, Hashable] = field(default_factory=dict)
    records: int = 0


class FFAnonymity(TableModel):
    """No set of observable values, from whatever attributes, makes a sensitive value more likely than its threshold.

    Every value of every attribute is sensitive (listed with a threshold) or observable. An attack ``X -> s`` uses a set
    ``X`` of observable values from attributes other than that of ``s``; ``P(X -> s)`` is the share of ``s`` among the records
    that hold all of ``X``. The model holds iff ``P(X -> s) <= threshold(s)`` for every ``X`` that occurs, the empty one
    included, and every ``s``. The attributes are the quasi-identifiers, if any are named, and those of the sensitive values;
    else all columns of the table.

    Sensitive values of other attributes cannot be known, so a smaller ``X`` may be the breach. An attribute without
    sensitive values divides the records of any ``X``, so only sets that hold all such attributes (or as many as ``max_x``
    allows) are counted, also when violating records are; a set that no record with ``s`` holds is not extended.

    Recoding that mixes sensitive with observable values is not covered by the merge trait; quasi-identifiers hold none.

    Adversary: knows any observable values of a person in the table.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> from sfumato.contracts.publication import Publication
    >>> rows = [("Clerk", "Flu"), ("Clerk", "HIV"), ("Pilot", "HIV")]
    >>> table = Publication(table=from_rows(["Job", "Disease"], rows))
    >>> FFAnonymity(sensitive=(("Disease", "HIV", 0.5),)).attacks(table)[0].given
    {'Job': 'Pilot'}
    >>> FFAnonymity(sensitive=(("Disease", "HIV", 0.5),)).judge(table).strongest
    1.0

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.10.
    Wang, Xu, Fu, Wong, "FF-anonymity: when quasi-identifiers are missing", 2009, doi:10.1109/ICDE.2009.184.
    """

    id: ClassVar[str] = "ff-anonymity"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="subsets",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="value",
    )
    adversary: ClassVar[str] = say("adversary.ff-anonymity")
    level: ClassVar[str] = "highest probability"

    sensitive: tuple[tuple[str, Value, float], ...] = param(
        doc="sensitive values as [column, value, highest probability]; every other value is observable"
    )
    max_x: int | None = param(
        default=None, ge=1, doc="most observable values that the adversary knows; no limit if not given"
    )

    def validate(self) -> None:
        """Refuse an empty or repeating list, and thresholds that are no probabilities."""
        super().validate()
        if not self.sensitive:
            raise BadRequest("must name at least one sensitive value", parameter=f"{self.id}.sensitive")
        if len({(name, value) for name, value, _ in self.sensitive}) < len(self.sensitive):
            raise BadRequest(
                "names a sensitive value twice",
                parameter=f"{self.id}.sensitive",
                value=[f"{name}={value}" for name, value, _ in self.sensitive],
            )
        for _, _, threshold in self.sensitive:
            if not 0 <= threshold <= 1:
                raise BadRequest("thresholds must be >= 0 and <= 1", parameter=f"{self.id}.sensitive", value=threshold)

    def with_values(self, held: Callable[[str, Any], Any]) -> Self:
        """Return the model with the values it protects as their column holds them."""
        return replace(self, sensitive=tuple((name, held(name, value), most) for name, value, most in self.sensitive))

    def needs(self) -> tuple[str, ...]:
        """Return the columns that hold sensitive values."""
        return tuple(dict.fromkeys(name for name, _, _ in self.sensitive))

    def attacks(self, publication: Publication) -> tuple[FreeFormAttack, ...]:
        """Return the surest attack on each sensitive value, in the order of the parameter."""
        groups = self._records(publication)
        return tuple(_Search(groups, self, at).run() for at in range(len(self.sensitive)))

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge every attack; each violation is one sensitive value with the surest way to it."""
        groups = self._records(publication)
        searches = [_Search(groups, self, at) for at in range(len(self.sensitive))]
        attacks = [search.run() for search in searches]
        broken = [attack for attack in attacks if not _holds(attack.probability, attack.threshold)]
        broken.sort(key=lambda attack: attack.threshold - attack.probability)
        touched = np.logical_or.reduce([search.touched for search in searches])
        return self.verdict(
            qid=groups.columns,
            satisfied=not broken,
            strongest=max(attack.probability for attack in attacks) if len(groups) else None,
            bound=say("bound.each_value"),
            groups=len(groups),
            records=groups.sizes.sum().item(),
            violations=[
                Violation(
                    tuple(attack.given.values()),
                    attack.records,
                    attack.probability,
                    {
                        "given": dict(attack.given),
                        "column": attack.column,
                        "value": attack.value,
                        "threshold": attack.threshold,
                    },
                )
                for attack in broken[:worst]
            ],
            violating_groups=len(broken),
            violating_records=groups.sizes[touched].sum().item(),
        )

    def _records(self, publication: Publication) -> GroupStats:
        """Return the distinct records over all attributes, with how often each occurs."""
        named = self.needs()
        if publication.explicit is not None:
            groups = publication.explicit
        else:
            known = self.qid or publication.qids
            table = publication.table
            every = tuple(dict.fromkeys([*known, *named])) if known else tuple(table.columns if table else ())
            groups = publication.groups(every)
        for name in named:
            if name not in groups.columns:
                raise BadRequest(
                    "is not among the attributes of the groups",
                    parameter=f"{self.id}.sensitive",
                    column=name,
                    available=groups.columns,
                )
        return groups


def _holds(probability: float, threshold: float) -> bool:
    return bool(at_most(float(threshold)).holds(np.array([probability]))[0])


class _Search:
    """Walks the sets of attributes whose observable values may give one sensitive value away."""

    def __init__(self, groups: GroupStats, model: FFAnonymity, at: int) -> None:
        self.groups = groups
        self.column, self.value, self.threshold = model.sensitive[at]
        self.codes, self.values = coded_keys(groups)
        own = groups.columns.index(self.column)
        self.has = np.array([key == self.value for key in groups.keys[own]], bool)
        secret = {(name, value) for name, value, _ in model.sensitive}
        self.observable = np.ones(self.codes.shape, bool)
        for place, name in enumerate(groups.columns):
            hidden = np.array([(name, value) in secret for value in self.values[place]], bool)
            if len(hidden):
                self.observable[:, place] = ~hidden[self.codes[:, place]]
        others = [place for place in range(len(groups.columns)) if place != own]
        self.always = [place for place in others if self.observable[:, place].all()]
        self.order = self.always + [place for place in others if place not in self.always]
        self.most = len(self.order) if model.max_x is None else min(model.max_x, len(self.order))
        self.best = FreeFormAttack(self.column, self.value, self.threshold, 0.0)
        self.touched = np.zeros(len(groups), bool)

    def run(self) -> FreeFormAttack:
        rows = np.arange(len(self.groups), dtype=np.int64)
        if self.has.any():
            self._walk(0, (), rows, np.zeros(len(rows), np.int64), whole=True)
        return self.best

    def _walk(self, index: int, chosen: tuple[int, ...], rows: Ints, ids: Ints, *, whole: bool) -> None:
        """Decide about the attribute at ``index``; ``whole`` while no attribute that divides everything was left out."""
        if len(chosen) == self.most or index == len(self.order):
            if whole or len(chosen) == self.most:
                self._weigh(chosen, rows, ids)
            return
        place = self.order[index]
        keep = self.observable[rows, place]
        left = rows[keep]
        if len(left):
            made, count = refined(ids[keep], self.codes[left, place])
            alive = np.bincount(made, weights=self.has[left], minlength=count)[made] > 0
            if alive.any():
                self._walk(index + 1, (*chosen, place), left[alive], made[alive], whole=whole)
        if index >= len(self.always):
            self._walk(index + 1, chosen, rows, ids, whole=whole)
        elif len(chosen) + len(self.order) - index - 1 >= self.most:
            self._walk(index + 1, chosen, rows, ids, whole=False)

    def _weigh(self, chosen: tuple[int, ...], rows: Ints, ids: Ints) -> None:
        weights = self.groups.sizes[rows]
        size = np.bincount(ids, weights=weights).astype(weights.dtype)
        with_value = np.bincount(ids, weights=weights * self.has[rows], minlength=len(size))
        share = np.divide(with_value, size, out=np.zeros(len(size)), where=size > 0)
        self.touched[rows[(~at_most(float(self.threshold)).holds(share))[ids]]] = True
        top = int(np.argmax(share))
        if share[top] > self.best.probability:
            row = int(rows[np.flatnonzero(ids == top)[0]])
            given = {self.groups.columns[place]: self.groups.keys[place][row] for place in sorted(chosen)}
            self.best = FreeFormAttack(
                self.column, self.value, self.threshold, float(share[top]), given, size[top].item()
            )
