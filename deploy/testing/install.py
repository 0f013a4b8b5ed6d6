"""Tests deploy/INSTALL.md: its commands, files and settings exist, and the installation by systemd's units works in a fresh root.

    install.py PROGRAM PAGES PROMTOOL

PROGRAM is `patio`, PAGES the folder of the built pages. No systemd has to run: the units' commands run as the units say, with their
user, environment and system calls. Its last line is "N checks passed".
"""
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import pyseccomp
import yaml

sys.dont_write_bytecode = True
from checks import check, finish

DEPLOY = pathlib.Path(__file__).resolve().parent.parent
SYSTEMD = DEPLOY / "systemd"
UNITS = ["patio.service", "patio-backup.service", "patio-backup.timer"]
INSTALL = (DEPLOY / "INSTALL.md").read_text()
PROGRAM, PAGES, PROMTOOL = (pathlib.Path(each).resolve() for each in sys.argv[1:4])
METRIC = "patio_backup_last_success_timestamp_seconds"
# Highest exposure that `systemd-analyze security` may find, in tenths.
MAX_EXPOSURE = 20


def run(*command, **options):
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, **options)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", INSTALL, re.M | re.S)


def check_names():
    """Checks that the files, settings, commands, images and values that INSTALL.md names exist."""
    root = DEPLOY.parent
    for path in set(re.findall(r"(?<!exec )\bdeploy/[\w./-]*\w", INSTALL)):
        check((root / path).exists(), f"INSTALL.md: there is no {path}")
    known = set(re.findall(r"^(PATIO_\w+)=", run(PROGRAM, "config", env={}).stdout, re.M))
    mentioned = set(re.findall(r"\bPATIO_[A-Z_]*[A-Z]", INSTALL + (SYSTEMD / "patio.env").read_text())) | settings(SYSTEMD / "patio.service").keys()
    known |= {"PATIO_BACKUP_RECIPIENT"}  # a setting of `backup`
    check(mentioned <= known, f"INSTALL.md or a unit: no such settings: {sorted(mentioned - known)}")
    commands = set(re.findall(r"^  ([a-z]+) ", run(PROGRAM, "--help").stdout, re.M))
    used = {each for pair in re.findall(r"patio-admin ([a-z]+)|exec patio /patio ([a-z]+)", INSTALL) for each in pair if each}
    check(used <= commands, f"INSTALL.md: patio has no {sorted(used - commands)}")
    targets = set(re.findall(r"^FROM \S+ AS (\S+)", (DEPLOY / "Dockerfile").read_text(), re.M))
    named = set(re.findall(r"--target (\w\S*)", INSTALL)) | set(re.search(r"for program in (.*);", INSTALL)[1].split())
    check(named <= targets and len(named) == 6, f"INSTALL.md: no such images: {sorted(named - targets)}")
    values = yaml.safe_load((DEPLOY / "k8s/patio/values.yaml").read_text())
    for path in set(re.findall(r"`((?:%s)(?:\.\w+)*)`" % "|".join(values), INSTALL)):
        held = values
        for name in path.split("."):
            held = held.get(name) if isinstance(held, dict) else None
        check(held is not None, f"INSTALL.md: the chart has no value {path}")
    in_table = {value for value in re.findall(r"^\| .* \| (.*) \|$", INSTALL, re.M) for value in re.findall(r"`([\w.]+)`", value)}
    check(set(values) - {"nodeSelector", "tolerations", "network"} <= {each.split(".")[0] for each in in_table}, "INSTALL.md: a part of the values is not in the table")
    units = set(re.findall(r"patio[\w-]*\.(?:service|timer)", INSTALL))
    check(units == set(UNITS), f"INSTALL.md names the units {sorted(units)}")
    texts = {file: (DEPLOY / file).read_text() for file in ["INSTALL.md", "runbook.md"]}
    for anchor in re.findall(r"\]\(#([\w-]+)\)", INSTALL):
        check(anchor in anchors(texts["INSTALL.md"]), f"INSTALL.md: no section {anchor}")
    for title in ["What the cluster must bring", "Rolling out a new version", "Restoring"]:
        check(f"## {title}\n" in texts["runbook.md"] and title in INSTALL, f"INSTALL.md: the runbook has no section {title}")
    for block in blocks("sh"):
        done = run("bash", "-n", input=re.sub(r"<\S+>", "x", block))
        check(done.returncode == 0, f"INSTALL.md: not a shell command: {done.stderr} {block}")


