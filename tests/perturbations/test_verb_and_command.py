"""The verb takes frames and gives them back; the commands write files, say what they keep, and refuse in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import sfumato
from command_line import sfumato_in as run

SWAP = {"id": "rank-swapping", "column": "age", "p": 50}
DATA = "name,age,town\n" + "".join(f"p{i},{20 + i % 13},{('Rome', 'Bari')[i % 2]}\n" for i in range(40))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.csv").write_text(DATA)
    (tmp_path / "key").write_bytes(bytes(range(32)))
    return tmp_path


# ---- verb ------------------------------------------------------------------------------------------------------------


def test_frames_come_back_as_they_came() -> None:
    pandas = pytest.importorskip("pandas")
    columns = {"age": [30, 41, 28, 66], "name": ["a", "b", "c", "d"]}
    for frame in (pl.DataFrame(columns), pl.LazyFrame(columns), pa.table(columns), pandas.DataFrame(columns)):
        public = sfumato.perturb(frame, SWAP, seed=1).public
        assert type(public) is type(frame)
    assert isinstance(sfumato.perturb(columns, SWAP, seed=1).public, pl.DataFrame)


def test_generator_and_seed_are_the_same_thing() -> None:
    columns = {"age": list(range(50))}
    by_seed = sfumato.perturb(columns, SWAP, seed=7).table.to_rows()
    assert sfumato.perturb(columns, SWAP, np.random.default_rng(7)).table.to_rows() == by_seed
    assert sfumato.perturb(columns, SWAP).table.to_rows() != sfumato.perturb(columns, SWAP).table.to_rows()
    with pytest.raises(sfumato.BadRequest, match="not both"):
        sfumato.perturb(columns, SWAP, np.random.default_rng(7), seed=7)
    for wrong in (-1, True, 1.5):
        with pytest.raises(sfumato.BadRequest, match="whole number"):
            sfumato.perturb(columns, SWAP, seed=wrong)  # type: ignore[arg-type]


def test_statement_and_order() -> None:
    columns = {"age": [30, 41, 28, 66, 20]}
    made = sfumato.perturb(columns, SWAP, seed=1, row_order="sort")
    assert made.table.to_rows() == [(20,), (28,), (30,), (41,), (66,)]
    told = json.loads(json.dumps(made.statement))
    assert (told["truthful"], told["records"], told["steps"][0]["facts"]) == (False, 5, {"window": 2})
    assert "seed" not in told
    assert made.keeps[0] == "every value of age as often as before, exactly"
    with pytest.raises(sfumato.BadRequest, match="is not an order"):
        sfumato.perturb(columns, SWAP, row_order="shuffle")


def test_wrong_perturbations() -> None:
    with pytest.raises(sfumato.BadRequest, match=r"rank-swaping.*did you mean 'rank-swapping'"):
        sfumato.perturb({"age": [1]}, {"id": "rank-swaping"})
    with pytest.raises(sfumato.BadRequest, match="at least one perturbation"):
        sfumato.perturb({"age": [1]}, [])
    with pytest.raises(sfumato.BadRequest, match="does not change a table"):
        sfumato.perturb({"age": [1]}, 5)


# ---- commands --------------------------------------------------------------------------------------------------------


def test_perturb(folder: Path) -> None:
    asked = ("perturb", "data.csv", "--with", "rank-swapping column=age p=20", "--seed", "7")
    done = run(folder, *asked, "-o", "one.csv", "--statement", "one.json")
    assert done.returncode == 0, done.stderr
    assert "rank-swapping keeps every value of age as often as before, exactly" in done.stdout
    assert "none of them true of a person" in done.stdout
    assert run(folder, *asked, "-o", "two.csv").returncode == 0
    assert (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()
    told = json.loads((folder / "one.json").read_text())
    assert told["steps"][0]["perturbation"] == {"id": "rank-swapping", "column": "age", "p": 20}
    table, raw = sfumato.read(str(folder / "one.csv")), sfumato.read(str(folder / "data.csv"))
    assert table.columns == raw.columns
    assert table.dictionary("age").counts.tolist() == raw.dictionary("age").counts.tolist()
    kept = run(folder, *asked, "-o", "kept.csv", "--keep-order")
    assert kept.returncode == 0
    assert [row[0] for row in sfumato.read(str(folder / "kept.csv")).to_rows()] == [f"p{i}" for i in range(40)]


def test_several_perturbations_in_turn(folder: Path) -> None:
    done = run(
        folder,
        *("perturb", "data.csv", "--seed", "1", "-o", "out.parquet"),
        *("--with", "additive-noise columns=[age] sigma=1", "--with", "post-randomization column=town keep=0.8"),
    )
    assert done.returncode == 0, done.stderr
    assert {value for _, _, value in sfumato.read(str(folder / "out.parquet")).to_rows()} == {"Rome", "Bari"}


def test_pseudonymize(folder: Path) -> None:
    done = run(folder, "pseudonymize", "data.csv", "--columns", "name,town", "--key-file", "key", "-o", "out.csv")
    assert done.returncode == 0, done.stderr
    assert "A pseudonym is not anonymity" in done.stdout
    assert "column 'name': 40 pseudonyms" in done.stdout
    table = sfumato.read(str(folder / "out.csv"))
    assert (table.distinct(["name"]), table.distinct(["town"])) == (40, 2)
    assert "Rome" not in (folder / "out.csv").read_text()
    assert [row[1] for row in table.to_rows()] == [20 + i % 13 for i in range(40)]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("perturb", "data.csv", "--with", "rank-swapping column=age p=101", "-o", "out.csv"), 2, "<= 100"),
        (("perturb", "data.csv", "--with", "rank-swapping column=agee p=1", "-o", "out.csv"), 2, "did you mean 'age'"),
        (("perturb", "data.csv", "--with", "rank-swapping column", "-o", "out.csv"), 2, "--with: must be key=value"),
        (("perturb", "data.csv", "--with", " ", "-o", "out.csv"), 2, "--with: must name a perturbation"),
        (("perturb", "data.csv", "--with", "additive-noise columns=[name] sigma=1", "-o", "out.csv"), 2, "numbers"),
        (("perturb", "data.csv", "--with", "rank-swapping column=age p=1", "-o", "key"), 5, "exists already"),
        (("pseudonymize", "data.csv", "--columns", "name", "-o", "out.csv"), 2, "key_file or key_variable"),
        (("pseudonymize", "data.csv", "--columns", "name", "--key-file", "no", "-o", "out.csv"), 2, "cannot be read"),
        (("pseudonymize", "data.csv", "--columns", "nam", "--key-file", "key", "-o", "out.csv"), 2, "'name'"),
    ],
)
def test_refusals_take_one_line(folder: Path, arguments: tuple[str, ...], code: int, words: str) -> None:
    done = run(folder, *arguments)
    assert done.returncode == code, done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    assert words in lines[0]
    assert not (folder / "out.csv").exists()
