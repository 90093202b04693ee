"""A small Hub on loopback: answers for data sets as the real one does, as far as downloading files goes."""

import hashlib
import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class DataSet:
    """A data set on the Hub: its files by name, in one revision."""

    repository: str
    files: dict[str, bytes]
    revision: str = "main"
    gated: bool = False

    def __post_init__(self):
        self.commit = self.revision if len(self.revision) == len(COMMIT) else COMMIT
        self.api = f"/api/datasets/{self.repository}"
        self.resolve = f"/datasets/{self.repository}/resolve/"

    def description(self):
        return {
            "id": self.repository,
            "_id": "1",
            "sha": self.commit,
            "private": False,
            "gated": "auto" if self.gated else False,
            "disabled": False,
            "tags": [],
            "siblings": [{"rfilename": name} for name in self.files],
        }

    def tree(self):
        return [
            {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}
            for name, content in self.files.items()
        ]


@contextmanager
def hub(*datasets):
    """Serve some data sets; gives the address and the list of all requests so far."""
    requests = []

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.answer(with_body=True)

        def do_HEAD(self):
            self.answer(with_body=False)

        def log_message(self, *_):
            pass

        def answer(self, with_body):
            path = unquote(urlsplit(self.path).path)
            requests.append(f"{self.command} {path}")
            known = (found for found in datasets if f"{path}/".startswith((f"{found.api}/", found.resolve)))
            found = next(known, None)
            if found is None:
                return self.refuse(401, "RepoNotFound")
            if found.gated and path.startswith(found.resolve):
                return self.refuse(403, "GatedRepo")
            revisions = (found.revision, found.commit)
            if path in (found.api, *(f"{found.api}/revision/{revision}" for revision in revisions)):
                return self.send(json.dumps(found.description()).encode(), "application/json", {}, with_body)
            if path.startswith(tuple(f"{found.api}/tree/{revision}" for revision in revisions)):
                return self.send(json.dumps(found.tree()).encode(), "application/json", {}, with_body)
            for revision in revisions:
                content = found.files.get(path.removeprefix(f"{found.resolve}{revision}/"))
                if content is not None:
                    marks = {"ETag": f'"{hashlib.sha1(content).hexdigest()}"', "X-Repo-Commit": found.commit}
                    return self.send(content, "application/octet-stream", marks, with_body)
            return self.refuse(404, "RevisionNotFound" if "/revision/" in path else "EntryNotFound")

        def refuse(self, status, code):
            self.send(b"{}", "application/json", {"X-Error-Code": code, "X-Error-Message": code}, True, status)

        def send(self, body, type_, headers, with_body, status=200):
            self.send_response(status)
            for name, value in {"Content-Type": type_, "Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if with_body and self.command != "HEAD":
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
