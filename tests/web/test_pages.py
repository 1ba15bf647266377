"""Every page as a user without a browser meets it: what is there, what a click does to the policy, and what is never shown."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from sfumato.data.schema import ColumnType, Role
from sfumato.web.advisor import offered
from sfumato.web.frame import STEPS
from sfumato.web.pages.search import share_kept
from sfumato.web.project import Project

from .conftest import visiting


def texts(user: Any) -> str:
    """Return everything that a page says."""
    found = [
        str(getattr(one, "text", "")) + str(one.props.get("innerHTML", "")) for one in user._client.elements.values()
    ]
    return "\n".join(found)


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_page_opens_and_shows_nobody(project: Project, language: str) -> None:
    project.speak(language)
    raw = (project.folder / "people.csv").read_text(encoding="utf-8").splitlines()[1:]
    names = {line.split(",")[1] for line in raw} | {line.split(",")[0] for line in raw}

    told = "Personen, die auffallen" if language == "de" else "People who stand out"

    async def visit() -> None:
        async with visiting(project, "data") as user:
            for step in (*STEPS, "script") if language == "en" else STEPS[1:4]:
                await user.step(step)
                shown = texts(user)
                assert not [name for name in names if re.search(rf"\b{re.escape(name)}\b", shown)], step
                assert told in shown

    asyncio.run(visit())
    assert "sfumato" in sys.modules


def test_an_empty_project_asks_for_a_table(tmp_path: Path) -> None:
    async def visit() -> None:
        empty = Project(tmp_path / "new")
        async with visiting(empty, "publish") as user:
            await user.should_see("Drop a table here")

    asyncio.run(visit())


def test_a_role_is_set_and_the_policy_follows(project: Project) -> None:
    async def visit() -> None:
        async with visiting(project, "roles") as user:
            at = [one.name for one in project.profile].index("zip")
            user.find(marker=f"role-c{at}").trigger("change", args="drop")
            await asyncio.sleep(0.2)

    asyncio.run(visit())
    assert project.roles()["zip"] is Role.DROP
    assert "zip" in project.place.yours
    assert "# text, " in project.text  # comments that nobody touched stay


def test_a_secret_without_a_promise_is_one_click_from_having_one(project: Project) -> None:
    async def visit() -> None:
        async with visiting(project, "requirements") as user:
            user.find("Promise two different values").click()
            await asyncio.sleep(0.2)
            await user.should_not_see("Promise two different values")

    asyncio.run(visit())
    assert project.promises[-1] == {"id": "l-diversity-distinct", "l": 2, "sensitive": "diagnosis"}


def test_what_another_window_changed_stays(project: Project) -> None:
    def elsewhere(k: int) -> None:
        project.edit(lambda document: document.update(requirements=[{"id": "k-anonymity", "k": k}]))

    async def visit() -> None:
        async with visiting(project, "requirements") as user:
            elsewhere(10)
            user.find(marker="at-most").trigger("change", args="5")
            await asyncio.sleep(0.2)
            assert project.promises == [{"id": "k-anonymity", "k": 10}]
            assert project.policy.limits.suppress_at_most == 0.05
            mixed: dict[str, Any] = {"id": "l-diversity-distinct", "l": 2, "sensitive": "diagnosis"}
            project.edit(lambda document: document.update(requirements=[mixed]))
            user.find(marker="field-k").trigger("change", args="7")
            await asyncio.sleep(0.2)
            assert any("another window" in said for said in user.notify.messages)
            assert project.promises == [mixed]

    asyncio.run(visit())


def test_a_type_is_corrected_by_a_click_and_a_bad_address_is_said(project: Project) -> None:
    at = list(project.found.table.columns).index("bmi")

    async def visit() -> None:
        async with visiting(project, "data") as user:
            user.find(marker="address").trigger("change", args="postgresql://me:secret@host/house")
            user.find(marker="connect").click()
            await asyncio.sleep(0.2)
            assert any("password" in said and "secret" not in said for said in user.notify.messages)
            user.find(marker=f"type{at}").trigger("change", args="text")
            for _ in range(50):
                await asyncio.sleep(0.1)
                if project.policy.columns["bmi"].type is not None:
                    break

    asyncio.run(visit())
    assert project.found.table.types["bmi"] is ColumnType.TEXT


def test_a_promise_is_suggested_changed_and_added(project: Project) -> None:
    async def visit() -> None:
        async with visiting(project, "requirements") as user:
            user.find(marker="suggestion").click()
            await asyncio.sleep(0.2)
            user.find(marker="field-l").trigger("change", args="3")
            await asyncio.sleep(0.2)
            user.find(marker="add-t-closeness").click()
            await asyncio.sleep(0.2)

    asyncio.run(visit())
    asked = {one["id"]: one for one in project.document["requirements"]}  # type: ignore[union-attr,index,call-overload]
    assert asked["k-anonymity"]["k"] == 5  # type: ignore[index,call-overload]
    assert asked["l-diversity-distinct"] == {"id": "l-diversity-distinct", "l": 3, "sensitive": "diagnosis"}
    assert asked["t-closeness"]["sensitive"] == "diagnosis"  # type: ignore[index,call-overload]


def test_what_the_data_is_for_changes_what_is_suggested(project: Project) -> None:
    bits = {"id": "non-uniform-entropy", "normalized": True, "aggregate": "mean"}
    seen: list[dict[str, Any]] = []

    async def visit() -> None:
        async with visiting(project, "requirements") as user:
            for use, column in (("predict", "insurance"), ("count", ""), ("link", "patient_id")):
                user.find(marker="use").trigger("change", args=use)
                await asyncio.sleep(0.2)
                if column:
                    user.find(marker="used").trigger("change", args=column)
                    await asyncio.sleep(0.2)
                user.find(marker="suggestion").click()
                await asyncio.sleep(0.2)
                seen.append(dict(project.document))

    asyncio.run(visit())
    predict, count, link = seen
    assert predict["columns"]["insurance"]["role"] == "target"
    assert predict["columns"]["readmitted"]["role"] == "plain"
    assert predict["algorithm"] == {"id": "tdr"}
    assert count["algorithm"] == {"id": "optimal", "metric": bits}
    assert count["limits"] == {"suppress_at_most": 0.01}
    key = Path(link["columns"]["patient_id"]["pseudonym"]["key_file"])
    assert key.parent == project.folder.resolve()
    assert key.stat().st_mode & 0o777 == 0o600
    assert "diagnosis" not in offered(project, "predict")  # what must stay secret is no target, nor what outsiders know
    assert "sex" not in offered(project, "predict")


def test_what_is_wrong_is_said_and_changes_nothing(project: Project) -> None:
    before = project.text

    async def visit() -> None:
        async with visiting(project, "requirements") as user:
            user.find(marker="field-k").trigger("change", args="0")
            await asyncio.sleep(0.2)
            assert any("must be" in said for said in user.notify.messages)

    asyncio.run(visit())
    assert project.text == before


def test_a_tree_is_edited_by_a_list_and_by_a_drop(project: Project) -> None:
    tree = {"any": [{"women": ["female"]}, {"men": ["male"]}]}
    project.edit(lambda document: project.columns(document)["sex"].update(hierarchy={"id": "taxonomy", "tree": tree}))
    at = project.policy.of_role(Role.QUASI_IDENTIFIER).index("sex")

    async def visit() -> None:
        async with visiting(project, "hierarchies") as user:
            user.find(marker=f"c{at}").click()
            await asyncio.sleep(0.2)
            user.find(marker="move-4").trigger("change", args="1")  # male under women
            await asyncio.sleep(0.2)

    asyncio.run(visit())
    made = project.columns(project.document)["sex"]["hierarchy"]
    assert made == {"id": "taxonomy", "tree": {"any": [{"women": ["female", "male"]}]}}


def test_the_policy_is_edited_as_it_is_written(project: Project) -> None:
    before = project.text

    async def visit() -> None:
        async with visiting(project, "script") as user:
            user.find(marker="yaml").trigger("change", args=before.replace("k: 5", "k: 7"))
            user.find(marker="save").click()
            await asyncio.sleep(0.2)
            user.find(marker="yaml").trigger("change", args=before.replace("k: 5", "k: -7"))
            user.find(marker="save").click()
            await asyncio.sleep(0.2)
            assert any("policy.yaml" in said and "k" in said for said in user.notify.messages)

    asyncio.run(visit())
    assert "k: 7" in project.text


def test_names_of_columns_are_texts(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    rows = "".join(f"{n % 3},{n % 4}\n" for n in range(60))
    (project.folder / "t.csv").write_text(f'":onclick","<img src=x onerror=alert(1)>"\n{rows}')
    project.take("t.csv")

    async def visit() -> None:
        async with visiting(project, "roles") as user:
            await asyncio.sleep(0.4)
            for one in user._client.elements.values():
                assert not [key for key in one.props if str(key).startswith(":")]
                assert "<img" not in str(one.props.get("innerHTML", ""))

    asyncio.run(visit())


@pytest.mark.parametrize(
    ("note", "kept"),
    [("best 0.25", 0.75), ("best 0.25, gap 68.3%", 0.75), ("best 12,345, no less than 3", None), ("", None)],
)
def test_the_course_of_a_search_is_read_from_what_searches_say(note: str, kept: float | None) -> None:
    assert share_kept(note) == kept
