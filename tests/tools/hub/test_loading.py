"""The built Spaces, loaded by `evaluate` from a stand-in for the Hub in processes that do not have the package."""

import doctest
import json
import os
import random
import re
import subprocess
import sys
import venv
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import evaluate
import pytest

import spanometer
from hub_server.loading import job, run_jobs
from hub_server.server import Hub
from spanometer.integrations.module_folders import module_folders
from spanometer.measures import MEASURES
from tools.hub.building import space
from tools.hub.cards import module_class

NAMES = sorted(module_folders())
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def spaces():
    return {name: space(name) for name in NAMES}


@pytest.fixture
def hub(spaces):
    """The stand-in, with all Spaces."""
    server = Hub()
    for name, files in spaces.items():
        server.commit(f"spanometer/{name}", files)
    yield server
    server.close()


def documents(seed):
    """Tags of both sides: legal and illegal ones, adjacent spans, documents without any."""
    generator = random.Random(seed)
    tags = ["O", "O", "B-PER", "I-PER", "I-PER", "B-LOC", "I-LOC", "I-ORG"]
    sizes = [generator.randrange(1, 25) for _ in range(40)]
    return [[generator.choices(tags, k=size) for size in sizes] for _ in range(2)]


def spans_of(sides):
    decoded = (spanometer.Spans.from_tags(side, scheme="IOB2") for side in sides)
    return [
        [[{"start": s, "end": e, "label": label} for s, e, label in found] for found in _by_document(side)]
        for side in decoded
    ]


def _by_document(side):
    found = [[] for _ in range(side.documents)]
    for document, start, end, code in zip(side.document, side.start, side.end, side.label, strict=True):
        found[document].append((int(start), int(end), side.labels[code]))
    return found


def cases_of(name):
    """The inputs of the examples in a module's documentation, by configuration."""
    cases = []

    def load(_, config_name=None):
        def compute(*, details=False, **inputs):
            cases.append((config_name, inputs))
            return spanometer.load(name, config_name).compute(details=details, **inputs)

        return SimpleNamespace(compute=compute)

    known = {"spanometer": SimpleNamespace(load=load)}
    for example in doctest.DocTestParser().get_examples(module_class(name).inputs_text):
        if not example.source.startswith("import "):
            exec(example.source, known)
    return [(config, inputs) for config, inputs in cases if _is_json(inputs)]


def _is_json(inputs):
    try:
        return json.loads(json.dumps(inputs)) == inputs
    except TypeError:
        return False


def inputs_of(name):
    """What is computed with a module, by configuration: the examples of its documentation, and a corpus."""
    found = {}
    for config, inputs in cases_of(name):
        found.setdefault(config, []).append({**inputs, "details": True})
    if name in MEASURES:
        sides = documents(seed=len(name))
        spans = spans_of(sides)
        lengths = list(map(len, sides[0]))
        fragments = [
            [
                [{"label": span["label"], "fragments": [[span["start"], span["end"]]]} for span in document]
                for document in side
            ]
            for side in spans
        ]
        texts = [
            [{"text": "x" * length, "spans": of_one} for length, of_one in zip(lengths, side, strict=True)]
            for side in spans
        ]
        for config, (references, predictions), options in (
            ("text", texts, {}),
            (None, sides, {"repair": "discard", "scheme": "IOB2"}),
            (None, sides, {"average": "macro"}),
            ("spans", spans, {"lengths": lengths}),
            ("fragments", fragments, {"lengths": lengths, "zero_division": 1.0}),
        ):
            data = {"references": references, "predictions": predictions}
            found.setdefault(config, []).append({**data, **options, "details": True})
    return found


@pytest.fixture(scope="module")
def jobs(spaces):
    return [
        job(f"spanometer/{name}", config, inputs=inputs)
        for name in spaces
        if name != "gamma"
        for config, inputs in inputs_of(name).items()
    ]


def packaged(jobs):
    """What the package computes for jobs, as JSON writes it."""
    results = []
    for wanted in jobs:
        module = spanometer.load(wanted["path"].partition("/")[2], wanted["config"])
        results.append([module.compute(**inputs) for inputs in wanted["inputs"]])
    return json.loads(json.dumps(results))


TAGS = {"references": [["B-PER", "I-PER", "O"]], "predictions": [["B-PER", "O", "O"]]}
TWICE = {side: 2 * tags for side, tags in TAGS.items()}
WRONG = {"references": [["O"], ["O", "O"]], "predictions": [["O"], ["PER-B", "O"]]}

