"""Checks the certificates between the programs.

Each program mounts its own certificate only, a service's certificate names the host of its URL, and the private key of the
authority reaches no pod.
"""
import json
import re
import urllib.parse

import shape

# Files that cert-manager writes into each Secret and PATIO_SERVICE_TLS expects in its folder.
FILES = {"tls.crt", "tls.key", "ca.crt"}
SERVER = {"digital signature", "server auth", "client auth"}
USAGES = {program: SERVER for program in shape.SERVICES} | {"gateway": {"digital signature", "client auth"}}
KEY = {"algorithm": "ECDSA", "size": 256, "encoding": "PKCS8"}
VALID_HOURS, RENEWED_BEFORE_HOURS = 90 * 24, 30 * 24


def by_name(documents, kind):
    return {document["metadata"]["name"]: document for document in documents if document["kind"] == kind}


def hours(duration):
    """Returns the hours of a duration such as `90h`, and 0 for another unit, which the schema check rejects."""
    return int(duration[:-1]) if re.fullmatch(r"\d+h", duration) else 0


def settings(container, documents):
    """Returns the variables of a container from ConfigMaps and its manifest, without Secrets, which contain no URL of a service."""
    maps = by_name(documents, "ConfigMap")
    names = [source["configMapRef"]["name"] for source in container.get("envFrom", []) if "configMapRef" in source]
    values = {key: value for name in names for key, value in maps[name]["data"].items()}
    return values | {variable["name"]: variable.get("value", "") for variable in container.get("env", [])}


def check_authority(check, example, certificates, issuers):
    """Checks that one authority signs all certificates, keeps its key at a renewal, and outlives its certificates. Returns its Secret."""
    authorities = [each["spec"] for each in certificates.values() if each["spec"].get("isCA")]
    check(len(authorities) == 1, f"{example}: {len(authorities)} authorities sign certificates between services")
    authority = authorities[0] if authorities else {}
    check("selfSigned" in issuers.get(authority.get("issuerRef", {}).get("name"), {}), f"{example}: the authority of services is not self-signed")
    check(authority.get("privateKey") == KEY | {"rotationPolicy": "Never"}, f"{example}: a renewed authority rejects certificates that are in use")
    check(hours(authority.get("renewBefore", "")) > VALID_HOURS, f"{example}: a certificate outlives its authority")
    for program in shape.PROGRAMS:
        name = certificates.get(program, {}).get("spec", {}).get("issuerRef", {}).get("name")
        signer = issuers.get(name, {}).get("ca", {}).get("secretName")
        check(signer and signer == authority.get("secretName"), f"{example}: the certificate of {program} is signed by {name}")
    return authority.get("secretName")


def check_certificate(check, example, program, certificate):
    """Checks that a program's certificate has its own key, the right usages, and names in its own namespace."""
    where, spec = f"{example}: the certificate of {program}", certificate.get("spec", {})
    check(set(spec.get("usages", [])) == USAGES[program], f"{where} is for {spec.get('usages')}")
    check(spec.get("privateKey") == KEY | {"rotationPolicy": "Always"}, f"{where} has a key of {spec.get('privateKey')}")
    times = (hours(spec.get("duration", "")), hours(spec.get("renewBefore", "")))
    check(times == (VALID_HOURS, RENEWED_BEFORE_HOURS), f"{where} is valid for and renewed before {times} hours")
    check(not spec.get("isCA"), f"{where} may sign others")
    odd = [name for name in spec.get("dnsNames", []) if name not in (program, f"{program}.{certificate['metadata']['namespace']}.svc")]
    check(not odd, f"{where} names {odd}")


def check_urls(check, example, what, variables, certificates):
    """Checks that a program has PATIO_SERVICE_TLS and calls each service by https with a host named in the service's certificate."""
    check(variables.get("PATIO_SERVICE_TLS"), f"{example}: {what} does not set PATIO_SERVICE_TLS and uses no TLS")
    for service in shape.SERVICES:
        names = certificates.get(service, {}).get("spec", {}).get("dnsNames", [])
        for url in variables.get(f"PATIO_{service.split('-')[0].upper()}_URL", "").split(","):
            parts = urllib.parse.urlsplit(url)
            check(parts.scheme == "https", f"{example}: {what} calls {service} at {url or 'no URL'}, without TLS")
            check(parts.hostname in names, f"{example}: {what} calls {service} at {url}, and its certificate names {names}")


