"""k-anonymity on one and on several quasi-identifiers, judged on tables as they stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sfumato
from sfumato.data.text import parse_interval
from sfumato.models import KAnonymity
from sfumato.models.k_anonymity import reduce_by_cover


def strongest(table: Any, qid: Sequence[str]) -> float | int | None:
    (verdict,) = sfumato.check(table, KAnonymity(k=1), qid=qid)
    return verdict.strongest


def joined(sizes: dict[tuple[Any, ...], int]) -> dict[str, int]:
    return {"|".join(key): size for key, size in sizes.items()}


def test_three_anonymous_patients(golden: Callable[..., Any]) -> None:
    with golden("01-k-anonymity-1") as file:
        table, qid = file.table(), file.input["parameters"]["qid"]
        ks = file.input["parameters"]["k_values"]
        file.compare(joined(table.groups(qid).as_dict()), "group_sizes")
        file.compare(strongest(table, qid), "max_k")
        verdicts = sfumato.check(table, [KAnonymity(k=k) for k in ks], qid=qid)
        file.compare({str(k): bool(verdict) for k, verdict in zip(ks, verdicts, strict=True)}, "satisfied")
        # With k beyond every group each one is listed with its witness, the worst first.
        (verdict,) = sfumato.check(table, KAnonymity(k=table.rows + 1), qid=qid)
        chances = [violation.witness["record_link_probability"] for violation in verdict.violations]
        assert len(chances) == len(table.groups(qid))
        assert chances[0] == max(chances)
        file.compare(chances[0], "max_record_link_probability")


def test_a_cut_makes_patients_three_anonymous(golden: Callable[..., Any]) -> None:
    with golden("01-k-anonymity-3") as file:
        table, asked = file.table(), file.input["parameters"]
        file.compare(strongest(table, asked["qid"]), "max_k_before")
        recodings: dict[str, Any] = {
            name: {"id": "subtree-generalization", "cut": asked["cut"][name]} for name in ("Job", "Sex")
        }
        intervals = [parse_interval(label) for label in asked["cut"]["Age"]]
        edges = sorted({edge for interval in intervals if interval is not None for edge in interval[:2]})
        recodings["Age"] = {"id": "discretization", "edges": edges}
        release = sfumato.recode(table, recodings, file.input["taxonomies"])
        file.compare({"columns": release.table.columns, "rows": release.table.to_rows()}, "table_after")
        file.compare(strongest(release.table, asked["qid"]), "max_k_after")


def test_a_cut_through_a_taxonomy_of_intervals_gives_the_same_table(golden: Callable[..., Any]) -> None:
    """The same file by a second way: the ages hang below the interval leaves of the taxonomy."""
    file = golden("01-k-anonymity-3")
    cuts = {name: {"id": "subtree-generalization", "cut": cut} for name, cut in file.input["parameters"]["cut"].items()}
    release = sfumato.recode(file.table(), cuts, file.input["taxonomies"])
    file.compare([list(row) for row in release.table.to_rows()], "table_after", "rows")


def test_several_quasi_identifiers_do_not_imply_their_union(golden: Callable[..., Any]) -> None:
    with golden("01-k-anonymity-4") as file:
        table, asked = file.table(), file.input["parameters"]
        k, parts, union = asked["k"], asked["qids"], asked["union_qid"]
        file.compare(
            bool(sfumato.check(table, [KAnonymity(k=k, qid=tuple(part)) for part in parts])), "satisfied_multi_qid"
        )
        file.compare(bool(sfumato.check(table, KAnonymity(k=k), qid=union)), "satisfied_union")
        file.compare({"|".join(qid): strongest(table, qid) for qid in [*parts, union]}, "max_k_per_qid")


def test_violating_groups(golden: Callable[..., Any]) -> None:
    with golden("03-anonymity-requirement-1") as file:
        table, (asked,) = file.table(), file.input["requirement"]
        (verdict,) = sfumato.check(table, {"id": "k-anonymity", **asked})
        file.compare(verdict.strongest, "A")
        file.compare(verdict.satisfied, "satisfied")
        file.compare(sorted([*violation.group, violation.size] for violation in verdict.violations), "violating_qids")
        others = file.expected["A_of_other_sets"]
        file.compare({name: strongest(table, name.split("|")) for name in others}, "A_of_other_sets")


def test_covered_requirements_are_removed(golden: Callable[..., Any]) -> None:
    with golden("03-requirement-cover-1") as file:
        asked = [KAnonymity.from_spec({**entry, "id": "k-anonymity"}) for entry in file.input["requirement"]]
        kept, removed = reduce_by_cover(asked)
        for models, name in ((kept, "reduced"), (removed, "removed")):
            file.compare([{"qid": list(model.qid or ()), "k": model.k} for model in models], name)
