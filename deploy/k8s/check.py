"""Checks the chart by what Helm renders from it: JSON schemas, the Pod Security profile 'restricted', and rules that no schema can state.

    check.py BINARIES [PROMTOOL]

Helm's library comes with the package helm-python-sdk. BINARIES is the folder of the five programs, whose `config` says which variables exist.
PROMTOOL runs the unit tests of the alerts; the default is promtool on the PATH, and without one the output says that they did not run.
Schemas come with the package kubernetes-validate; nothing is downloaded.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import kubernetes_validate
import yaml

sys.dont_write_bytecode = True  # leaves no __pycache__ beside the manifests
import certificates
import chart
import compose
import digests
import images
import kinds
import shape
import stores
import tenants
import watch

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAMS = shape.PROGRAMS
# Maximum number of seconds until every caller knows that a replica started or terminated: name servers of clusters cache answers
# for thirty, and callers resolve names every two.
NEWS_TAKES = 32
# Variables that the manifests leave at their default on purpose, with the reason.
LEFT_ALONE = {
    "PATIO_ADMIN_HMC": "the first supervisor is HMC 1000",
    "PATIO_DEVELOPER_HMC": "the account is reserved whatever its HMC",
    "PATIO_DEVELOPER_PASSWORD": "the developer account stays closed unless its password is set",
    "PATIO_ALLOW_DATA_LOSS": "saves must not be lost",
    "PATIO_TOKEN_LIFETIME_HOURS": "one shift",
    "PATIO_SIGNING_KEY_ROTATION_DAYS": "a month",
    "PATIO_TLS": "the proxy of the route ends TLS",
    "PATIO_PRODUCT_NAME": "Patio",
    "PATIO_SIGN_IN_BURST": "sixty",
    "PATIO_MAX_CONCURRENT_REQUESTS": "8 for each core",
    "PATIO_HEADER_TIMEOUT_SECONDS": "ten seconds",
    "PATIO_DATABASE_READ_URL": "the primary serves lists and reports as well, unless a service's Secret names a standby",
    "PATIO_SEPARATE_SQLITE": "off: services keep their data in PostgreSQL",
    "PATIO_BODY_TIMEOUT_SECONDS": "fifteen seconds",
    "PATIO_SEAL_FILE": "each seal of the audit log is logged as well, and the log leaves the node",
    "PATIO_REDIS_CA_FILE": "Redis is in the cluster, or has a certificate of a public authority",
    "PATIO_OTLP_CA_FILE": "the collector is in the cluster, or has a certificate of a public authority",
    "PATIO_OTLP_ENDPOINT": "set with `tracing` alone",
    "PATIO_OTLP_HEADERS": "`tracing.headersSecret`, where the collector requires headers",
    "PATIO_OTLP_SAMPLE_RATIO": "every request, or `tracing.sampleRatio`",
    "PATIO_TRUSTED_PROXIES": "`route.trustedProxies`, where there is a route",
    "PATIO_HSTS": "set with a route alone",
    "PATIO_API_DOCS": "the OpenAPI document requires a sign-in",
    "PATIO_SECURITY_CONTACT": "security@ and the host",
}
# CA certificate of an external database in the checks of deploy/k8s/secrets.
AUTHORITY = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
passed, failures = 0, []


def check(holds, what):
    global passed
    if holds:
        passed += 1
    else:
        failures.append(what)


def secrets(example):
    """Returns the Secrets that deploy/k8s/secrets prints for an example, after its Namespace."""
    outside = {f"{service}_DATABASE_URL": f"postgres://{service.lower()}@db.example/patio" for service in ["AUTH", "CAMPAIGN", "VEHICLE", "IMPORT"]}
    outside |= {"BACKUP_KEY_ID": "id", "BACKUP_SECRET_KEY": "key"}
    outside |= {"LOCKOUT_REDIS_URL": "rediss://a", "CACHE_REDIS_URL": "rediss://b", "PATH": "/usr/bin:/bin", "NAMESPACE": "yard"}
    with tempfile.TemporaryDirectory() as folder:
        authority, private = pathlib.Path(folder, "ca.pem"), pathlib.Path(folder, "key.pem")
        authority.write_text(AUTHORITY)
        private.write_text(AUTHORITY.replace("CERTIFICATE", "PRIVATE KEY"))
        outside["DATABASE_CA"] = str(authority)
        run = subprocess.run([HERE / "secrets", example], capture_output=True, text=True, check=True, env=outside)
        if example == "production":
            weak = [{"AUTH_DATABASE_URL": "postgres://a@b/c?sslmode=require"}, {"CACHE_REDIS_URL": "redis://b"}, {"DATABASE_CA": str(private)}, {"DATABASE_CA": ""}]
            for change in weak:
                refused = subprocess.run([HERE / "secrets", example], capture_output=True, text=True, env=outside | change)
                check(refused.returncode == 1 and next(iter(change)) in refused.stderr and not refused.stdout, f"secrets: {change} is accepted: {refused.stderr}")
    documents = [document for document in yaml.safe_load_all(run.stdout) if document]
    check(documents[0]["kind"] == "Namespace" and documents[0]["metadata"]["name"] == "yard", "secrets: the namespace does not come first")
    levels = {name.rsplit("/", 1)[1]: level for name, level in documents.pop(0)["metadata"]["labels"].items()}
    check(levels == {"enforce": "restricted", "audit": "restricted", "warn": "restricted"}, f"secrets: the namespace has the profiles {levels}")
    check({document["metadata"]["namespace"] for document in documents} == {"yard"}, "secrets: another namespace than NAMESPACE")
    for document in documents:
        if document["metadata"]["name"] == "patio-database-ca":
            check(document["stringData"]["ca.crt"] == AUTHORITY, "secrets: the certificate differs from that of DATABASE_CA")
    return documents


def variables(program):
    run = subprocess.run([pathlib.Path(sys.argv[1]) / program, "config"], capture_output=True, text=True, check=True, env={})
    return dict(line.split("=", 1) for line in run.stdout.splitlines())


def name(document):
    return f"{document['kind']} {document['metadata']['name']}"


def pods(documents):
    return [(name(d), d["spec"]["template"]) for d in documents if d["kind"] in shape.WORKLOADS]


def check_schemas(example, documents):
    for document in documents:
        if (document["apiVersion"], document["kind"]) in kinds.KINDS or not re.fullmatch(r"v1|apps/v1|.*k8s\.io/.*|policy/v1|autoscaling/v2", document["apiVersion"]):
            faults = kinds.faults(document)
            check(not faults, f"{example}: {name(document)}: {faults}")
            continue
        try:
            kubernetes_validate.validate(document, "1.37", strict=True)
            check(True, "")
        except Exception as cause:  # the validator raises several types
            check(False, f"{example}: {name(document)}: {str(cause).splitlines()[0]}")


def check_restricted(example, documents):
    """Checks the rules of the Pod Security Standard 'restricted', and in addition a read-only root file system."""
    for what, template in pods(documents):
        spec, where = template["spec"], f"{example}: {what}"
        pod = spec.get("securityContext", {})
        for field in ["hostNetwork", "hostPID", "hostIPC"]:
            check(not spec.get(field), f"{where}: {field}")
        kinds = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
        check(all(set(volume) - {"name"} <= kinds for volume in spec.get("volumes", [])), f"{where}: a volume of a forbidden type")
        check(spec.get("automountServiceAccountToken") is False, f"{where}: a token for the Kubernetes API is mounted")
        check(pod.get("seccompProfile", {}).get("type") == "RuntimeDefault", f"{where}: seccomp")
        check(pod.get("runAsNonRoot") is True and pod.get("runAsUser", 0) > 0, f"{where}: may run as root")
        check(not pod.get("sysctls"), f"{where}: sysctls")
        for container in spec.get("initContainers", []) + spec["containers"]:
            own = container.get("securityContext", {})
            check(own.get("allowPrivilegeEscalation") is False, f"{where}: may gain privileges")
            check(own.get("capabilities") == {"drop": ["ALL"]}, f"{where}: does not drop all capabilities")
            check(not own.get("privileged"), f"{where}: privileged")
            check(own.get("readOnlyRootFilesystem") is True, f"{where}: the root file system is writable")
            check(all("hostPort" not in port for port in container.get("ports", [])), f"{where}: uses a host port")
            resources = container.get("resources", {})
            check({"cpu", "memory"} <= set(resources.get("requests", {})), f"{where}: requests")
            check("memory" in resources.get("limits", {}), f"{where}: limits")
            check(not str(container["image"]).endswith(":latest") and ":" in container["image"].rsplit("/", 1)[-1], f"{where}: an image without a version")


def check_confined(example, documents):
    """Checks that deploy/confined, in which the browser test runs the programs, grants the same users and writable folders as the manifests."""
    output = subprocess.run([ROOT / "deploy/confined", "--shape"], capture_output=True, text=True, check=True).stdout
    shape = {kind: rest for kind, *rest in (line.split() for line in output.splitlines())}
    for what, template in pods(documents):
        spec, kind = template["spec"], what.split()[0]
        if kind not in shape:
            continue  # Redis
        sizes = {volume["name"]: volume["emptyDir"]["sizeLimit"] for volume in spec.get("volumes", []) if "emptyDir" in volume}
        mounts = [mount for container in spec["containers"] for mount in container.get("volumeMounts", []) if not mount.get("readOnly")]
        written = [part for mount in mounts for part in (mount["mountPath"], sizes.get(mount["name"]))]
        user = [str(spec["securityContext"][field]) for field in ["runAsUser", "runAsGroup"]]
        check(user + written == shape[kind], f"{example}: {what} runs as {user + written}, deploy/confined as {shape[kind]}")


def environment(container, documents, given):
    """Returns the environment of a container by name; a ConfigMap or Secret that does not exist is a failure."""
    held = {d["metadata"]["name"]: d.get("data") or d.get("stringData") for d in documents + given if d["kind"] in {"ConfigMap", "Secret"}}
    values = {}
    for source in container.get("envFrom", []):
        reference = (source.get("configMapRef") or source.get("secretRef"))["name"]
        check(reference in held, f"{reference} is neither rendered nor written by deploy/k8s/secrets")
        values |= held.get(reference) or {}
    for variable in container.get("env", []):
        values[variable["name"]] = variable.get("value", "")
        reference = variable.get("valueFrom", {}).get("secretKeyRef")
        check(not reference or reference["key"] in held.get(reference["name"], {}), f"{variable['name']}: no such secret")
    return values


def check_variables(example, documents, given, known):
    """Checks that each variable of a pod exists in its program, and each variable of the program is set or in LEFT_ALONE."""
    for what, template in pods(documents):
        container = template["spec"]["containers"][0]
        program = container["image"].rsplit("/", 1)[-1].split(":")[0]
        if program not in known:
            continue
        set_names = {variable for variable in environment(container, documents, given) if variable.startswith("PATIO_")}
        odd = set_names - set(known[program])
        check(not odd, f"{example}: {what} sets variables that {program} does not have: {sorted(odd)}")
        if what.startswith("Deployment"):
            silent = set(known[program]) - set_names - set(LEFT_ALONE)
            if program == "gateway":
                silent -= {"PATIO_DATABASE_URL", "PATIO_REDIS_URL"}  # the gateway uses neither
            check(not silent, f"{example}: {what} does not set {sorted(silent)}, which are not in LEFT_ALONE")
    everything = set().union(*(set(each) for each in known.values()))
    check(set(LEFT_ALONE) <= everything, f"in LEFT_ALONE, but unknown to all programs: {sorted(set(LEFT_ALONE) - everything)}")


def check_ports(example, documents, known):
    """Checks that container, Service, probes, URLs and the program's default agree on the port."""
    services = {d["metadata"]["name"]: d for d in documents if d["kind"] == "Service"}
    settings = next(d for d in documents if d["kind"] == "ConfigMap" and "PATIO_AUTH_URL" in d["data"])["data"]
    for document in (d for d in documents if d["kind"] == "Deployment"):
        program, container = document["metadata"]["name"], document["spec"]["template"]["spec"]["containers"][0]
        where = f"{example}: {program}"
        listen = next(v["value"] for v in container["env"] if v["name"] == "PATIO_LISTEN")
        port = int(listen.rsplit(":", 1)[1])
        ports = {p["name"]: p["containerPort"] for p in container["ports"]}
        door = "http" if program == "gateway" else "grpc"
        check(port == int(known[program]["PATIO_LISTEN"].rsplit(":", 1)[1]), f"{where}: listens on another port than the program's default")
        check(ports == {door: port, "admin": int(settings["PATIO_METRICS_LISTEN"].rsplit(":", 1)[1])}, f"{where}: ports {ports}")
        for probe, path in [("startupProbe", "/healthz"), ("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")]:
            asked = container[probe].get("httpGet", {})
            check(asked == {"path": path, "port": "admin"}, f"{where}: {probe} requests {asked}, not {path} of the metrics port")
        service = services[program]["spec"]
        check(shape.selects({"matchLabels": service["selector"]}, document["spec"]["template"]["metadata"]["labels"]), f"{where}: its Service selects other pods")
        check(service["ports"][0]["targetPort"] == door, f"{where}: its Service has another target port")
        if program != "gateway":
            check(service.get("clusterIP") == "None" and service.get("publishNotReadyAddresses"), f"{where}: callers do not see every replica")
            check(settings[f"PATIO_{program.split('-')[0].upper()}_URL"] == f"https://{program}:{port}", f"{where}: callers use another URL")


