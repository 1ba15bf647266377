"""Perfect secrecy: whether views change the probability of any answer to a secret question, on a small domain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import ClassVar

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.conditions import conditions_of
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported

__all__ = ["PerfectSecrecy", "RelationQuery", "Secrecy", "Tuples"]

Tuples = frozenset[tuple[Hashable, ...]]
"""Some of the tuples that a relation can hold."""

_MOST = 20


@frozen
class RelationQuery:
    """A selection, a projection, or both, of one relation: ``select x=b``, ``project y``, ``project y where x = b``."""

    columns: tuple[str, ...]
    shown: tuple[str, ...]
    where: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, text: str, columns: Sequence[str]) -> RelationQuery:
        """Read a question about a relation with these columns."""
        verb, _, rest = text.strip().partition(" ")
        shown, _, condition = rest.partition(" where ") if verb == "project" else (" ".join(columns), "", rest)
        if verb not in ("project", "select") or not rest.strip():
            raise BadRequest("must read project COLUMNS [where ...] or select CONDITION", parameter="query", value=text)
        held = conditions_of(condition, "query") if condition.strip() else ()
        names = tuple(shown.replace(",", " ").split())
        for name in (*names, *(one.column for one in held)):
            if name not in columns:
                raise BadRequest("is not a column", parameter="query", value=name, available=columns)
        if any(one.operator != "=" for one in held):
            raise BadRequest("compares columns with constants by = alone", parameter="query", value=text)
        return cls(tuple(columns), names, tuple((one.column, str(one.value)) for one in held))

    def __call__(self, instance: Tuples) -> Tuples:
        """Return the answer on one instance."""
        place = {name: at for at, name in enumerate(self.columns)}
        return frozenset(
            tuple(row[place[name]] for name in self.shown)
            for row in instance
            if all(str(row[place[name]]) == value for name, value in self.where)
        )


@frozen
class Secrecy:
    """The two tests: critical tuples of the secret and of the views, and independence at the given probabilities.

    ``always`` holds for every choice of probabilities iff no tuple is critical for both; ``independent`` for the given one.
    """

    critical_secret: tuple[tuple[Hashable, ...], ...]
    critical_views: tuple[tuple[Hashable, ...], ...]
    always: bool
    independent: bool

    def __bool__(self) -> bool:
        return self.always


class PerfectSecrecy(MechanismModel):
    """A secret S is perfectly secure given views V if publishing V changes the probability of no answer of S.

    Tuples are in the relation independently. A tuple t is critical for a question Q iff ``Q(I) != Q(I - {t})`` for some
    instance I. S is secure for *every* choice of tuple probabilities iff S and V share no critical tuple. For one choice, all
    strictly between 0 and 1, the same holds for monotone questions; in general a secret may be independent of a view at one
    choice and not at another (``t1 xor t2`` and ``t1``, at 1/2). Both tests are told. All instances are tried, so at most 20
    tuples are possible: this explains rather than protects, and shows that almost every useful release is not perfectly
    secret.

    Adversary: knows the probability of every tuple, and sees the views.

    Examples
    --------
    >>> model = PerfectSecrecy(columns=("x", "y"), domain=("a", "b"))
    >>> found = model.judge("select x=b", "select x=a")
    >>> found.always, found.critical_secret
    (True, (('b', 'a'), ('b', 'b')))
    >>> model.judge("project y", "project x").always
    False

    References
    ----------
    Miklau, Suciu, "A formal analysis of information disclosure in data exchange", 2004, doi:10.1145/1007568.1007633.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 17.1.
    """

    id: ClassVar[str] = "perfect-secrecy"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"attribute"}), evaluation="mechanism")
    adversary: ClassVar[str] = say("adversary.perfect-secrecy")

    columns: tuple[str, ...] = param(default=("x", "y"), doc="columns of the relation")
    domain: tuple[str, ...] = param(default=("a", "b"), doc="values that each column can have")
    probability: float = param(default=0.5, gt=0, lt=1, doc="how likely each tuple is in the relation")

    def validate(self) -> None:
        """Refuse a domain with too many instances to be tried."""
        if len(self.domain) ** len(self.columns) > _MOST:
            raise Unsupported(
                f"tries every instance, so at most {_MOST} tuples may be possible, not "
                f"{len(self.domain) ** len(self.columns)}",
                thing=self.id,
            )

    @property
    def tuples(self) -> tuple[tuple[Hashable, ...], ...]:
        """All tuples that the relation can hold."""
        return tuple(product(self.domain, repeat=len(self.columns)))

    def query(self, given: RelationQuery | str | Callable[[Tuples], Hashable]) -> Callable[[Tuples], Hashable]:
        """Return a question as a function of the instance."""
        return RelationQuery.of(given, self.columns) if isinstance(given, str) else given

    def critical(self, query: RelationQuery | str | Callable[[Tuples], Hashable]) -> tuple[tuple[Hashable, ...], ...]:
        """Return the critical tuples of a question, in the order of the domain."""
        answers = self._answers(self.query(query))
        return tuple(
            one
            for at, one in enumerate(self.tuples)
            if any(answers[held] != answers[held ^ (1 << at)] for held in range(len(answers)) if held >> at & 1)
        )

    def judge(
        self,
        secret: RelationQuery | str | Callable[[Tuples], Hashable],
        *views: RelationQuery | str | Callable[[Tuples], Hashable],
        probabilities: Mapping[tuple[Hashable, ...], float] | None = None,
    ) -> Secrecy:
        """Judge a secret against views that are published together, by both tests."""
        if not views:
            raise BadRequest("needs at least one view", parameter="views")
        asked = [self.query(view) for view in views]
        together = [tuple(answers) for answers in zip(*(self._answers(view) for view in asked), strict=True)]
        of_secret = self.critical(secret)
        of_views = tuple(one for one in self.tuples if any(one in self.critical(view) for view in asked))
        shared = set(of_secret) & set(of_views)
        return Secrecy(
            of_secret,
            of_views,
            not shared,
            self._independent(self._answers(self.query(secret)), together, probabilities),
        )

    def audit(self, secret: str, *views: str) -> Audit:
        """Judge a secret against views; ``measured`` is how many critical tuples they share."""
        found = self.judge(secret, *views)
        shared = sorted(set(found.critical_secret) & set(found.critical_views), key=repr)
        return self.audited(float(len(shared)), at_most(0), {"shared": tuple(shared), "independent": found.independent})

    def _answers(self, query: Callable[[Tuples], Hashable]) -> list[Hashable]:
        """Return the answer on every instance; bit t of an instance's number tells whether tuple t is in it."""
        tuples = self.tuples
        return [
            query(frozenset(one for at, one in enumerate(tuples) if held >> at & 1)) for held in range(1 << len(tuples))
        ]

    def _independent(
        self,
        secret: Sequence[Hashable],
        views: Sequence[Hashable],
        probabilities: Mapping[tuple[Hashable, ...], float] | None,
    ) -> bool:
        """Tell whether two answers are independent, in exact arithmetic."""
        chance = [Fraction(str((probabilities or {}).get(one, self.probability))) for one in self.tuples]
        weights = [Fraction(1)]
        for likely in chance:  # the next tuple is the next bit
            weights = [weight * (1 - likely) for weight in weights] + [weight * likely for weight in weights]
        alone: dict[Hashable, Fraction] = defaultdict(Fraction)
        seen: dict[Hashable, Fraction] = defaultdict(Fraction)
        both: dict[tuple[Hashable, Hashable], Fraction] = defaultdict(Fraction)
        for one, other, weight in zip(secret, views, weights, strict=True):
            alone[one] += weight
            seen[other] += weight
            both[one, other] += weight
        return all(both.get((one, other), 0) == alone[one] * seen[other] for one in alone for other in seen)
