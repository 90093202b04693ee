"""Wrong input, and what is said about it: command lines that fail, and calls that raise an InputError.

A row has the files that a command line or a call reads, as text or base64. After a message was changed on purpose,
`python tests/snapshots/refusals.py` writes the messages anew.
"""

import base64
import contextlib
import io
import json
import operator
import re
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa

from spanometer.commands.main import main
from spanometer.exceptions import InputError

HERE = Path(__file__).parent
MODULES = sorted(path.name for path in HERE.parents[1].glob("metrics/[a-z]*"))
TABLES = {"command lines": HERE / "refused_command_lines.jsonl", "calls": HERE / "refused_calls.jsonl"}


def rows(table):
    return [json.loads(line) for line in TABLES[table].read_text(encoding="utf8").splitlines()]


def content_of(stored):
    return base64.b64decode(stored["base64"]) if "base64" in stored else stored["text"].encode()


def write(files):
    for name, stored in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content_of(stored))


def named(name):
    """The function or class of `module:name`."""
    module, _, attributes = name.partition(":")
    return operator.attrgetter(attributes)(import_module(module))


def argument_of(value):
    """The argument of a call; files, folders, streams and objects are made here."""
    if isinstance(value, list):
        return [argument_of(item) for item in value]
    if not isinstance(value, dict):
        return value
    match sorted(value):
        case ["content", "file"]:
            write({value["file"]: value["content"]})
            return value["file"]
        case ["files", "folder"]:
            Path(value["folder"]).mkdir(exist_ok=True)
            write({f"{value['folder']}/{name}": stored for name, stored in value["files"].items()})
            return value["folder"]
        case ["missing"]:
            return value["missing"]
        case ["bytes"]:
            return content_of(value["bytes"])
        case ["array", "dtype"]:
            return np.array(value["array"], value["dtype"])
        case ["arrow"]:
            return pa.ipc.open_stream(content_of(value["arrow"])).read_all()
        case ["arrow column"]:
            return pa.ipc.open_stream(content_of(value["arrow column"])).read_all().column(0).combine_chunks()
        case ["type"]:
            return named(value["type"])
        case ["stream"]:
            return io.BytesIO(content_of(value["stream"]))
        case ["tuple"]:
            return tuple(argument_of(value["tuple"]))
        case ["set"]:
            return set(argument_of(value["set"]))
        case ["items"]:
            return dict(argument_of(value["items"]))
        case ["arguments", "made"] | ["arguments", "made", "positional"]:
            return named(value["made"])(*argument_of(value.get("positional", [])), **argument_of(value["arguments"]))
    return {name: argument_of(item) for name, item in value.items()}


def error_of_command_line(row):
    write(row["files"])
    error = io.StringIO()
    with (
        contextlib.redirect_stderr(error),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        main(row["arguments"])
    return without_lists(error.getvalue().rstrip("\n"))


def without_lists(message):
    """Shorten lists of measures or modules, which grow by one with every measure."""
    names = "|".join(MODULES)
    return re.sub(rf"\b(?:{names})(?:, (?:and )?(?:{names})\b){{2,}}", "span_f, ..., token_f", message)


def error_of_call(row):
    try:
        found = named(row["call"])(*argument_of(row.get("positional", [])), **argument_of(row["arguments"]))
        # a generator reads when it is asked for parts
        if hasattr(found, "__next__"):
            list(found)
    except InputError as error:
        return without_lists(str(error))
    return None


NEEDED = {".spacy": "spacy", "regex:": "regex"}
"""What a row with such a name needs besides the package."""


def missing_library(row):
    """The library that a row needs and that is not installed; None if there is none."""
    text = str({**row, "error": ""})
    return next((library for name, library in NEEDED.items() if name in text and find_spec(library) is None), None)


MESSAGES = {"command lines": error_of_command_line, "calls": error_of_call}


def record():
    """Write all messages anew."""
    for table, message in MESSAGES.items():
        found = rows(table)
        for row in found:
            if missing_library(row) is not None:
                continue
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                row["error"] = message(row)
        TABLES[table].write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf8")


if __name__ == "__main__":
    record()
