"""Private marginals by Fourier coefficients, versions of different trust, owners of several tables: worked examples."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import sfumato
from sfumato.algorithms import downward_closure, fourier_coefficients, marginal_of_coefficients
from sfumato.models import MultiRelationalKAnonymity
from sfumato.perturbations import retention_step, transition_matrix

Open = Callable[..., Any]


def test_marginals_follow_from_coefficients_of_their_subsets(golden: Open) -> None:
    with golden("04-fourier-marginals-1") as file:
        cells = {int(bits, 2): count for bits, count in file.input["contingency"]}
        width = len(file.input["contingency"][0][0])
        counts = np.array([cells[at] for at in range(len(cells))])
        masks = [int(one, 2) for one in file.input["marginals"]]

        def bits(number: int) -> str:
            return f"{number:0{width}b}"

        alphas = downward_closure(masks)
        file.compare([bits(one) for one in alphas], "coefficients_needed")
        found = dict(zip(alphas, fourier_coefficients(counts, alphas).tolist(), strict=True))
        file.compare({bits(one): value for one, value in found.items()}, "coefficients")
        for mask in masks:
            marginal = marginal_of_coefficients(found, mask)
            file.compare({bits(cell): round(value) for cell, value in marginal.items()}, f"marginal_{bits(mask)}")


def test_transitions_multiply(golden: Open) -> None:
    with golden("04-multilevel-perturbation-1") as file:
        size, (high, low) = file.input["domain_size"], file.input["levels"]
        first = transition_matrix(size, high)
        step = transition_matrix(size, retention_step(high, low))
        product = [
            [sum((first[i][k] * step[k][j] for k in range(size)), Fraction()) for j in range(size)] for i in range(size)
        ]
        for name, matrix in (("matrix_level1", first), ("step", step), ("product", product)):
            file.compare([[str(entry) for entry in row] for row in matrix], name)
        assert product == transition_matrix(size, low)


def test_owners_share_bags_or_tuples(golden: Open) -> None:
    with golden("04-multir-kanon-1") as file:
        given = file.input
        tables = {name: sfumato.from_rows(one["columns"], one["rows"]) for name, one in given["tables"].items()}
        person = sfumato.from_rows(given["PT"]["columns"], given["PT"]["rows"])
        asked = {"k": 1, "owner": given["owner"], "qid": tuple(given["qid"])}
        for signature, key in ((True, "owner_k_bag"), (False, "owner_k_tuple")):
            model = MultiRelationalKAnonymity(**asked, owner_signature=signature)
            file.compare(model.judge_tables({"PT": person, **tables}, person="PT").strongest, key)
        records = tables["Visit"].groups(given["qid"]).sizes
        file.compare(int(records.min()), "record_k")
