"""Judges the rendered manifests: schemas, the Pod Security profile 'restricted', and what no schema knows.

    check.py KUBECTL BINARIES [PROMTOOL]

KUBECTL renders the overlays; BINARIES is the folder of the five programs, whose `config` says which variables exist.
PROMTOOL tries the alerts; without it the one on the PATH does, and where there is none it is said that they were not tried.
Schemas come with the package kubernetes-validate; nothing is downloaded.
"""
import json
import pathlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

import kubernetes_validate
import yaml

sys.dont_write_bytecode = True  # nothing is left beside the manifests
import images
import kinds
import shape
import stores
import watch

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAMS = shape.PROGRAMS
# For how many seconds at most a replica that comes or goes may be unknown to a caller: name servers of clusters keep their
# answers for thirty, and callers look names up every two.
NEWS_TAKES = 32
# Variables that a cluster leaves at their default, and why.
LEFT_ALONE = {
    "PATIO_ADMIN_HMC": "the first supervisor is 1000 unless somebody wants another",
    "PATIO_DEVELOPER_HMC": "reserved either way",
    "PATIO_DEVELOPER_PASSWORD": "the developer account stays closed unless its password is set",
    "PATIO_UNSAFE": "saves must not be lost",
    "PATIO_TOKEN_HOURS": "one shift",
    "PATIO_KEY_DAYS": "a month",
    "PATIO_CAMPAIGN_SWEEP_SECONDS": "five seconds",
    "PATIO_WORKBOOK_READER": "the service's own program",
    "PATIO_TLS": "the ingress ends TLS",
    "PATIO_PRODUCT_NAME": "Patio",
    "PATIO_SIGN_IN_BURST": "sixty",
    "PATIO_MAX_CONNECTIONS": "4096",
    "PATIO_MAX_AT_ONCE": "8 for each core",
    "PATIO_HEAD_TIMEOUT": "ten seconds",
    "PATIO_BODY_TIMEOUT": "fifteen seconds",
    "PATIO_REDIS_CA": "Redis is in the cluster, or shows a certificate that everybody trusts",
    "PATIO_OTLP_URL": "set by the component tracing alone",
    "PATIO_OTLP_SHARE": "every request",
    "PATIO_TRUSTED_PROXIES": "set by an overlay, where there is an ingress",
    "PATIO_HSTS": "set by the component ingress alone",
}
passed, failures = 0, []


def check(holds, what):
    global passed
    if holds:
        passed += 1
    else:
        failures.append(what)


def render(overlay):
    run = subprocess.run([HERE / "render", overlay], capture_output=True, text=True, env={"PATH": f"{pathlib.Path(sys.argv[1]).resolve().parent}:/usr/bin:/bin"})
    check(run.returncode == 0 and not run.stderr, f"{overlay}: rendered without a complaint: {run.stderr}")
    return [document for document in yaml.safe_load_all(run.stdout) if document]


def render_with(overlay, components):
    """An overlay with components that stand in it as a comment."""
    with tempfile.TemporaryDirectory() as folder:
        # From where the folder truly is: a path through a link would lead elsewhere.
        there = os.path.relpath(HERE, pathlib.Path(folder).resolve())
        whole = {"namespace": "patio", "resources": [f"{there}/overlays/{overlay}"], "components": [f"{there}/components/{each}" for each in components]}
        (pathlib.Path(folder) / "kustomization.yaml").write_text(yaml.safe_dump(whole))
        run = subprocess.run([sys.argv[1], "kustomize", folder], capture_output=True, text=True)
    check(run.returncode == 0 and not run.stderr, f"{overlay} with {components}: rendered without a complaint: {run.stderr}")
    return [document for document in yaml.safe_load_all(run.stdout) if document]


def secrets(overlay):
    outside = {f"{service}_DATABASE_URL": f"postgres://{service.lower()}@db.example/patio" for service in ["AUTH", "CAMPAIGN", "VEHICLE", "IMPORT"]}
    outside |= {"BACKUP_KEY_ID": "id", "BACKUP_SECRET_KEY": "key"}
    outside |= {"LOCKOUT_REDIS_URL": "rediss://a", "CACHE_REDIS_URL": "rediss://b", "PATH": "/usr/bin:/bin"}
    run = subprocess.run([HERE / "secrets", overlay], capture_output=True, text=True, check=True, env=outside)
    return [document for document in yaml.safe_load_all(run.stdout) if document]


