"""Set-valued data: one basket of items for each person, such as purchases, diagnoses or search words."""

from __future__ import annotations

from sfumato.transactions.baskets import Baskets

__all__ = ["Baskets"]
