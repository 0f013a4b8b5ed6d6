"""Checks compose.yaml: containers restricted as in Kubernetes, one role for each service, no default password, separate networks."""
import base64
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile

import yaml

import certificates
import shape
import stores

DEPLOY = pathlib.Path(__file__).resolve().parent.parent
ROLES = dict(zip(shape.SERVICES, ["auth", "campaign", "vehicle", "imports"], strict=True))
# Members of each network, and whether the network has access to the outside.
NETWORKS = {
    "front": ({"gateway"}, True),
    "back": ({"gateway", *shape.SERVICES}, False),
    "stores": ({"postgres", "redis", *shape.SERVICES}, False),
}
SECRET = re.compile(r"PASSWORD|SECRET|KEY|TOKEN")


def check_programs(check, services, known):
    """Checks that compose.yaml sets existing variables and the default ports of the programs."""
    check(set(shape.PROGRAMS) | {"postgres", "redis"} == set(services), "compose: the seven containers")
    for program in shape.PROGRAMS:
        service = services[program]
        odd = {variable for variable in service["environment"] if variable not in known[program]}
        check(not odd, f"compose: {program} does not know {sorted(odd)}")
        port = known[program]["PATIO_LISTEN"].rsplit(":", 1)[1]
        check(service["environment"]["PATIO_LISTEN"] == f"0.0.0.0:{port}", f"compose: {program} listens elsewhere")
        check(service["environment"]["PATIO_REFLECTION"] == "false", f"compose: {program} answers gRPC reflection")
        check(service["build"]["target"] == program, f"compose: {program} is built as {service['build']['target']}")
        check(service["read_only"] and service["cap_drop"] == ["ALL"], f"compose: {program} keeps rights")
        check(service["tmpfs"] == ["/tmp:size=256m,mode=1777"], f"compose: {program} may write to {service['tmpfs']}")
        if program != "gateway":
            url = services["gateway"]["environment"][f"PATIO_{program.split('-')[0].upper()}_URL"]
            check(url == f"http://{program}:{port}", f"compose: the gateway looks for {program} at {url}")


def check_roles(check, services):
    """Checks that each service connects to PostgreSQL with its own role, which owns one schema, and the gateway with none."""
    script = (DEPLOY / "compose-roles").read_text()
    mounted = [volume.split(":")[:2] for volume in services["postgres"]["volumes"]]
    check(["./compose-roles", "/docker-entrypoint-initdb.d/roles.sh"] in mounted, "compose: PostgreSQL creates no roles")
    check(set(re.findall(r"^create role (\w+)", script, re.M)) == stores.ROLES, "compose: the roles of PostgreSQL")
    check(set(re.findall(r"^create schema (\w+) authorization \1;", script, re.M)) == stores.ROLES, "compose: a schema for each role")
    check("superuser" not in re.sub(r"#.*", "", script) and "revoke all on database" in script, "compose: roles have further rights")
    for service, role in ROLES.items():
        variable = f"PATIO_{role.upper()}_DB_PASSWORD"
        url = services[service]["environment"].get("PATIO_DATABASE_URL")
        check(url == f"postgres://{role}:${{{variable}}}@postgres:5432/patio", f"compose: {service} signs in to {url}")
        check(services["postgres"]["environment"].get(variable, "").startswith(f"${{{variable}:?"), f"compose: PostgreSQL has no password of {role}")
        check(f"\\getenv password {variable}\ncreate role {role} login password :'password';" in script, f"compose: the role {role} has another's password")
    for variable in ["PATIO_DATABASE_URL", "PATIO_REDIS_URL"]:
        check(variable not in services["gateway"]["environment"], f"compose: the gateway has {variable}")


def check_networks(check, document):
    """Checks that only the gateway is published, that it reaches no database, and that services and databases cannot reach the outside."""
    check(set(document["networks"]) == set(NETWORKS), f"compose: networks {sorted(document['networks'])}")
    for name, (members, leads_out) in NETWORKS.items():
        found = {each for each, service in document["services"].items() if name in service.get("networks", [])}
        check(found == members, f"compose: the network {name} has {sorted(found)}")
        check(((document["networks"].get(name) or {}).get("internal") is True) != leads_out, f"compose: the network {name} leads {'nowhere' if leads_out else 'out'}")
    for name, service in document["services"].items():
        # A container without networks joins the default network with all others.
        check(service.get("networks") and "network_mode" not in service, f"compose: {name} is in the default network")
        check(("ports" in service) == (name == "gateway"), f"compose: {name} and the outside")


