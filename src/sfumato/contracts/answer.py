"""An attack that asks a question: what guesses about persons in a release achieved, and about a control group beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from sfumato.contracts.attack import Risk
from sfumato.data.frozen import frozen
from sfumato.estimates.excess import Excess

__all__ = ["Answer"]


@frozen(kw_only=True, eq=False)
class Answer(Risk):
    """One of the three questions, answered: what guesses achieved on the release and on the control group.

    The one entry of ``per_victim`` is the derived risk, which all published records share.
    """

    excess: Excess
    can: str
    guess: str

    @property
    def answer(self) -> Literal["yes", "no", "undecided"]:
        """Whether the release adds a risk that counts."""
        return self.excess.answer

    @classmethod
    def of(
        cls,
        attack: str,
        excess: Excess,
        records: int,
        *,
        can: str,
        guess: str,
        details: Mapping[str, object],
        warnings: tuple[str, ...] = (),
    ) -> Answer:
        """Return the answer of an attack; every one of the published records shares the risk.

        ``can`` says what an outsider could do, ``guess`` what a successful guess does.
        """
        per_victim = np.full(1 if records else 0, excess.risk)
        counts = np.full(len(per_victim), records, np.int64)
        shared = excess.risk if records else 0.0
        return cls(
            attack=attack,
            per_victim=per_victim,
            counts=counts,
            highest=shared,
            mean=shared,
            reading=excess.sentence(can, guess),
            details={**details, **excess.numbers()},
            warnings=warnings,
            excess=excess,
            can=can,
            guess=guess,
        )

    @classmethod
    def pooled(cls, parts: Sequence[Answer]) -> Answer:
        """Put the answers of one attack on several releases together; details that differ are left out."""
        first = parts[0]
        alike = {key: value for key, value in first.details.items() if all(one.details[key] == value for one in parts)}
        return cls.of(
            first.attack,
            Excess.pooled([one.excess for one in parts]),
            sum(one.victims for one in parts),
            can=first.can,
            guess=first.guess,
            details=alike,
            warnings=tuple(dict.fromkeys(text for one in parts for text in one.warnings)),
        )
