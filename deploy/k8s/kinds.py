"""Checks documents of operators' kinds against a table of the fields that the manifests use.

Kubernetes has no schemas of these kinds. The types come from the operators' own definitions (CloudNativePG 1.28, its Barman Cloud
plugin 0.7, the Prometheus operator 0.70, cert-manager 1.18, the Gateway API 1.2, and newer). A field that is not in the table is a failure: it is either
misspelt, and an API server would drop or reject it, or new, and has to be looked up and added.

`!` after a name marks a required field. A type is a Python type, a set of allowed words, a pattern, a list of one type, or a dict of
fields; a dict with the only key `*` allows any name.
"""
import re

NAMES = {"*": str}
META = {"name!": str, "namespace!": str, "labels": NAMES, "annotations": NAMES}
# Metadata of kinds that belong to the whole cluster.
CLUSTER_META = {"name!": str, "labels": NAMES, "annotations": NAMES}
SELECTOR = {"matchLabels": NAMES, "matchExpressions": [{"key!": str, "operator!": {"In", "NotIn", "Exists", "DoesNotExist"}, "values": [str]}]}
SIZE = re.compile(r"\d+(Mi|Gi)|\d+m")
DURATION = re.compile(r"(\d+[smhd])+")
# cert-manager parses durations like Go, which has no unit for days.
HOURS = re.compile(r"\d+h")
USAGE = {"digital signature", "key encipherment", "server auth", "client auth"}
SCHEMA = {"name!": str, "owner": str, "ensure": {"present", "absent"}}
KEY = {"name!": str, "key!": str}
ROLE = {"name!": str, "ensure": {"present", "absent"}, "login": bool, "inRoles": [str], "passwordSecret": {"name!": str}}
RULE = {"alert!": str, "expr!": str, "for": DURATION, "labels": NAMES, "annotations": NAMES}
PLUGIN = {"name!": str, "parameters": NAMES}

KINDS = {
    ("postgresql.cnpg.io/v1", "Cluster"): {
        "instances": int,
        # The operator requires a tag that begins with a full version, not `latest` or a major version only.
        "imageName": re.compile(r"\S+:\d+\.\d+\S*"),
        "primaryUpdateStrategy": {"unsupervised", "supervised"},
        "storage!": {"size!": SIZE, "storageClass": str},
        "resources": {"requests": {"cpu": SIZE, "memory": SIZE}, "limits": {"memory": SIZE}},
        "affinity": {"podAntiAffinityType": {"preferred", "required"}, "topologyKey": str},
        "plugins": [PLUGIN | {"isWALArchiver": bool}],
        "postgresql": {
            "parameters": NAMES,
            "synchronous": {"method!": {"any", "first"}, "number!": int, "dataDurability": {"required", "preferred"}, "failoverQuorum": bool},
        },
        "bootstrap": {
            "recovery": {"source!": str, "database": str, "owner": str, "recoveryTarget": {"targetTime": str}},
            "initdb": {"database": str, "owner": str, "encoding": str, "localeCollate": str, "localeCType": str},
        },
        "externalClusters": [{"name!": str, "plugin": PLUGIN}],
        "managed": {"roles": [ROLE]},
    },
    ("postgresql.cnpg.io/v1", "Database"): {"name!": str, "owner!": str, "cluster!": {"name!": str}, "schemas": [SCHEMA]},
    ("postgresql.cnpg.io/v1", "ScheduledBackup"): {
        "schedule!": re.compile(r"\S+( \S+){5}"),  # six fields, seconds first
        "immediate": bool,
        "backupOwnerReference": {"none", "self", "cluster"},
        "cluster!": {"name!": str},
        "method": {"plugin", "volumeSnapshot"},
        "pluginConfiguration": PLUGIN,
    },
    ("barmancloud.cnpg.io/v1", "ObjectStore"): {
        "retentionPolicy": re.compile(r"[1-9]\d*[dwm]"),
        "configuration!": {
            "destinationPath!": re.compile(r"s3://\S+"),
            "endpointURL": re.compile(r"https://\S+"),
            "s3Credentials": {"accessKeyId": KEY, "secretAccessKey": KEY},
            "wal": {"compression": {"gzip", "bzip2", "lz4", "snappy", "xz", "zstd"}, "encryption": {"AES256", "aws:kms"}},
            "data": {"compression": {"gzip", "bzip2", "snappy"}, "encryption": {"AES256", "aws:kms"}},
        },
    },
    ("monitoring.coreos.com/v1", "PodMonitor"): {
        "selector!": SELECTOR,
        "podTargetLabels": [str],
        "podMetricsEndpoints": [{"port": str, "path": str, "interval": DURATION}],
    },
    ("monitoring.coreos.com/v1", "PrometheusRule"): {"groups": [{"name!": str, "rules": [RULE]}]},
    ("gateway.networking.k8s.io/v1", "Gateway"): {
        "gatewayClassName!": str,
        "listeners!": [
            {
                "name!": str,
                "hostname": str,
                "port!": int,
                "protocol!": {"HTTP", "HTTPS"},
                "allowedRoutes": {"namespaces": {"from": {"Same", "All", "Selector"}}},
                "tls": {"mode": {"Terminate", "Passthrough"}, "certificateRefs": [{"name!": str}]},
            }
        ],
    },
    ("gateway.networking.k8s.io/v1", "HTTPRoute"): {
        "parentRefs": [{"name!": str, "namespace": str, "sectionName": str}],
        "hostnames": [str],
        "rules": [
            {
                "matches": [{"path": {"type": {"Exact", "PathPrefix"}, "value": re.compile(r"/\S*")}}],
                "filters": [{"type!": {"RequestRedirect"}, "requestRedirect": {"scheme": {"http", "https"}, "statusCode": int}}],
                "backendRefs": [{"name!": str, "port": int}],
                "timeouts": {"request": re.compile(r"\d+(h|m|s|ms)")},
            }
        ],
    },
    ("policy.sigstore.dev/v1beta1", "ClusterImagePolicy"): {
        "images!": [{"glob!": str}],
        "authorities!": [{"name": str, "key!": {"data!": re.compile(r"-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/=\n]+\n-----END PUBLIC KEY-----\n")}}],
    },
    ("cert-manager.io/v1", "Issuer"): {"selfSigned": {}, "ca": {"secretName!": str}},
    ("cert-manager.io/v1", "Certificate"): {
        "secretName!": str,
        "commonName": str,
        "dnsNames": [str],
        "ipAddresses": [str],
        "isCA": bool,
        "duration": HOURS,
        "renewBefore": HOURS,
        "usages": [USAGE],
        "privateKey": {"algorithm": {"RSA", "ECDSA", "Ed25519"}, "size": int, "encoding": {"PKCS1", "PKCS8"}, "rotationPolicy": {"Never", "Always"}},
        "issuerRef!": {"name!": str, "kind": {"Issuer", "ClusterIssuer"}, "group": str},
    },
}


