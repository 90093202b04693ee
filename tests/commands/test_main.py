"""The command line as a process: how it starts and leaves, its help, and what it imports."""

import json
import os
import signal
import subprocess
import sys

import pytest

REFERENCE = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
PREDICTION = "Ada B-PER\nLovelace O\nslept O\n\nin B-LOC\nRome I-LOC\n"
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}


@pytest.fixture
def pair(file):
    return file("gold.conll", REFERENCE), file("system.conll", PREDICTION)


def process(*arguments, **options):
    environment = {**os.environ, **OFFLINE, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", "spanometer", *arguments],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        **options,
    )


def test_process(pair):
    good = process("score", pair[0], "-", "--json", input=PREDICTION)
    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)["documents"] == 2
    bad = process("score", pair[0], "none")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert (
        bad.stderr
        == "spanometer: none: the file cannot be read: no such file or directory. Check the path and the permissions.\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("module", ["numpy", "pyarrow", "spanometer.commands.main", "spanometer.commands.score"])
@pytest.mark.parametrize("ignored", [True, False])
def test_an_interrupt_while_modules_are_imported(pair, module, ignored):
    code = f"""
import os, signal, sys

class Interrupting:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
# a shell starts what runs in the background with the signal ignored
signal.signal(signal.SIGINT, signal.SIG_IGN if {ignored} else signal.default_int_handler)
from spanometer.__main__ import main
sys.exit(main())
"""
    ran = subprocess.run([sys.executable, "-c", code, "score", *pair], capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert ran.returncode in ([0] if ignored else [130, -signal.SIGINT])


def test_what_is_not_needed_is_not_imported(pair, file):
    gold, system = pair
    tree = file("a.txt", "<pers> Ada </pers>\n")
    text = file("text.jsonl", '{"id": "a", "text": "Ada", "spans": [{"start": 0, "end": 3, "label": "A"}]}\n')
    table = file("spans.csv", "document,start,end,label,text\na,0,3,A,Ada\n")
    commands = [
        ["score", text, table],
        ["score", gold, system],
        ["compare", gold, system, gold],
        ["agree", gold, system],
        ["spread", gold, system],
        ["validate", gold],
        ["convert", gold, "--to", "BMES"],
    ]
    # pyarrow imports pandas to make arrays of dictionaries
    more = [["advise", gold], ["score", tree, tree]]
    code = (
        "import sys; from spanometer.commands import main\n"
        "main._parser()\n"
        "print([name for name in ('scipy', 'rich', 'spanometer.measures') if name in sys.modules])\n"
        f"for command in {commands!r}: main.main(command)\n"
        "print([name for name in ('evaluate', 'datasets', 'pandas', 'matplotlib') if name in sys.modules])\n"
        f"for command in {more!r}: main.main(command)\n"
        "print([name for name in ('evaluate', 'datasets', 'matplotlib') if name in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.splitlines().count("[]") == 3


@pytest.mark.skipif(os.name == "nt", reason="needs pipes of POSIX")
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_closed_pipe_is_no_error(pair, form):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "spanometer", "score", *pair, *form], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 141


def test_ascii_output(file):
    path = file("a", "B-ж\n")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "spanometer", "score", path, path, "--per-label"]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u0436" in done.stdout
