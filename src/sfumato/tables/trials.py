"""Training and test parts of a raw table and its release: one split, a given one, or folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.published import Release
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Bools
from sfumato.policy import OutputPolicy
from sfumato.tables.pair import Masking, Pair, Side, prepared, taken
from sfumato.tables.policy import Policy
from sfumato.utility.classification import fold_numbers
from sfumato.utility.features import readable

__all__ = ["MASKINGS", "PROTOCOLS", "Design", "Trial", "in_order"]

Mask = Bools
PROTOCOLS = ("split", "given", "folds")
MASKINGS = ("learned", "published")
# One part of three is for testing.
_PARTS = 3


@frozen(eq=False)
class Trial:
    """One training and one test part, on the raw and on the masked side."""

    raw: Side
    raw_train: Mask
    masked: Side
    masked_train: Mask


@frozen(eq=False)
class Design:
    """How records are divided into training and test parts; see ``classification_utility`` for the words.

    ``mask`` makes a release of a training part, where masking is learned.
    """

    protocol: Literal["split", "given", "folds"] = "split"
    folds: int = 10
    masking: Literal["learned", "published"] = "learned"
    train: int | None = None
    test: Any = None
    seed: int = 0
    mask: Callable[[Table, Policy], Release] | None = None

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise BadRequest("is not a protocol", parameter="protocol", value=self.protocol, available=PROTOCOLS)
        if self.masking not in MASKINGS:
            raise BadRequest("is not a way", parameter="masking", value=self.masking, available=MASKINGS)
        for name, value, least in (("seed", self.seed, 0), ("folds", self.folds, 2), ("train", self.train, 1)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise BadRequest(f"must be a whole number >= {least}", parameter=name, value=value)
        if (self.train is not None or self.test is not None) != (self.protocol == "given"):
            raise BadRequest(
                "the protocol 'given' takes train or test, and no other does", parameter="protocol", value=self.protocol
            )
        if self.train is not None and self.test is not None:
            raise BadRequest("give train or test, not both", parameter="train", value=self.train)

    @property
    def trials(self) -> int:
        """How many trials there are."""
        return self.folds if self.protocol == "folds" else 1

    @property
    def learned(self) -> bool:
        """Whether each training part is masked on its own."""
        return self.protocol == "folds" and self.masking == "learned"

    def of(self, pair: Pair) -> Iterator[Trial]:
        """Yield the trials of a raw table and its release."""
        raw_names, masked_names = _features(pair)
        if self.learned:
            yield from self._learned(pair, raw_names)
            return
        if self.test is not None:
            yield self._tested(pair, raw_names, masked_names)
            return
        raw, masked = pair.side(pair.raw, raw_names), pair.side(pair.released, masked_names)
        for raw_train, masked_train in self._masks(pair):
            yield Trial(raw, raw_train, masked, masked_train)

    def text(self) -> str:
        """Return the design in words."""
        if self.protocol == "split":
            return say("trials.split")
        if self.train is not None:
            return say("trials.first", train=self.train)
        if self.test is not None:
            return say("trials.other_table")
        way = say("trials.learned") if self.learned else say("trials.cut")
        return say("trials.folds", folds=self.folds, way=way)

    def _masks(self, pair: Pair) -> Iterator[tuple[Mask, Mask]]:
        rows = pair.raw.rows, pair.released.rows
        if self.train is not None:
            if not pair.aligned:
                raise BadRequest(
                    "the released rows are not in the order of the raw ones: nobody can tell which are the first",
                    parameter="train",
                    value=self.train,
                )
            first = np.arange(rows[0]) < self.train
            yield first, first
            return
        if self.protocol == "split" and min(rows) < _PARTS:
            raise BadRequest(f"needs at least {_PARTS} records to be split", parameter="raw", value=min(rows))
        count = self.folds if self.protocol == "folds" else _PARTS
        numbers = [fold_numbers(size, count, np.random.default_rng(self.seed)) for size in rows]
        for fold in range(self.trials):
            yield numbers[0] != fold, numbers[1] != fold

    def _learned(self, pair: Pair, names: Sequence[str]) -> Iterator[Trial]:
        """Mask each training part by the policy, and the test part as the training part was masked."""
        if pair.policy is None:
            raise BadRequest(
                "the masking of a training part cannot be learned without the policy of the release; give the policy, a whole "
                "release folder, or masking='published'",
                parameter="folds",
                value=self.folds,
            )
        assert self.mask is not None, "whoever wants masking learned says how"
        asked = in_order(pair.raw, pair.policy)
        numbers = fold_numbers(pair.raw.rows, self.folds, np.random.default_rng(self.seed))
        for fold in range(self.folds):
            raw = taken(pair.raw, np.flatnonzero(numbers != fold)), taken(pair.raw, np.flatnonzero(numbers == fold))
            release = self.mask(raw[0], asked)
            if release.kind != "recoded-table":
                raise Unsupported(
                    f"a {release.kind} says nothing about records that are not in it",
                    thing=asked.search().id,
                    alternatives=["masking='published'"],
                )
            learned = Masking(release.private.recodings, release.private.operations)
            yield _joined(pair, raw, (release.table, learned.apply(raw[1])), names, names)

    def _tested(self, pair: Pair, raw_names: Sequence[str], masked_names: Sequence[str]) -> Trial:
        if pair.masking is None:
            raise BadRequest(
                "other records cannot be masked like the release: it came without its recoding; give the release or its "
                "folder",
                parameter="test",
            )
        other = prepared(self.test, pair.policy)
        for name in raw_names:
            if name not in other.types:
                raise BadRequest(
                    "is not a column of the test table", parameter="test", value=name, available=other.columns
                )
        masked = pair.released, pair.masking.apply(other)
        return _joined(pair, (pair.raw, other), masked, raw_names, masked_names)


def in_order(table: Table, policy: Policy) -> Policy:
    """Return the policy for a table without identifiers, with rows kept in their order and nothing measured."""
    columns = {name: entry for name, entry in policy.columns.items() if name in table.types}
    return policy.model_copy(update={"columns": columns, "metrics": (), "output": OutputPolicy(row_order="keep")})


def _features(pair: Pair) -> tuple[list[str], list[str]]:
    """Return the columns that are looked at on each side: what was published, and on the raw side also what was masked."""
    new = [name for name in pair.released.columns if name not in pair.raw.types]
    secret = set(pair.policy.pseudonyms()) if pair.policy is not None else set()
    if set(new) - secret:
        raise BadRequest("is not a column of the raw table", parameter="release", value=new[0])
    shared = [name for name in pair.shared if name not in secret]
    return [*shared, *(name for name in pair.qid if name not in shared)], shared


def _joined(
    pair: Pair,
    raw: tuple[Table, Table],
    masked: tuple[Table, Table],
    raw_names: Sequence[str],
    masked_names: Sequence[str],
) -> Trial:
    """Put the training and the test table below each other, on both sides."""
    sides, masks = [], []
    for tables, names in ((raw, raw_names), (masked, masked_names)):
        sides.append(_stacked(*(pair.side(table, names) for table in tables)))
        masks.append(np.arange(tables[0].rows + tables[1].rows) < tables[0].rows)
    return Trial(sides[0], masks[0], sides[1], masks[1])


def _stacked(first: Side, second: Side) -> Side:
    """Put two parts of a table below each other; a column whose kinds differ is read anew, from texts."""
    columns, kinds = {}, {}
    for name in first.columns:
        values = [*first.columns[name], *second.columns[name]]
        if first.kinds[name] == second.kinds[name]:
            columns[name], kinds[name] = values, first.kinds[name]
        else:
            kinds[name], columns[name] = readable([to_text(value) for value in values], numeric=True)
    return Side(columns, kinds)
