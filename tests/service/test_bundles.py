"""Short envelopes travel together, in order; too many in one request are refused."""

from __future__ import annotations

import pytest

from sfumato.errors import BadRequest
from sfumato.service.bundles import MOST, bundles, parted

MIB = 2**20


@pytest.mark.parametrize(
    ("sizes", "requests"),
    [([], 0), ([10], 1), ([10, 10], 1), ([MIB] * 9, 3), ([10, 5 * MIB, 10], 3), ([9] * (2 * MOST + 1), 3)],
)
def test_envelopes_come_out_as_they_went_in(sizes: list[int], requests: int) -> None:
    envelopes = [bytes([97 + at % 26]) * size for at, size in enumerate(sizes)]
    sent = list(bundles(envelopes))
    assert len(sent) == requests
    assert [one for body in sent for one in parted(body)] == envelopes


def test_a_request_of_too_many_is_refused() -> None:
    assert len(parted(b"\n" * (MOST - 1))) == MOST
    with pytest.raises(BadRequest, match="more than 32 envelopes"):
        parted(b"\n" * 10**6)
