"""Run command lines and public functions on the samples, and keep what they print.

python tests/snapshots/kept_outputs.py        keeps what they print now
"""

import contextlib
import io
import os
import shlex
import tempfile
from pathlib import Path
from unittest import mock

from snapshots import public_functions
from snapshots.samples import write_samples
from spanometer.commands.main import main

HERE = Path(__file__).parent
KEPT = HERE / "outputs"
WIDTH = "100"


def command_lines():
    return (HERE / "command_lines.txt").read_text(encoding="utf8").splitlines()


def name_of(line):
    return "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in line)[:120] + ".txt"


class Captured(io.StringIO):
    """Standard output that takes bytes too."""

    def __init__(self):
        super().__init__()
        self.buffer = self

    def write(self, piece):
        return super().write(piece.decode() if isinstance(piece, bytes) else piece)


def output_of(line):
    """Run a command line in a folder of its own: status, output, errors, and the files that it wrote."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        write_samples(place)
        existing = set(place.rglob("*"))
        os.chdir(place)
        out, error = Captured(), Captured()
        try:
            with (
                mock.patch.dict(os.environ, {"COLUMNS": WIDTH}),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(error),
            ):
                try:
                    status = main(shlex.split(line))
                except SystemExit as leaving:
                    status = leaving.code
        finally:
            os.chdir(before)
        parts = [f"$ spanometer {line}\n", f"exit status {status}\n", "-- output\n", out.getvalue()]
        parts += ["-- errors\n", error.getvalue()]
        for path in sorted(set(place.rglob("*")) - existing):
            if path.is_file():
                parts += [f"-- {path.relative_to(place).as_posix()}\n", path.read_text(encoding="utf8")]
    return "".join(parts).replace(str(place), "FOLDER")


def record():
    """Write the outputs of all command lines anew."""
    KEPT.mkdir(exist_ok=True)
    for path in KEPT.iterdir():
        path.unlink()
    for line in command_lines():
        (KEPT / name_of(line)).write_text(output_of(line), encoding="utf8", newline="")
    for name in public_functions.CALLS:
        (KEPT / f"python {name}.json").write_text(public_functions.result_of(name), encoding="utf8")


if __name__ == "__main__":
    record()
