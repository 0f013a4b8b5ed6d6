#!/usr/bin/env python3
"""Measures what a save costs PostgreSQL with more and more vehicles and audit entries.

usage: scale.py URL DATABASE_URL SERVER_LOG VEHICLES:ENTRIES…

A Patio at URL, whose first supervisor has the password in PATIO_ADMIN_PASSWORD, runs on an empty database of a superuser. Each stage
fills the tables to its size by generate_series and then saves sixty vehicles. The plans of these saves come from SERVER_LOG, which
auto_explain writes as JSON; start Patio after `alter database … set session_preload_libraries = 'auto_explain'` and the settings
`log_min_duration = 0`, `log_analyze`, `log_buffers`, `log_wal`, `log_format = json` of auto_explain.
"""
import json, os, random, re, subprocess, sys, time, urllib.request

SAVES = 60
# Steps of the save that no other step reads; the plan does not add them to its total.
APART = {f"CTE {name}" for name in ("changed", "active", "stated", "audited", "kept")}
URL, DATABASE, LOG = sys.argv[1:4]
# Number of audit entries in a year: those of the last stage.
YEAR = max(int(float(sys.argv[-1].partition(":")[2])), 1)


def call(method, path, body, token=""):
    head = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), head, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def sql(statement):
    done = subprocess.run(["psql", DATABASE, "-Atqc", statement], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def fill_vehicles(number):
    there = int(sql("select count(*) from vehicle.vehicles where campaign_id > 1000"))
    while there < number:
        some, campaign, first = min(100_000, number - there), 1001 + there // 100_000, there % 100_000
        sql(f"""begin; insert into vehicle.campaigns (id, name, gate, revision, total, begun)
                values ({campaign}, 'bench {campaign}', 'open', 1, 100000, true) on conflict do nothing;
                insert into vehicle.vehicles (campaign_id, model_code, serial_number, vin_key, parking_space, yard_id, yard_group, walk_key,
                                              haystack, modified_at)
                select {campaign}, 'M{campaign}', n, 'M{campaign}' || n, 'A-' || i, 2, 'A', 'A' || n, 'm' || n, now()
                  from (select i, lpad(i::text, 7, '0') as n from generate_series({first} + 1, {first} + {some}) i) rows; commit""")
        there += some


def fill_entries(number):
    """Spreads the entries of the last stage over a year; one of twenty records access."""
    sql("select vehicle.create_audit_month((now() + make_interval(months => n))::date) from generate_series(0, 13) n")
    there = int(sql("select count(*) from vehicle.audit_events where summary = 'bench'"))
    while there < number:
        some = min(250_000, number - there)
        sql(f"""insert into vehicle.audit_events (at, user_id, role, kind, subject, summary, address, old_values, new_values)
                select now() + i * (interval '365 days' / {YEAR}), i % 50 + 1, 'op',
                       case when i % 20 = 0 then 'page-view' else 'vehicle-changed' end, 'vehicle ' || (i * 7919) % 100000, 'bench',
                       '192.0.2.1', '{{"status":""}}', '{{"status":"ok"}}' from generate_series({there}::bigint + 1, {there} + {some}) i""")
        there += some


def measure(token):
    """Returns the medians of blocks, records and bytes of the write-ahead log, and blocks read from disk or the system's cache."""
    ids = sql("select id from vehicle.vehicles where campaign_id > 1000 and id % 97 = 3 limit 200000").split()
    begin = os.path.getsize(LOG)
    for number in range(SAVES):
        call("PUT", f"/api/vehicles/{random.choice(ids)}", {"status": ["ok", "ng"][number % 2]}, token)
    time.sleep(1)
    with open(LOG, errors="replace") as log:
        log.seek(begin)
        plans = [json.loads(plan) for plan in re.findall(r"duration: [\d.]+ ms  plan:\n((?:\t.*\n)+)", log.read())]
    rows = []
    for plan in (plan for plan in plans if "numbered as" in plan["Query Text"]):
        parts = [plan["Plan"]] + [part for part in plan["Plan"].get("Plans", []) if part.get("Subplan Name") in APART]
        hit, read, records, size = (
            sum(part.get(key, 0) for part in parts) for key in ("Shared Hit Blocks", "Shared Read Blocks", "WAL Records", "WAL Bytes")
        )
        rows.append((hit + read, records, size, read))
    return [sorted(column)[len(rows) // 2] for column in zip(*rows)]


session = call("POST", "/api/sessions", {"hmc": "1000", "password": os.environ["PATIO_ADMIN_PASSWORD"]})
for stage in sys.argv[4:]:
    vehicles, entries = (int(float(part)) for part in stage.split(":"))
    fill_vehicles(vehicles)
    fill_entries(entries)
    sql("vacuum analyze vehicle.vehicles")
    sql("analyze vehicle.audit_events")
    print(stage, *measure(session["token"]), sql("select pg_size_pretty(pg_database_size(current_database()))"), flush=True)
