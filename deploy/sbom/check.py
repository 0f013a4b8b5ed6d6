"""Checks the files of deploy/sbom/make: CycloneDX's own schema, and that no part is missing or invented.

    check.py FOLDER
"""
import json
import pathlib
import re
import subprocess
import sys
import tomllib

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from bills import PROGRAMS, ROOT

passed, failures = 0, []


def check(holds, what):
    global passed
    if holds:
        passed += 1
    else:
        failures.append(what)


def parts(bill):
    return {(each["name"], each["version"]) for each in bill["components"] + [bill["metadata"]["component"]]}


def check_schema(name, text):
    error = JsonStrictValidator(SchemaVersion.from_version(json.loads(text)["specVersion"])).validate_str(text)
    check(error is None, f"{name}: {error}")


def check_program(name, bill, locked):
    """Checks that a program's bill has all packages of the dependency tree, with the checksums of Cargo.lock."""
    tree = subprocess.run(["cargo", "tree", "--locked", "--package", name, "--edges", "normal", "--prefix", "none", "--format", "{p}"], cwd=ROOT, capture_output=True, text=True, check=True)
    linked = set(re.findall(r"^(\S+) v(\S+)", tree.stdout, re.MULTILINE))
    check(len(linked) > 100 and linked <= parts(bill), f"{name}: missing: {sorted(linked - parts(bill))}")
    odd = [part for part in parts(bill) if part not in locked and part[0] != "sqlite"]
    check(not odd, f"{name}: not in Cargo.lock: {odd}")
    bad = [each["name"] for each in bill["components"] if locked.get((each["name"], each["version"])) not in (None, *(h["content"] for h in each.get("hashes", [])))]
    check(not bad, f"{name}: checksums differ from Cargo.lock: {bad}")
    check("sqlite" in dict(parts(bill)), f"{name}: SQLite of libsqlite3-sys is missing")


def check_pages(bill):
    """Checks that the bill has all dependencies of package.json, and all parts of Workbox named in the built service worker."""
    named = json.loads((ROOT / "web/package.json").read_text())["dependencies"]
    worker = (ROOT / "web/dist/sw.js").read_text()
    bundled = {f"workbox-{part}" for part in re.findall(r"workbox:([a-z-]+):[\d.]+", worker)}
    missing = set(named.items()) - parts(bill) | {(name,) for name in bundled - set(dict(parts(bill)))}
    check(bundled and not missing, f"pages: missing: {sorted(missing)}")


def main():
    folder = pathlib.Path(sys.argv[1])
    locked = {(each["name"], each["version"]): each.get("checksum") for each in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]}
    texts = {name: (folder / f"{name}.cdx.json").read_text() for name in [*PROGRAMS, "pages"]}
    for name, text in texts.items():
        check_schema(name, text)
    for name in PROGRAMS:
        check_program(name, json.loads(texts[name]), locked)
    check_pages(json.loads(texts["pages"]))
    for failure in failures:
        print(f"sbom: {failure}")
    print(f"sbom: {passed} checks passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
