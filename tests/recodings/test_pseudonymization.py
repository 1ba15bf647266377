"""Pseudonyms: consistent, keyed, free of collisions, in shape where asked, and never called anonymous."""

from __future__ import annotations

import hashlib
import hmac
import inspect
import random
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.recodings import Pseudonymization
from sfumato.recodings.pseudonymization import NOT_ANONYMOUS, Pseudonymized, permuted, read_key
from sfumato.testing.check_thing import check_json, check_thing

KEY = bytes(range(1, 33))


@pytest.fixture
def key(tmp_path: Path) -> str:
    path = tmp_path / "key"
    path.write_bytes(KEY)
    return str(path)


def column(table: Any, name: str) -> list[Any]:
    return [value for (value,) in table.select([name]).to_rows()]


def test_same_value_same_pseudonym_across_columns_tables_and_engines(key: str) -> None:
    first = sfumato.from_rows(["patient", "doctor"], [("Ann", "Bob"), ("Bob", "Ann"), ("Ann", None)])
    second = sfumato.read({"person": ["Bob", "Cy", "Ann"]})
    one = Pseudonymization(columns=("patient", "doctor"), key_file=key).apply(first)
    other = sfumato.recode(second, {"id": "pseudonymization", "columns": ["person"], "key_file": key}).table
    ann, bob, again = column(one, "patient")
    assert ann == again == column(one, "doctor")[1] == column(other, "person")[2]
    assert bob == column(one, "doctor")[0] == column(other, "person")[0]
    assert column(one, "doctor")[2] is None
    pytest.importorskip("duckdb")
    third = sfumato.read(second.to_native(), engine="duckdb")
    assert column(Pseudonymization(columns=("person",), key_file=key).apply(third), "person") == column(other, "person")


def test_numbers_and_texts_that_are_written_alike_are_one_value(key: str) -> None:
    made = [
        column(Pseudonymization(columns=("id",), key_file=key).apply(sfumato.read({"id": ids})), "id")
        for ids in ([7, 8], ["7", "8"], [7.0, 8.0])
    ]
    assert made[0] == made[1] == made[2]


def test_it_is_hmac_sha256(key: str) -> None:
    """The construction, written out: the key is bound to version and namespace first."""
    framed = b"".join(len(part).to_bytes(8, "big") + part for part in (b"sfumato pseudonym 1", b"study"))
    inner = hmac.new(KEY, framed, hashlib.sha256).digest()
    wanted = hmac.new(inner, b"nameAnn", hashlib.sha256).hexdigest()
    asked = Pseudonymization(columns=("p",), key_file=key, namespace="study", length=64)
    assert column(asked.apply(sfumato.read({"p": ["Ann"]})), "p") == [wanted]
    assert column(asked.apply(sfumato.read({"p": ["ann"]})), "p") != [wanted]


