"""Checks the Dockerfile and build scripts: each program has its own image, built from the lock files."""
import pathlib
import re
import tomllib

import yaml

import shape

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def check_images(check, known):
    """Checks that the Dockerfile builds an image for each program with the program's ports and an unprivileged user."""
    targets, last = {}, None
    for line in (ROOT / "deploy/Dockerfile").read_text().splitlines():
        if match := re.match(r"FROM (\S+)(?: AS (\S+))?", line):
            last = match[2]
            targets[last] = {"from": match[1], "lines": []}
        elif last:
            targets[last]["lines"].append(line)
    for program in shape.PROGRAMS:
        stage = targets.get(program, {"from": "", "lines": []})
        port = known[program]["PATIO_LISTEN"].rsplit(":", 1)[1]
        check(f"EXPOSE {port} 9090" in stage["lines"], f"Dockerfile: {program} exposes other ports than it has")
        check(f'ENTRYPOINT ["/{program}"]' in stage["lines"], f"Dockerfile: {program} is not what its image runs")
        # CMD has to follow ENTRYPOINT in the same stage, because ENTRYPOINT resets the CMD of the base image.
        check('CMD ["serve"]' in stage["lines"], f"Dockerfile: {program} only prints its help without the argument serve")
        check(stage["from"] == "program" and "USER 10001:10001" in targets["program"]["lines"], f"Dockerfile: {program} runs as root")
        for variable in re.findall(r"(PATIO_\w+)=", " ".join(line for line in stage["lines"] if line.startswith("ENV"))):
            check(variable in known[program], f"Dockerfile: {program} does not know {variable}")


def check_members(check):
    """Checks that the compiling stage copies every member of the workspace, without which cargo fails."""
    stage = (ROOT / "deploy/Dockerfile").read_text().split(" AS programs\n")[1].split("\nFROM ")[0]
    copied = {line.split()[1] for line in stage.splitlines() if line.startswith("COPY ") and "--from" not in line}
    members = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["members"]
    missing = [member for member in members if not any(member == folder or member.startswith(folder + "/") for folder in copied)]
    check(not missing, f"Dockerfile: the stage `programs` lacks the workspace members {missing}")


def check_parts(check):
    """Checks that each image contains its SBOM, and that scripts install only versions of the lock files."""
    text = (ROOT / "deploy/Dockerfile").read_text().replace("\\\n", " ")
    for target in [*shape.PROGRAMS, "patio"]:
        image = text.split(f" AS {target}\n")[1].split("\nFROM ")[0]
        held = [target] + (["pages"] if "/web" in image else [])
        copied = re.findall(r"/bills/(\S+)\.cdx\.json /usr/share/doc/(\S+)/sbom\.cdx\.json", image)
        check(copied == [(each, each) for each in held], f"Dockerfile: {target} holds the lists of {copied}, not of {held}")
    for file in ["deploy/Dockerfile", "deploy/test", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "deploy/testing").glob("*.bash")), "deploy/sbom/make", "deploy/sbom/check.py", "deploy/systemd/build", ".ci/run", "web/package.json"]:
        odd = [command for line in (ROOT / file).read_text().replace("\\\n", " ").splitlines() for command in loose(line)]
        check(not odd, f"{file}: does not keep to the lock files: {odd}")


def loose(line):
    """Returns the commands of a script line that could use versions outside of the lock files."""
    code = re.sub(r"(^|\s)#.*", "", line)
    commands = re.findall(r"\bcargo (?:build|test|clippy|run|bench|install|metadata|tree)\b[^|&;\")]*", code)
    cargo = [part for part in commands if "--locked" not in part and "$*" not in part]  # a line with $* is only printed
    npm = re.findall(r"\bnpm (?:--prefix \S+ )?(?:install|i|update|add)\b", code)
    return cargo + npm


def check_versions(check, running):
    """Checks that base images have exact versions, so that all builds and nodes use the same; `distroless` has no versions."""
    images = re.findall(r"^FROM (\S+:\S+)", (ROOT / "deploy/Dockerfile").read_text(), re.M)
    images += [service["image"] for service in yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())["services"].values()]
    images += running
    for image in {image.split("@")[0] for image in images if not image.startswith("gcr.io/distroless/")}:
        parts = 2 if "postgres" in image else 3
        check(re.search(r":\d+" + r"\.\d+" * (parts - 1) + r"(-\S+)?$", image), f"{image} is not an exact version")