def check_passwords(check, document, text):
    """Checks that no password has a default or stands in the file, and that the error for a missing one names the command to create it."""
    used = re.findall(r"\$\{(\w+)([^}]*)\}", re.sub(r"^\s*#.*", "", text, flags=re.M))
    refused = {name for name, rest in used if rest.startswith(":?") and "deploy/compose-secrets" in rest}
    for name, rest in used:
        check(not SECRET.search(name) or name in refused and "-" not in rest[:2], f"compose: ${{{name}{rest}}} has a default or is not refused when missing")
    check(not re.search(r"://[^\s/]*:[^$\s/][^\s/]*@", text), "compose: a password stands in a URL")
    for name, service in document["services"].items():
        for variable, value in service.get("environment", {}).items():
            plain = SECRET.search(variable) and not variable.endswith("_FILE") and not re.fullmatch(r"\$\{\w+:\?[^}]*\}", str(value))
            check(not plain, f"compose: {variable} of {name} stands in the file")
    redis = document["services"]["redis"]
    check(redis["command"][:2] == ["redis-server", "/run/secrets/redis.conf"] and redis.get("secrets") == ["redis.conf"], "compose: Redis asks for no password")
    check("noeviction" in redis["command"] and "--appendonly" in redis["command"], "compose: lockouts may be forgotten")
    holders = {name for name, service in document["services"].items() if "key" in service.get("secrets", [])}
    check(holders == {"auth-svc"}, f"compose: the key of the signing keys is mounted into {sorted(holders)}")
    check(document["services"]["auth-svc"]["environment"].get("PATIO_KEY_FILE") == "/run/secrets/key", "compose: auth-svc does not know its key")


def check_secrets(check, text):
    """Checks that deploy/compose-secrets writes all required variables, never overwrites, and makes them readable to the owner only."""
    needed = set(re.findall(r"\$\{(\w+):\?", text))
    with tempfile.TemporaryDirectory() as parent:
        folders = [pathlib.Path(parent) / name for name in ["one", "two"]]
        runs = [subprocess.run([DEPLOY / "compose-secrets", folder], capture_output=True, text=True) for folder in folders]
        check(all(run.returncode == 0 for run in runs), f"compose-secrets: {[run.stderr for run in runs]}")
        envs = [dict(line.split("=", 1) for line in (folder / "env").read_text().splitlines() if not line.startswith("#")) for folder in folders]
        check(set(envs[0]) == needed, f"compose-secrets and compose.yaml differ in {sorted(set(envs[0]) ^ needed)}")
        passwords = [value for env in envs for name, value in env.items() if name != "PATIO_SECRETS"]
        check(len(set(passwords)) == len(passwords) and all(re.fullmatch(r"[\w-]{32}", each) for each in passwords), "compose-secrets: passwords are short or equal")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [folders[0], *folders[0].iterdir()]}
        check(modes == {"one": 0o700, "env": 0o600, "redis.conf": 0o444, "key": 0o444}, f"compose-secrets: modes {modes}")
        key = (folders[0] / "key").read_text()
        check(re.fullmatch(r"\S{44}\n", key) and len(base64.b64decode(key, validate=False)) == 32, "compose-secrets: the key is not 32 bytes")
        check(key != (folders[1] / "key").read_text(), "compose-secrets: the key is always the same")
        check((folders[0] / "redis.conf").read_text() == f"requirepass {envs[0].get('PATIO_REDIS_PASSWORD')}\n", "compose-secrets: Redis has another password than its callers")
        again = subprocess.run([DEPLOY / "compose-secrets", folders[0]], capture_output=True, text=True)
        check(again.returncode == 1 and "exists already" in again.stderr and (folders[0] / "key").read_text() == key, "compose-secrets overwrites")


