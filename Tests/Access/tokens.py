"""Tokens that PyJWT makes for the gateway's tests: prints a JSON Web Key Set, and tokens with the status that each must get."""

import base64
import hashlib
import hmac
import json
import time

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

ISSUER = 'https://login.example'
now = int(time.time())
private = {
    'RS256': rsa.generate_private_key(65537, 2048),
    'ES256': ec.generate_private_key(ec.SECP256R1()),
    'EdDSA': ed25519.Ed25519PrivateKey.generate(),
}
private['PS256'] = rsa.generate_private_key(65537, 3072)
stranger = rsa.generate_private_key(65537, 2048)


def public(algorithm, key):
    numbers = jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key(), as_dict=True)
    return {**numbers, 'kid': algorithm, 'alg': algorithm, 'use': 'sig'}


def claims(**changes):
    full = {'iss': ISSUER, 'aud': 'cloakroom', 'sub': 'shop', 'jti': 't-1', 'iat': now, 'exp': now + 600,
            'scope': 'aliases:create aliases:reveal'}
    return {name: value for name, value in {**full, **changes}.items() if value is not None}


def token(changes={}, algorithm='RS256', key=None, headers={}):
    return jwt.encode(claims(**changes), key or private[algorithm], algorithm, {'kid': algorithm, **headers})


good = token()


def confused():
    """PyJWT refuses to make this one: HMAC with the public key as its secret (RFC 8725 section 2.1)."""
    pem = private['RS256'].public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    head = {'alg': 'HS256', 'typ': 'JWT', 'kid': 'RS256'}
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b'=') for part in (head, claims())]
    code = hmac.new(pem, b'.'.join(parts), hashlib.sha256).digest()
    return b'.'.join(parts + [base64.urlsafe_b64encode(code).rstrip(b'=')]).decode()


cases = [(name, token(algorithm=name), 201) for name in private] + [
    ('an audience among several', token({'aud': ['other', 'cloakroom']}), 201),
    ('within the skew', token({'exp': now - 20}), 201),
    ('no key id', jwt.encode(claims(), private['ES256'], 'ES256'), 201),
    ('an access token', token(headers={'typ': 'at+jwt'}), 201),
    ('no scope', token({'scope': 'openid'}), 403),
    ('expired', token({'exp': now - 3600}), 401),
    ('no end', token({'exp': None}), 401),
    ('not yet valid', token({'nbf': now + 3600}), 401),
    ('issued in the future', token({'iat': now + 3600}), 401),
    ('another audience', token({'aud': 'other'}), 401),
    ('another issuer', token({'iss': 'https://evil.example'}), 401),
    ('another key under a known id', token(key=stranger), 401),
    ('an unknown key id', token(headers={'kid': 'gone'}), 401),
    ('none', jwt.encode(claims(), None, 'none', {'kid': 'RS256'}), 401),
    ('the public key as an HMAC secret', confused(), 401),
    ('a critical header', token(headers={'crit': ['x'], 'x': 1}), 401),
    ('a session by its type', token(headers={'typ': 'cloakroom-session+jwt'}), 401),
    ('a changed signature', good[:-8] + ('A' if good[-8] != 'A' else 'B') + good[-7:], 401),
    ('bad claim sub', token({'sub': 's' * 5000}), 401),
    ('bad claim exp', token({'exp': 10 ** 15}), 401),
    ('bad claim exp of a stranger', token({'exp': 10 ** 15}, key=stranger), 401),
    ('a changed claim', good.replace('.', '.A', 1), 401),
]
print(json.dumps({
    'keys': {'keys': [public(name, key) for name, key in private.items()]},
    'cases': [{'name': name, 'token': text, 'status': status} for name, text, status in cases],
}))
