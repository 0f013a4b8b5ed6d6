"""Renders the chart with Helm's own library, and checks that Helm's lint and the schema of values do their work.

An example is a file of values beside this script, or one with changes, and stands for a way to install Patio.
"""
import copy
import functools
import pathlib
import tomllib

import helm_python
import yaml

import kinds

HERE = pathlib.Path(__file__).resolve().parent
CHART = HERE / "patio"
NAMESPACE = "patio"
EXAMPLES = {
    "small": ("small.yaml", {}),
    "production": ("production.yaml", {}),
    "small, watched": ("small.yaml", {"monitoring": {"enabled": True, "runbookUrl": "https://runbooks.example.com/patio.md"}}),
    "small, Ingress": ("small.yaml", {"route": {"kind": "Ingress", "proxyNamespace": "ingress-nginx"}}),
    "production, signed": ("production.yaml", {"image": {"signingKey": "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n"}}),
}
DIGEST = "sha256:" + 64 * "5"
ELSEWHERE = {"embedded": False, "external": {"networks": ["10.0.0.0/8"]}}
# Wrong values, and words of the error that Helm prints for them.
REFUSED = [
    ({"imge": {}}, "additional properties 'imge' not allowed"),
    ({"route": {"kind": "Route"}}, "at '/route/kind': value must be one of 'HTTPRoute', 'Ingress', 'none'"),
    ({"route": {"host": "https://patio.example"}}, "at '/route/host': 'https://patio.example' does not match pattern"),
    ({"route": {"trustedProxies": ["proxy"]}}, "at '/route/trustedProxies/0': 'proxy' does not match pattern"),
    ({"image": {"digests": {"gateway": "0.1.0"}}}, "at '/image/digests/gateway': '0.1.0' does not match pattern"),
    ({"image": {"digests": {"web": DIGEST}}}, "invalid propertyName 'web'"),
    ({"image": {"tag": "latest"}}, "image.tag is latest"),
    ({"image": {"tag": "1.0+build"}}, "at '/image/tag': '1.0+build' does not match pattern"),
    ({"image": {"pullSecrets": "one"}}, "at '/image/pullSecrets': got string, want array"),
    ({"image": {"signingKey": "cosign.pub"}}, "at '/image/signingKey': 'cosign.pub' does not match pattern"),
    ({"settings": {"PATIO_LOG": 1}}, "at '/settings/PATIO_LOG': got number, want string"),
    ({"settings": {"LOG": "debug"}}, "invalid propertyName 'LOG'"),
    ({"settings": {"PATIO_ADMIN_PASSWORD": "x"}}, "settings.PATIO_ADMIN_PASSWORD: a ConfigMap is no place for a secret"),
    ({"settings": {"PATIO_METRICS_LISTEN": "0.0.0.0:1"}}, "settings.PATIO_METRICS_LISTEN: the chart sets it"),
    ({"programs": {"gateway": {"resources": {"limits": {"memory": "64"}}}}}, "at '/programs/gateway/resources/limits/memory': '64' does not match pattern"),
    ({"programs": {"gateway": {"minReplicas": 9}}}, "programs.gateway: minReplicas is 9 and maxReplicas 3"),
    ({"autoscaling": {"minReplicas": 1}}, "at '/autoscaling/minReplicas': minimum: got 1, want 2"),
    ({"autoscaling": {"maxReplicas": 9}}, "postgres.maxConnections is 280, and Patio may open 366 connections"),
    ({"settings": {"PATIO_DATABASE_MAX_CONNECTIONS": "16"}}, "postgres.maxConnections is 280, and Patio may open 494 connections"),
    ({"postgres": {"instances": 1}}, "at '/postgres/instances': minimum: got 1, want 3"),
    ({"postgres": {"image": "postgres"}}, "at '/postgres/image': 'postgres' does not match pattern"),
    ({"postgres": {"embedded": False}}, "at '/postgres/external/networks': minItems: got 0, want 1"),
    ({"redis": {"embedded": False}}, "at '/redis/external/networks': minItems: got 0, want 1"),
    ({"postgres": {"restoreFrom": {"name": "patio-db"}}}, "a restored cluster needs another name"),
    ({"postgres": {"name": "two", "restoreFrom": {"name": "patio-db"}}}, "postgres.restoreFrom needs backup.enabled"),
    ({"postgres": {"restoreFrom": {"targetTime": "2026-11-21 14:00:00+00"}}}, "properties 'name' required, if 'targetTime' exists"),
    ({"backup": {"enabled": True}}, "at '/backup/destinationPath': '' does not match pattern"),
    ({"backup": {"enabled": True, "destinationPath": "s3://a/b"}, "postgres": ELSEWHERE}, "at '/postgres/embedded': value must be true"),
    ({"serviceTls": {"issuer": {"kind": "ClusterIssuer"}}}, "properties 'name' required, if 'kind' exists"),
    ({"monitoring": {"enabled": True}}, "monitoring.runbookUrl: set the address at which people on call read deploy/runbook.md"),
    ({"monitoring": {"runbookUrl": "deploy/runbook.md"}}, "at '/monitoring/runbookUrl': 'deploy/runbook.md' does not match pattern"),
    ({"tracing": {"sampleRatio": 2}}, "at '/tracing/sampleRatio': maximum: got 2, want 1"),
]


