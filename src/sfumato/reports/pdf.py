"""A page as PDF: by WeasyPrint where it is installed, else by a Chromium or Chrome on this machine.

Nothing is fetched: the page is closed to the world, and the browser is started without a profile and without a network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from markupsafe import Markup

from sfumato.data.leftovers import TemporaryFolder
from sfumato.errors import Unsupported
from sfumato.reports.standalone import standalone

__all__ = ["BROWSER_FLAGS", "BROWSER_VARIABLE", "find_browser", "with_appendix", "write_pdf"]

BROWSER_VARIABLE = "SFUMATO_CHROMIUM"
"""Environment variable that names the browser to use; the usual names are looked for on the path if it is not set."""

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")

BROWSER_FLAGS: tuple[str, ...] = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)

_SECONDS = 120
_DRAWING = re.compile(r"<svg .*?</svg>", re.DOTALL)


def write_pdf(page: str, target: Path) -> str:
    """Write a page as PDF and return the name of what made it; refuse if nothing on this machine can."""
    try:
        from weasyprint import HTML
    except (ImportError, OSError):  # installed without the libraries it draws with
        pass
    else:
        HTML(string=_DRAWING.sub(lambda found: standalone(Markup(found[0])), page)).write_pdf(target)
        return "WeasyPrint"
    browser = find_browser()
    if browser is None:
        raise Unsupported(
            "a PDF needs WeasyPrint (pip install 'sfumato[report]') or a Chromium or Chrome on the path "
            f"(or named by {BROWSER_VARIABLE}); the HTML page prints to PDF from any browser",
            thing="pdf",
            alternatives=["html"],
        )
    _print(browser, page, target)
    return Path(browser).name


def with_appendix(page: str) -> str:
    """Return a page that is printed with what is folded on it: each column, each attack, tables behind pictures."""
    return page.replace("<body>", '<body class="whole">', 1).replace("<details>", "<details open>")


def find_browser() -> str | None:
    """Return a Chromium or Chrome: the one that the environment names, or the first on the path."""
    named = os.environ.get(BROWSER_VARIABLE)
    return shutil.which(named) if named else next(filter(None, map(shutil.which, _NAMES)), None)


def _print(browser: str, page: str, target: Path) -> None:
    with TemporaryFolder() as folder:
        source, made = folder / "report.html", folder / "report.pdf"
        source.write_text(page, encoding="utf-8")
        command = [
            *(browser, *BROWSER_FLAGS, *_as_root()),
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",
            f"--print-to-pdf={made}",
            source.as_uri(),
        ]
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        if not made.is_file():
            raise Unsupported(f"{Path(browser).name} made no PDF of the page", thing="pdf", alternatives=["html"])
        shutil.move(made, target)


def _as_root() -> Sequence[str]:
    """Return the flag without which Chromium refuses to run for root, as in containers; the page holds no script."""
    return ("--no-sandbox",) if sys.platform != "win32" and os.geteuid() == 0 else ()
