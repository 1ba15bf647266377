"""What the algorithms on views take."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.contracts.model import Model
from sfumato.data.frozen import frozen
from sfumato.views.view_set import ViewSet

__all__ = ["ViewTask"]


@frozen(eq=False)
class ViewTask:
    """The views with their answers, and what must hold of all of them together."""

    views: ViewSet
    models: Sequence[Model[ViewSet]]
