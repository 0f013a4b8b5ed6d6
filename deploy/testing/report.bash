# shellcheck shell=bash
# What ran: counts of tests, seconds by part, and the slowest tests.

passed=0 failed=0 skipped=0
part_names=() part_seconds=()
not_kept=() # promises that do not hold

say() { printf '\n== %s\n' "$*"; }

# Makes the folder of this run, which goes away with it, and prints the report at the end however that comes.
# Memory holds the folder where there is room: a disk that still writes down what was compiled delays saves for longer
# than a call may take, which Patio then refuses. The promises are about disks as well.
start_report() {
  local place=/tmp free
  free=$(awk '/^MemAvailable/ {print $2}' /proc/meminfo 2>/dev/null || echo 0)
  if [ "${parts[0]}" != promises ] && [ "$free" -gt 8000000 ] && [ -w /dev/shm ] && ! grep -q " /dev/shm .*noexec" /proc/mounts &&
    [ "$(df --output=avail /dev/shm | tail -n 1)" -gt 4000000 ]; then
    place=/dev/shm
  fi
  work=$(mktemp -d "${TMPDIR:-$place}/patio-test.XXXXXX")
  chmod 755 "$work"
  export TMPDIR=$work # files that a test leaves behind are removed with the folder
  seconds_of_tests=$work/seconds.tsv
  : >"$seconds_of_tests"
  begun=$SECONDS
  trap 'end_report $?' EXIT
}

# Runs a command as a part of the report: its name, then the command.
part() {
  local name=$1 from=$SECONDS
  part_names+=("$name") part_seconds+=("$from") # the start until it has ended
  say "$name"
  "${@:2}"
  part_seconds[-1]=$((SECONDS - from))
  ended_parts=${#part_names[@]}
}
ended_parts=0

# Runs parts that make something (compile, pages), each once a run.
build() { # names of parts
  local name
  for name in "$@"; do
    [[ " ${part_names[*]} " = *" $name "* ]] || part "$name" "$name"
  done
}

clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

end_report() { # exit code
  local code=$1 n
  stop_servers
  if [ "$code" != 0 ] && compgen -G "$work/*.out" >/dev/null; then
    say "last lines of the servers"
    tail -n 15 "$work"/*.out
  fi
  say "time by part"
  # A part that failed has not ended.
  if [ "$ended_parts" -lt ${#part_names[@]} ]; then part_seconds[-1]=$((SECONDS - part_seconds[-1])); fi
  for n in "${!part_names[@]}"; do printf '%7s  %s\n' "$(clock "${part_seconds[$n]}")" "${part_names[$n]}"; done
  printf '%7s  total\n' "$(clock $((SECONDS - begun)))"
  if [ -s "$seconds_of_tests" ]; then
    say "ten slowest tests"
    sort -rn "$seconds_of_tests" | awk -F '\t' 'NR <= 10 {printf "%7.1f s  %s: %s\n", $1, $2, $3}'
  fi
  rm -rf "$work"
  echo
  [ ${#not_kept[@]} = 0 ] || printf 'does not hold: %s\n' "${not_kept[@]}"
  [ "$code" = 0 ] || echo "failed in: ${part_names[-1]:-the start}"
  echo "$passed passed, $failed failed, $skipped skipped"
  if [ "$failed" != 0 ] || [ ${#not_kept[@]} != 0 ]; then code=1; fi
  exit "$code"
}

# Adds the tests of a report in JSON, which deploy/testing/report.mjs reads: the part's name, the kind, the file.
count_json() {
  local ok bad off
  read -r ok bad off < <(node deploy/testing/report.mjs "$2" "$3" "$1" "$seconds_of_tests")
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + off))
}
