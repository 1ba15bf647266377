"""The common check of identifiers finds recognisers that break their promises."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from sfumato.contracts.identifier import Identifier, IdentifierTraits
from sfumato.identifiers.us import UsNpi
from sfumato.testing.check_identifier import check_identifier


def test_honest_recognisers_pass() -> None:
    check_identifier(UsNpi(), np.random.default_rng(1))


class _Blind(UsNpi):
    """Looks at no check digit."""

    id: ClassVar[str] = "us-npi"
    look_alikes: ClassVar[tuple[str, ...]] = ()

    def valid(self, number: str) -> bool:
        return True


class _Vain(UsNpi):
    """Declares less chance than there is."""

    id: ClassVar[str] = "us-npi"
    traits: ClassVar[IdentifierTraits] = replace(UsNpi.traits, chance=0.001)


class _Eager(UsNpi):
    """Tells what it does not match."""

    id: ClassVar[str] = "us-npi"

    def telling(self, text: str) -> bool:
        return True


class _Forgetful(UsNpi):
    """Does not know its own example."""

    id: ClassVar[str] = "us-npi"
    examples: ClassVar[tuple[str, ...]] = ("1234567890",)


_SEEN: set[str] = set()


class _Moody(UsNpi):
    """Answers differently the second time."""

    id: ClassVar[str] = "us-npi"

    def match(self, text: str) -> bool:
        again = text in _SEEN
        _SEEN.add(text)
        return super().match(text) and not again


@pytest.mark.parametrize(
    ("cheat", "said"),
    [
        (_Blind, "changed digit"),
        (_Vain, "random numbers pass"),
        (_Eager, "what tells is a match"),
        (_Forgetful, "the examples match"),
        (_Moody, "judged by itself|what tells|changed digit|an example"),
    ],
)
def test_cheats_are_found(cheat: type[Identifier], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The class is not in the catalogue: what every thing promises is not the question here.
    monkeypatch.setattr("sfumato.testing.check_identifier.check_thing", lambda _: None)
    with pytest.raises(AssertionError, match=said):
        check_identifier(cheat(), np.random.default_rng(1))
