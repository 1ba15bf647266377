"""A series as one thing: from its public folders, or from what the ledger remembers; attacked as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato
from sequels.published_series import ROWS, Publisher
from sfumato.errors import BadRequest
from sfumato.sequels.collected import collected, recalled


def test_a_growing_series_is_attacked_from_its_folders_in_any_order(tmp_path: Path) -> None:
    publisher = Publisher(tmp_path, "continuous")
    one, two, three = (publisher.publish(ROWS[:count]) for count in (24, 36, 48))
    found = sfumato.audit(collected([three / "public", one, two]))
    assert {"f-attack", "c-attack", "b-attack", "bcf-oracle"} <= {finding.attack for finding in found.tried}
    assert all(finding.after.highest <= 1 / 2 for finding in found.tried if "record" in finding.aims_at)
    inside = sfumato.audit(recalled(publisher.ledger, "patients"))
    for finding in found.tried:
        assert inside.of(finding.attack).after.highest == finding.after.highest


def test_persons_are_followed_by_whoever_holds_the_ledger(tmp_path: Path) -> None:
    publisher = Publisher(tmp_path, "serial")
    folders = [publisher.publish(rows) for rows in (ROWS[:30], ROWS[6:40])]
    inside = sfumato.audit(recalled(publisher.ledger, "patients"))
    assert inside.of("possible-world-exclusion").after.highest <= 1 / 2
    outside = sfumato.audit(collected(folders))
    assert "possible-world-exclusion" in {left.attack for left in outside.untried}


def test_what_is_no_series_is_refused(tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    here, there = (Publisher(tmp_path / name, "continuous") for name in ("here", "there"))
    one, other = here.publish(ROWS), there.publish(ROWS)
    with pytest.raises(BadRequest, match="another series"):
        collected([one, other])
    with pytest.raises(BadRequest, match="given twice"):
        collected([one, one])
    with pytest.raises(BadRequest, match="at least one"):
        collected([])
    with pytest.raises(BadRequest, match="has no release"):
        recalled(here.ledger, "nobody")
    plain = {"columns": {"age": {"role": "quasi-identifier"}}, "requirements": [{"id": "k-anonymity", "k": 2}]}
    made = sfumato.anonymize(sfumato.from_rows(["age"], [(row[2],) for row in ROWS]), plain)
    sfumato.publish(made, tmp_path / "plain", ledger=here.ledger, series="ages")
    with pytest.raises(BadRequest, match="not one of a series"):
        collected([tmp_path / "plain"])
    with pytest.raises(BadRequest, match="has no kind"):
        recalled(here.ledger, "ages")
