"""Lists as a shape of data: a text file with one line for each person, words between blanks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.cells import Cells, CellShape
from sfumato.contracts.certificate import AlgorithmEntry, ColumnEntry
from sfumato.contracts.knowledge import Knowledge, Seen, knows
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.published import Kept, Published, Release
from sfumato.contracts.run import Run
from sfumato.data.schema import Role
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.policy import SharedPolicy
from sfumato.publishing.certify import Told, certify

Lists = tuple[frozenset[str], ...]


class ListPolicy(SharedPolicy):
    """A policy for lists."""

    algorithm: dict[str, Any] = {"id": "drop-rare-words"}
    stop_words: tuple[str, ...] = ()
    """Words that are left out from the beginning."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ListKnowledge(Knowledge):
    """What an adversary of published lists may know."""

    least: int | None = knows(None, "the smallest group that is called safe", own=True)


@dataclass(frozen=True)
class Prepared:
    lists: Lists
    policy: ListPolicy
    read: int


class ListShape(CellShape[Lists, Prepared, Prepared, ListKnowledge]):
    """One list of words for each person."""

    id: ClassVar[str] = "lists"
    policy: ClassVar[type[Asked]] = ListPolicy
    knowledge: ClassVar[type[Knowledge]] = ListKnowledge

    def open(self, source: object, asked: Asked | None, run: Run) -> Lists:
        run.stage("reading")
        if isinstance(source, (str, Path)):
            if not Path(source).is_file():
                raise BadRequest("there is no such file", where=str(source))
            return tuple(frozenset(line.split()) for line in Path(source).read_text("utf-8").splitlines())
        return tuple(frozenset(words) for words in source)  # type: ignore[attr-defined]

    def prepare(self, data: Lists, asked: Asked, run: Run) -> Prepared:
        assert isinstance(asked, ListPolicy)
        if not data:
            raise BadRequest("has no list", parameter="source")
        return Prepared(tuple(words - set(asked.stop_words) for words in data), asked, len(data))

    def task(self, prepared: Prepared, external: Lists | None) -> Prepared:
        return prepared

    def release(
        self, prepared: Prepared, outcome: Outcome, task: Prepared, seed: int, source: object, run: Run
    ) -> Release:
        built, algorithm = outcome.built, prepared.policy.search()
        assert built is not None
        told = Told(
            columns=(ColumnEntry("words", str(Role.QUASI_IDENTIFIER), "left out where rare"),),
            counts={"records_read": prepared.read, "rows_published": built.main.rows},
            algorithm=AlgorithmEntry(algorithm.id, False, "no step was left"),
        )
        raw = from_rows(["words"], [(" ".join(sorted(words)),) for words in prepared.lists])
        return certify(built, told, Kept(policy=prepared.policy, facts=outcome.facts, linking=built.linking, raw=raw))

    def judge(self, data: Lists, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        return [model.judge(data, worst=worst) for model in models]

    def of_cells(self, cells: Cells, asked: Asked, run: Run) -> Lists:
        return tuple(frozenset((cell or "").split()) for cell in cells)

    def to_cells(self, prepared: Prepared, outcome: Outcome) -> Cells:
        assert outcome.built is not None
        kept = {word for row in outcome.built.main.to_rows() for word in (row[0] or "").split()}
        return [" ".join(sorted(words & kept)) or None for words in prepared.lists]

    def judge_cells(self, cells: Cells, model: Requirement, worst: int) -> Verdict:
        return model.judge(tuple(frozenset((cell or "").split()) for cell in cells), worst=worst)

    def see(self, published: Published, told: Mapping[str, object], *, learns: bool) -> tuple[Seen, ListKnowledge]:
        least = told.get("least")
        seen = Seen(published.table, roles=published.roles)
        return seen, ListKnowledge(known=("words",), least=least if isinstance(least, int) else None)

    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[ListKnowledge]:
        seen, known = self.see(published, told, learns=False)
        raw = published.private.raw
        one = Adversary(seen, known, None if raw is None else Seen(raw))
        return Adversaries([one], [one], [])
