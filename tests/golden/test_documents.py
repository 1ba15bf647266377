"""Terms that may stay in a document, and texts without what identifies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

import sfumato
from sfumato.contracts.run import Run
from sfumato.data.schema import Role
from sfumato.errors import Infeasible
from sfumato.text import Contexts, Documents, Problem
from sfumato.text.algorithms import EraseBestFirst, EraseGreedy, EraseLevelwise
from sfumato.text.models import KSafety
from sfumato.text.persons import identifier_view, linked


def problem(asked: Mapping[str, Any]) -> Problem:
    return Problem(Contexts.of(asked["contexts"], asked["protected"]), asked["document"], asked["K"])


def test_k_safety(golden: Callable[..., Any]) -> None:
    with golden("07-k-safety-1") as file:
        asked = problem(file.input)
        for at, terms in enumerate(file.input["term_sets"]):
            found = asked.measure(terms)
            file.compare(terms, "results", at, "terms")
            file.compare(dict(found.cover), "results", at, "A")
            file.compare({name: list(others) for name, others in found.witnesses.items()}, "results", at, "witnesses")
            file.compare(found.safe, "results", at, "safe")
            assert KSafety(k=asked.k).problem(asked.contexts, " ".join(terms)).is_safe(asked.contexts.mask(terms)) == (
                found.safe
            )


def test_all_safe_sets(golden: Callable[..., Any]) -> None:
    with golden("07-erase-1") as file:
        found = EraseLevelwise().solve(problem(file.input), Run())
        file.compare({str(size): count for size, count in found.per_level.items()}, "safe_sets_per_level")
        file.compare([list(terms) for terms in found.maximal], "maximal_safe_sets")
        file.compare(len(found.kept), "optimum_cardinality")
        file.compare([list(terms) for terms in found.best], "optimal_sets")
        best = EraseBestFirst().solve(problem(file.input), Run())
        assert best.kept == found.kept
        assert best.looked == 7


@pytest.mark.parametrize("name", ["07-erase-2", "07-erase-4"])
def test_the_largest_safe_set(golden: Callable[..., Any], name: str) -> None:
    with golden(name) as file:
        found = EraseBestFirst().solve(problem(file.input), Run())
        assert found.optimal
        file.compare(len(found.kept), "optimum_cardinality")
        assert list(found.kept) in file.expected["optimal_sets"]
        file.compare([list(terms) for terms in EraseLevelwise().solve(problem(file.input), Run()).best], "optimal_sets")


def test_more_others_than_there_are(golden: Callable[..., Any]) -> None:
    with golden("07-erase-3") as file:
        asked = problem(file.input)
        for search in (EraseBestFirst(), EraseLevelwise(), EraseGreedy()):
            with pytest.raises(Infeasible, match="at most") as refused:
                search.solve(asked, Run())
            assert refused.value.measured == asked.most
        file.compare("infeasible", "status")
        file.compare(asked.most, "max_feasible_K")


def test_removal_and_the_identifier_view(golden: Callable[..., Any]) -> None:
    with golden("07-hide-1") as file:
        asked = file.input
        roles = {
            role: asked[key]
            for role, key in (
                ("identifier", "direct_identifiers"),
                ("quasi-identifier", "quasi_identifiers"),
                ("sensitive", "sensitive"),
            )
        }
        texts = {one["id"]: one["tagged_text"] for one in asked["documents"]}
        policy = {
            "shape": "text",
            "documents": {"tagged": True},
            "entities": {
                name: {"role": role, "link": name in asked["link_on_equal"]}
                for role, names in roles.items()
                for name in names
            },
        }
        for mode in ("partial", "full"):
            required = [{"id": "hide-deidentification-models", "mode": mode}]
            release = sfumato.anonymize(texts, {**policy, "requirements": required})
            texts_out = {row[2] for row in release.tables["documents"].to_rows()}
            assert texts_out == set(file.expected["text"][mode].values())
            documents = Documents.of(texts, tagged=True)
            for document in documents:
                written = next(text for text in texts_out if text == file.expected["text"][mode][document.name])
                file.compare(written, "text", mode, document.name)
        documents = Documents.of(texts, tagged=True)
        view = identifier_view(
            documents,
            {name: Role(role) for role, names in roles.items() for name in names},
            linked(documents, asked["link_on_equal"]),
        )
        file.compare(list(view.columns), "identifier_view", "columns")
        file.compare([list(row) for row in view.rows], "identifier_view", "rows")
