"""Golden files of the searches over sets of columns: which sets identify, and which records few columns single out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import sfumato
from sfumato.attacks.uniqueness.qid_discovery import Identifying
from sfumato.attacks.uniqueness.suda2 import SpecialUniques


def test_qid_discovery(golden: Callable[..., Any]) -> None:
    with golden("01-qid-discovery-1") as file:
        asked = file.input["parameters"]
        spec = {
            "id": "qid-discovery",
            "alpha_distinct": asked["alpha_distinct"],
            "alpha_separation": asked["alpha_separation"],
        }
        found = sfumato.attack(file.table(), spec, qid=asked["candidate_attributes"])
        assert isinstance(found, Identifying)
        file.compare({"|".join(names): asdict(held) for names, held in found.ratios.items()}, "ratios")
        file.compare(found.minimal_alpha_distinct, "minimal_alpha_distinct")
        file.compare(found.minimal_alpha_separation, "minimal_alpha_separation")


def test_suda2(golden: Callable[..., Any]) -> None:
    with golden("10-suda2-1") as file:
        asked = file.input["parameters"]
        spec = {"id": "suda2", "max_size": None, "sampling_fraction": asked["sampling_fraction"]}
        found = sfumato.attack(file.table(), spec, qid=asked["qid"])
        assert isinstance(found, SpecialUniques)
        file.compare(found.sample_uniques, "sample_uniques")
        file.compare(found.records_in_pairs, "records_in_pairs")
        file.compare(found.dis, "dis")
        file.compare(found.msus(), "msus")
        file.compare(found.in_table_order(found.score).tolist(), "score")
        file.compare(found.in_table_order(found.score_ihsn).tolist(), "score_ihsn")
        file.compare(found.in_table_order(found.dis_score).tolist(), "dis_score")
        shares = found.in_table_order(found.contribution).tolist()
        file.compare([dict(zip(asked["qid"], share, strict=True)) for share in shares], "contribution")
        file.compare(dict(found.attribute_contribution_percent), "attribute_contribution_percent")
