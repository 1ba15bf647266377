"""A desk as a shape of data: a table that is asked and never shown, and whose log is attacked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, NoReturn

from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Knowledge, Seen
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.published import Published, Release
from sfumato.contracts.run import Run
from sfumato.contracts.shape import Shape
from sfumato.data.messages import say
from sfumato.engines import read
from sfumato.errors import Unsupported
from sfumato.interactive.attack import DeskKnowledge
from sfumato.interactive.draft import drafted, profiled
from sfumato.interactive.policy import SHAPE, DeskPolicy
from sfumato.interactive.source import desk_policy, opened

__all__ = ["DeskShape"]


class DeskShape(Shape[Table, Table, Table, DeskKnowledge]):
    """A table behind a desk: askers get answers, and no rows.

    Examples
    --------
    >>> import sfumato
    >>> policy = {"desk": {"mode": "exact"}, "columns": {"pay": {"role": "sensitive"}}}
    >>> sfumato.anonymize({"pay": [1, 2]}, policy)
    Traceback (most recent call last):
    sfumato.errors.Unsupported: a desk publishes no table; it is asked: sfumato ask
    """

    id: ClassVar[str] = SHAPE
    policy: ClassVar[type[Asked]] = DeskPolicy
    knowledge: ClassVar[type[Knowledge]] = DeskKnowledge

    def open(self, source: object, asked: Asked | None, run: Run) -> Table:
        """Return the table that is asked."""
        if isinstance(asked, DeskPolicy):
            return opened(source, desk_policy(asked), run)
        return source if isinstance(source, Table) else read(source)

    def prepare(self, data: Table, asked: Asked, run: Run) -> Table:
        """Refuse: a desk is asked."""
        self._refuse()

    def task(self, prepared: Table, external: Table | None) -> Table:
        """Refuse: a desk is asked."""
        self._refuse()

    def release(self, prepared: Table, outcome: Outcome, task: Table, seed: int, source: object, run: Run) -> Release:
        """Refuse: a desk is asked."""
        self._refuse()

    def judge(self, data: Table, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        """Refuse: a desk is asked."""
        self._refuse()

    def draft(self, source: object, k: int, run: Run) -> str:
        """Propose a mode and what each column is to askers."""
        return drafted(source, k, run)

    def profile(self, source: object, run: Run) -> Sequence[str]:
        """Say what can be asked about each column."""
        return profiled(source, run)

    def see(self, published: Published, told: Mapping[str, object], *, learns: bool) -> tuple[Seen, DeskKnowledge]:
        """Return the log as askers have it who put their answers together, and the table that it is compared with."""
        policy, raw = published.private.policy, told.get("raw", published.private.raw)
        if raw is None or not isinstance(policy, DeskPolicy):
            return published.form.seen(published.tables), DeskKnowledge()
        table = opened(raw, policy, Run())
        return published.form.seen(published.tables), DeskKnowledge(raw=table, policy=policy)

    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[DeskKnowledge]:
        """Return all askers together."""
        one = Adversary(*self.see(published, told, learns=True))
        return Adversaries([one], [one], [])

    def _refuse(self) -> NoReturn:
        raise Unsupported(say("desk.bad.publishes"), thing=self.id)
