"""The pages of the demo in a real browser: no error, no request, every section, no sideways scrolling on a narrow screen.

Screenshots of both editions, wide and narrow, stay in ``build/report``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.datasets import sample, sample_policy

pytestmark = pytest.mark.browser

SHOTS = Path(__file__).parents[2] / "build" / "report"
SECTIONS = ("context", "data", "identifiability", "mitigation", "governance")
SCREENS = {"wide": (1280, 900), "narrow": (390, 844)}
EDITIONS = {"internal": "private", "public": "public"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the release folder of the demo, its internal page with everything that can be measured."""
    folder = tmp_path_factory.mktemp("demo")
    data = sample().write_csv(folder / "hospital.csv")
    out = sfumato.publish(sfumato.anonymize(str(data), sample_policy()), folder / "out", input_path=str(data))
    sfumato.report(out, raw=str(data))
    return out


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("edition", EDITIONS)
def test_page_in_a_browser(demo: Path, browser: Any, edition: str, screen: str, scheme: str) -> None:
    width, height = SCREENS[screen]
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    address = (demo / EDITIONS[edition] / "report.html").as_uri()
    page.goto(address)
    assert said == []
    assert asked == [address]
    for section in SECTIONS:
        assert page.locator(f"h2#{section}").is_visible(), section
    assert page.locator("main").count() == 1
    # The page itself never scrolls sideways: wide drawings and tables scroll inside their frames.
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    # Every drawing has a size, and every link leads somewhere.
    sizes = page.evaluate("[...document.querySelectorAll('svg')].map(one => one.getBoundingClientRect().width)")
    assert sizes
    assert all(size > 0 for size in sizes)
    lost = "[...document.querySelectorAll('a')].filter(a => !document.getElementById(a.hash.slice(1))).length"
    assert page.evaluate(lost) == 0
    SHOTS.mkdir(parents=True, exist_ok=True)
    suffix = "" if scheme == "light" else "-dark"
    page.screenshot(path=SHOTS / f"{edition}-{screen}{suffix}.png", full_page=True)
    page.close()


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("edition", EDITIONS)
def test_longer_german_words_find_room(demo: Path, browser: Any, edition: str, screen: str, tmp_path: Path) -> None:
    sfumato.report(demo, edition=edition, file=tmp_path / "german.html", language="de")  # type: ignore[arg-type]
    page = browser.new_page(viewport=dict(zip(("width", "height"), SCREENS[screen], strict=True)))
    page.goto((tmp_path / "german.html").as_uri())
    assert page.evaluate("document.documentElement.lang") == "de"
    assert page.evaluate("document.scrollingElement.scrollWidth") <= SCREENS[screen][0]
    if screen == "wide":  # entries of the contents stand in one column
        places = "[...document.querySelectorAll('nav li > span')].map(one => one.getBoundingClientRect().left)"
        assert len(set(page.evaluate(places))) == 1
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{edition}-{screen}-german.png", full_page=True)
    page.close()


def test_the_first_tab_leads_to_the_contents(demo: Path, browser: Any) -> None:
    page = browser.new_page()
    page.goto((demo / "private" / "report.html").as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.hash") == "#main"
    page.close()


def test_scripts_would_not_run(demo: Path, browser: Any, tmp_path: Path) -> None:
    """The policy inside the page forbids scripts, whatever gets into it."""
    text = (demo / "public" / "report.html").read_text(encoding="utf-8")
    (tmp_path / "tampered.html").write_text(text.replace("</main>", "<script>document.title = 'x'</script></main>"))
    page = browser.new_page()
    page.goto((tmp_path / "tampered.html").as_uri())
    assert page.title() == "Release report: recoded-table"
    page.close()
