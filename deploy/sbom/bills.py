"""Writes a software bill of materials (CycloneDX) for each program and one for the pages.

    bills.py FOLDER OUT

FOLDER contains cargo.json (cargo metadata) and npm.json (npm sbom). A bill lists what a program is linked with, its own crate
included, without build and test dependencies; that of the pages lists what the built pages contain.
"""
import json
import pathlib
import re
import sys
import tomllib

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = ["patio", "gateway", "auth-svc", "campaign-svc", "vehicle-svc", "import-svc"]
# Build dependencies whose code becomes part of the pages: Workbox in the service worker, and the code that loads and registers it.
BUNDLED = ["workbox-core", "workbox-precaching", "workbox-routing", "workbox-strategies", "vite-plugin-pwa", "vite"]


def component(package, checksums):
    name, version = package["name"], package["version"]
    made = Component(
        name=name,
        version=version,
        type=ComponentType.LIBRARY,
        bom_ref=f"{name}@{version}",
        purl=PackageURL("cargo", None, name, version),
        scope=ComponentScope.REQUIRED,
        licenses=[LicenseFactory().make_from_string(package["license"].replace("/", " OR "))] if package["license"] else [],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=checksums[name, version])] if (name, version) in checksums else [],
    )
    if package["repository"]:
        made.external_references.add(ExternalReference(type=ExternalReferenceType.VCS, url=XsUri(package["repository"])))
    return made


def sqlite(package):
    """Returns the component of SQLite, whose sources are part of libsqlite3-sys."""
    header = pathlib.Path(package["manifest_path"]).parent / "sqlite3/sqlite3.h"
    version = re.search(r'#define SQLITE_VERSION\s+"([\d.]+)"', header.read_text())[1]
    return Component(name="sqlite", version=version, type=ComponentType.LIBRARY, bom_ref=f"sqlite@{version}", purl=PackageURL("generic", None, "sqlite", version))


def linked(root, nodes):
    """Returns the packages that a package is linked with, itself included, each with its direct dependencies."""
    found, ahead = {}, [root]
    while ahead:
        package = ahead.pop()
        if package not in found:
            found[package] = [d["pkg"] for d in nodes[package]["deps"] if any(kind["kind"] is None for kind in d["dep_kinds"])]
            ahead += found[package]
    return found


def program(name, metadata, checksums):
    packages = {package["id"]: package for package in metadata["packages"]}
    root = next(package["id"] for package in metadata["packages"] if package["name"] == name and package["source"] is None)
    found = linked(root, {node["id"]: node for node in metadata["resolve"]["nodes"]})
    bom, made = Bom(), {package: component(packages[package], checksums) for package in found}
    made[root].type, made[root].scope = ComponentType.APPLICATION, None
    bom.metadata.component = made[root]
    for package, needed in found.items():
        if package != root:
            bom.components.add(made[package])
        below = [made[each] for each in needed]
        if packages[package]["name"] == "libsqlite3-sys":
            below.append(sqlite(packages[package]))
            bom.components.add(below[-1])
        bom.register_dependency(made[package], below)
    return JsonV1Dot6(bom).output_as_string(indent=1)


def pages(everything, locked):
    """Returns the bill of the pages: runtime dependencies in package-lock.json, and the packages in BUNDLED.

    `npm sbom --omit dev` would leave out React, because build packages depend on React as well.
    """
    needed = {place.rsplit("node_modules/", 1)[1] + "@" + each["version"] for place, each in locked.items() if place and not each.get("dev")}
    kept = [each for each in everything["components"] if each["name"] in BUNDLED or each["bom-ref"] in needed]
    refs = {each["bom-ref"] for each in kept} | {everything["metadata"]["component"]["bom-ref"]}
    missing = needed - refs | set(BUNDLED) - {each["name"] for each in kept}
    assert not missing, f"npm sbom does not list {sorted(missing)}"
    below = [each | {"dependsOn": [ref for ref in each["dependsOn"] if ref in refs]} for each in everything["dependencies"] if each["ref"] in refs]
    return json.dumps(everything | {"components": [each | {"scope": "required"} for each in kept], "dependencies": below}, indent=1)


def main():
    inputs, out = map(pathlib.Path, sys.argv[1:3])
    out.mkdir(parents=True, exist_ok=True)
    metadata, everything = (json.loads((inputs / name).read_text()) for name in ["cargo.json", "npm.json"])
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(each["name"], each["version"]): each["checksum"] for each in locked if "checksum" in each}
    for name in PROGRAMS:
        (out / f"{name}.cdx.json").write_text(program(name, metadata, checksums))
    (out / "pages.cdx.json").write_text(pages(everything, json.loads((ROOT / "web/package-lock.json").read_text())["packages"]))


if __name__ == "__main__":
    main()
