"""Checks that several Patios can live in one cluster, each in its own namespace: nothing of one belongs to, selects or overwrites
anything of another."""
import chart
import kinds

NAMESPACES = ["yard-north", "yard-south"]


def identity(document):
    return document["apiVersion"].split("/")[0], document["kind"], document["metadata"].get("namespace"), document["metadata"]["name"]


def selectors(value):
    """Yields each namespaceSelector below a value, as `(path, selector)`."""
    if isinstance(value, list):
        for each in value:
            yield from selectors(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name == "namespaceSelector":
                yield each
            else:
                yield from selectors(each)


def is_of_cluster(selector, shared):
    """Returns whether a namespaceSelector names only namespaces that all Patios share, such as that of the proxy."""
    labels = selector.get("matchLabels", {})
    return set(selector) == {"matchLabels"} and set(labels) == {"kubernetes.io/metadata.name"} and set(labels.values()) <= shared


def check_two_patios(check, example):
    """Checks one example of values, installed twice with different hosts."""
    north, south = (
        chart.documents(chart.merged(chart.given(example), {"route": {"host": f"{namespace}.example"}}), namespace) for namespace in NAMESPACES
    )
    for own, other, documents in [(*NAMESPACES, north), (*reversed(NAMESPACES), south)]:
        for document in documents:
            what = f"{example}: {document['kind']} {document['metadata']['name']}"
            # What belongs to the whole cluster has the namespace in its name.
            if kinds.of_cluster(document["kind"]):
                check(document["metadata"]["name"] == f"patio-{own}", f"{what} does not have the namespace of its Patio in its name")
            else:
                check(document["metadata"].get("namespace") == own, f"{what} is not in the namespace of its Patio")
            check(other not in str(document), f"{what} of {own} mentions {other}")
    both = {identity(document) for document in north} & {identity(document) for document in south}
    check(not both, f"{example}: both Patios have {sorted(both)}")
    values = chart.values(example)
    shared = {values["route"]["proxyNamespace"], values["monitoring"]["namespace"], values["tracing"]["namespace"]}
    shared |= {values["postgres"]["operatorNamespace"], values["network"]["dns"]["namespace"]}
    for document in north:
        for selector in selectors(document):
            check(is_of_cluster(selector, shared), f"{example}: {document['kind']} {document['metadata']['name']} selects namespaces by {selector}")
    folders = [{d["spec"]["configuration"]["destinationPath"] for d in documents if d["kind"] == "ObjectStore"} for documents in (north, south)]
    check(not folders[0] & folders[1], f"{example}: both Patios write their backups to {sorted(folders[0] & folders[1])}")


def check_tenants(check):
    for example in chart.EXAMPLES:
        check_two_patios(check, example)
