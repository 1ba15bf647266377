"""Releases: what leaves the house. Each kind says how a stranger can verify it from the published files alone.

A release has one public table or several, each under the name of its part. A kind checks them by counting anew, says in
plain sentences what such a check shows and what nobody can see from outside, and knows which families of attacks its form
can stop at all.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sfumato.contracts.certificate import Statement
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.thing import Thing
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import GroupStats

if TYPE_CHECKING:
    from sfumato.contracts.built import Built
    from sfumato.contracts.published import Published

__all__ = ["Answer", "Beside", "Parts", "ReleaseKind", "ReleaseTraits"]

Parts = Table | Mapping[str, Table]
"""The public tables by the name of their part; a bare table is the only part."""


@frozen(eq=False)
class Beside:
    """What a check needs beside the public tables, and may be told.

    ``external`` is a population table recoded like the release; where ``external_weights`` names a column of it, each of its
    records stands for so many persons. ``reference`` counts columns (values as texts) before records
    were left out, and ``records`` is how many there were then: models that compare groups with the whole table use both
    instead of what is published. ``lost`` is what share of a record's bits each group leaves open, by its texts; only the
    publisher knows it. ``earlier`` are the releases of the series before this one, oldest first, where requirements
    are about all of them.
    """

    external: Table | None = None
    reference: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    records: int | None = None
    earlier: Sequence[Published] = ()
    lost: Mapping[tuple[str, ...], float] = field(default_factory=dict)
    external_weights: str | None = None


NOTHING_BESIDE = Beside()


@frozen
class ReleaseTraits:
    """What a kind of release keeps: truth at record level, one granularity per column, and what a check can show.

    ``published`` says what a row stands for: a record with all its columns (``records``), records whose sensitive values are
    known by group only, or groups themselves (``groups``), or the output of a random procedure (``statistics``). ``stops``
    names the families of attacks that the form leaves room to stop; a requirement adds nothing outside of them. ``searched``
    tells whether only a search finds one, so that it is not built by hand. ``counted_by`` says how a reader estimates how many
    records meet a condition: from what labels stand for, from the counts of groups, by counting rows, or not at all.
    """

    truthful: bool
    mixed_granularity: bool
    verifiable: str
    published: Literal["records", "groups", "statistics"] = "records"
    stops: frozenset[str] = frozenset({"record", "attribute", "table", "probabilistic"})
    searched: bool = False
    counted_by: Literal["labels", "groups", "rows", "nothing"] = "nothing"


_TRUTH: Mapping[str, str] = {
    "records": say("truth.records"),
    "groups": say("truth.groups"),
    "statistics": say("truth.statistics"),
}


@frozen
class Answer:
    """A published answer to a question: what was spent on it, and how wide its noise is, 0 if it follows from others."""

    question: str
    value: float
    epsilon: float
    scale: float
    chosen: bool = False


class ReleaseKind(Thing):
    """A form of output with its own independent check."""

    kind: ClassVar[str] = "release"
    shape: ClassVar[str] = "table"
    traits: ClassVar[ReleaseTraits]
    nouns: ClassVar[tuple[str, str]] = (say("noun.group"), say("noun.groups"))
    """What one group of this kind is called, and several."""
    by_members: ClassVar[bool] = False
    """Whether a requirement on the size of groups speaks of the records behind a published group, not of equal rows."""
    by_column: ClassVar[bool] = False
    """Whether a report tells of each column what was done to it, and which records look alike."""
    stated: ClassVar[tuple[str, ...]] = ()
    """Parameters that the publisher states and that no reader can see from the tables."""
    made_from: ClassVar[Literal["groups", "perturbation", "queries", "cells"]] = "groups"
    """What one that nobody searches for is made from."""

    @classmethod
    def build(cls, *args: Any, **kwargs: Any) -> Built:
        """Return public tables of this kind, not yet judged; each kind says what it takes."""
        raise Unsupported(f"a {cls.id} is found by a search", thing=cls.id, alternatives=["sfumato.anonymize"])

    @abstractmethod
    def verify(
        self, parts: Parts, models: Sequence[Any], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge published tables by counting them anew; shares no code with any search.

        Tables that do not fit together are refused. ``models`` are those of the kind's shape. ``beside`` is what else the
        publisher tells whoever checks.
        """

    @abstractmethod
    def statement(self) -> Statement:
        """Return what a reader can check (``checked``) and what nobody can see from the files (``not_checkable``)."""

    def compares(self, model: Any) -> bool:
        """Tell whether a requirement is about earlier releases too, so that nobody judges it who does not have them."""
        return False

    def part_names(self) -> tuple[str, ...]:
        """Return the names of the public tables, the main one first."""
        return ("data",)

    def tables(self, parts: Parts) -> dict[str, Table]:
        """Return the public tables by name; refuse missing and surplus ones."""
        names = self.part_names()
        if isinstance(parts, Table):
            parts = {names[0]: parts}
        if set(parts) != set(names):
            raise BadRequest(
                f"must have exactly the parts {', '.join(names)}", parameter=self.id, value=sorted(parts) or "none"
            )
        return {name: parts[name] for name in names}

    def roles(self) -> Mapping[str, Role]:
        """Return the roles of the columns that the kind knows; others are plain."""
        return {}

    def truth(self) -> str:
        """Say in one sentence what published values are true of."""
        return _TRUTH[self.traits.published]

    def refuse_counted(self, models: Sequence[Requirement]) -> None:
        """Refuse requirements that no output of a procedure can show."""
        for model in models:
            raise Unsupported(
                f"{model.id} cannot be counted in {self.id}: what protects is the procedure, not its output",
                thing=model.id,
            )

    def groups(self, parts: Parts) -> GroupStats | None:
        """Return the groups that are published, where the form itself has groups."""
        return None

    def seen(self, parts: Parts) -> Seen:
        """Return how an adversary reads the tables: if nothing else is said, a row of the first is what the kind publishes."""
        tables = {self.part_names()[0]: parts} if isinstance(parts, Table) else parts
        return Seen(next(iter(tables.values())), tables, stands_for=self.traits.published)

    def answers(self, parts: Parts) -> Sequence[Answer] | None:
        """Return the answers to questions that are published, where rows are answers."""
        return None

    def operation(self, column: str) -> str:
        """Return what was done to a column, by the id of the operation; ``none`` where the kind does not say."""
        return "none"

    def unchanged(self, column: str) -> bool:
        """Tell whether a column holds the values that records had before, for all that the kind knows."""
        return self.operation(column) == "none"

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return what the published tables bound by their form alone, as numbers that anybody can count again."""
        return {}

    def cautions(self, given: Collection[str]) -> list[str]:
        """Return what whoever built one by hand should know; ``given`` are the names of what it was built from."""
        return []

    def prevented(self, models: Sequence[Any]) -> list[str]:
        """Return the families of attacks that these requirements stop in a release of this form."""
        return sorted({family for model in models for family in model.traits.prevents} & self.traits.stops)
