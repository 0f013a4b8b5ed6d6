# shellcheck shell=bash
# Lints the contracts, and tests gateway/openapi.json against a running Patio.

# Creates a virtual environment with Python packages.
python_with() { # folder, packages
  python3 -m venv "$1"
  "$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}

check_contract() {
  npm_ci deploy/contract
  deploy/contract/lint
  passed=$((passed + 1))
  python_with "$work/schemathesis" schemathesis==4.32.5
  export PATIO_ADMIN_HMC=1000 PATIO_ADMIN_PASSWORD=a-first-password PATIO_SIGN_IN_BURST=100000
  local port admin
  port=$(free_port) admin=$(free_port)
  export PATIO_TEST_URL="http://127.0.0.1:$port"
  start contract env PATIO_LOG=warn PATIO_LISTEN="127.0.0.1:$port" PATIO_METRICS_LISTEN="127.0.0.1:$admin" PATIO_DATA_DIR="$work/contract" target/debug/patio --demo
  wait_until_ready "http://127.0.0.1:$admin"
  deploy/contract/check "$work/schemathesis/bin/schemathesis"
  passed=$((passed + 1))
  stop
}

contract() {
  build compile pages
  part "contract" check_contract
}
