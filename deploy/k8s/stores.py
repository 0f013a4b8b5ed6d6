"""What the databases' manifests promise: that nothing saved is lost with a node, little with the cluster, and that there is
room for all who connect."""
import ipaddress
import pathlib
import re

import shape

HERE = pathlib.Path(__file__).resolve().parent
# Five minutes may be lost with a cluster; sending takes its time.
ARCHIVED_WITHIN = 240
# What connects beside Patio: the operator, the standbys, a person who looks.
OTHERS = 10
ROLES = {"auth", "campaign", "vehicle", "imports"}


def connections(documents):
    """How many connections Patio makes at most: each replica's for saving and for reading, the one that waits for the disk
    and the one that hears whether it answers (proto/kit/src/db/open.rs), two replicas more while they are replaced, and one
    for each migration."""
    settings = next(d["data"] for d in documents if d["kind"] == "ConfigMap" and "PATIO_DATABASE_CONNECTIONS" in d["data"])
    saving = int(settings["PATIO_DATABASE_CONNECTIONS"])
    each = saving + max(saving * 3 // 8, 2) + 2
    most = {d["spec"]["scaleTargetRef"]["name"]: d["spec"]["maxReplicas"] for d in documents if d["kind"] == "HorizontalPodAutoscaler"}
    return sum((most[service] + 2) * each for service in shape.SERVICES) + len(shape.MIGRATIONS)


def check_room(check, overlay, documents, cluster):
    told = cluster["spec"]["postgresql"]["parameters"]["max_connections"] if cluster else None
    if not cluster:
        told = re.search(r"max_connections=(\d+)", (HERE / "overlays" / overlay / "kustomization.yaml").read_text())[1]
    need = connections(documents) + OTHERS
    check(int(told) >= need, f"{overlay}: max_connections is {told}, and {need} connections may be made")


def check_cluster(check, overlay, documents, given):
    spec = next(d["spec"] for d in documents if d["kind"] == "Cluster")
    check(spec["instances"] >= 3, f"{overlay}: with one of {spec['instances']} instances away no standby could confirm a save")
    wanted = {"method": "any", "number": 1, "dataDurability": "required", "failoverQuorum": True}
    check(spec["postgresql"].get("synchronous") == wanted, f"{overlay}: a save that was answered may be lost with a node")
    held = {d["metadata"]["name"]: d for d in given}
    named = {role["name"]: held.get(role["passwordSecret"]["name"], {}) for role in spec["managed"]["roles"]}
    schemas = next(d["spec"]["schemas"] for d in documents if d["kind"] == "Database")
    check(set(named) == {each["owner"] for each in schemas} == {each["name"] for each in schemas} == ROLES, f"{overlay}: a role and a schema a service")
    for role, secret in named.items():
        check(secret.get("stringData", {}).get("username") == role, f"{overlay}: the password of {role} is another's")
        check(secret.get("metadata", {}).get("labels", {}).get("cnpg.io/reload") == "true", f"{overlay}: the operator does not see a new password of {role}")


def check_backups(check, overlay, documents, given):
    cluster = next(d for d in documents if d["kind"] == "Cluster")
    stores = {d["metadata"]["name"]: d["spec"]["configuration"] for d in documents if d["kind"] == "ObjectStore"}
    archivers = [plugin for plugin in cluster["spec"].get("plugins", []) if plugin.get("isWALArchiver")]
    check(len(archivers) == 1 and archivers[0]["parameters"]["barmanObjectName"] in stores, f"{overlay}: what is saved goes to no backup")
    timeout = cluster["spec"]["postgresql"]["parameters"].get("archive_timeout", "0s")
    check(0 < int(timeout.rstrip("s")) <= ARCHIVED_WITHIN, f"{overlay}: what is saved reaches the backups after {timeout}")
    planned = [d["spec"] for d in documents if d["kind"] == "ScheduledBackup" and d["spec"]["cluster"]["name"] == cluster["metadata"]["name"]]
    plugins = [each["pluginConfiguration"]["name"] for each in planned if each["method"] == "plugin" and each.get("immediate")]
    check(plugins == [each["name"] for each in archivers], f"{overlay}: no whole backup is made, or by {plugins}")
    keys = {d["metadata"]["name"]: set(d["stringData"]) for d in given}
    for name, store in stores.items():
        check(store.get("destinationPath"), f"{overlay}: {name} leads nowhere")
        for key in store["s3Credentials"].values():
            check(key["key"] in keys.get(key["name"], set()), f"{overlay}: deploy/k8s/secrets makes no {key['key']} in {key['name']}")


def check_proxies(check, overlay, documents):
    """The overlay says whose word on who asks is believed, and of no more than the pods' network."""
    gateway = next(d for d in documents if d["kind"] == "Deployment" and d["metadata"]["name"] == "gateway")
    told = {v["name"]: v.get("value", "") for v in gateway["spec"]["template"]["spec"]["containers"][0]["env"]}.get("PATIO_TRUSTED_PROXIES", "")
    networks = [ipaddress.ip_network(each) for each in told.split(",") if each]
    check(networks and all(network.prefixlen >= 16 for network in networks), f"{overlay}: the word of {told or 'nobody'} on who asks is believed")
    shared = "".join(path.read_text() for folder in ["base", "release", "components"] for path in (HERE / folder).rglob("*.yaml"))
    check("PATIO_TRUSTED_PROXIES" not in shared, "an address of one cluster stands where all clusters read it")


def check_stores(check, overlay, documents, given):
    cluster = next((d for d in documents if d["kind"] == "Cluster"), None)
    check_room(check, overlay.split(",")[0], documents, cluster)
    check_proxies(check, overlay, documents)
    if cluster:
        check_cluster(check, overlay, documents, given)
        check_backups(check, overlay, documents, given)
