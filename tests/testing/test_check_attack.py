"""The common check of attacks finds attacks that break their promises."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from sfumato.attacks.linkage.linking_attack import Linkage, LinkingAttack
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.testing.check_attack import check_attack, random_view, run_untouched


def test_honest_attacks_pass() -> None:
    check_attack(LinkingAttack(), np.random.default_rng(1))


class _Loud(LinkingAttack):
    """Tells names."""

    id: ClassVar[str] = "linking-attack"

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Linkage:
        found = super().run(seen, knowledge, run)
        return replace(found, details={**found.details, "who": found.names()})


class _Boastful(LinkingAttack):
    """Claims more risk than there is."""

    id: ClassVar[str] = "linking-attack"

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Linkage:
        found = super().run(seen, knowledge, run)
        return replace(found, per_victim=found.per_victim + 1)


@pytest.mark.parametrize(("cheat", "said"), [(_Loud, "name nobody"), (_Boastful, "between 0 and 1")])
def test_cheats_are_found(cheat: type[LinkingAttack], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The class is not in the catalogue: what every thing promises is not the question here.
    monkeypatch.setattr("sfumato.testing.check_attack.check_thing", lambda _: None)
    with pytest.raises(AssertionError, match=said):
        check_attack(cheat(), np.random.default_rng(1))


def test_a_release_is_left_as_it_was() -> None:
    person = ("person 0", 25, "f", "Flu")
    found = run_untouched(LinkingAttack(), *random_view([person], [person]))
    assert found.details["record_disclosures"] == 1
