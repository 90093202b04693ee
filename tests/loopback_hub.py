"""A small Hub on loopback: answers for data sets as the real one does, as far as downloading files goes."""

import hashlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def hub(files, repository, revision="main", gated=False):
    """Serve the files of one data set; gives the address and the list of all requests so far."""
    requests = []
    commit = revision if len(revision) == len(COMMIT) else COMMIT

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
            api, resolve = f"/api/datasets/{repository}", f"/datasets/{repository}/resolve/"
            if not path.startswith((f"{api}/", resolve)) and path != api:
                return self.refuse(401, "RepoNotFound")
            if gated and path.startswith(resolve):
                return self.refuse(403, "GatedRepo")
            if path in (api, f"{api}/revision/{revision}", f"{api}/revision/{commit}"):
                return self.send(json.dumps(self.description()).encode(), "application/json", {}, with_body)
            if path.startswith((f"{api}/tree/{revision}", f"{api}/tree/{commit}")):
                return self.send(json.dumps(self.tree()).encode(), "application/json", {}, with_body)
            for known in (revision, commit):
                name = path.removeprefix(f"{resolve}{known}/")
                if name in files:
                    return self.send(files[name], "application/octet-stream", self.marks(files[name]), with_body)
            return self.refuse(404, "RevisionNotFound" if "/revision/" in path else "EntryNotFound")

        def description(self):
            return {
                "id": repository,
                "_id": "1",
                "sha": commit,
                "private": False,
                "gated": "auto" if gated else False,
                "disabled": False,
                "tags": [],
                "siblings": [{"rfilename": name} for name in files],
            }

        def tree(self):
            return [
                {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}
                for name, content in files.items()
            ]

        def marks(self, content):
            return {"ETag": f'"{hashlib.sha1(content).hexdigest()}"', "X-Repo-Commit": commit}

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
