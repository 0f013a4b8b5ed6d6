# shellcheck shell=bash
# The long forms of the promises.

tried=()

promise() { # its name, the variable that makes it long, then cargo's arguments
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
    # The lines above are of tests that ran; an error of the compiler is not among them.
    grep -q '^test result:' "$output" || tail -n 30 "$output"
    not_kept+=("$name (exit code $code of cargo test $*)")
  elif [ "$passed" = "$before" ]; then
    not_kept+=("$name (no test ran of cargo test $*)")
  fi
}

all_promises() {
  cargo build --locked --workspace --quiet
  # A restore is measured on optimised programs.
  if [[ " ${arguments[*]} " = *" E9 "* || ${#arguments[@]} = 0 ]]; then cargo build --locked --release --workspace --quiet; fi
  promise A1 PATIO_TEST_ROUNDS=50 -p auth-svc --test auth exactly_five
  promise A2 PATIO_TEST_LONG=1 -p auth-svc --test auth by_the_clocks
  promise A4 PATIO_TEST_LONG=1 -p auth-svc --test auth stopwatch
  promise A6 PATIO_TEST_ROUNDS=100 -p auth-svc --test auth crashes
  promise D3 PATIO_TEST_LONG=1 -p import-svc --test imports fuzzing::
  promise D9 PATIO_TEST_ROUNDS=200000 -p auth-svc --test auth flood
  promise D9 PATIO_TEST_ROUNDS=200000 -p patio --test patio floods
  promise D10 PATIO_TEST_LONG=1 --release -p vehicle-svc --test vehicle search
  promise E1 PATIO_TEST_LONG=1 -p patio --test patio killed_in_the_middle
  promise E2 PATIO_TEST_ROUNDS=1000 -p patio --test patio written_down
  promise E3 PATIO_TEST_ROUNDS=1000 -p patio --test patio who_save_one_version
  promise E4 PATIO_TEST_LONG=50 -p patio --test patio kills::
  promise E8 PATIO_TEST_ROUNDS=1000 -p patio --test patio many_writers
  promise E9 PATIO_TEST_LONG=1 --release -p patio --test patio every_row
  promise F1 PATIO_TEST_LONG=1 -p patio --test patio parts_that
  promise F10 PATIO_TEST_LONG=1 -p patio --test patio whatever_starts
  promise F9 PATIO_TEST_ROUNDS=3600 --release -p patio --test patio stays_the_same
  promise I1 PATIO_TEST_LONG=1 -p vehicle-svc --test vehicle a_million
  promise I1 PATIO_TEST_ROUNDS=10000 -p vehicle-svc --test vehicle whatever_is_done
  local name
  for name in "${arguments[@]}"; do
    [[ " ${tried[*]} " = *" $name "* ]] || not_kept+=("$name (there is no long form of that name)")
  done
}

promises() { part "promises" all_promises; }
