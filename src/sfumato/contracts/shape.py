"""A shape of data: how it is asked for, opened, searched, judged and attacked; all that verbs know of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from sfumato.contracts.adversary import Adversaries, CellReader
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.evidence import Course, Evidence
from sfumato.contracts.knowledge import Knowledge, Seen
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.picture import Picture
from sfumato.contracts.published import Published, Release
from sfumato.contracts.run import Run
from sfumato.contracts.thing import Thing
from sfumato.errors import Unsupported

__all__ = ["Shape"]

D = TypeVar("D")
P = TypeVar("P")
T = TypeVar("T")
K = TypeVar("K", bound=Knowledge)


class Shape(Thing, Generic[D, P, T, K]):
    """One shape of data ``D``: prepared as ``P``, searched as a task ``T``, attacked with knowledge ``K``.

    Writing, hashing, certifying, verifying, attacking in turn and reporting are done once for all shapes, because every public
    part of a release is a table. A shape brings the rest. It is found like any thing: in the file ``shape.py`` of its wing, or
    of a package that the entry point ``sfumato.shapes`` of another distribution names.
    """

    kind: ClassVar[str] = "shape"
    policy: ClassVar[type[Asked]]
    knowledge: ClassVar[type[Knowledge]]

    @abstractmethod
    def open(self, source: object, asked: Asked | None, run: Run) -> D:
        """Return the data of a source, read as the policy says."""

    @abstractmethod
    def prepare(self, data: D, asked: Asked, run: Run) -> P:
        """Settle whatever the policy leaves to be settled, such as gaps; refuse by name what cannot be."""

    @abstractmethod
    def task(self, prepared: P, external: D | None) -> T:
        """Return what the algorithms of this shape take."""

    @abstractmethod
    def release(self, prepared: P, outcome: Outcome, task: T, seed: int, source: object, run: Run) -> Release:
        """Build the public parts of what was found, and certify them."""

    @abstractmethod
    def judge(self, data: D, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        """Judge data exactly as they stand."""

    @abstractmethod
    def see(self, published: Published, told: Mapping[str, object], *, learns: bool) -> tuple[Seen, K]:
        """Return how an adversary reads what is published, and what she was told; ``learns`` if she wants to learn values."""

    def cell_readers(
        self, published: Published, told: Mapping[str, object], run: Run
    ) -> Sequence[CellReader[Knowledge]]:
        """Return who reads columns whose cells have a shape of their own; most shapes have none."""
        return ()

    @abstractmethod
    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[K]:
        """Return who is tried in an audit."""

    def draft(self, source: object, k: int, run: Run) -> str:
        """Return a commented policy for a source, as far as looking at it tells; ``k`` persons must look alike."""
        raise Unsupported(f"a policy for the shape {self.id} is written by hand", thing=self.id)

    def profile(self, source: object, run: Run) -> Sequence[str]:
        """Return sentences on what a source holds and what singles people out in it; a shape need not know any."""
        raise Unsupported(f"data of the shape {self.id} have no profile", thing=self.id)

    def original(self, published: Published, source: object, run: Run) -> D:
        """Open what a release was made from, as it was prepared; refuse what is something else."""
        return self.open(source, published.private.policy, run)

    def evidence(self, published: Published, raw: D, *, thorough: bool, run: Run) -> Evidence:
        """Return before and after: distributions, questions, predictions; a shape need not compare anything."""
        return Evidence()

    def pictures(self, published: Published, run: Run) -> Sequence[Picture]:
        """Return what is better looked at than read; without ``published.private.raw`` from what a stranger has alone."""
        return ()

    def course(self, published: Published, run: Run) -> Course | None:
        """Return how the releases went on that this one follows, if it follows any."""
        return None


AnyShape = Shape[Any, Any, Any, Any]
"""A shape as verbs hold it."""
