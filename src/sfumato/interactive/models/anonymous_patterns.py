"""Anonymous patterns: published supports of sets of items must not tell of a group of fewer than k persons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_least
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.itemsets.patterns import Channel, Itemset, Patterns

__all__ = ["AnonymousPatterns", "PatternVerdict", "Sanitised"]


@frozen
class PatternVerdict:
    """The channels that patterns leave; true if there is none."""

    channels: tuple[Channel, ...]

    @property
    def k_anonymous(self) -> bool:
        """Whether no group of fewer than k records follows from what is published."""
        return not self.channels

    @property
    def smallest(self) -> int | None:
        """The size of the smallest group that follows; ``None`` if none does."""
        return min((channel.count for channel in self.channels), default=None)

    def __bool__(self) -> bool:
        return self.k_anonymous


@frozen(eq=False)
class Sanitised:
    """Patterns without a channel: how far supports were raised in all, and which sets are withheld."""

    patterns: Patterns
    distortion: int
    lost: tuple[Itemset, ...]


class AnonymousPatterns(MechanismModel):
    """No group of fewer than k records follows from published supports of frequent sets.

    For published ``I < J`` the records that hold all of I and none of ``J \\ I`` number
    ``f(I, J) = sum over I <= X <= J of (-1)^|X \\ I| sup(X)``. It follows from what is published, and ``0 < f < k`` is a
    channel: frequent sets, each of many records, tell of a few. All J are looked at, the empty set (all records) included where
    it is published, and those that follow: where sup(X) = sup(X and Y), whoever holds X holds Y. Two
    ways out: :meth:`raised` reports supports as if k more records held exactly I, for each I of a channel,
    which lets every f grow by 0 or k; :meth:`withheld` keeps back every J of a channel, and what contains it. Anonymous
    patterns of raw data usually tell more than patterns of anonymized data.

    Adversary: reads the published supports.

    Examples
    --------
    >>> patterns = Patterns.mined(["ab", "ab", "ab", "ab", "a"], 2)
    >>> verdict = AnonymousPatterns(k=2).judge(patterns)
    >>> verdict.k_anonymous, verdict.channels[1].inside, verdict.channels[1].outside, verdict.smallest
    (False, ('a',), ('b',), 1)
    >>> AnonymousPatterns(k=2).withheld(patterns).lost
    (('b',), ('a', 'b'))
    >>> dict(AnonymousPatterns(k=2).raised(patterns).patterns.supports)
    {(): 7, ('a',): 7, ('b',): 4, ('a', 'b'): 4}

    References
    ----------
    Atzori, Bonchi, Giannotti, Pedreschi, "Anonymity preserving pattern discovery", 2008, doi:10.1007/s00778-006-0034-x.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 17.2.
    """

    id: ClassVar[str] = "anonymous-patterns"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"record"}), evaluation="mechanism")
    adversary: ClassVar[str] = say("adversary.anonymous-patterns")

    k: int = param(default=5, ge=1, doc="fewest records of a group that may follow")

    def judge(self, patterns: Patterns) -> PatternVerdict:
        """Return every channel of published patterns."""
        return PatternVerdict(tuple(patterns.channels(self.k)))

    def audit(self, patterns: Patterns) -> Audit:
        """Judge published patterns; ``measured`` is the smallest group that follows, or k if none is smaller."""
        found = self.judge(patterns)
        measured = self.k if found.smallest is None else found.smallest
        return self.audited(float(measured), at_least(self.k), {"channels": len(found.channels)})

    def raised(self, patterns: Patterns) -> Sanitised:
        """Return patterns whose supports are raised until no channel is left."""
        supports, before = dict(patterns.supports), sum(patterns.supports.values())
        while channels := Patterns(supports).channels(self.k):
            closed: list[Itemset] = []
            for channel in sorted(channels, key=lambda one: -len(one.inside)):  # those often fill smaller ones as well
                # k records that hold exactly one of these sets also fill this group if they have what it has, no more of it
                if any(set(one) & set(channel.within) == set(channel.inside) for one in closed):
                    continue
                closed.append(channel.inside)
                for items in supports:
                    if set(items) <= set(channel.inside):
                        supports[items] += self.k
        return Sanitised(Patterns(supports), sum(supports.values()) - before, ())

    def withheld(self, patterns: Patterns) -> Sanitised:
        """Return patterns without the sets of a channel and what contains them: the rest tells of no small group."""
        kept = dict(patterns.supports)
        while channels := Patterns(kept).channels(self.k):
            gone = {frozenset(_published(channel.within, kept)) for channel in channels}
            kept = {items: support for items, support in kept.items() if not any(one <= set(items) for one in gone)}
        return Sanitised(Patterns(kept), 0, tuple(items for items in patterns.supports if items not in kept))


def _published(within: Itemset, kept: Mapping[Itemset, int]) -> Itemset:
    """Return a set as it is published; of one that follows from others the largest published part, the rarest of these."""
    parts = (items for items in kept if set(items) <= set(within))
    return min(parts, key=lambda items: (-len(items), kept[items], items))
