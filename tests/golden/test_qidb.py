"""Personal privacy by weights, flags and blocks: the worked tables of the specification, recomputed through the public API."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import sfumato
from sfumato.algorithms import (
    FrequencyBlock,
    check_frequency,
    complete,
    deviations,
    frequency_distribution_block,
    minimal_completions,
    owner_flags,
)
from sfumato.algorithms.owners.qidb_anonymization import QidbAnonymization
from sfumato.data.text import to_text
from sfumato.errors import Infeasible
from sfumato.tables.prepare import prepare

# Which values are embarrassing in the two tables of the examples.
WEIGHTS = {"Gastric ulcer": 0, "Stomach cancer": 1, "Flu": 0, "Heart Disease": 1, "Asthma": 0, "HIV": 1, "Cancer": 1}


def policy(given: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the policy that asks for an example: flags come from its column SDF, weights from a table or from SW."""
    asked = dict(given.get("parameters", {"th_acct": "0.1"}))
    trees = given.get("taxonomies", {})
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier", **({"hierarchy": {"id": "taxonomy", "tree": trees[name]}} if trees else {})}
        for name in given["qid"]
    }
    order = given.get("fdb_order", [])
    return {
        "columns": {
            **columns,
            given["sensitive"]: {"role": "sensitive"},
            "SW": {"role": "private"},
            "SDF": {"role": "private"},
        },
        "requirements": [
            {"id": "personal-frequency", "sensitive": given["sensitive"], "th_acct": asked.pop("th_acct")}
        ],
        "algorithm": {
            "id": "qidb-anonymization",
            "weights": {value: WEIGHTS[value] for value in order} if order else "SW",
            "flags": "SDF",
            **asked,
        },
        "limits": {"suppress_at_most": 1.0},
        **more,
    }


def blocks(facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "seed_row_index": block["seed"],
            "node": block["node"],
            "value": block["value"],
            "member_row_indices": block["members"],
            "added_sensitive_values": block["added"],
            "iteration": block["iteration"],
            "resolved_by": block["resolved_by"],
        }
        for block in facts
    ]


@pytest.mark.parametrize(
    "name",
    [
        "07-qidb-anonymization-1",
        "07-qidb-anonymization-2",
        "07-qidb-anonymization-3",
        "07-qidb-anonymization-5",
        "07-qidb-anonymization-6",
    ],
)
def test_published(golden: Callable[..., Any], name: str) -> None:
    with golden(name) as file:
        release = sfumato.anonymize(file.table(), policy(file.input))
        facts = release.private.facts
        file.compare(facts["status"], "status")
        file.compare(blocks(facts["blocks"]), "blocks")
        file.compare(facts["suppressed"], "suppressed_row_indices")
        file.compare(facts["pending"], "pending_seed_row_indices")
        shown = Counter(tuple(map(to_text, row)) for row in release.table.to_rows())
        wanted = [tuple(row) for row in file.expected["published_multiset"]["rows"]]
        assert shown == Counter(wanted)
        # As a multiset: the rows in the order of the file, once their counts agree.
        file.compare(
            {"columns": list(release.table.columns), "rows": [list(row) for row in wanted]}, "published_multiset"
        )
        assert release.verdict.satisfied


def test_refused(golden: Callable[..., Any]) -> None:
    with golden("07-qidb-anonymization-4") as file:
        asked = sfumato.Policy.of(policy(file.input))
        with pytest.raises(Infeasible) as error:
            sfumato.anonymize(file.table(), asked)
        assert (error.value.measured, error.value.bound) == (1, 0)
        search = asked.search()
        assert isinstance(search, QidbAnonymization)
        result = search.prepare(prepare(file.table(), asked).task()).run()
        file.compare(result.status, "status")
        file.compare(blocks([block.told() for block in result.blocks]), "blocks")
        file.compare(result.suppressed.tolist(), "suppressed_row_indices")
        file.compare(result.pending.tolist(), "pending_seed_row_indices")


def test_flags(golden: Callable[..., Any]) -> None:
    with golden("07-sw-sdf-flags-1") as file:
        rows = file.input["table"]["rows"]
        answers = {int(row): answer for row, answer in file.input["owner_sdf_by_row_index"].items()}
        flags = owner_flags([row[-1] for row in rows], dict(file.input["weights"]["rows"]), answers)
        columns = [*file.input["table"]["columns"], "SW", "SDF"]
        made = [[*row, sw, sdf] for row, sw, sdf in zip(rows, flags.sw.tolist(), flags.sdf.tolist(), strict=True)]
        file.compare({"columns": columns, "rows": made}, "table")
        file.compare(flags.protected.nonzero()[0].tolist(), "protected_row_indices")


