"""Several views of one table: what recipients learn who put together what each of them was given alone."""

from __future__ import annotations

from sfumato.views.view import View
from sfumato.views.view_set import ViewSet

__all__ = ["View", "ViewSet"]
