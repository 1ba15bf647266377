"""Taxonomies: inline trees, level tables, files; leaves in the type of the column."""

from __future__ import annotations

import csv
import gzip
import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.hierarchies.taxonomy import Taxonomy
from sfumato.testing.strategies import trees

JOB = {"*": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
JOB_ROWS = (
    ("Engineer", "Professional", "*"),
    ("Lawyer", "Professional", "*"),
    ("Dancer", "Artist", "*"),
    ("Writer", "Artist", "*"),
)


def leaves_below(nested: dict[str, Any]) -> dict[str, set[str]]:
    """Return the leaves under each label, by walking the nested form."""
    children = nested.get("children", [])
    if not children:
        return {nested["value"]: {nested["value"]}}
    out: dict[str, set[str]] = {nested["value"]: set()}
    for child in children:
        out |= leaves_below(child)
        out[nested["value"]] |= out[child["value"]]
    return out


@given(trees(max_leaves=8, max_depth=4))
def test_laws_on_random_trees(obey, nested):
    nested["value"] = "*"
    below = leaves_below(nested)
    leaves = sorted(below["*"])
    tree = obey(Taxonomy(tree=nested), leaves, lambda value, label: value in below[label])
    assert {
        label: set(tree.leaves[tree.leaf_first[i] : tree.leaf_last[i]]) for i, label in enumerate(tree.labels)
    } == below


@given(trees(max_leaves=8, max_depth=4), st.data())
def test_the_whole_taxonomy_is_kept_for_any_part_of_its_values(nested, data):
    taxonomy = Taxonomy(tree=nested)
    everything = Tree.from_nested(nested)
    part = data.draw(st.lists(st.sampled_from(everything.leaves), unique=True))
    assert taxonomy.build(part) == everything


def test_tree_and_levels_say_the_same():
    assert Taxonomy(tree=JOB).build([]) == Taxonomy(levels=JOB_ROWS).build([])


def test_unknown_values_are_refused_all_at_once_with_the_nearest():
    with pytest.raises(BadRequest) as caught:
        Taxonomy(tree=JOB).build(["Lawyers", "Dancer", "Righter", "xyz"], column="job")
    error = caught.value
    assert error.column == "job"
    assert error.value == ["Lawyers", "Righter", "xyz"]
    assert "got Lawyers (nearest: Lawyer), Righter (nearest: Writer); 1 not shown" in str(error)
    assert error.available == ["Engineer", "Lawyer", "Dancer", "Writer"]
    assert "3 values have no leaf" in str(error)


def test_path_of_an_unknown_value_is_a_key_error():
    with pytest.raises(KeyError):
        Taxonomy(tree=JOB).path("Baker")


@pytest.mark.parametrize(
    ("labels", "values", "leaves"),
    [
        (["17", "018", "x"], [17], (17, "018", "x")),
        (["17", "18.5", "nan"], [18.5], (17.0, 18.5, "nan")),
        (["true", "False", "x"], [False, True], (True, False, "x")),
        (["2024-03-05", "20240306"], [date(2024, 3, 5)], (date(2024, 3, 5), "20240306")),
        (["2024-03-05 12:30:00"], [datetime(2024, 3, 5, 12, 30)], (datetime(2024, 3, 5, 12, 30),)),
        (["17", "018"], ["17"], ("17", "018")),
        (["17", "018"], [], ("17", "018")),
        (["17", "18"], [17, 18.0], (17.0, 18.0)),
        (["17", "?"], ["17", "?"], ("17", "?")),
    ],
)
def test_leaves_take_the_type_of_the_column(labels, values, leaves):
    taxonomy = Taxonomy(tree={"*": labels})
    tree = taxonomy.build(values)
    assert tree.leaves == leaves
    assert [type(leaf) for leaf in tree.leaves] == [type(leaf) for leaf in leaves]
    assert [tree.leaves[i] for i in tree.encode(values)] == values
    assert all(taxonomy.path(value)[-1] == "*" for value in values)


def test_two_leaves_for_one_number_are_refused():
    taxonomy = Taxonomy(tree={"*": ["1", "1.0", "2"]})
    assert taxonomy.build(["1"]).leaves == ("1", "1.0", "2")
    with pytest.raises(BadRequest, match="name one value") as caught:
        taxonomy.build([1.0, 2.0], column="c")
    assert caught.value.value == ["1", "1.0"]


@pytest.mark.parametrize(
    "given_parameters",
    [{}, {"tree": JOB, "levels": JOB_ROWS}, {"tree": JOB, "file": "job.csv"}, {"levels": JOB_ROWS, "file": "job.csv"}],
)
def test_exactly_one_source(given_parameters):
    with pytest.raises(BadRequest, match="exactly one"):
        Taxonomy(**given_parameters)


@pytest.mark.parametrize(
    ("parameters", "rule"),
    [
        ({"tree": {"a": ["x"], "b": ["y"]}}, "one root"),
        ({"tree": {}}, "one root"),
        ({"tree": {"*": []}}, "no leaf below its root"),
        ({"tree": {"value": "*"}}, "no leaf below its root"),
        ({"tree": {"*": ["x", "x"]}}, "label for two different nodes"),
        ({"tree": {"*": [{"a": ["x"]}, {"b": ["x"]}]}}, "label for two different nodes"),
        ({"tree": {"*": [{"a": ["x", "y"]}, "a"]}}, "label for two different nodes"),
        ({"tree": {"*": [["x"]]}}, "label or a mapping"),
        ({"tree": {"*": [None]}}, "label or a mapping"),
        ({"tree": ["x"]}, "mapping of labels"),
        ({"levels": ()}, "no leaf"),
        ({"levels": ((), ())}, "without a cell"),
        ({"levels": (("a", "*"), ("b", "g", "*"))}, "different length"),
        ({"levels": (("a", "g", "x", "*"), ("b", "g", "y", "*"))}, "label for two different nodes"),
        ({"levels": (("a", "g", "*"), ("b", "a", "*"))}, "label for two different nodes"),
        ({"levels": (("*", "*"), ("b", "*"))}, "called like its root"),
    ],
)
def test_what_is_no_tree_is_refused_when_the_taxonomy_is_made(parameters, rule):
    with pytest.raises(BadRequest, match=rule):
        Taxonomy(**parameters)


# ---- files ----------------------------------------------------------------------------------------------------------

YAML = """
"*":
  Professional: [Engineer, Lawyer]
  Artist:
    - Dancer
    - Writer
"""
FILES = {
    "short.json": json.dumps(JOB),
    "nested.json": json.dumps(Taxonomy(tree=JOB).build([]).to_nested()),
    "rows.json": json.dumps(JOB_ROWS),
    "short.yaml": YAML,
    "short.yml": YAML,
    "semicolon.csv": "\n".join(";".join(row) for row in JOB_ROWS) + "\n",
    "comma.csv": "\r\n".join(",".join(row) for row in JOB_ROWS),
    "semicolon.txt": "\ufeff" + "\n\n".join(";".join(row) for row in JOB_ROWS),
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_every_kind_hold_the_same_tree(tmp_path, name):
    (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    taxonomy = Taxonomy(file=name).resolved(tmp_path)
    assert taxonomy.build([]) == Taxonomy(tree=JOB).build([])
    assert taxonomy.file is None
    assert taxonomy.resolved(Path("elsewhere")) is taxonomy
    saved = json.loads(json.dumps(taxonomy.spec()))
    assert Taxonomy.from_spec(saved).build([]) == Taxonomy(tree=JOB).build([])


def test_a_file_without_a_base_is_read_from_here(tmp_path, monkeypatch):
    (tmp_path / "job.json").write_text(json.dumps(JOB))
    monkeypatch.chdir(tmp_path)
    assert Taxonomy(file="job.json").path("Dancer") == ("Dancer", "Artist", "*")
    assert Taxonomy(file=str(tmp_path / "job.json")).resolved(Path("elsewhere")).path("Dancer")[1] == "Artist"


def test_separator_is_found_where_the_other_one_occurs_in_labels(tmp_path):
    (tmp_path / "a.csv").write_text("17;[15, 20);*\n21;[20, 25);*\n")
    (tmp_path / "b.csv").write_text('17,"[15; 20)",*\n21,"[20, 25)",*\n')
    (tmp_path / "c.csv").write_text("White\nBlack\n")
    assert Taxonomy(file="a.csv").resolved(tmp_path).path(21) == ("21", "[20, 25)", "*")
    assert Taxonomy(file="b.csv").resolved(tmp_path).path(17) == ("17", "[15; 20)", "*")
    assert Taxonomy(file="c.csv").resolved(tmp_path).path("Black") == ("Black", "*")


def test_yaml_labels_stay_as_written(tmp_path):
    (tmp_path / "t.yaml").write_text(
        "'*':\n  codes: [01305, no, 12:30, 1.0, 1_000]\n  Asia:\n  Mars: null\n  Europe: France\n"
    )
    tree = Taxonomy(file="t.yaml").resolved(tmp_path).build([])
    assert tree.leaves == ("01305", "no", "12:30", "1.0", "1_000", "Asia", "Mars", "France")


LAUGHS = "'*':\n  - &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"  - &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
)


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        ("ragged.csv", b"a;g;*\nb;*\n", "different length"),
        ("empty.csv", b"", "no leaf"),
        ("twice.csv", b"a;g;x;*\nb;g;y;*\n", "label for two different nodes"),
        ("latin.csv", "Zürich;*\n".encode("latin-1"), "not UTF-8"),
        ("broken.json", b"{", "not JSON"),
        ("number.json", b"3", "nested tree or a level table"),
        ("bare.json", b'{"*": []}', "no leaf below its root"),
        ("repeat.json", b'{"*": {"g": ["a"], "g": ["b"]}}', "label for two different nodes"),
        ("broken.yaml", b"a: [", "not YAML"),
        ("repeat.yaml", b"'*':\n  g: [a]\n  g: [b]\n", "not YAML"),
        ("empty.yaml", b"", "nested tree or a level table"),
        ("table.xlsx", b"", "not a kind of hierarchy file"),
        ("deep.json", b'{"a": [' * 20_000 + b"]}" * 20_000, "nested too deeply"),
        ("deep.yaml", b"[" * 20_000 + b"]" * 20_000, "nested too deeply"),
        ("laughs.yaml", LAUGHS.encode(), "unfold to too much"),
        ("high.csv", ";".join(f"l{level}" for level in range(900)).encode(), "more than 60 levels"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value else "",
)
def test_bad_files_are_refused_by_name(tmp_path, name, content, rule):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadRequest, match=rule) as caught:
        Taxonomy(file=name).resolved(tmp_path)
    assert caught.value.parameter == "taxonomy.file"
    assert name in str(caught.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(BadRequest, match="cannot be read"):
        Taxonomy(file="none.csv").resolved(tmp_path)


# ---- real level tables ----------------------------------------------------------------------------------------------

ADULT_LEVELS = {
    "age": (100, 5),
    "education": (16, 4),
    "marital-status": (7, 3),
    "native-country": (41, 3),
    "occupation": (14, 3),
    "race": (5, 2),
    "salary-class": (2, 2),
    "sex": (2, 2),
    "workclass": (8, 3),
}


@pytest.mark.parametrize("column", ADULT_LEVELS)
def test_level_tables_of_adult(obey, public_data, column):
    path = public_data / "adult_arx" / f"adult_hierarchy_{column}.csv"
    if not path.exists():
        pytest.skip("level tables of Adult not on this machine; set SFUMATO_DATA to the folder of the public tables")
    rows = [tuple(line.split(";")) for line in path.read_text().splitlines()]
    leaves, levels = ADULT_LEVELS[column]
    assert (len(rows), {len(row) for row in rows}) == (leaves, {levels})
    above = {row[0]: set(row) for row in rows}
    values = [int(row[0]) if column == "age" else row[0] for row in rows]

    taxonomy = Taxonomy(file=path.name).resolved(path.parent)
    tree = obey(taxonomy, values, lambda value, label: label in above[str(value)])
    assert tree.height == levels - 1
    assert sorted(tree.to_levels()) == sorted(rows)


FOLDERS = ("adult_arx", "adult_full_arx", "adult_hierarchies_anjana", "arx_examples", "cup_int", "tabular_extra")


@pytest.mark.parametrize("folder", FOLDERS)
def test_level_tables_of_other_tools_are_all_read(public_data, tmp_path, folder):
    files = sorted({*(public_data / folder).glob("*hierarchy_*.csv*"), *(public_data / folder).glob("[a-z]*.csv")})
    tables = [path for path in files if "hierarch" in str(path.relative_to(public_data))]
    if not tables:
        pytest.skip("level tables not on this machine; set SFUMATO_DATA to the folder of the public tables")
    for path in tables:
        plain = tmp_path / path.name.removesuffix(".gz")
        plain.write_bytes(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())
        with plain.open(newline="") as file:
            rows = list(csv.reader(file, delimiter=";" if folder != "adult_hierarchies_anjana" else ","))
        last = {row[0]: row for row in rows}
        taxonomy = Taxonomy(file=plain.name).resolved(tmp_path)
        for leaf, row in last.items():
            assert set(row) <= {*taxonomy.path(leaf), "*"}, (path.name, leaf)


def test_a_table_that_is_read_otherwise_than_it_is_written_says_so_once(tmp_path, caplog):
    (tmp_path / "gifts.csv").write_text("81;low;low;all\n1;low;low;all\n50;some;low;all\n81;some;low;all\n")
    for _ in range(2):
        taxonomy = Taxonomy(file="gifts.csv").resolved(tmp_path)
    assert taxonomy.path("81") == ("81", "some", "low", "all")
    assert taxonomy.path("1") == ("1", "low", "all")
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["hierarchy gifts.csv"] * 2
    assert "the last row of a value counts" in caplog.text
    assert "the label low stands on more levels" in caplog.text
