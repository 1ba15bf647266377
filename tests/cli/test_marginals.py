"""``sfumato marginals``: from a release to marginals beside it that anybody can verify."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import sfumato_in

POLICY = """
columns:
  patient_id: {role: identifier}
  name: {role: identifier}
  birth_date: {role: quasi-identifier, hierarchy: dates}
  sex: {role: quasi-identifier}
  zip: {role: drop}
  admission_date: {role: drop}
  department: {role: drop}
  occupation: {role: drop}
  insurance: {role: quasi-identifier}
  bmi: {role: drop}
  diagnosis: {role: sensitive}
  readmitted: {role: drop}
requirements:
  - {id: k-anonymity, k: 20}
limits: {suppress_at_most: 0.1}
algorithm: {id: optimal}
"""


def test_marginals_beside_a_release(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = sfumato_in(tmp_path, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    (tmp_path / "policy.yaml").write_text(POLICY)
    run("datasets", "hospital", "--rows", "600")
    run("anonymize", "hospital.csv", "-p", "policy.yaml", "-o", "base")
    told = json.loads(
        run("marginals", "hospital.csv", "-p", "policy.yaml", "--beside", "base", "-o", "beside", "--k", "5", "--json")
    )
    assert told["marginals"]
    assert all(one["after"] < one["before"] for one in told["marginals"])
    # Years of birth are masked in the base and rare by themselves: they come back as decades.
    assert any("birth_date" in one["marginal"] for one in told["marginals"])
    (picture,) = json.loads((tmp_path / "beside/private/pictures.json").read_text())["pictures"]
    assert picture["labels"] == [one["marginal"] for one in told["marginals"]]
    run("verify", "beside")
    refused = sfumato_in(
        tmp_path, "marginals", "hospital.csv", "-p", "policy.yaml", "--beside", "base", "-o", "no", "--k", "500"
    )
    assert refused.returncode in (2, 3)
