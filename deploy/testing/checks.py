"""Counts checks and prints those that failed."""
import sys

failures, passed = [], 0


def check(holds, what):
    global passed
    passed += bool(holds)
    if not holds:
        failures.append(what)


def finish(name):
    """Prints the failures and, as the last line, the counts; ends with exit code 1 when a check failed."""
    for failure in failures:
        print(f"{name}: {failure}")
    print(f"{name}: {passed} checks passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)
