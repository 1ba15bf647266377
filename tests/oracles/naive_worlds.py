"""Combinations of values, possible worlds and beliefs, counted one by one with exact fractions.

A bucket is a list of sensitive values, one per person. A world gives every person of every bucket one of the bucket's values;
all worlds are equally likely unless a weight says otherwise. A set of worlds is a whole number whose bits are the worlds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

__all__ = [
    "assignment_posterior",
    "breach",
    "free_form",
    "lkc",
    "max_disclosure",
    "publisher_credibility",
    "share_over_worlds",
    "skyline_confidence",
    "worlds",
]

Rows = Sequence[Sequence[Any]]
Bucket = Sequence[Hashable]


# ---- combinations of values ------------------------------------------------------------------------------------------


def lkc(
    rows: Rows, qid: Sequence[int], L: int, secret: int | None = None, values: Iterable[Any] | None = None
) -> tuple[int, Fraction]:
    """Return the smallest count and the largest confidence over all combinations of 1 to L values; None is absent."""
    smallest, surest = len(rows), Fraction(0)
    for size in range(1, min(L, len(qid)) + 1):
        for chosen in combinations(qid, size):
            for key in {tuple(row[i] for i in chosen) for row in rows}:
                if None in key:
                    continue
                matching = [row for row in rows if tuple(row[i] for i in chosen) == key]
                smallest = min(smallest, len(matching))
                if secret is not None:
                    for value in {row[secret] for row in rows} if values is None else values:
                        having = sum(row[secret] == value for row in matching)
                        surest = max(surest, Fraction(having, len(matching)))
    return smallest, surest


def free_form(
    rows: Rows, at: int, value: Any, hidden: set[tuple[int, Any]], most: int | None = None
) -> tuple[Fraction, int]:
    """Return the highest P(X -> value) over sets X of observable values, and how many records match the best X."""
    columns = [i for i in range(len(rows[0])) if i != at]
    best = (Fraction(0), len(rows))
    for size in range((len(columns) if most is None else min(most, len(columns))) + 1):
        for chosen in combinations(columns, size):
            for key in {tuple(row[i] for i in chosen) for row in rows}:
                if any((i, v) in hidden for i, v in zip(chosen, key, strict=True)):
                    continue
                matching = [row for row in rows if tuple(row[i] for i in chosen) == key]
                share = Fraction(sum(row[at] == value for row in matching), len(matching))
                best = max(best, (share, len(matching)))
    return best


def breach(group: Sequence[Any], node: Any, leaves: Callable[[Any], set[Any]], reading: str) -> Fraction:
    """Return the chance that a random record's random leaf lies below a node, or the likeliest single leaf below it."""
    chance: Counter[Any] = Counter()
    for value in group:
        for leaf in leaves(value):
            chance[leaf] += Fraction(1, len(group) * len(leaves(value)))
    below = [chance[leaf] for leaf in leaves(node)]
    return Fraction(sum(below) if reading == "union" else max(below))


# ---- equally likely worlds -------------------------------------------------------------------------------------------


def worlds(buckets: Sequence[Bucket]) -> list[tuple[Hashable, ...]]:
    """List the worlds: the values of all persons, bucket after bucket."""
    arranged = [sorted(set(permutations(bucket)), key=str) for bucket in buckets]
    return [tuple(value for part in chosen for value in part) for chosen in product(*arranged)]


def atoms(buckets: Sequence[Bucket]) -> tuple[int, list[dict[Hashable, int]]]:
    """Return the set of all worlds, and for each person the set of worlds in which she has each value of her bucket."""
    listed = worlds(buckets)
    people = [bucket for bucket in buckets for _ in bucket]
    found: list[dict[Hashable, int]] = [dict.fromkeys(bucket, 0) for bucket in people]
    for number, world in enumerate(listed):
        for person, value in enumerate(world):
            found[person][value] |= 1 << number
    return (1 << len(listed)) - 1, found


def max_disclosure(buckets: Sequence[Bucket], k: int) -> Fraction:
    """Return the largest P(atom | k implications between atoms), over all sets of k of them that some world fulfils."""
    every, people = atoms(buckets)
    known = sorted({mask for person in people for mask in person.values()})
    rules = sorted({(every & ~one) | other for one in known for other in known})
    best = Fraction(0)
    for given in product(rules, repeat=k) if k < 2 else combinations([every, *rules], k):
        left = every
        for rule in given:
            left &= rule
        if left:
            best = max(best, max(Fraction((left & atom).bit_count(), left.bit_count()) for atom in known))
    return best