def variables(program):
    run = subprocess.run([pathlib.Path(sys.argv[2]) / program, "config"], capture_output=True, text=True, check=True, env={})
    return dict(line.split("=", 1) for line in run.stdout.splitlines())


def name(document):
    return f"{document['kind']} {document['metadata']['name']}"


def pods(documents):
    return [(name(d), d["spec"]["template"]) for d in documents if d["kind"] in shape.WORKLOADS]


def check_schemas(overlay, documents):
    for document in documents:
        if "." in document["apiVersion"].split("/")[0] and not document["apiVersion"].split("/")[0].endswith("k8s.io"):
            faults = kinds.faults(document)
            check(not faults, f"{overlay}: {name(document)}: {faults}")
            continue
        try:
            kubernetes_validate.validate(document, "1.37", strict=True)
            check(True, "")
        except Exception as cause:  # the validator has several
            check(False, f"{overlay}: {name(document)}: {str(cause).splitlines()[0]}")


def check_restricted(overlay, documents):
    """The rules of the Pod Security Standard 'restricted', and a read-only root on top."""
    for what, template in pods(documents):
        spec, where = template["spec"], f"{overlay}: {what}"
        pod = spec.get("securityContext", {})
        for field in ["hostNetwork", "hostPID", "hostIPC"]:
            check(not spec.get(field), f"{where}: {field}")
        kinds = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
        check(all(set(volume) - {"name"} <= kinds for volume in spec.get("volumes", [])), f"{where}: a volume of a kind that is not allowed")
        check(spec.get("automountServiceAccountToken") is False, f"{where}: a token for the Kubernetes API is mounted")
        check(pod.get("seccompProfile", {}).get("type") == "RuntimeDefault", f"{where}: seccomp")
        check(pod.get("runAsNonRoot") is True and pod.get("runAsUser", 0) > 0, f"{where}: may run as root")
        check(not pod.get("sysctls"), f"{where}: sysctls")
        for container in spec.get("initContainers", []) + spec["containers"]:
            own = container.get("securityContext", {})
            check(own.get("allowPrivilegeEscalation") is False, f"{where}: may gain privileges")
            check(own.get("capabilities") == {"drop": ["ALL"]}, f"{where}: keeps capabilities")
            check(not own.get("privileged"), f"{where}: privileged")
            check(own.get("readOnlyRootFilesystem") is True, f"{where}: writes to its root")
            check(all("hostPort" not in port for port in container.get("ports", [])), f"{where}: a port of the node")
            resources = container.get("resources", {})
            check({"cpu", "memory"} <= set(resources.get("requests", {})), f"{where}: requests")
            check("memory" in resources.get("limits", {}), f"{where}: limits")
            check(not str(container["image"]).endswith(":latest") and ":" in container["image"].rsplit("/", 1)[-1], f"{where}: an image without a version")
    for document in documents:
        if document["kind"] == "Namespace":
            check(document["metadata"]["labels"].get("pod-security.kubernetes.io/enforce") == "restricted", f"{overlay}: the namespace enforces nothing")


def check_confined(overlay, documents):
    """deploy/confined, which the browser test runs the programs with, lets them do what the manifests let them do."""
    told = subprocess.run([ROOT / "deploy/confined", "--shape"], capture_output=True, text=True, check=True).stdout
    shape = {kind: rest for kind, *rest in (line.split() for line in told.splitlines())}
    for what, template in pods(documents):
        spec, kind = template["spec"], what.split()[0]
        if kind not in shape:
            continue  # Redis
        sizes = {volume["name"]: volume["emptyDir"]["sizeLimit"] for volume in spec.get("volumes", []) if "emptyDir" in volume}
        mounts = [mount for container in spec["containers"] for mount in container.get("volumeMounts", []) if not mount.get("readOnly")]
        written = [part for mount in mounts for part in (mount["mountPath"], sizes.get(mount["name"]))]
        user = [str(spec["securityContext"][field]) for field in ["runAsUser", "runAsGroup"]]
        check(user + written == shape[kind], f"{overlay}: {what} runs as {user + written}, deploy/confined as {shape[kind]}")


