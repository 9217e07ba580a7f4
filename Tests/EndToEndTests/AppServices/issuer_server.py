"""Plays an issuer of OpenID Connect, by joserfc, and Facebook's Graph API.

Beside what these have, `/mint?NAME=CLAIM…` answers with a token of those claims, `/rotate` makes another signing key (`?kind=EC` one on P-256), and
`/count` tells how often the keys have been asked for.
"""
import http.server
import json
import sys
import time
import urllib.parse

from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

keys = [RSAKey.generate_key(2048, {"kid": "k1", "use": "sig", "alg": "RS256"}, private=True)]
asked = 0


class Issuer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, value, status=200, kind="application/json"):
        content = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def token(self, **claims):
        now = int(time.time())
        claims = {"iss": base, "iat": now, "exp": now + 600} | claims
        algorithm = "ES256" if keys[-1].key_type == "EC" else "RS256"
        return jwt.encode({"alg": algorithm, "kid": keys[-1].kid}, claims, keys[-1])

    def do_GET(self):
        global asked
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/.well-known/openid-configuration":
            self.answer({"issuer": base, "jwks_uri": f"{base}/jwks", "token_endpoint": f"{base}/token"})
        elif url.path == "/jwks":
            asked += 1
            self.answer({"keys": [{"kty": "EC", "kid": "e", "crv": "P-256", "x": "AA", "y": "AA"}]
                         + [key.as_dict(private=False) for key in keys]})
        elif url.path == "/count":
            self.answer(str(asked), kind="text/plain")
        elif url.path == "/rotate":
            name = {"kid": f"k{time.time_ns()}"}
            isCurve = query.get("kind") == "EC"
            keys[:] = [ECKey.generate_key("P-256", name, private=True) if isCurve else RSAKey.generate_key(2048, name, private=True)]
            self.answer("", kind="text/plain")
        elif url.path == "/mint":
            self.answer(self.token(**query), kind="text/plain")
        elif url.path == "/graph/debug_token":
            # The app asks as itself.
            is_right = query["access_token"] == "77|fb-secret"
            token = query["input_token"]
            self.answer({"data": {"is_valid": is_right and token == "fb-token", "app_id": "77", "user_id": "4711"}})
        elif url.path == "/graph/me":
            self.answer({"id": "4711", "name": "Fay B", "email": "fay@example.org"})
        else:
            self.answer({}, 404)

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        expected = {"grant_type": "authorization_code", "code": "good", "client_id": "web", "client_secret": "web-secret"}
        if self.path == "/token" and all(form.get(name) == value for name, value in expected.items()):
            self.answer({"id_token": self.token(sub="g-2", aud="web", email="coder@example.org"), "access_token": "x"})
        else:
            self.answer({"error": "invalid_grant"}, 400)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Issuer)
base = f"http://127.0.0.1:{server.server_port}"
print(server.server_port, flush=True)
server.serve_forever()
