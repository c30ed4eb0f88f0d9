#!/usr/bin/env bash
# The session of the README with curl: validate, aliases, send, reveal. Usage: session.sh [GATEWAY]
set -euo pipefail
gateway=${1:-http://127.0.0.1:8080}
json='Content-Type: application/json'
card='{"fields":{"card_number":"4111 1111 1111 1111","card_holder":"Joe Business","exp_date":"12/30","cvc":"123"}}'

# Any page or app may ask for the states of fields.
curl --fail --silent "$gateway/v1/forms/checkout/validate" -H "$json" -d "$card" | grep -o '^{"form":"checkout","isValid":true'
# A repetition under the same key gets the first response again.
alias=$(curl --fail --silent -u dev:dev-secret "$gateway/v1/forms/checkout/aliases" -H "$json" -H "Idempotency-Key: order-17-$$" -d "$card" |
    sed 's/.*"card_number":"\([0-9]*\)".*/\1/')
# What the upstream would get: aliases.
curl --fail --silent "$gateway/v1/forms/checkout/send/orders" -H "$json" -d "$card" | grep -o "\"card_number\":\"$alias\""
# Only a backend whose credential may reveal.
curl --fail --silent -u dev:dev-secret "$gateway/aliases/$alias" | grep -o '"value":"4111111111111111"'