def environment(container, documents, given):
    """What a container is told, by name; a source that does not exist is a failure."""
    held = {d["metadata"]["name"]: d.get("data") or d.get("stringData") for d in documents + given if d["kind"] in {"ConfigMap", "Secret"}}
    told = {}
    for source in container.get("envFrom", []):
        reference = (source.get("configMapRef") or source.get("secretRef"))["name"]
        check(reference in held, f"{reference} is neither rendered nor made by deploy/k8s/secrets")
        told |= held.get(reference) or {}
    for variable in container.get("env", []):
        told[variable["name"]] = variable.get("value", "")
        reference = variable.get("valueFrom", {}).get("secretKeyRef")
        check(not reference or reference["key"] in held.get(reference["name"], {}), f"{variable['name']}: no such secret")
    return told


def check_variables(overlay, documents, given, known):
    """Every variable a program is told exists, and every one that exists is told or left alone on purpose."""
    for what, template in pods(documents):
        container = template["spec"]["containers"][0]
        program = container["image"].rsplit("/", 1)[-1].split(":")[0]
        if program not in known:
            continue
        told = {variable for variable in environment(container, documents, given) if variable.startswith("PATIO_")}
        odd = told - set(known[program])
        check(not odd, f"{overlay}: {what} is told what {program} does not know: {sorted(odd)}")
        if what.startswith("Deployment"):
            silent = set(known[program]) - told - set(LEFT_ALONE)
            if program == "gateway":
                silent -= {"PATIO_DATABASE_URL", "PATIO_REDIS_URL"}  # it has neither
            check(not silent, f"{overlay}: {what} is not told {sorted(silent)}, which are not left alone on purpose")
    everything = set().union(*(set(each) for each in known.values()))
    check(set(LEFT_ALONE) <= everything, f"left alone, but known to no program: {sorted(set(LEFT_ALONE) - everything)}")


def check_ports(overlay, documents, known):
    """Container, service, probe, URL and default ports say the same."""
    services = {d["metadata"]["name"]: d for d in documents if d["kind"] == "Service"}
    settings = next(d for d in documents if d["kind"] == "ConfigMap" and d["metadata"]["name"].startswith("patio-") and "PATIO_AUTH_URL" in d["data"])["data"]
    for document in (d for d in documents if d["kind"] == "Deployment"):
        program, container = document["metadata"]["name"], document["spec"]["template"]["spec"]["containers"][0]
        where = f"{overlay}: {program}"
        listen = next(v["value"] for v in container["env"] if v["name"] == "PATIO_LISTEN")
        port = int(listen.rsplit(":", 1)[1])
        ports = {p["name"]: p["containerPort"] for p in container["ports"]}
        door = "http" if program == "gateway" else "grpc"
        check(port == int(known[program]["PATIO_LISTEN"].rsplit(":", 1)[1]), f"{where}: listens elsewhere than by default")
        check(ports == {door: port, "admin": int(settings["PATIO_ADMIN_LISTEN"].rsplit(":", 1)[1])}, f"{where}: ports {ports}")
        service = services[program]["spec"]
        check(shape.selects({"matchLabels": service["selector"]}, document["spec"]["template"]["metadata"]["labels"]), f"{where}: its service selects others")
        check(service["ports"][0]["targetPort"] == door, f"{where}: its service leads elsewhere")
        if program != "gateway":
            check(service.get("clusterIP") == "None" and service.get("publishNotReadyAddresses"), f"{where}: callers do not see every replica")
            check(settings[f"PATIO_{program.split('-')[0].upper()}_URL"] == f"http://{program}:{port}", f"{where}: callers look elsewhere")
            check(container["readinessProbe"]["grpc"]["port"] == port, f"{where}: probed elsewhere")


