"""Compares the connections that the network policies allow with the table of connections that Patio needs.

All allowed connections from and to each pod are computed from the policies. A connection between two pods has to be allowed at
both ends.
"""
WORKLOADS = {"Deployment", "StatefulSet"}
SERVICES = ["auth-svc", "campaign-svc", "vehicle-svc", "import-svc"]
PROGRAMS = [*SERVICES, "gateway"]

# Needed connections as source, destination and port. A group stands for each of its members; a namespace or network stands for
# endpoints that are not pods of Patio.
GROUPS = {"SERVICES": SERVICES, "PROGRAMS": PROGRAMS, "CACHING": SERVICES[1:]}
BASE = """
gateway        auth-svc      50051
gateway        campaign-svc  50052
gateway        vehicle-svc   50053
gateway        import-svc    50054
campaign-svc   auth-svc      50051
campaign-svc   vehicle-svc   50053
vehicle-svc    auth-svc      50051
vehicle-svc    campaign-svc  50052
import-svc     auth-svc      50051
import-svc     campaign-svc  50052
import-svc     vehicle-svc   50053
"""
OWN_STORES = """
SERVICES       patio-db        5432
patio-db       patio-db        5432
patio-db       patio-db        8000
cnpg-system    patio-db        5432
cnpg-system    patio-db        8000
patio-db       anywhere        443
patio-db       anywhere        6443
auth-svc       redis-lockouts  6379
CACHING        redis-cache     6379
"""
STORES_OUTSIDE = """
SERVICES       10.100.0.0/16   5432
SERVICES       10.100.0.0/16   6379
"""
PROXIED = "envoy-gateway-system gateway 8080"
INGRESS = "ingress-nginx gateway 8080"
# Pods of cert-manager that answer the challenge of the host's certificate.
CHALLENGED = "envoy-gateway-system solver 8089"
INGRESS_CHALLENGED = "ingress-nginx solver 8089"
WATCHED = "monitoring PROGRAMS 9090"
DATABASE_WATCHED = "monitoring patio-db 9187"
TRACED = "PROGRAMS observability 4317"
NEEDED = {
    "small": [BASE, PROXIED, CHALLENGED, OWN_STORES],
    "production": [BASE, PROXIED, STORES_OUTSIDE, WATCHED, TRACED],
    "production, signed": [BASE, PROXIED, STORES_OUTSIDE, WATCHED, TRACED],
    "small, watched": [BASE, PROXIED, CHALLENGED, OWN_STORES, WATCHED, DATABASE_WATCHED],
    "small, Ingress": [BASE, INGRESS, INGRESS_CHALLENGED, OWN_STORES],
}


def pods(documents):
    """Returns the labels of each pod by the name of its workload, with the pods that operators create in the namespace."""
    found = {}
    for document in documents:
        name = document["metadata"]["name"]
        if document["kind"] in WORKLOADS:
            found[name] = document["spec"]["template"]["metadata"]["labels"]
        elif document["kind"] == "Cluster":
            found[name] = {"cnpg.io/cluster": name}
        elif any(key.startswith("cert-manager.io/") for key in document["metadata"].get("annotations", {})):
            found["solver"] = {"acme.cert-manager.io/http01-solver": "true"}
    return found


def selects(selector, labels):
    """Whether a selector of labels means these; an operator it does not know it takes for a mistake."""
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    for expression in selector.get("matchExpressions") or []:
        among = labels.get(expression["key"]) in expression["values"]
        if among != {"In": True, "NotIn": False}[expression["operator"]]:
            return False
    return True


def ends(peers, all_pods):
    """The names of those a rule means."""
    if peers is None:
        return ["anywhere"]
    found = []
    for peer in peers:
        if "ipBlock" in peer:
            found.append(peer["ipBlock"]["cidr"])
        elif "namespaceSelector" in peer:
            inside = (peer.get("podSelector") or {}).get("matchLabels", {})
            namespace = peer["namespaceSelector"].get("matchLabels", {}).get("kubernetes.io/metadata.name", "any namespace")
            found.append("/".join([namespace, *inside.values()]))
        else:
            found += [name for name, labels in all_pods.items() if selects(peer["podSelector"], labels)]
    return found


def ports(rule):
    return [f"{each['port']}" + ("/UDP" if each.get("protocol") == "UDP" else "") for each in rule.get("ports") or [{"port": "any"}]]


def opened(documents):
    """Returns all allowed connections, and those between pods that are allowed at one end only."""
    all_pods = pods(documents)
    out, into = set(), set()
    for policy in (document["spec"] for document in documents if document["kind"] == "NetworkPolicy"):
        for name in (name for name, labels in all_pods.items() if selects(policy["podSelector"], labels)):
            if "Egress" in policy["policyTypes"]:
                out |= {(name, end, port) for rule in policy.get("egress") or [] for end in ends(rule.get("to"), all_pods) for port in ports(rule)}
            if "Ingress" in policy["policyTypes"]:
                into |= {(end, name, port) for rule in policy.get("ingress") or [] for end in ends(rule.get("from"), all_pods) for port in ports(rule)}
    inside = {way for way in out | into if way[0] in all_pods and way[1] in all_pods}
    return (out | into) - inside | (inside & out & into), inside - (out & into)


def needed(example, documents):
    """Returns all needed connections of an example, with DNS for every pod."""
    ways = {(name, "kube-system/kube-dns", port) for name in pods(documents) for port in ["53", "53/UDP"]}
    for line in (line.split() for part in NEEDED[example] for line in part.strip().splitlines()):
        who, whom, port = line
        ways |= {(one, other, port) for one in GROUPS.get(who, [who]) for other in GROUPS.get(whom, [whom])}
    return ways


def unguarded(documents):
    """Yields pods and directions without any policy, in which all traffic is allowed."""
    policies = [document["spec"] for document in documents if document["kind"] == "NetworkPolicy"]
    for name, labels in pods(documents).items():
        for direction in ["Ingress", "Egress"]:
            if not any(selects(policy["podSelector"], labels) and direction in policy["policyTypes"] for policy in policies):
                yield f"{name}: {direction}"
