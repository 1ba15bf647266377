"""Do marginals beside a base table break its promise? Judged by intersecting, by exact counts, or by maximum entropy."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Model, ModelTraits, Verdict, Violation, at_least, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.views.marginal_set import MarginalSet
from sfumato.views.max_entropy import fitted
from sfumato.views.models._exact_counts import count_bounds

__all__ = ["MarginalPrivacyCheck"]


class MarginalPrivacyCheck(Model[MarginalSet]):
    """A base table and marginals together leave every class k persons and l sensitive values.

    A *class* is a combination of the finest published values that every publication leaves possible. ``k`` bounds the smallest
    published cell that contains a class, over all publications summed over the sensitive column: an upper bound on the persons
    in it, exact where marginals decompose. ``l`` is judged in one of three depths. 1, *intersection*: the values that the cell
    of the class holds in every publication which shows them must be l or more. 2, *counts*: the values that the class can have
    in some table of whole numbers which gives every publication. 3, *maximum entropy*: the posterior ``P(s | q)`` of the
    distribution that says no more than the publications must be l-diverse: distinct, entropy ``exp(H) >= l``, or recursive
    ``r_1 <= c (r_l + ... + r_m)``, shares falling. The values of depth 2 are among those of depth 1. Another marginal never
    enlarges them.

    Adversary: knows the raw quasi-identifiers of a victim who is in the table, and has the base table and all marginals.

    Examples
    --------
    >>> base = {"Zip": ["25*", "25*", "25*"], "Ill": ["Flu", "HIV", "Flu"]}
    >>> beside = {"zips": {"Zip": [251, 252], "Ill": ["Flu", "HIV"], "count": [2, 1]}}
    >>> both = MarginalSet.of(base, beside, sensitive="Ill")
    >>> MarginalPrivacyCheck(l=2).judge(both).strongest, MarginalPrivacyCheck(l=2).judge(both).satisfied
    (1, False)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.3.
    Kifer, Gehrke, "Injecting utility into anonymized datasets", 2006, doi:10.1145/1142473.1142499.
    """

    id: ClassVar[str] = "marginal-privacy-check"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"record", "attribute"}), evaluation="worlds")
    adversary: ClassVar[str] = say("adversary.marginal-privacy-check")
    level: ClassVar[str] = "l (k if l is not asked for)"

    k: int | None = param(
        default=None, ge=1, doc="fewest persons that a class may turn out to hold; no bound if not given"
    )
    l: float | None = param(default=None, ge=1, doc="fewest sensitive values left to a class; no bound if not given")
    depth: int = param(default=1, choices=(1, 2, 3), doc="1 intersects, 2 counts exactly, 3 takes the maximum entropy")
    diversity: str = param(
        default="distinct", choices=("distinct", "entropy", "recursive"), doc="which diversity is asked of depth 3"
    )
    c: float | None = param(default=None, gt=0, doc="factor of recursive diversity")
    strict: bool = param(
        default=False, doc="whether recursive diversity asks for less than c times the rest, not at most"
    )

    def validate(self) -> None:
        """Refuse a requirement on nothing, and diversities without what they need."""
        if self.k is None and self.l is None:
            raise BadRequest("needs k, l or both", parameter=f"{self.id}.k")
        if self.diversity != "distinct" and self.depth != 3:
            raise BadRequest("needs depth 3, which has shares", parameter=f"{self.id}.diversity", value=self.diversity)
        if (self.diversity == "recursive") != (self.c is not None):
            raise BadRequest("recursive diversity, and no other, has a factor c", parameter=f"{self.id}.c")
        if self.l is not None and self.diversity != "entropy" and self.l != int(self.l):
            raise BadRequest("must be a whole number", parameter=f"{self.id}.l", value=self.l)

    def bound(self) -> Bound:
        """Return the safe side of what is measured of the sensitive values of a class."""
        if self.diversity == "recursive" and self.c is not None:
            return at_most(self.c, strict=self.strict)
        if self.l is None:
            return at_least(self.k or 1)
        return at_least(float(self.l) if self.diversity == "entropy" else int(self.l))

    def measured(self, publications: MarginalSet) -> Floats | Ints:
        """Return what the requirement on sensitive values compares, of each class."""
        if self.depth == 1:
            return publications.distinct()
        if self.depth == 2:
            return count_bounds(publications).distinct()
        found = fitted(publications)
        total = found.sum(axis=1, keepdims=True)
        shares = -np.sort(-np.divide(found, total, out=np.zeros_like(found), where=total > 0), axis=1)
        shares = shares[total[:, 0] > 0]
        measured: Floats | Ints
        if self.diversity == "distinct":
            measured = np.count_nonzero(shares > 1e-9, axis=1).astype(np.int64)
        elif self.diversity == "entropy":
            logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
            measured = np.exp(-(shares * logs).sum(axis=1))
        else:
            rest = shares[:, int(self.l or 1) - 1 :].sum(axis=1)
            # Equal shares must compare as equal: fitting leaves the last bits open.
            measured = np.round(np.divide(shares[:, 0], rest, out=np.full(len(shares), np.inf), where=rest > 1e-12), 9)

        return measured

    def judge(self, view: MarginalSet, *, worst: int = 10) -> Verdict:
        persons = view.bounds()
        short = np.zeros(len(persons), bool) if self.k is None else ~at_least(self.k).holds(persons)
        few = np.zeros(0, bool)
        values: Floats | Ints = persons
        if self.l is not None:
            values = self.measured(view)
            few = ~self.bound().holds(values)
        same = len(few) == len(short)
        broken: Bools = (few | short) if same else few if few.any() else short
        shown = np.flatnonzero(broken)[:worst].tolist()
        sized = persons if same or not few.any() else np.ones(len(broken), np.int64)
        told = values if len(values) == len(broken) else persons
        return self.verdict(
            qid=view.columns,
            satisfied=not (few.any() or short.any()),
            strongest=self.bound().worst(values),
            groups=len(broken),
            records=view.records,
            bound=self._bound(),
            violations=[
                Violation(self._class(view, at) if same else (), int(sized[at]), float(told[at])) for at in shown
            ],
            violating_groups=int(np.count_nonzero(broken)),
            violating_records=int(sized[broken].sum()),
        )

    def _class(self, view: MarginalSet, at: int) -> tuple[Hashable, ...]:
        return tuple(view.atoms[name][code] for name, code in zip(view.columns, view.classes[at].tolist(), strict=True))

    def _bound(self) -> str:
        if self.l is None:
            return str(self.bound())
        return str(self.bound()) if self.k is None else f"{self.bound()}, k >= {self.k}"
