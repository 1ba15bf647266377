"""Publish marginals beside a release: which of them can go, and what each buys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sfumato.contracts.published import Release
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.publishing.published import open_published
from sfumato.tables.open import open_table
from sfumato.tables.policy import Policy
from sfumato.views.marginal_release import marginals_beside
from sfumato.views.models.marginal_privacy_check import MarginalPrivacyCheck

__all__ = ["marginals"]


def marginals(
    source: object,
    policy: Policy | Mapping[str, object] | str | Path,
    *,
    beside: object,
    k: int | None = None,
    l: int | None = None,
    depth: int = 1,
    most: int | None = None,
    run: Run | None = None,
) -> Release:
    """Return marginals of a table that go beside an anonymous release of it, chosen greedily and certified with it.

    ``beside`` is the release, its folder or its table. ``k`` and ``l`` are what classes must keep of persons and of sensitive
    values; k is that of the policy, and l is 2, if not given. ``depth`` is that of ``marginal-privacy-check``, ``most`` the
    largest number of marginals.

    >>> rows = {"age": [31, 38, 39, 52, 57, 58], "ill": ["Flu", "HIV", "Flu", "Flu", "HIV", "Flu"]}
    >>> policy = {
    ...     "columns": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
    ...     "requirements": [{"id": "k-anonymity", "k": 3}],
    ... }
    >>> from sfumato.engines import read
    >>> base = read({"age": ["[30-60)"] * 6, "ill": ["Flu", "HIV", "Flu", "Flu", "HIV", "Flu"]})
    >>> beside = marginals(rows, policy, beside=base, k=1, l=1)
    >>> [one.marginal for one in beside.private.facts.choices]
    ['age-ill']
    """
    asked = Policy.of(policy)
    told = [spec["k"] for spec in asked.requirements if isinstance(spec.get("k"), int)]
    least = k if k is not None else max((int(str(one)) for one in told), default=None)
    if least is None and l is None:
        raise BadRequest("say how many persons or values a class must keep", parameter="k")
    model = MarginalPrivacyCheck(k=least, l=2 if l is None else l, depth=depth)
    going = Run.of(run)
    table = open_table(source, asked, run=going)
    return marginals_beside(table, asked, open_published(beside), model, most=most, run=going)