def check_tls(check, services, known):
    """Checks that compose.tls.yaml gives each program its own certificate and turns the URLs of compose.yaml into https."""
    text = (DEPLOY / "compose.tls.yaml").read_text()
    added = yaml.safe_load(text)["services"]
    check(set(added) == set(shape.PROGRAMS), f"compose.tls.yaml: {sorted(added)}")
    for program, service in added.items():
        variables = service["environment"]
        odd = {variable for variable in variables if variable not in known[program]}
        check(not odd, f"compose.tls.yaml: {program} does not know {sorted(odd)}")
        plain = {name: value for name, value in services[program]["environment"].items() if name.startswith("PATIO_") and str(value).startswith("http:")}
        wanted = {name: value.replace("http:", "https:") for name, value in plain.items()} | {"PATIO_SERVICE_TLS": "/etc/patio/tls"}
        check(variables == wanted and len(plain) == len(shape.SERVICES), f"compose.tls.yaml: {program} has the environment {variables}")
        mounts = [(mount["source"].rsplit("}/", 1)[1], mount["target"], mount["read_only"], mount["bind"]["create_host_path"]) for mount in service["volumes"]]
        check(mounts == [(f"tls/{program}", "/etc/patio/tls", True, False)], f"compose.tls.yaml: {program} mounts {mounts}")
        check(set(service) == {"environment", "volumes"}, f"compose.tls.yaml: {program} is changed in {sorted(service)}")
    check(set(re.findall(r"\$\{(\w+)", text)) == {"PATIO_SECRETS"}, "compose.tls.yaml: variables that deploy/compose-secrets does not write")


def check_written_certificates(check):
    """Checks that OpenSSL verifies the certificates of deploy/compose-certificates, and that a second run keeps the authority."""
    if not shutil.which("openssl"):
        return print("manifests: NOT TRIED: deploy/compose-certificates, because openssl is missing")
    with tempfile.TemporaryDirectory() as parent:
        folder = pathlib.Path(parent) / "one"
        command = [DEPLOY / "compose-certificates", folder]
        refused = subprocess.run(command, capture_output=True, text=True)
        check(refused.returncode == 1 and "deploy/compose-secrets" in refused.stderr, f"compose-certificates without a folder: {refused}")
        folder.mkdir(mode=0o700)
        runs = []
        for _ in range(2):
            done = subprocess.run(command, capture_output=True, text=True)
            check(done.returncode == 0 and not done.stderr, f"compose-certificates: {done.stderr}")
            runs.append({str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()})
        files = {f"tls/{program}/{file}" for program in shape.PROGRAMS for file in certificates.FILES}
        check(set(runs[0]) == files | {"tls/ca.key", "tls/ca.crt"}, f"compose-certificates writes {sorted(runs[0])}")
        kept = {name for name in runs[0] if runs[0][name] == runs[1][name]}
        check(kept == {name for name in runs[0] if "/ca." in name}, f"compose-certificates: a second run leaves {sorted(kept)}")
        modes = {stat.S_IMODE((folder / file).stat().st_mode) for file in files}
        check(modes == {0o444}, f"compose-certificates: modes {modes}")
        private = [stat.S_IMODE((folder / name).stat().st_mode) for name in ["tls", "tls/ca.key"]]
        check(private == [0o700, 0o600], f"compose-certificates: others can reach the authority's key: {private}")
        for program in shape.PROGRAMS:
            for purpose in ["sslserver", "sslclient"]:
                name = ["-verify_hostname", program] if purpose == "sslserver" else []
                verify = ["openssl", "verify", "-x509_strict", "-purpose", purpose, *name, "-CAfile", folder / "tls/ca.crt"]
                done = subprocess.run([*verify, folder / f"tls/{program}/tls.crt"], capture_output=True, text=True)
                # The certificate of the gateway is for clients only.
                check((done.returncode == 0) == (purpose == "sslclient" or program != "gateway"), f"compose-certificates: {program} as {purpose}: {done}")


def check_compose(check, known):
    text = (DEPLOY / "compose.yaml").read_text()
    document = yaml.safe_load(text)
    check_programs(check, document["services"], known)
    check_roles(check, document["services"])
    check_networks(check, document)
    check_passwords(check, document, text)
    check_secrets(check, text)
    check_tls(check, document["services"], known)
    check_written_certificates(check)
