#!/usr/bin/env python3
"""The session of the README with Python's standard library: validate, aliases, send, reveal. Usage: session.py [GATEWAY]"""
import base64
import json
import sys
import urllib.error
import urllib.request
import uuid

GATEWAY = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
DEV = "Basic " + base64.b64encode(b"dev:dev-secret").decode()
CARD = {"card_number": "4111 1111 1111 1111", "card_holder": "Joe Business", "exp_date": "12/30", "cvc": "123"}


def call(method, path, body=None, authorization=None, key=None):
    """The response's JSON. A refusal is an HTTPError whose body is a problem: `error.type` says which."""
    headers = {"Content-Type": "application/json"}
    if authorization:
        headers["Authorization"] = authorization
    if key:
        headers["Idempotency-Key"] = key
    data = json.dumps(body).encode() if body is not None else None
    with urllib.request.urlopen(urllib.request.Request(GATEWAY + path, data, headers, method=method), timeout=30) as response:
        return json.load(response)


state = call("POST", "/v1/forms/checkout/validate", {"fields": CARD})
assert state["isValid"], state
# A repetition under the same key gets the first response again: nothing is charged or stored twice.
key = str(uuid.uuid4())
made = call("POST", "/v1/forms/checkout/aliases", {"fields": CARD}, DEV, key)
assert call("POST", "/v1/forms/checkout/aliases", {"fields": CARD}, DEV, key) == made
alias = made["data"]["card_number"]
sent = call("POST", "/v1/forms/checkout/send/orders", {"fields": CARD, "extraData": {"order": 17}})
assert sent["order"] == 17 and sent["card_number"] == alias, sent
assert call("GET", "/aliases/" + alias, None, DEV)["data"][0]["value"] == "4111111111111111"
try:
    call("POST", "/v1/forms/checkout/aliases", {"fields": {"card_number": "4111"}}, DEV)
except urllib.error.HTTPError as error:
    problem = json.load(error)
    assert error.code == 422 and problem["error"]["type"] == "inputDataIsNotValid", problem
print("done")
