"""Which choices of levels satisfy a policy, what each costs, and what a stricter policy would cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sfumato.algorithms.lattice.optimal import Optimal
from sfumato.contracts.exploration import Exploration, Solution
from sfumato.contracts.progress import Progress
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.models.k_anonymity import KAnonymity
from sfumato.reports.chart_objects import cost_chart
from sfumato.reports.exploration import curve_drawing, lattice_drawing
from sfumato.tables.open import open_table
from sfumato.tables.policy import Policy
from sfumato.tables.population import population
from sfumato.tables.prepare import prepare

__all__ = ["Explored", "explore"]


@frozen(kw_only=True)
class Explored(Exploration):
    """The choices of levels that satisfy a ``policy``, which can be drawn, and of which each can be published."""

    policy: Policy

    def to_policy(self, solution: Solution) -> Policy:
        """Return the policy that publishes this choice of levels, whatever its algorithm was before."""
        given = dict(self.policy.algorithm) if self.policy.algorithm["id"] == "optimal" else {"id": "optimal"}
        metric = dict(self.metric)
        chosen = {**given, "metric": metric["id"] if len(metric) == 1 else metric, "levels": dict(solution.levels)}
        return Policy.of({**self.policy.document(), "algorithm": chosen})

    def lattice_svg(self) -> str:
        """Return a drawing of the lattice as an SVG document: every choice, or a summary by height where they are many."""
        return lattice_drawing(self)

    def chart(self) -> Any:
        """Return the curve as an Altair chart; needs the extra ``report``."""
        return cost_chart(self.curve, str(self.metric["id"]))

    def curve_svg(self) -> str:
        """Return a drawing of the curve as an SVG document."""
        return curve_drawing(self)


def explore(
    source: object,
    policy: Policy | Mapping[str, object] | str | Path,
    *,
    metric: str | Mapping[str, object] | None = None,
    top: int = 20,
    every: bool = False,
    ks: Iterable[int] | None = None,
    run: Run | None = None,
    progress: Progress | None = None,
) -> Explored:
    """Return the choices of levels that satisfy a policy, the best first.

    A choice gives every quasi-identifier one level of its hierarchy; records in groups that break a requirement are left out
    up to the policy's ``suppress_at_most``. The policy's algorithm does not matter, except that the settings of ``optimal``
    are obeyed (``metric``, ``deadline``, ``max_checks``, ``budget``). ``metric`` is what is minimised, ``loss`` if nobody says
    otherwise.

    The best ``top`` choices are searched for; ``every`` counts all of them and returns all that satisfy. ``ks`` are the points
    of the curve: all k-anonymity requirements get this k, the others stay as they are. Without ``ks`` they are 2, 3, 5, 10, ...
    until only the fully masked table is left; a policy without k-anonymity has its suppression limit varied instead. An empty
    ``ks`` saves the time for the curve. ``progress`` is short for ``Run(progress=...)``; a deadline ends the searches with the
    best choices found.
    """
    searching = Run.of(run, progress)
    run = searching.without_deadline()
    asked = Policy.of(policy)
    if top < 1:
        raise BadRequest("must be at least 1", parameter="top", value=top)
    algorithm = _settings(asked, metric)
    # No pseudonym is made, so no key is needed.
    searched = asked.without_pseudonyms().model_copy(update={"algorithm": algorithm.spec()})
    points = None if ks is None else _checked_ks(ks, asked)
    table = open_table(source, searched, run=run)
    run.stage("preparing", len(searched.of_role(Role.QUASI_IDENTIFIER)))
    prepared = prepare(table, searched, run)
    run.stage("compressing")
    task = prepared.task(population(prepared, None))
    found = algorithm.explore(task, searching, top=top, every=every, ks=points, seed=searched.seed)
    return Explored(policy=asked, **vars(found))


def _settings(asked: Policy, metric: str | Mapping[str, object] | None) -> Optimal:
    """Return the search over the lattice, as the policy sets it if it asks for one."""
    given = asked.weighed() if asked.algorithm["id"] == Optimal.id else {}
    kept = {name: value for name, value in given.items() if name in ("metric", "deadline", "max_checks", "budget")}
    return Optimal.from_spec({"id": Optimal.id, **kept, **({} if metric is None else {"metric": metric})})


def _checked_ks(ks: Iterable[int], asked: Policy) -> tuple[int, ...]:
    points = sorted(set(ks))
    for k in points:
        if not isinstance(k, int) or isinstance(k, bool) or k < 1:
            raise BadRequest("must be whole numbers of at least 1", parameter="ks", value=k)
    if points and not any(isinstance(model, KAnonymity) for model in asked.models()):
        raise BadRequest("the policy has no k-anonymity requirement to vary", parameter="ks", value=points)
    return tuple(points)
