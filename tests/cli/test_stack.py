"""A call in a piece of its own is a call: what it returns and raises passes through, and its frame has the room."""

from __future__ import annotations

import sys

import pytest

from sfumato.cli.stack import in_one_piece


def test_a_call_in_one_piece_is_a_call() -> None:
    def deep(left: int) -> int:
        return 0 if left == 0 else 1 + deep(left - 1)

    assert in_one_piece(lambda: deep(300)) == 300
    with pytest.raises(ZeroDivisionError):
        in_one_piece(lambda: 1 // 0)  # type: ignore[arg-type, return-value]


def test_the_frame_has_room_for_those_above_it() -> None:
    """A piece is twice as large as the frame that it is made for, so as much is left."""
    caller = in_one_piece(lambda: sys._getframe(1))
    assert caller.f_code.co_name == "roomy"
    assert caller.f_code.co_stacksize * 8 > 400_000
