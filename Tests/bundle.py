#!/usr/bin/env python3
"""How the built tests are run, by `make test`, `make flaky` and `make mutate` alike.

usage: bundle.py      (prints how many tests run at once)"""

# All tests would begin at once otherwise, each with its threads, files and servers; and the report of a crash would take longer than all
# of them, thread by thread.
TESTS_AT_ONCE = 32


def command(root, filters):
    """Runs the tests that were built in the package at `root`, of these names; all of them if there are none."""
    arguments = [
        "%s/.build/debug/cloakroomPackageTests.xctest" % root, "--testing-library", "swift-testing",
        "--experimental-maximum-parallelization-width", str(TESTS_AT_ONCE)]
    for name in filters:
        arguments += ["--filter", name]
    return arguments


if __name__ == "__main__":
    print(TESTS_AT_ONCE)