REFUSED = {
    "without SciPy": job("spanometer/token_f", inputs=[{**TWICE, "confidence": 0.9}]),
    "gamma without SciPy": job("spanometer/gamma", inputs=[TAGS]),
    "wrong input": job("spanometer/link_f", inputs=[WRONG]),
}
"""What ends in an error in the process of `loaded`."""


@pytest.fixture(scope="module")
def loaded(spaces, jobs, tmp_path_factory):
    """What the modules from the Hub give, in a process that has neither the package nor SciPy."""
    server = Hub()
    for name, files in spaces.items():
        server.commit(f"spanometer/{name}", files)
    cache = tmp_path_factory.mktemp("cache")
    answers, _ = run_jobs([*jobs, *REFUSED.values()], server.url, cache, blocked=("spanometer", "scipy"))
    server.close()
    refusals = dict(zip(REFUSED, answers[len(jobs) :], strict=True))
    return answers[: len(jobs)], refusals, server.log


def test_gamma_gives_what_the_package_gives(spaces, tmp_path):
    """It alone cannot do without SciPy."""
    jobs = [job("spanometer/gamma", config, inputs=inputs) for config, inputs in inputs_of("gamma").items()]
    server = Hub()
    server.commit("spanometer/gamma", spaces["gamma"])
    answers, _ = run_jobs(jobs, server.url, tmp_path, blocked=("spanometer",))
    server.close()
    assert [answer.get("message") for answer in answers] == [None] * len(jobs)
    for wanted, answer, expected in zip(jobs, answers, packaged(jobs), strict=True):
        assert answer["results"] == expected, wanted["config"]


def test_every_module_gives_what_the_package_gives(loaded, jobs):
    answers, _, _ = loaded
    assert [answer.get("message") for answer in answers] == [None] * len(jobs)
    for wanted, answer, expected in zip(jobs, answers, packaged(jobs), strict=True):
        assert wanted["inputs"]
        assert repr(answer["results"]) == repr(expected), (wanted["path"], wanted["config"])
        assert all("|v:" in result["signature"] for result in answer["results"])


def test_requests(loaded, spaces, jobs):
    """evaluate asks for its own version first, then for main; each file by HEAD and GET, and for no other file."""
    # newer versions of huggingface_hub ask for more when they are imported
    log = [request for request in loaded[2] if "/resolve" in request[1]]
    first = {path for _, path, status in log if status == 404}
    assert first == {f"/spaces/spanometer/{name}/resolve/v{evaluate.__version__}/{name}.py" for name in NAMES}
    asked = {path for _, path, status in log if status == 307}
    for name, files in spaces.items():
        named = re.findall(r"^from \.(\w+) import", files[f"{name}.py"].decode(), re.MULTILINE)
        modules = {f"{path}.py" for path in (name, *named)}
        start = f"/spaces/spanometer/{name}/resolve/main/"
        assert {path.removeprefix(start) for path in asked if path.startswith(start)} == modules
    assert {method for method, *_ in log} == {"HEAD", "GET"}
    guide = (ROOT / "docs" / "hub.md").read_text(encoding="utf-8")
    requests = {name: sum(path.startswith(f"/spaces/spanometer/{name}/") for path in asked) for name in spaces}
    assert f"fetches at most {max(requests.values())} files" in guide
    assert f"For `span_f`, this check takes {requests['span_f']} requests." in guide


def flattened(result, before=""):
    found = {}
    for key, value in result.items():
        if isinstance(value, dict):
            found.update(flattened(value, f"{before}{key}."))
        else:
            found[before + key] = value
    return found


def test_intervals_with_scipy(hub, tmp_path):
    two = {"references": [["B-A", "I-A"], ["B-A"]], "predictions": [["B-A", "I-A"], ["O"]]}
    wanted = [job("spanometer/token_f", inputs=[{**two, "confidence": 0.9, "details": True}])]
    answers, _ = run_jobs(wanted, hub.url, tmp_path)
    assert repr(answers[0]["results"]) == repr(packaged(wanted)[0])


def test_what_needs_scipy_names_it(loaded):
    message = "resampling needs SciPy, which is not installed.\npip install scipy"
    assert loaded[1]["without SciPy"] == {"error": "InputError", "message": message}
    message = "gamma needs SciPy, which is not installed.\npip install scipy"
    assert loaded[1]["gamma without SciPy"] == {"error": "InputError", "message": message}


