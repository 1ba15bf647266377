"""Noisy flows: numbers of persons by place and time with noise, those below a threshold left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.mechanism import NOISY_STATISTICS
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Infeasible
from sfumato.trajectories.flows import Flow, Flows
from sfumato.trajectories.flows import NoisyFlows as Noisy
from sfumato.trajectories.path_kind import ZonedKind, refuse_other_columns
from sfumato.trajectories.releases.flow_table import flow_columns, flow_table

__all__ = ["NoisyFlows"]


class NoisyFlows(ZonedKind):
    """Numbers of persons by place and time, or by origin, destination and time, with noise of a stated scale.

    One table ``counts``: the place, or ``from`` and ``to``; ``time`` and the noisy number of ``persons``. Numbers below the
    threshold are left out. A reader can check that none is below it. That the noise was drawn, nobody can see. With several
    ``resolutions`` there are also ``cell``, the width of cells in metres, and ``bin``, the length of bins: a coarser row counts
    what no finer one shows, and each resolution spends an equal part.

    Examples
    --------
    >>> from sfumato.trajectories import flows
    >>> row = flows.Flow(("a",), None, 1, None, 40)
    >>> found = flows.NoisyFlows({"a @ 1": 40}, 1.0, 1e-6, 27, 5.0, (row,))
    >>> built = NoisyFlows.build(found, most=5)
    >>> built.tables["counts"].to_rows()
    [('a', 1, 40)]
    >>> kind = NoisyFlows(epsilon=1.0, delta=1e-6, most=5, scale=5.0, threshold=27)
    >>> kind.verify(built.tables, [], ()), kind.guarantee(built.tables)
    ([], {'epsilon': 1.0, 'delta': 1e-06})

    References
    ----------
    Rogers, "A unifying privacy analysis framework for unknown domain algorithms in differential privacy", 2023,
    arXiv:2309.09170.
    """

    id: ClassVar[str] = "noisy-flows"
    stated: ClassVar[tuple[str, ...]] = (
        "epsilon",
        "delta",
        "most",
        "scale",
        "threshold",
        "resolutions",
        "zones",
        "lattice",
    )
    traits: ClassVar[ReleaseTraits] = NOISY_STATISTICS

    epsilon: float = param(gt=0, doc="what the procedure spends on every person")
    delta: float = param(gt=0, lt=1, doc="the chance of an output for which that does not hold")
    most: int = param(ge=1, doc="how many rows of a person count")
    scale: float = param(gt=0, doc="scale of the Laplace noise")
    threshold: int = param(ge=1, doc="noisy numbers below it are left out")
    resolutions: int = param(default=1, ge=1, doc="how many sizes of cells and bins share epsilon and delta")
    of: str = param(default="visits", choices=("visits", "flows"), doc="what is counted")

    @classmethod
    def build(cls, found: Noisy, *, most: int, of: str = "visits") -> Built:
        """Return the table of noisy numbers; refuse to publish none."""
        if not found.rows:
            raise Infeasible(
                say("trails.no_flow_left", threshold=found.threshold), measured=0, bound=f">= {found.threshold}"
            )
        kind = cls(
            epsilon=found.epsilon,
            delta=found.delta,
            most=most,
            scale=found.scale,
            threshold=found.threshold,
            resolutions=found.steps,
            of=of,
        )
        columns = flow_table(found.rows, of)
        return Built(kind, {"counts": columns if found.steps > 1 else columns.select(kind.columns())})

    def columns(self) -> tuple[str, ...]:
        """Return the columns of the table; cells and bins differ from row to row only where there are several."""
        where = flow_columns(self.of)
        return (*where, "time", "persons") if self.resolutions == 1 else (*where, "cell", "time", "bin", "persons")

    def _told(self) -> list[str]:
        left_out = ("zones", "lattice", *(("resolutions",) if self.resolutions == 1 else ()))
        return [name for name in self.stated if name not in left_out]

    def part_names(self) -> tuple[str, ...]:
        return ("counts",)

    def roles(self) -> Mapping[str, Role]:
        return dict.fromkeys(self.columns(), Role.PLAIN)

    def verify(
        self, parts: Parts, models: Sequence[Requirement], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Refuse requirements that no output can show, and numbers below the threshold."""
        self.refuse_counted(models)
        tables, names = self.tables(parts), self.columns()
        refuse_other_columns(tables, {"counts": names})
        rows = tables["counts"].select(names).to_rows()
        if len({row[:-1] for row in rows}) < len(rows):
            raise BadRequest("lists a place and time twice", parameter="counts")
        if any(not isinstance(row[-1], int) or row[-1] < self.threshold for row in rows):
            raise BadRequest("holds a number below the threshold", parameter=self.id, value=self.threshold)
        return []

    def view(self, parts: Parts) -> Flows:
        """Return the noisy numbers; where all have one resolution, nothing is said of it."""
        rows = self.tables(parts)["counts"].select(self.columns()).to_rows()
        width = len(flow_columns(self.of))
        if self.resolutions == 1:
            return Flows(tuple(Flow(tuple(map(to_text, row[:width])), None, row[width], None, row[-1]) for row in rows))
        return Flows(tuple(Flow(tuple(map(to_text, row[:width])), *row[width:]) for row in rows))

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return what the procedure is stated to spend."""
        return {"epsilon": self.epsilon, "delta": self.delta}

    def statement(self) -> Statement:
        return Statement(
            mechanism="private-flow-release",
            parameters={name: getattr(self, name) for name in self._told()},
            checked=[say("statement.above_threshold")],
            not_checkable=[say("statement.made_so"), say("statement.run_once"), *self.hidden()],
        )
