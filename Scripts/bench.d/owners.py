"""Makes users and roles: the helper of `events owners` and `quotas`.

  owners.py URL ADMIN_KEY COUNT FILE ROLES      FILE: a line of "id access-token" for each, behind one with the administrator's key
"""

import concurrent.futures
import http.client
import json
import sys
import threading

url, key, count, file, roles = sys.argv[1:]
host = url.removeprefix("http://")
local = threading.local()


def ask(method, path, body, credential=None):
    if not hasattr(local, "connection"):
        local.connection = http.client.HTTPConnection(host)
    fields = {"content-type": "application/json"}
    if credential:
        fields["authorization"] = f"Bearer {credential}"
    local.connection.request(method, path, json.dumps(body), fields)
    answer = local.connection.getresponse()
    content = answer.read()
    if answer.status >= 300:
        sys.exit(f"{method} {path}: {answer.status} {content[:200]}")
    return content


def log_in(_):
    login = json.loads(ask("POST", "/api/client/v2.0/app/any/auth/providers/anon-user/login", {}))
    return login["user_id"], login["access_token"]


ask("PUT", "/v1/roles", json.loads(roles), key)
with concurrent.futures.ThreadPoolExecutor(8) as pool, open(file, "w") as output:
    print("-", key, file=output)
    for id, token in pool.map(log_in, range(int(count))):
        print(id, token, file=output)
