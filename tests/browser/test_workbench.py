"""The workbench in a real browser: from a file to a signed release, and the script makes the same bytes.

Screenshots of every page, wide, on a tablet, dark and in German, stay in ``build/workbench``.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.datasets import sample

pytestmark = pytest.mark.browser
pytest.importorskip("nicegui", reason="NiceGUI is not installed")

SHOTS = Path(__file__).parents[2] / "build" / "workbench"
TABLET = {"width": 820, "height": 1100}
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "NICEGUI_"))}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path, Path]]:
    """Give the address of a workbench, its project, and what it writes to its log."""
    folder = tmp_path_factory.mktemp("bench")
    log = folder / "log"
    command = [sys.executable, "-m", "sfumato", "workbench", str(folder / "project"), "--no-browser"]
    with log.open("w") as written:
        served = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=written, text=True, env=CLEAN)
        assert served.stdout is not None
        yield served.stdout.readline().split()[1], folder / "project", log
        served.send_signal(signal.SIGINT)
        served.wait(timeout=20)


@pytest.mark.slow
def test_from_a_file_to_a_signed_release(bench: tuple[str, Path, Path], browser: Any) -> None:
    address, project, log = bench
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(120_000)
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    SHOTS.mkdir(parents=True, exist_ok=True)
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

    def shot(name: str) -> None:
        page.screenshot(path=SHOTS / f"{name}-1280.png", full_page=True)
        page.set_viewport_size(TABLET)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 820, name
        page.screenshot(path=SHOTS / f"{name}-820.png", full_page=True)
        page.set_viewport_size({"width": 1280, "height": 900})

    page.goto(address)
    file = sample().write_csv(log.parent / "hospital.csv")
    clicks += 1  # the dialogue of the browser, or a drop
    page.set_input_files("[data-pick]", str(file))
    page.wait_for_selector(".facts")
    shot("data")
    onwards("roles", "svg .bef")
    onwards("hierarchies", ".picks")
    onwards("requirements", ".offer")
    onwards("search", ".note.good")
    onwards("explore", "svg.tiles")
    onwards("attack", ".three")
    page.get_by_label("Why this is acceptable").fill("Under contract; diagnoses are frequent ones")
    page.keyboard.press("Tab")
    click(page.get_by_role("button", name="Accept, with this reason"))
    page.get_by_text("the reason is kept").wait_for()
    onwards("publish", ".steps")
    click(page.get_by_role("button", name="Write the release"))
    page.wait_for_selector(".card.leaves")
    click(page.get_by_role("button", name="Sign the release"))
    page.wait_for_selector(".steps li:nth-child(4).done")
    shot("publish")
    assert clicks <= 12

    page.emulate_media(color_scheme="dark")
    page.screenshot(path=SHOTS / "publish-dark-1280.png", full_page=True)
    page.get_by_role("button", name="DE").click()
    page.get_by_text("Darf das Haus verlassen").wait_for()
    shot("publish-de")
    page.close()

    origin = re.escape(re.sub(r"/enter.*", "", address).removeprefix("http://"))
    assert not [one for one in asked if not re.match(rf"(http|ws)://{origin}/|data:", one)]
    assert said == []
    assert log.read_text() == ""
    names = {line.split(",")[1] for line in (project / "hospital.csv").read_text().splitlines()[1:]}
    assert not [one for one in asked if any(name in one for name in names)]

    assert sfumato.verify(project / "release", public_key=project / "steward.key.pub").verdict
    again = ["anonymize", "hospital.csv", "--policy", "policy.yaml", "-o", "again", "--quiet"]
    subprocess.run([sys.executable, "-m", "sfumato", *again], cwd=project, env=CLEAN, check=True)
    for made in sorted((project / "again" / "public").iterdir()):
        assert made.read_bytes() == (project / "release" / "public" / made.name).read_bytes(), made.name
