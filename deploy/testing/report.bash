# shellcheck shell=bash
# Counts tests, measures parts, and prints the report with the slowest tests.

passed=0 failed=0 skipped=0
part_names=() part_seconds=()
not_kept=() # long tests that failed

say() { printf '\n== %s\n' "$*"; }

# Creates the temporary folder of this run, and prints the report and removes the folder at the end, also after a failure.
# The folder is in memory if there is room: a disk that still writes the build output delays saves beyond their deadline. The long
# tests (promises) use the disk, because they test it.
start_report() {
  local place=/tmp free
  free=$(awk '/^MemAvailable/ {print $2}' /proc/meminfo 2>/dev/null || echo 0)
  if [ "${parts[0]}" != promises ] && [ "$free" -gt 8000000 ] && [ -w /dev/shm ] && ! grep -q " /dev/shm .*noexec" /proc/mounts &&
    [ "$(df --output=avail /dev/shm | tail -n 1)" -gt 4000000 ]; then
    place=/dev/shm
  fi
  work=$(mktemp -d "${TMPDIR:-$place}/patio-test.XXXXXX")
  chmod 755 "$work"
  export TMPDIR=$work # leftover files of tests are removed with the folder
  seconds_of_tests=$work/seconds.tsv
  failures=$work/failures.txt # messages of failed tests
  : >"$seconds_of_tests" >"$failures"
  begun=$SECONDS
  trap 'end_report $?' EXIT
}

# Runs a command as a named part of the report.
part() {
  local name=$1 from=$SECONDS
  part_names+=("$name") part_seconds+=("$from") # holds the start time until the part has ended
  say "$name"
  "${@:2}"
  part_seconds[-1]=$((SECONDS - from))
  ended_parts=${#part_names[@]}
}
ended_parts=0

# Starts parts in the background, with a niceness (0 for the priority of the foreground). Their output goes to a file until
# `join_background` prints the file.
background() { # name, niceness, functions that run parts
  local name=$1 run
  (
    [ "$2" = 0 ] || renice -n "$2" "$BASHPID" >/dev/null
    part_names=() part_seconds=() ended_parts=0 passed=0 failed=0 skipped=0 started=() servers=()
    trap "end_background '$name'" EXIT # expanded here: parts have variables of the same name
    for run in "${@:3}"; do "$run"; done
  ) >"$work/background-$name.log" 2>&1 &
  background_names+=("$name") background_pids+=($!)
}
background_names=() background_pids=()

# Stops the programs that background parts have started, and writes the counts and the seconds of these parts to a file.
end_background() { # name
  local pid n
  for pid in "${started[@]}" "${servers[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  if [ "$ended_parts" -lt ${#part_names[@]} ]; then part_seconds[-1]=$((SECONDS - part_seconds[-1])); fi
  {
    echo "$passed $failed $skipped"
    for n in "${!part_names[@]}"; do printf '%s\t%s\n' "${part_seconds[$n]}" "${part_names[$n]}"; done
  } >"$work/background-$1.counts"
}

# Waits for background parts, prints their output and adds their counts to the report. Fails when one of them has failed.
join_background() { # names; all without a name
  local n name ok bad off seconds code=0
  for n in "${!background_names[@]}"; do
    name=${background_names[$n]}
    [[ $# = 0 || " $* " = *" $name "* ]] || continue
    tail -n +1 -f --pid="${background_pids[$n]}" "$work/background-$name.log"
    wait "${background_pids[$n]}" || { code=$?; failed_in+=" $name"; }
    {
      read -r ok bad off
      passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + off))
      while IFS=$'\t' read -r seconds name; do part_names+=("$name") part_seconds+=("$seconds"); done
    } <"$work/background-${background_names[$n]}.counts"
    unset "background_names[$n]" "background_pids[$n]"
  done
  ended_parts=${#part_names[@]}
  return $code
}
failed_in="" # names of failed background parts

# Runs build parts (compile, pages), each at most once in a run.
built=()
build() { # names of parts
  local name
  for name in "$@"; do
    [[ " ${built[*]} " = *" $name "* ]] || part "$name" "$name"
    built+=("$name")
  done
}

clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

end_report() { # exit code
  local code=$1 n pid
  # The last part may have failed and has no duration yet.
  if [ "$ended_parts" -lt ${#part_names[@]} ]; then part_seconds[-1]=$((SECONDS - part_seconds[-1])); fi
  if [ "$code" != 0 ] && [ -z "$failed_in" ]; then failed_in=" ${part_names[-1]:-the start}"; fi
  # After a failure, background parts that have ended are still reported.
  for n in "${!background_names[@]}"; do
    if [ -e "$work/background-${background_names[$n]}.counts" ]; then join_background "${background_names[$n]}" || true; fi
  done
  for pid in "${background_pids[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  stop_servers
  if [ "$code" != 0 ] && compgen -G "$work/*.out" >/dev/null; then
    say "last lines of the servers"
    tail -n 15 "$work"/*.out
  fi
  if [ -s "$failures" ]; then
    say "failed tests"
    cat "$failures"
  fi
  say "time by part"
  for n in "${!part_names[@]}"; do printf '%7s  %s\n' "$(clock "${part_seconds[$n]}")" "${part_names[$n]}"; done
  printf '%7s  total\n' "$(clock $((SECONDS - begun)))"
  if [ -s "$seconds_of_tests" ]; then
    say "ten slowest tests"
    sort -rn "$seconds_of_tests" | awk -F '\t' 'NR <= 10 {printf "%7.1f s  %s: %s\n", $1, $2, $3}'
  fi
  rm -rf "$work"
  echo
  [ ${#not_kept[@]} = 0 ] || printf 'does not hold: %s\n' "${not_kept[@]}"
  [ "$code" = 0 ] || echo "failed in:$failed_in"
  echo "$passed passed, $failed failed, $skipped skipped"
  if [ "$failed" != 0 ] || [ ${#not_kept[@]} != 0 ]; then code=1; fi
  exit "$code"
}

# Adds the counts of a report, read by deploy/testing/report.mjs; arguments: name of the part, kind, file.
count_report() {
  local ok bad off
  read -r ok bad off < <(node deploy/testing/report.mjs "$2" "$3" "$1" "$seconds_of_tests" "$failures")
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + off))
}
