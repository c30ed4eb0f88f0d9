#!/usr/bin/env python3
"""Fuzzes what strangers send, with libFuzzer and coverage: requests, responses, chunks, JSON, submissions, forms, configuration, the
PROXY protocol, forwarded headers, tokens.

usage: fuzz.py [--seconds N] [TARGET...]

What was found stays in .build/fuzz/corpus; the seeds of the project are read and not changed. An input that breaks a promise, traps or
takes more than 10 seconds is left in .build/fuzz/found, and the run exits with 1. Put such an input into seeds/<target>.
"""
import argparse, os, pathlib, re, shutil, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KIT = pathlib.Path(__file__).resolve().parent
FOLDER = ROOT / ".build/fuzz"
# The modules whose lines count.
TARGETS = {
    "requests": "HTTPWire", "responses": "HTTPWire", "chunked": "HTTPWire/Body", "json": "JSON", "submissions": "FormSchema/Evaluation",
    "forms": "FormSchema/Loading", "configuration": "Configuration", "proxy": "EventHTTP/Server/ProxyHeader.swift",
    "addresses": "Access/Addresses", "tokens": "Access/Tokens",
}


def build():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, place in {"Modules": ROOT / "Sources", "Fuzz": KIT / "Sources", "Yams": ROOT / ".build/checkouts/Yams", "Package.swift": KIT / "Package.swift"}.items():
        link = FOLDER / name
        if not link.is_symlink():
            link.symlink_to(place)
    if not (ROOT / ".build/checkouts/Yams").exists():
        subprocess.run(["swift", "package", "resolve"], cwd=ROOT, check=True)
    run = subprocess.run(["swift", "build", "-c", "release", "--product", "fuzz"], cwd=FOLDER, capture_output=True, text=True)
    if run.returncode:
        print("\n".join(line for line in (run.stdout + run.stderr).split("\n") if "error" in line) or run.stderr)
        raise SystemExit("it does not build")


def coverage(binary, target, corpus):
    """Lines of the target's sources that its corpus reaches, in percent."""
    raw, data = FOLDER / (target + ".profraw"), FOLDER / (target + ".profdata")
    environment = dict(os.environ, FUZZ_TARGET=target, LLVM_PROFILE_FILE=str(raw))
    subprocess.run([binary, "-runs=0", corpus, KIT / "seeds" / target], env=environment, capture_output=True)
    tools = pathlib.Path(shutil.which("swiftc")).resolve().parent
    if subprocess.run([tools / "llvm-profdata", "merge", "-o", data, raw], capture_output=True).returncode:
        return "?"
    report = subprocess.run([tools / "llvm-cov", "report", binary, "-instr-profile", data], capture_output=True, text=True)
    lines = missed = 0
    for row in report.stdout.split("\n"):
        cells = row.split()
        if len(cells) >= 10 and ("/" + TARGETS[target]) in "/" + cells[0]:
            lines, missed = lines + int(cells[7]), missed + int(cells[8])
    return "%.0f%% of %d" % (100 * (lines - missed) / lines, lines) if lines else "?"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=120, help="for each target")
    parser.add_argument("targets", nargs="*", help="of %s; all by default" % ", ".join(TARGETS))
    options = parser.parse_args()
    build()
    binary = FOLDER / ".build/release/fuzz"
    (FOLDER / "found").mkdir(exist_ok=True)
    bad = []
    print("| target | inputs run | edges | lines of its sources | inputs kept |\n|---|---|---|---|---|", flush=True)
    for target in options.targets or TARGETS:
        corpus = FOLDER / "corpus" / target
        corpus.mkdir(parents=True, exist_ok=True)
        environment = dict(os.environ, FUZZ_TARGET=target, LLVM_PROFILE_FILE="/dev/null")
        run = subprocess.run(
            [binary, "-max_total_time=%d" % options.seconds, "-timeout=10", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1",
             "-artifact_prefix=%s/%s-" % (FOLDER / "found", target), corpus, KIT / "seeds" / target], env=environment, capture_output=True, text=True, errors="replace")
        runs = re.search(r"number_of_executed_units: (\d+)", run.stderr)
        edges = re.findall(r"cov: (\d+)", run.stderr)
        print("| %s | %s | %s | %s | %d |" % (target, runs.group(1) if runs else "?", edges[-1] if edges else "?", coverage(binary, target, corpus), len(list(corpus.iterdir()))), flush=True)
        if run.returncode:
            bad.append(target)
            print(run.stderr[-1500:])
    if bad:
        raise SystemExit("found in: %s; the inputs are in %s" % (", ".join(bad), FOLDER / "found"))


main()
