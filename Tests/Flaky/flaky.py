#!/usr/bin/env python3
"""Runs the tests many times beside a load on every core, and says which failed how often. The tests must be built.

usage: flaky.py [--runs N] [--filter TEXT…] [--load N]
"""
import argparse, collections, os, re, subprocess, sys, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT + "/Tests")
import bundle


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--filter", action="append", default=[])
    parser.add_argument("--load", type=int, default=os.cpu_count(), help="processes that do nothing but compute")
    options = parser.parse_args()
    arguments = bundle.command(ROOT, options.filter)
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.load)]
    failures, bad = collections.Counter(), 0
    try:
        for number in range(1, options.runs + 1):
            start = time.monotonic()
            run = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, errors="replace")
            text = re.sub(r"\x1b\[[0-9;]*m", "", run.stdout + run.stderr)
            failed = sorted(set(re.findall(r"✘ Test (?!run with)(\S+?)[ (].*? (?:recorded an issue|failed after)", text)))
            failures.update(failed)
            if run.returncode:
                bad += 1
                with open(ROOT + "/.build/flaky-%d.log" % number, "w") as log:
                    log.write(run.stdout + run.stderr)
            print("run %d: %s, %.0f s%s" % (number, "exit %d" % run.returncode if run.returncode else "passed", time.monotonic() - start,
                                            ": " + ", ".join(failed) if failed else ""), flush=True)
    finally:
        for process in load:
            process.kill()
    for name, count in failures.most_common():
        print("%s failed in %d of %d runs" % (name, count, options.runs))
    sys.exit(1 if bad else 0)


main()
