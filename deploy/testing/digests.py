"""Tests deploy/k8s/digests.py on a copy of deploy, with a registry that requires a token. Its last line is "N checks passed"."""
import hashlib
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

DEPLOY = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(DEPLOY / "k8s"))
import digests
from checks import check, finish


class Registry(http.server.BaseHTTPRequestHandler):
    missing = None  # name of an image for which the registry responds with 404

    def do_GET(self):  # the token
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"token": "pull"}).encode())

    def do_HEAD(self):
        if self.headers.get("Authorization") != "Bearer pull":
            self.send_response(401)
            self.send_header("WWW-Authenticate", f'Bearer realm="http://127.0.0.1:{self.server.server_port}/token",service="fake"')
        elif self.missing and self.missing in self.path:
            self.send_response(404)
        else:
            self.send_response(200)
            self.send_header("Docker-Content-Digest", f"sha256:{hashlib.sha256(self.path.encode()).hexdigest()}")
        self.end_headers()

    def log_message(self, *_):
        pass


def pin(deploy, url):
    done = subprocess.run([sys.executable, deploy / "k8s/digests.py", "--registry", url], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
    return done.returncode, done.stdout + done.stderr


def wrong():
    """Returns the failures that check.py would report for the copy."""
    said = []
    digests.check_digests(lambda holds, what: holds or said.append(what))
    return said


with tempfile.TemporaryDirectory() as folder, http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url, deploy = f"http://127.0.0.1:{server.server_port}", pathlib.Path(folder) / "deploy"
    (deploy / "k8s/patio").mkdir(parents=True)
    for part in ["Dockerfile", "compose.yaml", "k8s/digests.py", "k8s/patio/values.yaml"]:
        shutil.copy(DEPLOY / part, deploy / part)
    digests.DEPLOY, digests.LOCK = deploy, deploy / "images.lock"
    before = [file.read_text() for file in digests.files()]
    digests.LOCK.unlink(missing_ok=True)
    check(len({each[:2] for each in digests.named()}) == 7, f"images made by others: {digests.named()}")
    Registry.missing = "redis"
    code, said = pin(deploy, url)
    check(code == 1 and "redis:7.2.14-bookworm" in said and not digests.LOCK.exists(), f"an image that is missing: {code} {said}")
    check([file.read_text() for file in digests.files()] == before, "a failure changed a file")
    Registry.missing = None
    for time in ["first", "again"]:
        code, said = pin(deploy, url)
        check(code == 0 and not wrong(), f"{time}: {code} {said} {wrong()}")
        check("redis:7.2.14-bookworm@sha256:" in (deploy / "compose.yaml").read_text(), f"{time}: compose.yaml names no digest")
        check((deploy / "Dockerfile").read_text().count("@sha256:") == 4, f"{time}: the Dockerfile names no digests")
    lock = digests.LOCK.read_text()
    digests.LOCK.write_text(lock.replace("redis", "other"))
    check(len(wrong()) == 2, f"a line that is missing: {wrong()}")
    digests.LOCK.write_text(lock)
    text = (deploy / "compose.yaml").read_text()
    (deploy / "compose.yaml").write_text(text.replace("bookworm@sha256:" + text.split("bookworm@sha256:")[1][:64], "bookworm"))
    check(len(wrong()) == 1, f"an image without a digest: {wrong()}")
    server.shutdown()
finish("digests")
