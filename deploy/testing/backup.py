"""Tests deploy/backup-postgres with Debian's age, and the backup commands of the runbook. Its last line is "N checks passed".

    backup.py AGE_FOLDER    folder of the programs age and age-keygen
"""
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from checks import check, finish

DEPLOY = pathlib.Path(__file__).resolve().parent.parent


def run(*command, path):
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, env={"PATH": path, "TZ": "UTC"})


with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place)
    key, recipients, backups, tools = folder / "key", folder / "recipients", folder / "backups", folder / "tools"
    backups.mkdir()
    tools.mkdir()
    for tool in ["bash", "sed", "grep", "date", "mv", "rm", "sh", "printf", "false"]:
        os.symlink(f"/bin/{tool}" if os.path.exists(f"/bin/{tool}") else f"/usr/bin/{tool}", tools / tool)
    path = f"{sys.argv[1]}:{tools}"
    subprocess.run([f"{sys.argv[1]}/age-keygen", "-o", key], check=True, capture_output=True)
    recipients.write_text(re.search(r"age1\w+", key.read_text())[0] + "\n")
    dump = "PGDMP a password hash"
    done = run(DEPLOY / "backup-postgres", recipients, backups, "printf", "%s", dump, path=path)
    files = list(backups.iterdir())
    check(done.returncode == 0 and len(files) == 1 and done.stdout.strip() == str(files[0]), f"a backup: {done} {files}")
    check(re.fullmatch(r"patio-\d{4}-\d\d-\d\d-\d{6}\.dump\.age", files[0].name), f"named {files}")
    content = files[0].read_bytes()
    check(content.startswith(b"age-encryption.org/v1\n") and b"PGDMP" not in content, "the backup is not encrypted")
    check(stat.S_IMODE(files[0].stat().st_mode) == 0o600, "the backup is readable by others")
    opened = run(f"{sys.argv[1]}/age", "--decrypt", "--identity", key, files[0], path=path)
    check(opened.stdout == dump, f"the backup cannot be read: {opened.stderr}")
    files[0].unlink()
    refused = {
        "a dump that fails": (1, [recipients, backups, "sh", "-c", "printf half; false"], path),
        "no public key": (2, [key, backups, "printf", dump], path),
        "no recipients": (2, [folder / "none", backups, "printf", dump], path),
        "no age": (2, [recipients, backups, "printf", dump], str(tools)),
        "no folder": (2, [recipients], path),
    }
    key.write_text("AGE-SECRET-KEY-1\n")
    for what, (code, arguments, tried) in refused.items():
        done = run(DEPLOY / "backup-postgres", *arguments, path=tried)
        check(done.returncode == code and done.stderr and not list(backups.iterdir()), f"{what}: {done} {list(backups.iterdir())}")

# Each command of the runbook that dumps a database must write through backup-postgres.
text = (DEPLOY / "runbook.md").read_text().replace("\\\n", " ")
for line in (line.strip() for line in text.splitlines() if re.search(r"\bpg_dump (-|postgres)", line)):
    check("deploy/backup-postgres" in line, f"runbook.md: an unencrypted dump: {line}")
check("deploy/backup-postgres" in text, "runbook.md: no dump at all")
finish("backup")
