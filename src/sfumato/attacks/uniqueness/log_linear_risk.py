"""Log-linear risk: how many records that are unique in a sample are unique in the population, by a model of all cells."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

import numpy as np

from sfumato.attacks.uniqueness._log_linear import CELLS, fit
from sfumato.contracts.attack import AttackTraits, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import column, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats

__all__ = ["LogLinearRisk", "LogLinearRisks"]

STANDARD, CE, PLM, WEIGHTED = "standard", "ce", "plm", "weighted"


@frozen(kw_only=True, eq=False)
class LogLinearRisks(Risk):
    """Expected population uniques (``tau1``) and correct matches (``tau2``) among the uniques of a sample, cell by cell.

    ``fitted`` is the expected number of persons of the population in the cell of each sample unique, ``unseen`` those of them
    that were not sampled.
    """

    tau1: float
    tau2: float
    uniques: int
    fitted: Floats
    unseen: Floats

    @property
    def share1(self) -> float:
        """``tau1`` over the number of sample uniques."""
        return self.tau1 / max(self.uniques, 1)

    @property
    def share2(self) -> float:
        """``tau2`` over the number of sample uniques."""
        return self.tau2 / max(self.uniques, 1)


class LogLinearRisk(TableAttack):
    """How many records that are unique in a sample are unique in the population, by a model of all cells.

    The quasi-identifiers span a cross. In cell j, ``F_j ~ Poisson(lambda_j)`` persons live and ``f_j ~ Binomial(F_j, pi_j)``
    of them are sampled, so those unseen are ``Poisson(h_j)``, ``h_j = (1 - pi_j) lambda_j``, whatever was seen. Over the
    sample uniques, ``tau1 = sum exp(-h_j)`` are expected to be unique in the population and
    ``tau2 = sum (1 - exp(-h_j)) / h_j`` to be found by who picks one of those who look alike.

    ``log lambda_j`` is a sum of ``terms``: main effects, and the interactions that are asked for. It is fitted over all cells,
    empty ones included, but those in ``impossible``. Methods: ``standard`` fits the counts, ``lambda = fit / pi`` with
    ``pi = n / N``. ``ce`` (Clogg, Eliason) has ``pi_j = f_j / sum of weights`` as an offset, ``n / N`` in empty cells. ``plm``
    fits the sums of weights. ``weighted`` is ``standard`` with the mean weight of a cell as a further term.

    ``as_sdcmicro``: ``h_j`` is ``(1 - sum of 1 / w)`` times the fit, and both figures are divided by the cells with at
    most ``bound`` records.

    Adversary: has a table of the whole population and does not know who was sampled.

    Examples
    --------
    >>> import sfumato
    >>> cells = [("a", "x", 1), ("a", "y", 3), ("a", "z", 2), ("b", "x", 4), ("b", "y", 1), ("b", "z", 5)]
    >>> table = sfumato.from_rows(["P", "Q"], [cell[:2] for cell in cells for _ in range(cell[2])])
    >>> found = sfumato.attack(table, LogLinearRisk(population=160), qid=["P", "Q"])
    >>> found.uniques, f"{found.tau1:.6e}", round(found.tau2, 9)
    (2, '4.708083e-08', 0.103703701)

    References
    ----------
    Skinner, Shlomo, "Assessing identification risk in survey microdata using log-linear models", 2008,
    doi:10.1198/016214507000001328.
    Clogg, Eliason, "Some common problems in log-linear analysis", 1987.
    """

    id: ClassVar[str] = "log-linear-risk"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="a table of the whole population, with the quasi-identifiers",
        needs=frozenset({"qid"}),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.individual-risk")

    population: int = param(ge=1, doc=say("known.population"))
    weight: str | None = column("any", default=None, doc="published column: how many persons a record stands for")
    method: str = param(default=STANDARD, choices=(STANDARD, CE, PLM, WEIGHTED), doc="how cells are fitted")
    terms: tuple[tuple[str, ...], ...] = param(
        default=(), doc="interactions besides the main effects, as lists of columns"
    )
    impossible: tuple[tuple[str, ...], ...] = param(
        default=(), doc="cells that cannot occur, as lists with a value for each column, in the order of the columns"
    )
    as_sdcmicro: bool = param(default=False, doc="count as sdcMicro does: needs weights")
    bound: int = param(default=2, ge=1, doc="as_sdcmicro: cells with at most so many records are the divisor")

    def validate(self) -> None:
        """Take terms and cells as lists of lists, and weights where a method needs them."""
        for name in ("terms", "impossible"):
            given = getattr(self, name)
            if any(isinstance(entry, str) or not isinstance(entry, Sequence) or not entry for entry in given):
                raise BadRequest("must be a list of lists", parameter=f"{self.id}.{name}")
            object.__setattr__(self, name, tuple(tuple(entry) for entry in given))
        if self.weight is None and (self.as_sdcmicro or self.method != STANDARD):
            needy = "as_sdcmicro" if self.as_sdcmicro else "method"
            raise BadRequest("needs weights", parameter=f"{self.id}.{needy}", value=getattr(self, needy))

    def unfit(self, seen: Seen, knowledge: TableKnowledge) -> str | None:
        """Say why cells cannot be fitted: also if there are too many of them."""
        asked = super().unfit(seen, knowledge)
        if asked is not None:
            return asked
        cells = prod(len(seen.table.dictionary(name).values) for name in knowledge.known)
        return say("needs.fewer_cells", cells=cells, most=CELLS) if cells > CELLS else None

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> LogLinearRisks:
        """Return the expected risk of every sample unique."""
        self.refuse_unfit(seen, knowledge)
        cross = self._cross(seen, knowledge)
        total = float(self.population)
        records = float(cross.counts.sum())
        if total < records * (1 - 1e-9):
            raise BadRequest(
                f"is smaller than the number of records, {records:,.0f}",
                parameter=f"{self.id}.population",
                value=self.population,
            )
        run.stage("fitting cells")
        sampled, persons = self._persons(cross, records / total)
        alone = cross.counts == 1
        if self.as_sdcmicro:
            unseen = (1 - cross.chances[alone]) * self._fit(cross, cross.counts)[alone]
            divisor = int(((cross.counts > 0) & (cross.counts <= self.bound)).sum())
        else:
            unseen, divisor = ((1 - sampled) * persons)[alone], 1
        return self._found(cross, persons[alone], np.maximum(unseen, 0.0), divisor)

    # ---- cells -----------------------------------------------------------------------------------------------------------

    def _cross(self, seen: Seen, knowledge: TableKnowledge) -> _Cross:
        names = list(knowledge.known)
        if self.weight is not None and (
            self.weight not in seen.table.types or not seen.table.types[self.weight].numeric
        ):
            able = [name for name, kind in seen.table.types.items() if kind.numeric and name not in names]
            raise BadRequest(
                "must be a column of numbers", parameter=f"{self.id}.weight", value=self.weight, available=able or None
            )
        groups = seen.counts(knowledge.known, [self.weight] if self.weight is not None else [])
        codes, values = [], []
        for keys in groups.keys:
            held = sorted(dict.fromkeys(keys), key=lambda value: (value is not None, str(value)))
            place = {value: at for at, value in enumerate(held)}
            codes.append(np.array([place[key] for key in keys], np.int64))
            values.append([str(value) for value in held])
        shape = tuple(len(held) for held in values)
        if prod(shape) > CELLS:
            raise BadRequest(
                f"the cross of these columns has {prod(shape):,} cells, at most {CELLS:,} are fitted: name fewer columns",
                parameter="qid",
                value=names,
            )
        at = tuple(codes)
        counts, persons, chances, possible = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.ones(shape)
        counts[at] = groups.sizes
        persons[at], chances[at] = groups.sizes, groups.sizes
        if self.weight is not None:
            held_weights = groups.histograms[self.weight]
            weights = np.array([np.nan if value is None else float(value) for value in held_weights.values])  # type: ignore[arg-type]
            if not ((weights > 0) & (weights < np.inf)).all():
                raise BadRequest("weights must be positive, finite numbers", parameter=f"{self.id}.weight")
            group = held_weights.group()
            for cells, of in ((persons, weights), (chances, 1 / weights)):
                cells[at] = np.bincount(group, of[held_weights.code] * held_weights.count, minlength=len(groups))
        for cell in self.impossible:
            if len(cell) != len(names) or any(str(value) not in held for value, held in zip(cell, values, strict=True)):
                raise BadRequest("is not a cell of the cross", parameter=f"{self.id}.impossible", available=names)
            possible[tuple(held.index(str(value)) for value, held in zip(cell, values, strict=True))] = 0
        return _Cross(names, counts, persons, chances, possible)

    def _persons(self, cross: _Cross, share: float) -> tuple[Floats, Floats]:
        """Return of each cell the share that was sampled and the expected number of persons in the population."""
        sampled = np.full(cross.counts.shape, share)
        if self.method == CE:
            np.divide(cross.counts, cross.persons, out=sampled, where=cross.counts > 0)
            sampled = np.minimum(sampled, 1.0)
            return sampled, self._fit(cross, cross.counts, sampled) / sampled
        if self.method == PLM:
            return sampled, self._fit(cross, cross.persons)
        slope = None
        if self.method == WEIGHTED:
            slope = np.full(cross.counts.shape, cross.persons.sum() / cross.counts.sum())
            np.divide(cross.persons, cross.counts, out=slope, where=cross.counts > 0)
        return sampled, self._fit(cross, cross.counts, slope=slope) / share

    def _fit(self, cross: _Cross, counts: Floats, start: Floats | None = None, slope: Floats | None = None) -> Floats:
        wrong = [name for term in self.terms for name in term if name not in cross.names]
        if wrong:
            raise BadRequest(
                "is no column to link by", parameter=f"{self.id}.terms", value=wrong[0], available=cross.names
            )
        place = {name: at for at, name in enumerate(cross.names)}
        terms = [[at] for at in range(len(cross.names))] + [[place[name] for name in term] for term in self.terms]
        begin = cross.possible if start is None else cross.possible * start
        # One scale for every weight: a slope of thousands would leave no digits to a step.
        return fit(counts, terms, begin, None if slope is None else slope / slope.max(), cross.names)

    def _found(self, cross: _Cross, persons: Floats, unseen: Floats, divisor: int) -> LogLinearRisks:
        lonely = np.exp(-unseen)
        matched = np.divide(-np.expm1(-unseen), unseen, out=np.ones_like(unseen), where=unseen > 0)
        # Records that are not alone in the sample are not looked for: they count with a risk of 0, as in `uniqueness`.
        others = int(cross.counts.sum()) - len(matched)
        risk = np.append(matched, 0.0) if others else matched
        number = np.append(np.ones(len(matched), np.int64), others)[: len(risk)].astype(np.int64)
        highest, mean = spread(risk, number)
        tau1, tau2 = float(lonely.sum()) / divisor, float(matched.sum()) / divisor
        details = {
            "records": int(cross.counts.sum()),
            "cells": int(cross.counts.size),
            "sample_uniques": len(unseen),
            "expected_population_uniques": tau1,
            "expected_correct_matches": tau2,
        }
        reading = say("reading.log_linear", uniques=len(unseen), alone=tau1, found=tau2)
        return LogLinearRisks(
            attack=self.id,
            per_victim=risk,
            counts=number,
            highest=highest,
            mean=mean,
            reading=reading,
            details=details,
            tau1=tau1,
            tau2=tau2,
            uniques=len(unseen),
            fitted=persons,
            unseen=unseen,
        )


@frozen(eq=False)
class _Cross:
    """All cells of the columns: records, persons that they stand for, sums of ``1 / w``, and 0 where nobody can be."""

    names: list[str]
    counts: Floats
    persons: Floats
    chances: Floats
    possible: Floats
