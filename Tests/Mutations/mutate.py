#!/usr/bin/env python3
"""Puts small mistakes into the sources and runs the tests that must notice them.

The mistakes are in lists/*.toml. A copy of the package gets all of them behind a switch, `mutated(17) ? changed :
original`, is built once, and its tests run with MUTATION=17 in the environment, which the binaries that they start inherit.

usage: mutate.py [--sample N] [--only TEXT] [--untried] [--check] [--record]

A mistake that changes nothing is explained (`equivalent`); one that no test sees yet is named as such (`gap`), appears in the table as
unnoticed. `--record` writes what was noticed twice, as a test may fail by chance, into noticed.txt: a sample is drawn from that, so that
it fails when tests stop to notice what they did. `--untried` takes those that are neither in it nor explained.

Exits with 1 if any other mistake went unnoticed, if one that was explained as equivalent was noticed, if one no longer applies (its text
is not found exactly once), if a filter selects no test, or if a test fails without any mistake.
"""
import argparse, concurrent.futures, os, pathlib, random, re, shutil, signal, subprocess, sys, tempfile, threading, time, tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Tests"))
import bundle

COPY = ROOT / ".build/mutations"
LISTS = pathlib.Path(__file__).resolve().parent / "lists"
NOTICED = pathlib.Path(__file__).resolve().parent / "noticed.txt"
# A mutation after which the tests do not end was noticed, too.
LONGEST = 240

SWITCH_HEADER = """#ifndef CMUTATION_H
#define CMUTATION_H
#include <stdbool.h>
#include <stdlib.h>
/// Whether this mutation was asked for. The variable is read once: two threads that both do so read the same.
static inline bool cloakroom_mutated(int number) {
    static int asked = -1;
    int known = __atomic_load_n(&asked, __ATOMIC_RELAXED);
    if (known < 0) {
        const char *text = getenv("MUTATION");
        known = text ? atoi(text) : 0;
        __atomic_store_n(&asked, known, __ATOMIC_RELAXED);
    }
    return known == number;
}
#endif
"""
SWITCH_SWIFT = """internal import CMutation

func mutated(_ number: Int32) -> Bool { cloakroom_mutated(number) }
"""
PACKAGE_TAIL = """
package.targets.append(.target(name: "CMutation"))
for target in package.targets where [.regular, .executable].contains(target.type) && target.name != "CMutation" {
    target.dependencies.append("CMutation")
}
"""
# The engine for browsers is compiled from the sources as they are: what it embeds is no part of these runs.
ENGINE = '#!/usr/bin/env bash\nexec "%s/Sources/Elements/Engine/build" "$1"\n' % ROOT


class Mutation:
    def __init__(self, file, tests, number, entry):
        self.module, self.number = file.split("/")[0], number
        self.file = "Sources/" + file
        # `part` of what is found is changed, all of it by default.
        self.find, self.make = entry.pop("find"), entry.pop("make", "")
        self.part = entry.pop("part", self.find)
        self.kind = entry.pop("as", "expression" if self.make else "statement")
        self.after = entry.pop("after", None)
        self.why, self.tests = entry.pop("why"), entry.pop("tests", tests)
        self.equivalent, self.gap = entry.pop("equivalent", None), entry.pop("gap", None)
        if entry:
            raise SystemExit("%s: unknown keys %s" % (self.name, ", ".join(entry)))
        if self.kind == "expression" and self.has_comma:
            # It can be read as a tuple, so that only the build would tell.
            raise SystemExit("%s: conditions with a comma between them are no expression" % self.name)

    @property
    def name(self):
        part, find, make = (" ".join(text.split()) for text in (self.part, self.find, self.make))
        within = " in " + find if part != find else ""
        return "%s: %s%s -> %s" % (self.file.removeprefix("Sources/"), part, within, make or "(nothing)")

    @property
    def has_comma(self):
        """Whether a comma stands outside of all brackets and literals."""
        text = re.sub(r'"(\\.|[^"\\])*"', "", self.part)
        while re.search(r"[(\[{][^()\[\]{}]*[)\]}]", text):
            text = re.sub(r"[(\[{][^()\[\]{}]*[)\]}]", "", text)
        return "," in text

    def place(self, text):
        """Where the part to change begins; None if that is not clear."""
        start = 0
        if self.after is not None:
            if text.count(self.after) != 1:
                return None
            start = text.index(self.after)
        elif text.count(self.find) != 1:
            return None
        found = text.find(self.find, start)
        return found + self.find.index(self.part) if found >= 0 and self.find.count(self.part) == 1 else None


def read_lists():
    mutations = []
    for path in sorted(LISTS.glob("*.toml")):
        for file, group in tomllib.loads(path.read_text()).items():
            for entry in group["mutations"]:
                mutations.append(Mutation(file, group["tests"], len(mutations) + 1, entry))
    return mutations


