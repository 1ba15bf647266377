"""Documents with surrogates, recounted: what is true in them is told as in masked documents."""

from __future__ import annotations

from sfumato.text.recounts.kinds.masked_documents import counted

__all__ = ["counted"]
