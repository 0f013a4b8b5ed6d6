# shellcheck shell=bash
# Runs the long tests that deploy/bench/README.md lists.

tried=()

promise() { # name, the variable that selects the long form, then cargo's arguments
  local name=$1 long=$2 code=0 before=$passed output=$work/promise.log
  shift 2
  [[ " ${arguments[*]} " = *" $name "* || ${#arguments[@]} = 0 ]] || return 0
  tried+=("$name")
  say "$name"
  env "$long" cargo test --locked "$@" -- --nocapture 2>&1 | tee "$output" |
    { grep -E '^test |[0-9]+ of [0-9]+|AUC|verified|result: [^.]*FAILED|panicked|p99|[0-9] ms|^error' || true; } || code=${PIPESTATUS[0]}
  log=$output
  count_rust
  if [ "$code" != 0 ]; then
    # The filter above prints lines of tests only; a compiler error needs the end of the log.
    grep -q '^test result:' "$output" || tail -n 30 "$output"
    not_kept+=("$name (exit code $code of cargo test $*)")
  elif [ "$passed" = "$before" ]; then
    not_kept+=("$name (no test ran of cargo test $*)")
  fi
}

all_promises() {
  cargo build --locked --workspace --quiet
  # The restore is measured with release builds.
  if [[ " ${arguments[*]} " = *" E9 "* || ${#arguments[@]} = 0 ]]; then cargo build --locked --release --workspace --quiet; fi
  promise A1 PATIO_TEST_ROUNDS=50 -p auth-svc --test auth exactly_five
  promise A2 PATIO_TEST_LONG=1 -p auth-svc --test auth a_block_lasts
  promise A4 PATIO_TEST_LONG=1 -p auth-svc --test auth response_times
  promise A6 PATIO_TEST_ROUNDS=100 -p auth-svc --test auth crashes
  promise D3 PATIO_TEST_LONG=1 -p import-svc --test imports fuzzing::
  promise D9 PATIO_TEST_ROUNDS=200000 -p auth-svc --test auth flood
  promise D9 PATIO_TEST_ROUNDS=200000 -p patio --test patio floods
  promise D10 PATIO_TEST_LONG=1 --release -p vehicle-svc --test vehicle search
  promise E1 PATIO_TEST_LONG=1 -p patio --test patio a_kill_during_saves
  promise E2 PATIO_TEST_ROUNDS=1000 -p patio --test patio flushed_before_its_response
  promise E3 PATIO_TEST_ROUNDS=1000 -p patio --test patio saves_of_one_version
  promise E4 PATIO_TEST_LONG=50 -p patio --test patio kills::
  promise E8 PATIO_TEST_ROUNDS=1000 -p patio --test patio concurrent_writers
  promise E9 PATIO_TEST_LONG=1 --release -p patio --test patio every_row
  promise F1 PATIO_TEST_LONG=1 -p patio --test patio restarted_killed
  promise F10 PATIO_TEST_LONG=1 -p patio --test patio processes_start_in_any_order
  promise F11 PATIO_TEST_LONG=1 -p patio --test patio patroni
  promise F9 PATIO_TEST_ROUNDS=3600 --release -p patio --test patio stay_constant
  promise I1 PATIO_TEST_LONG=1 -p vehicle-svc --test vehicle a_million
  promise I1 PATIO_TEST_ROUNDS=10000 -p vehicle-svc --test vehicle random_tampering
  local name
  for name in "${arguments[@]}"; do
    [[ " ${tried[*]} " = *" $name "* ]] || not_kept+=("$name (there is no long form of that name)")
  done
}

promises() { part "promises" all_promises; }
