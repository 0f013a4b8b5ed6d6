"""Pins base images by digest: a tag can be moved to another image, a digest cannot.

    digests.py                  fetches the digest of every base image from its registry, writes deploy/images.lock, and puts the
                                digests into the Dockerfile, compose.yaml and the values of the chart
    digests.py --registry URL   uses one server instead of each image's own registry

A line of deploy/images.lock has an image, its tag and its digest. check.py compares the file with the images in use.
"""
import argparse
import pathlib
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
import json

DEPLOY = pathlib.Path(__file__).resolve().parent.parent
LOCK = DEPLOY / "images.lock"
# Prefers the digest of a multi-platform index, which is valid for all processors.
ACCEPT = ", ".join([
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
])
NAMED = re.compile(r"^(?P<before>FROM |\s+image: |\s+imageName: )(?P<image>[\w./-]+):(?P<tag>[\w.-]+)(?:@(?P<digest>sha256:[0-9a-f]{64}))?(?=\s|$)", re.M)


def files():
    """Returns the files that name images."""
    return [DEPLOY / "Dockerfile", DEPLOY / "compose.yaml", DEPLOY / "k8s/patio/values.yaml"]


def named():
    """Returns the base images as (image, tag, digest or None, file that names it)."""
    found = []
    for file in files():
        for match in NAMED.finditer(file.read_text()):
            if not match["image"].startswith("patio/"):
                found.append((match["image"], match["tag"], match["digest"], file))
    return found


def locked():
    """Returns the digests of deploy/images.lock by image and tag."""
    lines = [line.split() for line in LOCK.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {(image, tag): digest for image, tag, digest in lines}


def check_digests(check):
    """Checks that every base image is named with its digest in deploy/images.lock, if that file exists."""
    if not LOCK.exists():
        return
    digests = locked()
    for image, tag, digest, file in named():
        check(digest and digests.get((image, tag)) == digest, f"{file.relative_to(DEPLOY)}: {image}:{tag} is {digest or 'without a digest'}, images.lock says {digests.get((image, tag))}")


def home(image):
    """Returns the registry URL of an image and its name there, by Docker's rules."""
    first, _, rest = image.partition("/")
    if rest and ("." in first or ":" in first):
        return f"https://{first}", rest
    return "https://registry-1.docker.io", image if rest else f"library/{image}"


def head(url, token):
    request = urllib.request.Request(url, method="HEAD", headers={"Accept": ACCEPT} | ({"Authorization": f"Bearer {token}"} if token else {}))
    return urllib.request.urlopen(request, timeout=20)


def digest_of(image, tag, registry):
    """Fetches the digest of a tag from a registry, with an anonymous token if the registry requires one."""
    server, name = home(image)
    url = f"{registry or server}/v2/{name}/manifests/{tag}"
    try:
        response = head(url, None)
    except urllib.error.HTTPError as refused:
        if refused.code != 401:
            raise
        challenge = dict(re.findall(r'(\w+)="([^"]*)"', refused.headers.get("WWW-Authenticate", "")))
        query = urllib.parse.urlencode({"service": challenge.get("service", ""), "scope": f"repository:{name}:pull"})
        with urllib.request.urlopen(f"{challenge['realm']}?{query}", timeout=20) as answer:
            fields = json.load(answer)
        response = head(url, fields.get("token") or fields["access_token"])
    with response:
        digest = response.headers.get("Docker-Content-Digest", "")
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
        raise ValueError(f"the registry returned no digest: {digest!r}")
    return digest


def pin(registry):
    """Fetches all digests before it writes, so that a failure changes no file."""
    digests = {}
    for image, tag, _, _ in named():
        if (image, tag) not in digests:
            try:
                digests[image, tag] = digest_of(image, tag, registry)
            except (OSError, ValueError, KeyError) as cause:
                sys.exit(f"digests: {image}:{tag}: {cause}; nothing was written")
    for file in files():
        text = file.read_text()
        new = NAMED.sub(lambda m: f"{m['before']}{m['image']}:{m['tag']}@{digests[m['image'], m['tag']]}" if (m["image"], m["tag"]) in digests else m[0], text)
        if new != text:
            file.write_text(new)
    LOCK.write_text("".join(f"{image} {tag} {digest}\n" for (image, tag), digest in sorted(digests.items())))
    print(f"digests: {len(digests)} images pinned")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--registry", type=lambda url: url.rstrip("/"))
    pin(parser.parse_args().registry)
