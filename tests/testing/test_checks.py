"""The common checks catch what they promise to catch: each broken promise is broken here on purpose."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from sfumato.contracts.metric import DataMetric, Measured, MetricTraits
from sfumato.contracts.model import GroupModel, ModelTraits, at_least, at_most
from sfumato.groups.stats import GroupStats
from sfumato.metrics.igpl import IGPL
from sfumato.metrics.loss import Loss
from sfumato.models.k_anonymity import KAnonymity
from sfumato.testing import check_metric as metric_checks
from sfumato.testing import check_model as model_checks
from sfumato.testing.checks import check_docstring, check_metric, check_model, check_thing
from sfumato.testing.draws import random_groups, random_merge, random_table
from sfumato.testing.examples import example_of
from sfumato.testing.promises import generators_untouched


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


@pytest.fixture(autouse=True)
def _unlisted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The samples here are not in the catalogue: being found by id is checked on real things only."""
    from sfumato.testing import check_thing as module

    monkeypatch.setattr(module, "find", lambda name, kind=None: Anything)


class Always(type):
    """A class that is identical to every other one by comparison with ``is`` replaced; see ``_found``."""


Anything: Any = object()


def broken(words: str) -> Any:
    return pytest.raises(AssertionError, match=words)


# ---- models --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Balanced(GroupModel):
    """No group is larger than twice the bound: merging breaks it."""

    id: ClassVar[str] = "balanced"
    adversary: ClassVar[str] = "counts"
    traits: ClassVar[ModelTraits] = ModelTraits(
        prevents=frozenset({"record"}), evaluation="G", closed_under_merge=True, violations_shrink_under_merge=True
    )

    def measure(self, groups: GroupStats) -> Any:
        """Return the sizes."""
        return groups.sizes

    def bound(self) -> Any:
        """At most 12."""
        return at_most(12)