def mutate(text, mutations, is_c):
    """The text with every mutation behind the switch; those of one place are alternatives."""
    places, lost = {}, []
    for mutation in mutations:
        place = mutation.place(text)
        if place is None:
            lost.append((mutation, "its text is not found exactly once"))
        else:
            places.setdefault((place, place + len(mutation.part)), []).append(mutation)
    end = 0
    pieces = []
    for (start, stop), group in sorted(places.items()):
        if start < end:
            lost += [(mutation, "it overlaps with another") for mutation in group]
            continue
        original = text[start:stop]
        call = "cloakroom_mutated" if is_c else "mutated"
        wrapped = "(" + original + ")" if is_c and group[0].kind == "expression" else original
        for mutation in group:
            if mutation.kind == "before":
                wrapped = "if %s(%d) { %s }; %s" % (call, mutation.number, mutation.make, wrapped)
            elif mutation.kind == "text":
                # Within a literal.
                wrapped = '\\(%s(%d) ? "%s" : "%s")' % (call, mutation.number, mutation.make, wrapped)
            elif mutation.kind == "expression":
                wrapped = "(%s(%d) ? %s : %s)" % (call, mutation.number, mutation.make, wrapped)
            else:
                wrapped = "if %s { %s } else { %s }" % (("(%s(%d))" if is_c else "%s(%d)") % (call, mutation.number), mutation.make, wrapped)
        pieces += [text[end:start], wrapped]
        end = stop
    return "".join(pieces) + text[end:], lost


def write(path, content):
    """Leaves a file alone that is as it should be: what did not change is not compiled again."""
    if isinstance(content, str):
        content = content.encode()
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def copy_package(mutations):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=True)
    by_file, lost, expected = {}, [], set()
    for mutation in mutations:
        by_file.setdefault(mutation.file, []).append(mutation)
    for name in listed.stdout.split("\n"):
        source = ROOT / name
        if not name or not source.is_file():
            continue
        content = source.read_bytes()
        if name in by_file:
            text, missing = mutate(content.decode(), by_file.pop(name), name.endswith(".c"))
            lost += missing
            content = ('#include "CMutation.h"\n' if name.endswith(".c") else "") + text
        elif name == "Package.swift":
            content = content.decode().replace("    .treatAllWarnings(as: .error),\n", "") + PACKAGE_TAIL
        elif name == "Sources/Elements/Engine/build":
            content = ENGINE
        expected.add(name)
        write(COPY / name, content)
        os.chmod(COPY / name, source.stat().st_mode & 0o777)
    lost += [(mutation, "there is no such file") for group in by_file.values() for mutation in group]
    for name in ("Sources/CMutation/include/CMutation.h", "Sources/CMutation/switch.c"):
        write(COPY / name, SWITCH_HEADER if name.endswith(".h") else '#include "CMutation.h"\n')
        expected.add(name)
    for module in sorted({name.split("/")[1] for name in expected if name.startswith("Sources/") and name.endswith(".swift")}):
        name = "Sources/%s/Mutated.swift" % module
        write(COPY / name, SWITCH_SWIFT)
        expected.add(name)
    for top in ("Sources", "Tests", "Plugins"):
        for path in (COPY / top).rglob("*"):
            if path.is_file() and str(path.relative_to(COPY)) not in expected:
                path.unlink()
    return lost


def parse(mutations):
    """Whether the changed sources can be read at all; that they compile shows only in a build."""
    files = sorted({mutation.file for mutation in mutations if mutation.file.endswith(".swift")})
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(lambda name: subprocess.run(["swiftc", "-frontend", "-parse", COPY / name], capture_output=True, text=True), files)
        errors = [run.stderr for run in runs if run.returncode]
    if errors:
        raise SystemExit("".join(errors))


def build():
    """Dependencies that the project has are not fetched a second time."""
    scratch = COPY / ".build"
    for name in ("checkouts", "repositories", "workspace-state.json"):
        if (ROOT / ".build" / name).exists() and not (scratch / name).exists():
            scratch.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (ROOT / ".build" / name).is_dir() else shutil.copy)(ROOT / ".build" / name, scratch / name)
    # The tools that `./setup test` has installed, which tests run from the project's folder.
    if (ROOT / ".build/python").exists() and not (scratch / "python").exists():
        (scratch / "python").symlink_to(ROOT / ".build/python")
    log = COPY / "build.log"
    with open(log, "w") as output:
        run = subprocess.run(["swift", "build", "--build-tests"], cwd=COPY, stdout=output, stderr=output)
    if run.returncode:
        errors = [line for line in log.read_text().split("\n") if "error:" in line]
        print("\n".join(dict.fromkeys(errors)))
        raise SystemExit("the copy with the mutations does not build (%s)" % log)