def of_cluster(kind):
    """Returns whether documents of this kind belong to the whole cluster. `Cluster` itself is a PostgreSQL cluster in a namespace."""
    return kind.startswith("Cluster") and kind != "Cluster"


def faults(document):
    """Returns the differences between a document of an operator's kind and the table."""
    kind = (document.get("apiVersion"), document.get("kind"))
    if kind not in KINDS:
        return [f"{kind[0]} {kind[1]} is not a kind of the table"]
    meta = CLUSTER_META if of_cluster(kind[1]) else META
    whole = {"apiVersion!": str, "kind!": str, "metadata!": meta, "spec!": KINDS[kind]}
    return list(differences(document, whole, ""))


def differences(value, wanted, where):
    if isinstance(wanted, dict):
        if not isinstance(value, dict):
            yield f"{where} is {value!r}, not fields"
        elif set(wanted) == {"*"}:
            for name, each in value.items():
                yield from differences(each, wanted["*"], f"{where}.{name}")
        else:
            yield from fields(value, wanted, where)
    elif isinstance(wanted, list):
        if not isinstance(value, list):
            yield f"{where} is {value!r}, not a list"
        for number, each in enumerate(value if isinstance(value, list) else []):
            yield from differences(each, wanted[0], f"{where}[{number}]")
    elif isinstance(wanted, set):
        if value not in wanted:
            yield f"{where} is {value!r}, not one of {sorted(wanted)}"
    elif isinstance(wanted, re.Pattern):
        if not isinstance(value, str) or not wanted.fullmatch(value):
            yield f"{where} is {value!r}, not like {wanted.pattern}"
    elif type(value) is not wanted:
        yield f"{where} is {value!r}, not a {wanted.__name__}"


def fields(value, wanted, where):
    known = {name.rstrip("!"): each for name, each in wanted.items()}
    for name in (name.rstrip("!") for name in wanted if name.endswith("!")):
        if name not in value:
            yield f"{where}.{name} is missing"
    for name, each in value.items():
        if name not in known:
            yield f"{where}.{name} is not a field of the table"
        else:
            yield from differences(each, known[name], f"{where}.{name}")
