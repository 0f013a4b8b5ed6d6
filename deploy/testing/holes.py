"""Tests deploy/holes with a fake OSV server: correct, malformed and missing responses. Its last line is "N checks passed"."""
import contextlib
import datetime
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
from checks import check, finish

HOLES = pathlib.Path(__file__).resolve().parent.parent / "holes"
CARGO_LOCK = """
[[package]]
name = "patio"
version = "0.1.0"

[[package]]
name = "leaky"
version = "1.2.3"
source = "registry+https://github.com/rust-lang/crates.io-index"
"""
NPM_LOCK = {"packages": {"": {"version": "0.1.0"}, "node_modules/a/node_modules/@b/c": {"version": "2.0.0"}, "node_modules/link": {"link": True}}}
LEAKY = {"id": "RUSTSEC-2026-0001", "aliases": ["CVE-2026-1"], "summary": "leaky leaks", "affected": [{"package": {"name": "leaky"}}]}


@contextlib.contextmanager
def server(respond):
    """Runs a server that responds with `respond(path, body)`; text is sent unchanged. Yields the URL and the list of requests."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append((self.path, json.loads(body) if body else None))
            response = respond(*asked[-1])
            self.send_response(200 if response is not None else 500)
            self.end_headers()
            self.wfile.write(response.encode() if isinstance(response, str) else json.dumps(response).encode())

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}", asked
        listening.shutdown()


def osv(vulnerable, text):
    """Returns the response function of an OSV with these advisories by package name; `text` is the response for each advisory."""

    def respond(path, body):
        if path == "/v1/querybatch":
            found = [vulnerable.get(query["package"]["name"], []) for query in body["queries"]]
            return {"results": [{"vulns": [{"id": each, "modified": "2026-01-01"} for each in names]} if names else {} for names in found]}
        return text

    return respond


def run(api, accepted="# none\n", seen=None):
    """Runs deploy/holes and returns exit code, output, and the content of holes.seen afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "web").mkdir()
        (root / "Cargo.lock").write_text(CARGO_LOCK)
        (root / "web/package-lock.json").write_text(json.dumps(NPM_LOCK))
        (root / "accepted").write_text(accepted)
        if seen:
            (root / "seen").write_text(seen)
        arguments = [HOLES, "--api", api, "--root", root, "--accepted", root / "accepted", "--seen", root / "seen"]
        # Without the caller's proxy variables, which would apply to 127.0.0.1 as well.
        done = subprocess.run(arguments, capture_output=True, text=True, env={"PATH": "/usr/local/bin:/usr/bin:/bin"})
        kept = (root / "seen").read_text() if (root / "seen").exists() else ""
        return done.returncode, done.stdout + done.stderr, kept


def known_holes():
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    with server(osv({}, None)) as (api, asked):
        code, said, kept = run(api)
    check(code == 0 and kept.startswith(f"{today}: Cargo.lock 1 packages, 0 holes"), f"no hole: {code} {said} {kept}")
    queries = [(each["package"]["ecosystem"], each["package"]["name"], each["version"]) for each in asked[0][1]["queries"]]
    check(queries == [("crates.io", "leaky", "1.2.3"), ("npm", "@b/c", "2.0.0")], f"asked about {queries}")
    leaky = {"leaky": [LEAKY["id"]]}
    with server(osv(leaky, LEAKY)) as (api, _):
        code, said, kept = run(api)
        check(code == 1 and "Cargo.lock: leaky 1.2.3: RUSTSEC-2026-0001 leaky leaks" in said, f"a known hole: {code} {said}")
        check("1 holes" in kept, f"a known hole is kept as {kept}")
        for name in ["RUSTSEC-2026-0001", "CVE-2026-1"]:
            code, said, kept = run(api, f"{name} the leaking function is not called\n")
            check(code == 0 and "0 holes, 1 accepted" in kept, f"{name} accepted: {code} {said} {kept}")
        code, said, _ = run(api, "RUSTSEC-2026-0002 another one\n")
        check(code == 1, f"another one accepted: {code} {said}")
        code, said, kept = run(api, "RUSTSEC-2026-0001\n")
        check(code == 3 and "has no reason" in said and not kept, f"accepted without a reason: {code} {said}")
    with server(osv({"@b/c": ["GHSA-1"]}, None)) as (api, _):
        code, said, _ = run(api)
        check(code == 1 and "web/package-lock.json: @b/c 2.0.0: GHSA-1" in said, f"a hole without a readable text: {code} {said}")
    for kind, wanted in [("unmaintained", 0), ("unsound", 1)]:
        informational = LEAKY | {"affected": [{"package": {"name": "leaky"}, "database_specific": {"informational": kind}}]}
        with server(osv(leaky, informational)) as (api, _):
            code, said, _ = run(api)
            check(code == wanted, f"{kind}: {code} {said}")


def pages_of_an_answer():
    def respond(path, body):
        first = "page_token" not in body["queries"][0] if body else False
        return {"results": [{"next_page_token": "2"}, {}] if first else [{"vulns": [{"id": LEAKY["id"]}]}]} if body else LEAKY

    with server(respond) as (api, asked):
        code, said, _ = run(api)
    check(code == 1 and LEAKY["id"] in said, f"a hole on the second page: {code} {said}")
    check(asked[1][1]["queries"][0].get("page_token") == "2", f"the second page: {asked[1]}")


def without_an_answer():
    with server(lambda *_: {}) as (closed, _):
        pass
    today = datetime.datetime.now(datetime.timezone.utc).date()
    for seen, age in [(None, "no look has succeeded yet"), (f"{today - datetime.timedelta(29)}: x\n", "29 days ago"), (f"{today - datetime.timedelta(31)}: x\n", "OLDER THAN 30 DAYS")]:
        code, said, kept = run(closed, seen=seen)
        check(code == 2 and age in said and len(said.splitlines()) == 1, f"no server: {code} {said}")
        check("Cargo.lock and web/package-lock.json" in said and "refused" in said, f"no server: {said}")
        check(kept == (seen or ""), f"no server: kept {kept}")
    for what, answer in [("an error", None), ("a proxy's page", "<html>sign in</html>")]:
        with server(lambda *_, answer=answer: answer) as (api, _):
            code, said, kept = run(api)
            check(code == 2 and len(said.splitlines()) == 1 and not kept and "0 holes" not in said, f"{what}: {code} {said}")


def malformed_answers():
    answers = [
        {}, [], {"results": None}, {"results": []}, {"results": [{}]}, {"results": [{}, {}, {}]}, {"results": ["no", {}]}, {"results": [{"holes": []}, {}]},
        {"results": [{"vulns": "none"}, {}]}, {"results": [{"vulns": [{}]}, {}]}, {"results": [{"vulns": [{"id": None}]}, {}]},
        {"results": [{"next_page_token": "always"}, {"next_page_token": "always"}]},
    ]
    for answer in answers:
        with server(lambda *_, answer=answer: answer) as (api, _):
            code, said, kept = run(api)
        check(code == 3 and not kept and "0 holes" not in said, f"{answer}: {code} {said}")


for case in [known_holes, pages_of_an_answer, without_an_answer, malformed_answers]:
    case()
finish("holes")
