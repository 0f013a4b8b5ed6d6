# shellcheck shell=bash
# Runs the browser tests against the real programs.

browse() { # name of the part, then Playwright's arguments
  local code=0
  (cd web && PLAYWRIGHT_JSON_OUTPUT_NAME="$work/$1.json" npx playwright test --reporter=list,json "${@:2}") || code=$?
  count_report "$1" playwright "$work/$1.json"
  return $code
}

start_one_process() { # name of the part, then environment variables
  local port admin
  port=$(free_port) admin=$(free_port)
  export PATIO_TEST_URL="http://127.0.0.1:$port"
  start "$1" env "${@:2}" PATIO_LISTEN="127.0.0.1:$port" PATIO_METRICS_LISTEN="127.0.0.1:$admin" PATIO_DATA_DIR="$work/$1" target/debug/patio
  wait_until_ready "http://127.0.0.1:$admin"
}

one_process() { # name of the part, Playwright's arguments as one word, then environment variables
  start_one_process "$1" "${@:3}"
  # shellcheck disable=SC2086 # a list of arguments
  browse "$1" $2
  stop
}

# Sets `confined` to the command that restricts a program like its pod, if this user may create mounts.
confine() {
  confined=()
  if ! deploy/confined --can; then
    echo "the five programs run unconfined, on this machine's own root"
    return
  fi
  confined=(deploy/confined)
  refused "Read-only file system" deploy/confined touch /outside
  refused "Read-only file system" deploy/confined --bring web/dist:/web touch /web/outside
  refused "Read-only file system" deploy/confined --job touch /tmp/outside
  refused "No such file" deploy/confined cat "$PWD/Cargo.toml"
  refused "No such file" deploy/confined env sh -c true
  refused "Read-only file system" env -u PATIO_DATABASE_URL PATIO_SEPARATE_SQLITE=true deploy/confined target/debug/auth-svc migrate --data-dir /data
  deploy/confined touch /tmp/inside
  export PATIO_DATA_DIR=/tmp PATIO_TEMP_DIR=/tmp PATIO_WEB_DIR=/web
  for service in auth campaign vehicle import; do deploy/confined --job "target/debug/$service-svc" migrate; done
}

refused() { # expected words of the error, then the command
  local output
  if output=$("${@:2}" 2>&1) || [[ "$output" != *"$1"* ]]; then
    echo "not refused with \"$1\": ${*:2}: $output" >&2
    return 1
  fi
  passed=$((passed + 1))
}

five_processes() {
  local port admin service confined pid
  export PATIO_REDIS_URL=$PATIO_TEST_REDIS/2 PATIO_SERVICE_SECRET=shared-by-all-five
  PATIO_DATABASE_URL=$(new_database five)
  export PATIO_DATABASE_URL
  confine
  declare -A ports
  for service in auth campaign vehicle import; do
    ports[$service]=$(free_port)
    export "PATIO_${service^^}_URL=http://127.0.0.1:${ports[$service]}"
  done
  port=$(free_port) admin=$(free_port)
  export PATIO_TEST_URL="http://127.0.0.1:$port"
  local gateway=("${confined[@]}")
  [ ${#confined[@]} = 0 ] || gateway+=(--bring web/dist:/web)
  start gateway env PATIO_LISTEN="127.0.0.1:$port" PATIO_METRICS_LISTEN="127.0.0.1:$admin" "${gateway[@]}" target/debug/gateway serve
  for service in auth campaign vehicle import; do
    start "$service-svc" env PATIO_LISTEN="127.0.0.1:${ports[$service]}" "${confined[@]}" "target/debug/$service-svc" serve
  done
  wait_until_ready "http://127.0.0.1:$admin"
  if [ ${#confined[@]} != 0 ]; then
    for pid in "${started[@]}"; do deploy/confined --judge "$pid"; done
    passed=$((passed + ${#started[@]}))
  fi
  browse "e2e-five-processes" main-job -g "at 390"
  stop
  unset PATIO_DATABASE_URL PATIO_REDIS_URL PATIO_SERVICE_SECRET PATIO_DATA_DIR PATIO_TEMP_DIR PATIO_WEB_DIR
}

e2e_environment() {
  export PATIO_ADMIN_HMC=1000 PATIO_ADMIN_PASSWORD=a-first-password PATIO_SIGN_IN_BURST=1000
  export PATIO_DEVELOPER_HMC=DEV0 PATIO_DEVELOPER_PASSWORD=a-developer-password
  # Playwright's own requests reuse a connection just when the gateway closes it as idle. Browsers send such a request again.
  export PATIO_HEADER_TIMEOUT_SECONDS=300
}

e2e() {
  build compile pages
  e2e_environment
  part "e2e: one process, SQLite" start_one_process e2e-sqlite
  part "e2e: all screens" browse e2e-screens --project=screens
  join_background # the timed tests run alone
  part "e2e: timed lists" browse e2e-timed --project=timed --no-deps
  stop
  part "e2e: one process, PostgreSQL and Redis" one_process e2e-postgres "main-job -g 390" \
    PATIO_DATABASE_URL="$(new_database one)" PATIO_REDIS_URL="$PATIO_TEST_REDIS/1"
  part "e2e: five processes, PostgreSQL and Redis" five_processes
  # The table also names unit tests, whose results exist only after a run of all parts.
  if [ -e "$work/vitest.json" ]; then part "coverage" node web/tools/coverage.mjs "e2e=$work/e2e-screens.json" "e2e=$work/e2e-timed.json" "unit=$work/vitest.json"; fi
}
