"""Local pair suppression: leave a pair out of those paths alone that give somebody away, where that harms nobody else."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.errors import Unsupported
from sfumato.kernels.arrays import Codes, Ints
from sfumato.trajectories.algorithms._violations import items, minimal_violations, sequence_models, suppressed
from sfumato.trajectories.models.lkc_privacy import LKCPrivacy
from sfumato.trajectories.task import TrajectoryTask
from sfumato.trajectories.trajectories import Pair, Trajectories

__all__ = ["LocalPairSuppression"]


class LocalPairSuppression(Search[TrajectoryTask]):
    """End each minimal violating sequence m in the paths of T(m) alone: one of its pairs is left out of these.

    Fewer points are lost than by leaving pairs out of all paths, but other sequences with the pair lose support, and may
    violate only then. A pair is left out locally if no sequence of at most L pairs that held before does so; if that is true of
    no pair of m, the one in most violating sequences is left out of all paths. Counts in the release are no longer those of the
    original: who lacks a pair may have been there. Against who knows times alone points at a time are left out so; against
    who knows places in their order nothing is, because any other sequence of places may be touched.

    Examples
    --------
    >>> from sfumato.trajectories.models import LKCPrivacy
    >>> stays = [[("a", 1), ("b", 2)], [("a", 1), ("b", 2)], [("a", 1), ("b", 2)], [("a", 1), ("c", 2)], [("c", 2)], [("c", 2)]]
    >>> task = TrajectoryTask(Trajectories.of(stays), [LKCPrivacy(L=2, K=2)])
    >>> outcome = LocalPairSuppression().run(task, Run())
    >>> outcome.facts.points_after, [str(pair) for pair in outcome.facts.suppressed]
    (9, [])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.2.1.4, which rejects it because
    counts are no longer true.
    """

    id: ClassVar[str] = "local-pair-suppression"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="locally-recoded-trajectories",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="minimal violating sequences x sequences of the paths that hold them",
    )

    def run(self, task: TrajectoryTask, run: Run) -> Outcome:
        paths, models = task.trajectories, sequence_models(task, self.id, ("time", "pair"))
        ways = sorted({way for model in models for way in model.ways()})
        if len(ways) > 1:
            raise Unsupported(
                f"{self.id} works against one way of knowing points at a time, not against {' and '.join(ways)}",
                thing=self.id,
                alternatives=["trajectory-anonymizer", "trajectory-generalization"],
            )
        sequences = [tuple(row) for sets in minimal_violations(paths, models, ways[0], run) for row in sets.tolist()]
        state = _State(paths, models, ways[0])
        gain = np.bincount([code for one in sequences for code in one], minlength=len(state.held))
        everywhere: list[Pair] = []
        run.stage("choosing", len(sequences))
        for done, sequence in enumerate(sequences):
            run.tick(done)
            persons = state.persons(sequence)
            if not persons:
                continue
            order = sorted(sequence, key=lambda code: (-gain[code], state.supports[code], code))
            chosen = next((code for code in order if state.harmless(code, persons)), None)
            if chosen is None:
                codes = np.unique(paths.codes[state.items == order[0]])
                everywhere += [paths.pairs[code] for code in codes.tolist()]
                state.held[order[0]] = 0
            else:
                state.held[chosen] &= ~persons
        return suppressed(task, state.masked(), everywhere, len(sequences), local=True)


class _State:
    """Who holds each pair, or was seen at each time, as a long number: bit i is person i. It changes as points are left out."""

    def __init__(self, paths: Trajectories, models: list[LKCPrivacy], way: str) -> None:
        self.paths, self.items = paths, items(paths, way)
        self.supports = np.bincount(self.items, minlength=len(paths.moments if way == "time" else paths.pairs))
        self.held = [0] * len(self.supports)
        order = np.argsort(self.items, kind="stable")
        bounds = np.concatenate(([0], np.cumsum(self.supports)))
        for code in range(len(self.held)):
            self.held[code] = _number(paths.owners[order[bounds[code] : bounds[code + 1]]], len(paths))
        self._asked: list[tuple[int, int, Fraction, list[int]]] = []
        for model in models:
            rows, names = model.secrets(paths)
            secrets = [_number(rows.owners[rows.codes == code], len(paths)) for code in range(len(names))]
            self._asked.append((model.L, model.K, model.confidence(), secrets))

    def persons(self, sequence: tuple[int, ...]) -> int:
        """Return who holds all pairs of a sequence."""
        out = self.held[sequence[0]]
        for code in sequence[1:]:
            out &= self.held[code]
        return out

    def harmless(self, code: int, persons: int) -> bool:
        """Tell whether no sequence that holds starts to violate when these persons lose a pair."""
        longest = max(power for power, _, _, _ in self._asked)
        seen: set[tuple[int, ...]] = set()
        for person in _members(persons):
            first, last = int(self.paths.starts[person]), int(self.paths.starts[person + 1])
            others = [one for one in self.items[first:last].tolist() if one != code and self.held[one] >> person & 1]
            for size in range(longest):
                for rest in combinations(others, size):
                    if rest in seen:
                        continue
                    seen.add(rest)
                    before = self.persons((code, *rest))
                    after = before & ~persons
                    if after and any(
                        size < power
                        and not _broken(before, least, most, secrets)
                        and _broken(after, least, most, secrets)
                        for power, least, most, secrets in self._asked
                    ):
                        return False
        return True

    def masked(self) -> Trajectories:
        """Return the paths with the points that are left."""
        kept = np.zeros(len(self.items), np.bool_)
        order = np.argsort(self.items, kind="stable")
        bounds = np.concatenate(([0], np.cumsum(self.supports))).tolist()
        for code, number in enumerate(self.held):
            places = order[bounds[code] : bounds[code + 1]]
            bits = np.unpackbits(
                np.frombuffer(number.to_bytes(len(self.paths) // 8 + 1, "little"), np.uint8), bitorder="little"
            )
            kept[places] = bits[self.paths.owners[places]] > 0
        return self.paths.thinned(kept)


def _broken(persons: int, least: int, most: Fraction, secrets: list[int]) -> bool:
    support = persons.bit_count()
    if support < least:
        return True
    return most < 1 and any(
        (persons & those).bit_count() * most.denominator > most.numerator * support for those in secrets
    )


def _number(persons: Ints | Codes, count: int) -> int:
    bits = np.zeros(count // 8 * 8 + 8, np.uint8)
    bits[persons] = 1
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _members(persons: int) -> list[int]:
    out = []
    while persons:
        low = persons & -persons
        out.append(low.bit_length() - 1)
        persons ^= low
    return out
