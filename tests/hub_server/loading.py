"""Running `hub/child.py`: with a cache of its own, against the stand-in for the Hub."""

import json
import os
import subprocess
import sys
from pathlib import Path


def job(path, config=None, revision=None, inputs=()):
    return {"path": path, "config": config, "revision": revision, "inputs": list(inputs)}


def run_jobs(jobs, url, cache, *, blocked=("spanometer",), python=sys.executable):
    """The answers of a fresh process, in which some libraries are not to be found, and what it wrote to say."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "PYTHON"))}
    settings = {
        "HF_ENDPOINT": url,
        "HF_HOME": str(cache),
        # a request to another server, whose answer does not matter
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        "NO_PROXY": "127.0.0.1",
    }
    run = subprocess.run(
        [python, "-I", str(Path(__file__).with_name("child.py")), *blocked],
        input=json.dumps(jobs),
        env={**kept, **settings},
        cwd=cache,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout), run.stderr
