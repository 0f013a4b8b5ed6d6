"""Runs the unit tests of the alerts and the dashboard with promtool: each alert fires when it must and only then, and each
panel shows data for the metrics that the programs report.

A well-formed rule can be unable to fire: dividing two metrics with different labels gives no result.
"""
import json
import pathlib
import subprocess
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
TESTS = {"patio": HERE / "alerts.test.yaml", "patio-db": HERE / "alerts-postgres.test.yaml"}


def run(promtool, *arguments, folder):
    try:
        done = subprocess.run([pathlib.Path(promtool).resolve(), *arguments], capture_output=True, text=True, cwd=folder)
    except OSError as cause:
        return False, str(cause)
    return done.returncode == 0, (done.stdout + done.stderr).strip()


def panels():
    boards = [json.loads(path.read_text()) for path in sorted((HERE / "patio/files").glob("dashboard*.json"))]
    return [(panel["title"], target["expr"]) for board in boards for panel in board["panels"] for target in panel["targets"]]


def shown(series):
    """Returns a promtool test that each panel's expression has a result for these series."""
    chosen = [expression.replace("$namespace", ".*") for _, expression in panels()]
    found = [{"expr": f"vector(1) and on () count({expression})", "eval_time": "10m", "exp_samples": [{"labels": "{}", "value": 1}]} for expression in chosen]
    return {"interval": "1m", "input_series": series, "promql_expr_test": found}


def tried(tests, alert, comes):
    """Returns whether some test expects the alert to fire, or expects it not to."""
    return any(bool(case["exp_alerts"]) == comes for test in tests for case in test.get("alert_rule_test", []) if case["alertname"] == alert)


def check_rules(check, promtool, document):
    name, groups = document["metadata"]["name"], document["spec"]["groups"]
    suite = yaml.safe_load(TESTS[name].read_text())
    for alert in (rule["alert"] for group in groups for rule in group["rules"]):
        for comes in [True, False]:
            check(tried(suite["tests"], alert, comes), f"{TESTS[name].name}: nothing tries that {alert} {'comes' if comes else 'stays away'}")
    if name == "patio":
        suite["tests"].append(shown(suite["tests"][0]["input_series"]))
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "rules.yaml").write_text(yaml.safe_dump({"groups": groups}))
        pathlib.Path(folder, "tests.yaml").write_text(yaml.safe_dump(suite | {"rule_files": ["rules.yaml"]}))
        for arguments in [("check", "rules", "rules.yaml"), ("test", "rules", "tests.yaml")]:
            holds, output = run(promtool, *arguments, folder=folder)
            check(holds, f"{name}: promtool {' '.join(arguments[:2])}: {output}")
