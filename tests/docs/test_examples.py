"""Every example runs from anywhere and prints an answer to the question in its name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from nursery import ran

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))

ANSWERS = {
    "how_do_i_ask_a_service": "set SFUMATO_SERVICE",
    "how_do_i_publish_a_polars_frame": "verified again from these files: True",
    "does_my_table_already_satisfy_k": "a visitor who knows sex, department: yes",
    "how_much_does_k_cost": "loss by column",
    "how_do_i_get_from_a_messy_csv_to_a_release": "1,500 of 1,500 records published, verified again: True",
    "what_do_i_keep_for_a_classifier": "igpl  28.6%    28.8%",
    "which_algorithm_fits_my_table": "made again with mondrian: True",
    "how_do_i_write_my_own_algorithm": "certified as __main__:AllTogether and verified: True",
    "how_do_i_write_my_own_hierarchy": "published: 10.0.0.0/24, 10.0.1.0/24",
    "how_do_i_mask_the_data_of_next_month_alike": "december fails for 6 records: publish it with a release of its own",
    "how_do_i_publish_from_a_database_every_night": "exit code 5 because a release is never written over",
    "how_do_i_read_a_certificate": "after somebody changed a value: data.csv: was changed after it was certified",
    "how_do_i_write_my_own_model": "ranges are checked: smallest-share.share: must be > 0 and <= 1, got 1.5",
}


def test_every_example_is_known() -> None:
    assert {path.stem for path in SCRIPTS} == set(ANSWERS)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_example_answers_its_question(path: Path, tmp_path: Path) -> None:
    question = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("?")[0]
    assert question.lower().replace("-anonymity", "").split() == path.stem.split("_")
    done = ran(path.read_text(encoding="utf-8"), cwd=tmp_path, name=str(path))
    assert done.returncode == 0, done.stderr
    assert ANSWERS[path.stem] in done.stdout
    assert list(tmp_path.iterdir()) == []
