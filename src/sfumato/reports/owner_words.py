"""What became of the owners who asked for protection, and what the others paid, in words for the publisher alone."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.reports.words import counted, number, percent

__all__ = ["owner_line", "owner_words"]


def owner_words(owners: Mapping[str, int | float]) -> list[tuple[str, str, str]]:
    """Return a row for each fact: what it is, the number, and what it means.

    ``owners`` is what an algorithm that protects single owners tells: counts of records, and how far values climbed.
    """
    asked, others = int(owners["protected"]), int(owners["others"])

    def of(part: str, whole: int) -> str:
        return f"{number(owners[part])} ({percent(owners[part], whole)})"

    return [
        ("Records", number(owners["records"]), ""),
        ("Records with an embarrassing value", of("embarrassing", int(owners["records"])), "weight 1"),
        (
            "Owners who are protected",
            of("protected", int(owners["records"])),
            "weight 1 and they mind, or gave no answer",
        ),
        ("Protected by generalization", of("by_generalization", asked), "in a block that looks like the whole table"),
        ("Protected by added rows", of("by_added_rows", asked), "in a block that rows were added to"),
        ("Protected by being left out", of("by_withholding", asked), ""),
        ("Asked, but their value has weight 0", number(owners["asked_without_weight"]), "they get no protection"),
        ("Blocks", number(owners["blocks"]), ""),
        ("Rows that were added", number(owners["rows_added"]), "they stand for nobody"),
        ("Others whose record is as it was", of("others_as_they_are", others), ""),
        ("Others in blocks", of("others_in_blocks", others), "their values became less exact"),
        ("Others who are left out", of("others_left_out", others), ""),
        (
            "Detail lost by protected owners",
            percent(owners["generalized_protected"], 1),
            "share of the way to the root",
        ),
        ("Detail lost by the others", percent(owners["generalized_others"], 1), "share of the way to the root"),
    ]


def owner_line(owners: Mapping[str, int | float]) -> str:
    """Return the same in one line.

    >>> told = dict.fromkeys(["records", "others", "others_in_blocks", "others_left_out", "rows_added"], 8)
    >>> told |= {"protected": 2, "by_generalization": 2, "by_added_rows": 0, "by_withholding": 0}
    >>> owner_line({**told, "generalized_others": 0.25}).partition(";")[0]
    'owners: 2 records protected of 8, 2 by generalization, 0 by added rows, 0 by being left out'
    """
    return (
        f"owners: {counted(int(owners['protected']), 'record')} protected of {number(owners['records'])}, "
        f"{number(owners['by_generalization'])} by generalization, {number(owners['by_added_rows'])} by added rows, "
        f"{number(owners['by_withholding'])} by being left out; of {counted(int(owners['others']), 'other')} "
        f"{number(owners['others_in_blocks'])} are in blocks and {number(owners['others_left_out'])} left out, which cost them "
        f"{percent(owners['generalized_others'], 1)} of their detail; {counted(int(owners['rows_added']), 'row')} added"
    )
