#!/usr/bin/env python3
"""Checks what a compiler does not: that modules import only what the table in docs/architecture.md allows, that every
citation in a comment and every link in a document leads somewhere, that no source file outgrows a reader, and that the page
lists the styles which the script allows.

Prints one line a mistake and exits with 1 if there is any. It reads text and runs nothing but `git ls-files`.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONGEST_FILE = 400
# Modules of the toolchain: no arrows of the house.
TOOLCHAIN = {"Glibc", "Musl", "Darwin", "Synchronization", "Swift", "Testing", "WASILibc", "_Builtin_intrinsics"}
# May be imported by more than one Swift module, by these.
SHARED_LIBRARIES = {"COpenSSL": {"Crypto", "EventIO"}, "CKeyMemory": {"Crypto", "EventIO"}}

mistakes = []


def mistake(place, text):
    mistakes.append("%s: %s" % (place, text))


def tracked(*patterns):
    """The files git knows or would add, by path from the root."""
    run = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        capture_output=True, text=True, check=True)
    return [path for path in run.stdout.split("\n") if path and os.path.exists(os.path.join(ROOT, path))]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


# MARK: The module table


def module_table():
    """Rows of the table under "## Modules": names in the first column, allowed imports in the last, top row lowest."""
    table = {}
    section = read("docs/architecture.md").split("\n## Modules", 1)[-1].split("\n## ", 1)[0]
    for line in section.split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) < 3 or not cells[0].startswith("`"):
            continue
        allowed = set(re.findall(r"`(\w+)`", cells[-1]))
        for name in re.findall(r"`(\w+)`", cells[0]):
            table[name] = (len(table), allowed)
    return table


def check_modules():
    table = module_table()
    if not table:
        mistake("docs/architecture.md", "there is no module table under `## Modules`")
        return
    modules = {path.split("/")[1] for path in tracked("Sources/**")}
    for name in sorted(modules - table.keys()):
        mistake("docs/architecture.md", "the module table lacks `%s`" % name)
    for name in sorted(table.keys() - modules):
        mistake("docs/architecture.md", "the module table has `%s`, which is not in Sources" % name)
    importers = {}
    for path in tracked("Sources/**.swift", "Sources/*.swift"):
        module = path.split("/")[1]
        position, allowed = table.get(module, (0, set()))
        for imported in set(re.findall(r"^(?:\w+ )*import (?:struct |enum |class |func |protocol )?(\w+)", read(path), re.M)):
            if imported in TOOLCHAIN or imported == module:
                continue
            if imported not in allowed:
                mistake(path, "%s may not import %s (docs/architecture.md, Modules)" % (module, imported))
            elif imported in table and table[imported][0] > position:
                mistake(path, "%s stands above %s in the module table, and imports it" % (module, imported))
            if imported.startswith("C") and imported in modules and not tracked("Sources/%s/*.swift" % imported):
                importers.setdefault(imported, set()).add(module)
    for library, by in sorted(importers.items()):
        if len(by) > 1 and by != SHARED_LIBRARIES.get(library):
            mistake("Sources", "%s is imported by %s; one Swift module may" % (library, ", ".join(sorted(by))))


def dependencies(path):
    """What each target of a manifest depends on."""
    targets = re.findall(r'[tT]arget\(\s*name: "(\w+)"(?:,\s*dependencies: \[(.*?)\])?', read(path), re.S)
    return {name: set(re.findall(r'"(\w+)"', needed)) for name, needed in targets}


def check_fuzz_manifest():
    """The fuzz kit compiles the same modules by a manifest of its own, and is built too seldom to be noticed."""
    manifest = "Tests/Fuzz/Package.swift"
    own = dependencies("Package.swift")
    for name, needed in dependencies(manifest).items():
        if name in own and needed != own[name]:
            mistake(manifest, "%s depends on %s in Package.swift" % (name, ", ".join(sorted(own[name])) or "nothing"))


# MARK: Citations and links


def sections(path):
    """Numbers of the numbered headings: "## 7. Reveal routes" gives 7."""
    return set(re.findall(r"^#+ (\d+[a-z]?)\.? ", read(path), re.M))


def anchors(path):
    """Anchors of all headings, made as the usual renderers make them."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", read(path), re.M):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        text = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        found.add(text)
    return found


def check_citations():
    for path in tracked("Sources/**", "Tests/**", "config/**", "Benchmarks/**"):
        if not path.endswith((".swift", ".c", ".h", ".py", ".yaml", ".js", ".mjs", ".ts")):
            continue
        # A citation may be broken over two lines of a comment.
        text = re.sub(r"\n\s*(///|//|#|\*)\s?", " ", read(path))
        for page, numbers in re.findall(r"(docs/[\w./-]+?\.md)((?:,? sections? [\d, and]+\d|,? section \d+)?)", text):
            if not os.path.exists(os.path.join(ROOT, page)):
                mistake(path, "cites %s, which does not exist" % page)
                continue
            for number in re.findall(r"\d+", numbers):
                if number not in sections(page):
                    mistake(path, "cites %s section %s, which does not exist" % (page, number))
        if path.endswith(".swift") and re.search(r"\((?:the )?reference[,:)]|\bDESIGN(?:\.md)? (?:section|§)", text):
            mistake(path, "cites a page without its place: name docs/reference/….md")


def check_links():
    for path in tracked("*.md", "**/*.md"):
        text = re.sub(r"```.*?```", "", read(path), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            place = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(os.path.join(ROOT, place)):
                mistake(path, "links to %s, which does not exist" % target)
            elif anchor and place.endswith(".md") and anchor not in anchors(place):
                mistake(path, "links to %s, but there is no such heading" % target)


# MARK: Size


def check_sizes():
    for path in tracked("Sources/**.swift", "Sources/*.swift", "Sources/**.js", "Sources/**.mjs"):
        lines = read(path).count("\n")
        if lines > LONGEST_FILE:
            mistake(path, "has %d lines; at most %d" % (lines, LONGEST_FILE))


# MARK: Styles


def check_styles():
    """The page for developers lists what a field's style may set, and the CSS variables, as the script has them."""
    script, page = read("Sources/Elements/Frame/styles.js"), read("docs/browser.md").split("\n## Styling", 1)[-1].split("\n## ", 1)[0]
    for what, sentence in [("PROPERTIES", "the states"), ("VARIABLES", "is mounted:")]:
        allowed = re.search(r"const %s = \((.*?)\)\.split" % what, script, re.S)
        told = re.search(r"They are (`.*?)(?:\.|, each after)\n?", page.split(sentence, 1)[-1], re.S)
        names = re.findall(r"[\w-]+", allowed[1]) if allowed else []
        if not names or names != re.findall(r"`([\w-]+)`", told[1] if told else ""):
            mistake("docs/browser.md", "Styling does not list %s of Sources/Elements/Frame/styles.js" % what)


check_modules()
check_fuzz_manifest()
check_citations()
check_links()
check_sizes()
check_styles()
for line in mistakes:
    print(line)
print("house: %s" % ("%d mistakes" % len(mistakes) if mistakes else "modules, citations, links, sizes and styles are as they should be"))
sys.exit(1 if mistakes else 0)
