"""Rebuild who has a value from many noisy counts, by linear programming."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import Unsupported
from sfumato.interactive.attack import DeskAttack, DeskKnowledge, DeskSeen
from sfumato.interactive.question import Aggregate, Question
from sfumato.itemsets.exact_solver import exact_solver
from sfumato.kernels.arrays import Bools, Floats

__all__ = ["CountReconstruction", "CountReconstructionDetails"]


@frozen(eq=False)
class CountReconstructionDetails(Details):
    """How many counts about how many secrets, and how often the rebuilt value is the true one, and the best guess is."""

    counts: int
    secrets: int
    right: float
    guessed: float


class CountReconstruction(DeskAttack):
    """Find the table that fits all noisy counts best, and see how much of it is true.

    Counts of records with a sensitive value among those chosen by known columns are sums of unknown bits. With the answers
    ``a_q`` about the sets Q the program ``min sum |a_q - sum_{j in Q} x_j|`` over ``0 <= x_j <= 1`` is solved and rounded. If
    the noise is small beside the square root of the number of records, almost all bits come out right, whatever the noise is
    like. The risk of every person is the share of bits that are right beyond the best guess without answers:
    ``(right - guess) / (1 - guess)``.

    Adversary: askers who put all their answers together, and know who was asked for but not who has the value.

    Examples
    --------
    >>> bits = np.array([1, 0, 1, 1, 0, 0], bool)
    >>> sets = [np.array([at in held for at in range(6)]) for held in ([0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5])]
    >>> CountReconstruction().rebuilt(sets, [float((bits & one).sum()) for one in sets]).tolist()
    [1.0, 0.0, 1.0, 1.0, 0.0, 0.0]

    References
    ----------
    Dinur, Nissim, "Revealing information while preserving privacy", 2003, doi:10.1145/773153.773173.
    Dwork, McSherry, Talwar, "The price of privacy and the limits of LP decoding", 2007, doi:10.1145/1250790.1250804.
    """

    id: ClassVar[str] = "count-reconstruction"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="every noisy count, and who was asked for",
        needs=frozenset({"raw"}),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.count-reconstruction")

    most: int = param(default=2_000, ge=1, doc="records of the largest table that is rebuilt")

    def rebuilt(self, sets: Sequence[Bools], answers: Sequence[float]) -> Floats:
        """Return the bits that fit answers about sets of records best, before they are rounded."""
        solver = exact_solver(self.id, "rebuilding a table")
        records = len(sets[0])
        solver.addVars(records, np.zeros(records), np.ones(records))
        for at, (inside, answer) in enumerate(zip(sets, answers, strict=True)):
            over, under = records + 2 * at, records + 2 * at + 1
            solver.addVars(2, np.zeros(2), np.full(2, 1e30))
            solver.changeColsCost(2, np.array([over, under], np.int32), np.ones(2))
            members = np.flatnonzero(inside)
            solver.addRow(
                float(answer),
                float(answer),
                len(members) + 2,
                np.array([*members, over, under], np.int32),
                np.array([*np.ones(len(members)), 1.0, -1.0]),
            )
        solver.run()
        return np.asarray(np.round(np.array(solver.getSolution().col_value[:records]), 9)) + 0.0

    def on_log(self, seen: DeskSeen, knowledge: DeskKnowledge, run: Run) -> Risk:
        """Rebuild each sensitive condition that counts were asked with."""
        table, answers = knowledge.answers(seen)
        if table.rows > self.most:
            raise Unsupported(say("desk.bad.too_large", most=self.most), thing=self.id)
        run.stage("rebuilding the table")
        asked: dict[str, tuple[Bools, list[Bools], list[float]]] = {}
        hidden = {name for name, role in table.policy.roles().items() if role is Role.SENSITIVE}
        for one in answers:
            question = table.read(one.part.question)
            secret = [each for each in question.where if each.column in hidden]
            if one.part.aggregate != Aggregate("count") or not secret or set(question.by) & hidden:
                continue
            name = " and ".join(sorted(map(str, secret)))
            known = tuple(each for each in question.where if each not in secret)
            ((_, bits),) = table.masks(Question(question.aggregates, tuple(secret)), one.part.aggregate)
            open_sets = list(table.masks(Question(question.aggregates, known, question.by), one.part.aggregate))
            _, chosen = open_sets[one.cell]
            _, sets, values = asked.setdefault(name, (bits, [], []))
            sets.append(chosen)
            values.append(one.value)
        if not asked:
            raise Unsupported(say("desk.bad.no_secret_counts"), thing=self.id)
        right = guess = 0.0
        for bits, sets, values in asked.values():
            found = self.rebuilt(sets, values) >= 0.5
            right = max(right, float((found == bits).mean()))
            guess = max(guess, float(max(bits.mean(), 1 - bits.mean())))
        beyond = max(0.0, (right - guess) / (1 - guess)) if guess < 1 else 0.0
        beliefs = np.full(table.rows, beyond)
        highest, mean = spread(beliefs)
        counts = sum(len(sets) for _, sets, _ in asked.values())
        details = CountReconstructionDetails(counts, len(asked), right, guess)
        reading = say("reading.count_reconstruction", counts=counts, right=right, guess=guess, beyond=beyond)
        return Risk(attack=self.id, per_victim=beliefs, highest=highest, mean=mean, reading=reading, details=details)
