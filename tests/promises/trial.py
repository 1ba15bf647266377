"""Make releases of random requests, and let the naive judge read what was written.

``python tests/promises/trial.py --cases 5000`` prints what was published, what was refused, and every broken promise.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import judges_beside
import naive
import naive_worlds
from drawn import Drawn, draw


def outcome(drawn: Drawn, folder: Path) -> tuple[str, list[str]]:
    """Return how a request ended, and which promises its written release breaks."""
    import sfumato
    from sfumato.errors import InternalError, SfumatoError
    from sfumato.publishing.folder import write_public

    source, out = folder / "raw.csv", folder / "out"
    source.write_text(drawn.text, encoding="utf-8", newline="")
    others = folder / "external.csv" if drawn.external else None
    if others is not None:
        others.write_text(drawn.external, encoding="utf-8", newline="")
    try:
        release = sfumato.anonymize(source, drawn.policy, external=others)
        if drawn.whole:
            sfumato.publish(release, out, format=drawn.format)
        else:
            out.mkdir()
            write_public(release, out / "public", drawn.format, "\t" if drawn.format == "tsv" else ",", None)
    except InternalError as error:
        return "internal error", [f"internal error: {error}"]
    except SfumatoError as error:
        return type(error).__name__, []
    except Exception as error:
        return "crash", [f"{type(error).__name__}: {error}"]
    found = broken(drawn, out / "public", release.form.id)
    if not found and drawn.after is not None and release.form.id == "recoded-table":
        found = _asked_after(drawn, drawn.after, out / "public")
    return release.form.id, found


def broken(drawn: Drawn, public: Path, kind: str) -> list[str]:
    """Return the promises that the written files of a release do not keep."""
    parts = {path.stem: naive.rows_of(path) for path in public.iterdir() if path.suffix == f".{drawn.format}"}
    raw = [row for row in naive.rows_of(public.parent.parent / "raw.csv") if not _dropped(drawn, row)]
    if kind == "perturbed-table":
        return judges_beside.perturbed(drawn, parts, raw, public)
    (first, *_) = asked = drawn.policy["requirements"]  # type: ignore[misc]
    if first["id"] == "delta-presence":
        everybody = naive.rows_of(public.parent.parent / "external.csv")
        return judges_beside.present(drawn, first, parts["data"], everybody) + _recoded(drawn, parts, raw, asked[1:])
    if first["id"] == "personalized-privacy":
        return judges_beside.guarded(drawn, first, parts["data"], raw) + _recoded(drawn, parts, raw, asked[1:])
    return JUDGES[kind](drawn, parts, raw)


AFTERWARDS = {
    "background-knowledge-safety": naive_worlds.implications,
    "skyline-privacy": naive_worlds.skyline,
    "privacy-maxent": naive_worlds.even_handed,
    "personal-frequency": judges_beside.near,
}


def _asked_after(drawn: Drawn, asked: naive.Asked, public: Path) -> list[str]:
    """Ask the written file what no search takes; the answer must be that of the judge, yes or no."""
    import sfumato
    from sfumato.errors import SfumatoError

    (path,) = [path for path in public.iterdir() if path.suffix == f".{drawn.format}"]
    rows, qid = naive.rows_of(path), drawn.roles("quasi-identifier")
    if len(rows) == 0:
        return []
    more: dict[str, object] = {}
    groups = naive.groups_by(rows, qid)
    if asked["id"] == "k-map":  # everybody is published, and the first half has a double
        people = [*rows, *rows[: len(rows) // 2]]
        truth = all(sum(naive.alike(one, group[0], qid) for one in people) >= int(str(asked["k"])) for group in groups)
        with (public.parent / "people.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, qid, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(people)
        more["external"] = sfumato.read(public.parent / "people.csv", types=dict.fromkeys(qid, "text"))
    else:
        truth = AFTERWARDS[str(asked["id"])](asked, groups, qid, rows)
    try:
        said = bool(sfumato.check(path, asked, qid=qid, **more))
    except SfumatoError as error:
        return [f"cannot be asked: {asked}: {error}"]
    return [] if said == truth else [f"said {said}: {asked}"]


def _dropped(drawn: Drawn, row: naive.Row) -> bool:
    columns = drawn.policy["columns"]
    return any(not row[name] and entry.get("missing") == "drop-record" for name, entry in columns.items())  # type: ignore[attr-defined]


def _judged(
    drawn: Drawn, rows: list[naive.Row], raw: list[naive.Row], by: list[str] | None = None, wanted: object = None
) -> list[str]:
    """Return the requirements that do not hold for rows that look alike."""
    qid = drawn.roles("quasi-identifier")
    out = []
    for asked in drawn.policy["requirements"] if wanted is None else wanted:  # type: ignore[attr-defined]
        groups = naive.groups_by(rows, by or qid)
        if not naive.holds(asked, groups, qid, raw):
            out.append(f"does not hold: {asked}")
    return out


def _recoded(
    drawn: Drawn, parts: dict[str, list[naive.Row]], raw: list[naive.Row], wanted: object = None, true: bool = True
) -> list[str]:
    rows = parts["data"]
    out = _judged(drawn, rows, raw, wanted=wanted)
    most = float(drawn.policy.get("limits", {}).get("suppress_at_most", 0))  # type: ignore[attr-defined]
    if len(raw) - len(rows) > most * len(raw) + 1e-9 or len(rows) > len(raw):
        out.append(f"{len(rows)} rows of {len(raw)} records")
    published = drawn.roles("quasi-identifier", "sensitive", "plain", "target")
    if rows and sorted(rows[0]) != sorted(published):
        out.append(f"columns {list(rows[0])}")
    if true and not out:
        out += _truth(drawn, rows, raw, published)
    return out


def _truth(drawn: Drawn, rows: list[naive.Row], raw: list[naive.Row], columns: list[str]) -> list[str]:
    qid = set(drawn.roles("quasi-identifier"))
    orders = {name: _order(drawn, name, raw) for name in columns}

    def fits(row: naive.Row, record: naive.Row, name: str) -> bool:
        if name not in qid:
            return naive.same(row[name], record[name]) or row[name] in drawn.above.get(name, {}).get(record[name], ())
        value = record[name] or "?"  # missing values that count as one of their own
        return naive.covers(row[name], value, drawn.above.get(name, {}), orders[name])

    for row in rows:
        for name in columns:
            if not any(fits(row, record, name) for record in raw):
                return [f"{name}: {row[name]!r} is true of no record"]
    placed = [[at for at, record in enumerate(raw) if all(fits(row, record, n) for n in columns)] for row in rows]
    return [] if naive.all_placed(placed) else ["rows that are true of no records of their own"]


def _order(drawn: Drawn, name: str, raw: list[naive.Row]) -> list[str]:
    """The order of values: that of the tree if there is one, else that of their letters."""
    values = {row[name] or "?" for row in raw}
    return list(drawn.above[name]) if name in drawn.above else sorted(values)


def _distorted(drawn: Drawn, parts: dict[str, list[naive.Row]], raw: list[naive.Row]) -> list[str]:
    return _recoded(drawn, parts, raw, true=False)


def _pair(drawn: Drawn, parts: dict[str, list[naive.Row]], raw: list[naive.Row]) -> list[str]:
    """Records by group in one table, their sensitive values by group in the other."""
    (asked,) = drawn.policy["requirements"]  # type: ignore[misc]
    sensitive, qid = str(asked["sensitive"]), drawn.roles("quasi-identifier")
    sizes = Counter(row["GroupID"] for row in parts["qit"])
    counted = [
        {"GroupID": row["GroupID"], sensitive: row[sensitive]} for row in parts["st"] for _ in range(int(row["Count"]))
    ]
    out = [] if Counter(row["GroupID"] for row in counted) == sizes else ["sizes of the two tables differ"]
    if not naive.holds(asked, naive.groups_by(counted, ["GroupID"]), ["GroupID"], raw):
        out.append(f"does not hold: {asked}")
    for names, rows in ((qid, parts["qit"]), ([sensitive], counted)):
        if not _alike(rows, raw, names, drawn):
            out.append(f"{', '.join(names)}: not the values of the records")
    return out


def _alike(rows: list[naive.Row], raw: list[naive.Row], names: list[str], drawn: Drawn) -> bool:
    """Tell whether two lists hold the same values, however numbers are spelled."""
    plain = [{name: row[name] or "?" for name in names} for row in raw]
    fits = [
        [at for at, record in enumerate(plain) if all(naive.same(row[name] or "?", record[name]) for name in names)]
        for row in rows
    ]
    return len(rows) == len(raw) and naive.all_placed(fits)


def _permuted(drawn: Drawn, parts: dict[str, list[naive.Row]], raw: list[naive.Row]) -> list[str]:
    out = _judged(drawn, parts["data"], raw, ["GroupID"])
    for names in (drawn.roles("quasi-identifier"), drawn.roles("sensitive")):
        if not _alike(parts["data"], raw, names, drawn):
            out.append(f"{', '.join(names)}: not the values of the records")
    (asked,) = drawn.policy["requirements"]  # type: ignore[misc]
    for row in parts["aggregates"]:
        held = [float(other[str(asked["sensitive"])]) for other in parts["data"] if other["GroupID"] == row["GroupID"]]
        said = (int(float(row["Count"])), float(row["Sum"]), float(row["Minimum"]), float(row["Maximum"]))
        if said != (len(held), sum(held), min(held), max(held)):
            out.append("aggregates are not those of the groups")
    return out


def _aggregated(drawn: Drawn, parts: dict[str, list[naive.Row]], raw: list[naive.Row]) -> list[str]:
    """Rows that look alike in all aggregated columns are at least k, and means keep the sums."""
    out = _judged(drawn, parts["data"], raw)
    if len(parts["data"]) != len(raw):
        out.append("rows are lost")
    for name in drawn.roles("quasi-identifier"):
        told, true = sum(float(row[name]) for row in parts["data"]), sum(float(row[name]) for row in raw)
        if abs(told - true) > 1e-6 * max(1.0, sum(abs(float(row[name])) for row in raw)):
            out.append(f"{name}: the sum is not kept")
    if not _alike(parts["data"], raw, drawn.roles("plain", "sensitive"), drawn):
        out.append("columns that are not masked are changed")
    return out


def _clustered(drawn: Drawn, parts: dict[str, list[naive.Row]], raw: list[naive.Row]) -> list[str]:
    (asked,) = drawn.policy["requirements"]  # type: ignore[misc]
    clusters = parts["clusters"] if "clusters" in parts else parts["data"]  # nothing else is published
    sizes = [int(row["Size"]) for row in clusters]
    out = [] if min(sizes) >= int(str(asked["k"])) else [f"does not hold: {asked}"]
    if sum(sizes) != len(raw):
        out.append("sizes are not those of the records")
    for name in drawn.roles("quasi-identifier"):
        held = [record[name] for record in raw]
        if not all(any(naive.same(row[name], value) for value in held) for row in clusters):
            out.append(f"{name}: a centre that is no record")
    return out


def _condensed(drawn: Drawn, parts: dict[str, list[naive.Row]], raw: list[naive.Row]) -> list[str]:
    (asked,) = drawn.policy["requirements"]  # type: ignore[misc]
    (name,) = [part for part in parts if any("Size" in row or "Count" in row for row in parts[part])] or [""]
    if not name:
        return [] if len(parts["data"]) == len(raw) else ["rows are lost"]
    column = "Size" if "Size" in parts[name][0] else "Count"
    sizes = [int(float(row[column])) for row in parts[name]]
    out = [] if min(sizes) >= int(str(asked["k"])) else [f"does not hold: {asked}"]
    return out if sum(sizes) == len(raw) else [*out, "sizes are not those of the records"]


JUDGES = {
    "recoded-table": _recoded,
    "distorted-table": _distorted,
    "anatomy-pair": _pair,
    "permuted-table": _permuted,
    "aggregated-table": _aggregated,
    "cluster-release": _clustered,
    "condensed-table": _condensed,
    "personal-table": judges_beside.personal,
    "histogram-release": judges_beside.histogram,
}


def try_one(seed: int, number: int) -> tuple[Drawn, str, list[str]]:
    """Draw, publish and judge one request."""
    drawn = draw(seed, number)
    folder = Path(tempfile.mkdtemp(prefix="promise-"))
    try:
        return (drawn, *outcome(drawn, folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    """Try many requests and print what came of them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=5000)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--seed", type=int, default=16)
    asked = options.parse_args()
    ended: Counter[str] = Counter()
    found, start = 0, time.monotonic()
    for number in range(asked.first, asked.first + asked.cases):
        drawn, end, problems = try_one(asked.seed, number)
        ended[end] += 1
        for problem in problems:
            found += 1
            print(f"{number}: {drawn.algorithm}, {drawn.format}, {drawn.policy['engine']}: {problem}", flush=True)
    print(json.dumps(dict(ended.most_common())), f"{time.monotonic() - start:.0f} s")
    print(f"{asked.cases:,} requests, {found} broken promises")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
