"""The papers' experiments, run again: one per file, the printed figures beside ours.

An experiment has an id (``tdr-adult``), declares its options as fields and says in ``deviations`` what is known not to
agree with the paper. ``run`` returns an :class:`~sfumato.experiments.result.ExperimentResult`: claims with a verdict each,
error curves, a plot, a text; ``save`` writes them to a folder. The public tables must be in the cache folder of
:mod:`sfumato.datasets`, and scikit-learn must be installed (``pip install sfumato[experiments]``).
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from sfumato.catalogue import member

    return member(__name__, name)
