"""Permanent values: the worked example of section 10.4 and its two plans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sfumato
from sfumato.contracts.run import Run
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks import PossibleWorldExclusion
from sfumato.sequels.attacks.possible_world_exclusion import registered_groups
from sfumato.sequels.models import MInvariance
from sfumato.sequels.roles import cohort_based, role_based
from sfumato.sequels.series import Series
from sfumato.sequels.worlds import CarrierGroup, possible_worlds

Open = Callable[..., Any]


def label(bounds: list[int]) -> str:
    return f"[{bounds[0]}-{bounds[1]}]"


def number(share: Any) -> float | int:
    """Return a share as the file writes it: whole numbers without a point."""
    return int(share) if share in (0, 1) else float(share)


def test_three_invariant_releases_leave_two_worlds(golden: Open) -> None:
    with golden("04-possible-world-exclusion-1") as file:
        given = file.input
        lists = [sfumato.from_rows(one["columns"], one["rows"]) for one in given["registration_lists"]]
        rows = [
            [(label(group["Age"]), label(group["Zip"]), disease) for group in release for disease in group["diseases"]]
            for release in given["published"]
        ]
        public = Series.of(
            [sfumato.from_rows(["Age", "Zip", "Disease"], one) for one in rows], qid=["Age", "Zip"], sensitive="Disease"
        )
        members = registered_groups(public, lists, "PID")
        boxes = [[(label(group["Age"]), label(group["Zip"])) for group in release] for release in given["published"]]
        file.compare(
            [[list(found[box]) for box in shown] for found, shown in zip(members, boxes, strict=True)], "membership"
        )
        (value,) = given["permanent"]
        groups = [
            CarrierGroup(found[box], group["diseases"].count(value), at)
            for at, (found, shown, release) in enumerate(zip(members, boxes, given["published"], strict=True))
            for box, group in zip(shown, release, strict=True)
        ]
        worlds = possible_worlds(groups)
        file.compare([list(one) for one in worlds.sets()], "possible_carrier_sets")
        file.compare({who: number(worlds.linkage[who]) for who in sorted(worlds.linkage)}, "linkage_probability")
        file.compare(float(worlds.highest), "max_linkage")
        file.compare(worlds.highest <= 1 / given["l"], "satisfies_1_over_l")
        copies = [
            sfumato.from_rows(
                ["PID", "Age", "Zip", "Disease"],
                [[who, *box, dict(raw["rows"])[who]] for box, inside in found.items() for who in inside],
            )
            for found, raw in zip(members, given["raw"], strict=True)
        ]
        held = Series.of(copies, qid=["Age", "Zip"], sensitive="Disease", person="PID")
        file.compare(MInvariance(m=3).judge(held).satisfied, "is_3_invariant")
        risk = PossibleWorldExclusion(permanent=(value,), l=given["l"]).on(held, SeriesKnowledge(), Run())
        assert (risk.highest, risk.details["certain"], risk.details["above"]) == (1.0, 1, 3)
        assert risk.worlds[value].linkage == worlds.linkage


def test_roles_alone_do_not_protect_and_cohorts_do(golden: Open) -> None:
    with golden("04-hd-composition-1") as file:
        given = file.input
        cohorts = given["cohorts"]
        for plan in ("role_only", "cohort"):
            groups = [
                CarrierGroup(tuple(group["members"]), group["count"], at)
                for at, release in enumerate(given[f"plan_{plan}"])
                for group in release
            ]
            file.compare(role_based(groups, cohorts[0], given["l"]), plan, "role_based_ok")
            file.compare(cohort_based(groups, cohorts), plan, "cohort_based_ok")
            worlds = possible_worlds(groups)
            file.compare([list(one) for one in worlds.sets()], plan, "possible_carrier_sets")
            file.compare({who: float(share) for who, share in worlds.linkage.items()}, plan, "linkage")
            if plan == "cohort":
                file.compare(float(worlds.highest), plan, "max_linkage")