def skyline_confidence(
    buckets: Sequence[Bucket], sigma: Hashable, l: int, k: int, m: int, reading: str = "implication"
) -> list[Fraction]:
    """Return, for each bucket, the highest confidence that a member has sigma under knowledge of at most (l,k,m)."""
    every, people = atoms(buckets)
    out = []
    first = 0
    for bucket in buckets:
        victim, first = first, first + len(bucket)
        others = [person for person in range(len(people)) if person != victim]
        target = people[victim].get(sigma, 0)
        best = Fraction(0)
        for excluded in _up_to([value for value in people[victim] if value != sigma], l):
            lacking = every
            for value in excluded:
                lacking &= ~people[victim][value]
            for known in _up_to(others, k):
                for told in product(*(people[person].values() for person in known)):
                    knowing = lacking
                    for mask in told:
                        knowing &= mask
                    for tied in _up_to([person for person in others if person not in known], m):
                        left = knowing
                        for person in tied:
                            left &= _tie(people, person, victim, sigma, every, reading)
                        if left:
                            best = max(best, Fraction((left & target).bit_count(), left.bit_count()))
        out.append(best)
    return out


def _tie(
    people: Sequence[Mapping[Hashable, int]], person: int, victim: int, sigma: Hashable, every: int, reading: str
) -> int:
    if reading == "implication":
        return (every & ~people[person].get(sigma, 0)) | people[victim].get(sigma, 0)
    same = 0
    for value, mask in people[person].items():
        same |= mask & people[victim].get(value, 0)
    return same


def _up_to(items: Sequence[Any], most: int) -> Iterator[tuple[Any, ...]]:
    for size in range(min(most, len(items)) + 1):
        yield from combinations(items, size)


def share_over_worlds(buckets: Sequence[tuple[Sequence[Any], Bucket]]) -> dict[Any, dict[Hashable, Fraction]]:
    """Return the mean, over worlds, of the share of each value among persons with the same quasi-identifier."""
    people = [person for persons, _ in buckets for person in persons]
    listed = worlds([values for _, values in buckets])
    out: dict[Any, dict[Hashable, Fraction]] = {person: {} for person in people}
    for world in listed:
        for person, value in zip(people, world, strict=True):
            weight = Fraction(1, len(listed) * people.count(person))
            out[person][value] = out[person].get(value, Fraction(0)) + weight
    return out


# ---- weighted worlds -------------------------------------------------------------------------------------------------


def assignment_posterior(
    priors: Sequence[Mapping[Hashable, Fraction]], values: Bucket
) -> list[dict[Hashable, Fraction]]:
    """Return each record's distribution over the assignments of a group's values, weighted by the product of priors."""
    total = Fraction(0)
    out: list[dict[Hashable, Fraction]] = [dict.fromkeys(values, Fraction(0)) for _ in priors]
    for world in sorted(set(permutations(values)), key=str):
        weight = Fraction(1)
        for prior, value in zip(priors, world, strict=True):
            weight *= prior.get(value, Fraction(0))
        total += weight
        for record, value in zip(out, world, strict=True):
            record[value] += weight
    return [{value: weight / total for value, weight in record.items()} for record in out]


def publisher_credibility(
    groups: Sequence[tuple[Sequence[Any], Bucket]], would_publish: Callable[[list[tuple[Any, Hashable]]], bool]
) -> tuple[int, int, list[dict[Hashable, Fraction]]]:
    """Return the worlds before and after asking the publisher, and each person's distribution over the latter.

    A world is asked as the raw table: a list of (quasi-identifier, value), person by person.
    """
    people = [person for persons, _ in groups for person in persons]
    listed = worlds([values for _, values in groups])
    kept = [world for world in listed if would_publish(list(zip(people, world, strict=True)))]
    believed: list[dict[Hashable, Fraction]] = [{} for _ in people]
    for world in kept:
        for person, value in enumerate(world):
            believed[person][value] = believed[person].get(value, Fraction(0)) + Fraction(1, len(kept))
    return len(listed), len(kept), believed
