"""Metrics on documents: what they read, the texts before and after masking side by side."""

from __future__ import annotations

from sfumato.contracts.metric import ReleaseMetric
from sfumato.data.frozen import frozen
from sfumato.text.documents import Documents

__all__ = ["MaskedTexts", "TextMetric"]


@frozen(eq=False)
class MaskedTexts:
    """Documents before and after masking, in the same order."""

    before: Documents
    after: Documents


class TextMetric(ReleaseMetric[MaskedTexts]):
    """Scores masked documents beside those before."""
