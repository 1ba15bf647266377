"""German credit (Statlog): 1,000 loans with a good or bad end.

H. Hofmann, Statlog (German Credit Data), UCI Machine Learning Repository, 1994. Columns have the short codes of Fung, Wang
and Yu (TKDE 19(5), 2007, Table III(b)); the long names are the aliases. ``Cd`` is the credit amount, ``As`` the status of
the account.
"""

from __future__ import annotations

from sfumato.data.schema import Role
from sfumato.datasets.cache import read_lines, require
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.uci import SPLITS, Split, choose, parse, typed

__all__ = ["GERMAN_TOP9", "german"]

_ALIASES = {
    "As": "Account-status",
    "Du": "Duration",
    "Ch": "Credit-history",
    "Lp": "Loan-purpose",
    "Cd": "Credit",
    "Sa": "Savings-account",
    "Em": "Employment",
    "Ir": "Installment-rate",
    "Ps": "Personal-status",
    "D": "Debtors",
    "Rt": "Residence-time",
    "Pr": "Property",
    "Ag": "Age",
    "I": "Installments",
    "H": "Housing",
    "Ec": "Existing-credits",
    "J": "Job",
    "Li": "Liable-people",
    "T": "Telephone",
    "F": "Foreign",
}
_NAMES = (*_ALIASES, "class")
_RANGES = {
    "Du": (4.0, 72.0),
    "Cd": (250.0, 18424.0),
    "Ir": (1.0, 4.0),
    "Rt": (1.0, 4.0),
    "Ag": (19.0, 75.0),
    "Ec": (1.0, 4.0),
    "Li": (1.0, 2.0),
}
_CLASSES = {"1": "good", "2": "bad"}
_TRAIN = 666

#: The nine columns that say most about the class, best first (Fung, Wang, Yu 2007, Section V-A).
GERMAN_TOP9 = ("Cd", "As", "Du", "Ch", "Sa", "I", "Lp", "D", "Pr")


def german(split: Split = "both", *, download: bool = False) -> Dataset:
    """Return the German credit table from the cache folder: 7 number and 13 category columns, nothing missing.

    Category values keep the codes of the source (``A11``...), the class is ``good`` or ``bad``. The first 666 records are
    for training, the last 334 for testing. There are no trees: categories can only be suppressed.

    Parameters
    ----------
    split
        ``"train"``, ``"test"`` or ``"both"``.
    download
        Whether the file may be fetched if it is not in the cache folder.

    Raises
    ------
    BadRequest
        If the file is not in the cache folder; the text says where to put it.
    """
    choose("split", split, SPLITS)
    require("german", download=download)
    rows = parse(read_lines("german", "german.data"), None, len(_NAMES), "german.data")
    for row in rows:
        row[-1] = _CLASSES.get(row[-1], row[-1])
    whole = Dataset(
        name="german",
        data=typed(_NAMES, rows, dict.fromkeys(_RANGES, int), "german.data"),
        roles=dict.fromkeys(_NAMES, Role.PLAIN)
        | dict.fromkeys(GERMAN_TOP9, Role.QUASI_IDENTIFIER)
        | {"class": Role.TARGET},
        source="Hofmann: Statlog (German Credit Data), UCI Machine Learning Repository, 1994 (CC BY 4.0)",
        ranges=_RANGES,
        aliases=_ALIASES,
        train=_TRAIN,
    )
    return whole if split == "both" else whole.split()[0 if split == "train" else 1]