def test_revisions(hub, spaces, tmp_path):
    older = hub.files("spanometer/span_f")[0]
    newer = dict(spaces["span_f"])
    newer["span_f.py"] = newer["span_f.py"].replace(b"Span F1 scores whole spans", b"Newer: scores whole spans")
    hub.commit("spanometer/span_f", newer)
    wanted = [job("spanometer/span_f", revision=revision, inputs=[TAGS]) for revision in (older, None)]
    wanted.append(job("spanometer/span_f", revision="nothing"))
    url = hub.url
    (old, new, missing), said = run_jobs(wanted, url, tmp_path)
    assert old["results"] == new["results"] == [{"precision": 0.0, "recall": 0.0, "f1": 0.0}]
    assert old["description"].strip().startswith("Span F1 scores")
    assert new["description"].strip().startswith("Newer: scores")
    # evaluate falls back on what it has in its cache, and says so in its log
    assert missing["description"] == new["description"]
    assert "Using the latest cached version of the module" in said
    # with an empty cache an unknown revision is an error
    empty = tmp_path / "empty"
    empty.mkdir()
    (error,), _ = run_jobs(wanted[2:], url, empty)
    assert error["error"] == "FileNotFoundError"
    # without a network a pinned revision is the latest in the cache as well, which is another one here
    with down(hub):
        (offline,), said = run_jobs(wanted[:1], url, tmp_path)
    assert offline["description"] == new["description"] != old["description"]
    assert "Using the latest cached version of the module" in said


@contextmanager
def down(hub):
    """Stop the server; afterwards there is a new one."""
    hub.server.shutdown()
    hub.server.server_close()
    try:
        yield
    finally:
        hub.server = Hub().server


def test_server_down_after_the_first_load(hub, tmp_path):
    wanted = [job(f"spanometer/{name}", inputs=[TAGS]) for name in ("span_f", "link_f")]
    before, _ = run_jobs(wanted, hub.url, tmp_path)
    url = hub.url
    with down(hub):
        after, said = run_jobs([*wanted, job("spanometer/token_f")], url, tmp_path)
    assert after[:2] == before
    assert "Using the latest cached version of the module" in said
    assert after[2]["error"] == "FileNotFoundError"
    assert "Module 'spanometer/token_f' doesn't exist on the Hugging Face Hub" in after[2]["message"]


def test_missing_file(hub, spaces, tmp_path):
    part = {path: content for path, content in spaces["span_f"].items() if path != "spanometer_spans_spans.py"}
    hub.commit("spanometer/span_f", part)
    (answer,), _ = run_jobs([job("spanometer/span_f", inputs=[TAGS])], hub.url, tmp_path)
    assert answer["error"] == "FileNotFoundError"
    assert "spanometer/span_f" in answer["message"]
    assert hub.log[-1] == ("HEAD", "/spaces/spanometer/span_f/resolve/main/spanometer_spans_spans.py", 404)
    folder = tmp_path / "span_f"
    folder.mkdir()
    for path, content in part.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    (answer,), _ = run_jobs([job(str(folder), inputs=[TAGS])], hub.url, tmp_path)
    assert answer["error"] == "FileNotFoundError"
    assert answer["message"].endswith("spanometer_spans_spans.py doesn't exist")


def test_wrong_input_from_the_hub(loaded):
    answer = loaded[1]["wrong input"]
    assert answer["error"] == "InputError"
    assert answer["message"].startswith("predictions, document 1, token 0: in 'PER-B', the prefix")


@pytest.mark.skipif(
    not os.environ.get("SPANOMETER_CLEAN_VENV"),
    reason="set SPANOMETER_CLEAN_VENV to 1, or to a Python that has evaluate and not spanometer",
)
def test_clean_environment(hub, jobs, tmp_path):
    """Nothing is blocked here: the environment has what evaluate brings, and no more."""
    python = os.environ["SPANOMETER_CLEAN_VENV"]
    if python == "1":
        venv.create(tmp_path / "venv", with_pip=True)
        python = str(tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", "evaluate>=0.4.6"], check=True)
    answers, _ = run_jobs(jobs, hub.url, tmp_path, blocked=(), python=python)
    assert [answer.get("message") for answer in answers] == [None] * len(jobs)
    for wanted, answer, expected in zip(jobs, answers, packaged(jobs), strict=True):
        assert [result["signature"] for result in answer["results"]] == [result["signature"] for result in expected]
        for found, known in zip(answer["results"], expected, strict=True):
            numbers = {key: value for key, value in flattened(known).items() if isinstance(value, (int, float))}
            assert {key: flattened(found)[key] for key in numbers} == pytest.approx(numbers, rel=1e-12, nan_ok=True), (
                wanted["path"]
            )
