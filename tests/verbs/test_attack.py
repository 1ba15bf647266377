"""The verb ``attack`` on releases of every masking: columns, boxes, cells, and folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.errors import BadRequest

JOB = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
JOBS = ["Engineer", "Lawyer", "Dancer", "Writer"]


def people(rows: int = 60) -> Any:
    rng = np.random.default_rng(5)
    return sfumato.from_rows(
        ["Name", "Job", "Age", "Zip", "Disease"],
        [
            (
                f"p{number}",
                rng.choice(JOBS).item(),
                int(rng.integers(20, 60)),
                f"0{rng.integers(1000, 1006)}",
                rng.choice(["Flu", "Ulcer", "Cancer"]).item(),
            )
            for number in range(rows)
        ],
    )


def policy(algorithm: str, **more: Any) -> dict[str, Any]:
    age: dict[str, Any] = {"role": "quasi-identifier"}
    if algorithm == "optimal":
        age["hierarchy"] = {"id": "intervals", "lower": 20, "width": 10, "upper": 60}
    return {
        "columns": {
            "Name": {"role": "identifier"},
            "Job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": JOB}},
            "Age": age,
            "Zip": {"role": "quasi-identifier"},
            "Disease": {"role": "sensitive"},
        },
        "requirements": [{"id": "k-anonymity", "k": 4}],
        "algorithm": {"id": algorithm},
        **more,
    }


@pytest.mark.parametrize("algorithm", ["tdr", "mondrian", "optimal"])
def test_everybody_is_found_among_at_least_k(algorithm: str) -> None:
    table = people()
    release = sfumato.anonymize(table, policy(algorithm))
    found = sfumato.attack(release, external=table, name="Name")
    assert found.details["persons"] == found.details["linked"] == 60
    assert found.details["least_matching_rows"] >= 4
    assert found.details["record_disclosures"] == 0
    raw = sfumato.attack(table, external=table, name="Name", qid=["Job", "Age", "Zip"], sensitive="Disease")
    assert raw.details["record_disclosures"] > 40
    assert raw.mean > found.mean


def test_a_folder_and_files(tmp_path: Path) -> None:
    table = people()
    table.write(tmp_path / "people.csv")
    release = sfumato.anonymize(table, policy("mondrian"))
    sfumato.publish(release, tmp_path / "out")
    inside = sfumato.attack(release, external=table, name="Name")
    # Codes with leading zeros in a file must not turn into numbers.
    outside = sfumato.attack(tmp_path / "out", external=tmp_path / "people.csv", name="Name")
    assert outside.details == inside.details
    assert np.array_equal(outside.per_victim, inside.per_victim)


def test_a_table_recoded_by_hand() -> None:
    table = people()
    made = sfumato.recode(table, {"Job": {"id": "full-domain-generalization", "level": 1}}, {"Job": JOB})
    found = sfumato.attack(made, external=table, name="Name", qid=["Job"], sensitive="Disease")
    jobs = [row[0] for row in table.select(["Job"]).to_rows()]
    kinds = ["Professional" if job in ("Engineer", "Lawyer") else "Artist" for job in jobs]
    assert found.per_victim == pytest.approx([1 / kinds.count(kind) for kind in kinds])


def test_an_anatomy_pair_hides_no_record_and_shares_its_values_by_group() -> None:
    table = people()
    asked = policy("anatomize") | {"requirements": [{"id": "l-diversity-distinct", "l": 2, "sensitive": "Disease"}]}
    release = sfumato.anonymize(table, asked)
    linked = sfumato.attack(release, external=table, name="Name")
    exact = table.groups(["Job", "Age", "Zip"]).as_dict()
    found = [1 / exact[key] for key in table.select(["Job", "Age", "Zip"]).to_rows()]
    assert linked.per_victim == pytest.approx(found)
    guessed = sfumato.attack(release, "attack-attribute-linkage")
    assert guessed.highest <= 1 / 2
    assert guessed.victims == table.rows


def test_two_sensitive_columns_must_be_told_apart() -> None:
    asked = policy("mondrian")
    asked["columns"]["Zip"] = {"role": "sensitive"}
    release = sfumato.anonymize(people(), asked)
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(release, external=people(), name="Name")
    assert (caught.value.parameter, caught.value.available) == ("sensitive", ["Zip", "Disease"])


def test_labels_that_nobody_reads_are_said_and_a_policy_reads_them(tmp_path: Path) -> None:
    rows = [(f"0{10 + i % 3}{i % 2}5", "xyz"[i % 3]) for i in range(60)] + [("09999", "x"), ("09998", "y")]
    columns = {
        "zip": {"role": "quasi-identifier", "hierarchy": {"id": "redaction", "length": 5}},
        "illness": {"role": "sensitive"},
    }
    policy = {
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "k": 5}],
        "algorithm": {"id": "optimal"},
    }
    made = sfumato.anonymize(sfumato.from_rows(["zip", "illness"], rows), policy)
    folder = sfumato.publish(made, tmp_path / "out")
    (tmp_path / "people.csv").write_text("name,zip\n" + "".join(f"p{i},{code}\n" for i, (code, _) in enumerate(rows)))
    (tmp_path / "numbers.csv").write_text(
        "name,zip\n" + "".join(f"p{i},{int(code)}\n" for i, (code, _) in enumerate(rows))
    )

    def linked(where: Path, persons: str = "people.csv", **options: Any) -> tuple[int, int]:
        found = sfumato.attack(where, external=str(tmp_path / persons), name="name", **options)
        return found.details["linked"], len(found.warnings)

    assert linked(folder) == (62, 0)
    assert linked(folder / "public") == (0, 1)
    assert linked(folder / "public", policy=policy) == (62, 0)
    assert linked(folder, "numbers.csv") == (0, 1)


def test_a_changed_release_is_not_attacked(tmp_path: Path) -> None:
    made = sfumato.anonymize(sfumato.from_rows(["age"], [(20,), (20,), (30,), (30,)]), policy_of_age())
    folder = sfumato.publish(made, tmp_path / "out")
    data = folder / "public" / "data.csv"
    data.write_bytes(data.read_bytes() + b"40\n")
    with pytest.raises(BadRequest, match="was changed after it was certified"):
        sfumato.attack(folder, "uniqueness")


def policy_of_age() -> dict[str, Any]:
    return {"columns": {"age": {"role": "quasi-identifier"}}, "requirements": [{"id": "k-anonymity", "k": 2}]}


@pytest.mark.parametrize("wrong", [1, 2.0, True, [1]])
def test_what_names_no_column_is_refused(wrong: object) -> None:
    table = sfumato.from_rows(["Age", "Disease"], [("20", "Flu"), ("30", "Ulcer")])
    with pytest.raises(BadRequest, match="must name columns"):
        sfumato.attack(table, "attack-attribute-linkage", qid=["Age"], sensitive=wrong)  # type: ignore[arg-type]
