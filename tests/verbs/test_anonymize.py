"""The thread in Python: frames in and out, interruption, determinism, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import sfumato
from sfumato.data.schema import Role
from sfumato.datasets import education_work, hospital, sample, sample_policy


def frame(n: int = 300) -> pl.DataFrame:
    return hospital(n, seed=11).to_polars()


def policy(**more: Any) -> dict[str, Any]:
    base = sample_policy()
    return {**base, **more}


def test_the_frame_type_that_came_in_goes_out() -> None:
    data = frame()
    out = sfumato.anonymize(data, policy()).public
    assert isinstance(out, pl.DataFrame)
    pandas = pytest.importorskip("pandas")
    assert isinstance(sfumato.anonymize(data.to_pandas(), policy()).public, pandas.DataFrame)
    arrow = pytest.importorskip("pyarrow")
    assert isinstance(sfumato.anonymize(data.to_arrow(), policy()).public, arrow.Table)


def test_identifiers_are_gone_and_unmasked_columns_keep_type_and_values() -> None:
    data = frame()
    out = sfumato.anonymize(data, policy()).public
    assert "name" not in out.columns
    assert "patient_id" not in out.columns
    for name in ("insurance", "bmi", "diagnosis", "readmitted"):
        assert out[name].dtype == data[name].dtype
        assert sorted(out[name].to_list()) == sorted(data[name].to_list())


def test_input_is_not_touched_and_row_order_tells_nothing() -> None:
    data = frame()
    before = data.clone()
    first = sfumato.anonymize(data, policy()).public
    assert data.equals(before)
    shuffled = data.sample(fraction=1.0, shuffle=True, seed=3)
    assert sfumato.anonymize(shuffled, policy()).public.equals(first)


def test_row_order_can_be_kept_and_the_certificate_says_so() -> None:
    data = frame()
    kept = sfumato.anonymize(data, policy(output={"row_order": "keep"}))
    assert kept.public["bmi"].to_list() == data["bmi"].to_list()
    assert "on request" in kept.certificate["release"]["row_order"]


def test_global_random_state_is_untouched() -> None:
    state = json.dumps(np.random.get_state()[1].tolist())  # type: ignore[union-attr]  # noqa: NPY002
    sfumato.anonymize(frame(), policy())
    assert json.dumps(np.random.get_state()[1].tolist()) == state  # type: ignore[union-attr]  # noqa: NPY002


def interrupt_after(steps: int) -> Any:
    import os
    import signal

    def on_step(state: Any) -> None:
        if state.steps == steps:
            os.kill(os.getpid(), signal.SIGINT)

    return on_step


def test_interruption_goes_on_unless_accepted() -> None:
    with pytest.raises(KeyboardInterrupt):
        sfumato.anonymize(frame(), policy(), on_step=interrupt_after(1))
    release = sfumato.anonymize(frame(), policy(), on_step=interrupt_after(1), accept_interrupted=lambda outcome: True)
    assert release.verdict.satisfied
    assert release.private.stopped == "interrupted"
    assert len(release.private.trace) == 1


def test_limits_stop_early_with_a_valid_state() -> None:
    for limit in range(4):
        release = sfumato.anonymize(frame(), policy(algorithm={"id": "tdr", "max_refinements": limit}))
        assert release.verdict.satisfied
        assert len(release.private.trace) == min(limit, len(release.private.trace))


def test_no_target_uses_the_general_score() -> None:
    data = frame().drop("readmitted")
    asked = policy(algorithm={"id": "tdr"})
    asked["columns"] = {name: entry for name, entry in asked["columns"].items() if name != "readmitted"}
    assert sfumato.anonymize(data, asked).private.trace
    asked["algorithm"] = {"id": "tdr", "score": "igpl"}
    with pytest.raises(sfumato.BadRequest, match="needs a column with the role target"):
        sfumato.anonymize(data, asked)


def test_one_class_only_masks_everything_and_warns() -> None:
    data = frame().with_columns(readmitted=pl.lit("no"))
    release = sfumato.anonymize(data, policy())
    assert any("one class only" in warning for warning in release.warnings)
    assert all(len(recoding.published()) == 1 for recoding in release.recodings.values())


def test_missing_values_follow_the_declared_rule() -> None:
    data = frame().with_columns(
        occupation=pl.when(pl.int_range(pl.len()) % 10 == 0).then(None).otherwise(pl.col("occupation"))
    )
    with pytest.raises(sfumato.BadRequest, match=r"'occupation'.*30 missing values") as refusal:
        sfumato.anonymize(data, policy())
    assert refusal.value.available == ["drop-record", "own-value"]
    dropped = policy()
    dropped["columns"]["occupation"]["missing"] = "drop-record"
    release = sfumato.anonymize(data, dropped)
    assert release.counts["records_published"] == 270
    assert release.counts["records_dropped_for_missing_values"] == 30
    own = policy()
    own["columns"]["occupation"]["missing"] = "own-value"
    assert sfumato.anonymize(data, own).counts["records_published"] == 300


def test_missing_number_cannot_be_a_value_of_its_own() -> None:
    data = frame().with_columns(bmi=pl.when(pl.int_range(pl.len()) == 0).then(None).otherwise(pl.col("bmi")))
    asked = policy()
    asked["columns"]["bmi"] = {"role": "quasi-identifier", "missing": "own-value"}
    asked["requirements"] = [{"id": "k-anonymity", "k": 3}]
    with pytest.raises(sfumato.BadRequest, match="own"):
        sfumato.anonymize(data, asked)


def test_a_suppressed_column_must_not_hold_the_symbol() -> None:
    data = frame().with_columns(insurance=pl.lit("*"))
    asked = policy()
    asked["columns"]["insurance"] = {"role": "quasi-identifier"}
    asked["requirements"] = [{"id": "k-anonymity", "k": 3}]
    with pytest.raises(sfumato.BadRequest, match="suppressed"):
        sfumato.anonymize(data, asked)


def test_role_conflicts_are_refused() -> None:
    asked = policy()
    asked["columns"]["diagnosis"] = {"role": "target"}
    with pytest.raises(sfumato.BadRequest, match="only one column can be the target"):
        sfumato.anonymize(frame(), asked)
    nothing = {
        "columns": {name: {"role": "plain"} for name in frame().columns},
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }
    with pytest.raises(sfumato.BadRequest, match="nothing to protect"):
        sfumato.anonymize(frame(), nothing)


def test_declared_range_must_hold_all_values() -> None:
    data = education_work()
    asked = sfumato.Policy.for_dataset(data, requirements=[{"id": "k-anonymity", "k": 4}]).document()
    asked["columns"]["Work_Hrs"]["range"] = [40, 99]
    with pytest.raises(sfumato.BadRequest, match="outside the declared range"):
        sfumato.anonymize(sfumato.from_dataset(data), asked)


def test_certificate_holds_no_raw_value_no_seed_no_path(tmp_path: Path) -> None:
    source = sample().write_csv(tmp_path / "secret-folder.csv")
    release = sfumato.anonymize(str(source), policy(seed=987654321))
    sfumato.publish(release, tmp_path / "out", input_path=str(source))
    public = "".join(path.read_text() for path in (tmp_path / "out" / "public").iterdir() if path.suffix == ".json")
    names = set(sample().values("name"))
    assert "secret-folder" not in public
    assert "987654321" not in public
    assert not [name for name in names if name in public]
    assert f'"{Role.IDENTIFIER}"' not in public


def test_every_metric_of_the_policy_is_in_the_certificate() -> None:
    wanted = ["kl-divergence", "classification-metric", "precision", "ambiguity", "non-uniform-entropy", "loss"]
    release = sfumato.anonymize(frame(), policy(metrics=wanted))
    assert [entry["metric"] for entry in release.certificate["metrics"]] == wanted
