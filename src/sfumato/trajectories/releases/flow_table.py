"""Flow table: exact numbers of persons by place and time, none of few persons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Model, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text, type_of_value
from sfumato.engines import read
from sfumato.errors import BadRequest, Unsupported
from sfumato.trajectories.flows import Flow, FlowModel, Flows
from sfumato.trajectories.path_kind import ZonedKind, refuse_other_columns

__all__ = ["FlowTable", "flow_columns", "flow_table"]


def flow_columns(of: str) -> tuple[str, ...]:
    """Return the columns of places: one for visits, two for flows."""
    return ("place",) if of == "visits" else ("from", "to")


def flow_table(rows: Sequence[Flow], of: str) -> Table:
    """Return numbers as a table: places, the width of their cells, time, the length of its bin, persons."""
    where = flow_columns(of)
    held: dict[str, object] = {name: [row.places[at] for row in rows] for at, name in enumerate(where)}
    held["cell"] = [row.cell for row in rows]
    held["time"] = [row.time for row in rows]
    held["bin"] = [None if row.bin is None else to_text(row.bin) for row in rows]
    held["persons"] = [row.persons for row in rows]
    types = {"cell": "number", "bin": "text", "persons": "integer", **dict.fromkeys(where, "text")}
    types["time"] = str(type_of_value(rows[0].time)) if rows else "integer"
    return read(held, types=types)


class FlowTable(ZonedKind):
    """Numbers of different persons by place and time (``visits``), or from one place to the next (``flows``).

    One table ``counts``: the place, or ``from`` and ``to``; ``cell``, the width of its cells in metres, empty where places are
    as they were given; ``time``, where the bin begins, and ``bin``, its length; ``persons``. Where too few persons were for
    fine cells and bins they are counted in coarser ones, so that a coarse row has only those that no finer row counts.

    Adversary: reads the numbers and knows some points of a person's path.

    Examples
    --------
    >>> from sfumato.trajectories.models import MinimumCount
    >>> built = FlowTable.build(Flows((Flow(("a",), None, 1, None, 7),)))
    >>> built.tables["counts"].to_rows()
    [('a', None, 1, None, 7)]
    >>> FlowTable().verify(built.tables, [MinimumCount(k=5)], ())[0].satisfied
    True

    References
    ----------
    Hundepool et al., *Statistical Disclosure Control*, 2012, section 4.2 (minimum frequency).
    """

    id: ClassVar[str] = "flow-table"
    stated: ClassVar[tuple[str, ...]] = ("zones", "lattice")
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=True,
        verifiable=say("verifiable.cells"),
        published="groups",
        stops=frozenset({"record"}),
        searched=True,
    )
    nouns: ClassVar[tuple[str, str]] = (say("noun.cell"), say("noun.cells"))
    by_members: ClassVar[bool] = True

    of: str = param(default="visits", choices=("visits", "flows"), doc="what is counted")

    @classmethod
    def build(cls, flows: Flows, of: str = "visits") -> Built:
        """Return the table of numbers, coarser rows behind finer ones."""
        return Built(cls(of=of), {"counts": flow_table(flows.rows, of)})

    def part_names(self) -> tuple[str, ...]:
        return ("counts",)

    def _columns(self) -> tuple[str, ...]:
        return (*flow_columns(self.of), "cell", "time", "bin", "persons")

    def roles(self) -> Mapping[str, Role]:
        return {**dict.fromkeys(self._columns(), Role.QUASI_IDENTIFIER), "persons": Role.PLAIN}

    def view(self, parts: Parts) -> Flows:
        """Return the numbers; refuse tables that hold something else, or a row twice."""
        tables, names = self.tables(parts), self._columns()
        refuse_other_columns(tables, {"counts": names})
        table: Table = tables["counts"]
        if any(table.missing()[name] for name in names if name not in ("cell", "bin")):
            raise BadRequest("has gaps where a place, a time or a number must be", parameter="counts")
        width = len(flow_columns(self.of))
        rows = table.select(names).to_rows()
        if len({row[:-1] for row in rows}) < len(rows):
            raise BadRequest("lists a place and time twice", parameter="counts")
        if any(not isinstance(row[-1], int) or row[-1] < 0 for row in rows):
            raise BadRequest("numbers of persons must be whole", parameter="counts")
        return Flows(tuple(Flow(tuple(map(to_text, row[:width])), *row[width:]) for row in rows))

    def verify(
        self, parts: Parts, models: Sequence[Model[Flows]], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge the numbers; nothing else can be read from them."""
        view = self.view(parts)
        for model in models:
            if not isinstance(model, FlowModel):
                raise Unsupported(
                    f"numbers are no paths: {model.id} cannot be read from them",
                    thing=model.id,
                    alternatives=["minimum-count"],
                )
        return [model.judge(view) for model in models]

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return the smallest number."""
        return {"smallest_count": min((row.persons for row in self.view(parts).rows), default=0)}

    def statement(self) -> Statement:
        return Statement(
            checked=[say("statement.every_anew")], not_checkable=[say("statement.flows_subtracted"), *self.hidden()]
        )

    def operation(self, column: str) -> str:
        return "flow-counts"
