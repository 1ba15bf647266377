"""Texts that are chosen in secret, and comparisons whose outcome nobody learns until both halves are put together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sfumato.errors import BadRequest
from sfumato.parties.blocks.points import joined
from sfumato.parties.blocks.shared_bits import SHARED_BITS, ask_bits, give_bits
from sfumato.parties.blocks.transfers import TRANSFERRING, Choices, Texts, give_texts, take_texts
from sfumato.parties.conversation.local import converse
from sfumato.parties.conversation.message import OutOfProtocol
from sfumato.parties.conversation.party import Party, Seat, Talk


def both(first: Callable[[Seat], Talk[object]], second: Callable[[Seat], Talk[object]]) -> dict[str, object]:
    seats = [Seat(name, ["a", "b"]) for name in ("a", "b")]
    parties = [Party(seat, talk(seat)) for seat, talk in zip(seats, (first, second), strict=True)]
    return dict(converse(parties, (*TRANSFERRING, *SHARED_BITS)).results)


def test_a_receiver_gets_what_it_chooses_and_cannot_open_the_rest() -> None:
    texts = [[bytes([row, way]) for way in range(3)] for row in range(4)]
    chosen = [2, 0, 1, 1]
    found = both(lambda seat: take_texts(seat, "b", chosen, 3, b"x"), lambda seat: give_texts(seat, "a", texts, b"x"))
    assert found["a"] == [texts[row][way] for row, way in enumerate(chosen)]
    with pytest.raises(OutOfProtocol, match="does not open"):
        both(lambda seat: take_texts(seat, "b", chosen, 3, b"y"), lambda seat: give_texts(seat, "a", texts, b"x"))


def test_halves_add_up_to_bits_and_tell_nothing_alone() -> None:
    own, others = [0, 5, 5, 9, 255, 17], [0, 4, 5, 30, 254, 200]
    found = both(lambda seat: ask_bits(seat, "b", own, b"x", 9), lambda seat: give_bits(seat, "a", others, b"x", 9))
    mine, theirs = np.asarray(found["a"]), np.asarray(found["b"])
    assert (mine - theirs).tolist() == [int(one > other) for one, other in zip(own, others, strict=True)]
    assert int(theirs.max()) > 1 << 30  # as large as drawn: no half looks like a bit


def test_points_that_are_none_and_texts_that_are_missing_end_it() -> None:
    def wrong_points(seat: Seat) -> Talk[object]:
        yield from seat.hear("b", TRANSFERRING[0])
        seat.send("b", Choices(points=joined([b"\xff" * 32])))
        return None

    def too_few(seat: Seat) -> Talk[object]:
        seat.send("a", TRANSFERRING[0](point=b"\x01" * 32))  # type: ignore[call-arg]
        seat.send("a", Texts(texts=b""))
        yield from seat.hear("a", Choices)
        return None

    with pytest.raises(BadRequest, match="element of the group"):
        both(wrong_points, lambda seat: give_texts(seat, "a", [[b"x", b"y"]], b""))
    with pytest.raises(BadRequest):
        both(lambda seat: take_texts(seat, "b", [1], 2, b""), too_few)
