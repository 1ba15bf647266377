"""Worked examples of several sites with the same columns: diversity of sites, what an insider sees, Mondrian over sites."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import sfumato
from sfumato.models import InsiderResidual, KAnonymity, LSiteDiversity, insider_residuals
from sfumato.parties.protocols import Axis, DistributedMondrian, SiteTable

QIDS = ("Age", "Salary")


def union(file: Any) -> Any:
    given = file.input["union"]
    return sfumato.from_rows(given["columns"], [tuple(map(str, row)) for row in given["rows"]])


def test_sites_of_the_groups_of_a_joint_table(golden: Callable[..., Any]) -> None:
    with golden("05-l-site-diversity-1") as file:
        table = union(file)
        groups = table.groups(QIDS, ["NodeID"])
        file.compare(KAnonymity(k=2).check(groups).strongest, "k_anonymity")
        verdict = LSiteDiversity(l=2, sensitive="NodeID").check(groups)
        file.compare(verdict.strongest, "l_site_diversity")
        file.compare(sorted(list(one.group) for one in verdict.violations), "groups_below_2_sites")
        sizes: dict[str, int] = {}
        for (_, _, node), size in table.groups([*QIDS, "NodeID"]).as_dict().items():
            sizes[node] = min(size, sizes.get(node, size))
        file.compare(sizes, "local_min_group")


def test_what_is_left_when_a_site_takes_out_its_own(golden: Callable[..., Any]) -> None:
    with golden("05-insider-residual-1") as file:
        groups = union(file).groups(QIDS, ["NodeID"])
        found = insider_residuals(groups, "NodeID")
        file.compare({str(site): left for site, left in found.items()}, "residual_k")
        assert InsiderResidual(k=2, sensitive="NodeID").check(groups).strongest == min(found.values())


@pytest.mark.parametrize(
    "name, mode",
    [("05-distributed-mondrian-1", "sum"), ("05-distributed-mondrian-3", "sum"), ("05-distributed-mondrian-3", "bits")],
)
def test_mondrian_over_four_sites(golden: Callable[..., Any], name: str, mode: str) -> None:
    with golden(name) as file:
        given = file.input
        # What is compared under encryption costs time by the length of the range.
        domain = {"sum": (0, 127), "bits": (30, 57)}[mode]
        axes = [Axis(one, *domain) for one in given["qid"]]
        sites = {node: SiteTable(table["columns"], table["rows"], axes) for node, table in given["nodes"].items()}
        protocol = DistributedMondrian(k=given["k"], l=given["l_site"], mode=mode, labels="tight", largest=8)
        found = protocol.simulate(sites).results
        members: dict[int, dict[int, str]] = {}
        for node, table in given["nodes"].items():
            for row, group in zip(table["rows"], found[node].group_of, strict=True):
                members.setdefault(found[node].leaves[group], {})[row[0]] = node
        first = found["0"]
        inside = dict(members)
        for cut in reversed(first.cuts):
            inside[cut.group] = {key: node for part in cut.into for key, node in inside[part].items()}
        file.compare(sorted(sorted(one) for one in members.values()), "groups")
        splits = [
            {
                "ids": sorted(inside[cut.group]),
                "attr": first.names[cut.axis],
                "median": cut.at,
                "left": sorted(inside[cut.into[0]]),
                "right": sorted(inside[cut.into[1]]),
            }
            for cut in first.cuts
        ]
        file.compare(splits, "splits")
        called = [",".join(map(str, sorted(members[leaf]))) for leaf in first.leaves]
        ranges = [{name: list(ends) for name, ends in zip(first.names, one, strict=True)} for one in first.ranges]
        file.compare(dict(zip(called, ranges, strict=True)), "tight_ranges")
        homes = [sorted({int(node) for node in members[leaf].values()}) for leaf in first.leaves]
        file.compare(dict(zip(called, homes, strict=True)), "sites")
