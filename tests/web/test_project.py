"""Projects: what a folder holds, which files are taken, and names that somebody chose with care."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.data.messages import languages, speaking
from sfumato.data.schema import ColumnType, Role
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.web.advisor import AUDIENCES, begun, fitting, suggestion
from sfumato.web.doors import file_name
from sfumato.web.figures import alone, level_effect, weakest
from sfumato.web.pages.data import patterned
from sfumato.web.pages.hierarchies import tree_of_column
from sfumato.web.project import Project


def test_a_project_is_remembered_and_closed(project: Project) -> None:
    project.set_role(["zip", "bmi"], Role.DROP)
    again = Project(project.folder)
    assert again.place == project.place
    assert again.roles()["bmi"] is Role.DROP
    assert again.source == project.source
    assert (project.folder.stat().st_mode & 0o777) == 0o700
    assert "!policy.yaml" in (project.folder / ".gitignore").read_text()
    assert not [name for name in ("Berlin", "1965") if name in (project.folder / "project.json").read_text()]


def test_a_wrong_policy_is_refused_and_the_old_one_stays(project: Project) -> None:
    before = project.text
    for wrong in ("columns: [", "version: 1", before.replace("k-anonymity", "k-anonimity")):
        with pytest.raises(BadRequest) as error:
            project.write(wrong)
        assert ".policy.yaml" not in str(error.value)
    assert project.text == before
    assert not (project.folder / ".policy.yaml").exists()


def test_changes_are_taken_back_one_by_one(project: Project) -> None:
    before = project.text
    assert not project.history.before
    project.set_role(["bmi"], Role.DROP)
    project.set_role(["zip"], Role.DROP)
    project.undo()
    assert project.roles()["bmi"] is Role.DROP
    assert project.roles()["zip"] is Role.QUASI_IDENTIFIER
    project.undo()
    project.undo()
    assert project.text == before
    project.redo()
    assert project.roles()["bmi"] is Role.DROP
    project.redo()
    project.redo()
    assert project.roles()["zip"] is Role.DROP
    project.undo()
    project.set_role(["sex"], Role.DROP)
    assert not project.history.after  # another change has no later one


def test_a_column_without_levels_gets_some(project: Project) -> None:
    project.set_role(["bmi"], Role.QUASI_IDENTIFIER)
    assert project.policy.hierarchy("bmi") is not None
    project.set_role(["bmi"], Role.PLAIN)
    assert project.policy.columns["bmi"].hierarchy is None


def test_hostile_columns_and_files(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    names = [":onclick", "<img src=x onerror=alert(1)>", "__proto__", "c0", "{{7*7}}"]
    rows = "".join(f"{n % 3},{n % 4},{n % 2},{n % 5},{n % 3}\n" for n in range(60))
    quoted = ",".join(f'"{name}"' for name in names)
    (project.folder / "t.csv").write_text(f"{quoted}\n{rows}")
    project.take("t.csv")
    assert list(project.roles()) == names
    project.set_role(names, Role.QUASI_IDENTIFIER)
    assert project.policy.of_role(Role.QUASI_IDENTIFIER) == tuple(names)


@pytest.mark.parametrize("given", ["", "..", "../../etc/passwd/..", "policy.yaml", "x" * 200, "runs", "/"])
def test_names_that_no_table_has(given: str) -> None:
    with pytest.raises(BadRequest):
        file_name(given)


def test_only_the_last_part_of_a_name_counts() -> None:
    assert file_name("../../etc/passwd") == "passwd"
    assert file_name("C:\\data\\people.csv") == "people.csv"
    assert file_name("a b;rm -rf.csv") == "a b_rm -rf.csv"
    assert file_name(".hidden.csv") == "hidden.csv"


def test_how_a_file_is_written_can_be_said(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    rows = "".join(f"{20 + n % 9}|{'mw'[n % 2]}|{n % 3}\n" for n in range(40))
    (project.folder / "t.csv").write_text(f"made by somebody\nage|sex|score\n{rows}")
    project.take("t.csv", {"separator": "|", "skip_first": 1})
    assert list(project.roles()) == ["age", "sex", "score"]
    assert Project(project.folder).found.table.rows == 40
    assert project.policy.source.separator == "|"  # whoever runs the script reads it so
    with pytest.raises(BadRequest):
        project.take("t.csv", {"skip_first": -1})


def test_decimal_signs_and_first_lines_are_corrected(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    (project.folder / "t.csv").write_text("age;paid\n" + "".join(f"{20 + n % 9};1.{100 + n}\n" for n in range(40)))
    project.take("t.csv")
    assert project.found.table.types["paid"] == "number"
    project.decimal(",")  # the points are marks of thousands
    assert set(project.found.table.dictionary("paid").values) == {1100 + n for n in range(40)}
    project.set_role(["paid"], Role.PLAIN)  # it looked like a number of a person
    assert project.policy.columns["paid"].format == "1.234,5"  # whoever runs the script reads it so
    project.decimal(".")
    assert set(project.found.table.dictionary("paid").values) == {(1100 + n) / 1000 for n in range(40)}

    (project.folder / "cents.csv").write_text("age;paid\n" + "".join(f"{20 + n % 9};{n},50\n" for n in range(40)))
    project.take("cents.csv")
    project.decimal(".")
    assert project.found.table.types["paid"] == "text"  # no number has that sign
    project.decimal(",")
    assert project.found.table.types["paid"] == "number"
    assert project.place.reading == {"formats": {"paid": "1234,5"}}

    (project.folder / "bare.csv").write_text("".join(f"{20 + n % 9},{'mw'[n % 2]},{n % 3}\n" for n in range(40)))
    project.take("bare.csv")
    assert (project.found.table.rows, project.found.table.columns[0]) == (40, "column_1")  # no value became a name
    assert project.policy.source.header is False
    project.take("bare.csv", {"header": True})
    assert (project.found.table.rows, project.found.table.columns[0]) == (39, "20")


def test_a_workbook_shows_its_first_sheet_until_another_is_named(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    project = Project(tmp_path / "p")
    book = xlsxwriter.Workbook(project.folder / "t.xlsx")
    for name in ("people", "wards"):
        sheet = book.add_worksheet(name)
        for row in range(30):
            sheet.write_row(row, 0, ["age", name] if not row else [20 + row % 9, "mw"[row % 2]])
    book.close()
    project.take("t.xlsx")
    assert (project.sheets, project.place.reading) == (["people", "wards"], {"sheet": "people"})
    project.take("t.xlsx", {"sheet": "wards", "header": False})
    assert (project.found.table.rows, list(project.roles())) == (30, ["column_1", "column_2"])


def test_numbers_of_a_policy_can_be_sent_to_a_page(project: Project) -> None:
    project.edit(lambda document: project.columns(document)["bmi"].update(importance=0.5))
    assert type(project.columns(project.document)["bmi"]["importance"]) is float


def test_of_many_sets_of_columns_those_are_counted_that_single_people_out(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    names = [*(f"age_{at}" for at in range(12)), "zip"]  # the last one tells most
    rows = (",".join([*(str(n % (2 + at % 2)) for at in range(12)), str(n)]) for n in range(60))
    (project.folder / "t.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
    project.take("t.csv")
    project.set_role(names, Role.QUASI_IDENTIFIER)
    found = alone(project, 3)
    assert "zip" in found[0].columns
    assert found[0].people == 60


def test_what_is_no_project_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadRequest):
        Project(tmp_path / "file")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "project.json").write_text("[1]")
    with pytest.raises(BadRequest):
        Project(tmp_path / "p")


def test_suggestions_have_a_source_and_build(project: Project) -> None:
    for audience in AUDIENCES:
        given = suggestion(audience)
        assert given.reason.keys() == set(languages())
        with speaking("de"):
            assert given.why == given.reason["de"]
        assert given.source
        assert fitting("diagnosis", given, 33)[1]["l"] == given.l
        assert len(fitting(None, given, 0)) == 1
    assert begun("t-closeness", "diagnosis")["sensitive"] == "diagnosis"


def test_patterns() -> None:
    assert patterned("Tilda Orvang") == "Xxxxx Xxxxxx"
    assert patterned("107407-B") == "999999-X"


def test_real_rows_need_a_reason_that_is_written_down(project: Project) -> None:
    with pytest.raises(BadRequest):
        project.unlock(" ")
    assert not project.unlocked
    project.unlock("a wrong date format")
    assert 14 * 60 < project.unlocked <= 15 * 60
    log = project.folder / "unlocked.log"
    assert "a wrong date format" in log.read_text()
    assert (log.stat().st_mode & 0o777) == 0o600
    project.lock()
    assert not project.unlocked
    assert not Project(project.folder).unlocked  # nobody is shown after a restart


def test_the_weakest_groups_are_described_without_the_secret() -> None:
    rows = [("a", "flu")] * 3 + [("a", "cold")] + [("b", "flu"), ("b", "cold")] + [("c", "rare")]
    found = weakest(from_rows(["job", "sick"], rows), ["job"], "sick")
    assert [(one.published, one.people, one.sharing) for one in found] == [(("a",), 4, 3), (("b",), 2, 1)]
    assert "flu" not in repr(found)


def test_a_type_is_corrected_and_stands_in_the_policy(project: Project) -> None:
    assert project.found.table.types["bmi"] is ColumnType.NUMBER
    project.retype("bmi", ColumnType.TEXT)
    assert project.found.table.types["bmi"] is project.policy.columns["bmi"].type is ColumnType.TEXT
    before = project.text
    with pytest.raises(BadRequest) as error:
        project.retype("diagnosis", ColumnType.DATE)
    assert "diagnosis" in str(error.value)
    assert project.text == before
    again = Project(project.folder)
    assert again.found.table.types["bmi"] is ColumnType.TEXT
    again.retype("birth_date", ColumnType.TEXT)
    assert [again.policy.columns[name].type for name in ("bmi", "birth_date")] == [ColumnType.TEXT] * 2


def test_a_table_of_a_database(project: Project, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "house.duckdb")) as house:
        house.execute("create table people as select * from read_csv(?)", [str(project.folder / "people.csv")])
        house.execute("create table empty (x integer)")
    rows = project.found.table.rows
    project.connect(str(tmp_path / "house.duckdb"), "people")
    assert project.found.table.rows == rows
    assert (project.policy.source.table, project.place.name) == ("people", "people")
    assert Project(project.folder).found.table.rows == rows
    before = project.text
    for address, table in (
        (str(tmp_path / "house.duckdb"), ""),
        (str(tmp_path / "house.duckdb"), "patients"),
        (str(tmp_path / "none.duckdb"), "people"),
        ("postgresql://me:secret@127.0.0.1/house", "people"),
        ("mysql://127.0.0.1/house", "people"),
    ):
        with pytest.raises(BadRequest) as error:
            project.connect(address, table)
        assert "secret" not in str(error.value)
    assert project.text == before


def test_the_effect_of_a_level_is_counted(project: Project) -> None:
    tree = tree_of_column(project, "birth_date")
    assert not isinstance(tree, str)
    found = level_effect(project, "birth_date", tree)
    assert found.run is None  # no run yet: all other columns count as hidden
    rows = project.found.table.rows
    assert found.broken[0] > rows / 2
    assert found.broken[-1] == 0
    assert list(found.broken) == sorted(found.broken, reverse=True)