def check_availability(example, documents):
    """Checks that node drains and rollouts take one replica at a time, with time to shut down."""
    deployments = {d["metadata"]["name"]: d for d in documents if d["kind"] == "Deployment"}
    settings = next(d["data"] for d in documents if d["kind"] == "ConfigMap" and "PATIO_SHUTDOWN_DELAY_SECONDS" in d["data"])
    check(sorted(deployments) == sorted(PROGRAMS), f"{example}: the five deployments")
    for program, deployment in deployments.items():
        where, spec = f"{example}: {program}", deployment["spec"]["template"]["spec"]
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        budgets = [d for d in documents if d["kind"] == "PodDisruptionBudget" and shape.selects(d["spec"]["selector"], labels)]
        check(len(budgets) == 1 and budgets[0]["spec"]["maxUnavailable"] == 1, f"{where}: one disruption budget of one")
        scalers = [d for d in documents if d["kind"] == "HorizontalPodAutoscaler" and d["spec"]["scaleTargetRef"]["name"] == program]
        check(len(scalers) == 1 and scalers[0]["spec"]["minReplicas"] >= 2 and "replicas" not in deployment["spec"], f"{where}: scaled from two up")
        keys = {spread["topologyKey"] for spread in spec["topologySpreadConstraints"]}
        check(keys == {"topology.kubernetes.io/zone", "kubernetes.io/hostname"}, f"{where}: spread over zones and nodes")
        check(spec["terminationGracePeriodSeconds"] >= float(settings["PATIO_SHUTDOWN_DELAY_SECONDS"]) + 2 * 20 + 5, f"{where}: the grace period is shorter than a shutdown")
        check(float(settings["PATIO_SHUTDOWN_DELAY_SECONDS"]) > NEWS_TAKES, f"{where}: terminates before all callers know the other replicas")
        check(deployment["spec"]["minReadySeconds"] > NEWS_TAKES, f"{where}: a rollout continues before all callers know the new replica")
        update = deployment["spec"]["strategy"]["rollingUpdate"]
        check(update == {"maxUnavailable": 0, "maxSurge": 1}, f"{where}: a rollout removes replicas before new ones are ready")
        check("httpGet" in spec["containers"][0]["livenessProbe"], f"{where}: a database outage would restart the pod")