def anchors(text):
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)}


def settings(unit):
    """Returns the variables of a unit's Environment= lines."""
    lines = re.findall(r"^Environment=(.*)$", unit.read_text(), re.M)
    return dict(pair.split("=", 1) for line in lines for pair in shlex.split(line))


def one(unit, name):
    return re.search(rf"^{name}=(.*)$", unit.read_text(), re.M)[1]


def check_units(root):
    """Checks the installed units with systemd's own tools, and that the backup's unit is at least as restricted as Patio's."""
    there = root / "etc/systemd/system"
    done = run("systemd-analyze", "verify", f"--root={root}", *UNITS)
    # The root has none of systemd's own units.
    complaints = [line for line in done.stderr.splitlines() if "patio" in line and "Unit sysinit.target not found" not in line]
    check(not complaints, f"systemd-analyze verify: {complaints}")
    for unit in ["patio.service", "patio-backup.service"]:
        done = run("systemd-analyze", "security", "--offline=true", f"--threshold={MAX_EXPOSURE}", "--no-pager", f"--root={root}", unit)
        found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
        check(done.returncode == 0 and found and float(found[1]) * 10 < MAX_EXPOSURE, f"systemd-analyze security {unit}: {done.stdout[-200:]} {done.stderr}")
        print(f"install: systemd-analyze security: {unit} {found[1] if found else '?'}")
    lines = [set((there / unit).read_text().splitlines()) for unit in ["patio.service", "patio-backup.service"]]
    needed = {each for each in lines[0] if re.match(r"(Protect|Private|Restrict|Lock|Memory|SystemCall|Capability|NoNew|User|UMask)", each)}
    left = {each for each in needed - lines[1] if not each.startswith(("RestartPrevent", "RestrictAddressFamilies", "SystemCallFilter=seccomp"))}
    check(not left, f"patio-backup.service lacks {sorted(left)}")


def allowed(unit):
    """Returns the names of the system calls that a unit allows."""
    groups = {}
    for line in run("systemd-analyze", "syscall-filter", "--no-pager").stdout.splitlines():
        if line.startswith("@"):
            name = line.strip()
            groups[name] = []
        elif line.strip() and not line.strip().startswith("#"):
            groups[name].append(line.strip())
    flat = lambda names: {call for each in names for call in (flat(groups[each]) if each.startswith("@") else {each})}
    calls = set()
    for line in re.findall(r"^SystemCallFilter=(.*)$", unit.read_text(), re.M):
        names = flat(line.lstrip("~").split())
        calls = calls - names if line.startswith("~") else calls | names
    return calls


