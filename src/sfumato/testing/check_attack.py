"""What every attack promises: a risk for each person, the same each time, and a summary that names nobody."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.contracts.attack import Attack, Risk, Scene
from sfumato.engines import from_rows
from sfumato.testing.check_thing import check_json, check_thing
from sfumato.testing.promises import generators_untouched, promise

__all__ = ["check_attack"]

TRIES = 8
_LABELS = ("[20-30)", "[30-40)", "[20-40)", "25", "35", "*")
_VALUES = ("Flu", "Ulcer", "Cancer")


def check_attack(attack: Attack, rng: np.random.Generator) -> None:
    """Check an attack on random scenes.

    Every person has a risk between 0 and 1, and the highest and the mean are theirs; the same scene gives the same risks;
    the order of persons and of published rows does not matter; what is published of the risk holds no name and no value;
    the tables are not changed; no global generator is used.
    """
    check_thing(attack)
    check_json(attack)
    for _ in range(TRIES):
        rows = [(rng.choice(_LABELS).item(), rng.choice(_VALUES).item()) for _ in range(int(rng.integers(1, 20)))]
        people = [
            (f"person {number}", int(rng.integers(18, 42)), rng.choice(_VALUES).item())
            for number in range(int(rng.integers(1, 15)))
        ]
        order = rng.permutation(len(people))
        with generators_untouched(attack):
            found, again = _run(attack, rows, people), _run(attack, rows, people)
            turned = _run(attack, rows[::-1], [people[at] for at in order])
        risk = found.per_victim
        promise(len(risk) == len(people), attack, "every person has a risk")
        promise(bool(((risk >= 0) & (risk <= 1)).all()), attack, "a risk lies between 0 and 1")
        promise(found.highest == risk.max(), attack, "the highest risk is somebody's")
        promise(abs(found.mean - risk.mean()) < 1e-12, attack, "the mean is that of all persons")
        promise(np.array_equal(risk, again.per_victim), attack, "the same scene gives the same risks")
        promise(
            bool(np.allclose(turned.per_victim, risk[order])), attack, "the order of rows and persons does not matter"
        )
        summary = repr((dict(found.details), found.warnings))
        secret = [*_VALUES, *(str(person[0]) for person in people)]
        promise(not any(text in summary for text in secret), attack, "details name nobody and no value")


def _run(attack: Attack, rows: list[Any], people: list[Any]) -> Risk:
    published, external = from_rows(["Age", "Disease"], rows), from_rows(["Name", "Age", "Disease"], people)
    scene = Scene(published=published, external=external, name="Name", qids=("Age",), sensitive="Disease")
    found = attack.run(scene)
    promise(published.to_rows() == rows, attack, "the published table is not changed")
    promise(external.to_rows() == people, attack, "the external table is not changed")
    return found
