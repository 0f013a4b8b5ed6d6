# shellcheck shell=bash
# Installs missing packages, and starts and stops the servers that the tests use.

started=() # process ids of programs of the current part
servers=() # process ids of servers that all parts share

as_server() { if [ "$(id -u)" = 0 ]; then setpriv --reuid postgres --regid postgres --clear-groups "$@"; else "$@"; fi; }
find_postgres() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; }

# Prints a free port below the ephemeral range, so that no other program is assigned it in the meantime.
free_port() {
  node -e 'const s=require("net").createServer(),listen=()=>s.listen(10000+Math.floor(Math.random()*20000),"127.0.0.1");
    s.on("error",listen).on("listening",()=>{console.log(s.address().port);s.close()});listen()'
}

install_missing() {
  local missing=() tool
  for tool in cargo node npm; do command -v $tool >/dev/null || { echo "missing: $tool" >&2; exit 1; }; done
  [ -x "$(find_postgres)/initdb" ] || missing+=(postgresql)
  command -v redis-server >/dev/null || missing+=(redis-server)
  command -v age >/dev/null || missing+=(age)
  command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
  [ "$(uname)" != Linux ] || command -v strace >/dev/null || missing+=(strace)
  [ "$(uname)" != Linux ] || command -v systemd-analyze >/dev/null || missing+=(systemd)
  for tool in chromium chromium-headless-shell; do
    command -v $tool >/dev/null || [ -n "${CHROMIUM:-}" ] || missing+=($tool)
  done
  install_packages "${missing[@]}"
}

# Installs Debian packages as root, and names them otherwise.
install_packages() { # names
  [ $# != 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    echo "missing: $*; install them with: sudo apt-get install $*" >&2
    exit 1
  fi
  echo "installing $*"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

start_servers() {
  start_redis
  start_postgres
}

start_postgres() {
  local port
  pg=$(find_postgres)
  port=$(free_port)
  install -d -m 700 "$work/pg"
  [ "$(id -u)" != 0 ] || chown postgres: "$work/pg"
  as_server "$pg/initdb" -D "$work/pg" -A trust -U patio -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  as_server "$pg/pg_ctl" -D "$work/pg" -w -l "$work/pg/log" \
    -o "-p $port -h 127.0.0.1 -k $work/pg -c max_connections=400 -c fsync=off -c full_page_writes=off" start >/dev/null
  export PATIO_TEST_POSTGRES="postgres://patio@127.0.0.1:$port/postgres"
  export PATIO_ALLOW_DATA_LOSS=true # this PostgreSQL runs without fsync
}

start_redis() {
  local port
  port=$(free_port)
  redis-server --port "$port" --bind 127.0.0.1 --save '' --dir "$work" >"$work/redis.out" 2>&1 &
  servers+=($!)
  export PATIO_TEST_REDIS="redis://127.0.0.1:$port"
}

stop_servers() {
  local pid
  for pid in "${started[@]}" "${servers[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  [ ! -d "$work/pg" ] || as_server "$pg/pg_ctl" -D "$work/pg" -m immediate stop >/dev/null 2>&1 || true
  for pid in "${started[@]}" "${servers[@]}"; do wait "$pid" 2>/dev/null || true; done
}

# Creates a database of this name and prints its URL.
new_database() {
  as_server "$pg/psql" -q -h 127.0.0.1 -d "$PATIO_TEST_POSTGRES" -c "create database $1" >/dev/null
  echo "${PATIO_TEST_POSTGRES%/*}/$1"
}

# Starts a program in the background; its output goes to the file NAME.out.
start() { # name, command
  "${@:2}" >"$work/$1.out" 2>&1 &
  started+=($!)
}

# Stops all started programs in the order of their start; each must exit with 0.
stop() {
  local pid
  for pid in "${started[@]}"; do
    kill -INT "$pid"
    if ! wait "$pid"; then
      echo "a server did not end with exit code 0" >&2
      return 1
    fi
  done
  started=()
}

# Waits until a Patio is ready and reaches all of its services.
wait_until_ready() { # URL of the admin port of the gateway, or of the one process
  for _ in $(seq 600); do
    if node -e 'const at=process.argv[1]+"/readyz",ok=async u=>(await fetch(u)).ok;
      (async()=>await ok(at)&&await ok(at+"/services"))().then(r=>process.exit(r?0:1),()=>process.exit(1))' "$1"; then return 0; fi
    sleep 0.05
  done
  echo "not ready: $1" >&2
  return 1
}
