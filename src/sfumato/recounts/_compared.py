"""Groups beside the whole table: counts of each sensitive text here and there."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Histogram, Number, Text, counts_of, number

__all__ = ["compared"]


def compared(
    groups: Groups, missing: str, whole: Histogram | None
) -> tuple[list[dict[Text, Number]], dict[Text, Number]]:
    """Return the counts of each group and of the table: that before records were left out, or all groups together.

    What was counted before may spell a number differently; the text of the files counts.
    """
    held = counts_of(groups, missing)
    table: dict[Text, Number] = {}
    if whole is None:
        for texts in held:
            for text, count in texts.items():
                table[text] = table.get(text, 0) + count
        return held, table
    written = {text for texts in held for text in texts}
    spelled = {number(text): text for text in written - set(whole) if number(text) is not None}
    for text, count in whole.items():
        read = None if text in written else number(text)
        table[text if read is None else spelled.get(read, text)] = count
    return held, {**dict.fromkeys(written, 0), **table}