def test_frequency_block(golden: Callable[..., Any]) -> None:
    with golden("07-frequency-distribution-block-1") as file:
        at = file.input["table"]["columns"].index(file.input["sensitive"])
        found = frequency_distribution_block([row[at] for row in file.input["table"]["rows"]])
        rows = [list(row) for row in found.rows()]
        file.compare({"columns": [file.input["sensitive"], "Count", "Probability"], "rows": rows}, "fdb")


def test_initial_blocks(golden: Callable[..., Any]) -> None:
    with golden("07-qidb-init-1") as file:
        table = file.table()
        asked = policy(file.input)
        values = table.dictionary("Age").values
        asked["columns"]["Age"]["hierarchy"] = {"id": "taxonomy", "tree": {"*": [str(value) for value in values]}}
        task = prepare(table, sfumato.Policy.of(asked)).task()
        algorithm = sfumato.Policy.of(asked).search()
        assert isinstance(algorithm, QidbAnonymization)
        rows = table.select([*file.input["qid"], file.input["sensitive"]]).to_rows()
        found = [
            {"seed_row_index": seed, "rows": [list(rows[record]) for record in members.tolist()]}
            for seed, members in algorithm.prepare(task).initial_blocks()
        ]
        file.compare(found, "blocks")


def test_check_frequency(golden: Callable[..., Any]) -> None:
    with golden("07-check-frequency-1") as file:
        whole = FrequencyBlock.from_shares(file.input["fdb"])
        found = [
            {
                "name": case["name"],
                "size": sum(case["counts"].values()),
                "cf_all": check_frequency(case["counts"], whole, case["acct"]),
                "cf_present": check_frequency(case["counts"], whole, case["acct"], scope="present"),
                "abs_deviation": {value: str(far) for value, far in deviations(case["counts"], whole).items()},
            }
            for case in file.input["cases"]
        ]
        file.compare(found, "cases")


def test_completion(golden: Callable[..., Any]) -> None:
    with golden("07-disclosure-completion-1") as file:
        shares = {value: file.input["fdb"][value] for value in file.input["fdb_order"]}
        whole, acct = FrequencyBlock.from_shares(shares), file.input["acct"]
        found = []
        for case in file.input["cases"]:
            done = complete(case["counts"], whole, acct)
            after = {value: case["counts"].get(value, 0) + done.added.get(value, 0) for value in whole.values}
            assert check_frequency(after, whole, acct)
            found.append(
                {
                    "name": case["name"],
                    "final_size": done.size,
                    "added": dict(done.added),
                    "number_of_minimal_completions": minimal_completions(case["counts"], whole, acct),
                }
            )
        file.compare(found, "cases")


def test_k_anonymity_of_the_same_table(golden: Callable[..., Any]) -> None:
    with golden("07-k-anonymity-table3-1") as file:
        qid, sensitive = file.input["qid"], file.input["sensitive"]
        levels = {
            name: {"id": "full-domain-generalization", "level": level} for name, level in file.input["node"].items()
        }
        recoded = sfumato.recode(file.table(), levels, file.input["taxonomies"]).table
        rows = recoded.to_rows()
        file.compare({"columns": list(recoded.columns), "rows": [list(row) for row in rows]}, "generalized")
        (verdict,) = sfumato.check(recoded, {"id": "k-anonymity", "k": file.input["k"]}, qid=qid)
        small = {violation.group for violation in verdict.violations}
        file.compare([i for i, row in enumerate(rows) if row[:2] in small], "suppressed_row_indices")
        kept = recoded.drop_groups(qid, sorted(small))
        file.compare(kept.rows, "published_rows")
        sizes = kept.groups(qid).as_dict()
        order = list(dict.fromkeys(row[:2] for row in kept.to_rows()))
        by_size = [{"qid": list(key), "size": sizes[key]} for key in order]
        wanted = [tuple(entry["qid"]) for entry in file.expected["group_sizes"]]
        file.compare(sorted(by_size, key=lambda entry: wanted.index(tuple(entry["qid"]))), "group_sizes")
        (diverse,) = sfumato.check(kept, {"id": "l-diversity-distinct", "l": 2, "sensitive": sensitive}, qid=qid)
        homogeneous = sorted(list(violation.group) for violation in diverse.violations)
        file.compare(homogeneous, "homogeneous_groups")


def test_table_nine_needs_the_added_row(golden: Callable[..., Any]) -> None:
    """The printed five rows are one block with its added row, and a tolerance below a tenth would not accept them."""
    file = golden("07-qidb-anonymization-1")
    release = sfumato.anonymize(file.table(), policy(file.input))
    printed = sorted(row[2] for row in release.table.to_rows() if row[1] == "[20-40]")
    assert printed == ["Flu", "Flu", "Gastric ulcer", "Heart Disease", "Stomach cancer"]
    whole = FrequencyBlock(("Gastric ulcer", "Stomach cancer", "Flu", "Heart Disease"), (1, 2, 5, 2))
    assert max(deviations(Counter(printed), whole).values()) == Fraction(1, 10)
