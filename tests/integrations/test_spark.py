"""Spark's mapInArrow over counts, in a local session of two threads: the example of docs/clusters.md."""

import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from counts_of_parts import require_same_counts, tagged, whole
from spanometer.analysis.scores.streams import partial_counts, sum_counts

sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")

from spanometer.measures import SlIcm, SpanF  # noqa: E402 (Spark comes first)

MEASURES = {"span_f": SpanF(), "sl_icm": SlIcm()}

# Spark leaves sockets to be collected, and warns about what it will change
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::FutureWarning"
)


@pytest.fixture(scope="module")
def spark():
    """A session on the loopback interface; Python's processes are those of this environment."""
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    try:
        builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        session = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    except Exception as error:
        pytest.skip(f"Spark does not start here: {error}")
    yield session
    session.stop()


def test_counts_are_mapped_and_summed(spark, tmp_path):
    references, predictions = tagged(7, 200)
    table = pa.table({"gold": references, "system": predictions})
    for number in range(4):
        pq.write_table(table.slice(50 * number, 50), tmp_path / f"part-{number}.parquet")

    def count(batches):
        for batch in batches:
            counted = partial_counts(batch, measures=MEASURES, scheme="IOB2", references="gold", predictions="system")
            yield from counted.to_batches()

    frame = spark.read.parquet(str(tmp_path)).repartition(3)
    rows = frame.mapInArrow(count, "measure string, documents long, counts binary")
    found = sum_counts(rows.toArrow())
    require_same_counts(found, whole(MEASURES, references, predictions))
    assert sum(row.documents for row in rows.collect() if row.measure == "span_f") == 200