def check_mount(check, example, what, spec, secret, folder):
    """Checks that the Secret is mounted as a folder with exactly the three files, readable for the program's user."""
    where, container = f"{example}: {what}", spec["containers"][0]
    volume = next((each for each in spec.get("volumes", []) if each.get("secret", {}).get("secretName") == secret), {"name": "", "secret": {}})
    check({item["key"] for item in volume["secret"].get("items", []) if item["key"] == item["path"]} == FILES, f"{where} has other files than {sorted(FILES)}")
    check(volume["secret"].get("defaultMode") == 0o440 and spec["securityContext"].get("fsGroup") == 10001, f"{where} cannot read its key, or others can")
    mounts = [mount for mount in container.get("volumeMounts", []) if mount["name"] == volume["name"]]
    # A subPath mount would keep the old file after a renewal.
    held = len(mounts) == 1 and mounts[0].get("readOnly") and "subPath" not in mounts[0]
    check(held and mounts[0]["mountPath"] == folder, f"{where} looks for its certificate in {folder}, which is mounted at {mounts}")


def check_secrets(check, example, documents, certificates, authority):
    """Checks that each pod mounts its own certificate at most, and no pod the Secret of the authority."""
    secrets = {each["spec"]["secretName"]: name for name, each in certificates.items()}
    check(len(secrets) == len(certificates), f"{example}: two certificates share a Secret")
    for document in documents:
        if document["kind"] in {"Certificate", "Issuer"}:
            continue
        what = f"{document['kind']} {document['metadata']['name']}"
        text = json.dumps(document)
        used = {secret for secret in secrets if f'"{secret}"' in text}
        check(authority not in used, f"{example}: {what} is given the private key of the authority")
        own = {"Deployment " + secrets[secret] for secret in used - {authority}}
        expected = {what} if document["kind"] == "Deployment" and document["metadata"]["name"] in shape.PROGRAMS else set()
        check(own == expected, f"{example}: {what} mounts the certificates of {sorted(own)}")


def check_probes(check, example, documents):
    """Checks that no probe uses gRPC: the kubelet's gRPC probe supports no TLS and would never find a service ready."""
    for document in (each for each in documents if each["kind"] in shape.WORKLOADS):
        for container in document["spec"]["template"]["spec"]["containers"]:
            probes = [kind for kind in ["startupProbe", "readinessProbe", "livenessProbe"] if "grpc" in container.get(kind, {})]
            check(not probes, f"{example}: {document['kind']} {document['metadata']['name']}: {probes} speak gRPC without TLS")


def check_alert(check, example, documents):
    """Checks that the alert fires only when a renewal is overdue."""
    rules = [rule for each in by_name(documents, "PrometheusRule").values() for group in each["spec"]["groups"] for rule in group["rules"]]
    for rule in (rule for rule in rules if "patio_service_certificate_expires" in rule["expr"]):
        days = re.search(r"< (\d+) \* 86400", rule["expr"])
        check(days and int(days[1]) * 24 < RENEWED_BEFORE_HOURS, f"{example}: {rule['alert']} fires before a certificate is renewed")


def check_certificates(check, example, documents):
    certificates = by_name(documents, "Certificate")
    issuers = {name: each["spec"] for name, each in by_name(documents, "Issuer").items()}
    authority = check_authority(check, example, certificates, issuers)
    check_secrets(check, example, documents, certificates, authority)
    check_probes(check, example, documents)
    check_alert(check, example, documents)
    for program in shape.PROGRAMS:
        check(program in certificates, f"{example}: {program} has no certificate")
        spec = by_name(documents, "Deployment")[program]["spec"]["template"]["spec"]
        variables = settings(spec["containers"][0], documents)
        check_urls(check, example, f"Deployment {program}", variables, certificates)
        if program in certificates:
            check_certificate(check, example, program, certificates[program])
            check_mount(check, example, f"Deployment {program}", spec, certificates[program]["spec"]["secretName"], variables.get("PATIO_SERVICE_TLS"))
