"""Check digits in a second formulation, and numbers that issuers publish as examples."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.catalogue import find
from sfumato.contracts.identifier import Identifier
from sfumato.identifiers._check_digits import cross_sum, luhn, mod_11_10, mod_97, real_day, verhoeff, weighted

# Specimens of laws, standards and issuers; none belongs to a person.
PUBLISHED = {
    "us-npi": ["1234567893"],
    "us-mbi": ["1EG4-TE5-MK73"],
    "us-dea": ["AB1234563"],
    "payment-card": ["4111111111111111", "5555555555554444", "378282246310005", "6011111111111117", "30569309025904"],
    "iban": [
        "GB82WEST12345698765432",
        "DE89370400440532013000",
        "FR1420041010050500013M02606",
        "CH9300762011623852957",
    ],
    "vin": ["1M8GDM9AXKP042788", "11111111111111111"],
    "imei": ["490154203237518"],
    "uk-nhs-number": ["943 476 5919", "943 476 5870"],
    "de-tax-id": ["86095742719", "47036892816", "65929970489", "57549285017", "25768131411"],
    "de-social-insurance": ["15070649C103", "65170839J003"],
    "de-health-insurance": ["A123456780"],
    "fr-nir": ["255081416802538"],
    "es-dni-nie": ["12345678Z", "X1234567L"],
    "it-codice-fiscale": ["RSSMRA85T10A562S", "MRTMTT25D09F205Z"],
    "nl-bsn": ["111222333"],
    "pl-pesel": ["44051401359"],
    "se-personnummer": ["811218-9876"],
    "fi-hetu": ["131052-308T"],
    "no-fodselsnummer": ["15108695088"],
    "be-national-number": ["85073003328"],
    "pt-nif": ["123456789"],
    "ch-ahv": ["756.9217.0769.85"],
    "at-svnr": ["1237 010180"],
    "ie-pps": ["1234567T", "1234567FA"],
    "cz-birth-number": ["710319/2745"],
    "hr-oib": ["33392005961", "69435151530"],
    "ee-personal-code": ["37605030299", "38703181745"],
    "bg-egn": ["7523169263"],
    "ro-cnp": ["1630615123457"],
    "gr-amka": ["01013099997"],
    "tr-tckn": ["10000000146"],
    "ca-sin": ["046 454 286"],
    "au-tfn": ["123456782"],
    "au-medicare": ["2123 45670 1"],
    "br-cpf": ["111.444.777-35", "529.982.247-25"],
    "cl-rut": ["12.345.678-5", "30686957-4"],
    "mx-curp": ["BOXW310820HNERXN09", "HEGG560427MVZRRL04"],
    "in-aadhaar": ["999941057058"],
    "cn-resident-id": ["11010519491231002X", "440524188001010014"],
    "jp-my-number": ["123456789018"],
    "sg-nric": ["S1234567D"],
    "hk-id": ["A123456(3)"],
    "za-id": ["8001015009087"],
}


def recogniser(name: str) -> Identifier:
    built = find(name, "identifier")()
    assert isinstance(built, Identifier)
    return built


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_numbers_are_recognised(name: str) -> None:
    assert recogniser(name).matches(PUBLISHED[name]).all()


def test_every_checksum_has_a_published_number() -> None:
    from sfumato.catalogue import things

    claimed = {thing.id for thing in things("identifier") if thing.traits.checksum}  # type: ignore[attr-defined]
    assert claimed <= set(PUBLISHED)


# ---- the same rules, written in another way ---------------------------------------------------------------------------


def drawn(length: int, count: int = 3000, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return ["".join(map(str, row)) for row in rng.integers(0, 10, (count, length))]


def test_luhn_by_a_table_of_doubled_digits() -> None:
    doubled = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
    for number in drawn(16):
        odd, even = number[::-1][::2], number[::-1][1::2]
        assert luhn(number) == ((sum(map(int, odd)) + sum(doubled[int(d)] for d in even)) % 10 == 0)


def test_verhoeff_by_permutations_of_the_pentagon() -> None:
    """A digit below five turns the pentagon, one from five on flips it as well; products are compositions of mappings."""

    def corner(digit: int, at: int) -> int:
        return (at + digit) % 5 if digit < 5 else (digit - at) % 5

    def compose(one: int, other: int) -> int:
        image = tuple(corner(one, corner(other, at)) for at in range(5))
        return next(d for d in range(10) if tuple(corner(d, at) for at in range(5)) == image)

    turn = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)
    for number in drawn(12, 300):
        check = 0
        for place, sign in enumerate(reversed(number)):
            digit = int(sign)
            for _ in range(place % 8):
                digit = turn[digit]
            check = compose(check, digit)
        assert verhoeff(number) == (check == 0)


def test_verhoeff_finds_every_changed_digit_and_every_swap_of_neighbours() -> None:
    for start in drawn(11, 40):
        whole = next(start + str(d) for d in range(10) if verhoeff(start + str(d)))
        for at in range(12):
            others = [whole[:at] + str(d) + whole[at + 1 :] for d in range(10) if str(d) != whole[at]]
            assert not any(map(verhoeff, others))
        for at in range(11):
            swapped = whole[:at] + whole[at + 1] + whole[at] + whole[at + 2 :]
            assert swapped == whole or not verhoeff(swapped)


def test_mod_97_by_pieces() -> None:
    rest = 0
    for sign in "WEST12345698765432GB82":
        for digit in str(int(sign, 36)):
            rest = (rest * 10 + int(digit)) % 97
    assert mod_97("WEST12345698765432GB82") == rest == 1


def test_mod_11_10_takes_one_last_digit_of_ten() -> None:
    for start in drawn(10, 300):
        (last,) = [d for d in "0123456789" if mod_11_10(start + d)]
        product = 10
        for sign in start:
            product = ((int(sign) + product - 1) % 10 + 1) * 2 % 11
        assert int(last) == (11 - product) % 10


def test_isbn_like_weights() -> None:
    assert weighted("030640615", range(10, 1, -1)) == 130
    assert cross_sum("987", (2, 1, 2)) == 9 + 8 + 5


def test_days_exist_as_in_the_calendar() -> None:
    from datetime import date

    for year in (1900, 1999, 2000, 2024):
        for month in range(14):
            for day in range(33):
                try:
                    date(year, month, day)
                    exists = True
                except ValueError:
                    exists = False
                assert real_day(year, month, day) == exists


# Second formulations of national rules, on numbers with a random check digit.


def nhs(number: str) -> bool:
    return sum(int(d) * w for d, w in zip(number, (10, 9, 8, 7, 6, 5, 4, 3, 2, 1), strict=True)) % 11 == 0


def bsn(number: str) -> bool:
    return int(number) > 0 and sum((9 - i) * int(d) for i, d in enumerate(number[:8])) % 11 == int(number[8])


def tfn(number: str) -> bool:
    return np.dot([int(d) for d in number], [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 == 0


def cpf(number: str) -> bool:
    def digit(part: str) -> int:
        rest = sum(int(d) * w for d, w in zip(reversed(part), range(2, 12), strict=False)) % 11
        return 0 if rest < 2 else 11 - rest

    return len(set(number)) > 1 and digit(number[:9]) == int(number[9]) and digit(number[:10]) == int(number[10])


def my_number(number: str) -> bool:
    """As the ordinance has it: P_n times Q_n, counted from the right without the check digit."""
    total = sum(int(number[11 - n]) * (n + 1 if n <= 6 else n - 5) for n in range(1, 12))
    rest = total % 11
    return int(number[11]) == (0 if rest <= 1 else 11 - rest)


def oib(number: str) -> bool:
    rest = 10
    for sign in number[:10]:
        rest = (rest + int(sign)) % 10
        rest = (10 if rest == 0 else rest) * 2 % 11
    return (11 - rest) % 10 == int(number[10])


def sin(number: str) -> bool:
    return sum(sum(map(int, str(int(d) * (1 + i % 2)))) for i, d in enumerate(number)) % 10 == 0


def dea(number: str) -> bool:
    one = int(number[2]) + int(number[4]) + int(number[6])
    two = int(number[3]) + int(number[5]) + int(number[7])
    return (one + 2 * two) % 10 == int(number[8])


TWINS = {
    "uk-nhs-number": (nhs, 10, ""),
    "nl-bsn": (bsn, 9, ""),
    "au-tfn": (tfn, 9, ""),
    "br-cpf": (cpf, 11, ""),
    "jp-my-number": (my_number, 12, ""),
    "hr-oib": (oib, 11, ""),
    "ca-sin": (sin, 9, ""),
    "us-dea": (dea, 7, "AB"),
}


@pytest.mark.parametrize("name", TWINS)
def test_rules_agree_with_their_twins(name: str) -> None:
    twin, length, front = TWINS[name]
    numbers = [front + number for number in drawn(length, 5000, 3)]
    expected = [twin(number) for number in numbers]
    assert any(expected)
    assert recogniser(name).matches(numbers).tolist() == expected
