"""Requirements and attacks of another shape than a table are refused in words where a table is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import sfumato_in


@pytest.mark.parametrize("asked", ["km-anonymity k=3 m=2", "m-invariance m=2", "bcf-anonymity k=2", "k-safety k=1"])
def test_checking_a_table_for_what_only_another_shape_can_show(tmp_path: Path, asked: str) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n1,2\n")
    done = sfumato_in(tmp_path, "check", "t.csv", "-r", asked)
    assert done.returncode == 2
    assert "of the shape" in done.stderr


def test_releases_of_baskets(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("who,item\n" + "".join(f"{at},a\n{at},b\n" for at in range(6)))
    (tmp_path / "p.yaml").write_text(
        "shape: transactions\nperson: who\nitems: {column: item}\nrequirements: [{id: km-anonymity, k: 2, m: 2}]\n"
    )
    assert sfumato_in(tmp_path, "anonymize", "b.csv", "-p", "p.yaml", "-o", "out").returncode == 0
    attacked = sfumato_in(tmp_path, "attack", "out")
    assert attacked.returncode == 2
    assert "absence-attack" in attacked.stderr
    measured = sfumato_in(tmp_path, "measure", "b.csv", "out")
    assert measured.returncode == 0
    assert "as certified when the release was made" in measured.stdout
    assert "nobody can see" in sfumato_in(tmp_path, "verify", "out").stdout