def run_tests(filters, number):
    """(exit status, number of tests, output). With a mistake, the first test that fails ends the run."""
    arguments = bundle.command(COPY, filters)
    # What a test leaves that was ended by a signal goes with this folder. Its path is short: sockets are made in it.
    with tempfile.TemporaryDirectory(prefix="m", ignore_cleanup_errors=True) as scratch:
        environment = dict(os.environ, MUTATION=str(number), LC_ALL="C.UTF-8", TMPDIR=scratch)
        process = subprocess.Popen(
            arguments, cwd=COPY, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

        def end():
            # The servers that a test started are in its group.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

        late = threading.Timer(LONGEST, end)
        late.start()
        lines, failed = [], False
        for line in process.stdout:
            lines.append(line.decode(errors="replace"))
            if number and re.match(r"✘ Test .* recorded an issue", lines[-1]):
                failed = True
                end()
                break
        status = process.wait()
        end()
        late.cancel()
    text = "".join(lines)
    count = re.search(r"Test run with (\d+) tests?", text)
    return 1 if failed else status, int(count.group(1)) if count else -1, text


def read_noticed():
    return set(NOTICED.read_text().splitlines()) if NOTICED.exists() else set()


def record(mutations, tried, noticed):
    """What was not tried stays as it is; what is not in the lists any more goes."""
    names = read_noticed() & {mutation.name for mutation in mutations}
    NOTICED.write_text("".join(name + "\n" for name in sorted(names - tried | noticed)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, help="as many as that, chosen by the commit")
    parser.add_argument("--only", help="those in whose module and text this regular expression is found")
    parser.add_argument("--untried", action="store_true", help="those that are neither known as noticed nor explained")
    parser.add_argument("--check", action="store_true", help="says only whether all of them apply")
    parser.add_argument("--record", action="store_true", help="writes into noticed.txt which of those that were tried were noticed")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    mutations = read_lists()
    lost = copy_package(mutations)
    for mutation, reason in lost:
        print("does not apply (%s): %s" % (reason, mutation.name))
    if lost:
        raise SystemExit(1)
    parse(mutations)
    contradicted = [mutation.name for mutation in mutations if mutation.equivalent and mutation.name in read_noticed()]
    if contradicted:
        raise SystemExit("noticed, though explained as equivalent: " + ", ".join(contradicted))
    print("%d mutations apply" % len(mutations), flush=True)
    if options.check:
        return
    build()
    chosen = mutations
    if options.only:
        chosen = [mutation for mutation in chosen if re.search(options.only, mutation.name)]
    if options.untried:
        chosen = [mutation for mutation in chosen if not (mutation.equivalent or mutation.gap or mutation.name in read_noticed())]
    if options.sample:
        commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True).stdout
        chosen = [mutation for mutation in chosen if mutation.name in read_noticed()]
        chosen = random.Random(commit).sample(chosen, min(options.sample, len(chosen)))

    failures, unsound = [], set()
    filters = sorted({mutation.tests for mutation in chosen})

    def sound(name):
        status, count, output = run_tests(name.split(), 0)
        if status or count < 1:
            # Once more, alone among its like: a machine under load must not pass for a mistake.
            status, count, output = run_tests(name.split(), 0)
        return name, status, count, output

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, status, count, output in pool.map(sound, filters):
            if status or count < 1:
                unsound.add(name)
                failures.append("without any mutation, %s: exit %d, %d tests\n%s" % (name, status, count, "\n".join(line for line in output.split("\n") if "✘" in line)[:2000]))
    if failures:
        # The others are tried; the run fails in the end.
        print("\n".join(failures), flush=True)
        chosen = [mutation for mutation in chosen if mutation.tests not in unsound]

    def attempt(mutation):
        start = time.monotonic()
        status, count, output = run_tests(mutation.tests.split(), mutation.number)
        if status and options.record:
            status, count, output = run_tests(mutation.tests.split(), mutation.number)
        return mutation, status, output, time.monotonic() - start

    table, noticed = {}, set()
    survivors, gaps = [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutation, status, output, seconds in pool.map(attempt, chosen):
            row = table.setdefault(mutation.module, [0, 0, 0])
            row[0] += 1
            if status:
                row[1] += 1
                noticed.add(mutation.name)
                if mutation.equivalent:
                    failures.append("noticed, though explained as equivalent: " + mutation.name)
                if mutation.gap:
                    print("no longer a gap: " + mutation.name)
            elif mutation.equivalent:
                row[2] += 1
            else:
                (gaps if mutation.gap else survivors).append(mutation)
            print("%3d %-9s %5.1f s  %s" % (mutation.number, "noticed" if status else "SURVIVED", seconds, mutation.name), flush=True)
            # At once: the whole list takes hours, and what a run has found must not go when it is ended early.
            if options.record:
                record(mutations, {mutation.name}, noticed)

    print("\n| module | mutations | noticed | equivalent | unnoticed |\n|---|---|---|---|---|")
    total = [0, 0, 0]
    for module, row in sorted(table.items()):
        total = [a + b for a, b in zip(total, row)]
        print("| %s | %d | %d | %d | %d |" % (module, *row, row[0] - row[1] - row[2]))
    print("| all | %d | %d | %d | %d |" % (*total, total[0] - total[1] - total[2]))
    for mutation in chosen:
        if mutation.equivalent and mutation not in survivors:
            print("equivalent: %s: %s" % (mutation.name, mutation.equivalent))
    for mutation in gaps:
        print("known as unnoticed: %s: %s" % (mutation.name, mutation.gap))
    for mutation in survivors:
        print("unnoticed: %s (%s; tests: %s)" % (mutation.name, mutation.why, mutation.tests))
    for failure in failures:
        print(failure)
    sys.exit(1 if survivors or failures else 0)


if __name__ == "__main__":
    main()
