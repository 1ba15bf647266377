"""What a page shows beside the release and its certificate: what was tried on it, and what it was compared with.

Everything here is plain data without a value of a single person, so that it can lie in the private folder and a page can be
made again without the raw table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.contracts.finding import Findings

__all__ = ["Evidence"]


@dataclass(frozen=True)
class Evidence:
    """The findings of an audit, distributions before masking, what the release is still good for, and the run.

    ``public`` asks for the edition that may leave the house. ``untried`` says why there are no findings. ``before`` is what
    :func:`sfumato.reports.pooled.pooled_columns` gave of the raw table. ``utility`` may hold ``queries`` and
    ``classification``. ``run`` says where the input was and what its fingerprint is. ``signed``: a signature lies beside the
    certificate.
    """

    public: bool = False
    findings: Findings | None = None
    untried: str | None = None
    before: Mapping[str, Any] | None = None
    utility: Mapping[str, Any] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)
    signed: bool = False
