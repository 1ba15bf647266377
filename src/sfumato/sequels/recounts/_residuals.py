"""What attacks on a growing table leave to each target, in plain words: the records of each value that can be hers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sfumato.errors import BadRequest
from sfumato.sequels.recounts._texts import Label, Parents, Release, path, tops

__all__ = ["Target", "residuals"]

Target = tuple[Label, ...]
"""The classes that a target is in, one of each release since she came."""

Residual = Mapping[str, int]


def residuals(releases: Sequence[Release], parents: Sequence[Parents]) -> dict[Target, Residual]:
    """Return the records left to everybody who can be in the releases, by the classes that she is in since she came.

    Of a value she can have as many records as the class that has fewest of it. A newcomer, who is sought in one release, has
    those in it that people of before leave room for; she is sought where that leaves fewest.
    """
    last = len(releases) - 1
    found: dict[Target, Residual] = {}
    here: dict[Target, Label] = {(key,): key for key in releases[last]}
    for since in range(last, -1, -1):
        if since < last:
            here = _met(releases[since], here, parents)
        room = {
            sought: [_room(releases[before], releases[sought], parents) for before in range(since)]
            for sought in range(since, last + 1 if since else 1)
        }
        came = not since or _rows(releases[since]) > _rows(releases[since - 1])
        for target in here if came else ():
            left = [_least(releases, target, since, sought, held) for sought, held in room.items()]
            found[target] = min(left, key=lambda one: sum(one.values()))
    return found


def _least(
    releases: Sequence[Release], target: Target, since: int, sought: int, room: Sequence[Mapping[Label, Residual]]
) -> Residual:
    """Return the fewest records of each value in a target's classes, and in the room that is left where she is sought."""
    held = [releases[since + at][key] for at, key in enumerate(target)]
    held += [one[target[sought - since]] for one in room]
    return {value: least for value in held[0] if (least := min(one.get(value, 0) for one in held))}


def _met(release: Release, later: Mapping[Target, Label], parents: Sequence[Parents]) -> dict[Target, Label]:
    """Return the targets who are in a class of a release and in those of later ones, with the lowest labels of all."""
    out: dict[Target, Label] = {}
    for mine, theirs in _regions(list(release), list(later.values()), parents):
        lowest = set(theirs)
        for target, label in later.items():
            if label in lowest:
                out |= {(key, *target): tuple(map(_lower, key, label, parents)) for key in mine}
    return out


def _lower(one: str, other: str, above: Parents) -> str:
    return one if other in path(one, above) else other


def _room(before: Release, after: Release, parents: Sequence[Parents]) -> dict[Label, Residual]:
    """Return how many records of each value people of before leave in each class of a later release."""
    out: dict[Label, Residual] = {}
    for old, new in _regions(list(before), list(after), parents):
        past, now = (
            sum((Counter(release[key]) for key in keys), Counter[str]())
            for release, keys in ((before, old), (after, new))
        )
        if any(count > now[value] for value, count in past.items()):
            raise BadRequest("a later release is not about everybody of an earlier one", parameter="series")
        for key in new:
            out[key] = {value: min(count, now[value] - past[value]) for value, count in after[key].items()}
    return out


def _regions(
    one: Sequence[Label], two: Sequence[Label], parents: Sequence[Parents]
) -> list[tuple[list[Label], list[Label]]]:
    """Return the labels of two cuts by what they can share: those with the same topmost shown labels in every column."""
    top = [tops({key[at] for key in (*one, *two)}, above) for at, above in enumerate(parents)]
    found: dict[Label, tuple[list[Label], list[Label]]] = {}
    for side, keys in enumerate((one, two)):
        for key in dict.fromkeys(keys):
            place = tuple(top[at][label] for at, label in enumerate(key))
            found.setdefault(place, ([], []))[side].append(key)
    return list(found.values())


def _rows(release: Release) -> int:
    return sum(sum(held.values()) for held in release.values())
