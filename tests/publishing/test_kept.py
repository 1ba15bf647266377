"""What stays in the house: nobody else can open it, and nothing public gives the seed away."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import sfumato
from sfumato.tables.policy import Policy

TABLE = sfumato.from_rows(["job", "ill"], [("Artist", "flu"), ("Lawyer", "hiv")] * 6)
POLICY = {
    "columns": {"job": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
    "requirements": [{"id": "k-anonymity", "k": 2}],
}


def modes(folder: Path) -> set[int]:
    return {path.stat().st_mode & 0o777 for path in folder.iterdir()}


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_owner_opens_the_private_folder_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        out = sfumato.publish(sfumato.anonymize(TABLE, POLICY), tmp_path / "out")
        assert ((out / "private").stat().st_mode & 0o777, modes(out / "private")) == (0o700, {0o600})
        assert modes(out / "public") == {0o666 & ~umask}
        sfumato.report(out, raw=TABLE)
        assert modes(out / "private") == {0o600}
    finally:
        os.umask(before)


def test_links_of_a_grouped_release_are_private_too(tmp_path: Path) -> None:
    release = sfumato.release(TABLE, "anatomy-pair", groups=[0] * 6 + [1] * 6, qid="job", sensitive="ill", seed=3)
    out = sfumato.publish(release, tmp_path / "out")
    assert (out / "private" / "links.csv").stat().st_mode & 0o777 == 0o600


def test_the_digest_of_a_policy_says_nothing_of_seeds_and_places_of_keys() -> None:
    assert Policy.of({**POLICY, "seed": 12345}).digest() == Policy.of(POLICY).digest()
    assert Policy.of({**POLICY, "title": "x"}).digest() != Policy.of(POLICY).digest()
    named = {"name": {"role": "identifier", "pseudonym": {"key_file": "study.key", "length": 16}}}
    moved = {"name": {"role": "identifier", "pseudonym": {"key_variable": "STUDY", "length": 16}}}
    other = {"name": {"role": "identifier", "pseudonym": {"key_variable": "STUDY", "length": 20}}}
    digests = [
        Policy.of({**POLICY, "columns": {**POLICY["columns"], **name}}).digest()  # type: ignore[dict-item]
        for name in (named, moved, other)
    ]
    assert digests[0] == digests[1] != digests[2]


def test_a_column_may_be_called_seed() -> None:
    asked = {**POLICY, "columns": {**POLICY["columns"], "seed": {"role": "plain"}}}  # type: ignore[dict-item]
    assert Policy.of(asked).digest() != Policy.of(POLICY).digest()