def check_network(example, documents):
    """Checks that traffic is denied by default and that exactly the needed connections are allowed."""
    closed = [d for d in documents if d["kind"] == "NetworkPolicy" and d["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}]
    check(len(closed) == 1, f"{example}: no policy denies all traffic by default")
    check(not list(shape.unguarded(documents)), f"{example}: no policy restricts {list(shape.unguarded(documents))}")
    (ways, half), wanted = shape.opened(documents), shape.needed(example, documents)
    check(not half, f"{example}: allowed at one end only: {sorted(half)}")
    for way in ways | wanted:
        check(way in wanted, f"{example}: {way[0]} may reach {way[1]} at {way[2]} without need")
        check(way in ways, f"{example}: {way[0]} cannot reach {way[1]} at {way[2]}")


def check_command_lines(example, documents, given):
    """Checks that no command line contains a secret, as all users of a node can read it, and that each mounted file of a Secret exists."""
    held = {d["metadata"]["name"]: set(d["stringData"]) for d in given}
    held |= {d["spec"]["secretName"]: certificates.FILES for d in documents if d["kind"] == "Certificate"}
    # CloudNativePG creates the authority of each cluster's certificates.
    held |= {f"{d['metadata']['name']}-ca": {"ca.crt", "ca.key"} for d in documents if d["kind"] == "Cluster"}
    for what, template in pods(documents):
        for container in template["spec"]["containers"]:
            line = " ".join(container.get("command", []) + container.get("args", []))
            check("$(" not in line, f"{example}: {what} is started with {line}")
        for secret in (volume["secret"] for volume in template["spec"].get("volumes", []) if "secret" in volume):
            missing = {item["key"] for item in secret["items"]} - held.get(secret["secretName"], set())
            check(not missing, f"{example}: {what}: deploy/k8s/secrets writes no {sorted(missing)} in {secret['secretName']}")


def check_redis(documents):
    held = {d["metadata"]["name"]: " ".join(d["spec"]["template"]["spec"]["containers"][0]["args"]) for d in documents if d["kind"] == "StatefulSet"}
    check("--appendonly yes" in held["redis-lockouts"] and "--maxmemory-policy noeviction" in held["redis-lockouts"], "lockouts may be lost or evicted")
    check("--maxmemory-policy allkeys-lru" in held["redis-cache"], "the cache would reject writes when full")


def check_watched(example, documents):
    """Checks the labels by which the Prometheus operator and Grafana select objects."""
    for document in documents:
        labels = document["metadata"].get("labels", {})
        if document["kind"] in {"PodMonitor", "PrometheusRule"}:
            check("release" in labels, f"{example}: Prometheus does not select {name(document)}")
        if document["kind"] == "ConfigMap" and "dashboard.json" in document["data"]:
            check(labels.get("grafana_dashboard") == "1", f"{example}: Grafana does not select {name(document)}")


# Metric of Patio's programs in an expression, beside those of Kubernetes and of the database.
METRIC = r"\b(?:patio|http_server|rpc_server|process)_\w+"


def check_metrics(documents):
    """Checks that alerts and dashboard use existing metrics, all of them, and that each alert's runbook section exists."""
    sources = "".join(path.read_text() for folder in ["proto/kit/src", "gateway/src", *[f"{p}/src" for p in PROGRAMS[:4]]] for path in (ROOT / folder).rglob("*.rs"))
    known = set(re.findall(r"(?:counter|gauge|histogram)!\(\s*\"(\w+)\"", sources))
    help_of = set(re.findall(r"^    \(\s*\"(\w+)\",", (ROOT / "proto/kit/src/telemetry/metric_help.rs").read_text(), re.MULTILINE))
    backup = "patio_backup_last_success_timestamp_seconds"  # of one machine with SQLite: deploy/systemd/alerts.yaml
    check(known | {backup} == help_of, f"metrics without a help text, or the reverse: {sorted((known | {backup}) ^ help_of)}")
    known |= set(re.findall(r"\"(process_\w+)\"", (ROOT / "proto/kit/src/telemetry/process_metrics.rs").read_text()))
    rules = [rule for d in documents if d["kind"] == "PrometheusRule" for group in d["spec"]["groups"] for rule in group["rules"]]
    expressions = [(rule["alert"], rule["expr"]) for rule in rules] + watch.panels()
    for what, expression in expressions:
        check("namespace" in expression, f"{what}: the namespace is no label of the result")
        for metric in re.findall(METRIC, expression):
            base = re.sub(r"_(bucket|sum|count)$", "", metric)
            check(base in known, f"{what}: there is no metric {metric}")
        check(all(expression.count(a) == expression.count(b) for a, b in ["()", "{}", "[]"]), f"{what}: {expression}")
    used = {re.sub(r"_(bucket|sum|count)$", "", m) for _, e in expressions for m in re.findall(METRIC, e)}
    unwatched = {metric for metric in known - used if not metric.startswith("process_")}
    check(not unwatched, f"metrics without an alert or a panel: {sorted(unwatched)}")
    runbook = (ROOT / "deploy/runbook.md").read_text()
    anchors = {re.sub(r"[^\w\- ]", "", line[3:].lower()).strip().replace(" ", "-") for line in runbook.splitlines() if line.startswith("## ")}
    for rule in rules:
        check(rule["labels"]["severity"] in {"critical", "warning"}, f"{rule['alert']}: severity {rule['labels']['severity']}")
        url, _, anchor = rule["annotations"]["runbook_url"].partition("#")
        check(url == "https://runbooks.example.com/patio.md", f"{rule['alert']}: runbook_url {url}")
        check(anchor in anchors, f"{rule['alert']}: the runbook has no section {anchor}")


def check_alerts(documents):
    promtool = sys.argv[2] if len(sys.argv) > 2 else shutil.which("promtool")
    if not promtool:
        return print("manifests: NOT TRIED: the alerts and the dashboard, because promtool is missing (Debian's package prometheus)")
    for document in (d for d in documents if d["kind"] == "PrometheusRule"):
        watch.check_rules(check, promtool, document)


def check_example(example, documents, given, known):
    check_schemas(example, documents + given)
    check_restricted(example, documents)
    check_confined(example, documents)
    check_command_lines(example, documents, given)
    check_variables(example, documents, given, known)
    check_ports(example, documents, known)
    check_availability(example, documents)
    check_network(example, documents)
    chart.check_routes(check, example, documents)
    check(not any(d["kind"] in {"Job", "CronJob", "Secret"} for d in documents), f"{example}: a Job, which cannot be changed, or a Secret")
    check_watched(example, documents)
    stores.check_stores(check, example, documents, given)
    certificates.check_certificates(check, example, documents)
    settings = next(d["data"] for d in documents if d["kind"] == "ConfigMap" and "PATIO_REFLECTION" in d["data"])
    check(settings["PATIO_REFLECTION"] == "false", f"{example}: services answer gRPC reflection")


def main():
    known = {program: variables(program) for program in PROGRAMS}
    rendered = {example: chart.render(example) for example in chart.EXAMPLES}
    watched = rendered["small, watched"]
    for example, documents in rendered.items():
        check_example(example, documents, secrets(example.split(",")[0]), known)
    chart.check_chart(check)
    tenants.check_tenants(check)
    check_redis(watched)
    images.check_versions(check, [container["image"] for _, template in pods(watched) for container in template["spec"]["containers"]])
    check_metrics(watched)
    check_alerts(watched)
    images.check_images(check, known)
    images.check_members(check)
    images.check_parts(check)
    compose.check_compose(check, known)
    digests.check_digests(check)
    for failure in failures:
        print(f"manifests: {failure}")
    print(f"manifests: {passed} checks passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