def check_availability(overlay, documents):
    """Drains and restarts take one replica at a time, and leave time for those that go."""
    deployments = {d["metadata"]["name"]: d for d in documents if d["kind"] == "Deployment"}
    settings = next(d["data"] for d in documents if d["kind"] == "ConfigMap" and "PATIO_LEAVE_SECONDS" in d["data"])
    check(sorted(deployments) == sorted(PROGRAMS), f"{overlay}: the five deployments")
    for program, deployment in deployments.items():
        where, spec = f"{overlay}: {program}", deployment["spec"]["template"]["spec"]
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        budgets = [d for d in documents if d["kind"] == "PodDisruptionBudget" and shape.selects(d["spec"]["selector"], labels)]
        check(len(budgets) == 1 and budgets[0]["spec"]["maxUnavailable"] == 1, f"{where}: one disruption budget of one")
        scalers = [d for d in documents if d["kind"] == "HorizontalPodAutoscaler" and d["spec"]["scaleTargetRef"]["name"] == program]
        check(len(scalers) == 1 and scalers[0]["spec"]["minReplicas"] >= 2 and "replicas" not in deployment["spec"], f"{where}: scaled from two up")
        keys = {spread["topologyKey"] for spread in spec["topologySpreadConstraints"]}
        check(keys == {"topology.kubernetes.io/zone", "kubernetes.io/hostname"}, f"{where}: spread over zones and nodes")
        check(spec["terminationGracePeriodSeconds"] >= float(settings["PATIO_LEAVE_SECONDS"]) + 2 * 20 + 5, f"{where}: has no time to drain")
        check(float(settings["PATIO_LEAVE_SECONDS"]) > NEWS_TAKES, f"{where}: goes before all callers know others")
        check(deployment["spec"]["minReadySeconds"] > NEWS_TAKES, f"{where}: an update goes on before all callers know the new replica")
        update = deployment["spec"]["strategy"]["rollingUpdate"]
        check(update == {"maxUnavailable": 0, "maxSurge": 1}, f"{where}: an update takes replicas away before there are new ones")
        check("httpGet" in spec["containers"][0]["livenessProbe"], f"{where}: a database that is away would restart it")


