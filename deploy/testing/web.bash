# shellcheck shell=bash
# Checks the pages: types, lint, unit tests, build and bundle size.

npm_ci() { # folder
  local lock="$1/package-lock.json" have="$1/node_modules/.package-lock.json"
  if [ ! -e "$have" ] || [ "$lock" -nt "$have" ]; then
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm --prefix "$1" ci --no-audit --no-fund --silent
  fi
}

# Installs the packages and builds the pages.
pages() {
  npm_ci web
  npm --prefix web run --silent build
}

check_web() {
  npm_ci web/tools/openapi
  npm --prefix web run --silent check
  npm --prefix web run --silent lint
  unit_web
  npm --prefix web run --silent size
}

unit_web() {
  local code=0
  (cd web && npx vitest run --reporter=default --reporter=json --outputFile.json="$work/vitest.json") || code=$?
  count_report web vitest "$work/vitest.json"
  return $code
}

web() {
  build pages
  part "web" check_web
}
