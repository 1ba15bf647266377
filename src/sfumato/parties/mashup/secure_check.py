"""Would a step break what is asked of a sensitive column that another holds? Found out by both, and nobody shows its side.

Who would take the step knows which child each record goes to, the holder of the column which value each has. By oblivious
transfer both get random halves of every count ``n(group, child, value)``; comparisons of halves (spec A10) give halves of every
bit "breaks", these are added up, and one last comparison tells whether the sum is more than nothing. No Paillier is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import GroupModel, TableModel
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Ints
from sfumato.models.alpha_k_anonymity import AlphaKAnonymity
from sfumato.models.confidence_bounding import ConfidenceBounding
from sfumato.models.l_diversity_distinct import DistinctLDiversity
from sfumato.parties.blocks.comparing import COMPARING, answer_larger, ask_larger
from sfumato.parties.blocks.shared_bits import HIDING, SHARED_BITS, ask_bits, give_bits, random_numbers
from sfumato.parties.blocks.transfers import TRANSFERRING, give_texts, take_texts
from sfumato.parties.conversation.message import LARGEST, Body, OutOfProtocol
from sfumato.parties.conversation.party import Seat, Talk
from sfumato.parties.mashup.refinery import HolderRefinery, Parting, TheirColumn

__all__ = ["CHECKABLE", "CHECKING", "answer_check", "ask_check", "refuse_uncheckable"]

CHECKABLE: tuple[type[GroupModel], ...] = (DistinctLDiversity, ConfidenceBounding, AlphaKAnonymity)
"""Requirements that follow from comparisons of counts."""

_ROWS = 1 << 16
_BITS = HIDING + 20  # halves of sums over at most 2^16 records, moved above 0
_OFFSET = 1 << (_BITS - 2)


@frozen(kw_only=True)
class CheckAsk(Body):
    """Which value would part next, and into how many parts."""

    type: ClassVar[str] = "check.ask"
    attribute: int
    born: int
    ways: int

    def reveals(self) -> str:
        """The value; not how it parts."""
        return say("party.leak.checked")


CHECKING: tuple[type[Body], ...] = (CheckAsk, *TRANSFERRING, *SHARED_BITS, *COMPARING)


def refuse_uncheckable(model: TableModel) -> None:
    """Refuse a requirement that comparisons of counts do not decide."""
    if type(model) not in CHECKABLE:
        raise Unsupported(
            f"secure_check compares counts; {model.id} is not decided by that",
            thing=model.id,
            alternatives=[one.id for one in CHECKABLE],
        )


def ask_check(
    seat: Seat,
    judge: str,
    models: Sequence[tuple[tuple[int, ...], GroupModel]],
    state: HolderRefinery,
    slot: int,
    parting: Parting,
) -> Talk[bool]:
    """Tell whether an own step keeps what is asked of a column of the judge: the one bit that becomes known."""
    ways = len(parting.children)
    seat.send(judge, CheckAsk(attribute=parting.index, born=parting.born, ways=ways))
    broken = 0
    for at, (qid, model) in enumerate(models):
        if parting.index not in qid:
            continue
        context = _context(seat, at)
        groups = _groups(state, qid, parting.index, slot)
        texts = yield from take_texts(seat, judge, parting.parts.tolist(), ways, context)
        counts, rest = divmod(len(texts[0]), 8 * ways)
        if rest or len({len(text) for text in texts}) > 1:
            raise OutOfProtocol("does not hold a number for each value", parameter="ot.texts")
        drawn = np.frombuffer(b"".join(texts), "<i8").reshape(len(texts), ways, counts)
        halves = _summed(drawn, groups)
        sizes = np.zeros((len(halves), ways), np.int64)
        np.add.at(sizes, (groups, parting.parts), 1)
        if isinstance(model, DistinctLDiversity):
            there = yield from ask_bits(seat, judge, (halves + _OFFSET).ravel().tolist(), context, _BITS)
            different = there.reshape(halves.shape).sum(axis=2) + np.where(sizes == 0, model.l, 0)
            asked = (model.l - different).ravel()
        else:
            broken += int(((sizes > 0) & (sizes < _least(model))).sum())
            asked = (halves - _most(model, sizes)[:, :, None]).ravel()
        bits = yield from ask_bits(seat, judge, (asked + _OFFSET).tolist(), context + b"|breaks", _BITS)
        broken += int(bits.sum())
    (found,) = yield from ask_larger(seat, judge, [broken + _OFFSET], _context(seat, -1), _BITS)
    return not found


def answer_check(
    seat: Seat, winner: str, models: Sequence[tuple[tuple[int, ...], GroupModel]], state: HolderRefinery
) -> Talk[None]:
    """Take part in the check of another's step, as the holder of the column; learn nothing but what is told afterwards."""
    asked = yield from seat.hear(winner, CheckAsk)
    column = state.columns[asked.attribute] if 0 <= asked.attribute < len(state.columns) else None
    if not isinstance(column, TheirColumn) or not np.any(column.shown == asked.born) or not 1 <= asked.ways <= 1000:
        raise OutOfProtocol("asks about a value that there is not", parameter=CheckAsk.type)
    given = 0
    for at, (qid, model) in enumerate(models):
        if asked.attribute not in qid:
            continue
        context = _context(seat, at)
        groups = _groups(state, qid, asked.attribute, asked.born)
        rows = np.flatnonzero(column.shown == asked.born)
        codes, values = _codes(state, model)
        drawn = random_numbers(seat, len(rows) * asked.ways * values).reshape(len(rows), asked.ways, values)
        if len(rows) > _ROWS or drawn.nbytes * asked.ways > LARGEST // 2:
            raise BadRequest("is too large for secure_check: use shared_sensitive", parameter="check", value=len(rows))
        yield from give_texts(seat, winner, _offers(drawn, codes[rows]), context)
        halves = _summed(drawn, groups)
        if isinstance(model, DistinctLDiversity):
            there = yield from give_bits(seat, winner, (halves + _OFFSET).ravel().tolist(), context, _BITS)
            compared = -there.reshape(halves.shape).sum(axis=2).ravel()
        else:
            compared = halves.ravel()
        bits = yield from give_bits(seat, winner, (compared + _OFFSET).tolist(), context + b"|breaks", _BITS)
        given += int(bits.sum())
    yield from answer_larger(seat, winner, [given + _OFFSET], _context(seat, -1), _BITS)


