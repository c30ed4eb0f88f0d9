#!/usr/bin/env python3
"""Says which operations of the gateway's OpenAPI document have been called, by the record that hooks.py writes, and exits with 1 if one has
never succeeded: responses that refuse all calls agree with any document.

usage: reached.py GATEWAY RECORD
"""
import collections
import json
import sys
import urllib.request

# What another listener answers, and the document itself, which the client has by then.
ELSEWHERE = ("/health", "/metrics", "/openapi.json")

gateway, path = sys.argv[1:]
statuses = collections.defaultdict(collections.Counter)
with open(path) as record:
    for line in record:
        status, operation = line.rstrip("\n").split(" ", 1)
        statuses[operation][status] += 1
with urllib.request.urlopen(gateway + "/openapi.json") as response:
    document = json.load(response)
methods = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
operations = [f"{method.upper()} {path}" for path, item in document["paths"].items() if not path.startswith(ELSEWHERE)
              for method in item if method in methods]
missed = [operation for operation in operations if not any(status.startswith("2") for status in statuses[operation])]
for operation in missed:
    print(f"never succeeded: {operation}: {dict(statuses[operation])}")
print(f"{len(operations) - len(missed)} of {len(operations)} operations succeeded")
sys.exit(1 if missed or not operations else 0)
