# shellcheck shell=bash
# Runs formatting, lints, unit tests and the main job in a browser on a built tree.

# Decides from changed paths which crates to test, and whether the web checks, the browser tests and the house rules run.
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

# Prints the name of the cargo package that contains a path, or nothing.
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

# Prints a cargo option for each chosen crate and each crate of the workspace that depends on one.
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
    build pages
    part "web" check_web
  fi
  if [ -n "$needs_browser" ]; then
    build compile pages
    e2e_environment
    part "e2e: main job" one_process e2e-quick "main-job -g 390"
  fi
}
