"""Checks the manifests of the databases: no save is lost with a node, at most five minutes with the cluster, and there are
enough connections."""
import ipaddress
import json
import re
import urllib.parse

import chart
import shape

# Maximum `archive_timeout` in seconds. With the time for sending it stays below the five minutes that may be lost with a cluster.
ARCHIVED_WITHIN = 240
# Connections besides those of Patio: the operator, the standbys, an operator's psql.
OTHERS = 10
ROLES = {"auth", "campaign", "vehicle", "imports"}


def connections(documents):
    """Returns the maximum number of PostgreSQL connections of Patio: writes, reads, flush and heartbeat of each replica
    (proto/kit/src/db/open.rs), two more replicas of each service during a rollout, and one for the migrations of each service."""
    settings = next(d["data"] for d in documents if d["kind"] == "ConfigMap" and "PATIO_DATABASE_MAX_CONNECTIONS" in d["data"])
    saving = int(settings["PATIO_DATABASE_MAX_CONNECTIONS"])
    each = saving + max(saving * 3 // 8, 2) + 2
    most = {d["spec"]["scaleTargetRef"]["name"]: d["spec"]["maxReplicas"] for d in documents if d["kind"] == "HorizontalPodAutoscaler"}
    return sum((most[service] + 2) * each for service in shape.SERVICES) + len(shape.SERVICES)


def check_room(check, example, documents, cluster):
    limit = cluster["spec"]["postgresql"]["parameters"]["max_connections"] if cluster else chart.values(example)["postgres"]["maxConnections"]
    need = connections(documents) + OTHERS
    check(int(limit) >= need, f"{example}: max_connections is {limit}, and {need} connections may be made")


def check_cluster(check, example, documents, given):
    spec = next(d["spec"] for d in documents if d["kind"] == "Cluster")
    check(spec["instances"] >= 3, f"{example}: with one of {spec['instances']} instances lost no standby could confirm a save")
    wanted = {"method": "any", "number": 1, "dataDurability": "required", "failoverQuorum": True}
    check(spec["postgresql"].get("synchronous") == wanted, f"{example}: an acknowledged save may be lost with a node")
    held = {d["metadata"]["name"]: d for d in given}
    named = {role["name"]: held.get(role["passwordSecret"]["name"], {}) for role in spec["managed"]["roles"]}
    schemas = next(d["spec"]["schemas"] for d in documents if d["kind"] == "Database")
    check(set(named) == {each["owner"] for each in schemas} == {each["name"] for each in schemas} == ROLES, f"{example}: a role and a schema a service")
    for role, secret in named.items():
        check(secret.get("stringData", {}).get("username") == role, f"{example}: the password of {role} is another's")
        check(secret.get("metadata", {}).get("labels", {}).get("cnpg.io/reload") == "true", f"{example}: the operator does not see a new password of {role}")


def check_backups(check, example, documents, given):
    cluster = next(d for d in documents if d["kind"] == "Cluster")
    stores = {d["metadata"]["name"]: d["spec"]["configuration"] for d in documents if d["kind"] == "ObjectStore"}
    archivers = [plugin for plugin in cluster["spec"].get("plugins", []) if plugin.get("isWALArchiver")]
    check(len(archivers) == 1 and archivers[0]["parameters"]["barmanObjectName"] in stores, f"{example}: the write-ahead log is not archived")
    timeout = cluster["spec"]["postgresql"]["parameters"].get("archive_timeout", "0s")
    check(0 < int(timeout.rstrip("s")) <= ARCHIVED_WITHIN, f"{example}: the write-ahead log reaches the backups after {timeout}")
    planned = [d["spec"] for d in documents if d["kind"] == "ScheduledBackup" and d["spec"]["cluster"]["name"] == cluster["metadata"]["name"]]
    plugins = [each["pluginConfiguration"]["name"] for each in planned if each["method"] == "plugin" and each.get("immediate")]
    check(plugins == [each["name"] for each in archivers], f"{example}: no base backup is scheduled, or by {plugins}")
    keys = {d["metadata"]["name"]: set(d["stringData"]) for d in given}
    for name, store in stores.items():
        check(store.get("destinationPath"), f"{example}: {name} has no destinationPath")
        for key in store["s3Credentials"].values():
            check(key["key"] in keys.get(key["name"], set()), f"{example}: deploy/k8s/secrets makes no {key['key']} in {key['name']}")
        for part in ["wal", "data"]:
            check(store.get(part, {}).get("encryption"), f"{example}: {name}: backups ({part}) leave without encryption")


def check_proxies(check, example, documents):
    """Checks that the example names trusted proxies, and no network wider than a node's pods, since the cluster's pod network includes every pod."""
    gateway = next(d for d in documents if d["kind"] == "Deployment" and d["metadata"]["name"] == "gateway")
    proxies = {v["name"]: v.get("value", "") for v in gateway["spec"]["template"]["spec"]["containers"][0]["env"]}.get("PATIO_TRUSTED_PROXIES", "")
    networks = [ipaddress.ip_network(each) for each in proxies.split(",") if each]
    wide = [str(network) for network in networks if network.prefixlen < (24 if network.version == 4 else 64)]
    check(networks and not wide, f"{example}: the trusted proxies are {proxies or 'missing'}, too wide: {wide}")
    check(not chart.defaults()["route"]["trustedProxies"], "the chart trusts proxies by default, which belong to one cluster")


def check_links(check, example, documents, given, own):
    """Checks that each PostgreSQL URL verifies the server with a mounted CA file, and that Redis outside of the cluster uses TLS."""
    urls = {d["metadata"]["name"]: d["stringData"] for d in given}
    for document in (d for d in documents if d["kind"] == "Deployment"):
        spec = document["spec"]["template"]["spec"]
        container, where = spec["containers"][0], f"{example}: {document['kind']} {document['metadata']['name']}"
        secrets = [source["secretRef"]["name"] for source in container.get("envFrom", []) if "secretRef" in source]
        secrets += [each["valueFrom"]["secretKeyRef"]["name"] for each in container.get("env", []) if "valueFrom" in each]
        for url in (urls[name]["PATIO_DATABASE_URL"] for name in secrets if "PATIO_DATABASE_URL" in urls.get(name, {})):
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
            check(query.get("sslmode") == ["verify-full"], f"{where}: does not verify PostgreSQL, sslmode={query.get('sslmode')}")
            mounts = {mount["mountPath"]: mount for mount in container.get("volumeMounts", [])}
            folder, _, file = query.get("sslrootcert", [""])[0].rpartition("/")
            volume = next((v["secret"] for v in spec.get("volumes", []) if v["name"] == mounts.get(folder, {}).get("name") and "secret" in v), {})
            check(mounts.get(folder, {}).get("readOnly") and file in {item["path"] for item in volume.get("items", [])}, f"{where}: has no {folder}/{file}")
            check(volume.get("secretName") == ("patio-db-ca" if own else "patio-database-ca"), f"{where}: trusts {volume.get('secretName')}")
        for url in (urls[name]["PATIO_REDIS_URL"] for name in secrets if "PATIO_REDIS_URL" in urls.get(name, {})):
            check(url.startswith("redis://" if own else "rediss://"), f"{where}: Redis outside of the cluster without TLS")


def check_key(check, example, documents, given):
    """Checks that only auth-svc mounts the key file that seals the signing keys."""
    key = next((d["stringData"].get("key", "") for d in given if d["metadata"]["name"] == "patio-auth-key"), "")
    check(re.fullmatch(r"[A-Za-z0-9+/]{43}=", key), f"{example}: deploy/k8s/secrets makes no key of 32 bytes: {len(key)} characters")
    holders = []
    for document in (d for d in documents if d["kind"] in shape.WORKLOADS):
        spec = document["spec"]["template"]["spec"]
        if "patio-auth-key" in json.dumps(spec):
            holders.append(f"{document['kind']} {document['metadata']['name']}")
            container = spec["containers"][0]
            volume = next((v for v in spec.get("volumes", []) if v.get("secret", {}).get("secretName") == "patio-auth-key"), {"name": "", "secret": {}})
            check(volume["secret"].get("defaultMode") == 0o400 and spec["securityContext"].get("fsGroup") == 10001, f"{example}: the key's file is readable by others or not at all")
            mount = next((m for m in container.get("volumeMounts", []) if m["name"] == volume["name"]), {})
            paths = [f"{mount.get('mountPath')}/{item['path']}" for item in volume["secret"].get("items", [])]
            value = {v["name"]: v.get("value") for v in container["env"]}.get("PATIO_KEY_FILE")
            check(mount.get("readOnly") and paths == [value], f"{example}: PATIO_KEY_FILE is {value}, the key is at {paths}")
    check(holders == ["Deployment auth-svc"], f"{example}: the key is in {holders}")


def check_stores(check, example, documents, given):
    cluster = next((d for d in documents if d["kind"] == "Cluster"), None)
    check_room(check, example, documents, cluster)
    check_proxies(check, example, documents)
    check_links(check, example, documents, given, own=bool(cluster))
    check_key(check, example, documents, given)
    if cluster:
        check_cluster(check, example, documents, given)
        check_backups(check, example, documents, given)