class Confined:
    """Runs commands as a unit does: its user, environment, umask and system calls, without privileges."""

    def __init__(self, root, unit, changes):
        self.root, self.unit = root, root / "etc/systemd/system" / unit
        file = (root / "etc/patio/patio.env").read_text()
        variables = settings(self.unit) | dict(re.findall(r"^(\w+)=(.*)$", file, re.M))
        self.environment = {name: f"{root}{value}" if value.startswith(("/var/", "/usr/")) else value for name, value in variables.items()}
        self.environment |= {"PATH": f"{root}/usr/local/bin:/usr/bin:/bin"} | changes
        self.id = int(re.search(r"^patio:[^:]*:(\d+)", (root / "etc/passwd").read_text(), re.M)[1])
        self.calls = allowed(self.unit)

    def limit(self):
        rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(1))
        for call in self.calls:
            with contextlib.suppress(OSError, ValueError):  # a call of another architecture
                rules.add_rule(pyseccomp.ALLOW, call)
        # Python itself changes user and starts the program with calls that the unit does not allow.
        os.umask(0o077)
        os.setgroups([])
        os.setgid(self.id)
        os.setuid(self.id)
        rules.load()

    def start(self, output):
        command = shlex.split(one(self.unit, "ExecStart"))
        command = [f"{self.root}{part}" if part.startswith("/") else part for part in command]
        return subprocess.Popen(command, env=self.environment, cwd="/", stdout=output, stderr=output, preexec_fn=self.limit)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def until(what, holds, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := holds():
            return result
        time.sleep(0.1)
    check(False, f"timeout: {what}")
    return None


class Client:
    def __init__(self, url):
        self.url, self.token = url, None
        self.trusting = ssl._create_unverified_context()

    def call(self, method, path, body=None, kind="application/json"):
        headers = {"Content-Type": kind, "Accept": "application/json"} | ({"Authorization": f"Bearer {self.token}"} if self.token else {})
        request = urllib.request.Request(self.url + path, method=method, data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60, context=self.trusting) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read()


def check_use(client, password):
    """Checks that pages are served, a person can sign in, and a workbook is read by the child process that gives up system calls."""
    status, page = client.call("GET", "/")
    check(status == 200 and b"<!doctype html>" in page, f"the pages: {status} {page[:80]}")
    status, body = client.call("POST", "/api/sessions", json.dumps({"hmc": "1000", "password": password}).encode())
    check(status in {200, 201}, f"sign-in with the printed password: {status} {body}")
    client.token = json.loads(body)["token"]
    status, template = client.call("GET", "/api/documents/template")
    form = b'--x\r\nContent-Disposition: form-data; name="documents"; filename="a.xlsx"\r\nContent-Type: application/octet-stream\r\n\r\n'
    status, body = client.call("POST", "/api/documents/upload", form + template + b"\r\n--x--\r\n", "multipart/form-data; boundary=x")
    check(status == 201, f"an import: {status} {body[:200]}")


def check_admin(root, service):
    """Checks that patio-admin runs commands as the service's user, with its settings."""
    script = re.sub(r"(?<![\w/])/(etc|var|usr)/", rf"{root}/\1/", (root / "usr/local/bin/patio-admin").read_text())
    script = script.replace("--reuid patio --regid patio", f"--reuid {service.id} --regid {service.id}")
    done = run("sh", "-s", "--", "user", "list", input=script, env={"PATH": service.environment["PATH"]})
    check(done.returncode == 0 and done.stdout.startswith("1000\tsupervisor"), f"patio-admin user list: {done}")
    done = run("sh", "-s", "--", "config", input=script, env={"PATH": service.environment["PATH"]})
    check("PATIO_PRODUCT_NAME=North Yard\n" in done.stdout and f"PATIO_DATA_DIR={root}/var/lib/patio\n" in done.stdout, f"patio-admin config: {done}")


def contents(folder):
    return {path: path.stat().st_mtime for path in folder.rglob("*")}


def check_backups(root, service, reported):
    """Checks that the backup's unit makes private backups, deletes old ones, and reports success alone."""
    backups = root / "var/backups/patio"
    check(reported() == 0, f"{METRIC} is {reported()} before the first backup")
    old = backups / "patio-2020-01-01-000000"
    for folder in [old, backups / "kept"]:
        folder.mkdir()
        os.utime(folder, (0, 0))
    os.chown(old, service.id, service.id)
    unit = Confined(root, "patio-backup.service", {})
    with tempfile.TemporaryFile() as output:
        code = unit.start(output).wait()
    made = [path for path in backups.iterdir() if path.name != "kept"]
    check(code == 0 and len(made) == 1 and not old.exists() and (backups / "kept").exists(), f"backups: {list(backups.iterdir())}, exit code {code}")
    check({stat.S_IMODE(path.stat().st_mode) for path in [*made, *made[0].iterdir()]} == {0o700, 0o600}, f"backups are readable by others: {made}")
    check({path.name for path in made[0].glob("*.db")} == {"auth.db", "campaign.db", "imports.db", "vehicle.db"}, f"a backup: {list(made[0].iterdir())}")
    until(f"{METRIC} shows the backup", lambda: abs(reported() - made[0].stat().st_mtime) < 60, 20)
    before = contents(backups)
    (root / "clock").mkdir()
    clock = root / "clock/date"
    clock.write_text(f"#!/bin/sh\necho {made[0].name.removeprefix('patio-')}\n")
    clock.chmod(0o755)
    for what, changes in {"without data": {"PATIO_DATA_DIR": "/nowhere"}, "in the same second": {"PATH": f"{clock.parent}:{unit.environment['PATH']}"}}.items():
        with tempfile.TemporaryFile() as output:
            code = Confined(root, "patio-backup.service", changes).start(output).wait()
        check(code == 1 and contents(backups) == before, f"a backup {what}: exit code {code}, {contents(backups)}")


def check_installation(root):
    """Installs into a fresh root, and uses what is there as the units do."""
    (root / "etc").mkdir()
    for file in ["passwd", "group", "shadow", "gshadow"]:
        (root / "etc" / file).touch()
    os.chmod(root, 0o755)
    command = [SYSTEMD / "install", root]
    done = run(*command, env={"PATH": os.environ["PATH"], "PROGRAM": "/nowhere", "PAGES": str(PAGES)})
    check(done.returncode == 1 and "deploy/systemd/build" in done.stderr, f"install without a program: {done}")
    own = {"PATH": os.environ["PATH"], "PROGRAM": str(PROGRAM), "PAGES": str(PAGES)}
    for time_ in ["first", "again"]:
        done = run(*command, env=own)
        check(done.returncode == 0 and "systemctl enable --now patio patio-backup.timer" in done.stdout, f"install, {time_}: {done}")
        env = root / "etc/patio/patio.env"
        check(stat.S_IMODE(env.stat().st_mode) == 0o600, f"{env} is readable by others")
        check(time_ == "first" or "# mine" in env.read_text(), "a second installation replaces the settings")
        env.write_text(env.read_text() + "# mine\nPATIO_PRODUCT_NAME=North Yard\n")
    check_units(root)
    port, admin = free_port(), free_port()
    systemd = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    systemd.bind(str(root / "notify"))
    systemd.settimeout(10)
    os.chmod(root / "notify", 0o666)
    changes = {"PATIO_LISTEN": f"127.0.0.1:{port}", "PATIO_METRICS_LISTEN": f"127.0.0.1:{admin}", "NOTIFY_SOCKET": str(root / "notify")}
    service = Confined(root, "patio.service", changes)
    check(one(service.unit, "Type") == "notify", "patio.service: systemd does not wait until Patio is ready")
    check({"seccomp", "prlimit64", "execve", "clone3"} <= service.calls, "patio.service: the reader of workbooks cannot give up system calls")
    check(not {"mount", "ptrace", "bpf", "setpriority", "kexec_load"} & service.calls, "patio.service allows calls of administrators")
    check(stat.S_IMODE((root / "var/lib/patio").stat().st_mode) == 0o700, "the data is readable by others")
    log = root / "log"
    with log.open("wb") as output:
        running = service.start(output)
    try:
        if not until("Patio is ready", lambda: "Patio is ready on https://" in log.read_text() or running.poll() is not None) or running.poll() is not None:
            return check(False, f"patio.service: {log.read_text()}")
        check(systemd.recv(64).strip() == b"READY=1", "Patio does not report to systemd that it is ready")
        status = pathlib.Path(f"/proc/{running.pid}/status").read_text()
        check(f"Uid:\t{service.id}\t{service.id}" in status and "Seccomp:\t2" in status, f"patio.service runs as {status}")
        check_use(Client(f"https://127.0.0.1:{port}"), re.search(r"Password: (\S+)", log.read_text())[1])

        def exposed():
            with urllib.request.urlopen(f"http://127.0.0.1:{admin}/metrics", timeout=10) as response:
                return response.read().decode()

        def reported():
            return float(re.search(rf"^{METRIC} (\S+)$", exposed(), re.M)[1])

        linted = run(PROMTOOL, "check", "metrics", input=exposed())
        check(linted.returncode == 0, f"promtool check metrics: {linted.stdout}{linted.stderr}")
        check_admin(root, service)
        check_backups(root, service, reported)
        running.send_signal(signal.SIGTERM)
        check(systemd.recv(64).strip() == b"STOPPING=1", "Patio does not report to systemd that it stops")
        check(running.wait(60) == 0, f"patio.service ends with {running.returncode}")
    finally:
        running.kill()


def check_alerts():
    for arguments in [("check", "rules", "alerts.yaml"), ("test", "rules", "alerts.test.yaml")]:
        done = run(PROMTOOL, *arguments, cwd=SYSTEMD)
        check(done.returncode == 0, f"promtool {arguments}: {done.stdout}{done.stderr}")
    rules = yaml.safe_load((SYSTEMD / "alerts.yaml").read_text())["groups"][0]["rules"]
    check(any(METRIC in rule["expr"] for rule in rules) and METRIC in (DEPLOY / "patio/src/backup_age.rs").read_text(), f"no alert on {METRIC}")
    for rule in rules:
        check(rule["annotations"]["runbook_url"].split("#")[1] in anchors((DEPLOY / "runbook.md").read_text()), f"{rule['alert']}: no such section of the runbook")


check_names()
check_alerts()
if os.getuid() != 0 or not shutil.which("systemd-analyze"):
    print("install: NOT TRIED: the installation, which needs root and systemd-analyze (Debian's package systemd)")
else:
    with tempfile.TemporaryDirectory() as folder:
        check_installation(pathlib.Path(folder))
finish("install")
