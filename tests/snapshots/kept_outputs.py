"""Run command lines and public functions, and keep what they print.

A line of `command_lines.txt` reads the samples; a row of `command_lines.jsonl` has files of its own, and says what it
shows. `python tests/snapshots/kept_outputs.py` keeps what they print now.
"""

import contextlib
import io
import json
import os
import shlex
import tempfile
from pathlib import Path
from unittest import mock

from snapshots import public_functions
from snapshots.refusals import content_of, write
from snapshots.samples import write_samples
from spanometer.commands.main import main

HERE = Path(__file__).parent
KEPT = HERE / "outputs"
ROWS = HERE / "command_lines.jsonl"
WIDTH = "100"


def command_lines():
    return (HERE / "command_lines.txt").read_text(encoding="utf8").splitlines()


def rows():
    return [json.loads(line) for line in ROWS.read_text(encoding="utf8").splitlines()]


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
    """Run a command line on the samples."""
    return f"$ spanometer {line}\n" + printed(shlex.split(line), lambda: write_samples(Path()))


def output_of_row(row):
    """Run a command line on the files of its row, and on its standard input."""
    return printed(row["arguments"], lambda: write(row["files"]), content_of(row.get("input", {"text": ""})))


def printed(arguments, write_files, standard_input=b""):
    """Run a command line in a folder of its own: status, output, errors, and the files that it wrote or changed."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        os.chdir(place)
        out, error = Captured(), Captured()
        try:
            write_files()
            existing = contents(place)
            with (
                mock.patch.dict(os.environ, {"COLUMNS": WIDTH}),
                mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(standard_input))),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(error),
            ):
                try:
                    status = main(arguments)
                except SystemExit as leaving:
                    status = leaving.code
        finally:
            os.chdir(before)
        parts = [f"exit status {status}\n", "-- output\n", out.getvalue()]
        parts += ["-- errors\n", error.getvalue()]
        for path, content in contents(place).items():
            if existing.get(path) != content:
                parts += [f"-- {path.relative_to(place).as_posix()}\n", content.decode("utf8")]
    return "".join(parts).replace(str(place), "FOLDER")


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def record():
    """Write the outputs of all command lines anew."""
    KEPT.mkdir(exist_ok=True)
    for path in KEPT.iterdir():
        path.unlink()
    for line in command_lines():
        (KEPT / name_of(line)).write_text(output_of(line), encoding="utf8", newline="")
    found = [{**row, "printed": output_of_row(row)} for row in rows()]
    ROWS.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found), encoding="utf8")
    for name in public_functions.CALLS:
        (KEPT / f"python {name}.json").write_text(public_functions.result_of(name), encoding="utf8")


if __name__ == "__main__":
    record()
