"""Redaction of codes: characters are hidden one level after the other, 13053, 1305*, 130**, ..., *."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import accumulate
from numbers import Integral
from typing import ClassVar

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import param
from sfumato.data.compressed import Dictionary
from sfumato.data.schema import ColumnType
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.hierarchies._computed import tree_of_paths

__all__ = ["Redaction"]


class Redaction(HierarchyBuilder):
    """Codes lose one or more characters per level.

    At level i the first ``s_1 + ... + s_i`` characters, counted from the hidden end, are replaced by the marker; the rest
    of the code is kept. A code with nothing left is the root ``*``. A code may not hold the marker, so no code looks like
    a label and a label tells how much it hides.

    Codes of different length: without ``length`` each code counts from its own end, and codes of different length meet
    in the root only. With ``length`` n a code of m < n characters counts as one whose n - m characters at the hidden end
    are blank. It stands for itself up to the first level that keeps m characters or fewer, and joins the others there:
    with n = 3 both ``13`` and ``130`` become ``13*``. Longer codes are refused.

    Examples
    --------
    >>> Redaction().path("13053")
    ('13053', '1305*', '130**', '13***', '1****', '*')
    >>> Redaction(length=5, steps=(2, 1)).path("130")
    ('130', '130**', '13***', '*')
    >>> Redaction(keep="suffix", steps=(3,)).path("13053")
    ('13053', '***53', '*')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", 2002, figure 2,
    doi:10.1142/S021848850200165X.
    """

    id: ClassVar[str] = "redaction"

    keep: str = param(
        default="prefix", choices=("prefix", "suffix"), doc="the end of the code that stays readable longest"
    )
    steps: tuple[int, ...] | None = param(default=None, doc="characters hidden at each level; by default one each")
    marker: str = param(default="*", doc="the character that stands for a hidden one")
    length: int | None = param(default=None, ge=1, doc="length of the longest code; by default each code has its own")

    @classmethod
    def proposed(cls, dictionary: Dictionary, kind: ColumnType) -> Redaction | None:
        """Propose to hide characters from the right for texts that are all digits of one length, such as postal codes."""
        if kind != ColumnType.TEXT:
            return None
        codes = [str(value) for value in dictionary.values]
        length = len(codes[0])
        if length < 3 or not all(len(code) == length and code.isascii() and code.isdigit() for code in codes):
            return None
        return Redaction(length=length)

    def validate(self) -> None:
        """Refuse a marker that is no character and steps that hide nothing or too much."""
        if len(self.marker) != 1:
            raise BadRequest("must be one character", parameter=f"{self.id}.marker", value=self.marker)
        if self.steps is None:
            return
        if not self.steps or any(step < 1 for step in self.steps):
            raise BadRequest("must hide at least one character each", parameter=f"{self.id}.steps", value=self.steps)
        if self.length is not None and sum(self.steps) > self.length:
            rule = f"must not hide more than length, {self.length}, characters"
            raise BadRequest(rule, parameter=f"{self.id}.steps", value=self.steps)

    def path(self, value: Hashable) -> tuple[str, ...]:
        """Return the code, what is left of it at each level, and the root."""
        if isinstance(value, bool) or not isinstance(value, (str, Integral)):
            raise KeyError(value)
        code = str(value)
        length = len(code) if self.length is None else self.length
        if self.marker in code or code == "*" or len(code) > length:
            raise KeyError(value)
        hidden = range(1, length) if self.steps is None else accumulate(self.steps)
        kept = [length - count for count in hidden if 0 < length - count <= len(code)]
        return (code, *(self._label(code, count, length) for count in kept), "*")

    def _label(self, code: str, kept: int, length: int) -> str:
        marks = self.marker * (length - kept)
        return code[:kept] + marks if self.keep == "prefix" else marks + code[len(code) - kept :]

    def build(self, values: Sequence[Hashable], *, column: str = "") -> Tree:
        """Return the tree over the codes; what is no such code is refused all at once."""
        most = "" if self.length is None else f" of at most {self.length} characters"
        rule = f"must be a code{most} without {self.marker!r}"
        return tree_of_paths(self.path, values, column=column, rule=rule)
