"""Optimal full-domain generalization: the best level for every column, under any requirements and any suppression limit."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import ClassVar, Literal, NoReturn

from sfumato.algorithms.lattice._algorithm import data_metric
from sfumato.algorithms.lattice._explored import Explorer
from sfumato.algorithms.lattice._heuristics import begin, guess
from sfumato.algorithms.lattice._local_recoding import LocalRecoding, recode_locally
from sfumato.algorithms.lattice._release import groups_left_out, levels_of, recodings_at, why
from sfumato.algorithms.lattice._search import ENUMERABLE, WORK, Found, LatticeSearch, gap_of, stop_of
from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.exploration import Exploration
from sfumato.contracts.facts import LocalFacts, OptimalFacts
from sfumato.contracts.levels import Choice, FinerLevel
from sfumato.contracts.metric import DataMetric
from sfumato.contracts.run import Run, stopped_by
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.searches.lattice import Node

__all__ = ["Optimal"]


class Optimal(Algorithm):
    """Find the best level for every column, and prove that no other choice of levels costs less.

    A node of the lattice gives every column one level. Records in groups that break a requirement are left out as whole
    groups, up to the policy's ``suppress_at_most``; a node is valid if that is enough. Of all valid nodes the one with the
    lowest ``metric`` is published; ties go to the lower node, then to the one that masks later columns.

    The search never looks at a row twice: groups of a node are made from those of a node below it. It rules nodes out by
    requirements that no node below can meet, by a floor under the metric, and by the records that a node must leave out at
    least because a node above it does. Models that are not kept under merging are searched without the rules they break. A
    model that looks at the whole table is measured against the table before anything is left out.

    Before any node, every two columns are counted with all others masked: levels that leave out too many records there do so
    in every node below. A large lattice begins with a good node, and the search goes on as long as its ``budget`` lasts. It is
    counted in work done (groups read), not in seconds, so the same input gives the same release on every machine;
    ``budget: none`` goes on until the best is proven. Lattices of more than two million nodes cannot be searched to the end:
    the search then goes down from the top, up from the bottom, exchanges levels of the best node, breeds the best nodes
    found and walks on from near the best (``heuristic``). How far from the best the result can be at most follows from the
    best levels of some columns with all others masked: the parts add up to a bound on the whole. ``deadline`` and
    ``max_checks`` end any search early with the best node so far and the same statement; a deadline depends on the machine.

    ``local_recoding`` goes on where one level for a whole column ends: records that are left out are recoded among
    themselves at finer or coarser levels, again and again, and then every group is refined as far as its own records allow.
    Values and their ancestors then stand side by side in a column. ``deadline`` holds for both; ``max_checks`` for the levels
    alone.

    Adversary: that of the requirements. Cost: the number of nodes that cannot be ruled out, times their groups.

    Facts of an outcome: ``levels``, ``score``, ``bound`` and ``gap`` (score minus bound, over the score), ``checks``,
    ``lattice`` (nodes), ``left_out``, ``groups`` and ``groups_kept``, ``solutions`` (the best nodes seen, best first), ``why``
    (for each column what stops a finer level). With ``local_recoding`` also ``rounds`` (what each placed) and
    ``local_recoding_stopped`` (why it ended early, or nothing).

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import patients
    >>> data = patients()
    >>> policy = sfumato.Policy.for_dataset(
    ...     data, requirements=[{"id": "k-anonymity", "k": 2}], algorithm={"id": "optimal", "metric": "minimal-distortion"}
    ... )
    >>> release = sfumato.anonymize(sfumato.from_dataset(data), policy)
    >>> release.private.facts["levels"], release.certificate["algorithm"]["optimal"]
    ({'Job': 1, 'Sex': 0, 'Age': 1}, True)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.1.
    LeFevre, DeWitt, Ramakrishnan, "Incognito: efficient full-domain k-anonymity", 2005, doi:10.1145/1066157.1066164.
    Kohlmayer, Prasser, Eckert, Kemper, Kuhn, "Flash: efficient, stable and optimal k-anonymity", 2012.
    """

    id: ClassVar[str] = "optimal"
    bounds_levels: ClassVar[bool] = True
    weighs_records: ClassVar[bool] = True
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="full-domain",
        release="recoded-table",
        optimal=True,
        deterministic=True,
        truthful=True,
        anytime=True,
        model_needs=(),
        numeric_without_hierarchy=False,
        suppresses_records=True,
        cost="groups of the nodes that cannot be ruled out",
        works_on="counts",
        most_rows=None,
    )

    metric: str | Mapping[str, object] = param(
        default="loss",
        doc="data metric to minimise: an id, or id and parameters; what is better when higher is maximised",
    )
    levels: Mapping[str, int] | None = param(
        default=None, doc="publish this node instead of searching: the level of every column; it must be valid"
    )
    deadline: float | None = param(default=None, gt=0, doc="stop after this many seconds with the best node so far")
    budget: int | str = param(
        default=WORK,
        ge=1,
        doc="stop after this much work, counted in groups read: the same on every machine; none: never",
    )
    max_checks: int | None = param(default=None, ge=1, doc="stop after counting this many nodes")
    heuristic: Literal["auto", "none", "top-down", "bottom-up", "genetic"] = param(
        default="auto",
        choices=("auto", "none", "top-down", "bottom-up", "genetic"),
        doc="how to search lattices that cannot be enumerated; auto does all three, and nothing else if they can",
    )
    local_recoding: bool = param(
        default=False, doc="whether records left out are recoded among themselves, and groups refined on their own"
    )
    solutions: int = param(default=10, ge=1, doc="how many of the best nodes to report")

    def validate(self) -> None:
        """Refuse a metric that scores steps instead of releases, and levels that are none."""
        self.cost()
        if isinstance(self.budget, str) and self.budget != "none":
            raise BadRequest("must be a whole number from 1, or none", parameter=f"{self.id}.budget", value=self.budget)
        given = self.levels if self.levels is not None else {}
        if not isinstance(given, Mapping) or not all(type(level) is int and level >= 0 for level in given.values()):
            raise BadRequest(
                "must map columns to levels, whole numbers from 0", parameter=f"{self.id}.levels", value=self.levels
            )

    def cost(self) -> DataMetric:
        """Return the metric to minimise."""
        return data_metric(self.id, self.metric)

    def work(self) -> int | None:
        """Return how much work may be done, if there is a limit."""
        return self.budget if isinstance(self.budget, int) else None

    def run(self, task: Task, run: Run) -> Outcome:
        """Search the lattice; the generator is used by breeding only."""
        metric = self.cost()
        if metric.traits.needs_target and task.target is None:
            raise BadRequest(f"{metric.id} needs a column with the role target", parameter=f"{self.id}.metric")
        search = LatticeSearch(task, metric, run.progress)
        run = run.within(self.deadline)
        stop, late = stop_of(run, search, self.max_checks, self.work()), stop_of(run, search)
        if self.levels is not None:
            reason = self._take(search, self.levels)
        elif search.lattice.size <= ENUMERABLE and self.heuristic in ("auto", "none"):
            search.progress.stage(f"searching {search.lattice.size:,} nodes", search.lattice.size)
            begin(search, stop)
            reason = search.run(stop)
        else:
            way = "auto" if self.heuristic == "none" else self.heuristic
            reason = guess(search, run.rng, stop, way=way, most=self.max_checks, work=self.work())
        if search.best is None:
            self._refuse(search, reason)
        if self.local_recoding and search.task.table.people is not None:
            raise Unsupported(
                "local_recoding publishes equal values in several ways; people of a population cannot be counted by them",
                thing=next(model.id for model in task.models if model.counts_people),
                alternatives=["mondrian"],
            )
        if self.local_recoding and task.weighed is not None:
            raise Unsupported(
                "local_recoding compares records, and would leave sampling weights unread",
                thing="local_recoding",
                alternatives=["optimal with local_recoding: false"],
            )
        local = recode_locally(search, search.best.node, metric, late) if self.local_recoding else None
        return self._outcome(search, reason, local)

    def explore(
        self, task: Task, run: Run, *, top: int, every: bool, ks: tuple[int, ...] | None, seed: int = 0
    ) -> Exploration:
        """Return the valid nodes, the best ``top`` or ``every`` one, and what the best costs for each of the ``ks``.

        Without ``ks`` usual ones are taken; where no k is asked for, the suppression limit is varied. The metric and the ends
        of a search are those of this algorithm.
        """
        return self._explorer(task, run, seed).explore(top=top, every=every, ks=ks)

    def why(self, task: Task, run: Run) -> tuple[FinerLevel, ...]:
        """Say of the best node why no attribute is one level finer, without looking further."""
        return self._explorer(task, run, 0).why()

    def _explorer(self, task: Task, run: Run, seed: int) -> Explorer:
        metric = self.cost()
        if metric.traits.needs_target and task.target is None:
            raise BadRequest(f"{metric.id} needs a column with the role target", parameter="metric", value=metric.id)
        return Explorer(task, metric, run, seed, self.deadline, self.max_checks, self.work())

    def _refuse(self, search: LatticeSearch, reason: str | None) -> NoReturn:
        """Say that there is no valid node, or that none was found in time."""
        if reason not in (None, "heuristic"):
            raise Infeasible(
                f"no valid node was found before the search was stopped ({reason}); it may still exist",
                measured=search.checks,
                bound="more checks",
            )
        search.refuse_infeasible(proven=reason is None)

    def _take(self, search: LatticeSearch, levels: Mapping[str, int]) -> str | None:
        """Take the node that the policy names."""
        lattice = search.lattice
        if set(levels) != set(lattice.names):
            raise BadRequest(
                "must name a level for every quasi-identifier",
                parameter=f"{self.id}.levels",
                value=sorted(levels),
                available=lattice.names,
            )
        for name, low, top in zip(lattice.names, search.lowest, search.highest, strict=True):
            if not low <= levels[name] <= top:
                raise BadRequest(
                    f"must be a level from {low} to {top}",
                    parameter=f"{self.id}.levels",
                    column=name,
                    value=levels[name],
                )
        node: Node = tuple(int(levels[name]) for name in lattice.names)
        tally = search.count([node])[0]
        if not search.offer(tally):
            raise Infeasible(
                f"the chosen levels leave out {tally.left_out:,} records, {search.budget:,} are allowed"
                if tally.left_out > search.budget
                else "the chosen levels leave out every record",
                measured=tally.left_out,
                bound=search.budget,
            )
        search.bound = -inf
        return "levels chosen by the policy"

    def _outcome(self, search: LatticeSearch, reason: str | None, local: LocalRecoding | None) -> Outcome:
        best = search.best
        assert best is not None
        proven = reason is None or bool(best.score <= search.bound)
        gap = 0.0 if proven else gap_of(best.score, search.bound)
        facts = OptimalFacts(
            levels=levels_of(search, best.node),
            score=best.score,
            metric=search.metric.spec(),
            bound=search.bound if search.bound > -inf else None,
            gap=gap,
            checks=search.checks,
            lattice=search.lattice.size,
            left_out=best.left_out,
            groups=best.groups,
            groups_kept=best.kept,
            solutions=[_choice(search, found) for found in self._solutions(search)],
            why=why(search, best.node),
        )
        warnings = []
        if not proven and reason != "levels chosen by the policy":
            unsure = say("facts.gap_unknown") if gap is None else say("warning.at_most_better", gap=gap)
            warnings.append(say("warning.levels_unproven", why=stopped_by(reason), unsure=unsure))
        stopped = None if reason in (None, "heuristic", "levels chosen by the policy") else reason
        if local is None:
            return Outcome(
                recodings=recodings_at(search, best.node),
                suppressed=groups_left_out(search, best.node) if best.left_out else (),
                optimal=proven,
                warnings=warnings,
                stopped=stopped,
                facts=facts,
            )
        if local.stopped is not None:
            warnings.append(say("warning.local_ended", why=stopped_by(local.stopped)))
        return Outcome(
            operation=local.operation,
            suppressed=local.left_out,
            optimal=False,
            warnings=warnings,
            stopped=local.stopped or stopped,
            facts=LocalFacts(
                **{
                    **vars(facts),
                    "rounds": local.rounds,
                    "groups_kept": local.groups,
                    "left_out": local.records_left_out,
                    "local_recoding_stopped": local.stopped,
                }
            ),
        )

    def _solutions(self, search: LatticeSearch) -> list[Found]:
        valid = [(search.score(tally), tally) for tally in search.tallies.values() if search.valid(tally)]
        if len(valid) > self.solutions:
            # Only those that may tie with the last one are looked at closely.
            last = sorted(score for score, _ in valid)[self.solutions - 1]
            valid = [(score, tally) for score, tally in valid if score <= last + 1e-9 * abs(last) + 1e-9]
        return sorted((search.found(tally) for _, tally in valid), key=lambda found: found.key)[: self.solutions]


def _choice(search: LatticeSearch, found: Found) -> Choice:
    return Choice(
        levels=levels_of(search, found.node),
        score=found.score,
        left_out=found.left_out,
        groups=found.groups,
        groups_kept=found.kept,
    )
