"""Mondrian, its workload-aware kin and MPALM on the worked examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import sfumato
from sfumato.data.text import parse_interval
from sfumato.recodings import MultidimensionalGeneralization


def policy(qid: Sequence[str], requirement: dict[str, Any], algorithm: dict[str, Any], **more: str) -> dict[str, Any]:
    return {
        "columns": {name: {"role": "quasi-identifier"} for name in qid}
        | {name: {"role": role} for name, role in more.items()},
        "requirements": [requirement],
        "algorithm": algorithm,
        "output": {"row_order": "keep"},
    }


def groups(rows: Sequence[tuple[Any, ...]], width: int) -> dict[tuple[Any, ...], list[int]]:
    """Return the numbers of the rows that look alike, in the order of their first row."""
    out: dict[tuple[Any, ...], list[int]] = {}
    for number, row in enumerate(rows):
        out.setdefault(tuple(row[:width]), []).append(number)
    return out


def test_strict_medians(golden: Callable[..., Any]) -> None:
    with golden("02-mondrian-1") as file:
        for k in file.input["k"]:
            qid = file.input["qid"]
            asked = policy(qid, {"id": "k-anonymity", "k": k}, {"id": "mondrian"})
            release = sfumato.anonymize(file.table(), asked)
            found = groups(release.table.to_rows(), len(qid))
            file.compare(list(found.values()), f"k{k}", "groups")
            boxes = [[[int(end) for end in parse_interval(side)[:2]] for side in box] for box in found]  # type: ignore[index]
            file.compare(boxes, f"k{k}", "boxes")
            file.compare(release.measured["discernibility"].value, f"k{k}", "dm")


def test_weighted_entropy(golden: Callable[..., Any]) -> None:
    with golden("02-infogain-mondrian-1") as file:
        given = file.input
        qid = given["qid"]
        rows = [(*row, label) for row, label in zip(given["table"]["rows"], given["class"], strict=True)]
        asked = policy(
            qid,
            {"id": "k-anonymity", "k": given["k"]},
            {"id": "infogain-mondrian", "trace": True},
            **{"class": "target"},
        )
        release = sfumato.anonymize(sfumato.from_rows([*qid, "class"], rows), asked)
        file.compare(list(groups(release.table.to_rows(), len(qid)).values()), "groups")
        trace = release.private.trace
        file.compare(
            [[entry["records"], qid.index(entry["attribute"]), int(entry["value"]), entry["cost"]] for entry in trace],
            "trace",
        )
        # What the last cuts leave is what the release has: no group of it holds two classes.
        counted = release.table.groups(qid, ["class"])
        shares = counted.histograms["class"].dense() / counted.sizes[:, None]
        entropy = -sum(
            size / len(rows) * sum(share * _log2(share) for share in own)
            for size, own in zip(counted.sizes.tolist(), shares.tolist(), strict=True)
        )
        file.compare(entropy, "final_weighted_entropy")


def _log2(share: float) -> float:
    from math import log2

    return log2(share) if share > 0 else 0.0


def test_presence(golden: Callable[..., Any]) -> None:
    with golden("02-mpalm-1") as file:
        given = file.input
        names, rows = given["external"]["columns"], given["external"]["rows"]
        low, high = given["delta"]
        asked = policy(names, {"id": "delta-presence", "delta_min": low, "delta_max": high}, {"id": "mpalm"})
        inside = [row for row, member in zip(rows, given["in_private"], strict=True) if member]
        release = sfumato.anonymize(sfumato.from_rows(names, inside), asked, external=sfumato.from_rows(names, rows))
        assert release.private.beside.external is not None
        parts = groups(release.private.beside.external.to_rows(), len(names))
        file.compare(list(parts.values()), "parts")
        shares = dict(zip(release.private.operations[0].boxes, release.private.facts["presence"], strict=True))
        file.compare([shares[box] for box in parts], "presence")


# ---- what multidimensional recoding can do ---------------------------------------------------------------------------------


def edges(values: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """List every way to cut a range of whole numbers into intervals."""
    inner = sorted(set(values))[1:]
    for count in range(len(inner) + 1):
        for chosen in combinations(inner, count):
            yield (min(values), *chosen, max(values) + 1)


def misclassified(raw: Any, released: Any, target: str) -> int:
    """Return how many records are not of the majority class of their group."""
    measured = sfumato.measure(raw, released, "classification-metric", qid=["Age", "Job"], target=target)
    return round(measured.value * raw.rows)


def test_flexibility(golden: Callable[..., Any]) -> None:
    with golden("03-mondrian-flexibility-1") as file:
        raw, k = file.table(), file.input["k"]
        rows = file.input["table"]["rows"]
        qid = ("Age", "Job")
        best = len(rows)
        for age in edges([row[0] for row in rows]):
            for job in edges([row[1] for row in rows]):
                steps = {
                    "Age": {"id": "discretization", "edges": age},
                    "Job": {"id": "discretization", "edges": job},
                }
                recoded = sfumato.recode(raw, steps)
                if min(recoded.table.groups(qid).sizes) >= k:
                    best = min(best, misclassified(raw, recoded.table, "Class"))
        file.compare(best, "best_single_dimensional_misclassified")
        # A partition without any misclassified record cannot be improved on.
        wanted = file.expected["one_perfect_partition"]
        boxes = tuple(tuple("[{}-{}]".format(*entry[name]) for name in qid) for entry in wanted)
        recoding = MultidimensionalGeneralization(qid=qid, ranges={"Age": (1, 6), "Job": (1, 4)}, boxes=boxes)
        released = recoding.apply(raw)
        assert sfumato.check(released, {"id": "k-anonymity", "k": k}, qid=list(qid)).satisfied
        file.compare(misclassified(raw, released, "Class"), "best_multidimensional_misclassified")
        held = groups(released.to_rows(), len(qid))
        found = []
        for box, entry in zip(boxes, wanted, strict=True):
            (label,) = {rows[number][2] for number in held[box]}
            ends = {
                name: [fit(rows[number][at] for number in held[box]) for fit in (min, max)]
                for at, name in enumerate(qid)
            }
            assert ends == {name: entry[name] for name in qid}
            found.append({**ends, "n": len(held[box]), "Class": label})
        file.compare(found, "one_perfect_partition")
        # The greedy search cuts Age first and ends with one group of two and two.
        asked = policy(qid, {"id": "k-anonymity", "k": k}, {"id": "infogain-mondrian", "trace": True}, Class="target")
        greedy = sfumato.anonymize(raw, asked)
        assert (greedy.private.trace[0]["attribute"], greedy.private.trace[0]["value"]) == ("Age", "4")
        mixed = [
            Counter(rows[number][2] for number in members)
            for members in groups(greedy.table.to_rows(), len(qid)).values()
            if len({rows[number][2] for number in members}) > 1
        ]
        assert mixed == [Counter({"Y": 2, "N": 2})]
