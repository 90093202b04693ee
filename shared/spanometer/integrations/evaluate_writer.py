"""Documents in the files of `evaluate`: all that this package touches of what `evaluate` keeps to itself.

That is its Arrow writer, its cache files with their locks, and the format in which a column comes back. It holds for
evaluate 0.4.6, its last release, with datasets 4.0 to 5.2; before another version is allowed,
tests/integrations/test_module.py has to pass with it.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

import evaluate
import pyarrow as pa
from datasets import Features


class ArrowMetric(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """A metric that stores Arrow tables as they are, and gets its columns back as they are stored.

    The framework's own way coerces what does not fit: numbers among tags become text, 0.7 becomes the offset 0.
    """

    @staticmethod
    def _arrow_info(type_: pa.DataType, **texts: str) -> evaluate.MetricInfo:
        """Return the description of a metric whose predictions and references are Arrow columns of one type."""
        features = Features.from_arrow_schema(pa.schema({"predictions": type_, "references": type_}))
        info = evaluate.MetricInfo(features=features, **texts)
        # the constructor refuses a format for list features, though it works
        info.format = "arrow"
        return info

    def _store(self: Any, tables: list[pa.Table]) -> None:
        """Write tables of documents, and empty their list: the memory of each is free before the last is written."""
        self._start_writing()
        # datasets 4.0 keeps single documents back: they would come after the batches that are added later
        self.writer.write_rows_on_file()
        while tables:
            self.writer.write_table(tables.pop(0))
        # free what the batch took before the next one comes
        pa.default_memory_pool().release_unused()

    def _store_document(self: Any, table: pa.Table) -> None:
        """Write a table of one document; the writer collects some of them."""
        self._start_writing()
        self.writer.write_row(table)

    def _start_writing(self: Any) -> None:
        if self.writer is None:
            self.selected_feature_format = self.features
            self._init_writer()

    def _forget(self: Any) -> None:
        """Drop all data and release all files and locks, so that the next call starts afresh."""
        if self.writer is not None:
            with contextlib.suppress(Exception):
                self.writer.close()
        locks = [*(self.filelocks or []), self.filelock, self.rendez_vous_lock]
        files = {*(self.file_paths or []), self.cache_file_name}
        self.writer = self.data = self.buf_writer = self.filelocks = self.file_paths = None
        for file in files - {None}:
            with contextlib.suppress(FileNotFoundError):
                os.remove(file)
        for lock in locks:
            if lock is not None:
                lock.release()
        self.cache_file_name = self.filelock = self.rendez_vous_lock = self.selected_feature_format = None
