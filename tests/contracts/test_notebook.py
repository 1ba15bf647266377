"""What a notebook shows: short reprs, escaped pages without raw values, charts as objects, progress below the cell."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import sfumato
from sfumato.catalogue import things
from sfumato.contracts import progress
from sfumato.contracts.attack import Risk
from sfumato.data.messages import speaking
from sfumato.errors import Unsupported
from sfumato.models import KAnonymity
from sfumato.tables.policy import ColumnPolicy, Policy

EVIL = "<script>alert(1)</script>"
ROWS = [(f"secret{i % 5}", "Linz" if i % 2 else "Graz", "flu" if i % 3 else EVIL) for i in range(60)]
COLUMNS = {
    "job": {"role": "quasi-identifier"},
    "town": {"role": "quasi-identifier"},
    EVIL: {"role": "sensitive"},
}
POLICY = {"columns": COLUMNS, "requirements": [{"id": "k-anonymity", "k": 20}]}


@pytest.fixture(scope="module")
def table() -> Any:
    return sfumato.from_rows(["job", "town", EVIL], ROWS)


@pytest.fixture(scope="module")
def release(table: Any) -> sfumato.Release:
    return sfumato.anonymize(table, POLICY)


class Closed(HTMLParser):
    """Sees that every tag is closed, and none is there that nobody wrote."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("p", "table", "caption", "thead", "tbody", "tr", "th", "td", "ul", "li")
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def shown(thing: Any) -> str:
    page: str = thing._repr_html_()
    parser = Closed()
    parser.feed(page)
    assert not parser.open
    return page


def test_pages_are_escaped_and_hold_nothing_raw(table: Any, release: sfumato.Release) -> None:
    found = sfumato.audit(release)
    risk = sfumato.attack(release, "attack-record-linkage", external=table)
    held = [table, release, release.verdict, release.verdict.verdicts[0], Policy.of(POLICY), sfumato.profile(table)]
    for thing in [*held, found, risk, release.advice]:
        page, short = shown(thing), repr(thing)
        assert "secret" not in page, type(thing)
        assert "secret" not in short, type(thing)
        assert len(short) < 500 or isinstance(thing, (list, type(release.advice)))
    assert "k-anonymity k=20" in shown(release)
    assert shown(release).count("<tr>") >= 5  # requirement, columns, rows that are public
    assert str(len(found.tried)) in repr(found)


def test_verdicts_do_not_show_the_groups_that_violate_them(table: Any) -> None:
    (verdict,) = sfumato.check(table, policy=POLICY)
    assert not verdict
    assert verdict.violations
    assert "secret" not in repr(verdict)
    assert "FAILS" in shown(verdict)
    with speaking("de"):
        assert "GILT NICHT" in shown(verdict)


def test_what_every_attack_found_has_the_short_repr() -> None:
    assert things("attack")
    waiting = [Risk]
    while waiting:
        kind = waiting.pop()
        assert kind.__repr__ is Risk.__repr__
        waiting += kind.__subclasses__()


def test_a_table_that_nobody_certified_shows_no_row(table: Any) -> None:
    recoded = sfumato.recode(table, {"town": {"id": "value-suppression", "disclosed": []}})
    assert "secret" not in shown(recoded)


def test_charts_are_objects_where_altair_is_installed(table: Any, release: sfumato.Release) -> None:
    altair = pytest.importorskip("altair")
    assert isinstance(release.chart(), altair.Chart)
    assert isinstance(sfumato.audit(release).chart(), altair.Chart)
    tree = {"id": "taxonomy", "tree": {"Any": [f"secret{i}" for i in range(5)]}}
    columns = {**COLUMNS, "job": {**COLUMNS["job"], "hierarchy": tree}}
    columns["town"] = {**COLUMNS["town"], "hierarchy": {"id": "taxonomy", "tree": {"Any": ["Linz", "Graz"]}}}
    found = sfumato.explore(table, {**POLICY, "columns": columns}, ks=[2, 20])
    assert isinstance(found.chart(), altair.Chart)


def test_without_altair_the_extra_is_named(release: sfumato.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(Unsupported, match=r"sfumato\[report\]"):
        release.chart()


# ---- progress ------------------------------------------------------------------------------------------------------------


class Cell:
    """A notebook as far as progress knows it: what is shown below the cell, and who wants to know when it is done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pages: list[str] = []
        self.waiting: list[Any] = []
        events = SimpleNamespace(
            register=lambda _, call: self.waiting.append(call), unregister=lambda _, call: self.waiting.remove(call)
        )
        package, display = ModuleType("IPython"), ModuleType("IPython.display")
        package.get_ipython = lambda: SimpleNamespace(kernel=object(), events=events)  # type: ignore[attr-defined]
        display.HTML = str  # type: ignore[attr-defined]

        def show(page: str, *, display_id: bool) -> Any:
            assert display_id
            self.pages.append(page)
            return SimpleNamespace(update=self.pages.append)

        display.display = show  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "IPython", package)
        monkeypatch.setitem(sys.modules, "IPython.display", display)


def test_progress_is_shown_below_the_cell_and_goes_with_it(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(monkeypatch)
    monkeypatch.setattr(progress, "_SOON", 0.0)
    monkeypatch.setattr(progress, "_OFTEN", 0.0)
    sfumato.anonymize(table, POLICY)
    assert any("searching (tdr)" in page for page in cell.pages)
    for call in list(cell.waiting):
        call(None)
    assert cell.pages[-1] == ""
    assert not cell.waiting


def test_what_is_quick_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(monkeypatch)
    progress.watcher().stage("reading")
    assert cell.pages == []


def test_nobody_watches_outside_of_notebooks() -> None:
    assert sfumato.Run.of(None).progress is progress.SILENT
    code = "import sys, sfumato; sfumato.Run.of(None); assert 'IPython' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- typed policies ------------------------------------------------------------------------------------------------------


def test_a_policy_of_typed_parts_is_the_policy_of_its_document() -> None:
    made = Policy.new(
        {
            "job": sfumato.Role.QUASI_IDENTIFIER,
            "town": ColumnPolicy(role=sfumato.Role.QUASI_IDENTIFIER),
            EVIL: "sensitive",
        },
        [KAnonymity(k=20)],
    )
    assert made.document() == Policy.of(POLICY).document()
    assert repr(made) == "Policy(k-anonymity k=20; tdr)"
