# shellcheck shell=bash
# Runs the main job, an offline save and a scan in WebKit and Firefox. Chromium has the browser tests of e2e.bash.
# Continuous integration runs this part after `all`.

install_engines() {
  local missing=()
  command -v WebKitWebDriver >/dev/null || missing+=(webkit2gtk-driver)
  command -v Xvfb >/dev/null || missing+=(xvfb)
  command -v firefox-esr >/dev/null || [ -n "${FIREFOX:-}" ] || missing+=(firefox-esr)
  install_packages "${missing[@]}"
  npm_ci web/tools/engines
}

walk_in_engines() {
  local code=0
  start_one_process engines
  (cd web/tools/engines && node --test --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=junit --test-reporter-destination="$work/engines.xml" journey.test.mjs) || code=$?
  count_report engines junit "$work/engines.xml"
  stop
  return $code
}

engines() {
  build compile pages
  e2e_environment
  part "engines: packages" install_engines
  part "engines: WebKit and Firefox" walk_in_engines
}