@functools.cache
def loaded():
    return helm_python.Chart.load(CHART)


def merged(values, changes):
    """Returns values with changes, as Helm merges several files of values."""
    result = copy.deepcopy(values)
    for name, change in changes.items():
        both = isinstance(change, dict) and isinstance(result.get(name), dict)
        result[name] = merged(result[name], change) if both else change
    return result


def defaults():
    return yaml.safe_load((CHART / "values.yaml").read_text())


def given(example):
    """Returns the values of an example without the defaults of the chart."""
    file, changes = EXAMPLES[example]
    return merged(yaml.safe_load((HERE / file).read_text()), changes)


def values(example):
    return merged(defaults(), given(example))


def documents(values, namespace=NAMESPACE):
    """Returns the rendered objects, without the text that Helm prints after an installation."""
    files = loaded().render(values, name="patio", namespace=namespace)
    texts = [text for name, text in sorted(files.items()) if not name.endswith(".txt")]
    return [document for text in texts for document in yaml.safe_load_all(text) if document]


def render(example):
    return documents(given(example))


def refusal(values):
    """Returns the error that Helm prints for these values, or nothing."""
    try:
        loaded().render(values, name="patio", namespace=NAMESPACE)
    except Exception as cause:  # the library raises several types
        return str(cause)
    return ""


