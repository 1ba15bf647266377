"""Check digits: the few ways in which numbers prove themselves, on plain strings of digits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["cross_sum", "luhn", "mod_11_10", "mod_97", "real_day", "verhoeff", "weighted"]

# Products in the group of symmetries of the pentagon: 0-4 turn, 5-9 turn and flip.
_FIVE = [
    [(a + b) % 5 if a < 5 and b < 5 else (a + b - 5) % 5 + 5 if a < 5 else (a - b) % 5 + 5 if b < 5 else (a - b) % 5
     for b in range(10)]
    for a in range(10)
]  # fmt: skip
_TURN = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def luhn(digits: str) -> bool:
    """Tell whether every second digit from the right doubled, with cross sums, adds up to a multiple of ten.

    >>> luhn("79927398713"), luhn("79927398710")
    (True, False)
    """
    total = 0
    for at, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + at % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def weighted(digits: Iterable[str], weights: Sequence[int]) -> int:
    """Return the sum of digits times weights.

    >>> weighted("123", (3, 2, 1))
    10
    """
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def cross_sum(digits: Iterable[str], weights: Sequence[int]) -> int:
    """Return the sum of the cross sums of digits times weights.

    >>> cross_sum("19", (2, 2))
    11
    """
    return sum(sum(divmod(int(digit) * weight, 10)) for digit, weight in zip(digits, weights, strict=True))


def mod_11_10(digits: str) -> bool:
    """Tell whether the last digit is right by ISO 7064, MOD 11,10.

    >>> mod_11_10("07945"), mod_11_10("07946")
    (True, False)
    """
    product = 10
    for digit in digits[:-1]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (product + int(digits[-1])) % 10 == 1


def mod_97(text: str) -> int:
    """Return a text of digits and capitals (A is 10, Z is 35) as a number modulo 97, by ISO 7064, MOD 97-10."""
    return int("".join(str(int(sign, 36)) for sign in text)) % 97


def verhoeff(digits: str) -> bool:
    """Tell whether the last digit is right by Verhoeff's scheme.

    >>> verhoeff("2363"), verhoeff("2364")
    (True, False)
    """
    check = 0
    for at, sign in enumerate(reversed(digits)):
        digit = int(sign)
        for _ in range(at % 8):
            digit = _TURN[digit]
        check = _FIVE[check][digit]
    return check == 0


def real_day(year: int, month: int, day: int) -> bool:
    """Tell whether a day exists; a century that is not known is left open by a year of two digits.

    >>> real_day(0, 2, 29), real_day(1900, 2, 29), real_day(85, 13, 1)
    (True, False, False)
    """
    if not 1 <= month <= 12:
        return False
    leap = year % 4 == 0 and (year < 100 or year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