def test_keys_and_namespaces_give_unrelated_pseudonyms(key: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(KEY[::-1])
    table = sfumato.read({"p": ["Ann", "Bob"]})
    made = {
        name
        for file, space in ((key, ""), (key, "a"), (key, "b"), (str(other), ""))
        for name in column(Pseudonymization(columns=("p",), key_file=file, namespace=space).apply(table), "p")
    }
    assert len(made) == 8
    assert all(len(name) == 32 for name in made)


def test_collisions_are_refused(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = sfumato.read({"p": [f"n{i}" for i in range(300)]})
    assert len(set(column(Pseudonymization(columns=("p",), key_file=key, length=8).apply(table), "p"))) == 300
    monkeypatch.setattr(Pseudonymization, "_pseudonym", lambda self, key, text: text[-1])
    with pytest.raises(sfumato.BadRequest, match="two values share a pseudonym") as refused:
        Pseudonymization(columns=("p",), key_file=key, length=8).apply(table)
    assert refused.value.parameter == "pseudonymization.length"


# ---- keeping the format ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", [1, 2, 3, 10, 97, 1000, 1001])
def test_the_permutation_is_one(domain: int) -> None:
    for name in (b"a" * 32, b"b" * 32):
        assert sorted(permuted(number, domain, name) for number in range(domain)) == list(range(domain))
    if domain > 100:
        assert [permuted(i, domain, b"a" * 32) for i in range(domain)] != [
            permuted(i, domain, b"b" * 32) for i in range(domain)
        ]


def test_the_permutation_looks_random(request: pytest.FixtureRequest) -> None:
    """The image of one number is even over 10 cells, over many keys (chi-square at level 1e-6)."""
    shares = request.getfixturevalue("shares")
    runs = 4000
    counts = [0] * 10
    for run in range(runs):
        counts[permuted(3, 10, run.to_bytes(32, "big"))] += 1
    shares(counts, [runs / 10] * 10)


def test_shapes_stay_and_no_two_values_meet(key: str) -> None:
    draw = random.Random(5)
    values = sorted({f"{draw.choice('AB')}{draw.choice('xyz')}-{draw.randrange(10**5):05d}" for _ in range(3000)})
    asked = Pseudonymization(columns=("id",), key_file=key, keep_format=True)
    new = column(asked.apply(sfumato.read({"id": values})), "id")
    assert len(set(new)) == len(values)
    for name in new:
        assert name[0].isupper()
        assert name[1].islower()
        assert name[2] == "-"
        assert name[3:].isdigit()
        assert len(name) == 8
    assert sum(a == b for a, b in zip(new, values, strict=True)) <= 1
    # Not only the letters that came in: the whole domain of the shape is used.
    assert {name[0] for name in new} > set("AB")


def test_long_values_have_a_format_too(key: str) -> None:
    long = "9" * 200
    asked = Pseudonymization(columns=("id",), key_file=key, keep_format=True)
    (new,) = column(asked.apply(sfumato.read({"id": [long]})), "id")
    assert len(new) == 200
    assert new.isdigit()
    assert new != long


def test_formats_that_hide_too_little_are_refused(key: str) -> None:
    asked = Pseudonymization(columns=("id",), key_file=key, keep_format=True)
    with pytest.raises(sfumato.BadRequest, match="2 values have a shape with fewer than 1,000,000") as refused:
        asked.apply(sfumato.read({"id": ["SECRET", "12345", "Ab"]}))
    assert "12345" not in str(refused.value)
    with pytest.raises(sfumato.BadRequest, match="1 value holds letters other than a to z") as refused:
        asked.apply(sfumato.read({"id": ["Günther", "Gunther"]}))
    assert "nther" not in str(refused.value)
    small = Pseudonymization(columns=("id",), key_file=key, keep_format=True, smallest_domain=100_000)
    assert len(column(small.apply(sfumato.read({"id": ["12345"]})), "id")[0]) == 5


# ---- keys ------------------------------------------------------------------------------------------------------------


def test_keys_come_from_a_file_or_a_variable(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_key(key) == KEY
    text = "correct horse battery staple"
    monkeypatch.setenv("SOME_KEY", text)
    (tmp_path / "text").write_text(text + "\r\n")
    assert read_key(variable="SOME_KEY") == read_key(str(tmp_path / "text")) == text.encode()
    # Only plain text loses its line end: in random bytes it belongs to the key.
    (tmp_path / "binary").write_bytes(KEY + b"\n")
    assert read_key(str(tmp_path / "binary")) == KEY + b"\n"


@pytest.mark.parametrize(("content", "words"), [(b"short", "at least 16 bytes, holds 5"), (b"\0" * 40, "not random")])
def test_weak_keys_are_refused_and_not_shown(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "weak"
    path.write_bytes(content)
    with pytest.raises(sfumato.BadRequest, match=words) as refused:
        read_key(str(path))
    assert "short" not in str(refused.value).replace(str(path), "")


def test_keys_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(sfumato.BadRequest, match="cannot be read"):
        read_key(str(tmp_path / "none"))
    with pytest.raises(sfumato.BadRequest, match="is not set"):
        read_key(variable="NO_SUCH_VARIABLE_HERE")
    for wrong in ({}, {"key_file": "a", "key_variable": "b"}):
        with pytest.raises(sfumato.BadRequest, match="either key_file or key_variable"):
            Pseudonymization(columns=("a",), **wrong)


def test_the_key_is_in_no_output(key: str) -> None:
    made = Pseudonymization(columns=("p",), key_file=key)
    result = made.pseudonymize(sfumato.read({"p": ["Ann"]}))
    for text in (repr(made), str(made.spec()), repr(result), str(result.table.to_rows())):
        assert KEY.hex() not in text
        assert repr(KEY) not in text


def test_it_says_that_it_is_not_anonymity(key: str) -> None:
    said = "A pseudonym is not anonymity"
    assert said in (inspect.getdoc(Pseudonymization) or "")
    result = Pseudonymization(columns=("p",), key_file=key).pseudonymize(sfumato.read({"p": ["Ann", "Bob"]}))
    assert isinstance(result, Pseudonymized)
    assert result.statement == NOT_ANONYMOUS
    assert said in result.statement
    assert result.pseudonyms == {"p": 2}
    assert Pseudonymization.truthful is False


def test_it_is_a_thing_like_others(key: str) -> None:
    made = Pseudonymization(columns=("p",), key_file=key)
    check_thing(made)
    check_json(made)


def test_unknown_and_repeated_columns(key: str) -> None:
    with pytest.raises(sfumato.BadRequest, match="not a column") as refused:
        Pseudonymization(columns=("q",), key_file=key).apply(sfumato.read({"p": ["Ann"]}))
    assert refused.value.available == ["p"]
    with pytest.raises(sfumato.BadRequest, match="each once"):
        Pseudonymization(columns=("p", "p"), key_file=key)
