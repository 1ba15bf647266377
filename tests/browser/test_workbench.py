"""The workbench in a real browser: from a file to a signed release, and the script makes the same bytes.

On the sample every day, by the lines for a terminal; at night on Adult as well, by those for Python. Screenshots of every
page, wide, on a tablet, dark and in German, stay in ``build/workbench``.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import sfumato
from sfumato.data.schema import Role
from sfumato.datasets import adult, sample
from sfumato.datasets.cache import find_file
from sfumato.datasets.dataset import Dataset
from sfumato.tables.policy import Policy

pytestmark = pytest.mark.browser
pytest.importorskip("nicegui", reason="NiceGUI is not installed")

SHOTS = Path(__file__).parents[2] / "build" / "workbench"
TABLET = {"width": 820, "height": 1100}
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "NICEGUI_"))}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[tuple[str, Path, Path]]:
    """Give the address of a workbench, its project, and what it writes to its log."""
    log = tmp_path / "log"
    command = [sys.executable, "-m", "sfumato", "workbench", str(tmp_path / "project"), "--no-browser"]
    with log.open("w") as written:
        served = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=written, text=True, env=CLEAN)
        assert served.stdout is not None
        yield served.stdout.readline().split()[1], tmp_path / "project", log
        served.send_signal(signal.SIGINT)
        served.wait(timeout=20)


def by_terminal(lines: str, project: Path) -> None:
    """Run the lines for a terminal up to the check, into another folder."""
    for line in lines.splitlines()[:2]:
        words = ["again" if word == "release" else word for word in shlex.split(line)]
        assert words.pop(0) == "sfumato"
        subprocess.run(
            [sys.executable, "-m", "sfumato", *words], cwd=project, env=CLEAN, check=True, capture_output=True
        )


def by_python(lines: str, project: Path) -> None:
    """Run the lines for Python in a fresh process, into another folder."""
    subprocess.run([sys.executable, "-c", lines.replace('"release"', '"again"')], cwd=project, env=CLEAN, check=True)


def named(project: Path, file: str) -> set[str]:
    """Return all values of columns that name a person."""
    policy, table = Policy.load(project / "policy.yaml"), sfumato.read(project / file)
    return {str(one) for name in policy.of_role(Role.IDENTIFIER) for one in table.dictionary(name).values}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "table", "script"),
    [
        pytest.param("hospital", sample, by_terminal, id="sample"),
        pytest.param("adult", adult, by_python, id="adult", marks=pytest.mark.nightly),
    ],
)
def test_from_a_file_to_a_signed_release(
    bench: tuple[str, Path, Path],
    browser: Any,
    name: str,
    table: Callable[[], Dataset],
    script: Callable[[str, Path], None],
) -> None:
    if name == "adult" and find_file("adult", "adult.data") is None:
        pytest.skip("adult.data not on this machine; set SFUMATO_DATA to the folder of the public tables")
    address, project, log = bench
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(300_000)
    said: list[str] = []
    asked: list[str] = []
    titles: set[str] = set()
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda sent: asked.append(sent.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    shots = SHOTS if name == "hospital" else SHOTS / name
    shots.mkdir(parents=True, exist_ok=True)
    clicks = 0

    def click(found: Any) -> None:
        nonlocal clicks
        clicks += 1
        found.click()

    def onwards(step: str, sign: str) -> None:
        """Go on by the one filled button, and wait until a page is there; keep pictures of it."""
        click(page.locator("button.btn.main"))
        page.wait_for_url(f"**/{step}")
        page.wait_for_selector(sign)
        assert page.locator("h1").count() == 1
        assert page.locator(".pulse dt").count() == 4
        shot(step)

    def shot(step: str) -> None:
        titles.add(page.title())
        page.screenshot(path=shots / f"{step}-1280.png", full_page=True)
        page.set_viewport_size(TABLET)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 820, step
        page.screenshot(path=shots / f"{step}-820.png", full_page=True)
        page.set_viewport_size({"width": 1280, "height": 900})

    page.goto(address)
    file = table().write_csv(log.parent / f"{name}.csv")
    clicks += 1  # the dialogue of the browser, or a drop
    page.set_input_files("[data-pick]", str(file))
    page.wait_for_selector(".facts")
    shot("data")
    onwards("roles", "svg .bef")
    page.keyboard.press("?")
    page.locator("dialog[open]").wait_for()
    page.keyboard.press("Escape")
    ticks = page.locator("table input.tick")
    ticks.nth(1).click()
    ticks.nth(3).click(modifiers=["Shift"])
    page.wait_for_function("document.querySelectorAll('table input.tick:checked').length == 3")
    onwards("hierarchies", ".picks")
    onwards("requirements", ".offer")
    onwards("search", ".note.good")
    onwards("explore", "svg.tiles")
    onwards("attack", ".three")
    if page.locator(".verdict.warn").count():  # what some attack does must be accepted by somebody
        page.get_by_label("Why this is acceptable").fill("Under contract; diagnoses are frequent ones")
        page.keyboard.press("Tab")
        click(page.get_by_role("button", name="Accept, with this reason"))
        page.get_by_text("the reason stands in policy.yaml").wait_for()
    onwards("publish", ".steps")
    click(page.get_by_role("button", name="Write the release"))
    page.wait_for_selector(".card.leaves")
    click(page.get_by_role("button", name="Sign the release"))
    page.wait_for_selector(".steps li:nth-child(4).done")
    shot("publish")
    assert clicks <= 12

    lines = page.locator("pre").all_text_contents()
    page.emulate_media(color_scheme="dark")
    page.screenshot(path=shots / "publish-dark-1280.png", full_page=True)
    page.get_by_role("button", name="DE").click()
    page.get_by_text("Darf das Haus verlassen").wait_for()
    shot("publish-de")
    page.close()

    origin = re.escape(re.sub(r"/enter.*", "", address).removeprefix("http://"))
    assert not [one for one in asked if not re.match(rf"(http|ws)://{origin}/|data:", one)]
    assert said == []
    assert log.read_text() == ""
    assert titles == {"sfumato"}
    names = named(project, file.name)
    assert bool(names) == (name == "hospital")
    seen = unquote(" ".join(asked))
    assert not names & set(re.findall(r"\w+", seen))
    assert not [value for value in names if " " in value and value in seen]

    assert sfumato.verify(project / "release", public_key=project / "steward.key.pub").verdict
    script(lines[0 if script is by_terminal else 1], project)
    for made in sorted((project / "again" / "public").iterdir()):
        assert made.read_bytes() == (project / "release" / "public" / made.name).read_bytes(), made.name
