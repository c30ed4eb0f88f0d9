#!/usr/bin/env python3
"""Writes the generated pages of docs/reference from the code: the OpenAPI document and the configuration's own mistakes, which the
binary prints, and names in the sources. `make reference` writes them; a test runs it with --check.

usage: reference.py --binary FILE [--check]
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import tables

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = ROOT + "/docs/reference"
NOTE = "Made by `make reference` from the code; do not edit."
METHODS = ("get", "post", "put", "patch", "delete")
NONSENSE = "zzzzzzzzzzzzzzzzzzzzzzzz"

parser = argparse.ArgumentParser()
parser.add_argument("--binary", default=ROOT + "/.build/debug/cloakroom")
parser.add_argument("--check", action="store_true")
options = parser.parse_args()
faults = []


def source(*patterns):
    """All Swift sources of some folders, one after the other."""
    text = []
    for folder in patterns:
        for base, folders, names in os.walk(ROOT + "/Sources/" + folder):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".swift"):
                    with open(os.path.join(base, name), encoding="utf-8") as file:
                        text.append(file.read())
    return "\n".join(text)


def complete(what, names, table):
    """The names of the code and those of the table must be the same."""
    for name in sorted(set(names) - set(table)):
        faults.append("%s: Tests/Reference/tables.py has no line for %s" % (what, name))
    for name in sorted(set(table) - set(names)):
        faults.append("%s: %s is in Tests/Reference/tables.py and not in the code" % (what, name))


def table(heads, rows):
    lines = ["| %s |" % " | ".join(heads), "|%s" % ("---|" * len(heads))]
    return "\n".join(lines + ["| %s |" % " | ".join(str(cell).replace("|", "\\|") for cell in row) for row in rows]) + "\n"


def code(text):
    return "`%s`" % text if text else ""


# MARK: Calls and errors, from the OpenAPI document


def document(folder):
    with open(folder + "/cloakroom.yaml", "w") as file:
        file.write("""
