"""The invented register: same seed, same months; who joins, leaves and changes; a series that can be published."""

from __future__ import annotations

import pytest

import sfumato
from sfumato.data.schema import Role
from sfumato.data.tree import Tree
from sfumato.datasets import PERMANENT, Dataset, hospital_months
from sfumato.errors import BadRequest
from sfumato.sequels.algorithms import MInvarianceAnonymize
from sfumato.sequels.models import MInvariance
from sfumato.sequels.task import SeriesTask


def people(table: Dataset) -> dict[object, tuple[object, ...]]:
    """Return the row of each patient."""
    return {row[0]: row for row in table.to_rows()}


def test_same_seed_same_months_other_seed_other_months() -> None:
    rows = [[table.to_rows() for table in hospital_months(60, seed, months=4)] for seed in (3, 3, 4)]
    assert rows[0] == rows[1]
    assert rows[0] != rows[2]


def test_who_joins_leaves_and_changes() -> None:
    months = hospital_months(500, seed=2)
    assert [table.name for table in months] == [f"2025-{month:02d}" for month in range(1, 13)]
    assert {table.columns for table in months} == {months[0].columns}
    gone: set[object] = set()
    for before, after in zip(map(people, months), map(people, months[1:]), strict=False):
        assert len(before) == len(set(before))
        assert len(after.keys() - before.keys()) == 50
        assert len(before.keys() - after.keys()) == round(len(before) * 0.1)
        assert not gone & after.keys(), "nobody comes back"
        gone |= before.keys() - after.keys()
        changed = [who for who in before.keys() & after.keys() if before[who] != after[who]]
        assert 0 < len(changed) <= round(len(before) * 0.9 * 0.02)
        for who in changed:
            differs = [at for at in range(7) if before[who][at] != after[who][at]]
            assert [months[0].columns[at] for at in differs] in (["zip"], ["diagnosis"])
            assert before[who][-1] not in PERMANENT or "diagnosis" not in differs


def test_roles_and_trees() -> None:
    (table,) = hospital_months(300, months=1)
    assert table.of(Role.QUASI_IDENTIFIER) == ("born", "sex", "zip", "occupation")
    assert (table.of(Role.IDENTIFIER), table.of(Role.SENSITIVE)) == (("patient_id", "name"), ("diagnosis",))
    for column, nested in table.taxonomies.items():
        assert set(table.values(column)) <= set(Tree.from_nested(nested, column=column).leaves)


def test_the_months_without_changes_are_published_m_invariant() -> None:
    model, qid = MInvariance(m=3, group="group"), ("born", "sex")
    named = {"qid": qid, "sensitive": "diagnosis", "person": "patient_id"}
    series = None
    for table in hospital_months(200, seed=5, months=4, changes=0):
        batch = sfumato.from_dataset(table.select([*qid, "diagnosis", "patient_id"]))
        task = SeriesTask(batch, series, [model], **({} if series else named))  # type: ignore[arg-type]
        series = task.after(MInvarianceAnonymize().publish(task).copy)
        assert model.judge(series).satisfied


@pytest.mark.parametrize(
    "wrong", [{"n": 0}, {"months": 0}, {"joins": -0.1}, {"leaves": 1.0}, {"changes": float("nan")}]
)
def test_what_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadRequest, match=next(iter(wrong))):
        hospital_months(**wrong)  # type: ignore[arg-type]
