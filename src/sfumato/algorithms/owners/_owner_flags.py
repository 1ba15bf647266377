"""Sensitive weights and disclosure flags: which values are embarrassing, and whose owners mind.

The publisher gives every sensitive value a *weight* (SW): 1 if it is embarrassing, 0 if not. Owners of values with weight 1 are
asked whether they mind; the answer is the *disclosure flag* (SDF): 0 "do not disclose", 1 "I do not mind". Where the weight is
0 the flag is 1. A record is *protected* if its weight is 1 and its flag 0.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Ints

__all__ = ["Flags", "flags_of_codes", "owner_flags", "value_weights", "zero_or_one"]


@frozen(eq=False)
class Flags:
    """Weight and disclosure flag of each record.

    ``marked`` tells of each distinct value whether its weight is 1. ``unanswered`` counts the records of weight 1 without an
    answer, which count as 0; ``ignored`` the records of weight 0 whose owners asked for protection and get none.
    """

    sw: Ints
    sdf: Ints
    marked: Bools
    unanswered: int = 0
    ignored: int = 0

    @property
    def protected(self) -> Bools:
        """Whether each record is protected: weight 1 and flag 0."""
        out: Bools = (self.sw == 1) & (self.sdf == 0)
        return out

    def warnings(self) -> list[str]:
        """Return what the publisher should know about the answers."""
        out: list[str] = []
        if self.ignored:
            out.append(say("warning.owners_ignored", count=self.ignored))
        if self.unanswered:
            out.append(say("warning.owners_unanswered", count=self.unanswered))
        return out


def owner_flags(
    values: Sequence[Hashable],
    weights: Mapping[Hashable, int],
    answers: Mapping[int, int] | Sequence[int | None] | None = None,
    *,
    default_weight: int | None = None,
) -> Flags:
    """Return the flags of records, from the weight of each value and the answers of the owners by record or by position.

    >>> flags = owner_flags(["Flu", "Cancer", "Cancer"], {"Cancer": 1, "Flu": 0}, {1: 0, 2: 1})
    >>> flags.sw.tolist(), flags.sdf.tolist(), flags.protected.tolist()
    ([0, 1, 1], [1, 0, 1], [False, True, False])
    """
    distinct = list(dict.fromkeys(values))
    place = {value: code for code, value in enumerate(distinct)}
    codes = np.array([place[value] for value in values], np.int64)
    given = answers if isinstance(answers, Mapping) else dict(enumerate(answers or ()))
    said = np.full(len(codes), -1, np.int64)
    for row, answer in given.items():
        if not 0 <= row < len(codes):
            raise BadRequest(f"must be rows from 0 to {len(codes) - 1}", parameter="answers", value=row)
        said[row] = -1 if answer is None else zero_or_one(answer, parameter="answers")
    return flags_of_codes(codes, distinct, value_weights(distinct, weights, default_weight), said)


def flags_of_codes(codes: Ints, values: Sequence[Hashable], weights: Ints, answers: Ints) -> Flags:
    """Return the flags of records given by the codes of their values; ``weights`` by value, ``answers`` by record, -1 none."""
    if not ((weights == 0) | (weights == 1)).all() or not ((answers >= -1) & (answers <= 1)).all():
        raise BadRequest("weights and answers must be 0 or 1", parameter="weights")
    sw = weights[codes]
    sdf = np.where(sw == 0, 1, np.maximum(answers, 0))
    return Flags(
        sw,
        sdf,
        weights == 1,
        unanswered=int(((sw == 1) & (answers < 0)).sum()),
        ignored=int(((sw == 0) & (answers == 0)).sum()),
    )


def value_weights(
    values: Sequence[Hashable],
    weights: Mapping[Hashable, int],
    default_weight: int | None = None,
    *,
    column: str | None = None,
    parameter: str = "weights",
) -> Ints:
    """Return the weight of each value, looked up by its text; a value without one takes the default or is refused."""
    known = {to_text(value): zero_or_one(weight, parameter=parameter) for value, weight in weights.items()}
    lacking = [value for value in values if to_text(value) not in known]
    if lacking and default_weight is None:
        raise BadRequest(
            f"{len(lacking)} sensitive value{'s have' if len(lacking) > 1 else ' has'} no weight; give one, or default_weight",
            column=column,
            parameter=parameter,
            value=[to_text(value) for value in lacking],
            available=known,
        )
    return np.array([known.get(to_text(value), default_weight) for value in values], np.int64)


def zero_or_one(value: object, *, parameter: str) -> int:
    """Return a weight or an answer as a number; refuse anything but 0 and 1."""
    if isinstance(value, (int, float)) and value in (0, 1):
        return int(value)
    if isinstance(value, str) and value in ("0", "1"):
        return int(value)
    raise BadRequest("must be 0 or 1", parameter=parameter, value=value)
