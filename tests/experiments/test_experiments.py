"""What every experiment must offer: an id that names its file, options with refusals, a reference, deviations."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sfumato.errors import BadRequest
from sfumato.experiments import TdrAdult, TdrCrx, TdrGerman  # type: ignore[attr-defined]
from sfumato.experiments.experiment import Experiment

ALL: list[type[Experiment]] = [TdrAdult, TdrCrx, TdrGerman]


@pytest.mark.parametrize("experiment", ALL)
def test_declares_itself(experiment: type[Experiment]) -> None:
    assert experiment.kind == "experiment"
    assert experiment.__module__ == f"sfumato.experiments.{experiment.id.replace('-', '_')}"
    assert "doi:10.1109/TKDE.2007.1015" in (experiment.__doc__ or "")
    assert experiment.deviations
    assert all(sentence.endswith(".") for sentence in experiment.deviations)
    assert experiment.from_spec(experiment(ks=(2, 3)).spec()) == experiment(ks=(2, 3))


@pytest.mark.parametrize("experiment", ALL)
@pytest.mark.parametrize(
    "option", [{"ks": ()}, {"ks": (0,)}, {"tops": (10,)}, {"tops": ()}, {"ks": "20"}, {"min_leaf": 0}]
)
def test_refuses_wrong_options(experiment: type[Experiment], option: dict[str, object]) -> None:
    with pytest.raises(BadRequest) as refused:
        experiment().run(**option)  # type: ignore[arg-type]
    assert refused.value.parameter == f"{experiment.id}.{next(iter(option))}"


@pytest.mark.parametrize("experiment", ALL)
def test_refuses_unknown_options_and_names_the_known(experiment: type[Experiment]) -> None:
    with pytest.raises(BadRequest, match="is not a parameter") as refused:
        experiment().run(kay=(20,))
    assert {"ks", "tops", "min_leaf"} <= set(refused.value.available or ())


def test_refuses_a_figure_of_another_experiment() -> None:
    with pytest.raises(BadRequest) as refused:
        TdrAdult().run(figures=("9a",))
    assert refused.value.available == ["5", "6a", "6b"]


@pytest.mark.parametrize("experiment", ALL)
def test_says_where_the_table_should_be(
    experiment: type[Experiment], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("empty")
    monkeypatch.setenv("SFUMATO_DATA", str(folder))
    with pytest.raises(BadRequest) as refused:
        experiment().run()
    assert str(folder) in str(refused.value)


def test_looking_at_experiments_does_not_import_scikit_learn() -> None:
    code = "import sys; from sfumato.experiments import TdrAdult; TdrAdult(); print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
