"""Japanese credit screening (crx): 690 applications, columns and values made meaningless by the source.

J. R. Quinlan, Credit Approval, UCI Machine Learning Repository, 1987. No package of the Python index carries the file, so
it has to be put into the cache folder by hand.
"""

from __future__ import annotations

from sfumato.data.schema import Role
from sfumato.datasets.cache import read_lines, require
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.uci import MISSING, SPLITS, Missing, Split, choose, parse, typed, without_missing

__all__ = ["CRX_TOP9", "crx"]

_NAMES = tuple(f"A{number}" for number in range(1, 17))
_TYPES = {"A2": float, "A3": float, "A8": float, "A11": int, "A14": int, "A15": int}
_TRAIN = 490

#: The nine columns that say most about the class, best first (Fung, Wang, Yu 2007, Section V-A).
CRX_TOP9 = ("A9", "A11", "A10", "A8", "A15", "A7", "A14", "A6", "A5")


def crx(split: Split = "both", missing: Missing = "drop", *, download: bool = False) -> Dataset:
    """Return the credit screening table from the cache folder: 6 number and 9 category columns, class ``A16``.

    The first 490 records are for training, the last 200 for testing; without those that miss a value 465 and 188 stay.

    Parameters
    ----------
    split
        ``"train"``, ``"test"`` or ``"both"``.
    missing
        ``"drop"`` leaves out records with a missing value, ``"keep"`` keeps them with ``None``.
    download
        There is nowhere to fetch the file from; the refusal says so. It is here so that all loaders are called alike.

    Raises
    ------
    BadRequest
        If the file is not in the cache folder; the text says where to put it.
    """
    choose("split", split, SPLITS)
    choose("missing", missing, MISSING)
    require("crx", download=download)
    rows = parse(read_lines("crx", "crx.data"), ",", len(_NAMES), "crx.data")
    parts = [rows[:_TRAIN], rows[_TRAIN:]]
    if missing == "drop":
        parts = [without_missing(part) for part in parts]
    whole = Dataset(
        name="crx",
        data=typed(_NAMES, parts[0] + parts[1], _TYPES, "crx.data"),
        roles=dict.fromkeys(_NAMES, Role.PLAIN) | dict.fromkeys(CRX_TOP9, Role.QUASI_IDENTIFIER) | {"A16": Role.TARGET},
        source="Quinlan: Credit Approval, UCI Machine Learning Repository, 1987 (CC BY 4.0)",
        train=len(parts[0]),
    )
    return whole if split == "both" else whole.split()[0 if split == "train" else 1]
