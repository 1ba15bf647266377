"""Adult (census income, 1994): the table most anonymization papers are measured on.

R. Kohavi and B. Becker, Adult, UCI Machine Learning Repository, 1996. Its trees are ours: they have the numbers of leaves
and levels that Fung, Wang and Yu print for theirs (TKDE 19(5), 2007, Table III(a)), except that native-country has the 41
values of the data instead of 40.
"""

from __future__ import annotations

import json
from importlib.resources import files

from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.datasets.cache import read_lines, require
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.uci import MISSING, SPLITS, Missing, Split, choose, parse, typed, without_missing

__all__ = ["ADULT_TOP9", "adult", "adult_taxonomies"]

# Each column with the code the top-down refinement paper gives it.
_ALIASES = {
    "age": "Ag",
    "workclass": "W",
    "fnlwgt": "Fw",
    "education": "E",
    "education-num": "En",
    "marital-status": "M",
    "occupation": "O",
    "relationship": "Re",
    "race": "Ra",
    "sex": "S",
    "capital-gain": "Cg",
    "capital-loss": "Cl",
    "hours-per-week": "H",
    "native-country": "N",
}
_NAMES = (*_ALIASES, "class")
_INTEGERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
_RANGES = {
    "age": (17.0, 90.0),
    "fnlwgt": (13492.0, 1490400.0),
    "education-num": (1.0, 16.0),
    "capital-gain": (0.0, 99999.0),
    "capital-loss": (0.0, 4356.0),
    "hours-per-week": (1.0, 99.0),
}
_QUASI_IDENTIFIERS = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
)

#: The nine columns that say most about the class, best first (Fung, Wang, Yu 2007, Section V-A).
ADULT_TOP9 = (
    "capital-gain",
    "age",
    "marital-status",
    "education-num",
    "relationship",
    "hours-per-week",
    "sex",
    "education",
    "occupation",
)


def adult_taxonomies() -> dict[str, dict[str, Json]]:
    """Return the trees of the eight categorical columns, by column."""
    text = files("sfumato.datasets").joinpath("adult_taxonomies.json").read_text(encoding="utf-8")
    trees: dict[str, dict[str, Json]] = json.loads(text)
    return trees


def adult(split: Split = "both", missing: Missing = "drop", *, download: bool = False) -> Dataset:
    """Return the Adult table from the cache folder.

    Quasi-identifiers are the eight columns of Iyengar's experiment (SIGKDD 2002), the class is the target, all others are
    plain. Without the records that miss a value there are 30,162 for training and 15,060 for testing.

    Parameters
    ----------
    split
        ``"train"``, ``"test"``, or ``"both"``: training rows first, ``train`` of the result says how many.
    missing
        ``"drop"`` leaves out records with a missing value, ``"keep"`` keeps them with ``None``.
    download
        Whether the files may be fetched if they are not in the cache folder.

    Raises
    ------
    BadRequest
        If the files are not in the cache folder; the text says where to put them.
    """
    choose("split", split, SPLITS)
    choose("missing", missing, MISSING)
    require("adult", download=download)
    rows: list[list[str]] = []
    train = 0
    for part, file in (("train", "adult.data"), ("test", "adult.test")):
        if split in ("both", part):
            # The test file opens with a comment line that starts with a bar.
            lines = [line for line in read_lines("adult", file) if not line.startswith("|")]
            cells = parse(lines, ",", len(_NAMES), file)
            rows += without_missing(cells) if missing == "drop" else cells
            train = len(rows) if part == "train" else train
    for row in rows:
        row[-1] = row[-1].rstrip(".")  # the labels of the test file end in a full stop
    roles = dict.fromkeys(_NAMES, Role.PLAIN) | dict.fromkeys(_QUASI_IDENTIFIERS, Role.QUASI_IDENTIFIER)
    return Dataset(
        name="adult",
        data=typed(_NAMES, rows, dict.fromkeys(_INTEGERS, int), "adult"),
        roles=roles | {"class": Role.TARGET},
        taxonomies=adult_taxonomies(),
        source="Becker, Kohavi: Adult, UCI Machine Learning Repository, 1996 (CC BY 4.0)",
        # The printed ranges are those of the complete records.
        ranges=_RANGES if missing == "drop" else {},
        aliases=_ALIASES,
        train=train if split == "both" else None,
    )
