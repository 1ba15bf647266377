"""Forms of identifiers: what tells, what fits, what is found inside texts, and what is refused."""

from __future__ import annotations

import sys

import pytest

from sfumato.contracts.identifier import evidence, words_of
from sfumato.identifiers import (
    Date,
    Email,
    Fax,
    GeoCoordinates,
    IpAddress,
    PersonName,
    Phone,
    PostalCode,
    StreetAddress,
    UsSsn,
)
from sfumato.identifiers import phone as phone_module


def test_names_of_columns_are_split_into_words() -> None:
    assert words_of("patientEMailAddress") == ("patient", "e", "mail", "address")
    assert words_of("E-Mail") == ("e", "mail")
    assert words_of("geburtsdatum") == ("geburtsdatum",)
    assert words_of("Téléphone_2") == ("telephone", "2")
    assert words_of("   ") == ("   ",)


def test_words_take_each_other_back() -> None:
    assert StreetAddress().named(words_of("home address")) == "address"
    assert StreetAddress().named(words_of("IP address")) is None
    assert PersonName().named(words_of("patient_name")) == "name"
    assert PersonName().named(words_of("hospitalName")) is None
    assert Fax().named(words_of("FAX no")) == "fax"
    assert Phone().named(words_of("telefax phone")) is None


@pytest.mark.parametrize(
    ("text", "told", "fitting"),
    [
        ("+49 30 23125 017", True, True),
        ("+493023125017", True, True),
        ("(0)30 1", False, False),
        ("(212) 555-0142 ext. 12", True, True),
        ("2125550142", False, True),
        ("212 555 0142", False, True),
        ("01-02-2024", False, True),
        ("1234567", False, True),
        ("123", False, False),
        ("yes", False, False),
        ("123-45-6789", False, True),
        ("112-555-0142", False, True),
    ],
)
def test_telephone_numbers(text: str, told: bool, fitting: bool) -> None:
    assert Phone().telling(text) == told
    assert Phone().fits(text) == fitting


def test_national_plans_are_asked_where_the_library_is_there() -> None:
    pytest.importorskip("phonenumbers")
    assert Phone(countries=("US",)).match("2125550142") is True
    assert Phone(countries=("US",)).telling("212 555 0142") is True
    assert Phone(countries=("US",)).telling("2125550142") is False
    assert Phone(countries=("FR",)).match("2125550142") is False
    assert Phone().within(("DE",)) == Phone(countries=("DE",))


def test_without_the_library_the_common_forms_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "phonenumbers", None)
    phone_module._library.cache_clear()
    try:
        assert Phone(countries=("US",)).match("2125550142") is False
        assert Phone(countries=("US",)).match("(212) 555-0142") is True
        assert Phone().match("+44 20 7946 0018") is True
    finally:
        phone_module._library.cache_clear()


def test_bare_digits_tell_no_social_security_number() -> None:
    assert UsSsn().match("219099998")
    assert not UsSsn().telling("219099998")
    assert UsSsn().telling("219-09-9998")


@pytest.mark.parametrize(
    ("text", "is_date"),
    [
        ("2024-02-29", True),
        ("2023-02-29", False),
        ("2024-03-05 10:30", True),
        ("2024-03-05T10:30:00+01:00", True),
        ("12/31/1999", True),
        ("31.12.1999", True),
        ("31/31/1999", False),
        ("1999-12", True),
        ("12/1999", True),
        ("5. März 2024", True),
        ("5 de marzo de 2024", True),
        ("March 2024", True),
        ("1999", False),
        ("1990-1999", False),
        ("[1990-2000)", False),
        ("Marble 12", False),
        ("12-34-5678", False),
        ("10.5", False),
    ],
)
def test_dates_more_exact_than_the_year(text: str, is_date: bool) -> None:
    assert Date().telling(text) == is_date


def test_eight_digits_are_a_date_only_by_name() -> None:
    assert Date().match("19850312")
    assert not Date().telling("19850312")
    assert not Date().match("19851312")


@pytest.mark.parametrize(
    ("recogniser", "text", "held"),
    [
        (Email(), "write to ada@example.org, please", True),
        (Email(), "meet me @ noon", False),
        (Phone(), "call (212) 555-0142 tomorrow", True),
        (Phone(), "measured 120/80 on 01-02-2024", False),
        (Phone(), "invoice 20240305-0001 of 1234567", False),
        (UsSsn(), "SSN is 219-09-9998.", True),
        (UsSsn(), "part 1219-09-99981 fits", False),
        (IpAddress(), "logged in from 192.0.2.17 twice", True),
        (IpAddress(), "version 1.2.3 of the program at 12:30:45", False),
        (Date(), "admitted on 2024-03-05 in the evening", True),
        (Date(), "about 20 times", False),
    ],
)
def test_inside_texts(recogniser: Email, text: str, held: bool) -> None:
    assert recogniser.search(text) == held


def test_coordinates_and_codes() -> None:
    assert GeoCoordinates().fits("48.1374")
    assert not GeoCoordinates().fits("248.1374")
    assert not GeoCoordinates().match("98.13743, 99.57549")
    assert PostalCode().fits("1010")
    assert not PostalCode().match("10**")


def test_names_of_persons_by_lists() -> None:
    person = PersonName()
    assert person.telling("Émilie FRANÇOIS")
    assert person.telling("Jürgen Prochnau")
    assert person.telling("Kowalska")
    assert person.fits("Xyzzy Plugh")
    assert not person.match("Xyzzy Plugh")
    assert not person.fits("R2 D2")


def test_evidence_grows_with_hits_and_bounds_the_chance() -> None:
    from math import comb, exp

    for hits, examined, chance in ((6, 6, 0.1), (9, 10, 0.1), (30, 100, 0.1), (3, 5, 0.01)):
        tail = sum(comb(examined, k) * chance**k * (1 - chance) ** (examined - k) for k in range(hits, examined + 1))
        assert tail <= exp(-evidence(hits, examined, chance)) * (1 + 1e-9)
    assert evidence(0, 0, 0.1) == evidence(10, 100, 0.1) == 0.0
    assert evidence(1, 5, 0.0) == float("inf")
