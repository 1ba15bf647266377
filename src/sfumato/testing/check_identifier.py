"""What every recogniser promises: its examples, its check digit, and that chance fools it no more than it says."""

from __future__ import annotations

from math import sqrt

import numpy as np

from sfumato.contracts.identifier import SAFE_HARBOR, Identifier, evidence
from sfumato.testing.check_thing import check_json, check_thing
from sfumato.testing.promises import generators_untouched, promise

__all__ = ["check_identifier"]

TRIES = 2000
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# What reaches a recogniser when a column holds something else; all of it must be answered, none of it may match.
_FOREIGN = ("", " ", "*", "?", "[30-40)", "902**", "\x00", "-", "0", "\u0663\u0664", "🙂")


def check_identifier(identifier: Identifier, rng: np.random.Generator) -> None:
    """Check a recogniser of one kind of identifier.

    It takes its own examples, refuses its look-alikes, labels and blanks, and answers the same for the same text whatever
    stands beside it. What tells is a match, and what matches fits. A check digit that is claimed refuses a changed one, and
    random numbers of the same form pass no more often than the declared chance. It can be told by name or by content.
    """
    check_thing(identifier)
    check_json(identifier)
    traits, examples = identifier.traits, identifier.examples
    promise(traits.category in SAFE_HARBOR, identifier, "the category is one of the eighteen")
    promise(
        all(len(code) == 2 and code.isupper() for code in traits.countries), identifier, "countries are two letters"
    )
    promise(bool(identifier.words) or traits.chance < 1, identifier, "it can be told by name or by content")
    promise(bool(examples), identifier, "there are examples")
    with generators_untouched(identifier):
        promise(identifier.matches(examples).all(), identifier, "the examples match")
        promise(not identifier.matches(identifier.look_alikes).any(), identifier, "look-alikes do not match")
        promise(not identifier.matches(_FOREIGN).any(), identifier, "labels, signs and blanks do not match")
        mixed = [*_FOREIGN, *examples, *identifier.look_alikes]
        order = rng.permutation(len(mixed))
        turned = identifier.matches([mixed[at] for at in order])
        promise(np.array_equal(turned, identifier.matches(mixed)[order]), identifier, "every text is judged by itself")
        for text in mixed:
            told, matched, fitting = identifier.telling(text), identifier.match(text), identifier.fits(text)
            promise(matched or not told, identifier, "what tells is a match")
            promise(fitting or not matched, identifier, "what matches fits")
        if traits.chance < 1:
            promise(any(map(identifier.telling, examples)), identifier, "an example tells by itself")
            promise(evidence(1000, 1000, traits.chance) > 0, identifier, "a full column speaks against chance")
        if identifier.inside is not None:
            telling = [text for text in examples if identifier.telling(text)]
            held = [f"Please note: {text} is on file" for text in telling]
            promise(any(map(identifier.search, held)), identifier, "it is found inside a longer text")
            promise(
                not identifier.search("Please note: nothing is on file"), identifier, "nothing is found in plain words"
            )
        if traits.checksum:
            _check_digit(identifier, rng)


def _check_digit(identifier: Identifier, rng: np.random.Generator) -> None:
    """Change each digit of each example, and draw numbers of the same form: few may pass."""
    chance = identifier.traits.chance
    promise(chance <= 0.15, identifier, "a check digit leaves little to chance")
    for text in identifier.examples:
        changed = [
            text[:at] + str((int(sign) + step) % 10) + text[at + 1 :]
            for at, sign in enumerate(text)
            if sign.isdigit()
            for step in range(1, 10)
        ]
        passed = int(identifier.matches(changed).sum())
        promise(passed <= chance * len(changed), identifier, "a changed digit is refused")
        drawn = ["".join(_other(sign, rng) for sign in text) for _ in range(TRIES)]
        most = chance * TRIES + 5 * sqrt(chance * TRIES) + 1
        promise(identifier.matches(drawn).sum() <= most, identifier, "random numbers pass no more often than declared")


def _other(sign: str, rng: np.random.Generator) -> str:
    if sign.isdigit():
        return str(rng.integers(10))
    if sign.isalpha():
        drawn = _LETTERS[rng.integers(26)]
        return drawn if sign.isupper() else drawn.lower()
    return sign
