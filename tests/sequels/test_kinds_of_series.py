"""Five releases under insertions, deletions and updates pass the exact oracle of their kind after every step."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import sfumato
from sequels.published_series import Publisher, Row
from sfumato.errors import BadRequest, Infeasible
from sfumato.sequels.attacks import BCFOracle, PossibleWorldExclusion, RepublicationAttack
from sfumato.sequels.collected import collected, recalled

QUICK = settings(
    max_examples=4,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # a release takes a second
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

ILL = ("Flu", "Cold", "HIV", "Ulcer")


@st.composite
def months(draw: st.DrawFn, kind: str) -> list[list[Row]]:
    """Draw the table of five months: persons come, and as the kind allows leave or change."""
    rng = draw(st.randoms(use_true_random=False))
    fresh = iter(range(1000))

    def person() -> Row:
        place = rng.choice(["UK", "France", "Peru", "Chile"])
        return f"p{next(fresh)}", place, rng.randint(20, 59), rng.choice(ILL)

    table = [person() for _ in range(draw(st.integers(8, 14)))]
    out = [list(table)]
    for _ in range(4):
        if kind != "continuous":
            table = [row for row in table if rng.random() > 0.2]
        if kind == "serial":
            other = [one for one in ILL if one != "HIV"]
            table = [
                (who, place, age, rng.choice(other)) if ill != "HIV" and rng.random() < 0.3 else (who, place, age, ill)
                for who, place, age, ill in table
            ]
        table += [person() for _ in range(draw(st.integers(2, 6)))]
        out.append(list(table))
    return out


def published(kind: str, tables: list[list[Row]], folder: Path) -> list[Path]:
    """Publish what can be; a month that cannot keep the promise brings no release, and the series goes on without it."""
    publisher, made = Publisher(folder, kind), list[Path]()
    for rows in tables:
        try:
            made.append(publisher.publish(rows))
        except (Infeasible, BadRequest):  # nothing can be promised, or somebody was away while nothing was published
            continue
        _exact(kind, publisher, made)
    return made


def _exact(kind: str, publisher: Publisher, made: list[Path]) -> None:
    told = sfumato.verify(made[-1], earlier=[*made[:-1]])
    assert told
    if kind == "continuous" and len(made) > 1:
        found = sfumato.attack(collected(made), BCFOracle()).details["anonymity"]
        assert isinstance(found, int)
        assert found >= 2
    elif kind == "dynamic":
        risk = sfumato.attack(recalled(publisher.ledger, "patients"), RepublicationAttack(group="group"))
        assert risk.highest <= 1 / 2
    elif kind == "serial":
        risk = sfumato.attack(
            recalled(publisher.ledger, "patients"), PossibleWorldExclusion(permanent=("HIV",), group="group")
        )
        assert risk.highest <= 1 / 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["continuous", "dynamic", "serial"])
def test_every_step_passes_the_exact_oracle(kind: str) -> None:
    @given(months(kind))
    @QUICK
    def tried(tables: list[list[Row]]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            made = published(kind, tables, Path(folder))
            with sfumato.Ledger(Path(folder) / "people.ledger") as ledger:
                assert len(ledger.history("patients")) == len(made)
                assert ledger.verify()

    tried()
