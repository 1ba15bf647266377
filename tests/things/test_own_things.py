"""Things of somebody's own: handed over as objects, or installed as a plug-in and named by their ids."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import sfumato
from nursery import ran
from sfumato import catalogue
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest, Unsupported
from sfumato.models.k_anonymity import KAnonymity
from sfumato.tables.policy import Policy

pytestmark = pytest.mark.slow

PLUGIN = Path(__file__).parent / "plugin"
ALGORITHMS = ["tdr", "mondrian", "optimal", "bottom-up-generalization", "datafly"]


def _forget() -> None:
    for known in (catalogue._plugged, catalogue._things_of_file):
        known.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == "smallest_share"]:
        del sys.modules[name]
    importlib.invalidate_caches()


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the other distribution on the path, as an installer would, and forget it afterwards."""
    monkeypatch.syspath_prepend(str(PLUGIN))
    _forget()
    yield
    monkeypatch.undo()
    _forget()


@pytest.fixture
def own(tmp_path: Path) -> Any:
    """The module with its things, loaded as a file that no distribution names."""
    spec = importlib.util.spec_from_file_location("somebodys_own", PLUGIN / "smallest_share" / "things.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["somebodys_own"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def frame() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    return pl.DataFrame({"Age": rng.integers(20, 80, 300), "Job": [f"job{at}" for at in rng.integers(0, 4, 300)]})


def _policy(model: object, algorithm: object, **more: object) -> dict[str, object]:
    age = {"role": "quasi-identifier", "hierarchy": {"id": "intervals", "lower": 20, "width": 10, "fan_out": [6]}}
    return {
        "columns": {"Age": age, "Job": {"role": "quasi-identifier"}},
        "requirements": [model],
        "algorithm": algorithm,
        **more,
    }


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_object_goes_the_whole_way(frame: pl.DataFrame, own: Any, algorithm: str, tmp_path: Path) -> None:
    model = own.SmallestShare(share=0.1)
    release = sfumato.anonymize(frame, _policy(model, {"id": algorithm}))
    sizes = release.public.group_by("Age", "Job").len()["len"]
    assert sizes.min() >= 30
    assert release.certificate.requirements[0].model == "somebodys_own:SmallestShare"
    out = sfumato.publish(release, tmp_path / "out")
    found = sfumato.verify(out / "public")
    assert found
    assert found.unchecked == ()
    assert found.verdict.verdicts[0].strongest == pytest.approx(sizes.min() / 300)
    assert sfumato.report(out).is_file()
    assert sfumato.audit(out).tried


def test_who_does_not_have_the_class_is_told(frame: pl.DataFrame, own: Any, tmp_path: Path) -> None:
    requirements = [own.SmallestShare(share=0.1), KAnonymity(k=5)]
    policy = {**_policy(None, {"id": "tdr"}), "requirements": requirements}
    out = sfumato.publish(sfumato.anonymize(frame, policy), tmp_path / "out")
    script = (
        "import sys, sfumato; out = sys.argv[1]; found = sfumato.verify(out + '/public'); "
        "print(found.unchecked, [v.model for v in found.verdict]); sfumato.report(out); sfumato.audit(out)"
    )
    done = _elsewhere(script, str(out))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "('somebodys_own:SmallestShare',) ['k-anonymity']"


def _elsewhere(script: str, *words: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python where nobody handed over an object."""
    beside = [str(path)] if path is not None else []
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([*beside, os.environ.get("PYTHONPATH", "")])}
    return ran(script, *words, env=env)


COMMAND = "from sfumato.cli.main import run; run()"


def test_what_nobody_here_can_judge_is_no_yes(frame: pl.DataFrame, own: Any, tmp_path: Path) -> None:
    out = sfumato.publish(
        sfumato.anonymize(frame, _policy(own.SmallestShare(share=0.1), {"id": "tdr"})), tmp_path / "out"
    )
    done = _elsewhere(COMMAND, "verify", str(out))
    assert done.returncode == 1, done.stderr
    assert "somebodys_own:SmallestShare: not checked, not installed here" in done.stdout
    assert "nothing was checked" in done.stdout
    assert "population" not in done.stdout


@pytest.mark.usefixtures("plugged")
def test_a_plug_in_that_is_not_installed_leaves_its_requirement_unchecked(frame: pl.DataFrame, tmp_path: Path) -> None:
    asked = [{"id": "smallest-share", "share": 0.1}, {"id": "k-anonymity", "k": 5}]
    for name, requirements in {"alone": asked[:1], "both": asked}.items():
        policy = {**_policy(None, {"id": "tdr"}, metrics=["own-cost"]), "requirements": requirements}
        sfumato.publish(sfumato.anonymize(frame, policy), tmp_path / name)
    done = _elsewhere(COMMAND, "verify", str(tmp_path / "alone"))
    assert done.returncode == 1, done.stderr
    assert "smallest-share: not checked, not installed here" in done.stdout
    done = _elsewhere(COMMAND, "verify", str(tmp_path / "both"))
    assert done.returncode == 1, done.stderr
    assert "not verified as a whole, because what it takes to check smallest-share is not here" in done.stdout
    assert "smallest-share: not checked, not installed here" in done.stdout
    for command in ("report", "audit"):
        assert _elsewhere(COMMAND, command, str(tmp_path / "both")).returncode == 0
    for name in ("alone", "both"):
        assert _elsewhere(COMMAND, "verify", str(tmp_path / name), path=PLUGIN).returncode == 0


BROKEN = {
    "things": ("sfumato.things", "broken_plugin", "import nothing_of_that_name"),
    "a class": ("sfumato.things", "broken_plugin:Model", "raise ImportError('no')"),
    "a shape": ("sfumato.shapes", "broken_plugin", "1 / 0"),
    "no module": ("sfumato.things", "not_there", ""),
}


@pytest.mark.parametrize(("group", "named", "text"), BROKEN.values(), ids=BROKEN)
def test_a_broken_plug_in_breaks_nothing_else(
    group: str, named: str, text: str, frame: pl.DataFrame, own: Any, tmp_path: Path
) -> None:
    place = tmp_path / "site"
    (place / "broken_plugin").mkdir(parents=True)
    (place / "broken_plugin" / "__init__.py").write_text(text)
    (place / "broken_plugin-1.0.dist-info").mkdir()
    (place / "broken_plugin-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: b\nVersion: 1.0\n")
    (place / "broken_plugin-1.0.dist-info" / "entry_points.txt").write_text(f"[{group}]\nb = {named}\n")
    policy = {**_policy(None, {"id": "tdr"}), "requirements": [own.SmallestShare(share=0.1), KAnonymity(k=5)]}
    out = sfumato.publish(sfumato.anonymize(frame, policy), tmp_path / "out")
    done = _elsewhere(COMMAND, "verify", str(out), path=place)
    assert done.returncode == 1, done.stderr  # what the plug-in would check is open, all else is counted
    assert "holds: k-anonymity (k=5)" in done.stdout
    module = named.partition(":")[0]
    assert f"not installed here (cannot be loaded: {module})" in done.stdout
    assert done.stderr.count(f"the plug-in {module} cannot be loaded") == 1
    frame.write_csv(tmp_path / "in.csv")
    words = ("check", str(tmp_path / "in.csv"), "--require", "k-anonymity k=1", "--qid", "Age,Job")
    assert _elsewhere(COMMAND, *words, path=place).returncode == 0


def test_an_own_metric_is_certified_by_its_class(frame: pl.DataFrame, own: Any) -> None:
    release = sfumato.anonymize(frame, _policy(KAnonymity(k=20), {"id": "tdr"}, metrics=[own.OwnCost(), "loss"]))
    assert [entry.metric for entry in release.certificate.metrics] == ["somebodys_own:OwnCost", "loss"]


def test_every_kind_can_be_an_object(frame: pl.DataFrame, own: Any, tmp_path: Path) -> None:
    policy = _policy(KAnonymity(k=20), own.OwnSearch(), metrics=[own.OwnCost(), "loss"])
    policy["columns"]["Age"] = {  # type: ignore[index]
        "role": "quasi-identifier",
        "hierarchy": own.OwnIntervals(lower=20, width=10, fan_out=(6,)),
    }
    release = sfumato.anonymize(frame, policy)
    named = {**policy, "algorithm": {"id": "tdr"}, "metrics": ["discernibility", "loss"]}
    named["columns"] = _policy(None, None)["columns"]
    other = sfumato.anonymize(frame, {**named, "requirements": [{"id": "k-anonymity", "k": 20}]})
    assert release.public.equals(other.public)
    assert release.certificate.algorithm.id == "somebodys_own:OwnSearch"
    assert release.measured["own-cost"].value == other.measured["discernibility"].value
    out = sfumato.publish(release, tmp_path / "out")
    assert "own-cost" in sfumato.report(out).read_text("utf-8")


def test_an_object_of_ours_is_its_id() -> None:
    given = Policy.of(_policy(KAnonymity(k=5), {"id": "tdr"}))
    named = Policy.of(_policy({"id": "k-anonymity", "k": 5}, {"id": "tdr"}))
    assert given.digest() == named.digest()
    assert given.to_yaml() == named.to_yaml()


def test_what_cannot_be_written_down_is_refused(own: Any) -> None:
    class Loose(own.SmallestShare):  # type: ignore[misc, name-defined]
        id: ClassVar[str] = "loose"

        table: dict[str, int]

    with pytest.raises(BadRequest, match=r"declare all its fields with param"):
        Policy.of(_policy(Loose(share=0.1, table={}), {"id": "tdr"}))
    with pytest.raises(Unsupported, match="not known here"):
        Policy.of(_policy({"id": "os:system", "k": 5}, {"id": "tdr"}))
    with pytest.raises(Unsupported, match="not known here"):
        Policy.of(_policy(own.OwnCost(), {"id": "tdr"}))


def test_the_object_keeps_its_parameters(own: Any) -> None:
    class Deep(own.SmallestShare):  # type: ignore[misc, name-defined]
        id: ClassVar[str] = "deep"

        shares: tuple[float, ...] = param(default=(), doc="more shares")

    (model,) = Policy.of(_policy(Deep(share=0.25, shares=(0.5,)), {"id": "tdr"})).models()
    assert model == Deep(share=0.25, shares=(0.5,))


WRONG = {
    "too many": (lambda sizes: np.ones(len(sizes) + 1), "one number for each of"),
    "a list": (lambda sizes: [1.0] * len(sizes), "gave a list"),
    "one number": (lambda sizes: 1.0, "gave a float"),
    "NaN": (lambda sizes: np.full(len(sizes), np.nan), "gave NaN"),
    "texts": (lambda sizes: np.array(["1"] * len(sizes)), "gave an array of <U1"),
    "a table": (lambda sizes: np.ones((len(sizes), 2)), "of the shape"),
    "nothing": (lambda sizes: None, "gave a NoneType"),
    "a failure": (lambda sizes: 1 // 0, "ended with ZeroDivisionError"),
}


@pytest.mark.parametrize("algorithm", ["tdr", "mondrian", "optimal"])
@pytest.mark.parametrize(("answer", "said"), WRONG.values(), ids=WRONG)
def test_a_measure_that_gives_something_else_is_refused_by_its_name(
    answer: Any, said: str, algorithm: str, frame: pl.DataFrame, own: Any
) -> None:
    class Odd(own.SmallestShare):  # type: ignore[misc, name-defined]
        id: ClassVar[str] = "odd"

        def measure(self, groups: Any) -> Any:
            return answer(groups.sizes)

    with pytest.raises(BadRequest, match=rf"odd\.measure: .*{said}"):
        sfumato.anonymize(frame, _policy(Odd(share=0.1), {"id": algorithm}))
    with pytest.raises(BadRequest, match=rf"odd\.measure: .*{said}"):
        sfumato.check(frame, Odd(share=0.1), qid=["Job"])


def test_other_answers_of_somebodys_own_are_looked_at_too(frame: pl.DataFrame, own: Any) -> None:
    class Unbound(own.SmallestShare):  # type: ignore[misc, name-defined]
        id: ClassVar[str] = "unbound"

        def bound(self) -> Any:
            return 0.1

    class Worthless(own.OwnCost):  # type: ignore[misc, name-defined]
        id: ClassVar[str] = "worthless"

        def measure(self, published: Any) -> Any:
            return 3.0

    with pytest.raises(BadRequest, match=r"unbound\.bound: must give a bound"):
        sfumato.check(frame, Unbound(share=0.1), qid=["Job"])
    with pytest.raises(BadRequest, match=r"worthless\.measure: must give a Measured; it gave a float"):
        sfumato.anonymize(frame, _policy(KAnonymity(k=20), {"id": "tdr"}, metrics=[Worthless()]))


@pytest.mark.usefixtures("plugged")
@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "own-search"])
def test_a_plug_in_is_found_by_id(frame: pl.DataFrame, algorithm: str, tmp_path: Path) -> None:
    frame.write_csv(tmp_path / "in.csv")
    policy = Policy.of(_policy({"id": "smallest-share", "share": 0.1}, {"id": algorithm}, metrics=["own-cost"]))
    (tmp_path / "policy.yaml").write_text(policy.to_yaml(), encoding="utf-8")
    from sfumato.cli import commands  # noqa: F401
    from sfumato.cli.main import app

    out = tmp_path / "out"
    words = ["anonymize", str(tmp_path / "in.csv"), "-p", str(tmp_path / "policy.yaml"), "-o", str(out)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    stated = json.loads((out / "public" / "certificate.json").read_bytes())
    assert stated["requirements"][0]["model"] == "smallest-share"
    assert stated["metrics"][0]["metric"] == "own-cost"
    assert sfumato.verify(out / "public").unchecked == ()


@pytest.mark.usefixtures("plugged")
def test_a_plug_in_never_takes_an_id_of_ours() -> None:
    assert catalogue.find("k-anonymity", "model") is KAnonymity
    assert catalogue.ids("model").count("k-anonymity") == 1
    assert catalogue.ids("model")[-1] == "smallest-share"
    assert "smallest-share" in str(sfumato.describe("smallest-share"))


def test_without_the_plug_in_its_id_is_not_known() -> None:
    with pytest.raises(BadRequest, match="not a known model"):
        catalogue.find("smallest-share", "model")


def test_a_class_or_a_thing_describes_itself() -> None:
    from sfumato.models import KAnonymity

    told = sfumato.describe("k-anonymity")
    assert sfumato.describe(KAnonymity) == sfumato.describe(KAnonymity(k=3)) == told
