"""Worked examples of holders of different columns: what must hold, scores, joint searches, fairness, cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.contracts.metric import Refinement
from sfumato.data.text import parse_interval
from sfumato.data.tree import Tree
from sfumato.metrics import IGPL, GainRatioScore, entropy, information_gain, split_information
from sfumato.models import KAnonymity
from sfumato.parties import Collaboration, Contract, collaborate
from sfumato.parties.protocols import (
    CommunicationCost,
    DkaTable,
    DkaTwoParty,
    GeneralJoin,
    IteratedPrisonersDilemma,
    QidReachability,
    RationalParticipation,
)

Label = str | list[float]


def contract_of(given: Mapping[str, Any], protocol: str, *more: dict[str, Any], **parameters: Any) -> Contract:
    """Return the contract of an example; the columns are in its public order."""
    holders, trees, numbers = {}, {}, {}
    for party in given["parties"]:
        own = [name for name in party["table"]["columns"] if name not in ("ID", "Class")]
        holders[party["name"]] = {"person": "ID", "columns": own}
        trees |= party["taxonomies"]
        numbers |= party["numeric"]
    order = given.get("attribute_order") or [name for entry in holders.values() for name in entry["columns"]]
    masked = {
        name: {"hierarchy": {"id": "taxonomy", "tree": trees[name]}}
        if name in trees
        else {"range": numbers[name]["root_interval"]}
        for name in order
    }
    asked = given.get("requirement") or [{"qid": given["qid"], "k": given["k"]}]
    return Contract.of(
        {
            "holders": holders,
            "columns": {
                **{name: {"role": "quasi-identifier", **how} for name, how in masked.items()},
                "Class": {"role": "target"},
            },
            "requirements": [*({"id": "k-anonymity", **one} for one in asked), *more],
            "protocol": {"id": protocol, **parameters},
        }
    )


def found_by(given: Mapping[str, Any], protocol: str, *more: dict[str, Any], **parameters: Any) -> Collaboration:
    tables = {party["name"]: columns_of(party["table"]) for party in given["parties"]}
    return collaborate(contract_of(given, protocol, *more, **parameters), tables)


def columns_of(table: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {name: [row[at] for row in table["rows"]] for at, name in enumerate(table["columns"])}


def label(text: str | None) -> Label | None:
    """Return a published value as examples write it: intervals are pairs of numbers."""
    found = None if text is None else parse_interval(text)
    return text if found is None else [found[0], found[1]]


def shown(found: Collaboration) -> list[tuple[int, dict[str, Label | None], str]]:
    """Return the person, the masked values and the class of every record."""
    names = [name for name in found.table.columns if name != "Class"]
    values = {name: _values(found.table, name) for name in (*names, "Class")}
    return [
        (int(person), {name: label(values[name][at]) for name in names}, values["Class"][at])
        for at, person in enumerate(found.persons)
    ]


def _values(table: Any, name: str) -> list[Any]:
    held = table.dictionary(name).values
    return [held[code] for code in table.as_rows().codes([name])[:, 0]]


def groups(rows: Sequence[tuple[int, Any, str]]) -> list[dict[str, Any]]:
    """Return groups as examples list them, by their smallest person."""
    made: dict[str, dict[str, Any]] = {}
    for person, record, kind in sorted(rows, key=lambda row: row[0]):
        group = made.setdefault(repr(record), {"ids": [], "record": record, "class_YN": [0, 0]})
        group["ids"].append(person)
        group["class_YN"]["YN".index(kind)] += 1
    return list(made.values())


def trace(found: Collaboration) -> list[dict[str, Any]]:
    out = []
    for one in found.rounds:
        best = {
            name: None if step is None else {"attr": step.attribute, "value": label(step.value), "score": step.score}
            for name, step in one.proposals.items()
        }
        taken = {
            "attr": one.attribute,
            "value": label(one.value),
            "children": [label(child) for child in one.children],
            "score": one.score,
        }
        out.append({"best_local": best, "winner": one.winner, **(taken if one.winner else {})})
    return out


def cut(found: Collaboration) -> dict[str, list[Any]]:
    return {
        name: sorted((label(one) for one in recoding.published()), key=str)
        for name, recoding in sorted(found.recodings.items())
    }


def compare_run(file: Any, found: Collaboration) -> None:
    parts = {"trace": trace(found), "groups": groups(shown(found)), "cut": cut(found)}
    for key in ("trace", "groups", "cut"):
        file.compare(parts[key], key)
    for at, key in enumerate(("mu", "phi")):
        if key in file.expected:
            file.compare({name: pair[at] for name, pair in found.shares.items()}, key)


def leaf_counts(found: Collaboration) -> list[list[Any]]:
    return [[list(group["record"].values()), len(group["ids"])] for group in groups(shown(found))]


# ---- what must hold ------------------------------------------------------------------------------------------------------


def test_groups_of_a_joint_table_that_are_too_small(golden: Callable[..., Any]) -> None:
    with golden("05-joint-anonymity-requirement-1") as file:
        (asked,) = file.input["requirement"]
        verdict = sfumato.check(
            file.table(*asked["qid"]), [KAnonymity(k=asked["k"], qid=tuple(asked["qid"]))]
        ).verdicts[0]
        found = sorted([list(map(str, one.group)), one.size] for one in verdict.violations)
        file.compare(found, "violating_qids")
        file.compare(verdict.strongest, "A_QID")


def test_quasi_identifiers_that_are_reached_from_a_global_one(golden: Callable[..., Any]) -> None:
    with golden("05-qid-reachability-1") as file:
        found = QidReachability().of(file.input["owner"], file.input["qids"])
        file.compare(found.joint, "joint")
        file.compare(found.local_only, "local_only")
        file.compare(found.across, "global")


def test_records_that_meet_in_a_column_that_is_no_key(golden: Callable[..., Any]) -> None:
    with golden("05-general-join-1") as file:
        first, second = (dict(file.input[name]["rows"]) for name in "AB")
        found = GeneralJoin(allow_duplicates=True).of(first, second)
        file.compare({"columns": ["ID", "ID_A", "ID_B"], "rows": found.pairs}, "mapping")
        file.compare(found.unmatched[0], "unmatched_A")
        file.compare(found.unmatched[1], "unmatched_B")
        file.compare(dict(zip("AB", found.multiplicity, strict=True)), "max_multiplicity")


def test_tables_that_are_masked_apart_break_the_joint_promise(golden: Callable[..., Any]) -> None:
    with golden("05-generalize-then-integrate-1") as file:
        tables = {
            name: values for party in file.input["parties"] for name, values in columns_of(party["table"]).items()
        }
        above = {
            name: _above(party["taxonomies"][name], file.input["local_cuts"][name])
            for party in file.input["parties"]
            for name in party["taxonomies"]
        }
        masked = {name: [above[name][value] for value in tables[name]] for name in above}
        k = file.input["k"]
        for name, values in masked.items():
            file.compare({one: values.count(one) for one in file.input["local_cuts"][name]}, "local_counts", name)
            assert sfumato.check({name: values}, [KAnonymity(k=k, qid=(name,))])
        joined = sfumato.check(masked, [KAnonymity(k=k, qid=tuple(masked))]).verdicts[0]
        assert not joined.satisfied
        order = file.input["local_cuts"]["Job"].index
        found = sorted(joined.violations, key=lambda one: order(one.group[1]))
        file.compare([[list(one.group), one.size] for one in found], "joint_violations")
        file.compare(joined.strongest, "joint_min")


def _above(tree: Mapping[str, Any], kept: Sequence[str], over: str | None = None) -> dict[str, str]:
    """Return the value of a cut that stands above each leaf."""
    over = tree["value"] if tree["value"] in kept else over
    below = tree.get("children")
    if not below:
        return {tree["value"]: over or tree["value"]}
    return {leaf: top for child in below for leaf, top in _above(child, kept, over).items()}


def test_what_a_selfish_holder_leaves(golden: Callable[..., Any]) -> None:
    with golden("05-selfish-party-1") as file:
        rows, cuts = columns_of(file.input["table"]), file.input["cut"]
        jobs = {
            "Janitor": "Non-Technical",
            "Mover": "Non-Technical",
            "Carpenter": "Technical",
            "Technician": "Technical",
        }
        jobs |= {"Manager": "Manager", "Accountant": "Professional", "Lawyer": "Professional"}
        assert set(jobs.values()) == set(cuts["Job"])
        masked = {
            "Sex": cuts["Sex"] * len(rows["ID"]),
            "Job": [jobs[one] for one in rows["Job"]],
            "Salary": [
                next([low, high] for low, high in cuts["Salary"] if low <= one < high) for one in rows["Salary"]
            ],
        }
        records = [list(record) for record in zip(*masked.values(), strict=True)]
        file.compare(groups(list(zip(rows["ID"], records, rows["Class"], strict=True))), "groups")
        texts = {name: list(map(str, values)) for name, values in masked.items()}
        first, second = sfumato.check(
            texts, [KAnonymity(k=4, qid=("Sex", "Job")), KAnonymity(k=11, qid=("Sex", "Salary"))]
        ).verdicts
        file.compare(first.strongest, "A_Sex_Job")
        file.compare(second.strongest, "A_Sex_Salary")
        file.compare(first.satisfied, "satisfies_4_on_Sex_Job")
        file.compare(second.satisfied, "satisfies_11_on_Sex_Salary")


# ---- scores --------------------------------------------------------------------------------------------------------------


def job_step(given: Mapping[str, Any]) -> tuple[Refinement, dict[str, np.ndarray], int]:
    """Return the first step in the column Job, its class counts by name, and the smallest group after it."""
    rows = columns_of(given["table"])
    tree = given["taxonomies"]["Job"]
    below = {leaf: top for top in tree["children"] for leaf in _above(top, [top["value"]])}
    counts = {
        top["value"]: np.array(
            [
                sum(below[job] is top and kind == one for job, kind in zip(rows["Job"], rows["Class"], strict=True))
                for one in "YN"
            ]
        )
        for top in tree["children"]
    }
    children = np.stack(list(counts.values()))
    step = Refinement(children.sum(axis=0), children[None], 1.0, np.full((1, len(children)), 0.5))
    return step, {tree["value"]: children.sum(axis=0), **counts}, int(children.sum(axis=1).min())


def test_the_score_of_a_step_weighs_gain_against_anonymity(golden: Callable[..., Any]) -> None:
    with golden("05-mashup-score-1") as file:
        step, counts, after = job_step(file.input)
        before = len(file.input["table"]["rows"])
        gain = information_gain(step.parent_classes, step.child_classes)
        file.compare({name: float(entropy(one)) for name, one in counts.items()}, "entropy")
        file.compare(float(gain[0]), "InfoGain")
        file.compare(before, "A_QID1_before")
        file.compare(after, "A_QID1_after")
        file.compare(before - after, "AnonyLoss")
        file.compare(float(IGPL().score(IGPL().gain(step), np.array([before - after]))[0]), "Score")
        file.compare(1e-9, "tolerance")


def test_the_gain_ratio_of_a_step(golden: Callable[..., Any]) -> None:
    with golden("05-gain-ratio-score-1") as file:
        step, _, _ = job_step(file.input)
        file.compare(float(information_gain(step.parent_classes, step.child_classes)[0]), "InfoGain")
        file.compare(float(split_information(step.child_classes)[0]), "SplitInfo")
        file.compare(float(GainRatioScore().gain(step)[0]), "GainRatio")
        file.compare(1e-9, "tolerance")


# ---- joint searches ------------------------------------------------------------------------------------------------------


def test_the_first_two_rounds(golden: Callable[..., Any]) -> None:
    with golden("05-ppmashup-semi-honest-1") as file:
        first, second = (found_by(file.input, "ppmashup-semi-honest", max_refinements=steps) for steps in (1, 2))
        (one,), (_, two) = first.rounds, second.rounds
        file.compare(one.winner, "round1", "winner_party")
        file.compare([one.attribute, label(one.value)], "round1", "winner")
        file.compare(one.score, "round1", "score")
        file.compare([label(child) for child in one.children], "round1", "children")
        told: dict[str, list[int]] = {}
        for person, record, _ in sorted(shown(first), key=lambda row: row[0]):
            low, high = record["Salary"]  # type: ignore[misc]
            told.setdefault(f"[{low:g},{high:g})", []).append(person)
        file.compare(told, "round1", "instruction_to_A")
        file.compare(leaf_counts(first), "round1", "tips_leaf_counts")
        file.compare(two.winner, "round2", "winner_party")
        file.compare([two.attribute, label(two.value)], "round2", "winner")
        file.compare(two.score, "round2", "score")
        file.compare(leaf_counts(second), "round2", "tips_leaf_counts")


@pytest.mark.parametrize("winner", ["plain", "pairwise"])
def test_a_run_to_its_end(golden: Callable[..., Any], winner: str) -> None:
    with golden("05-ppmashup-semi-honest-2") as file:
        found = found_by(file.input, "ppmashup-semi-honest", winner=winner)
        compare_run(file, found)
        file.compare(len(found.performed), "performed_specializations")
        plain = found_by(file.input, "ppmashup-semi-honest")
        file.compare(plain.traffic.logical_messages, "logical_messages")
        assert (found.traffic.logical_messages == plain.traffic.logical_messages) == (winner == "plain")
        joined = {
            name: values for party in file.input["parties"] for name, values in columns_of(party["table"]).items()
        }
        policy = contract_of(file.input, "ppmashup-semi-honest").policy()
        central = sfumato.anonymize({name: joined[name] for name in policy.columns}, policy)
        file.compare(found.table.sort().content_digest() == central.table.content_digest(), "equals_central_tds")


def test_a_bound_on_confidence_beside_group_sizes(golden: Callable[..., Any]) -> None:
    with golden("05-ppmashup-beyond-k-1") as file:
        bound = file.input["confidence_bound"]
        found = found_by(file.input, "ppmashup-beyond-k", {"id": "confidence-bounding", **bound})
        file.compare([[one.attribute, one.value] for one in found.performed], "winners")
        file.compare(groups(shown(found)), "groups")


def test_masking_alone_generalizes_more_than_masking_together(golden: Callable[..., Any]) -> None:
    with golden("05-dka-vs-ppmashup-1") as file:
        alone = DkaTwoParty(k=file.input["k"]).simulate({one["name"]: _dka_table(one) for one in file.input["parties"]})
        sizes = {
            "dka": sorted(size for _, size in alone.results["A"].groups),
            "ppmashup": sorted(
                len(group["ids"]) for group in groups(shown(found_by(file.input, "ppmashup-semi-honest")))
            ),
        }
        for name, found in sizes.items():
            file.compare(found, f"{name}_groups")
            file.compare(sum(size**2 for size in found), f"{name}_discernibility")


def _dka_table(party: Mapping[str, Any]) -> DkaTable:
    rows, trees = columns_of(party["table"]), party["taxonomies"]
    built = {name: Tree.from_nested(tree) for name, tree in trees.items()}
    return DkaTable([str(one) for one in rows["ID"]], {name: rows[name] for name in trees}, built)


@pytest.mark.parametrize("name", ["05-ppmashup-rational-1", "05-ppmashup-rational-2"])
def test_holders_that_want_to_get_as_much_as_they_give(golden: Callable[..., Any], name: str) -> None:
    with golden(name) as file:
        found = found_by(file.input, "ppmashup-rational", epsilon=file.input["epsilon"])
        compare_run(file, found)
        shares = RationalParticipation().of(found.shares)
        assert sum(one.share for one in shares.values()) == pytest.approx(1)


# ---- cost and games ------------------------------------------------------------------------------------------------------


def test_how_many_messages_a_search_takes(golden: Callable[..., Any]) -> None:
    with golden("05-communication-cost-1") as file:
        cost, cases = CommunicationCost(), file.input["cases"]
        file.compare([cost.messages(s, n, last_round=False) for s, n in cases], "seed_formula_s(n^2-1)")
        file.compare([cost.messages(s, n) for s, n in cases], "with_final_round_+n(n-1)")


def test_a_game_that_is_played_once_and_again(golden: Callable[..., Any]) -> None:
    with golden("05-prisoners-dilemma-1") as file:
        payoff = {name.lower(): tuple(pair) for name, pair in file.input["payoff"].items()}
        game, rounds = IteratedPrisonersDilemma(**payoff), file.input["rounds"]
        file.compare(game.equilibria(), "pure_nash")
        file.compare(game.play("tft", "tft", rounds=rounds).payoffs, "tft_vs_tft")
        file.compare(game.play("tft", "all-d", rounds=rounds).payoffs, "tft_vs_alld")
