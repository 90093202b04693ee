"""`python -m tools.hub push` with the real client, against a stand-in for the Hub."""

import functools
import os
import re
import subprocess
import sys

import huggingface_hub
import pytest
import yaml
from huggingface_hub import constants, hf_api
from huggingface_hub.utils import _headers, _http

from hub_server.server import TOKEN, Hub, blob
from tools.hub import building, pushing
from tools.hub.__main__ import main
from tools.hub.cards import require_names

# built once for all tests
space = functools.cache(building.space)


@pytest.fixture(scope="module")
def files():
    return space("span_f", namespace="spanometer")


@pytest.fixture
def hub(monkeypatch):
    server = Hub()
    use(monkeypatch, server.url, TOKEN)
    monkeypatch.setattr(pushing, "space", space)
    yield server
    server.close()


def new_session():
    """The client's session remembers whether it is offline."""
    if hasattr(huggingface_hub, "close_session"):
        huggingface_hub.close_session()
    else:
        # before 1.0
        _http.reset_sessions()


def use(monkeypatch, url, token):
    """Point the client at a server; it reads its settings when it is imported."""
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(hf_api, "ENDPOINT", url, raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    new_session()
    if token is None:
        for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", os.devnull)
    else:
        monkeypatch.setenv("HF_TOKEN", token)


@pytest.fixture
def push(capsys):
    """Push to the namespace of the stand-in; status, output and complaints, which never show a token."""

    def call(*arguments, namespace="spanometer"):
        status = main(["push", f"--namespace={namespace}", *arguments])
        captured = capsys.readouterr()
        for text in captured:
            assert "hf_secret" not in text
            assert "Bearer" not in text
        return status, captured.out, captured.err

    return call


def refused(answer):
    """The one line of a push that goes wrong."""
    status, output, line = answer
    assert (status, output) == (2, "")
    assert line.count("\n") == 1
    return line.rstrip("\n")


def writes(hub):
    return [path for method, path, _ in hub.log if method == "POST" and not path.endswith("/validate-yaml")]


def test_new_space(hub, push, files):
    status, output, said = push("span_f")
    assert (status, said) == (0, "")
    # the Hub makes a card of its own, which is overwritten
    assert output == f"spanometer/span_f: new, {len(files) - 1} added, 1 changed\n"
    _, there = hub.files("spanometer/span_f")
    assert there.pop(".gitattributes")
    assert there == files
    assert len(hub.spaces["spanometer/span_f"]) == 2


def test_unchanged_space_gets_no_commit(hub, push):
    push("span_f")
    hub.log.clear()
    assert push("span_f") == (0, "spanometer/span_f: unchanged\n", "")
    assert writes(hub) == []
    assert len(hub.spaces["spanometer/span_f"]) == 2


def test_only_what_differs_is_pushed(hub, push, files):
    there = {**files, "span_f.py": b"old", "spanometer_old.py": b"gone", ".gitattributes": b"*"}
    del there["requirements.txt"]
    hub.commit("spanometer/span_f", there)
    assert push("span_f") == (0, "spanometer/span_f: 1 added, 1 changed, 1 deleted\n", "")
    assert hub.files("spanometer/span_f")[1] == {**files, ".gitattributes": b"*"}
    assert len(hub.spaces["spanometer/span_f"]) == 2


def test_dry_run(hub, push, files):
    there = {**files, "span_f.py": b"old", "spanometer_old.py": b"gone"}
    del there["requirements.txt"]
    hub.commit("spanometer/span_f", there)
    status, output, said = push("--dry-run", "span_f", "token_f")
    assert (status, said) == (0, "")
    lines = output.splitlines()
    assert lines[:4] == [
        "spanometer/span_f: 1 added, 1 changed, 1 deleted",
        "  + requirements.txt",
        "  ~ span_f.py",
        "  - spanometer_old.py",
    ]
    new = space("token_f", namespace="spanometer")
    assert lines[4:] == [f"spanometer/token_f: new, {len(new)} added", *(f"  + {path}" for path in new)]
    assert writes(hub) == []
    assert "spanometer/token_f" not in hub.spaces


def test_all_spaces_are_pushed_by_default(hub, push):
    status, output, _ = push()
    assert status == 0
    assert [line.partition(":")[0] for line in output.splitlines()] == [
        f"spanometer/{name}" for name in require_names((), ["agreement", "errors", "grounding"])
    ]
    for name in require_names(()):
        assert yaml.safe_load(hub.files(f"spanometer/{name}")[1]["README.md"].split(b"---\n")[1])["sdk"] == "gradio"


def test_the_namespace_is_in_the_examples(hub, push):
    hub.namespaces.add("my-group")
    assert push("span_f", namespace="my-group")[0] == 0
    card = hub.files("my-group/span_f")[1]["README.md"].decode()
    assert 'evaluate.load("my-group/span_f")' in card
    assert 'evaluate.load("spanometer/' not in card


def test_without_a_token(hub, push, monkeypatch):
    use(monkeypatch, hub.url, None)
    line = refused(push("span_f"))
    assert line == "spanometer: there is no token for the Hub. Set HF_TOKEN, or log in with hf auth login."
    assert hub.log == []


@pytest.mark.parametrize("arguments", [(), ("--dry-run",)])
def test_wrong_token(hub, push, monkeypatch, arguments):
    use(monkeypatch, hub.url, "hf_secretbutwrong")
    line = refused(push("span_f", *arguments))
    assert line.startswith("spanometer: spanometer/span_f: the Hub answers 401 (")
    assert hub.spaces == {}


@pytest.mark.parametrize("token", ["hf_secret\u00e9", "hf_secret\x00x"])
def test_token_with_wrong_characters(hub, push, monkeypatch, token):
    if "\0" in token:
        monkeypatch.setattr(_headers, "get_token", lambda: token)
    else:
        use(monkeypatch, hub.url, token)
    line = refused(push("span_f"))
    assert line.startswith("spanometer: spanometer/span_f: ")
    assert hub.spaces == {}


def test_foreign_namespace(hub, push):
    line = refused(push("span_f", namespace="somebody"))
    assert line.startswith("spanometer: somebody/span_f: the Hub answers 403 (")


@pytest.mark.parametrize(
    ("where", "status", "headers"),
    [
        ("GET /api/spaces", 403, {}),
        ("GET /api/spaces", 500, {}),
        ("POST /api/repos/create", 401, {}),
        ("POST /api/repos/create", 429, {"Retry_After": "7"}),
        ("POST .*/commit/", 412, {}),
        ("POST .*/preupload/", 404, {"X_Error_Code": "RepoNotFound"}),
    ],
)
def test_refusals(hub, push, where, status, headers):
    hub.fail = {where: (status, headers)}
    line = refused(push("span_f"))
    assert line.startswith(f"spanometer: spanometer/span_f: the Hub answers {status} (")
    # and once it is over
    hub.fail = {}
    assert push("span_f")[0] == 0


def test_pushed_by_somebody_else_in_the_meantime(hub, push, files, monkeypatch):
    hub.commit("spanometer/span_f", {**files, "span_f.py": b"old"})
    found = pushing._remote

    def slow(api, name):
        there = found(api, name)
        hub.commit(name, {"span_f.py": b"another"})
        return there

    monkeypatch.setattr(pushing, "_remote", slow)
    line = refused(push("span_f"))
    assert "the Hub answers 412 (" in line
    assert hub.files("spanometer/span_f")[1] == {"span_f.py": b"another"}


def test_network_down(push, monkeypatch):
    server = Hub()
    url = server.url
    server.close()
    use(monkeypatch, url, TOKEN)
    line = refused(push("span_f"))
    assert line.startswith("spanometer: spanometer/span_f: the Hub does not answer")


def test_not_the_hub(hub, push):
    """Something answers, and not with what the Hub answers."""
    hub.fail = {"GET /api/spaces": (200, {})}
    line = refused(push("span_f"))
    assert line.startswith("spanometer: spanometer/span_f: ")


@pytest.mark.parametrize("namespace", ["", "a/b", "-x", "a--b", "über", "..", "a b"])
def test_wrong_namespace(hub, push, namespace):
    line = refused(push("span_f", namespace=namespace))
    assert "is not the name of a user or an organisation" in line
    assert hub.log == []


def test_unknown_metric_is_told_before_anything_is_pushed(hub, push):
    line = refused(push("span_f", "spam_f"))
    assert line.startswith("spanometer: unknown module 'spam_f'. The modules are bcubed, ")
    assert hub.log == []


def test_hashes_are_those_of_git(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"some\nbytes\xff")
    run = subprocess.run(["git", "hash-object", str(file)], capture_output=True, text=True, check=True)
    assert pushing._blob(file.read_bytes()) == blob(file.read_bytes()) == run.stdout.strip()


def test_nothing_of_the_client_is_imported_until_it_is_needed():
    code = (
        "import sys; from tools.hub.__main__ import main; import tools.hub.command; "
        "from contextlib import suppress\n"
        "with suppress(SystemExit): main(['push', '--help'])\n"
        "print([name for name in sys.modules if name.partition('.')[0] in ('huggingface_hub', 'evaluate', 'scipy')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
    assert re.search(r"usage: python -m tools\.hub push \[options\] --namespace ORG", run.stdout)
