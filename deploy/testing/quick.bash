# shellcheck shell=bash
# Format, lints, unit tests and the main job in a browser, for a tree that is built.

# Sets what the changed folders need: the crates to test, and whether the web's checks and the browser run.
needs_of() { # paths
  local path crate
  crates=() needs_web="" needs_browser="" needs_house=""
  for path in "$@"; do
    path=${path#./}
    case $path in
      web/*.md | web/e2e/pictures/* | *.md) needs_house=yes ;;
      web | web/*) needs_web=yes needs_browser=yes ;;
      deploy/bench* | deploy/patio* | deploy/harness*) crates+=("$(crate_of "$path")") ;;
      deploy | deploy/*) needs_house=yes ;;
      *)
        crate=$(crate_of "$path")
        if [ -z "$crate" ]; then crates+=(all); else crates+=("$crate"); fi
        needs_browser=yes
        ;;
    esac
  done
}

# Prints the package whose folder holds a path, or nothing.
crate_of() {
  local folder=$1
  while [ "$folder" != . ]; do
    if [ -e "$folder/Cargo.toml" ] && [ "$folder" != "" ]; then
      sed -n '/^name = /{s/^name = "\(.*\)"/\1/p;q}' "$folder/Cargo.toml"
      return
    fi
    folder=$(dirname "$folder")
  done
}

# Adds the crates of the workspace that depend on the chosen ones, and prints one option of cargo for each.
packages_of() {
  if [[ " ${crates[*]} " = *" all "* ]]; then
    echo --workspace
    return
  fi
  local crate
  for crate in "${crates[@]}"; do
    cargo tree --locked --workspace --edges all --invert "$crate" --prefix none --format '{p}' | awk '/\(\// {print $1}'
  done | sort -u | sed 's/^/--package=/'
}

quick_rust() {
  local packages
  mapfile -t packages < <(packages_of)
  run_rust --lib --bins "${packages[@]}"
}

quick() {
  needs_of "${arguments[@]}"
  if [ ${#arguments[@]} = 0 ]; then crates=(all) needs_web=yes needs_browser=yes; fi
  if [ ${#crates[@]} != 0 ]; then
    build compile
    part "rust" quick_rust
  fi
  if [ -n "$needs_house" ]; then part "house rules" run_rust --package patio --test patio house; fi
  if [ -n "$needs_web" ]; then
    part "npm packages" npm_ci web
    part "web" check_web
  fi
  if [ -n "$needs_browser" ]; then
    build compile pages
    e2e_environment
    part "e2e: main job" one_process e2e-quick "main-job -g 390"
  fi
}
