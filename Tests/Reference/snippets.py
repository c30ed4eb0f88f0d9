#!/usr/bin/env python3
"""Runs every `$ curl …` line of the documents against a gateway of the delivered configuration. Each must be understood by the shell and
curl, and get a response that the documents show: where JSON stands under the line, one with the same members.

usage: snippets.py --binary FILE
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONFIGURATION = """
server: {listen: ["127.0.0.1:0"]}
admin: {listen: "127.0.0.1:0"}
forms: %s/config/forms/
vault: {sqlite: {path: vault.db}, masterKey: {file: master.key, generate: true}}
credentials:
  - {name: dev, username: dev, secret: dev-secret, scopes: ["aliases:create", "aliases:reveal", "aliases:update", "aliases:delete", "forms:send", "routes:send", "sessions:create"]}
  - {name: shop, username: shop, secret: shop-secret, scopes: ["sessions:create", "aliases:create"]}
routes: [{name: acquirer, kind: reveal, url: "http://127.0.0.1:1", allowPlaintext: true}]
""" % ROOT
# Nothing listens where the reveal route leads.
EXPECTED = {"/v1/routes/acquirer/": {502}}
# Lines that run after all others: they delete what those use.
LAST = ("-X DELETE", "/aliases/delete")

parser = argparse.ArgumentParser()
parser.add_argument("--binary", default=ROOT + "/.build/debug/cloakroom")
options = parser.parse_args()
faults = []


def snippets():
    """Place, command and what is shown under it."""
    names = ["README.md"] + ["docs/" + name for name in sorted(os.listdir(ROOT + "/docs")) if name.endswith(".md")]
    names += ["docs/reference/" + name for name in sorted(os.listdir(ROOT + "/docs/reference"))]
    names += ["deploy/README.md"] if os.path.exists(ROOT + "/deploy/README.md") else []
    for name in names:
        with open(ROOT + "/" + name, encoding="utf-8") as file:
            text = file.read()
        for block in re.finditer(r"```console\n(.*?)```", text, re.S):
            line = text[:block.start()].count("\n") + 2
            for part in re.finditer(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block.group(1), re.M):
                if part.group(1).startswith("curl"):
                    yield "%s:%d" % (name, line + block.group(1)[:part.start()].count("\n")), part.group(1), part.group(2).strip()


def members(text):
    """Names of the members that a shown object certainly has; it may be cut with an ellipsis."""
    text = text.replace("\n", "")
    if "…" in text:
        return set(re.findall(r'^\{"(\w+)"', text))
    return set(json.loads(text)) if text.startswith("{") else set()


def made(ports, path, body, method="POST", secret="ZGV2OmRldi1zZWNyZXQ="):
    request = urllib.request.Request("http://%s%s" % (ports[0], path), json.dumps(body).encode(), method=method,
                                     headers={"Content-Type": "application/json", "Authorization": "Basic " + secret})
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or b"{}")


def run(place, command, shown, ports, names, folder):
    line = command.replace("127.0.0.1:8080", ports[0]).replace("127.0.0.1:9080", ports[1])
    # An alias that a document shows is another one here.
    line = line.replace("4111117813351111", names["ALIAS"])
    line = line.replace("curl ", "curl -o body -w '%{http_code}' ", 1)
    done = subprocess.run(["/bin/bash", "-c", line], capture_output=True, text=True, cwd=folder, timeout=30, check=False,
                          env=dict(os.environ, **names))
    if done.returncode != 0:
        return faults.append("%s: %s: exit %d %s" % (place, command, done.returncode, done.stderr))
    status = int(done.stdout)
    expected = next((codes for path, codes in EXPECTED.items() if path in command), {422} if '"type":"urn:' in shown else set(range(200, 300)))
    with open(folder + "/body", encoding="utf-8") as file:
        body = file.read()
    if status not in expected:
        return faults.append("%s: %s: status %d: %s" % (place, command, status, body[:300]))
    missing = members(shown) - set(json.loads(body)) if shown else set()
    if missing:
        faults.append("%s: the response has no %s" % (place, ", ".join(sorted(missing))))


with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/cloakroom.yaml", "w") as file:
        file.write(CONFIGURATION)
    gateway = subprocess.Popen([options.binary, "serve", "--config", folder + "/cloakroom.yaml"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    try:
        ports = re.findall(r"http://([\d.:]+)", gateway.stdout.readline())
        stored = made(ports, "/aliases", {"data": [{"value": "4111111111111111", "format": "FPE_SIX_T_FOUR", "classifiers": ["customer-17"]}]})
        erasure = made(ports, "/aliases/delete", {"classifier": "nobody"})
        session = made(ports, "/v1/sessions", {"form": "checkout"})
        names = {"ALIAS": stored["data"][0]["aliases"][0]["alias"], "ERASURE": erasure["erasure"], "SESSION": session["session"],
                 "SECRET": "shop-secret"}
        found = list(snippets())
        if len(found) < 25:
            faults.append("only %d curl lines were found" % len(found))
        for place, command, shown in sorted(found, key=lambda one: any(word in one[1] for word in LAST)):
            if any(word in command for word in LAST):
                again = made(ports, "/aliases", {"data": [{"value": "4111111111111111", "format": "FPE_SIX_T_FOUR", "classifiers": ["customer-17"]}]})
                names["ALIAS"] = again["data"][0]["aliases"][0]["alias"]
            run(place, command, shown, ports, names, folder)
        print("%d curl lines" % len(found))
    finally:
        gateway.terminate()
        gateway.wait()
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
