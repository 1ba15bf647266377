"""Tables of databases for Spark, by JDBC; those of PostgreSQL in the types in which every engine reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from sfumato.contracts.engine import SourceOptions
from sfumato.engines.databases import columns_query, place_of, selection
from sfumato.engines.sources import Source
from sfumato.engines.spark_session import refusals
from sfumato.errors import BadRequest, Unsupported

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

__all__ = ["any_table", "postgresql_table"]

_POSTGRESQL = "org.postgresql.Driver"
_AT_ONCE = 10_000
"""Rows that come at once; a driver may otherwise hold all of them in memory."""
_PASSED_ON = ("user", "password", "sslmode", "sslrootcert", "sslcert", "sslkey")


def any_table(spark: SparkSession, url: str, options: SourceOptions) -> tuple[DataFrame, str]:
    """Return a table behind an address of JDBC, as its driver gives it, and the address without what may be secret."""
    where = url.partition("?")[0].partition(";")[0]  # what follows may hold a password
    with refusals(where):
        return _reader(spark, url).option("dbtable", _named(options, where)).load(), where


def postgresql_table(spark: SparkSession, place: Source, options: SourceOptions) -> DataFrame:
    """Return a table of PostgreSQL; its name is quoted, and each column has the type that every engine reads it in."""
    if not _has_driver(spark):
        raise Unsupported(
            "reading PostgreSQL with Spark needs its JDBC driver on the class path (spark-submit --jars, or spark.jars)",
            thing="spark",
            alternatives=["duckdb", "polars"],
        )
    table = _named(options, place.where)
    parts = urlsplit(str(place.uri))
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    told = {name: given[name] for name in _PASSED_ON if name in given}
    told |= {
        name: unquote(held)
        for name, held in (("user", parts.username), ("password", parts.password))
        if held is not None
    }
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    url = f"jdbc:postgresql://{host}{'' if parts.port is None else f':{parts.port}'}{parts.path}"
    # Moments without a time zone stay without one, whatever the zone of the machine.
    reader = _reader(spark, url).options(driver=_POSTGRESQL, preferTimestampNTZ="true", **told)
    schema, name = place_of(table)
    with refusals(place.where):
        columns = [
            (str(column), str(kind))
            for column, kind in reader.option("query", columns_query(schema, name)).load().collect()
        ]
        if not columns:
            raise BadRequest("is not a table", parameter="table", value=table, where=place.where)
        return reader.option("query", selection(columns, schema, name, place.where, options.unread)).load()


def _named(options: SourceOptions, where: str) -> str:
    if options.table is None:
        raise BadRequest("name the table to read", parameter="table", where=where)
    return options.table


def _reader(spark: SparkSession, url: str) -> DataFrameReader:
    return spark.read.format("jdbc").option("url", url).option("fetchsize", _AT_ONCE)


def _has_driver(spark: SparkSession) -> bool:
    from py4j.protocol import Py4JError

    try:
        spark._jvm.org.apache.spark.util.Utils.classForName(_POSTGRESQL, False, True)
    except (Py4JError, TypeError):
        return False
    return True