forms: %s/config/forms/
vault: {sqlite: {path: vault.db}, masterKey: {file: master.key, generate: true}}
routes: [{name: acquirer, kind: reveal, url: "https://api.acquirer.example/v1"}]
""" % ROOT)
    run = subprocess.run([options.binary, "openapi", "--config", folder + "/cloakroom.yaml"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


class Calls:
    def __init__(self, api):
        self.api = api

    def resolved(self, node):
        while isinstance(node, dict) and "$ref" in node:
            reference = node["$ref"]
            node = self.api
            for part in reference[2:].split("/"):
                node = node[part]
        return node

    def operations(self):
        for path, item in self.api["paths"].items():
            if re.match(r"/v1/forms/(?!checkout)\w+", path) or path.startswith("/auth/realms"):
                continue
            for method in METHODS:
                if method in item and (method, path) not in [(m, "/v1/forms/checkout/send/{path}") for m in METHODS if m != "post"]:
                    yield method.upper(), path, item, item[method]

    def problems(self):
        found = {}
        for name, response in self.api["components"]["responses"].items():
            if not name.startswith("Problem"):
                continue
            for example in response["content"]["application/problem+json"]["examples"].values():
                value = example["value"]
                error = value["error"]
                found[(value["status"], error["type"])] = (error["domain"], error["code"], example["summary"], example["description"])
        return found

    def curl(self, method, path, item, operation):
        words = ["curl -s"]
        if method != "GET":
            words.append("-X " + method)
        server = (item.get("servers") or [{"url": "http://127.0.0.1:8080"}])[0]["url"]
        query = ""
        for parameter in item.get("parameters", []) + operation.get("parameters", []):
            parameter = self.resolved(parameter)
            if parameter["in"] == "path":
                value = {"alias": "$ALIAS", "id": "$ERASURE", "path": parameter.get("example")}[parameter["name"]]
                path = path.replace("{%s}" % parameter["name"], value)
            elif parameter["name"] == "q":
                query = "?q=$ALIAS"
        schemes = [list(one) for one in operation.get("security", [])]
        if schemes and [] not in schemes:
            words.append("-u dev:dev-secret" if ["basic"] in schemes else '-H "Authorization: Bearer $SESSION"')
        url = server + path + query
        words.append('"%s"' % url if "$" in url else "'%s'" % url if "?" in url else url)
        body = operation.get("requestBody", {}).get("content", {})
        # Others that it takes follow the first.
        for media, content in list(body.items())[:1]:
            example = content.get("example")
            if example is None:
                faults.append("%s %s: its request has no example" % (method, path))
            elif media == "application/json":
                text = json.dumps(example, ensure_ascii=False, separators=(",", ":"))
                if path.startswith("/v1/routes/"):
                    text = re.sub(r"tok_sandbox_\w+", "'$ALIAS'", text)
                words.append("-H 'Content-Type: application/json' \\\n    -d '%s'" % text)
            else:
                words += ["-d '%s=%s'" % pair for pair in example.items()]
        return " ".join(words)

    def page(self):
        operations = list(self.operations())
        common = set.intersection(*(set(o["responses"]) for _, p, _, o in operations if p.startswith("/v1/forms/") or p.startswith("/aliases")))
        common = sorted(status for status in common if status >= "400")
        text = ["# Calls", "", NOTE, "", "The configuration here is the delivered one with the form `checkout` and the reveal route `acquirer`; `GET /openapi.json` of your own",
                "gateway has your forms. Secrets come as HTTP Basic (`-u name:secret`) or as a Bearer token. What the errors mean and what to do is in",
                "[errors.md](errors.md), what the headers are in [headers.md](headers.md). In the lines below `$ALIAS`, `$ERASURE` and `$SESSION` are",
                "what calls before have returned.", "", "Any call of the client listener may be refused with %s." % ", ".join(common), ""]
        for method, path, item, operation in operations:
            text += ["## %s %s" % (method, path), "", operation["summary"], "", "```console", "$ " + self.curl(method, path, item, operation), "```", ""]
            names = [self.resolved(one) for one in item.get("parameters", []) + operation.get("parameters", [])]
            rows = [(code(one["name"]), one["in"], one.get("description", "")) for one in names if one["name"] != "X-Request-Id"]
            if rows:
                text += [table(["parameter", "in", "what it is"], rows)]
            others = []
            for status, response in operation["responses"].items():
                response = self.resolved(response)
                if status == "default" or status < "400" or "servers" in item:
                    text += ["**%s** %s" % (status, response["description"]), ""]
                    for media, content in response.get("content", {}).items():
                        if "example" in content:
                            text += ["```json", json.dumps(content["example"], ensure_ascii=False), "```", ""]
                elif status not in common:
                    types = [t for s, t in self.problems() if str(s) == status] if "application/problem+json" in response.get("content", {}) else []
                    others.append("%s%s" % (status, " (%s)" % ", ".join(code(t) for t in types) if types else ""))
            if others:
                text += ["Errors besides: %s." % "; ".join(others), ""]
        return "\n".join(text)

    def errors(self):
        texts = re.findall(r'static let \w+ = "(\w+)"', source("FormSchema/Rules"))
        complete("validationErrors", texts, tables.VALIDATION_ERRORS)
        rows = [(status, code(kind), code(domain), number, meaning, remedy)
                for (status, kind), (domain, number, meaning, remedy) in sorted(self.problems().items())]
        return "\n".join([
            "# Errors", "", NOTE, "",
            "An error of the client plane is a problem (RFC 9457): `type` is `urn:cloakroom:problem:` and the type below, `detail` says what was wrong,",
            "`requestId` names the request in the logs, and `error` is a VGSError with domain and code. The vault plane has the same `type`, `detail`",
            "and `requestId` beside its `errors` ([vault-api.md](vault-api.md), section 3). No error of the gateway has a submitted value;",
            "a remote vault's own refusal of `aliases` and `tokens` is passed on as it is ([proxy.md](proxy.md), section 6).", "",
            "Codes of the domain `NSURLErrorDomain` (-1001 to -1200) are about the exchange between the gateway and the upstream. They are the numbers",
            "that VGS's SDKs show; a phone whose own connection fails has the same numbers from its own system. The `type` beside the code is ours alone:",
            "go by it.", "",
            "## Problem types", "", table(["status", "type", "domain", "code", "when", "what to do"], rows),
            "## Validation errors", "", "In `validationErrors` of a field's state. A rule's own `error` takes the place of its text.", "",
            table(["text", "when", "what to do"], [(code(text),) + tables.VALIDATION_ERRORS.get(text, ("", "")) for text in texts]),
        ])

    def headers(self):
        heads, seen = [], set()
        for parameter in self.api["components"]["parameters"].values():
            heads.append((code(parameter["name"]), "request", parameter["description"]))
        for _, path, item, operation in self.operations():
            for response in operation["responses"].values():
                for name, header in self.resolved(response).get("headers", {}).items():
                    if name not in seen:
                        seen.add(name)
                        heads.append((code(name), "response", self.resolved(header)["description"]))
        heads += [(code("Authorization: %s" % scheme["scheme"].capitalize()), "request", scheme["description"])
                  for scheme in self.api["components"]["securitySchemes"].values()]
        return "\n".join(["# Headers", "", NOTE, "", table(["header", "in", "what it is"], heads)])


def written(count):
    """A number of bytes as the configuration writes it."""
    units = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)]
    name, size = next(one for one in units if count % one[1] == 0)
    return "%d%s" % (count // size, name) if count else "0"


# MARK: Configuration, from what the loader says of nonsense


class Keys:
    """Finds the keys of the configuration: at an unknown key the loader lists those that it knows."""

    def __init__(self, folder):
        self.file = folder + "/probe.json"
        self.leaves = {}
        # What was asked ahead: the mistakes by path and value.
        self.said = {}

    def mistakes(self, path, value):
        """What the loader says of a value, by what is behind its path."""
        asked = self.said.get((path, json.dumps(value)))
        if asked is None and path[-1:] == ("[]",):
            asked = self.below("[0]", self.said.get((path[:-1], json.dumps([value])), {})) or None
        return self.found(path, value) if asked is None else asked

    def found(self, path, value):
        node = value
        for part in reversed(path):
            if part == "[]":
                node = [node]
            else:
                node = {part: node}
                if path[0] == "routes" and path.index(part) == 2:
                    node.update({"name": "r", "kind": self.kind(part)})
                    node.setdefault("url", "https://a.example") if node["kind"] != "vgs" else node.setdefault("tenantId", "tnta")
        with open(self.file, "w") as file:
            json.dump(node, file)
        run = subprocess.run([options.binary, "check", "--format", "json", "--config", self.file], capture_output=True, text=True, check=False)
        # The first of each value.
        mistakes = {one["path"]: one["message"] for one in reversed(json.loads(run.stdout)["mistakes"])}
        return self.below(self.name(path).replace("[]", "[0]"), mistakes)

    @staticmethod
    def below(name, mistakes):
        """Those at a name and below it, by what is behind it."""
        return {at[len(name):]: message for at, message in mistakes.items()
                if not name or at == name or at.startswith((name + ".", name + "["))}

    def ask(self, path, keys):
        """Says the same nonsense of all keys of a map at once: most of what the walk asks, in three runs instead of three a key."""
        if path in (("routes", "[]"), ("credentials", "[]")):
            # What else there must be, or must not be, differs by key.
            return
        for value in ({NONSENSE: 1}, [{NONSENSE: 1}], {NONSENSE: {}}):
            found = self.found(path, {key: value for key in keys})
            for key in keys:
                # Nothing is said of keys that exclude each other: those are asked alone.
                if said := self.below("." + key if path else key, found):
                    self.said[path + (key,), json.dumps(value)] = said

    @staticmethod
    def kind(key):
        return "vgs" if key in ("tenantId", "environment", "region", "routeId") else "upstream" if key == "url" or key == "allowPlaintext" else "reveal"

    @staticmethod
    def name(path):
        return ".".join(path).replace(".[]", "[]")

    def known(self, path):
        dot = "." if path else ""
        mistakes = self.mistakes(path, {NONSENSE: 1})
        # Where a secret is expected, the key is not shown.
        found = re.search(r"unknown key \(allowed: (.*)\)$", mistakes.get(dot + NONSENSE) or mistakes.get("", ""))
        return found.group(1).split(", ") if found else None

    def walk(self, path=()):
        # Who waits is told that something happens.
        if path:
            print(self.name(path), flush=True)
        keys = self.known(path)
        if keys is None and path and path[-1] != "[]":
            inner = self.known(path + ("[]",))
            if inner is not None:
                if self.name(path) in tables.CONFIGURATION:
                    self.leaves[self.name(path)] = "a list"
                return self.walk(path + ("[]",))
        if keys is None:
            self.leaves[self.name(path)] = tables.RULES.get(self.name(path)) or self.rule(path)
            return
        name = self.name(path)
        # A secret, which may be text as well.
        if name in tables.CONFIGURATION:
            self.leaves[name] = "text"
        self.ask(path, keys)
        for key in keys:
            self.walk(path + (key,))

    def rule(self, path):
        """What the loader expects, in its own words."""
        said = [m for m in self.mistakes(path, {NONSENSE: {}}).values() if "expected" in m]
        kind = re.sub(r", found.*", "", said[0]).replace("expected ", "") if said else ""
        if kind == "a whole number":
            bounds = list(self.mistakes(path, 10 ** 17).values())
            return kind + (", " + bounds[0].replace("must be ", "") if bounds else "")
        if kind == "text":
            allowed = re.search(r"allowed: (.*)\)", " ".join(self.mistakes(path, NONSENSE).values()))
            return "one of %s" % allowed.group(1) if allowed else kind
        if kind.startswith("a list") or not kind:
            allowed = re.search(r"allowed: (.*)\)", " ".join(self.mistakes(path, [NONSENSE]).values()))
            return "list of %s" % allowed.group(1) if allowed else kind or "see the text"
        if kind.startswith("a span of time"):
            bounds = re.search(r"must be from (\S+ to \S+)", " ".join(self.mistakes(path, "100000d").values()))
            return "a time" + (", " + bounds.group(1) if bounds else "")
        if kind.startswith("an amount of bytes"):
            bounds = re.search(r"must be from (\S+) to (\S+) bytes", " ".join(self.mistakes(path, 10 ** 17).values()))
            return "a size" + (", %s to %s" % tuple(written(int(size)) for size in bounds.groups()) if bounds else "")
        return kind

    def page(self):
        self.walk()
        complete("configuration", self.leaves, tables.CONFIGURATION)
        rows = [(code(name), rule, code(tables.CONFIGURATION.get(name, ("", ""))[0]) or "–", tables.CONFIGURATION.get(name, ("", ""))[1])
                for name, rule in self.leaves.items()]
        return "\n".join([
            "# Configuration", "", NOTE, "",
            "Every key of `cloakroom.yaml`; `[]` is each element of a list. Every key may be left out unless it says *required*. Times: `250ms`, `10s`, `5m`,",
            "`1h`, `30d`. Sizes: `500kB`, `8KiB`, `1MiB`. Paths are relative to the file that names them. `cloakroom check` prints every mistake with its",
            "line; `--set key.path=value` overrides a key; a path in it is relative to the working directory. `config/cloakroom.yaml` has the same with examples, [forms](../forms.md) are files of their own.", "",
            table(["key", "what", "default", "meaning"], rows)])


# MARK: Names in the sources


def metrics():
    text = source("Gateway")
    found, labels = {}, {}
    # What follows a metric's beginning, up to the next one, writes its samples.
    for written in re.split(r'(?=\b(?:begin|single)\(\s*"cloakroom_)', text)[1:]:
        parts = re.match(r'(begin|single)\(\s*"(cloakroom_\w+)",\s*\.(\w+),\s*"([^"]*)"', written)
        if not parts:
            continue
        way, name, kind, help = parts.groups()
        found[name] = (kind, help)
        sample = re.search(r"\b(?:sample|histogram)\(\s*\[(.*?)\]", written, re.S) if way == "begin" else None
        labels[name] = re.findall(r'"(\w+)":', sample.group(1)) if sample else []
        if way == "begin" and not labels[name]:
            faults.append("metrics: the labels of %s are written in a way that reference.py does not find" % name)
    named = set(re.findall(r'"(cloakroom_[a-z_]+)"', text))
    for name in sorted(named - set(found)):
        faults.append("metrics: %s is written in a way that reference.py does not find" % name)
    complete("metrics", found, tables.METRICS)
    with open(ROOT + "/deploy/prometheus/alerts.yaml", encoding="utf-8") as file:
        rules = file.read()
    without = [code(name) for name in sorted(found) if tables.METRICS.get(name) and name not in rules]
    return "\n".join([
        "# Metrics", "", NOTE, "", "`GET /metrics` on the admin listener, in the text format of Prometheus. [`deploy/prometheus`](../../deploy/prometheus/alerts.yaml) has",
        "rules for what is to be alerted on, but for these, whose limit is yours to choose: %s." % ", ".join(without), "",
        table(["metric", "kind", "labels", "what it is", "alert on"],
              [(code(n), kind, ", ".join(map(code, labels[n])), help, tables.METRICS.get(n, "")) for n, (kind, help) in sorted(found.items())])])


def scopes():
    names = re.findall(r'case \w+ = "(\w+:\w+)"', source("Access/Permissions"))
    complete("scopes", names, tables.SCOPES)
    return "\n".join([
        "# Scopes", "", NOTE, "", "What a credential may do (`credentials[].scopes`). A missing scope is 403. `forms`, `routes`, `classifiers`, `expires`, `addresses` and",
        "`rateLimit` of a credential limit it further ([access.md](access.md)).", "",
        table(["scope", "allows"], [(code(name), tables.SCOPES.get(name, "")) for name in names])])


def logs():
    lines = source("AuditLog/Lines")
    enums = dict(re.findall(r"public enum (Action|Outcome): String, Sendable \{(.*?)\n    \}", lines, re.S))
    named = {}
    for name, body in enums.items():
        cases = [case.split(" = ") for part in re.findall(r"^ +case (.*)", body, re.M) for case in part.split(", ")]
        named[name] = [case[-1].strip('"') for case in cases]
    members = re.findall(r'\\"(\w+)\\":', lines)
    with open(ROOT + "/Sources/Gateway/Telemetry/AccessLine.swift", encoding="utf-8") as file:
        access = re.findall(r'json\.(?:key|member)\("(\w+)"', file.read())
    for what, names, wanted in [("events", named["Action"], tables.AUDIT_EVENTS), ("outcomes", named["Outcome"], tables.AUDIT_OUTCOMES),
                                ("members of the audit log", members, tables.AUDIT_MEMBERS), ("members of the access log", access, tables.ACCESS_MEMBERS)]:
        complete(what, names, wanted)

    def rows(names, wanted):
        return [(code(name), wanted.get(name, "")) for name in names]

    # In the order in which they stand in a line.
    order = list(tables.AUDIT_MEMBERS)
    return "\n".join([
        "# Logs", "", NOTE, "",
        "## 1. The audit log", "",
        "`audit.file`: one JSON object a line, each chained to the one before it. `cloakroom audit verify` finds any line that was changed, left out,",
        "moved or invented. Members without a value are absent.", "",
        table(["member", "what it is"], rows(sorted(set(members), key=order.index), tables.AUDIT_MEMBERS)),
        table(["event", "what was done or asked for"], rows(named["Action"], tables.AUDIT_EVENTS)),
        table(["outcome", "how it ended"], rows(named["Outcome"], tables.AUDIT_OUTCOMES)),
        "## 2. The access log", "",
        "A line on stderr for each request where `log.level` is `info` or lower, with `log.format: json` an object; in `text` time, level, method, route and",
        "status stand in front, and the others follow as `name=value`.", "",
        table(["member", "what it is"], rows(access, tables.ACCESS_MEMBERS)),
        "Other lines have `time`, `level`, `message` and what the message is about. Nothing of bodies, paths and queries is in any line, and card",
        "numbers are masked in all."])


with tempfile.TemporaryDirectory() as folder:
    calls = Calls(document(folder))
    pages = {"calls.md": calls.page(), "errors.md": calls.errors(), "headers.md": calls.headers(), "configuration.md": Keys(folder).page(),
             "metrics.md": metrics(), "scopes.md": scopes(), "logs.md": logs()}
for name, text in pages.items():
    text = text.rstrip("\n") + "\n"
    path = FOLDER + "/" + name
    if options.check:
        if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
            faults.append("docs/reference/%s is stale: run `make reference`" % name)
    else:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
