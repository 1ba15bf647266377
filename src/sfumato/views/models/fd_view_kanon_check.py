"""k-anonymity of a view set whose recipients know functional dependencies: fewer worlds are left, and covers shrink."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.model import Bound, Model, ModelTraits, Verdict, Violation, at_least
from sfumato.contracts.run import Run
from sfumato.contracts.thing import column, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Unsupported
from sfumato.kernels.arrays import Ints
from sfumato.views.covers import Covers, refuse_strange
from sfumato.views.dependencies import Dependency, Worlds, dependencies_of
from sfumato.views.models._swaps import reachable_values
from sfumato.views.models.sp_view_kanon_check import verdict_on
from sfumato.views.view_set import ViewSet

__all__ = ["DependentCovers", "FDViewKAnonymity", "SafeBySwaps"]


@frozen(eq=False)
class DependentCovers:
    """The exact answer: the smallest cover of everybody who has one, or why there is no answer.

    ``worlds`` is how many possible worlds there are, ``None`` where there is no end of them or too many to be counted.
    """

    covers: Covers | None
    worlds: int | None
    k: int
    why: str = ""

    @property
    def answer(self) -> Literal["violates", "holds", "unknown"]:
        """What is known of k."""
        if self.covers is None:
            return "unknown"
        return "violates" if bool((self.covers.sizes < self.k).any()) else "holds"

    @property
    def violates(self) -> bool | None:
        """Whether somebody's cover is too small; ``None`` if that is unknown."""
        return None if self.covers is None else self.answer == "violates"


@frozen(eq=False, repr=False)
class SafeBySwaps:
    """The conservative answer: how many values each identifier is shown to be able to have; fewer than k is a report."""

    identifiers: tuple[Hashable, ...]
    values: Ints
    k: int

    @property
    def reported(self) -> list[Hashable]:
        """Whoever may be violated: everybody who is, and perhaps others."""
        return [self.identifiers[at] for at in np.flatnonzero(self.values < self.k).tolist()]

    def __repr__(self) -> str:  # identifiers are persons
        return f"SafeBySwaps({len(self.reported):,} of {len(self.identifiers):,} identifiers are reported)"


class FDViewKAnonymity(Model[ViewSet]):
    """Nobody's value is known to be among fewer than k, although the recipients know functional dependencies.

    As ``sp-view-kanon-check``, with worlds restricted to tables in which rows that agree on X agree on A, for every dependency
    X -> A. Witnesses of different facts are no longer independent. ``exact`` searches worlds (each kind of record a 0-1
    variable, every fact witnessed, sides of a dependency exclude each other) for the smallest set of pairs that none avoids; it
    answers *unknown* where there are too many, or where a dependency names a column that stays open. ``conservative`` calls
    somebody safe if exchanging values with others gives k worlds that show her with k different values, whatever the size;
    it reports every violation and perhaps more, and needs the table. ``auto`` asks the second where the first is unknown.

    Adversary: recipients who put all views together, know their queries, and dependencies that hold in the table.

    Examples
    --------
    >>> from sfumato.views import View, ViewSet
    >>> rows = [("Ann", "Smith", "Cancer"), ("Ann", "Thomson", "Cancer"), ("Bob", "Smith", "Flu"), ("Eva", "Thomson", "Cold")]
    >>> table = dict(zip(("Name", "Doctor", "Disease"), zip(*rows)))
    >>> views = ViewSet.of(table, [View.of("V6", ["Name", "Doctor"]), View.of("V7", ["Doctor", "Disease"])])
    >>> model = FDViewKAnonymity(k=2, identifier="Name", sensitive="Disease", dependencies=("Name -> Disease",))
    >>> found = model.exact(views)
    >>> found.answer, found.worlds, dict(found.covers)["Bob"]
    ('violates', 1, ('Flu',))
    >>> model.conservative(views).reported
    ['Ann', 'Bob', 'Eva']

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 8.2.2 and 8.2.3.
    Yao, Wang, Jajodia, "Checking for k-anonymity violation by views", 2005. Both procedures are ours.
    """

    id: ClassVar[str] = "fd-view-kanon-check"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"attribute"}), evaluation="worlds")
    adversary: ClassVar[str] = say("adversary.fd-view-kanon-check")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="fewest values among which everybody's must be")
    identifier: str = column("any", doc="column that names persons")
    sensitive: str = column("any", doc="column whose values nobody should be linked to")
    dependencies: tuple[str, ...] = param(default=(), doc="what the recipients know, such as Name -> Disease")
    mode: str = param(
        default="auto", choices=("auto", "exact", "conservative"), doc="which answer decides; the first that is known"
    )

    def validate(self) -> None:
        """Refuse dependencies that cannot be read."""
        dependencies_of(self.dependencies, f"{self.id}.dependencies")

    def private(self) -> tuple[str, ...]:
        """Exchanging values needs the table itself, which its holder alone has."""
        return (self.sensitive,) if self.mode == "conservative" else ()

    def settled(self, views: ViewSet) -> FDViewKAnonymity:
        """Return the requirement in the mode that answers for these views; strangers can repeat the exact one alone."""
        if self.mode != "auto" or self.exact(views).covers is not None:
            return self
        return replace(self, mode="conservative")

    def known(self) -> tuple[Dependency, ...]:
        """Return the dependencies that the recipients know."""
        return dependencies_of(self.dependencies, f"{self.id}.dependencies")

    def worlds(self, views: ViewSet) -> Worlds:
        """Return all tables that give the answers and keep the dependencies."""
        refuse_strange(views, self.identifier, self.sensitive, self.id)
        return Worlds(views, self.known(), self.identifier, self.sensitive)

    def exact(self, views: ViewSet, run: Run | None = None) -> DependentCovers:
        """Return the smallest covers, or that they are unknown."""
        worlds = self.worlds(views)
        going = run or Run()
        try:
            found = {name: worlds.cover(name, going) for name in worlds.identifiers}
        except Unsupported as error:
            return DependentCovers(None, None, self.k, str(error))
        covers = Covers.of({name: cover for name, cover in found.items() if cover is not None})
        return DependentCovers(covers, worlds.count(), self.k)

    def conservative(self, views: ViewSet, run: Run | None = None) -> SafeBySwaps:
        """Return how many values each identifier is shown to be able to have."""
        self.worlds(views)
        names, values = reachable_values(views, self.known(), self.identifier, self.sensitive, self.k, run or Run())
        return SafeBySwaps(tuple(names), values, self.k)

    def bound(self) -> Bound:
        """Every cover needs k values."""
        return at_least(self.k)

    def judge(self, view: ViewSet, *, worst: int = 10) -> Verdict:
        found = self.exact(view) if self.mode != "conservative" else None
        if found is not None and found.covers is not None:
            return verdict_on(self, found.covers, self.bound(), worst)
        if found is not None and (self.mode == "exact" or view.source is None):
            raise Unsupported(found.why, thing=self.id, alternatives=["mode: conservative, with the table"])
        swaps = self.conservative(view)
        broken = np.flatnonzero(~self.bound().holds(swaps.values))
        return self.verdict(
            satisfied=len(broken) == 0,
            strongest=self.bound().worst(swaps.values),
            groups=len(swaps.identifiers),
            records=len(swaps.identifiers),
            bound=str(self.bound()),
            violations=[Violation((), 1, int(swaps.values[at])) for at in broken[:worst].tolist()],
            violating_groups=len(broken),
            violating_records=len(broken),
        )
