"""An attack that says yes keeps a release from being signed, until its policy says why that is accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sfumato
from command_line import sfumato_in
from sfumato.errors import BadRequest
from sfumato.policy import SharedPolicy
from sfumato.publishing.signature import FILE, new_key

ROWS = [(20 + n % 7, ("cook", "nurse", "clerk")[n % 3], ("flu", "none")[n % 2]) for n in range(60)]
POLICY = {
    "columns": {"age": {"role": "quasi-identifier"}, "job": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
    "requirements": [{"id": "k-anonymity", "k": 3}],
}
FOUND = ("attacker-risk", "individual-risk")


def accepting(*attacks: str) -> dict[str, object]:
    return {**POLICY, "accepted": [{"id": attack, "reason": "they <all> agreed"} for attack in attacks]}


def test_a_yes_on_records_blocks_and_a_reason_frees(tmp_path: Path) -> None:
    table = sfumato.from_rows(["age", "job", "ill"], ROWS)
    new_key(tmp_path / "key")
    for at, accepted in enumerate(((), FOUND[:1])):
        made = sfumato.publish(sfumato.anonymize(table, accepting(*accepted)), tmp_path / f"out{at}")
        with pytest.raises(BadRequest, match=f"{FOUND[at]}.*found persons") as refused:
            sfumato.sign(made, tmp_path / "key")
        assert (FOUND[0] in str(refused.value)) == (not accepted)
        assert not (made / "public" / FILE).exists()
        assert "Nobody has accepted this" in (made / "private" / "report.html").read_text()
    made = sfumato.publish(sfumato.anonymize(table, accepting(*FOUND)), tmp_path / "out")
    assert sfumato.sign(made, tmp_path / "key").is_file()
    inside = (made / "private" / "report.html").read_text()
    assert "they &lt;all&gt; agreed" in inside
    assert "Nobody has accepted this" not in inside
    assert "agreed" in (made / "private" / "policy.yaml").read_text()
    # Strangers are told nothing, and what is accepted makes no difference to what they get.
    for file in (made / "public").iterdir():
        if file.name != FILE:
            assert file.read_bytes() == (tmp_path / "out0" / "public" / file.name).read_bytes()
            assert b"agreed" not in file.read_bytes()


def test_a_yes_of_the_three_questions_blocks_on_the_command_line(tmp_path: Path) -> None:
    """Few people, each with an income of their own that is published as it is: who knows it singles them out."""
    rows = "".join(f"{20 + n // 20},{1000 + 7.5 * n},{('flu', 'none')[n % 2]}\n" for n in range(200))
    (tmp_path / "data.csv").write_text(f"age,income,ill\n{rows}")
    policy = {
        "columns": {
            "age": {"role": "quasi-identifier"},
            "income": {"role": "plain", "publish_anyway": "invented"},
            "ill": {"role": "sensitive"},
        },
        "requirements": [{"id": "k-anonymity", "k": 10}],
    }
    (tmp_path / "policy.json").write_text(json.dumps(policy))

    def run(*words: str) -> str:
        done = sfumato_in(tmp_path, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("keygen", "key")
    run("anonymize", "data.csv", "--policy", "policy.json", "-o", "out")
    asked = ("questions", "data.csv", "--policy", "policy.json", "--aux", "age,income", "--keep")
    run(*asked, "out")
    refused = sfumato_in(tmp_path, "sign", "out", "--key", "key")
    assert (refused.returncode, len(refused.stderr.strip().splitlines())) == (2, 1)
    assert "singling-out" in refused.stderr
    run("report", "out")
    assert "Can one be singled out? <b>Yes</b>" in (tmp_path / "out" / "private" / "report.html").read_text()
    kept = json.loads((tmp_path / "out" / "private" / "questions.json").read_text())["questions"]
    yes = {one["id"] for one in kept if one["answer"] == "yes"}
    accepted = {"accepted": [{"id": attack, "reason": "incomes are invented"} for attack in sorted(yes)]}
    (tmp_path / "policy.json").write_text(json.dumps({**policy, **accepted}))
    run("anonymize", "data.csv", "--policy", "policy.json", "-o", "again")
    run(*asked, "again")
    run("report", "again")
    run("sign", "again", "--key", "key")
    assert "incomes are invented" in (tmp_path / "again" / "private" / "report.html").read_text()
    other = {**policy, "requirements": [{"id": "k-anonymity", "k": 5}]}
    (tmp_path / "policy.json").write_text(json.dumps(other))
    assert "not made by this policy" in sfumato_in(tmp_path, *asked, "out").stderr


@pytest.mark.parametrize(
    ("accepted", "why"),
    [
        ([{"id": "nonsense", "reason": "x"}], "attack"),
        ([{"id": "k-anonymity", "reason": "x"}], "attack"),
        ([{"id": "inference", "reason": "  "}], "reason"),
        ([{"id": "inference"}], "required"),
    ],
)
def test_what_accepts_nothing_is_refused(accepted: list[dict[str, str]], why: str) -> None:
    with pytest.raises(BadRequest, match=why):
        SharedPolicy.of({**POLICY, "accepted": accepted})