def _context(seat: Seat, at: int) -> bytes:
    return f"{'|'.join(seat.names)}|{seat.round}|{at}".encode()


def _groups(state: HolderRefinery, qid: tuple[int, ...], index: int, slot: int) -> Ints:
    """Return the group of each record that carries a value, in the order of records; numbers are alike at both holders."""
    partition = state.partitions[qid]
    found = [np.sort(partition.rows_of(int(group))) for group in partition.carrying(index, slot)]
    found.sort(key=lambda rows: int(rows[0]))
    rows = np.concatenate(found)
    return np.repeat(np.arange(len(found)), [len(one) for one in found])[np.argsort(rows)]


def _summed(drawn: Ints, groups: Ints) -> Ints:
    out = np.zeros((int(groups.max()) + 1, *drawn.shape[1:]), np.int64)
    np.add.at(out, groups, drawn)
    return out


def _offers(drawn: Ints, codes: Ints) -> list[list[bytes]]:
    """Return for each record and each child it may go to the random numbers, one more where the record would count."""
    out = []
    for numbers, code in zip(drawn, codes.tolist(), strict=True):
        texts = []
        for child in range(len(numbers)):
            offered = numbers.astype("<i8")
            if code >= 0:
                offered[child, code] += 1
            texts.append(offered.tobytes())
        out.append(texts)
    return out


def _codes(state: HolderRefinery, model: GroupModel) -> tuple[Ints, int]:
    """Return the number of the value of each record among those that the model counts, or -1; and how many these are."""
    (name,) = model.needs()
    table = state.task.table
    held = list(map(to_text, table.dictionaries[name].values))
    codes = table.extra_codes[:, table.extra.index(name)].astype(np.int64)
    codes = np.where(codes < 0, len(held), codes)  # missing values count as one of their own, where they may be there
    named = [model.value] if isinstance(model, ConfidenceBounding) else getattr(model, "values", None)
    if named is None:
        return codes, len(held) + 1
    wanted = [to_text(value) for value in named]
    place = np.array([wanted.index(one) if one in wanted else -1 for one in (*held, "")])
    return place[codes], len(wanted)


def _least(model: GroupModel) -> int:
    return model.k if isinstance(model, AlphaKAnonymity) else 1


def _most(model: GroupModel, sizes: Ints) -> Ints:
    """Return how often a value may occur in groups of these sizes."""
    bound = model.bound()
    largest = {
        int(size): int(np.count_nonzero(bound.holds(np.arange(size + 1) / max(int(size), 1)))) - 1
        for size in np.unique(sizes)
    }
    return np.array([largest[int(size)] for size in sizes.ravel()], np.int64).reshape(sizes.shape)
