"""Run benchmarks one after the other and append their ratios to the history: what `make bench` does.

Every line of a script that tells a ratio and its bar becomes a row of `history.csv`: date, commit, what was measured, ratio.
Seconds of ours and of the peer stand in the text of the row, in the script's own words.

    python benchmarks/bench.py SCRIPT ...
"""

from __future__ import annotations

import csv
import datetime
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HISTORY = Path(__file__).with_name("history.csv")
RATIO = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(?:x|times [^()]*)? ?\(bar ([0-9.]+)")


def ratios(script: str, printed: str) -> Iterator[tuple[str, str]]:
    """Yield what each line of a script says was measured, with the bar, and the ratio.

    >>> list(ratios("audit", "9 columns: 0.12 s, group-by 0.05 s, ratio 2.50 (bar 5) ok"))
    [('audit: 9 columns: 0.12 s, group-by 0.05 s, ratio (bar: 5)', '2.50')]
    """
    for line in printed.splitlines():
        for found in RATIO.finditer(line):
            told = " ".join(line[: found.start()].split())
            yield f"{script}: {told} (bar: {found[2].rstrip('.')})", found[1]


def main() -> None:
    """Run the scripts; what they print is shown as it comes, and kept."""
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=False)
    today, failed = datetime.datetime.now(datetime.UTC).date().isoformat(), list[str]()
    for script in map(Path, sys.argv[1:]):
        print(f"== {script}", flush=True)
        printed = list[str]()
        with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                print(line, end="", flush=True)
                printed.append(line)
        failed += [str(script)] if process.returncode else []
        with HISTORY.open("a", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, lineterminator="\n")
            for what, ratio in ratios(script.stem, "".join(printed)):
                rows.writerow([today, commit.stdout.strip(), what, "", "", ratio])
    if failed:
        sys.exit(f"ended with an error: {', '.join(failed)}")


if __name__ == "__main__":
    main()
