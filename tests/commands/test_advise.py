"""`spanometer advise`, and the lists of spans that it reads."""

import json
import shlex

import pytest


@pytest.mark.parametrize(
    ("tags", "suggested", "options"), [("BIBI", "token_f", {"format": "IO*"}), ("BBII", "sl_icm", {})]
)
def test_the_command_can_be_run(run, scores, file, tags, suggested, options):
    # spans that touch; a name that needs quotes, a column and a scheme of its own
    path = file("a b.tsv", "".join(f"x {tag}-X O\n" for tag in tags))
    found = scores("advise", path, "--column", "2", "--scheme", "iob2")
    assert (found["measure"], found["options"]) == (suggested, options)
    program, *arguments = shlex.split(found["command"])
    assert program == "spanometer"
    status, output, _ = run(*(path if word == "SYSTEM" else word for word in arguments), "--json")
    assert status == 0
    assert list(json.loads(output)["measures"]) == [suggested]
