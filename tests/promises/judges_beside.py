"""Judges of releases that need more than groups: who else there is, what owners ask, what chance may have put in."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import naive
from drawn import Drawn

Rows = list[naive.Row]


def _covered(drawn: Drawn, labels: naive.Row, record: naive.Row) -> bool:
    qid = drawn.roles("quasi-identifier")
    return all(naive.covers(labels[name], record[name], drawn.above.get(name, {}), []) for name in qid)


def present(drawn: Drawn, asked: Mapping[str, object], rows: Rows, external: Rows) -> list[str]:
    """Nobody of the public table is in the private one with too much or too little probability."""
    low, high = float(str(asked["delta_min"])), float(str(asked["delta_max"]))
    seen: set[int] = set()
    for group in naive.groups_by(rows, drawn.roles("quasi-identifier")):
        people = [at for at, person in enumerate(external) if _covered(drawn, group[0], person)]
        if seen & set(people):
            return ["groups that overlap"]
        seen.update(people)
        if not people or not low * (1 - 1e-9) <= len(group) / len(people) <= high * (1 + 1e-9):
            return [f"does not hold: {asked}"]
    return [f"does not hold outside the groups: {asked}"] if low > 0 and len(seen) < len(external) else []


def guarded(drawn: Drawn, asked: Mapping[str, object], rows: Rows, raw: Rows) -> list[str]:
    """No owner's value is placed below the node that she guards with too much probability."""
    above = drawn.above["ill"]
    leaves = [leaf for leaf in above if leaf != "?"]

    def below(node: str) -> set[str]:
        return {leaf for leaf in leaves if node == leaf or node in above[leaf]}

    groups = naive.groups_by(rows, drawn.roles("quasi-identifier"))
    for owner in raw:
        if not owner["guard"]:
            continue
        mine = [group for group in groups if _covered(drawn, group[0], owner)]
        if len(mine) != 1:
            return [f"an owner is in {len(mine)} groups"]
        shares = Counter[str]()
        for row in mine[0]:
            stands = below(row["ill"])
            for leaf in stands & below(owner["guard"]):
                shares[leaf] += Fraction(1, len(stands))  # type: ignore[assignment]
        hidden = max(shares.values(), default=0) if asked["reading"] == "max_leaf" else sum(shares.values())
        if hidden / len(mine[0]) > float(str(asked["p_breach"])) * (1 + 1e-9):
            return [f"does not hold: {asked}"]
    return []


def personal(drawn: Drawn, parts: Mapping[str, Rows], raw: Rows) -> list[str]:
    """Groups that show a general value have the frequencies of the table."""
    (asked,) = drawn.policy["requirements"]  # type: ignore[misc]
    qid = drawn.roles("quasi-identifier")
    held = {name: {row[name] for row in raw} for name in qid}
    general = [
        group
        for group in naive.groups_by(parts["data"], qid)
        if any(not any(naive.same(group[0][name], value) for value in held[name]) for name in qid)
    ]
    return [] if near(asked, general, qid, raw) else [f"does not hold: {asked}"]


def near(
    asked: naive.Asked, groups: Sequence[Sequence[naive.Row]], qid: Sequence[str], raw: Sequence[naive.Row]
) -> bool:
    """Every value is as frequent in a group as in the table, within the threshold, exactly."""
    name, most = str(asked["sensitive"]), Fraction(str(asked["th_acct"]))
    table = Counter(row[name] for row in raw)
    for group in groups:
        here = Counter(row[name] for row in group)
        if len(group) < int(str(asked.get("min_block_size", 1))):
            return False
        if any(abs(Fraction(here[v], len(group)) - Fraction(table[v], len(raw))) > most for v in {*table, *here}):
            return False
    return True


def perturbed(drawn: Drawn, parts: Mapping[str, Rows], raw: Rows, public: Path) -> list[str]:
    """Rows that chance had a part in: what cannot have been put in or left out by it."""
    rows = parts["data"]
    if drawn.algorithm == "perturbed-generalization":
        return _sampled(drawn, rows, raw)
    if drawn.algorithm == "alpha-beta":
        return _by_chance(drawn, rows, raw, public)
    return [] if len(rows) == len(raw) else ["rows are lost"]


def _sampled(drawn: Drawn, rows: Rows, raw: Rows) -> list[str]:
    (asked,) = drawn.policy["requirements"]  # type: ignore[misc]
    chosen: Mapping[str, object] = drawn.policy["algorithm"]  # type: ignore[assignment]
    weights = [int(float(row["Weight"])) for row in rows]
    out = [] if min(weights) >= int(str(asked["k"])) else [f"does not hold: {asked}"]
    if sum(weights) != len(raw):
        out.append("weights are not those of the records")
    for row, weight in zip(rows, weights, strict=True):
        people = [record for record in raw if _covered(drawn, row, record)]
        if len(people) < weight:
            out.append("a weight above the persons that a row covers")
        if row["ill"] not in chosen["domain"]:  # type: ignore[operator]
            out.append("a value outside of the domain")
        if chosen["p"] == 1 and row["ill"] not in {record["ill"] for record in people}:
            out.append("a value was replaced that must stay")
    return out


def _by_chance(drawn: Drawn, rows: Rows, raw: Rows, public: Path) -> list[str]:
    (asked,) = drawn.policy["requirements"]  # type: ignore[misc]
    told, true = ([(str(int(float(row["age"]))), row["job"]) for row in held] for held in (rows, raw))
    out = [] if len(set(told)) == len(told) else ["a record is published twice"]
    domains = drawn.policy["algorithm"]["domains"]  # type: ignore[index]
    if any(not 20 <= int(age) <= 39 or job not in domains["job"] for age, job in told):
        out.append("a record outside of the domain")
    settings = json.loads((public / "certificate.json").read_text())["release"]["parameters"]["settings"]
    keep, false, d, gamma = (settings["alpha"] + settings["beta"], settings["beta"], asked["d"], asked["gamma"])
    if false == 0 and not set(told) <= set(true):
        out.append("a false record where there are none")
    if keep >= 1 and not set(true) <= set(told):
        out.append("a true record is missing that cannot be")
    if d * keep > gamma * (d * keep + (1 - d) * false) * (1 + 1e-9):
        out.append(f"does not hold: {asked}")
    if false < 1 and d * (1 - false) > gamma * (1 - keep) * (1 + 1e-9):
        out.append(f"does not hold for records that are not published: {asked}")
    return out


def histogram(drawn: Drawn, parts: Mapping[str, Rows], raw: Rows) -> list[str]:
    """Counts are those of the points in each box, and no box has more than 2t different ones."""
    (asked,) = drawn.policy["requirements"]  # type: ignore[misc]
    qid, most = drawn.roles("quasi-identifier"), 2 * int(str(asked["t"]))
    out = [] if sum(int(float(row["Count"])) for row in parts["data"]) == len(raw) else ["counts are lost"]
    for row in parts["data"]:
        sides = [(float(row[f"{name} from"]), float(row[f"{name} to"])) for name in qid]
        points = [tuple(float(record[name]) for name in qid) for record in raw]
        touching = [p for p in points if all(low <= x <= high for x, (low, high) in zip(p, sides, strict=True))]
        inside = [p for p in points if all(low < x < high for x, (low, high) in zip(p, sides, strict=True))]
        if not len(inside) <= int(float(row["Count"])) <= len(touching):
            out.append("a count that is not that of its box")
        if int(float(row["Count"])) > most and len(set(touching)) > most:
            out.append("a crowded box that was not cut")
    return out
