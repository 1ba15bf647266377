"""Which terms of a document may stay so that no protected entity can be told from fewer than k others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible
from sfumato.text.contexts import Contexts

__all__ = ["Erased", "Problem", "Safety"]


@frozen
class Safety:
    """How many other entities each protected one may be taken for, and which."""

    cover: Mapping[str, int]
    witnesses: Mapping[str, tuple[str, ...]]
    safe: bool


@frozen(eq=False)
class Problem:
    """A document, as the terms that it holds, and the number of others that each protected entity must be mistaken for.

    ``T`` is k-safe if for all protected ``e``: ``A_T(e) = |{x != e : C(x) contains C(e) & T}| >= k``. A part of a safe set of
    terms is safe.

    >>> contexts = Contexts.of({"flu": ["fever", "cough"], "cold": ["cough"]}, protected=["flu"])
    >>> problem = Problem(contexts, ["fever", "cough"], 1)
    >>> problem.measure(["cough"]).cover, problem.is_safe(problem.document)
    ({'flu': 1}, False)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.2.
    Chakaravarthy, Gupta, Roy, Mohania, "Efficient techniques for document sanitization", 2008, doi:10.1145/1458082.1458194.
    """

    contexts: Contexts
    terms: Sequence[str]
    """Of the document, in its order."""
    k: int

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise BadRequest("must be a whole number from 1 on", parameter="k", value=self.k)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The bits of the document's terms that speak of a protected entity, in the order of the document."""
        known, telling = self.contexts.bit_of, self.contexts.telling
        found = (known.get(term.casefold(), 0) & telling for term in self.terms)
        return tuple(dict.fromkeys(bit for bit in found if bit))

    @property
    def document(self) -> int:
        """All these terms, as bits."""
        return sum(self.order)

    @cached_property
    def entities(self) -> tuple[int, ...]:
        """Where the protected entities stand of which the document speaks; of the others there is nothing to tell."""
        place, held = self.contexts.place, self.contexts.held
        return tuple(place[name] for name in self.contexts.protected if held[place[name]] & self.document)

    @property
    def most(self) -> int:
        """The largest k that any document meets: all entities but one."""
        return len(self.contexts.entities) - 1

    def refuse_hopeless(self) -> None:
        """Refuse a k that not even an empty document meets."""
        if self.contexts.protected and self.k > self.most:
            raise Infeasible(
                say("text.too_few_entities", k=self.k, most=self.most),
                measured=self.most,
                bound=f">= {self.k}",
                requirement="k-safety",
            )

    def is_safe(self, terms: int) -> bool:
        """Tell whether these terms, as bits, may be published."""
        return self.k <= self.most and all(
            self.contexts.cover(entity, terms).bit_count() >= self.k for entity in self.entities
        )

    def measure(self, terms: Iterable[str]) -> Safety:
        """Return for each protected entity which others it may be taken for, of a document that holds just these terms."""
        names = tuple(terms)
        found = {name: self.contexts.covered(name, names) for name in self.contexts.protected}
        counts = {name: len(others) for name, others in found.items()}
        return Safety(counts, found, all(count >= self.k for count in counts.values()))

    def named(self, terms: int) -> tuple[str, ...]:
        """Return terms in the order of the document, as it writes them."""
        known = self.contexts.bit_of
        written = {known.get(term.casefold(), 0): term for term in reversed(self.terms)}
        return tuple(written[bit] for bit in self.order if bit & terms)

    def put_back(self, terms: int) -> int:
        """Return a safe set with whatever else of the document can stay, tried in its order: none larger holds it."""
        held = self.contexts.held
        for bit in self.order:
            if bit & terms:
                continue
            touched = (entity for entity in self.entities if held[entity] & bit)  # the others stay as safe as they are
            if all(self.contexts.cover(entity, terms | bit).bit_count() >= self.k for entity in touched):
                terms |= bit
        return terms


@frozen
class Erased:
    """The terms that stay and those that go, in the order of the document.

    ``optimal`` if no safe set is larger. Where a search saw them all: ``per_level`` counts safe sets by their size, ``maximal``
    are those that no other safe set holds, ``best`` the largest of them. ``looked`` is how many sets were looked at.
    """

    kept: tuple[str, ...]
    erased: tuple[str, ...]
    optimal: bool
    looked: int
    per_level: Mapping[int, int] = field(default_factory=dict)
    maximal: Sequence[tuple[str, ...]] = ()
    best: Sequence[tuple[str, ...]] = ()

    @classmethod
    def of(
        cls,
        problem: Problem,
        kept: int,
        *,
        optimal: bool,
        looked: int,
        per_level: Mapping[int, int] | None = None,
        maximal: Sequence[int] = (),
    ) -> Erased:
        """Return what was found of a problem."""
        largest = max((terms.bit_count() for terms in maximal), default=0)
        named = [problem.named(terms) for terms in maximal]
        return cls(
            problem.named(kept),
            problem.named(problem.document & ~kept),
            optimal,
            looked,
            per_level or {},
            named,
            [terms for terms in named if len(terms) == largest] if maximal else (),
        )
