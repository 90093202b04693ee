"""A server that answers as the Hub does, for the requests of `evaluate` and of `huggingface_hub` about Spaces."""

import base64
import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlparse

TOKEN = "hf_secretsecretsecretsecretsecret"


def blob(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class Hub:
    """Spaces by name, as lists of commits; a commit is its hash and its files.

    Attributes:
        log: method, path and status of every request.
        fail: the status, and headers, with which requests are refused whose method and path match a pattern.
    """

    def __init__(self):
        self.spaces = {}
        self.namespaces = {"spanometer"}
        self.log = []
        self.fail = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def commit(self, name, files):
        """The files of a Space from now on; the commit's hash."""
        commits = self.spaces.setdefault(name, [])
        listed = json.dumps([len(commits), sorted((path, blob(content)) for path, content in files.items())])
        oid = hashlib.sha1(listed.encode()).hexdigest()
        commits.append((oid, dict(files)))
        return oid

    def files(self, name, revision="main"):
        """The files of a commit, None where there is none."""
        commits = self.spaces.get(name, [])
        if revision == "main" and commits:
            return commits[-1]
        return next((commit for commit in commits if commit[0] == revision), None)

    def _handler(hub):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, status, body=b"", **headers):
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                hub.log.append((self.command, self.path, status))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            def do(self):
                length = int(self.headers.get("Content-Length") or 0)
                self.body = self.rfile.read(length)
                path = unquote(urlparse(self.path).path)
                for pattern, (status, headers) in hub.fail.items():
                    if re.search(pattern, f"{self.command} {path}"):
                        # as careless as a server may be
                        echo = {"error": f"refused {self.headers.get('Authorization')}"}
                        return self.answer(status, echo, **headers)
                for pattern, method in (
                    (r"/spaces/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", self.resolve),
                    (r"/api/resolve-cache/spaces/([^/]+/[^/]+)/([^/]+)/(.+)", self.cached),
                    (r"/api/repos/create", self.create),
                    (r"/api/validate-yaml", self.validate),
                    (r"/api/spaces/([^/]+/[^/]+)/preupload/main", self.preupload),
                    (r"/api/spaces/([^/]+/[^/]+)/commit/main", self.commit),
                    (r"/api/spaces/([^/]+/[^/]+)", self.info),
                ):
                    if match := re.fullmatch(pattern, path):
                        return method(*match.groups())
                return self.answer(404, {"error": "Not found"})

            do_GET = do_HEAD = do_POST = do

            def resolve(self, name, revision, file):
                """Small files are redirected to where they are cached, with the commit in the address."""
                found = hub.files(name, revision)
                if found is None:
                    code = "RevisionNotFound" if name in hub.spaces else "RepoNotFound"
                    return self.answer(404 if name in hub.spaces else 401, X_Error_Code=code)
                oid, files = found
                if file not in files:
                    return self.answer(404, X_Error_Code="EntryNotFound", X_Repo_Commit=oid)
                etag = f'"{blob(files[file])}"'
                where = f"/api/resolve-cache/spaces/{name}/{oid}/{file}"
                return self.answer(307, Location=where, ETag=etag, X_Repo_Commit=oid)

            def cached(self, name, oid, file):
                content = hub.files(name, oid)[1][file]
                return self.answer(200, content, ETag=f'"{blob(content)}"', X_Repo_Commit=oid)

            def known(self):
                """Whether the token is good; otherwise refuse."""
                if self.headers.get("Authorization") == f"Bearer {TOKEN}":
                    return True
                message = "Invalid credentials in Authorization header"
                self.answer(401, {"error": message}, X_Error_Message=message)
                return False

            def info(self, name):
                if self.headers.get("Authorization") and not self.known():
                    return None
                found = hub.files(name)
                if found is None:
                    # who is not logged in is not told whether it is there
                    status = 404 if self.headers.get("Authorization") else 401
                    return self.answer(status, {"error": "Repository not found"}, X_Error_Code="RepoNotFound")
                oid, files = found
                siblings = [
                    {"rfilename": path, "blobId": blob(content), "size": len(content)}
                    for path, content in files.items()
                ]
                return self.answer(200, {"_id": "1", "id": name, "sha": oid, "siblings": siblings})

            def create(self):
                if not self.known():
                    return None
                asked = json.loads(self.body)
                if asked["organization"] not in hub.namespaces:
                    return self.answer(403, {"error": "You don't have the rights to create a space"})
                assert (asked["type"], asked["sdk"]) == ("space", "gradio")
                name = f"{asked['organization']}/{asked['name']}"
                hub.commit(name, {".gitattributes": b"*.bin filter=lfs\n", "README.md": b"---\ntitle: new\n---\n"})
                return self.answer(200, {"url": f"{hub.url}/spaces/{name}", "name": name, "id": "1"})

            def validate(self):
                text = json.loads(self.body)["content"]
                assert text.startswith("---\n")
                return self.answer(200, {"errors": [], "warnings": []})

            def preupload(self, name):
                if not self.known():
                    return None
                files = json.loads(self.body)["files"]
                modes = [{"path": file["path"], "uploadMode": "regular", "shouldIgnore": False} for file in files]
                return self.answer(200, {"files": modes})

            def commit(self, name):
                if not self.known():
                    return None
                lines = [json.loads(line) for line in self.body.splitlines()]
                head, *changes = lines
                assert head["key"] == "header"
                oid, files = hub.files(name)
                if head["value"].get("parentCommit", oid) != oid:
                    return self.answer(412, {"error": "A commit has happened since."})
                files = dict(files)
                for change in changes:
                    value = change["value"]
                    if change["key"] == "file":
                        files[value["path"]] = base64.b64decode(value["content"])
                    else:
                        assert change["key"] == "deletedFile"
                        del files[value["path"]]
                oid = hub.commit(name, files)
                url = f"{hub.url}/spaces/{name}/commit/{oid}"
                return self.answer(200, {"success": True, "commitOid": oid, "commitUrl": url, "hookOutput": ""})

        return Handler