def check_network(overlay, documents):
    """Nothing passes unless named, and exactly what the shape needs is."""
    closed = [d for d in documents if d["kind"] == "NetworkPolicy" and d["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}]
    check(len(closed) == 1, f"{overlay}: nothing is denied by default")
    check(not list(shape.unguarded(documents)), f"{overlay}: no policy closes {list(shape.unguarded(documents))}")
    (ways, half), wanted = shape.opened(documents), shape.needed(overlay, documents)
    check(not half, f"{overlay}: open at one end only: {sorted(half)}")
    for way in ways | wanted:
        check(way in wanted, f"{overlay}: {way[0]} may reach {way[1]} at {way[2]} for no reason")
        check(way in ways, f"{overlay}: {way[0]} cannot reach {way[1]} at {way[2]}")


def check_command_lines(overlay, documents, given):
    """What a container is started with can be read by everybody on its node: no secret is put there, and each file of one exists."""
    held = {d["metadata"]["name"]: set(d["stringData"]) for d in given}
    for what, template in pods(documents):
        for container in template["spec"]["containers"]:
            line = " ".join(container.get("command", []) + container.get("args", []))
            check("$(" not in line, f"{overlay}: {what} is started with {line}")
        for secret in (volume["secret"] for volume in template["spec"].get("volumes", []) if "secret" in volume):
            missing = {item["key"] for item in secret["items"]} - held.get(secret["secretName"], set())
            check(not missing, f"{overlay}: {what}: deploy/k8s/secrets makes no {sorted(missing)} in {secret['secretName']}")


def check_redis(documents):
    held = {d["metadata"]["name"]: " ".join(d["spec"]["template"]["spec"]["containers"][0]["args"]) for d in documents if d["kind"] == "StatefulSet"}
    check("--appendonly yes" in held["redis-lockouts"] and "--maxmemory-policy noeviction" in held["redis-lockouts"], "lockouts may be forgotten")
    check("--maxmemory-policy allkeys-lru" in held["redis-cache"], "the cache would refuse writes when full")


def check_doors(overlay, documents):
    """What is meant for the cluster alone is not led to from outside."""
    with_pods = {d["metadata"]["name"] for d in documents if d["kind"] == "Service" and d["spec"].get("selector")}
    for rule in (rule for d in documents if d["kind"] == "Ingress" for rule in d["spec"]["rules"]):
        paths = {each["path"]: each["backend"]["service"]["name"] for each in rule["http"]["paths"]}
        check(paths["/"] == "gateway", f"{overlay}: the ingress leads to {paths['/']}")
        for path in ["/healthz", "/readyz", "/metrics"]:
            closest = max((each for each in paths if path.startswith(each)), key=len)
            check(paths[closest] not in with_pods, f"{overlay}: {path} can be asked from outside")


def check_jobs(overlay, documents):
    """A Job's template cannot be changed: another version or setting makes another Job, or leaves this one as it is."""
    for job in (d for d in documents if d["kind"] == "Job"):
        container = job["spec"]["template"]["spec"]["containers"][0]
        version = container["image"].rsplit(":", 1)[1]
        check(job["metadata"]["name"].endswith(f"-migrate-{version}"), f"{overlay}: {name(job)} is of version {version}, and applying the next one fails")
        sources = json.dumps([container.get("envFrom", []), container.get("env", [])])
        check("configMap" not in sources, f"{overlay}: {name(job)} reads a ConfigMap whose name changes with each setting")
        check(job["spec"]["ttlSecondsAfterFinished"] >= 3600, f"{overlay}: {name(job)} is gone before anybody saw it fail")


def check_watched(overlay, documents):
    """What has to be found by the operator of Prometheus and by Grafana carries the labels they look for by default."""
    for document in documents:
        labels = document["metadata"].get("labels", {})
        if document["kind"] in {"PodMonitor", "PrometheusRule"}:
            check("release" in labels, f"{overlay}: Prometheus does not find {name(document)}")
        if document["kind"] == "ConfigMap" and "dashboard.json" in document["data"]:
            check(labels.get("grafana_dashboard") == "1", f"{overlay}: Grafana does not find {name(document)}")


def check_metrics(documents):
    """Alerts and the dashboard name metrics and labels that the programs have; expressions are balanced."""
    sources = "".join(path.read_text() for folder in ["proto/kit/src", "gateway/src", *[f"{p}/src" for p in PROGRAMS[:4]]] for path in (ROOT / folder).rglob("*.rs"))
    known = set(re.findall(r"(?:counter|gauge|histogram)!\(\s*\"(patio_\w+)\"", sources))
    rules = [rule for d in documents if d["kind"] == "PrometheusRule" for group in d["spec"]["groups"] for rule in group["rules"]]
    expressions = [(rule["alert"], rule["expr"]) for rule in rules] + watch.panels()
    for what, expression in expressions:
        for metric in re.findall(r"\bpatio_\w+", expression):
            base = re.sub(r"_(bucket|sum|count)$", "", metric) if metric.endswith(("_bucket", "_sum")) else metric
            check(base in known, f"{what}: there is no metric {metric}")
        check(all(expression.count(a) == expression.count(b) for a, b in ["()", "{}", "[]"]), f"{what}: {expression}")
    used = {re.sub(r"_(bucket|sum)$", "", m) for _, e in expressions for m in re.findall(r"\bpatio_\w+", e)}
    check(known <= used, f"nobody looks at {sorted(known - used)}")
    runbook = (ROOT / "deploy/runbook.md").read_text()
    anchors = {re.sub(r"[^\w\- ]", "", line[3:].lower()).strip().replace(" ", "-") for line in runbook.splitlines() if line.startswith("## ")}
    for rule in rules:
        anchor = rule["annotations"]["runbook"].split("#")[1]
        check(anchor in anchors, f"{rule['alert']}: the runbook has no section {anchor}")


def check_alerts(documents):
    promtool = sys.argv[3] if len(sys.argv) > 3 else shutil.which("promtool")
    if not promtool:
        return print("manifests: NOT TRIED: the alerts and the dashboard, for want of promtool (Debian's package prometheus has it)")
    for document in (d for d in documents if d["kind"] == "PrometheusRule"):
        watch.check_rules(check, promtool, document)


def check_overlay(overlay, documents, given, known):
    check_schemas(overlay, documents + given)
    check_restricted(overlay, documents)
    check_confined(overlay, documents)
    check_command_lines(overlay, documents, given)
    check_variables(overlay, documents, given, known)
    check_ports(overlay, documents, known)
    check_availability(overlay, documents)
    check_network(overlay, documents)
    check_doors(overlay, documents)
    check_jobs(overlay, documents)
    check_watched(overlay, documents)
    stores.check_stores(check, overlay, documents, given)
    settings = next(d["data"] for d in documents if d["kind"] == "ConfigMap" and "PATIO_REFLECTION" in d["data"])
    check(settings["PATIO_REFLECTION"] == ("false" if overlay == "production" else "true"), f"{overlay}: reflection")


def main():
    known = {program: variables(program) for program in PROGRAMS}
    watched = render_with("small", ["monitoring", "monitoring-postgres"])
    for overlay, documents in [("small", render("small")), ("production", render("production")), ("small, watched", watched)]:
        check_overlay(overlay, documents, secrets(overlay.split(",")[0]), known)
    check_redis(watched)
    images.check_versions(check, [container["image"] for _, template in pods(watched) for container in template["spec"]["containers"]])
    check_metrics(watched)
    check_alerts(watched)
    images.check_images(check, known)
    images.check_members(check)
    images.check_parts(check)
    images.check_compose(check, known)
    for failure in failures:
        print(f"manifests: {failure}")
    print(f"manifests: {passed} checks passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
