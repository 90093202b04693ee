"""A measure for tests of clusters: from the second time on that a process counts it waits."""

import os
import time
from pathlib import Path
from typing import ClassVar

from spanometer.measures import SpanF

PATIENCE = 60


class SlowSpanF(SpanF):
    """`SpanF` that writes down who counts, and from its process's second time on waits for the file `go`."""

    folder: str

    name: ClassVar[str] = "slow_span_f"

    def _count(self, alignment):
        if alignment.documents == 0:
            # a plan is made with what is counted later
            return super()._count(alignment)
        folder = Path(self.folder)
        begun = folder / f"begun-{os.getpid()}"
        if begun.exists():
            (folder / f"waits-{os.getpid()}").touch()
            end = time.monotonic() + PATIENCE
            while not (folder / "go").exists() and time.monotonic() < end:
                time.sleep(0.02)
        begun.touch()
        return super()._count(alignment)
