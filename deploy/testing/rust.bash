# shellcheck shell=bash
# Runs formatting, lints and Rust tests.

log="" # output file of the last test run

# Lints and compiles in one pass: clippy-driver is rustc with clippy's lints, and cargo uses it to compile the workspace's own crates.
# `cargo clippy` would compile every dependency a second time.
cargo_linted() {
  RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__ cargo "$@"
}

# Compiles programs, tests and bench in one cargo run, with one set of features.
compile() {
  cargo fmt --all --check
  cargo_linted build --locked --workspace --all-targets --quiet
  without_test_helpers
}

# Fails when a program contains the test helpers of the crate patio-testing, which only dev-dependencies name.
without_test_helpers() {
  local program
  for program in patio gateway auth-svc campaign-svc vehicle-svc import-svc; do
    if grep -qE "PATIO_TEST_(POSTGRES|REDIS|ROUNDS)" "target/debug/$program"; then
      echo "target/debug/$program contains the test helpers of patio-testing" >&2
      return 1
    fi
  done
}

# Runs cargo test with the runner deploy/testing/run-test, which enables the option that reports the time of each test.
run_rust() { # options of cargo test
  local code=0
  log=$work/tests-$BASHPID-${#part_names[@]}.log
  cargo_linted test --locked --no-fail-fast --config 'target."cfg(all())".runner = "deploy/testing/run-test"' "$@" \
    -- -Z unstable-options --report-time 2>&1 | tee "$log" | grep -vE '^(running [0-9]+ tests?|test result: ok.*|$)|^ +(Running|Doc-tests) ' || code=$?
  count_rust
  return $code
}

count_rust() {
  local ok bad off
  read -r ok bad off < <(awk '/^test result:/ {p+=$4; f+=$6; i+=$8} END {print p+0, f+0, i+0}' "$log")
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + off))
  awk -v OFS='\t' '/ Running / {suite = $NF; sub(/.*\//, "", suite); sub(/-[0-9a-f]+\)$/, "", suite)}
    /^test .* <[0-9.]+s>$/ {time = $NF; gsub(/[<>s]/, "", time); print time, "rust", suite "::" $2}' "$log" >>"$seconds_of_tests"
  # A failed test is printed as its name, its output and a backtrace, which is left out here.
  awk '/^---- .* stdout ----$/ {lines = 0; shown = 1}
    /^failures:$|^stack backtrace:$/ {shown = 0}
    shown && ++lines <= 30' "$log" >>"$failures"
}

rust() {
  build compile
  start_rust
  join_background product crates
}

# Starts the tests of the whole product, which mostly wait for processes, beside those of the crates, which mostly compute.
start_rust() {
  background product 0 test_product
  background crates 0 test_crates
}

test_product() { part "rust: product" run_rust --workspace --test patio; }

# Runs all unit tests, and every test program but `patio`.
test_crates() {
  local names programs
  names=$(cargo metadata --locked --no-deps --format-version 1 | node deploy/testing/test-programs.mjs patio)
  mapfile -t programs <<<"$names"
  part "rust: crates" run_rust --workspace --lib --bins "${programs[@]/#/--test=}"
}
