"""A judge of written files who has read the definitions and knows nothing else: standard library, PyArrow to open its formats.

Rows are dictionaries of texts. Everything is counted by loops over them; small tables are all it is for.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sqlite3
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, time, timedelta
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

Row = dict[str, str]
Counts = Counter[str]
Asked = Mapping[str, object]

SLACK = 1e-9
_N = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
INTERVAL = re.compile(rf"[\[(]({_N})(?:-|\.\.)({_N})[\])]")


# ---- what is written -----------------------------------------------------------------------------------------------------


def rows_of(path: Path) -> list[Row]:
    """Return the rows of a written file as texts; what is missing is the empty text."""
    return READERS[path.suffix.lstrip(".")](path)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _delimited(path: Path, separator: str) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter=separator))


def _parquet(path: Path) -> list[Row]:
    import pyarrow.parquet

    return [{name: _text(value) for name, value in row.items()} for row in pyarrow.parquet.read_table(path).to_pylist()]


def _arrow(path: Path) -> list[Row]:
    import pyarrow.ipc

    with pyarrow.ipc.open_file(path) as opened:
        return [{name: _text(value) for name, value in row.items()} for row in opened.read_all().to_pylist()]


def _json_lines(path: Path) -> list[Row]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [{name: _text(value) for name, value in json.loads(line).items()} for line in lines]


def _sqlite(path: Path) -> list[Row]:
    opened = sqlite3.connect(path)
    try:
        (name,) = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchone()
        found = opened.execute(f'SELECT * FROM "{name}"')
        names = [column[0] for column in found.description]
        return [dict(zip(names, map(_text, row), strict=True)) for row in found]
    finally:
        opened.close()


def _sheet(path: Path) -> list[Row]:
    """Read a sheet by its letters and cells: shared and inline texts, numbers as they are written, days in date formats."""
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(path) as packed:
        names = set(packed.namelist())
        texts = packed.read("xl/sharedStrings.xml") if "xl/sharedStrings.xml" in names else b"<x/>"
        entries = ElementTree.fromstring(texts).iter(f"{space}si")
        dates = _date_styles(packed.read("xl/styles.xml"), space) if "xl/styles.xml" in names else set()
        shared = ["".join(part.text or "" for part in entry.iter(f"{space}t")) for entry in entries]
        lines = []
        for line in ElementTree.fromstring(packed.read("xl/worksheets/sheet1.xml")).iter(f"{space}row"):
            cells: dict[str, str] = {}
            for cell in line.iter(f"{space}c"):
                value = cell.find(f"{space}v")
                held = "" if value is None else value.text or ""
                if cell.get("t") == "s":
                    held = shared[int(held)]
                elif cell.get("t") == "inlineStr":
                    held = "".join(part.text or "" for part in cell.iter(f"{space}t"))
                elif held and int(cell.get("s", "0")) in dates:
                    moment = datetime(1899, 12, 30) + timedelta(days=float(held))
                    held = str(moment.date() if moment == datetime.combine(moment.date(), time()) else moment)
                cells[re.sub(r"\d", "", str(cell.get("r")))] = held
            lines.append(cells)
    head = lines[0]
    return [{name: line.get(letter, "") for letter, name in head.items()} for line in lines[1:]]


def _date_styles(text: bytes, space: str) -> set[int]:
    """Return the numbers of the cell formats that show a number as a day."""
    styles = ElementTree.fromstring(text)
    own = {one.get("numFmtId"): str(one.get("formatCode")) for one in styles.iter(f"{space}numFmt")}
    formats = styles.find(f"{space}cellXfs")
    shown = [] if formats is None else [one.get("numFmtId") for one in formats]
    known = {str(number) for number in range(14, 23)}  # those that every program brings
    return {at for at, one in enumerate(shown) if one in known or "y" in own.get(one, "").lower()}


READERS: dict[str, Callable[[Path], list[Row]]] = {
    "csv": lambda path: _delimited(path, ","),
    "tsv": lambda path: _delimited(path, "\t"),
    "parquet": _parquet,
    "arrow": _arrow,
    "jsonl": _json_lines,
    "sqlite": _sqlite,
    "xlsx": _sheet,
}


# ---- what must hold ------------------------------------------------------------------------------------------------------


def groups_by(rows: Sequence[Row], columns: Sequence[str]) -> list[list[Row]]:
    """Return the rows that look alike in some columns, together."""
    out: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        out.setdefault(tuple(row[name] for name in columns), []).append(row)
    return list(out.values())


def alike(one: Row, other: Row, columns: Sequence[str]) -> bool:
    """Tell whether two rows look alike in some columns."""
    return all(one[name] == other[name] for name in columns)


def holds(asked: Asked, groups: Sequence[Sequence[Row]], qid: Sequence[str], raw: Sequence[Row]) -> bool:
    """Tell whether groups of written rows meet a requirement; ``raw`` is the table that shares are compared with."""
    return RULES[str(asked["id"])](asked, groups, qid, raw)


def _number(asked: Asked, name: str) -> float:
    return float(str(asked[name]))


def _held(asked: Asked, rows: Sequence[Row]) -> Counts:
    return Counter(row[str(asked["sensitive"])] for row in rows)


def _every(rule: Callable[[Asked, Counts], bool]) -> Callable[..., bool]:
    def judge(asked: Asked, groups: Sequence[Sequence[Row]], qid: Sequence[str], raw: Sequence[Row]) -> bool:
        return all(rule(asked, _held(asked, group)) for group in groups)

    return judge


def _compared(rule: Callable[[Asked, dict[str, float], dict[str, float]], bool]) -> Callable[..., bool]:
    def judge(asked: Asked, groups: Sequence[Sequence[Row]], qid: Sequence[str], raw: Sequence[Row]) -> bool:
        table = _shares(_held(asked, raw))
        return all(rule(asked, _shares(_held(asked, group)), table) for group in groups)

    return judge


def _shares(counts: Counts) -> dict[str, float]:
    size = sum(counts.values())
    return {value: count / size for value, count in counts.items()}


def _largest(counts: Counts, asked: Asked) -> float:
    named = asked.get("values")
    chosen = list(counts) if named is None else [str(value) for value in named]  # type: ignore[attr-defined]
    return max((counts[value] for value in chosen), default=0) / sum(counts.values())


def _entropy(asked: Asked, counts: Counts) -> bool:
    found = -sum(share * math.log(share) for share in _shares(counts).values())
    return found >= math.log(_number(asked, "l")) * (1 - SLACK) - 1e-12


def _recursive(asked: Asked, counts: Counts) -> bool:
    """Machanavajjhala et al. 2007: (c,1)-diversity is always satisfied, whatever the formula says."""
    ranked, rank = sorted(counts.values(), reverse=True), int(str(asked["l"]))
    tail = sum(ranked[rank - 1 :])
    return rank == 1 or ranked[0] < _number(asked, "c") * tail * (1 + SLACK)


def _equal_distance(asked: Asked, here: dict[str, float], table: dict[str, float]) -> bool:
    if asked.get("ground_distance", "equal") == "ordered":
        values = sorted({*here, *table}, key=float)
        moved = total = 0.0
        for value in values[:-1]:
            moved += here.get(value, 0.0) - table.get(value, 0.0)
            total += abs(moved)
        distance = total / (len(values) - 1) if len(values) > 1 else 0.0
    else:
        distance = sum(abs(here.get(v, 0.0) - table.get(v, 0.0)) for v in {*here, *table}) / 2
    return distance <= _number(asked, "t") * (1 + SLACK) + 1e-12


def _gains(here: dict[str, float], table: dict[str, float]) -> dict[str, float]:
    return {value: (share - table[value]) / table[value] for value, share in here.items()}


def _basic(asked: Asked, here: dict[str, float], table: dict[str, float]) -> bool:
    return all(gain <= _number(asked, "beta") * (1 + SLACK) for gain in _gains(here, table).values())


def _enhanced(asked: Asked, here: dict[str, float], table: dict[str, float]) -> bool:
    gains = _gains(here, table)
    return all(
        gain <= min(_number(asked, "beta"), -math.log(table[value])) * (1 + SLACK) + 1e-12
        for value, gain in gains.items()
    )


def _disclosure(asked: Asked, here: dict[str, float], table: dict[str, float]) -> bool:
    """Every value of the table; what a group lacks is passed over unless the requirement says otherwise."""
    if asked.get("absent", "skip") == "violate" and set(here) != set(table):
        return False
    return all(abs(math.log2(here[v] / table[v])) <= _number(asked, "delta") * (1 + SLACK) for v in here)


def _range(asked: Asked, counts: Counts) -> bool:
    numbers = {float(value) for value in counts}
    return len(numbers) >= _number(asked, "k") and max(numbers) - min(numbers) >= _number(asked, "e") * (1 - SLACK)


def _near(asked: Asked, counts: Counts) -> bool:
    numbers = [(float(value), count) for value, count in counts.items()]
    size, reach = sum(counts.values()), _number(asked, "epsilon")
    return all(
        sum(count for other, count in numbers if abs(other - centre) <= reach) * _number(asked, "m") <= size
        for centre, _ in numbers
    )


def _size(asked: Asked, groups: Sequence[Sequence[Row]], qid: Sequence[str], raw: Sequence[Row]) -> bool:
    return all(len(group) >= _number(asked, "k") for group in groups)


def _subsets(asked: Asked, groups: Sequence[Sequence[Row]], qid: Sequence[str], raw: Sequence[Row]) -> bool:
    rows = [row for group in groups for row in group]
    most = int(str(asked.get("L", asked.get("size"))))
    for few in range(1, min(most, len(qid)) + 1):
        for known in combinations(qid, few):
            for alike in groups_by(rows, known):
                if asked["id"] == "k-combinations":
                    masked = any(alike[0][name] == "*" for name in known)
                    if not masked and len(alike) < _number(asked, "k"):
                        return False
                elif len(alike) < _number(asked, "K") or (
                    "sensitive" in asked and _largest(_held(asked, alike), asked) > _number(asked, "C") * (1 + SLACK)
                ):
                    return False
    return True


def _linked(asked: Asked, groups: Sequence[Sequence[Row]], qid: Sequence[str], raw: Sequence[Row]) -> bool:
    for group in groups:
        found = Counter(tuple(row[name] for name in asked["y"]) for row in group)  # type: ignore[attr-defined]
        if "k" in asked and len(found) < _number(asked, "k"):
            return False
        if "h" in asked and max(found.values()) / len(group) > _number(asked, "h") * (1 + SLACK):
            return False
    return True


RULES: dict[str, Callable[..., bool]] = {
    "k-anonymity": _size,
    "k-combinations": _subsets,
    "lkc-privacy": _subsets,
    "xy-anonymity": _linked,
    "xy-linkability": _linked,
    "l-diversity-distinct": _every(lambda asked, counts: len(counts) >= _number(asked, "l")),
    "l-diversity-entropy": _every(_entropy),
    "l-diversity-frequency": _every(
        lambda asked, counts: max(counts.values()) * _number(asked, "l") <= sum(counts.values()) * (1 + SLACK)
    ),
    "l-diversity-recursive": _every(_recursive),
    "alpha-k-anonymity": _every(
        lambda asked, counts: (
            sum(counts.values()) >= _number(asked, "k")
            and _largest(counts, asked) <= _number(asked, "alpha") * (1 + SLACK)
        )
    ),
    "confidence-bounding": _every(
        lambda asked, counts: counts[str(asked["value"])] / sum(counts.values()) <= _number(asked, "h") * (1 + SLACK)
    ),
    "p-sensitive-k-anonymity": _every(
        lambda asked, counts: sum(counts.values()) >= _number(asked, "k") and len(counts) >= _number(asked, "p")
    ),
    "k-e-anonymity": _every(_range),
    "epsilon-m-anonymity": _every(_near),
    "t-closeness": _compared(_equal_distance),
    "basic-beta-likeness": _compared(_basic),
    "enhanced-beta-likeness": _compared(_enhanced),
    "delta-disclosure": _compared(_disclosure),
}


# ---- what must be true ---------------------------------------------------------------------------------------------------


def covers(label: str, value: str, above: Mapping[str, Sequence[str]], order: Sequence[str]) -> bool:
    """Tell whether a label is true of a value: itself, everything, a node above it, an interval, a run of values.

    ``above`` are the labels over each leaf, ``order`` the values as they follow each other.
    """
    if label in ("*", value) or label in above.get(value, ()):
        return True
    number = _as_number(value)
    if number is not None and _as_number(label) is not None:
        return _as_number(label) == number
    interval = INTERVAL.fullmatch(label)
    if interval and number is not None:
        low, high = Fraction(interval[1]), Fraction(interval[2])
        return (low < number or (low == number and label[0] == "[")) and (
            number < high or (number == high and label[-1] == "]")
        )
    if DATE.fullmatch(value) and (value.startswith(f"{label}-") or label == f"{value[:3]}0-{value[:3]}9"):
        return True
    first, mark, last = label.partition("..")
    if mark and first in order and last in order and value in order:
        return order.index(first) <= order.index(value) <= order.index(last)
    return False


def same(one: str, other: str) -> bool:
    """Tell whether two texts are the same value: equal, or spellings of one number."""
    return one == other or (_as_number(one) is not None and _as_number(one) == _as_number(other))


def _as_number(text: str) -> Fraction | None:
    """Return a number exactly: neighbours above 2^53 are different."""
    try:
        return Fraction(text)
    except ValueError:
        return None


def all_placed(fits: Sequence[Sequence[int]]) -> bool:
    """Tell whether every row can have a record of its own among those that fit it: augmenting paths."""
    owner: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for record in fits[row]:
            if record in tried:
                continue
            tried.add(record)
            if record not in owner or place(owner[record], tried):
                owner[record] = row
                return True
        return False

    return all(place(row, set()) for row in range(len(fits)))