def check_lint(check):
    """Checks that Helm's lint has nothing to say about the chart with the values of each example, except that it has no icon."""
    for example in EXAMPLES:
        report = helm_python.lint(CHART, given(example), strict=True, namespace=NAMESPACE, kube_version="v1.29.0")
        findings = [message for message in report["messages"] if message["error"] != "icon is recommended"]
        check(not report["errors"] and not findings, f"{example}: helm lint: {report['errors']} {findings}")
    version = tomllib.loads((HERE.parent.parent / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    metadata = loaded().metadata
    check(metadata["appVersion"] == metadata["version"] == version, f"Chart.yaml: versions {metadata['version']} and {metadata['appVersion']}, Cargo.toml has {version}")


def check_schema(check):
    """Checks that wrong values are refused with words that name the value, and that the schema knows each value of the chart."""
    for wrong, words in REFUSED:
        message = refusal(wrong)
        check(words in message, f"values: {wrong}: {message or 'accepted'}")
    for path in paths(defaults()):
        message = refusal(put(path, ["a list"]))
        check(message, f"values: {'.'.join(path)} accepts anything")


def paths(values, before=()):
    """Yields the path of each value that is neither a map nor a list."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from paths(value, (*before, name))
        elif not isinstance(value, list):
            yield (*before, name)


def put(path, value):
    return {path[0]: put(path[1:], value) if path[1:] else value}


def one(rendered, kind, name):
    return next(d for d in rendered if d["kind"] == kind and d["metadata"]["name"] == name)


def check_values(check):
    """Checks what single values change in the rendered objects."""
    pod = lambda rendered, name="gateway": one(rendered, "Deployment", name)["spec"]["template"]["spec"]
    pinned = documents({"image": {"registry": "r.example:5000/p", "tag": "2.0", "digests": {"gateway": DIGEST}, "pullSecrets": ["a"]}})
    check(pod(pinned)["containers"][0]["image"] == f"r.example:5000/p/gateway@{DIGEST}", "values: an image by digest")
    check(pod(pinned, "auth-svc")["containers"][0]["image"] == "r.example:5000/p/auth-svc:2.0", "values: an image by tag")
    check(pod(pinned)["imagePullSecrets"] == [{"name": "a"}], "values: the credentials of the registry")
    apart = documents(merged(given("small, watched"), {"postgres": {"storage": {"size": "50Gi", "storageClass": "fast"}}}), "yard")
    check({d["metadata"]["namespace"] for d in apart} == {"yard"}, "values: an object is in another namespace than the release")
    check('"patio/patio' not in str(apart) and 'namespace="patio"' not in str(apart), "values: an alert asks for another namespace")
    check("auth-svc.yard.svc" in one(apart, "Certificate", "auth-svc")["spec"]["dnsNames"], "values: a certificate of another namespace")
    check(one(apart, "Cluster", "patio-db")["spec"]["storage"] == {"size": "50Gi", "storageClass": "fast"}, "values: the storage of PostgreSQL")
    fixed = documents({"autoscaling": {"enabled": False}, "programs": {"gateway": {"minReplicas": 3}}})
    replicas = {d["metadata"]["name"]: d["spec"]["replicas"] for d in fixed if d["kind"] == "Deployment"}
    check(replicas["gateway"] == 3 and replicas["auth-svc"] == 2 and "HorizontalPodAutoscaler" not in {d["kind"] for d in fixed}, f"values: replicas {replicas}")
    mesh = documents({"serviceTls": {"enabled": False}})
    rendered = {d["kind"] for d in mesh}
    check(not {"Certificate", "Issuer"} & rendered and "tls" not in str(pod(mesh)["volumes"]), "values: certificates in a mesh")
    check(one(mesh, "ConfigMap", "patio")["data"]["PATIO_AUTH_URL"] == "http://auth-svc:50051", "values: URLs in a mesh")
    own = documents({"serviceTls": {"certManager": False}})
    check("Certificate" not in {d["kind"] for d in own} and pod(own)["volumes"] == pod(documents({}))["volumes"], "values: certificates without cert-manager")
    issued = documents({"serviceTls": {"issuer": {"name": "corporate", "kind": "ClusterIssuer"}}})
    issuers = {d["spec"]["issuerRef"]["name"] for d in issued if d["kind"] == "Certificate"}
    check(issuers == {"corporate"} and "Issuer" not in {d["kind"] for d in issued}, f"values: certificates of {issuers}")
    closed = documents({"route": {"kind": "none"}})
    check(one(closed, "NetworkPolicy", "gateway")["spec"]["ingress"] == [], "values: without a route something reaches the gateway")
    check(not {"HTTPRoute", "Ingress", "Gateway"} & {d["kind"] for d in closed}, "values: a route in spite of none")
    check("NetworkPolicy" not in {d["kind"] for d in documents({"network": {"policies": False}})}, "values: policies in spite of false")
    restored = documents(merged(given("small"), {"postgres": {"name": "two", "restoreFrom": {"name": "patio-db", "targetTime": "2026-11-21 14:00:00+00"}}}))
    spec = one(restored, "Cluster", "two")["spec"]
    check(spec["bootstrap"]["recovery"]["recoveryTarget"] == {"targetTime": "2026-11-21 14:00:00+00"} and "initdb" not in spec["bootstrap"], "values: a restore")
    check(spec["externalClusters"][0]["plugin"]["parameters"] == {"barmanObjectName": "patio-backups", "serverName": "patio-db"}, "values: the source of a restore")
    check(not [fault for d in restored if d["kind"] in {"Cluster", "Database"} for fault in kinds.faults(d)], "values: a restored cluster has unknown fields")
    check("'patio-db-ca'" not in str(restored) and "cnpg.io/cluster': 'patio-db'" not in str(restored), "values: something is left with the old cluster")
    kept = {d["kind"] for d in restored if d["metadata"].get("annotations", {}).get("helm.sh/resource-policy") == "keep"}
    check(kept == {"Cluster", "ObjectStore"}, f"values: an uninstallation deletes a database: {kept}")
    connections = lambda changes: one(documents(changes), "ConfigMap", "patio")["data"]["PATIO_DATABASE_MAX_CONNECTIONS"]
    fifty = {"autoscaling": {"maxReplicas": 50}, "postgres": {"maxConnections": 1700}}
    chosen = [connections({}), connections(fifty), connections(merged(fifty, {"settings": {"PATIO_DATABASE_MAX_CONNECTIONS": "2"}}))]
    check(chosen == ["8", "4", "2"], f"values: connections of a replica: {chosen}")
    logged = documents({"settings": {"PATIO_LOG": "debug"}})
    marks = [one(each, "Deployment", "gateway")["spec"]["template"]["metadata"]["annotations"] for each in (logged, documents({}))]
    check(one(logged, "ConfigMap", "patio")["data"]["PATIO_LOG"] == "debug" and marks[0] != marks[1], "values: a changed setting replaces no pod")


def check_routes(check, example, rendered):
    """Checks that the way in leads to the gateway, and that probes and metrics are not reachable from outside."""
    with_pods = {d["metadata"]["name"] for d in rendered if d["kind"] == "Service" and d["spec"].get("selector")}
    paths = {}
    for rule in (rule for d in rendered if d["kind"] == "Ingress" for rule in d["spec"]["rules"]):
        paths |= {each["path"]: each["backend"]["service"]["name"] for each in rule["http"]["paths"]}
    for rule in (rule for d in rendered if d["kind"] == "HTTPRoute" and d["metadata"]["name"] == "patio" for rule in d["spec"]["rules"]):
        backend = next((each["name"] for each in rule.get("backendRefs", [])), "nothing")
        paths |= {match["path"]["value"]: backend for match in rule["matches"]}
        stream = any(match["path"]["value"] in {"/api/events", "/api/documents/uploads"} for match in rule["matches"])
        wanted = None if backend == "nothing" else "0s" if stream else "130s"
        check(rule.get("timeouts", {}).get("request") == wanted, f"{example}: a request to {sorted(paths)} ends after {rule.get('timeouts')}")
    check(paths.get("/") == "gateway", f"{example}: the way in leads to {paths}")
    for path in ["/healthz", "/readyz", "/metrics"]:
        closest = max((each for each in paths if path.startswith(each)), key=len)
        check(paths[closest] not in with_pods, f"{example}: {path} is reachable from outside")


def check_chart(check):
    check_lint(check)
    check_schema(check)
    check_values(check)
