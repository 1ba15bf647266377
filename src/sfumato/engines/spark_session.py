"""The Spark session that rows live in: the one that is there, or one of our own that leaves nothing behind."""

from __future__ import annotations

import atexit
import logging
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.data.leftovers import TemporaryFolder
from sfumato.errors import BadRequest, TooLittle, Unsupported

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["NANOSECONDS", "private_folder", "read_from", "refusals", "session", "written_to"]

NANOSECONDS = "spark.sql.legacy.parquet.nanosAsLong"
"""The setting with which Spark reads moments in nanoseconds, as whole numbers."""

_OWNED: list[TemporaryFolder] = []
_DRIVER = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    NANOSECONDS: "true",
    "spark.sql.caseSensitive": "true",
}
_SILENT = """appender.none.type = Null
appender.none.name = none
rootLogger.level = off
rootLogger.appenderRef.none.ref = none
"""
_LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "32",
}


def session(master: str = "local[*]", memory: str | None = None) -> SparkSession:
    """Return the session of this process, or begin one that binds to loopback and keeps its files in a private folder.

    It logs nothing: what Spark logs may quote rows, and the error stream is ours.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # Spark speaks of pandas, which nothing here uses
            from pyspark.sql import SparkSession
    except ImportError:
        raise Unsupported(
            "the Spark engine needs the extra 'spark' (pip install 'sfumato[spark]') and Java 17 or 21", thing="spark"
        ) from None
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    folder = private_folder()
    silent = Path(folder) / "log4j2.properties"
    silent.write_text(_SILENT, encoding="utf-8")
    places = {"java.io.tmpdir": folder, "derby.system.home": folder, "log4j2.configurationFile": silent.as_uri()}
    settings = _DRIVER | {
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.driver.extraJavaOptions": " ".join(f"-D{name}={place}" for name, place in places.items()),
    }
    settings |= {} if memory is None else {"spark.driver.memory": memory}
    local = master.startswith("local")
    settings |= _LOCAL if local else {}
    builder = SparkSession.builder.master(master).appName("sfumato")
    for name, value in settings.items():
        builder = builder.config(name, value)
    before = os.environ.get("SPARK_LOCAL_IP")
    try:
        os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1"} if local else {}
        with warnings.catch_warnings(), _unheard():
            warnings.simplefilter("ignore", FutureWarning)
            made = builder.getOrCreate()
    except Exception as error:  # whatever Java, a master or a setting does not like comes as one of many kinds
        raise BadRequest(
            f"no Spark session can be begun ({type(error).__name__}): it needs Java 17 or 21 and a master that answers",
            parameter="spark.master",
            value=master,
        ) from None
    finally:
        if before is None:
            os.environ.pop("SPARK_LOCAL_IP", None)
    atexit.register(_end, made)
    logging.getLogger().addFilter(_not_by_py4j)
    return made


@contextmanager
def _unheard() -> Iterator[None]:
    """Let processes that are begun meanwhile write errors to nowhere: Java greets, and would go on to the end of its life."""
    try:
        ours = os.dup(2)
    except OSError:  # there is no error stream
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(ours, 2)
        os.close(ours)
        os.close(nowhere)


def _not_by_py4j(record: logging.LogRecord) -> bool:
    """Tell whether a record is somebody else's: what talks with Java logs the trace of every Ctrl-C in the name of all."""
    return "py4j" not in Path(record.pathname).parts


def private_folder() -> str:
    """Return a folder that only this user can open and that goes with the process."""
    _OWNED.append(TemporaryFolder())
    return str(_OWNED[-1].path)


def _end(made: SparkSession) -> None:
    with suppress(Exception):
        made.stop()
    for folder in _OWNED:
        folder.remove()


@contextmanager
def refusals(where: str) -> Iterator[None]:
    """Turn what Spark raises into a refusal; its texts may quote rows, so that only the kind of error is told."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        ended = _ended(error)
        if ended is not None:
            raise ended from None
        text = str(error)
        if "maxResultSize" in text:
            raise BadRequest(
                "is too little for the distinct rows that are counted; take fewer columns, or search_on a sample",
                parameter="spark.driver.maxResultSize",
            ) from None
        if "OutOfMemory" in text or "Java heap space" in text:
            raise TooLittle("is too little for this table", parameter="spark.memory") from None
        told = getattr(error, "getCondition", lambda: None)() or type(error).__name__
        raise BadRequest(f"Spark cannot do this ({told})", where=where) from None


def _ended(error: BaseException | None) -> BaseException | None:
    """Return Ctrl-C, or the end of the process, if Spark only complains that its work was left at that."""
    while isinstance(error, Exception):
        error = error.__context__
    return error


def written_to(path: Path) -> str:
    """Return a place as Spark takes it to write there: no sign in it is encoded, as it would be in other addresses.

    >>> written_to(Path("/data/my rows"))
    'file:///data/my rows'
    """
    return f"file://{path.absolute()}"


def read_from(path: Path) -> str:
    r"""Return a place as Spark takes it to read there: signs that would stand for others are only themselves.

    >>> read_from(Path("/data/rows[1]"))
    'file:///data/rows\\[1\\]'
    """
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", written_to(path))
