"""Attacks: what an adversary with stated knowledge learns from a release."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import field, fields, replace
from functools import reduce
from typing import ClassVar, Generic, Literal, Self, TypeVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Knowledge, Seen, TableKnowledge, lacking
from sfumato.contracts.run import Run
from sfumato.contracts.thing import Thing, parameters
from sfumato.data.frozen import frozen
from sfumato.data.html import html_list, html_table, html_text
from sfumato.data.messages import say, tell
from sfumato.data.words import percent
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["Attack", "AttackTraits", "Details", "Risk", "TableAttack", "spread", "unlinkable"]

K = TypeVar("K", bound=Knowledge)


@frozen
class AttackTraits:
    """What an attack aims at (record, attribute, table, probabilistic) and what its adversary knows, in words.

    ``needs`` are the names of what must be seen or known for it to be tried. ``victims`` says whom a risk is counted for:
    the persons of the external table, in order, or the published records, group by group. ``quick`` tells whether it costs
    no more than a few passes over the groups, so that every release can be tried with it before it leaves. ``across`` tells
    whether it reads sensitive values from another table than the records. ``compared`` tells whether a quick audit also tries
    it on the table before masking, ``each_requirement`` whether an audit also tries it for the columns of single requirements.
    ``in_order`` tells whether published rows may be taken for those of the raw table in its order, so that it matters.
    """

    aims_at: frozenset[str]
    knowledge: str
    needs: frozenset[str] = frozenset({"qid", "external", "name"})
    victims: Literal["persons", "records"] = "persons"
    quick: bool = True
    across: bool = False
    compared: bool = False
    each_requirement: bool = False
    in_order: bool = False

    @property
    def learns(self) -> bool:
        """Whether sensitive values are looked at: where they are needed, and by whoever links with a table of persons."""
        return bool({"sensitive", "external"} & self.needs)

    @property
    def comparable(self) -> bool:
        """Whether it can also be tried on the table before masking: one table, which it does not read anyway."""
        return not {"raw", "parts", "other"} & self.needs

    @property
    def guesses(self) -> bool:
        """Whether rows are read as guesses that a control group is compared with; other attacks take them for true."""
        return "control" in self.needs

    @property
    def by_bucket(self) -> bool:
        """Whether values that a release publishes by group are read there; against a control group records themselves count."""
        return self.victims == "records" and "attribute" in self.aims_at and not self.guesses


@frozen(eq=False)
class Details(Mapping[str, object]):
    """Counts and shares of a finding: the fields of a dataclass, which also read as a mapping, for a JSON file.

    A field that would hide a method of mappings ends with an underscore, which is no part of its name.
    """

    def _names(self) -> dict[str, str]:
        return {declared.name.rstrip("_"): declared.name for declared in fields(self)}

    def __getitem__(self, name: str) -> object:
        return getattr(self, self._names()[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())


@frozen(kw_only=True, eq=False)
class Risk:
    """Risk per victim and in summary; ``details`` holds counts and never values of single persons.

    ``counts`` says how many victims each entry of ``per_victim`` stands for, one if not given: records that look alike share
    their risk. ``reading`` says in one sentence what was found, for someone who has never heard of the attack.
    """

    attack: str
    per_victim: Floats
    highest: float
    mean: float
    reading: str
    counts: Ints | None = None
    details: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__repr__" not in vars(cls):
            cls.__repr__ = Risk.__repr__  # type: ignore[method-assign]  # fields of their own may hold persons

    def __repr__(self) -> str:
        told = f"highest {self.highest:.3g}, mean {self.mean:.3g}, {self.victims:,} victims"
        return f"{type(self).__name__}({self.attack}: {told})"

    def _repr_html_(self) -> str:
        header = [tell(f"page.notebook.{name}") for name in ("attack", "victims", "highest", "mean")]
        row = [self.attack, f"{self.victims:,}", percent(self.highest, 1.0), percent(self.mean, 1.0)]
        return html_table(header, [row]) + html_text(self.reading) + html_list(self.warnings)

    @property
    def victims(self) -> int:
        """Number of victims."""
        return len(self.per_victim) if self.counts is None else int(self.counts.sum())

    def above(self, threshold: float) -> int:
        """Return how many victims have a risk above a threshold."""
        over = self.per_victim > threshold
        return int(np.count_nonzero(over)) if self.counts is None else int(self.counts[over].sum())


_PORTION = 1 << 20


def spread(per_victim: Floats, counts: Ints | None = None) -> tuple[float, float]:
    """Return the highest and the mean risk; both are 0 if there is nobody.

    >>> import numpy as np
    >>> spread(np.array([1.0, 0.25]), np.array([1, 3]))
    (1.0, 0.4375)
    """
    if not len(per_victim):
        return 0.0, 0.0
    if len(per_victim) <= _PORTION:
        return float(per_victim.max()), float(np.average(per_victim, weights=counts))
    # Of millions, a portion at a time: products of all of them would take several times their room.
    total = weight = 0.0
    for start in range(0, len(per_victim), _PORTION):
        part = slice(start, start + _PORTION)
        given = np.ones(len(per_victim[part])) if counts is None else counts[part]
        total, weight = total + float((per_victim[part] * given).sum()), weight + float(given.sum())
    return float(per_victim.max()), total / weight


def _both(first: str, second: str) -> str:
    return say("frame.both", first=first, second=second)


def unlinkable(seen: Seen, knowledge: TableKnowledge) -> str | None:
    """Say why nobody can be looked up by her own values; nothing if everybody can."""
    shared = [name for name in knowledge.known if name in seen.aggregated]
    if not shared:
        return None
    return say("needs.labels_that_cover", columns=shared)


class Attack(Thing, Generic[K]):
    """Turns knowledge and a release into a risk for each victim; ``title`` is its name where the id does not tell it."""

    kind: ClassVar[str] = "attack"
    traits: ClassVar[AttackTraits]
    adversary: ClassVar[str]
    title: ClassVar[str] = ""

    @abstractmethod
    def run(self, seen: Seen, knowledge: K, run: Run) -> Risk:
        """Return the risk that what is published leaves to the victims."""

    def unfit(self, seen: Seen, knowledge: K) -> str | None:
        """Say why the attack cannot be tried, or ``None`` if it can; whatever is named here may be given."""
        asked = lacking(self.traits.needs, knowledge, seen)
        return say("needs.these", what=reduce(_both, (piece.doc for piece in asked))) if asked else None

    def view(self, seen: Seen, knowledge: K) -> Seen:
        """Return what is published as this attack reads it."""
        return seen

    def told(self, given: Mapping[str, object]) -> Self:
        """Return the attack with those of the given parameters that it has."""
        names = {declared.name for declared, _, _ in parameters(type(self))}
        return replace(self, **{name: value for name, value in given.items() if name in names})


class TableAttack(Attack[TableKnowledge]):
    """An attack on a published table."""

    def view(self, seen: Seen, knowledge: TableKnowledge) -> Seen:
        """Return what is published; what is to be learnt and published by group is read there."""
        grouped = seen.buckets is not None and knowledge.sensitive in seen.buckets.histograms
        return replace(seen, counted=seen.buckets) if grouped and self.traits.by_bucket else seen

    def unfit(self, seen: Seen, knowledge: TableKnowledge) -> str | None:
        """Say why the attack cannot be tried: also if the values to learn stand nowhere beside records or groups."""
        asked = self._untrue(seen, knowledge) or super().unfit(seen, knowledge)
        if asked is None and self._out_of_reach(seen, knowledge):
            return say("needs.values_beside")
        return asked

    def _untrue(self, seen: Seen, knowledge: TableKnowledge) -> str | None:
        """Say why rows cannot be taken for persons, or their values for those of the persons; nothing if they can."""
        if self.traits.guesses:
            return None
        if seen.stands_for == "statistics":
            return "needs published rows that stand for persons: here a row is the output of a procedure and true of nobody"
        learnt = knowledge.learn if "sensitive" in self.traits.needs else ()
        changed = [name for name in (*knowledge.known, *learnt) if name in seen.changed]
        if changed or (seen.changed and not knowledge.known):
            which = ", ".join(changed) or "every quasi-identifier"
            return f"needs true values: {which} was changed at random, and what a row shows there may be nobody's"
        if "external" in self.traits.needs:
            return unlinkable(seen, knowledge)
        return None

    def _out_of_reach(self, seen: Seen, knowledge: TableKnowledge) -> bool:
        """Tell whether the values to learn stand nowhere beside the records or the groups that were counted."""
        held = seen.table.types if seen.counted is None else seen.counted.histograms
        return "sensitive" in self.traits.needs and not self.traits.across and knowledge.sensitive not in held

    def refuse_unfit(self, seen: Seen, knowledge: TableKnowledge) -> None:
        """Refuse to go on without what the attack needs, or with tables that lack the named columns."""
        untrue = self._untrue(seen, knowledge)
        if untrue is not None:
            raise BadRequest(f"{self.id} {untrue}", parameter="release")
        asked, published = lacking(self.traits.needs, knowledge, seen), seen.table
        if any(piece.said == "qid" for piece in asked) and knowledge.external is not None:
            raise BadRequest(
                "the published and the external table share no quasi-identifier",
                parameter="qid",
                available=published.columns,
            )
        if asked:
            raise BadRequest(f"{self.id} needs {asked[0].doc}", parameter=asked[0].said)
        for name in knowledge.known:
            if name not in published.types:
                raise BadRequest(
                    "is not a column of the published table", parameter="qid", value=name, available=published.columns
                )
        for name in knowledge.learn:
            if self._out_of_reach(seen, knowledge) or (name not in published.types and not seen.parts):
                raise BadRequest(
                    "is not a column of the published table",
                    parameter="sensitive",
                    value=name,
                    available=published.columns,
                )
            if name in knowledge.known:
                raise BadRequest("is linked by and cannot be learnt", parameter="sensitive", value=name)
        if knowledge.external is not None:
            self._refuse_persons(knowledge.external, knowledge)

    def _refuse_persons(self, external: Table, knowledge: TableKnowledge) -> None:
        for name in knowledge.known:
            if name not in external.types:
                raise BadRequest(
                    "is not a column of the external table", parameter="qid", value=name, available=external.columns
                )
        if knowledge.name is None:
            return
        if knowledge.name not in external.types:
            raise BadRequest(
                "the external table needs a column that names its persons",
                parameter="name",
                value=knowledge.name,
                available=external.columns,
            )
        if knowledge.name in knowledge.known:
            raise BadRequest("names persons and cannot be linked by", parameter="qid", value=knowledge.name)
